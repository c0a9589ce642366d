//! What is refused before it is planned, with what to write instead.

pub(crate) mod checked;
pub(crate) mod clauses;
pub(crate) mod expressions;
#[doc(hidden)]
pub mod statements;
