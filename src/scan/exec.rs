//! The leaf of a physical plan that reads a table.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
    SortOrderPushdownResult,
};

use super::metrics::Counters;
use super::run::{Cancelled, Source};
use super::snapshot::NodeSnapshot;
use super::stream::{self, PartitionScan};
use super::{
    KeyOrder, ResidualFilter, ScanRequest, display, external, partition, properties, statistics,
};
use crate::keyrange::{KeyRange, prefix_successor};
use crate::schema::BoundTable;
use crate::span::{Run, SpanRow, Work};
use crate::store::{Direction, Store};

/// A scan of at most so many keys is made where its rows are asked for, without a thread.
const INLINE_POINTS: usize = 4;

/// Reads the rows of a [`ScanRequest`] from a store.
#[derive(Debug)]
pub struct ScanExec {
    request: ScanRequest,
    store: Arc<dyn Store>,
    partitions: Arc<Vec<Vec<Run>>>,
    order: Arc<KeyOrder>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    snapshot: NodeSnapshot,
}

impl ScanExec {
    /// A scan in at most `target_partitions` partitions.
    ///
    /// # Errors
    /// A projection or filter of columns that the table does not have.
    pub fn new(
        request: ScanRequest,
        store: Arc<dyn Store>,
        target_partitions: usize,
    ) -> Result<Self> {
        let key = request.table.row_key();
        let order = KeyOrder::new(key, request.spans.constants()).map_err(external)?;
        let partitions = partition::deal(request.spans.runs(), target_partitions);
        let mut scan = Self::with_parts(request, store, Arc::new(partitions), Arc::new(order))?;
        // An order that the output does not show is not worth a merge. One that it once showed stays with the request.
        scan.request.in_order &= scan.properties.output_ordering().is_some();
        Ok(scan)
    }

    fn with_parts(
        request: ScanRequest,
        store: Arc<dyn Store>,
        partitions: Arc<Vec<Vec<Run>>>,
        order: Arc<KeyOrder>,
    ) -> Result<Self> {
        let properties = properties::of_request(&request, &order, partitions.len())?;
        Ok(Self {
            request,
            store,
            partitions,
            order,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            snapshot: NodeSnapshot::default(),
        })
    }

    /// The scan of the same spans for a request that differs in anything else.
    fn with_request(&self, request: ScanRequest) -> Result<Self> {
        Self::with_parts(
            request,
            Arc::clone(&self.store),
            Arc::clone(&self.partitions),
            Arc::clone(&self.order),
        )
    }

    /// What it reads.
    pub fn request(&self) -> &ScanRequest {
        &self.request
    }

    /// The table that it reads.
    pub fn table(&self) -> &Arc<BoundTable> {
        &self.request.table
    }

    /// The rows of `EXPLAIN KEYS`, one for each key range.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn explain_keys(&self) -> crate::error::Result<Vec<SpanRow>> {
        self.request.spans.explain(self.request.table.row_key())
    }

    /// The conditions that the spans do not prove, each with the reason; none: the spans are tight.
    pub fn residual_texts(&self) -> Vec<String> {
        let residual = self.request.residual.iter();
        residual.map(|residual| residual.text.clone()).collect()
    }

    /// The store that it reads.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Whether no run is a walk, which goes forward only.
    fn is_reversible(&self) -> bool {
        self.request.listed_ranges().is_some()
    }

    /// A filter over the output's columns as one over the table's; `None` if a column is not one of the output.
    fn over_table(&self, filter: &Arc<dyn PhysicalExpr>) -> Result<Option<Arc<dyn PhysicalExpr>>> {
        let mut is_known = true;
        let columns = self.request.table.columns();
        let over_table = Arc::clone(filter).transform_down(|expression| {
            let Some(column) = expression.downcast_ref::<Column>() else {
                return Ok(Transformed::no(expression));
            };
            let position = self.request.projection.get(column.index());
            match position.and_then(|position| Some((*position, columns.get(*position)?))) {
                Some((position, named)) => Ok(Transformed::yes(Arc::new(Column::new(
                    &named.name,
                    position,
                )))),
                None => {
                    is_known = false;
                    Ok(Transformed::no(expression))
                }
            }
        })?;
        Ok(is_known.then_some(over_table.data))
    }
}

impl ScanExec {
    /// Whether `filter` looks at something that changes while the plan runs.
    fn is_dynamic(filter: &Arc<dyn PhysicalExpr>) -> Result<bool> {
        filter.exists(|expression| Ok(expression.is::<DynamicFilterPhysicalExpr>()))
    }

    /// Whether the partition reads nothing but a few single keys.
    fn is_brief(&self, runs: &[Run]) -> bool {
        let ranges = |run: &Run| match &run.work {
            Work::Ranges(ranges) => ranges.ranges().len(),
            Work::Walk(_) => usize::MAX,
        };
        let is_point = |range: &KeyRange| {
            let key = range.start();
            range.stop() == prefix_successor(key).as_deref()
                && self.request.table.row_key().decode(key).is_ok()
        };
        let count = runs.iter().map(ranges).fold(0, usize::saturating_add);
        count <= INLINE_POINTS
            && runs.iter().all(|run| match &run.work {
                Work::Ranges(ranges) => ranges.ranges().iter().all(is_point),
                Work::Walk(_) => false,
            })
    }

