//! What a statement does with the rows that it gives.

use super::edit::Edit;
use crate::error::Result;
use crate::schema::BoundTable;

/// What a write set does with its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Adds them; a key that is there already is an error.
    Insert,
    /// Adds them over rows of the same key.
    Replace,
    /// Removes them; of each row only the columns that the key is computed from are given, by name.
    Delete,
    /// Changes rows by what they were, as a [`Layout`](super::Layout) says.
    Edit(Edit),
}

impl Change {
    /// The word that the statement begins with.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Replace => "REPLACE",
            Self::Delete => "DELETE",
            Self::Edit(edit) => edit.verb(),
        }
    }

    /// Whether rows of the table can be changed so.
    ///
    /// # Errors
    /// `NotSupported` for what looks a row up by its key, where that does not say which it is.
    pub fn check(self, table: &BoundTable) -> Result<()> {
        match self {
            Self::Replace => table.refuse_lookup("REPLACE"),
            Self::Edit(Edit::InsertNew | Edit::Upsert) => table.refuse_lookup("ON CONFLICT"),
            Self::Insert | Self::Delete | Self::Edit(_) => Ok(()),
        }
    }
}
