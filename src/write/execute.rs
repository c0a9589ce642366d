//! The operator that writes: `INSERT`, `REPLACE` and `DELETE` in a physical plan.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{EvaluationType, SchedulingType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, Partitioning, PlanProperties, ReplaceChildrenOptions,
    SendableRecordBatchStream, execute_stream,
};
use futures::TryStreamExt;

use super::progress::Progress;
use super::wanted::Waiter;
use super::{Change, TableWriter, WriteSet, WriteSettings};
use crate::error::{Error, Result};
use crate::store::Snapshot;

/// Gives a DELETE the context in which it looks for its rows, at the moment at which it has claimed the table: no other
/// writer changes a row from then on.
pub type Refresh = Arc<dyn Fn(Arc<dyn Snapshot>) -> Result<Arc<TaskContext>> + Send + Sync>;

/// Writes the rows of its input to a table when it is executed, and returns one row: `count`, the number of rows.
///
/// The rows of an input of one partition are written in its order, so that of two rows with one key REPLACE keeps the
/// later one; the optimizer sees to it that an INSERT has such an input.
pub struct WriteExec {
    input: Arc<dyn ExecutionPlan>,
    writer: Arc<TableWriter>,
    change: Change,
    settings: WriteSettings,
    refresh: Option<Refresh>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl WriteExec {
    /// `INSERT` and `REPLACE` of rows whose columns are the table's: what `TableProvider::insert_into` returns.
    ///
    /// # Errors
    /// `NotSupported` for INSERT OVERWRITE.
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
        Ok(Self::new(writer, input, change, settings, None))
    }

    /// `DELETE` of the rows of `input`, which gives, by name, at least the columns that the row key is computed from.
    /// It is executed under the table's lock in the context that `refresh` returns.
    ///
    /// # Errors
    /// `Internal` where such a column is missing.
    pub fn delete(
        writer: Arc<TableWriter>,
        input: Arc<dyn ExecutionPlan>,
        settings: WriteSettings,
        refresh: Refresh,
    ) -> Result<Self> {
        let table = writer.table();
        for source in table.key_sources() {
            let name = &table.column(*source)?.name;
            if input.schema().index_of(name).is_err() {
                return Err(Error::internal(format!(
                    "DELETE FROM `{}` lacks the column `{name}`",
                    table.name()
                )));
            }
        }
        Ok(Self::new(
            writer,
            input,
            Change::Delete,
            settings,
            Some(refresh),
        ))
    }

    fn new(
        writer: Arc<TableWriter>,
        input: Arc<dyn ExecutionPlan>,
        change: Change,
        settings: WriteSettings,
        refresh: Option<Refresh>,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(count_schema()),
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        )
        .with_scheduling_type(SchedulingType::Cooperative)
        .with_evaluation_type(EvaluationType::Eager);
        Self {
            input,
            writer,
            change,
            settings,
            refresh,
            metrics: ExecutionPlanMetricsSet::new(),
            properties: Arc::new(properties),
        }
    }

    fn run(&self) -> Execution {
        Execution {
            writer: Arc::clone(&self.writer),
            input: Arc::clone(&self.input),
            change: self.change,
            settings: self.settings,
            refresh: self.refresh.clone(),
        }
    }
}

/// One execution.
struct Execution {
    writer: Arc<TableWriter>,
    input: Arc<dyn ExecutionPlan>,
    change: Change,
    settings: WriteSettings,
    refresh: Option<Refresh>,
}

impl Execution {
    async fn write(self, context: Arc<TaskContext>) -> DataFusionResult<u64> {
        let mut write_set = self.writer.write_set(self.change, self.settings, "row")?;
        if let Some(progress) = context.session_config().get_extension::<Progress>() {
            write_set.report_to(progress.as_ref().clone());
        }
        match &self.refresh {
            None => {
                let write_set = self.gather(write_set, context).await?;
                let guard = self.writer.lock().acquire().await;
                commit(write_set, guard).await
            }
            Some(refresh) => {
                let guard = self.writer.lock().acquire().await;
                guard.check(self.writer.table().name())?;
                let begun = blocking(move || Ok((write_set.begin()?, write_set)));
                let (snapshot, write_set) = begun.await?;
                let write_set = self.gather(write_set, refresh(snapshot)?).await?;
                commit(write_set, guard).await
            }
        }
    }

    async fn gather(
        &self,
        mut write_set: WriteSet,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<WriteSet> {
        // All partitions: a DELETE's scan has several, and no rule of the optimizer sees it below this operator.
        let mut rows = execute_stream(Arc::clone(&self.input), context)?;
        while let Some(batch) = rows.try_next().await? {
            write_set.gather(&batch)?;
            if write_set.is_full() {
                write_set = blocking(move || write_set.spill_if_full().map(|()| write_set)).await?;
            }
        }
        Ok(write_set)
    }
}

/// Checks and writes on a thread that may wait. When nobody waits for it any more it ends without writing; once it
/// makes its changes visible it goes on to the end.
///
/// # Errors
/// As [`WriteSet::commit`], inside of DataFusion's error.
pub async fn commit(mut write_set: WriteSet, guard: super::TableGuard) -> DataFusionResult<u64> {
    let waiter = Waiter::default();
    write_set.stop_with(waiter.waiting());
    let count = blocking(move || write_set.commit(&guard)).await?;
    drop(waiter);
    Ok(count)
}

/// Runs what blocks on a thread that may wait.
async fn blocking<T: Send + 'static>(
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
            .field("table", &self.writer.table().name())
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for WriteExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match format {
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "{}: table={}", self.name(), self.writer.table().name())
            }
            DisplayFormatType::TreeRender => write!(f, "table={}", self.writer.table().name()),
        }
    }
}

impl ExecutionPlan for WriteExec {
    fn name(&self) -> &'static str {
        match self.change {
            Change::Insert => "InsertExec",
            Change::Replace => "ReplaceExec",
            Change::Delete => "DeleteExec",
        }
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let [input] = children.as_slice() else {
            return Err(
                Error::internal(format!("{} inputs of {}", children.len(), self.name())).into(),
            );
        };
        Ok(Arc::new(Self::new(
            Arc::clone(&self.writer),
            Arc::clone(input),
            self.change,
            self.settings,
            self.refresh.clone(),
        )))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.replace_children(
            children,
            ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
        )
    }

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
        let run = self.run();
        let stream = futures::stream::once(async move {
            let count = run.write(context).await?;
            rows_written.add(usize::try_from(count).unwrap_or(usize::MAX));
            Ok(RecordBatch::try_new(
                count_schema(),
                vec![Arc::new(UInt64Array::from(vec![count]))],
            )?)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            count_schema(),
            stream,
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
