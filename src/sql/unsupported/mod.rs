//! What is refused before it is planned, with what to write instead.

pub(crate) mod checked;
pub(crate) mod clauses;
pub(crate) mod expressions;
#[doc(hidden)]
pub mod statements;

/// The functions that statements may call, by their names in lower case.
pub(crate) trait KnownFunctions {
    /// Whether a function gives a value for each row, of which the arguments alone are planned.
    fn is_scalar(&self, name: &str) -> bool;

    /// Whether it is a window function.
    fn is_window(&self, name: &str) -> bool;
}
