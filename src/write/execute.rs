//! The operator that writes: `INSERT`, `REPLACE`, `UPDATE`, `DELETE` in a physical plan.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{EvaluationType, SchedulingType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties, SendableRecordBatchStream, execute_stream,
};
use futures::TryStreamExt;

use super::cancel::Waiter;
use super::edit::Layout;
use super::progress::Progress;
use super::returning::Returned;
use super::settle::Settled;
use super::{Change, TableGuard, TableWriter, WriteSet, WriteSettings};
use crate::error::{Error, Result};
use crate::operator::{in_order_of_input, one_input};
use crate::schema::BoundTable;
use crate::store::Snapshot;

/// Gives a statement that changes what is there the context in which it looks for its rows, at the moment at which it
/// has claimed the table: no other writer changes a row from then on.
pub type Refresh = Arc<dyn Fn(Arc<dyn Snapshot>) -> Result<Arc<TaskContext>> + Send + Sync>;

/// Writes the rows of its input to a table when it is executed, and returns one row: `count`, the number of rows; or the
/// rows of RETURNING.
///
/// The rows of an input of one partition are written in its order, so that of two rows with one key REPLACE keeps the
/// later one; the optimizer sees to it that an INSERT has such an input.
pub struct WriteExec {
    input: Arc<dyn ExecutionPlan>,
    work: Work,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

/// What becomes of the input.
#[derive(Clone)]
struct Work {
    writer: Arc<TableWriter>,
    change: Change,
    settings: WriteSettings,
    refresh: Option<Refresh>,
    /// What is in the columns of the input, where it is not the columns of the table.
    layout: Option<Layout>,
    /// The columns of RETURNING; none: the number of rows is given.
    returned: Option<SchemaRef>,
}

impl WriteExec {
    /// `INSERT` and `REPLACE` of rows whose columns are the table's: what `TableProvider::insert_into` returns.
    ///
    /// # Errors
    /// `NotSupported` for INSERT OVERWRITE; those of [`Change::check`].
    pub fn insert(
        writer: Arc<TableWriter>,
        input: Arc<dyn ExecutionPlan>,
        operation: InsertOp,
        settings: WriteSettings,
    ) -> Result<Self> {
        let change = match operation {
            InsertOp::Append => Change::Insert,
            InsertOp::Replace => Change::Replace,
            InsertOp::Overwrite => {
                return Err(Error::unsupported(format!(
                    "table `{}`: INSERT OVERWRITE is not supported; say TRUNCATE and INSERT",
                    writer.table().name()
                )));
            }
        };
        change.check(writer.table())?;
        Ok(Self::new(input, Work::new(writer, change, settings)))
    }

    /// A change of rows whose input has its columns as `layout` says; those that are given back have the names of
    /// `returned`. What looks at the rows that are there has a `refresh`: it is executed under the table's lock, in the
    /// context that this returns.
    pub fn change(
        writer: Arc<TableWriter>,
        input: Arc<dyn ExecutionPlan>,
        (change, layout): (Change, Layout),
        returned: Option<SchemaRef>,
        settings: WriteSettings,
        refresh: Option<Refresh>,
    ) -> Self {
        let work = Work {
            refresh,
            layout: Some(layout),
            returned,
            ..Work::new(writer, change, settings)
        };
        Self::new(input, work)
    }

    fn new(input: Arc<dyn ExecutionPlan>, work: Work) -> Self {
        let schema = work.returned.clone().unwrap_or_else(count_schema);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        )
        .with_scheduling_type(SchedulingType::Cooperative)
        .with_evaluation_type(EvaluationType::Eager);
        Self {
            input,
            work,
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        }
    }
}

impl Work {
    fn new(writer: Arc<TableWriter>, change: Change, settings: WriteSettings) -> Self {
        Self {
            writer,
            change,
            settings,
            refresh: None,
            layout: None,
            returned: None,
        }
    }

    fn table(&self) -> &BoundTable {
        self.writer.table()
    }

