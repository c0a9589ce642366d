//! What a table computes for its rows, and asks of them beside the types of their columns: generated columns and CHECKs.

use std::fmt;

use arrow::array::RecordBatch;

use crate::key::RowError;

/// The rules of one table. They are given by who knows expressions, and asked of every row that is encoded.
pub trait RowRules: fmt::Debug + Send + Sync {
    /// The rows, of the table's columns by position, with what is computed of them in its place, whatever stood there.
    ///
    /// # Errors
    /// A value that cannot be computed, or that its column cannot hold.
    fn complete(&self, rows: &RecordBatch) -> Result<Option<RecordBatch>, RowError>;

    /// Whether these rows, of the table's columns by position, may be written.
    ///
    /// # Errors
    /// `InvalidInput` with the row that may not, and the rule that says so.
    fn check(&self, rows: &RecordBatch) -> Result<(), RowError>;
}
