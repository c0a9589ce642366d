//! Columns that a file does not give, and their DEFAULTs.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::Schema;
use datafusion::physical_expr::PhysicalExpr;

use crate::error::{Error, Result};

/// A column that no file gives, and what it has.
#[derive(Debug, Clone)]
pub struct Filled {
    /// Its position in the table.
    pub column: usize,
    /// Its value, of the column's type, over no columns: computed for each row, if it is not the same for all.
    pub value: Arc<dyn PhysicalExpr>,
}

/// Rows of the table, with values in the columns that the file does not give.
///
/// # Errors
/// A value that cannot be computed.
pub(super) fn fill(rows: RecordBatch, filled: &[Filled]) -> Result<RecordBatch> {
    if filled.is_empty() {
        return Ok(rows);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    let none = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options);
    let none = none.map_err(|error| Error::internal("rows of no columns").with_source(error))?;
    let (schema, mut columns, _) = rows.into_parts();
    for Filled { column, value } in filled {
        let values = value.evaluate(&none)?.into_array(none.num_rows())?;
        if let Some(place) = columns.get_mut(*column) {
            *place = values;
        }
    }
    RecordBatch::try_new_with_options(schema, columns, &options)
        .map_err(|error| Error::internal("rows with their defaults").with_source(error))
}
