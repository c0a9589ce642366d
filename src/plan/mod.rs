//! Statement → logical plan → physical plan.
//!
//! | | |
//! |---|---|
//! | `bind` | names, views, parameters, rules of columns |
//! | `subquery` | subqueries as joins |
//! | `change` | INSERT, UPDATE, DELETE and MERGE as queries and nodes |
//! | [`rule`] | what the optimizer does with a plan |

pub(crate) mod bind;
pub(crate) mod change;
pub(crate) mod environment;
#[cfg(test)]
pub(crate) mod law;
pub(crate) mod query_plan;
#[doc(hidden)]
pub mod rule;
pub(crate) mod subquery;
mod width;
