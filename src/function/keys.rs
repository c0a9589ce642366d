//! `keys('t')`: the stored parts and the raw row keys of a table, read while the query runs.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;
use tokio::sync::mpsc::Sender;

use super::Lookup;
use crate::datum::{Datum, to_array};
use crate::error::Error;
use crate::keyrange::KeyRange;
use crate::row::RowSnapshot;
use crate::scan::{StatementSnapshot, refuse_if_gone};
use crate::schema::BoundTable;
use crate::store::{Chunk, Snapshot, Store};

/// The table function.
pub(super) struct Keys {
    lookup: Lookup,
}

impl Keys {
    pub(super) fn new(lookup: Lookup) -> Self {
        Self { lookup }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("keys")
    }
}

impl TableFunctionImpl for Keys {
    fn call_with_args(&self, arguments: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let [Expr::Literal(ScalarValue::Utf8(Some(name)), _)] = arguments.exprs() else {
            return plan_err!("keys takes the name of a table, as in keys('cpu')");
        };
        let (table, store) = (self.lookup)(name)?;
        let stream = KeyStream::new(table, store);
        let schema = Arc::clone(&stream.schema);
        Ok(Arc::new(StreamingTable::try_new(
            schema,
            vec![Arc::new(stream)],
        )?))
    }
}

/// All keys of a table in key order.
#[derive(Debug, Clone)]
struct KeyStream {
    table: Arc<BoundTable>,
    store: Arc<dyn Store>,
    schema: SchemaRef,
}

impl KeyStream {
    /// A column for each part, named as it is declared, and `row_key`, or `row_key_` beside a part of that name.
    fn new(table: Arc<BoundTable>, store: Arc<dyn Store>) -> Self {
        let parts = table.row_key().parts().iter();
        let mut fields: Vec<Field> = parts
            .map(|part| {
                let data_type = part.transform().value_type().arrow();
                Field::new(part.expression().to_string(), data_type, part.nullable())
            })
            .collect();
        let mut name = "row_key".to_owned();
        while fields.iter().any(|field| *field.name() == name) {
            name.push('_');
        }
        fields.push(Field::new(name, DataType::Binary, false));
        Self {
            schema: Arc::new(Schema::new(fields)),
            table,
            store,
        }
    }

    /// Reads on until the end, or until nobody listens.
    fn read(&self, snapshot: Arc<dyn Snapshot>, out: &Sender<Result<RecordBatch>>) -> Result<()> {
        let rows = RowSnapshot::at(snapshot);
        rows.read_chunks(self.table.space(), &KeyRange::all(), |chunk| {
            Ok(match chunk.is_empty() {
                true => !out.is_closed(),
                false => out.blocking_send(Ok(self.batch(chunk)?)).is_ok(),
            })
        })
    }

    fn batch(&self, chunk: &Chunk) -> Result<RecordBatch> {
        let row_key = self.table.row_key();
        let mut columns: Vec<Vec<Option<Datum>>> =
            vec![Vec::with_capacity(chunk.len()); row_key.parts().len()];
        for key in chunk.keys() {
            for (column, value) in columns.iter_mut().zip(row_key.decode(key)?) {
                column.push(value);
            }
        }
        let parts = row_key.parts().iter().zip(&columns);
        let mut arrays: Vec<ArrayRef> = parts
            .map(|(part, values)| to_array(values, part.transform().value_type()))
            .collect::<Result<_, Error>>()?;
        arrays.push(Arc::new(BinaryArray::from_iter_values(chunk.keys())));
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)
    }
}

impl PartitionStream for KeyStream {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStream::builder(Arc::clone(&self.schema), 2);
        let (keys, out) = (self.clone(), builder.tx());
        let store = Arc::clone(&self.store);
        let statement = StatementSnapshot::of(&context, &store);
        builder.spawn_blocking(move || {
            let snapshot = match statement {
                Some(snapshot) => snapshot,
                None => store.snapshot()?,
            };
            refuse_if_gone(&keys.table, snapshot.as_ref())?;
            keys.read(snapshot, &out)
        });
        builder.build()
    }
}
