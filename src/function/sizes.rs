//! `halite_tables()`: the tables of a database with about how large they are. No row is read for it.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;

use super::List;
use crate::error::Error;
use crate::row::approximate_rows;
use crate::schema::BoundTable;
use crate::store::Store;

/// The table function.
pub(super) struct Sizes {
    list: List,
    schema: SchemaRef,
}

impl Sizes {
    pub(super) fn new(list: List) -> Self {
        let fields = [
            Field::new("table", DataType::Utf8, false),
            Field::new("row_key", DataType::Utf8, false),
            Field::new("columns", DataType::Int64, false),
            Field::new("rows", DataType::Int64, true),
            Field::new("bytes", DataType::Int64, true),
        ];
        let schema = Arc::new(Schema::new(fields.to_vec()));
        Self { list, schema }
    }
}

impl std::fmt::Debug for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("halite_tables")
    }
}

impl TableFunctionImpl for Sizes {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !arguments.exprs().is_empty() {
            return plan_err!("halite_tables takes no arguments, as in halite_tables()");
        }
        let stream = Arc::new(Estimates {
            list: Arc::clone(&self.list),
            schema: Arc::clone(&self.schema),
        });
        let schema = Arc::clone(&self.schema);
        Ok(Arc::new(StreamingTable::try_new(schema, vec![stream])?))
    }
}

/// The estimates of the moment at which they are asked for.
struct Estimates {
    list: List,
    schema: SchemaRef,
}

impl std::fmt::Debug for Estimates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("halite_tables")
    }
}

impl Estimates {
    fn batch(&self) -> Result<RecordBatch, Error> {
        let tables = (self.list)();
        let column = |value: &dyn Fn(&BoundTable) -> String| -> ArrayRef {
            let values = tables.iter().map(|(table, _)| Some(value(table)));
            Arc::new(values.collect::<StringArray>())
        };
        let columns = tables.iter();
        let columns = columns.map(|(table, _)| i64::try_from(table.columns().len()).ok());
        let estimates = tables.iter().map(|(table, store)| estimate(table, store));
        let (rows, bytes): (Vec<Option<i64>>, Vec<Option<i64>>) = estimates.unzip();
        let arrays: Vec<ArrayRef> = vec![
            column(&|table| table.name().to_owned()),
            column(&|table| table.table().key_clause()),
            Arc::new(columns.collect::<Int64Array>()),
            Arc::new(Int64Array::from(rows)),
            Arc::new(Int64Array::from(bytes)),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)
    }
}

/// About how many rows and bytes a table has; NULL where the store cannot say, or the table is gone meanwhile.
fn estimate(table: &BoundTable, store: &Arc<dyn Store>) -> (Option<i64>, Option<i64>) {
    let range = table.row_key().own_range();
    let spaces = table.spaces().names();
    let sizes = spaces.map(|space| store.approximate_size(space, &range).ok());
    let bytes: Option<u64> = sizes.sum();
    // Those of a key space are not told apart.
    let rows = match table.table().keyspace {
        None => approximate_rows(store.as_ref(), table.space()),
        Some(_) => None,
    };
    let number = |count: Option<u64>| count.and_then(|count| i64::try_from(count).ok());
    (number(rows), number(bytes))
}

impl PartitionStream for Estimates {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batch = self.batch().map_err(DataFusionError::from);
        let stream = futures::stream::iter([batch]);
        Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            stream,
        ))
    }
}
