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
use super::open::{Moment, Share, open_share};
use super::partition::{Parallelism, Shares, is_brief};
use super::piece::Piece;
use super::runtime::key_columns;
use super::snapshot::{NodeSnapshot, StatementSnapshot};
use super::{KeyOrder, ResidualConjunct, ScanRequest, display, external, properties, statistics};
use crate::error::Error;
use crate::keyrange::KeyRange;
use crate::schema::BoundTable;
use crate::span::{Run, SpanRow, Work};
use crate::store::{Latency, Store, cut};

/// Reads the rows of a [`ScanRequest`] from a store.
#[derive(Debug)]
pub struct ScanExec {
    request: ScanRequest,
    store: Arc<dyn Store>,
    pub(super) shares: Arc<Shares>,
    pub(super) order: Arc<KeyOrder>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    snapshot: NodeSnapshot,
}

impl ScanExec {
    fn refuse_outdated(&self) -> crate::error::Result<()> {
        if self.request.is_outdated()? {
            Err(Error::conflict(format!(
                "table `{}`: after this statement was planned others wrote texts that a dictionary did not have: nothing was \
                 written, run it again",
                self.request.table.name()
            )))
        } else {
            Ok(())
        }
    }

    /// A scan in at most so many partitions, each of which gives at most as many rows as the request's limit says; where
    /// order is wanted, its first in that order. A size that the store cannot estimate counts as none, so that runs are
    /// cut elsewhere or not at all.
    ///
    /// # Errors
    /// A projection of columns that the table does not have; `Internal`.
    pub fn new(request: ScanRequest, store: Arc<dyn Store>, width: Parallelism) -> Result<Self> {
        let order = request.key_order().map_err(external)?;
        let shares = shares(&request, &store, width);
        Self::with_parts(request, store, Arc::new(shares), Arc::new(order))
    }

    fn with_parts(
        request: ScanRequest,
        store: Arc<dyn Store>,
        shares: Arc<Shares>,
        order: Arc<KeyOrder>,
    ) -> Result<Self> {
        let properties = properties::of_request(&request, &order, shares.partitions().len())?;
        Ok(Self {
            request,
            store,
            shares,
            order,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            snapshot: NodeSnapshot::default(),
        })
    }

    /// The scan of the same spans for a request that differs in anything else.
    fn with_request(&self, request: ScanRequest) -> Result<Self> {
        self.with_shares(request, Arc::clone(&self.shares))
    }

    pub(super) fn with_shares(&self, request: ScanRequest, shares: Arc<Shares>) -> Result<Self> {
        let order = if request.keeps_buckets == self.request.keeps_buckets {
            Arc::clone(&self.order)
        } else {
            Arc::new(request.key_order().map_err(external)?)
        };
        Self::with_parts(request, Arc::clone(&self.store), shares, order)
    }

    /// The shares for rows in order or for few rows: no run is cut, for what the first piece has would come first, and
    /// all that is read of the others meanwhile would have to wait.
    pub(super) fn gathered_shares(&self) -> Arc<Shares> {
        match self.shares.gathered() {
            Some(gathered) => Arc::new(gathered),
            None => Arc::clone(&self.shares),
        }
    }

