//! The parameters of a statement: what is wanted for them, and how their values come to be part of a plan.
//!
//! | module | what it does |
//! |---|---|
//! | `wanted` | which parameters there are, and of which type each is to be |
//! | `bound` | a plan that was made without values gets them |
//! | `constants` | a statement that cannot be planned without values gets them as constants |

pub(crate) mod bound;
pub(crate) mod constants;
pub(crate) mod wanted;