    fn partition_scan(
        &self,
        partition: usize,
        runs: &[Run],
        context: &TaskContext,
    ) -> Result<PartitionScan> {
        let partitions = self.partitions.len();
        let snapshot = self
            .snapshot
            .for_partition(&self.store, partition, partitions, context);
        let source = Source {
            snapshot: snapshot.map_err(external)?,
            space: self.request.table.space().into(),
            direction: self.request.direction,
            counters: Counters::new(&self.metrics, partition),
            cancelled: Cancelled::default(),
        };
        let batch_size = context.session_config().batch_size();
        PartitionScan::new(
            &self.request,
            self.schema(),
            runs.to_vec(),
            &self.order,
            source,
            batch_size,
        )
    }
}

impl ExecutionPlan for ScanExec {
    fn name(&self) -> &str {
        "ScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    /// Joins, top-k and min/max fill their dynamic filters only where they see that somebody looks at them.
    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for filter in self.request.filters() {
            if f(filter)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    #[allow(deprecated)]
    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("ScanExec has no children"),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let Some(runs) = self.partitions.get(partition) else {
            return internal_err!(
                "partition {partition} of a scan that has {}",
                self.partitions.len()
            );
        };
        let scan = self.partition_scan(partition, runs, &context)?;
        Ok(match self.is_brief(runs) {
            true => stream::inline(self.schema(), scan),
            false => stream::in_thread(self.schema(), scan),
        })
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let runs = match args.partition() {
            None => self.request.spans.runs(),
            Some(partition) => self
                .partitions
                .get(partition)
                .map_or(&[][..], Vec::as_slice),
        };
        Ok(Arc::new(statistics::estimate(
            &self.request,
            &self.store,
            runs,
        )))
    }

    /// A leaf has nobody to pass a limit on to: it takes it itself, in [`ExecutionPlan::with_fetch`].
    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let mut request = self.request.clone();
        request.fetch = limit;
        Some(Arc::new(self.with_request(request).ok()?))
    }

    fn fetch(&self) -> Option<usize> {
        self.request.fetch
    }

    /// Takes a choice of columns, each once and under its own name.
    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let mut request = self.request.clone();
        request.projection.clear();
        for chosen in projection.expr() {
            let column = chosen.expr.downcast_ref::<Column>();
            let Some(position) = column
                .filter(|column| column.name() == chosen.alias)
                .and_then(|column| self.request.projection.get(column.index()))
                .filter(|position| !request.projection.contains(position))
            else {
                return Ok(None);
            };
            request.projection.push(*position);
        }
        Ok(Some(Arc::new(self.with_request(request)?)))
    }

    /// Takes every filter over its columns. A limit that is there already comes before the filter, so that nothing can
    /// be taken then.
    fn handle_child_pushdown_result(
        &self,
        _phase: FilterPushdownPhase,
        results: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let mut request = self.request.clone();
        let mut answers = Vec::with_capacity(results.parent_filters.len());
        for parent in &results.parent_filters {
            let over_table = match request.fetch.is_none() && !is_volatile(&parent.filter) {
                true => self.over_table(&parent.filter)?,
                false => None,
            };
            answers.push(match over_table {
                None => PushedDown::No,
                Some(filter) if Self::is_dynamic(&filter)? => {
                    request.dynamic.push(filter);
                    PushedDown::No
                }
                Some(condition) => {
                    let text = format!("{condition} (known only while the plan runs)");
                    request.residual.push(ResidualFilter { condition, text });
                    PushedDown::Yes
                }
            });
        }
        let has_more = request.filters().count() > self.request.filters().count();
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        Ok(match has_more {
            true => propagation.with_updated_node(Arc::new(self.with_request(request)?)),
            false => propagation,
        })
    }

    /// Keys are in order as they are, or in the reverse order if they are read backward. A limit is kept from being
    /// turned round: it was set for the rows of this direction.
    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        let mut request = self.request.clone();
        request.in_order = true;
        let mut candidates = vec![request.clone()];
        if self.is_reversible() && request.fetch.is_none() {
            request.direction = match request.direction {
                Direction::Forward => Direction::Backward,
                Direction::Backward => Direction::Forward,
            };
            candidates.push(request);
        }
        for candidate in candidates {
            let scan = self.with_request(candidate)?;
            let equivalences = scan.properties.equivalence_properties();
            if equivalences.ordering_satisfy(order.iter().cloned())? {
                let inner = Arc::new(scan) as Arc<dyn ExecutionPlan>;
                return Ok(SortOrderPushdownResult::Exact { inner });
            }
        }
        Ok(SortOrderPushdownResult::Unsupported)
    }
}

impl DisplayAs for ScanExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::fmt(&self.request, format, f)
    }
}

#[cfg(test)]
#[path = "exec_tests.rs"]
mod tests;