    /// The same scan with no run cut, where one is: it has fewer partitions, each in the order of its keys.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn gathered(&self) -> Result<Option<Self>> {
        let gathered = self.shares.gathered().map(Arc::new);
        let scan = gathered.map(|shares| self.with_shares(self.request.clone(), shares));
        scan.transpose()
    }

    /// The same scan for other values of the parameters of its conjuncts: `bound` has the spans and the residual of these,
    /// of which this one has `own` conjuncts; all else is as the plan has settled it. `None` where a plan may differ that is
    /// made for these values: where they are read in other partitions or in another order, or a run is cut in one of both.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn for_other_values(
        &self,
        bound: ScanRequest,
        own: usize,
        width: Parallelism,
    ) -> Result<Option<Self>> {
        let mut request = self.request.clone();
        let later = request.residual.split_off(own.min(request.residual.len()));
        (request.residual, request.proven) = (bound.residual, bound.proven);
        request.residual.extend(later);
        let runs = request.spans.runs().len();
        (request.spans, request.lowered) = (bound.spans, bound.lowered);
        let order = request.key_order().map_err(external)?;
        let shares = shares(&request, &self.store, width);
        let is_alike = self.is_cut() == shares.gathered().is_some()
            && request.spans.runs().len() == runs
            && shares.partitions().len() == self.shares.partitions().len()
            && order.is_alike(&self.order);
        Ok(is_alike.then(|| Self {
            request,
            store: Arc::clone(&self.store),
            shares: Arc::new(shares),
            order: Arc::new(order),
            properties: Arc::clone(&self.properties),
            metrics: ExecutionPlanMetricsSet::new(),
            snapshot: NodeSnapshot::default(),
        }))
    }

    /// Whether a run is cut in pieces that are read side by side.
    fn is_cut(&self) -> bool {
        self.shares.gathered().is_some()
    }

    /// The request that it carries out.
    pub fn request(&self) -> &ScanRequest {
        &self.request
    }

    /// The table that it reads.
    pub fn table(&self) -> &Arc<BoundTable> {
        &self.request.table
    }

    /// The rows of `EXPLAIN KEYS`, one for each key range, and one for what narrows them at run time.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn explain_keys(&self) -> crate::error::Result<Vec<SpanRow>> {
        let table = &self.request.table;
        let mut rows = self.request.spans.explain(table.row_key())?;
        if self.request.lowered.is_some() {
            let narrowing = key_columns(table, &self.request.runtime_filters());
            let names = narrowing
                .iter()
                .filter_map(|column| table.columns().get(*column));
            let names: Vec<&str> = names.map(|column| column.name.as_str()).collect();
            rows.extend((!names.is_empty()).then(|| SpanRow::runtime(names.join(", "))));
        }
        Ok(rows)
    }

    /// The conjuncts that the spans do not prove, each with the reason; none: the spans are tight.
    pub fn residual_texts(&self) -> Vec<String> {
        let residual = self.request.residual.iter();
        residual.map(ResidualConjunct::text).collect()
    }

    /// About how many rows there are; `None` where a condition or a limit makes that a guess, or the store cannot say.
    pub fn whole_rows(&self) -> Option<usize> {
        if self.request.fetch.is_some() || self.request.filters().next().is_some() {
            return None;
        }
        let runs: Vec<&Run> = self.request.spans.runs().iter().collect();
        let estimated = statistics::estimate(&self.request, &self.store, &runs);
        estimated.num_rows.get_value().copied()
    }

    /// About how many rows there are, as far as the store can say.
    pub fn expected_rows(&self) -> Option<usize> {
        let runs: Vec<&Run> = self.request.spans.runs().iter().collect();
        let estimated = statistics::estimate(&self.request, &self.store, &runs);
        estimated.num_rows.get_value().copied()
    }

    /// The store that it reads.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// A filter over the output's columns as one over the table's; `None` if a column is not one of the output.
    pub(super) fn over_table(
        &self,
        filter: &Arc<dyn PhysicalExpr>,
    ) -> Result<Option<Arc<dyn PhysicalExpr>>> {
        let mut is_known = true;
        let columns = self.request.table.all_columns();
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
        if children.is_empty() {
            Ok(self)
        } else {
            internal_err!("ScanExec has no children")
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let partitions = self.shares.partitions();
        let Some(pieces) = partitions.get(partition) else {
            return internal_err!(
                "partition {partition} of a scan that has {}",
                partitions.len()
            );
        };
        let (count, latency) = (partitions.len(), self.store.capabilities().latency);
        let snapshot = self
            .snapshot
            .for_partition(&self.store, partition, count, &context);
        // Whoever has a statement's moment has seen to it.
        if !StatementSnapshot::is_in(&context) {
            self.refuse_outdated().map_err(external)?;
        }
        let moment = Moment {
            snapshot: snapshot.map_err(external)?,
            latency,
            batch_size: context.session_config().batch_size(),
        };
        let share = Share {
            pieces: pieces.clone(),
            cut: self.order.cut,
            counters: Some(Counters::new(&self.metrics, partition, latency)),
        };
        let opened = open_share(&self.request, self.schema(), share, moment)?;
        Ok(opened.into_stream())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let runs: Vec<&Run> = match args.partition() {
            None => self.request.spans.runs().iter().collect(),
            Some(partition) => {
                let pieces = self.shares.partitions().get(partition);
                pieces
                    .into_iter()
                    .flatten()
                    .map(|piece| &piece.run)
                    .collect()
            }
        };
        Ok(Arc::new(statistics::estimate(
            &self.request,
            &self.store,
            &runs,
        )))
    }

    /// A leaf has no child to push a limit to: it takes it itself, in [`ExecutionPlan::with_fetch`].
    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let mut request = self.request.clone();
        let has_less = self.request.fetch.is_some_and(|fetch| Some(fetch) <= limit);
        request.fetch = limit;
        // A limit that comes later may be one of rows in order.
        let shares = if limit.is_none() || has_less {
            Arc::clone(&self.shares)
        } else {
            self.gathered_shares()
        };
        Some(Arc::new(self.with_shares(request, shares).ok()?))
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

    /// Takes every filter over its columns. A limit that is there already comes before the filter, and so does the choice of
    /// first rows, so that nothing can be taken then.
    fn handle_child_pushdown_result(
        &self,
        _phase: FilterPushdownPhase,
        results: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let mut request = self.request.clone();
        let mut answers = Vec::with_capacity(results.parent_filters.len());
        for parent in &results.parent_filters {
            let over_table = if request.takes_filters() && !is_volatile(&parent.filter) {
                self.over_table(&parent.filter)?
            } else {
                None
            };
            answers.push(match over_table {
                None => PushedDown::No,
                Some(filter) if Self::is_dynamic(&filter)? => {
                    request.dynamic.push(filter);
                    PushedDown::No
                }
                Some(expression) => {
                    request.residual.push(ResidualConjunct {
                        expression,
                        written: None,
                        reason: "came when the key ranges were planned already".to_owned(),
                    });
                    PushedDown::Yes
                }
            });
        }
        let has_more = request.filters().count() > self.request.filters().count();
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answers);
        Ok(if has_more {
            propagation.with_updated_node(Arc::new(self.with_request(request)?))
        } else {
            propagation
        })
    }

    /// Keys are in order as they are, or in the reverse order if they are read backward. A limit is kept from being
    /// turned round, and so are the first rows of groups: they are those of this direction.
    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        let mut request = self.request.clone();
        request.in_order = true;
        request.nulls_first = properties::absent_nulls(&request, order);
        let mut candidates = vec![request.clone()];
        if request.takes_filters() {
            request.direction = request.direction.reversed();
            candidates.push(request);
        }
        candidates.extend(by_bucket(&candidates));
        for candidate in candidates {
            let scan = self.with_shares(candidate, self.gathered_shares())?;
            let equivalences = scan.properties.equivalence_properties();
            if equivalences.ordering_satisfy(order.iter().cloned())? {
                let inner = Arc::new(scan) as Arc<dyn ExecutionPlan>;
                return Ok(SortOrderPushdownResult::Exact { inner });
            }
        }
        Ok(SortOrderPushdownResult::Unsupported)
    }
}

