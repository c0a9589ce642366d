//! The leaf of a plan that reads keys.

use std::fmt;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::equivalence::EquivalenceProperties;
use datafusion::physical_expr::{Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use tokio::sync::mpsc::Sender;

use super::wanted::Wanted;
use crate::row::RowSnapshot;
use crate::scan::{Counters, StatementSnapshot, refuse_if_gone};
use crate::schema::{BoundTable, FamilySet};
use crate::span::SpanRow;
use crate::store::{
    Chunk, ChunkLimit, Direction, ReadRequest, Reader, Snapshot, Store, Tally, Work,
};

/// Reads keys of a table or of a key space, in their order.
#[derive(Debug)]
pub struct KeysExec {
    reading: Reading,
    store: Arc<dyn Store>,
    wanted: Wanted,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// What the rows that are read are made into.
pub(super) trait Shown: fmt::Debug + Send + Sync {
    /// The name of the table, or of the key space.
    fn name(&self) -> &str;

    /// The table, or one of the key space.
    fn table(&self) -> &Arc<BoundTable>;

    /// The columns at these positions.
    fn columns(&self, chunk: &Chunk, projection: &[usize]) -> crate::error::Result<Vec<ArrayRef>>;
}

/// What is made of the keys that are read.
#[derive(Debug, Clone)]
struct Reading {
    shown: Arc<dyn Shown>,
    schema: SchemaRef,
    /// The columns by position.
    projection: Vec<usize>,
    /// The most keys.
    fetch: Option<usize>,
}

impl KeysExec {
    /// The wanted keys, as columns of `schema`.
    ///
    /// # Errors
    /// A projection of columns that are not there.
    pub(super) fn new(
        shown: Arc<dyn Shown>,
        store: Arc<dyn Store>,
        wanted: Wanted,
        schema: &Schema,
        projection: Vec<usize>,
        fetch: Option<usize>,
    ) -> Result<Self> {
        let schema = Arc::new(schema.project(&projection)?);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            reading: Reading {
                shown,
                schema,
                projection,
                fetch,
            },
            store,
            wanted,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The name of the table, or of the key space.
    pub fn name_of_keys(&self) -> &str {
        self.reading.shown.name()
    }

    /// The store that is read.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The table whose keys are read.
    pub fn table(&self) -> &BoundTable {
        self.reading.shown.table()
    }

    /// The space that is read.
    pub fn space(&self) -> &str {
        self.reading.shown.table().space()
    }

    /// The conjuncts that the key ranges do not prove, each with the reason.
    pub fn residual_texts(&self) -> &[String] {
        self.wanted.residual()
    }

    /// The rows of `EXPLAIN KEYS`, one for each key range.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn explain_keys(&self) -> crate::error::Result<Vec<SpanRow>> {
        self.wanted.explain()
    }
}

impl ExecutionPlan for KeysExec {
    fn name(&self) -> &str {
        "KeysExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    #[allow(deprecated)]
    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            Ok(self)
        } else {
            internal_err!("KeysExec has no children")
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut builder = RecordBatchReceiverStream::builder(self.schema(), 2);
        let latency = self.store.capabilities().latency;
        let counters = Counters::new(&self.metrics, partition, latency);
        let statement = StatementSnapshot::of(&context, &self.store);
        let (reading, works) = (self.reading.clone(), self.wanted.works.clone());
        let (store, out) = (Arc::clone(&self.store), builder.tx());
        builder.spawn_blocking(move || {
            let snapshot = match statement {
                Some(snapshot) => snapshot,
                None => store.snapshot()?,
            };
            reading.read(snapshot, works, &counters, &out)
        });
        Ok(builder.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

impl DisplayAs for KeysExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeysExec: table={}", self.name_of_keys())?;
        for work in &self.wanted.works {
            match work {
                Work::Points(keys) => write!(f, ", points={}", keys.len())?,
                Work::Ranges(ranges) => write!(f, ", ranges={}", ranges.ranges().len())?,
                Work::Walk(_) => f.write_str(", walk")?,
            }
        }
        match self.reading.fetch {
            Some(fetch) => write!(f, ", fetch={fetch}"),
            None => Ok(()),
        }
    }
}

impl Reading {
    /// Reads on until the end, or until nobody listens.
    fn read(
        &self,
        snapshot: Arc<dyn Snapshot>,
        works: Vec<Work>,
        counters: &Counters,
        out: &Sender<Result<RecordBatch>>,
    ) -> Result<()> {
        refuse_if_gone(self.shown.table(), snapshot.as_ref())?;
        let rows = RowSnapshot::of(snapshot, self.shown.table().spaces());
        let mut left = self.fetch.unwrap_or(usize::MAX);
        for work in works {
            let request =
                ReadRequest::new(self.shown.table().shared_space(), work, Direction::Forward);
            let request = match self.fetch {
                Some(_) => request.with_fetch(left),
                None => request,
            };
            // Any family has all keys.
            let mut reader = rows.read_families(request, FamilySet::default())?;
            if !self.read_run(reader.as_mut(), &mut left, counters, out)? {
                break;
            }
        }
        Ok(())
    }

    /// Reads the keys of one run; whether more are wanted.
    fn read_run(
        &self,
        reader: &mut dyn Reader,
        left: &mut usize,
        counters: &Counters,
        out: &Sender<Result<RecordBatch>>,
    ) -> Result<bool> {
        let (mut chunk, mut counted) = (Chunk::default(), Tally::default());
        while *left > 0 && !out.is_closed() {
            chunk.clear();
            let limit = ChunkLimit::default();
            let limit = ChunkLimit {
                entries: limit.entries.min(*left),
                ..limit
            };
            let filled = reader.fill(&mut chunk, limit);
            let tally = reader.tally();
            counters.add(tally.since(counted), chunk.len());
            counted = tally;
            *left -= chunk.len();
            if !chunk.is_empty() && out.blocking_send(Ok(self.batch(&chunk)?)).is_err() {
                return Ok(false);
            }
            if !filled? {
                return Ok(*left > 0);
            }
        }
        Ok(false)
    }

    fn batch(&self, chunk: &Chunk) -> Result<RecordBatch> {
        let arrays = self.shown.columns(chunk, &self.projection)?;
        let options = RecordBatchOptions::new().with_row_count(Some(chunk.len()));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(schema, arrays, &options)?)
    }
}
