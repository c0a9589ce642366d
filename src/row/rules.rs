//! What a table asks of its rows beside the types of their columns: its CHECKs.

use std::fmt;

use arrow::array::RecordBatch;

use crate::key::RowError;

/// The rules of one table. They are given by who knows expressions, and asked of every row that is encoded.
pub trait RowRules: fmt::Debug + Send + Sync {
    /// Whether these rows, of the table's columns by position, may be written.
    ///
    /// # Errors
    /// `InvalidInput` with the row that may not, and the rule that says so.
    fn check(&self, rows: &RecordBatch) -> Result<(), RowError>;
}