    /// Writes all rows; gives their number, and what is given back.
    async fn write(
        &self,
        input: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<(u64, Vec<RecordBatch>)> {
        let mut write_set = self.writer.write_set(self.change, self.settings, "row")?;
        if let Some(progress) = context.session_config().get_extension::<Progress>() {
            write_set.report_to(progress.as_ref().clone());
        }
        let (gathered, guard) = match &self.refresh {
            None => {
                let gathered = self.gather(write_set, input, context).await?;
                (gathered, self.writer.lock().acquire().await)
            }
            Some(refresh) => {
                let guard = self.writer.lock().acquire().await;
                guard.check(self.table().name())?;
                let begun = blocking(move || Ok((write_set.begin()?, write_set)));
                let (snapshot, write_set) = begun.await?;
                let context = refresh(snapshot)?;
                (self.gather(write_set, input, context).await?, guard)
            }
        };
        let (write_set, returned) = gathered;
        let settled = settle(write_set, guard).await?;
        let returned = returned.map(|returned| returned.finish(settled.dropped));
        Ok((settled.count, returned.transpose()?.unwrap_or_default()))
    }

    async fn gather(
        &self,
        mut write_set: WriteSet,
        input: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<(WriteSet, Option<Returned>)> {
        let returned = self.returned.clone();
        let mut returned = returned.map(|schema| Returned::new(schema, &context));
        // All partitions: a DELETE's scan has several, and no rule of the optimizer sees it below this operator.
        let mut rows = execute_stream(input, context)?;
        while let Some(batch) = rows.try_next().await? {
            self.take(&batch, &mut write_set, returned.as_mut())?;
            if write_set.is_full() {
                write_set = blocking(move || write_set.spill_if_full().map(|()| write_set)).await?;
            }
        }
        Ok((write_set, returned))
    }

    fn take(
        &self,
        batch: &RecordBatch,
        write_set: &mut WriteSet,
        returned: Option<&mut Returned>,
    ) -> DataFusionResult<()> {
        let first = write_set.count() + 1;
        write_set.take(batch, self.layout)?;
        if let (Some(returned), Some(layout)) = (returned, self.layout) {
            let (rows, numbers) = layout.returned(batch, self.table(), first)?;
            returned.add(&rows, numbers)?;
        }
        Ok(())
    }
}

/// Checks and writes on a thread that may wait. When nobody waits for it any more it ends without writing; once it
/// makes its changes visible it goes on to the end.
///
/// # Errors
/// As [`WriteSet::commit`], inside of DataFusion's error.
pub async fn commit(write_set: WriteSet, guard: TableGuard) -> DataFusionResult<u64> {
    Ok(settle(write_set, guard).await?.count)
}

/// As [`commit`], and says which rows nothing came from.
async fn settle(mut write_set: WriteSet, guard: TableGuard) -> DataFusionResult<Settled> {
    let waiter = Waiter::default();
    write_set.stop_with(waiter.waiting());
    let settle = move || {
        let settled = write_set.settle(&guard)?;
        // Whoever comes next waits for the disk beside this one.
        drop(guard);
        settled.waited()
    };
    let settled = blocking(settle).await?;
    drop(waiter);
    Ok(settled)
}

/// Runs what blocks on a thread that may wait.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> DataFusionResult<T> {
    match SpawnedTask::spawn_blocking(work).join().await {
        Ok(outcome) => outcome.map_err(DataFusionError::from),
        Err(error) => Err(Error::internal("the thread that writes has failed")
            .with_source(error)
            .into()),
    }
}

fn count_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new(
        "count",
        DataType::UInt64,
        false,
    )]))
}

impl fmt::Debug for WriteExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.name())
            .field("table", &self.work.table().name())
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for WriteExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match format {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "{}: table={}", self.name(), self.work.table().name())
            }
            DisplayFormatType::TreeRender => write!(f, "table={}", self.work.table().name()),
        }
    }
}

impl ExecutionPlan for WriteExec {
    fn name(&self) -> &'static str {
        match self.work.change {
            Change::Insert => "InsertExec",
            Change::Replace => "ReplaceExec",
            Change::Delete => "DeleteExec",
            Change::Edit(edit) => edit.operator(),
        }
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    in_order_of_input!();

    one_input!(input, |node, input| Ok(Arc::new(Self::new(
        input,
        node.work.clone()
    ))));

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        if partition != 0 {
            return Err(
                Error::internal(format!("partition {partition} of {}", self.name())).into(),
            );
        }
        let rows_written = MetricBuilder::new(&self.metrics).counter("rows_written", partition);
        let (work, input) = (self.work.clone(), Arc::clone(&self.input));
        let written = async move {
            let (count, returned) = work.write(input, context).await?;
            rows_written.add(usize::try_from(count).unwrap_or(usize::MAX));
            let batches = match work.returned {
                Some(_) => returned,
                None => vec![RecordBatch::try_new(
                    count_schema(),
                    vec![Arc::new(UInt64Array::from(vec![count]))],
                )?],
            };
            let batches = batches.into_iter().map(Ok::<_, DataFusionError>);
            Ok::<_, DataFusionError>(futures::stream::iter(batches))
        };
        let stream = futures::stream::once(written).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            stream,
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
