//! Errors of columns that say which row they are about.

use std::fmt;

use crate::error::Error;

/// An error about some columns, or about one row of them.
#[derive(Debug)]
pub struct RowError {
    /// The row's index in the columns, if it is about one.
    pub row: Option<usize>,
    /// What is wrong.
    pub error: Error,
}

impl RowError {
    /// An error about one row.
    pub fn at(row: usize, error: Error) -> Self {
        Self {
            row: Some(row),
            error,
        }
    }

    /// The error with the row's place in front, which `place` says for its index: `line 17`.
    pub fn placed(self, place: impl FnOnce(usize) -> String) -> Error {
        match self.row {
            Some(row) => self.error.at_row(place(row)),
            None => self.error,
        }
    }

    /// The same error, about a table, whose name is put in front of what is wrong.
    #[must_use]
    pub fn of_table(self, name: &str) -> Self {
        Self {
            row: self.row,
            error: self.error.of_table(name),
        }
    }
}

impl From<Error> for RowError {
    fn from(error: Error) -> Self {
        Self { row: None, error }
    }
}

impl From<RowError> for Error {
    /// The error with the row counted from 1, as in `row 3`.
    fn from(error: RowError) -> Self {
        error.placed(|row| format!("row {}", row + 1))
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "row {}: {}", row + 1, self.error),
            None => self.error.fmt(f),
        }
    }
}