/// Whether all scans of a plan may read a moment that is later than the plan; asked when that moment is taken.
///
/// # Errors
/// `Conflict` where one was planned with a text that a dictionary has got since.
pub fn refuse_if_outdated(plan: &Arc<dyn ExecutionPlan>) -> crate::error::Result<()> {
    match plan.downcast_ref::<ScanExec>() {
        Some(scan) => scan.refuse_outdated(),
        None => plan.children().into_iter().try_for_each(refuse_if_outdated),
    }
}

impl DisplayAs for ScanExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self
            .shares
            .gathered()
            .map(|_| self.shares.partitions().len());
        display::fmt(&self.request, pieces, format, f)
    }
}

/// The same scans with the bucket first in the order of their rows, where it leads the key and a query can name it. A
/// limit that is there already was set for merged rows.
fn by_bucket(candidates: &[ScanRequest]) -> Vec<ScanRequest> {
    let has_name = |request: &&ScanRequest| {
        let bucket = request.table.row_key().bucket_part();
        let spellings = bucket.and_then(|bucket| request.part_expressions.get(bucket));
        spellings.is_some_and(|spellings| !spellings.is_empty()) && request.fetch.is_none()
    };
    let named = candidates.iter().filter(has_name);
    named
        .map(|request| ScanRequest {
            keeps_buckets: true,
            ..request.clone()
        })
        .collect()
}

/// Which partition reads what. Runs are cut where many rows are wanted, in any order.
fn shares(request: &ScanRequest, store: &Arc<dyn Store>, width: Parallelism) -> Shares {
    let runs = request.spans.runs();
    let whole = Shares::whole(runs, width.partitions);
    let wants_few = request.fetch.is_some() && request.filters().next().is_none();
    let is_far = store.capabilities().latency == Latency::Far;
    let is_brief = |pieces: &Vec<Piece>| is_brief(pieces);
    // A walk that goes to few places of a remote store does so in few messages.
    let is_far_walk = |run: &Run| is_far && matches!(run.work, Work::Walk(_));
    if wants_few || runs.iter().any(is_far_walk) || whole.partitions().iter().all(is_brief) {
        return whole;
    }
    // Of several families the one with the most is cut into pieces.
    let size = |space: &&Arc<str>| store.approximate_size(space, &KeyRange::all()).unwrap_or(0);
    let space = match request.table.family_count() {
        1 => None,
        _ => request.spaces().max_by_key(size),
    };
    let space = space.map_or(request.table.space(), |space| space);
    // What is declared, where the store has no regions of its own.
    let declared = if is_far { &[] } else { request.table.borders() };
    Shares::cut(runs, width, &|ranges, count, least| match declared {
        [] => store.boundaries(space, ranges, count, least),
        borders => cut::at_borders(borders.iter().cloned(), ranges, count),
    })
}

#[cfg(test)]
#[path = "exec_tests.rs"]
mod tests;
