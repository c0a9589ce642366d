//! Files as a table of a query: one partition for each file, of which the columns are read that are wanted.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use crate::write::copy::FileRows;

/// How many batches wait to be taken.
const WAITING: usize = 2;

/// The table of these rows.
pub(crate) fn table(rows: impl FileRows + 'static) -> Arc<dyn TableProvider> {
    Arc::new(FileTable {
        schema: rows.schema(),
        rows: Arc::new(rows),
    })
}

#[derive(Debug)]
struct FileTable {
    rows: Arc<dyn FileRows>,
    schema: SchemaRef,
}

#[async_trait]
impl TableProvider for FileTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(columns) => columns.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let schema = Arc::new(self.schema.project(&columns)?);
        let columns: Arc<[usize]> = columns.into();
        let files = (0..self.rows.files()).map(|file| {
            let file = File {
                rows: Arc::clone(&self.rows),
                schema: Arc::clone(&schema),
                columns: Arc::clone(&columns),
                file,
            };
            Arc::new(file) as Arc<dyn PartitionStream>
        });
        let files = files.collect();
        let scan = StreamingTableExec::try_new(schema, files, None, [], false, limit)?;
        Ok(Arc::new(scan))
    }
}

/// A file of the table.
#[derive(Debug)]
struct File {
    rows: Arc<dyn FileRows>,
    schema: SchemaRef,
    columns: Arc<[usize]>,
    file: usize,
}

impl PartitionStream for File {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.schema), WAITING);
        let (sender, rows, file) = (stream.tx(), Arc::clone(&self.rows), self.file);
        let columns = Arc::clone(&self.columns);
        let read = move || {
            // Nobody receives when enough was read.
            let mut wanted = |batch| sender.blocking_send(Ok(batch)).is_ok();
            rows.read(file, &columns, &mut wanted)?;
            Ok(())
        };
        #[cfg(test)]
        let read = {
            let fault = crate::fault::made_here();
            move || crate::fault::with_any(fault, read)
        };
        stream.spawn_blocking(read);
        stream.build()
    }
}

#[cfg(test)]
#[path = "file_table_tests.rs"]
mod tests;
