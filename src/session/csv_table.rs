//! CSV files as a table of a query: one partition for each file.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;

use crate::write::copy::CsvRows;

/// How many batches wait to be taken.
const WAITING: usize = 2;

/// The table of these rows.
///
/// # Errors
/// None.
pub(super) fn table(rows: CsvRows) -> Result<Arc<dyn TableProvider>> {
    let (schema, rows) = (rows.schema(), Arc::new(rows));
    let files = (0..rows.files()).map(|file| {
        let file = TextFile {
            rows: Arc::clone(&rows),
            schema: Arc::clone(&schema),
            file,
        };
        Arc::new(file) as Arc<dyn PartitionStream>
    });
    let table = StreamingTable::try_new(Arc::clone(&schema), files.collect())?;
    Ok(Arc::new(table))
}

/// A file of the table.
#[derive(Debug)]
struct TextFile {
    rows: Arc<CsvRows>,
    schema: SchemaRef,
    file: usize,
}

impl PartitionStream for TextFile {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.schema), WAITING);
        let (sender, rows, file) = (stream.tx(), Arc::clone(&self.rows), self.file);
        stream.spawn_blocking(move || {
            // Nobody receives when enough was read.
            rows.read(file, |batch| sender.blocking_send(Ok(batch)).is_ok())?;
            Ok(())
        });
        stream.build()
    }
}

#[cfg(test)]
#[path = "csv_table_tests.rs"]
mod tests;
