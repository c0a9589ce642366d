//! Text → statement: what stands in a script, cut into statements, parsed, and brought into the forms that are planned.
//!
//! Nothing is known here of tables, and nothing is planned. [`parse`] is the way in.

pub(crate) mod copy_options;
#[doc(hidden)]
pub mod copy_statement;
#[doc(hidden)]
pub mod dialect;
pub(crate) mod ident;
pub(crate) mod limits;
pub(crate) mod marks;
#[doc(hidden)]
pub mod parse;
pub(crate) mod placeholders;
pub(crate) mod rewrite;
pub(crate) mod sequence_clauses;
pub(crate) mod split_clause;
#[doc(hidden)]
pub mod stack;
pub(crate) mod token;
pub(crate) mod unsupported;
#[doc(hidden)]
pub mod written;
