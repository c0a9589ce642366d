//! Names that Halite gives what stands in a statement or a plan, and that nobody can write: each has a character that no
//! word of SQL has.

/// Stands before or behind a name, and is not seen: a character without width.
pub(crate) const UNSEEN: char = '\u{2060}';

/// The operator behind a cast that is given a name. No operator of the dialect is written like this.
pub(crate) const NAMED_CAST: &str = "\u{2060}named";

/// The rows of a long list, as a table.
pub(crate) const ROWS: &str = "\u{2060}rows";

/// The columns of a MERGE that say whether a row of the join has a stored row, and one of the source.
pub(crate) const STORED: &str = "\u{2060}is stored";
/// See [`STORED`].
pub(crate) const GIVEN: &str = "\u{2060}is given";

/// The parameters of a change, beside the columns of its rows.
pub(crate) const PARAMETERS: &str = "\u{2060}parameters";

/// The tag of a text that marks a list which is set aside.
pub(crate) const LIST: &str = "\0list";

/// Stands between the parts of the name that a function over files has.
pub(crate) const BETWEEN: char = '\u{1}';
/// Stands in such a name between a column and its type.
pub(crate) const WITHIN: char = '\u{2}';

/// The name of a column that a statement cannot name.
pub(crate) fn unseen(role: &str, column: &str) -> String {
    format!("{UNSEEN}{role} {column}")
}
