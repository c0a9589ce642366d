//! New rows, each beside the row that is stored under its key: what INSERT … ON CONFLICT decides by.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use datafusion::common::Result as DataFusionResult;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties, SendableRecordBatchStream,
};
use futures::TryStreamExt;

use super::conflict::{Conflict, Identity, Origin};
use super::execute::blocking;
use super::stored::StoredRows;
use super::{Change, TableWriter};
use crate::error::{Error, Result};
use crate::operator::{in_order_of_input, one_input};
use crate::row::{EncodedRows, RowReader, RowSnapshot, RowWriter};
use crate::store::{Chunk, Snapshot};

/// The moment at which a statement has claimed its table, in the settings of its session: what it finds there stays so
/// until it writes.
#[derive(Debug)]
pub struct ClaimedRows(pub Arc<dyn Snapshot>);

/// What a row must be that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sought {
    /// One that can be stored as it is.
    Row,
    /// One that has a key: the rest may come from the stored row.
    Key,
}

/// Looks up the row of each key of its input, whose columns are those of the table. It gives the columns of the stored row,
/// NULL where there is none, those of the new row, and whether there is a stored one.
pub struct LookupExec {
    input: Arc<dyn ExecutionPlan>,
    writer: Arc<TableWriter>,
    sought: Sought,
    properties: Arc<PlanProperties>,
}

impl LookupExec {
    /// The look-up of rows of `writer`'s table; its columns are those of `schema`.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        writer: Arc<TableWriter>,
        sought: Sought,
        schema: SchemaRef,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Self {
            input,
            writer,
            sought,
            properties: Arc::new(properties),
        }
    }
}

/// One execution.
pub struct Lookup {
    rows: RowWriter,
    sought: Sought,
    reader: RowReader,
    identity: Identity,
    stored: StoredRows,
    schema: SchemaRef,
    /// How many rows came before.
    count: u64,
}

impl Lookup {
    /// Looks up rows of `writer`'s table at the moment at which it was claimed; what it gives has the columns of `schema`.
    ///
    /// # Errors
    /// Those of [`TableWriter::rows`].
    pub fn new(
        writer: &TableWriter,
        claimed: Arc<dyn Snapshot>,
        sought: Sought,
        schema: SchemaRef,
    ) -> Result<Self> {
        let table = writer.table();
        Ok(Self {
            rows: writer.rows()?,
            sought,
            reader: RowReader::new(Arc::clone(table)),
            identity: Identity::new(table),
            stored: StoredRows::new(RowSnapshot::of(claimed, table.spaces())),
            schema,
            count: 0,
        })
    }

    /// The rows of a batch, whose columns are those of the table, each beside the one that is stored under its key.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored; `Conflict` where hashes of different values collide; those of
    /// the store.
    pub fn look_up(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let count = self.count;
        let label = move |row: usize| format!("row {}", count + row as u64 + 1);
        let encoded = match self.sought {
            Sought::Row => self.rows.encode(batch),
            Sought::Key => self.rows.encode_keys_of_rows(batch),
        };
        let encoded = encoded.map_err(|error| error.placed(label))?;
        let (found, places) = self.stored_rows(&encoded)?;
        if let Some(conflict) = self.collision(&encoded, &found, &places)? {
            let label = |number| format!("row {number}");
            return Err(conflict.error(self.rows.table(), Change::Insert, label)?);
        }
        let columns: Vec<usize> = (0..self.rows.table().columns().len()).collect();
        let old = self.reader.read(&found, &columns, None)?;
        let places = UInt64Array::from(places);
        let old = old
            .columns()
            .iter()
            .map(|column| take(column, &places, None));
        let mut columns = old
            .collect::<Result<Vec<ArrayRef>, ArrowError>>()
            .map_err(failed)?;
        columns.extend(batch.columns().iter().cloned());
        let is_there: BooleanArray = places.iter().map(|place| Some(place.is_some())).collect();
        columns.push(Arc::new(is_there));
        self.count += batch.num_rows() as u64;
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(failed)
    }

    /// The stored rows, and for each row of the batch the place of its own.
    fn stored_rows(&mut self, rows: &EncodedRows) -> Result<(Chunk, Vec<Option<u64>>)> {
        let keys: Vec<&[u8]> = rows.iter().map(|row| row.key).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let stored = self.stored.get_sorted(&sorted)?;
        let mut found = Chunk::new();
        let mut place = 0;
        let places: Vec<Option<u64>> = sorted
            .iter()
            .zip(stored)
            .map(|(key, value)| {
                let value = value?;
                found.push(key, &value);
                place += 1;
                Some(place - 1)
            })
            .collect();
        let place_of = |key| {
            let at = sorted.binary_search(&key).ok()?;
            places.get(at).copied().flatten()
        };
        Ok((found, keys.into_iter().map(place_of).collect()))
    }

    /// The first row that has the key of a stored one and is another.
    fn collision(
        &self,
        rows: &EncodedRows,
        found: &Chunk,
        places: &[Option<u64>],
    ) -> Result<Option<Conflict>> {
        if self.identity.is_key() {
            return Ok(None);
        }
        let stored = |place: Option<u64>| found.get(usize::try_from(place?).ok()?);
        let met = rows.iter().zip(places);
        let met: Vec<_> = met
            .filter_map(|(row, place)| Some((row, stored(*place)?.1)))
            .collect();
        let pairs: Vec<_> = met
            .iter()
            .map(|(row, stored)| (row.key, *stored, row.value))
            .collect();
        let differ = self.identity.differ(&pairs)?;
        let first = met.iter().zip(differ).find(|(_, differs)| *differs);
        Ok(first.map(|((row, stored), _)| {
            let given = Origin::Given(self.count + row.row as u64 + 1);
            Conflict::new(row.key, [(stored, Origin::Stored), (row.value, given)])
        }))
    }
}

fn failed(error: ArrowError) -> Error {
    Error::internal("rows beside those that are stored").with_source(error)
}

impl fmt::Debug for LookupExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.name())
            .field("table", &self.writer.table().name())
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for LookupExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.writer.table().name();
        match format {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "{}: table={table}", self.name())
            }
            DisplayFormatType::TreeRender => write!(f, "table={table}"),
        }
    }
}

impl ExecutionPlan for LookupExec {
    fn name(&self) -> &'static str {
        "LookupExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    in_order_of_input!();

    one_input!(input, |node, input| Ok(Arc::new(Self::new(
        input,
        Arc::clone(&node.writer),
        node.sought,
        node.schema(),
    ))));

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let claimed = context.session_config().get_extension::<ClaimedRows>();
        let claimed = claimed.ok_or_else(|| Error::internal("a look-up without a claim"))?;
        let lookup = Lookup::new(
            &self.writer,
            Arc::clone(&claimed.0),
            self.sought,
            self.schema(),
        )?;
        let input = self.input.execute(partition, context)?;
        let beside =
            futures::stream::try_unfold((input, lookup), |(mut input, mut lookup)| async move {
                let Some(batch) = input.try_next().await? else {
                    return Ok(None);
                };
                let looked = blocking(move || Ok((lookup.look_up(&batch)?, lookup)));
                let (found, lookup) = looked.await?;
                Ok(Some((found, (input, lookup))))
            });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            beside,
        )))
    }
}
