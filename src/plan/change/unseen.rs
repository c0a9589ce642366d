//! Names of columns that a statement cannot name.

/// Stands before the names of columns that a statement cannot name: nobody sees it.
const UNSEEN: char = '\u{2060}';

/// The name of a column that nobody writes.
pub(crate) fn unseen(role: &str, column: &str) -> String {
    format!("{UNSEEN}{role} {column}")
}
