//! Statements that would exhaust the stack, or planning: what is refused of them, and what is written in another shape.

pub(crate) mod chains;
#[doc(hidden)]
pub mod guard;
pub(crate) mod long_lists;
