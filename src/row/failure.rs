//! Why rows could not be decoded, before it is known of which table and key they are.

use crate::error::Error;
use crate::schema::Column;

/// Why rows could not be decoded.
#[derive(Debug)]
pub(super) enum Failure {
    /// The row at this index of the chunk is damaged.
    Row(usize, String),
    /// Something that has to do with no row.
    Whole(Error),
}

impl Failure {
    pub(super) fn internal(message: &str) -> Self {
        Self::Whole(Error::internal(message))
    }

    pub(super) fn column(row: usize, column: &Column, reason: &str) -> Self {
        Self::Row(
            row,
            format!(
                "column `{}` of type {} {reason}",
                column.name, column.sql_type
            ),
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Whole(error)
    }
}
