//! Operators claim what is proven of their rows, and no more.
//!
//! DataFusion plans by what operators claim of their rows: an order, columns that are constant, columns that are equal.
//! It leaves out sorts and exchanges, and ends groups, where a claim allows it. Some of them are false:
//!
//! * an outer join keeps what is claimed of the side that it fills up with NULLs: `t LEFT JOIN (SELECT 7 AS x …)`;
//! * a grouping by several sets keeps what its input claims, and then makes NULL of it: `GROUP BY ROLLUP (x)`;
//! * a join claims the order of one side and, behind it, of the other, which is lost where the first has ties;
//! * an aggregate over a window claims to grow, beside the NULLs before its first value and in frames that shrink;
//! * groups claim that no two have the same keys, and a projection above them says so of other columns: of `SELECT count(*) AS n,
//!   a … GROUP BY a` that each `n` is there once. What is in the order of `n` is taken to be in that of `n, a` then.
//!
//! So before anything is decided a `ProvenExec` is put below such a join, and above the others. It hands its input's rows
//! on as they are, and claims less. What has nothing to claim is left alone.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::SetMonotonicity;
use datafusion::physical_expr::equivalence::EquivalenceProperties;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::window::{
    PlainAggregateWindowExpr, SlidingAggregateWindowExpr, StandardWindowExpr, WindowExpr,
};
use datafusion::physical_expr::{LexOrdering, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterDescription, FilterPushdownPhase, FilterPushdownPropagation,
};
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
    replace_children_if_necessary,
};

use crate::operator::one_input;
use crate::plan::rule::rewriting::PlanRule;

/// The rule.
pub(crate) const CLAIM_WHAT_IS_PROVEN: PlanRule = PlanRule {
    name: "ClaimWhatIsProven",
    rewrite: |plan, _| plan.transform_up(proven).data(),
};

fn proven(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(kept) = kept_of_own(&node) {
        return ProvenExec::over(node, kept).map(Transformed::yes);
    }
    let children = node.children().into_iter().enumerate();
    let kept: Vec<_> = children
        .map(|(number, side)| kept_of_side(&node, number, side))
        .collect();
    if kept.iter().all(Option::is_none) {
        return Ok(Transformed::no(node));
    }
    let children = node.children().into_iter().zip(kept);
    let children = children.map(|(child, kept)| match kept {
        Some(kept) => ProvenExec::over(Arc::clone(child), kept),
        None => Ok(Arc::clone(child)),
    });
    let children = children.collect::<Result<_>>()?;
    replace_children_if_necessary(node, children).map(Transformed::yes)
}

/// The rows of `plan`, of which nothing is claimed.
#[cfg(test)]
pub(crate) fn unclaimed(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    ProvenExec::over(plan, Kept::Nothing)
}

/// The rows of `plan`, whose order is not claimed.
pub(crate) fn without_order(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    ProvenExec::over(plan, Kept::Equalities)
}

/// Whether it hands on the rows of its input, and claims less.
pub(crate) fn is_proven(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.is::<ProvenExec>()
}

/// What is kept of an input's claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    /// How rows are dealt out among partitions.
    Partitions,
    /// Constant and equal columns, too.
    Equalities,
    /// The order of rows, too: all but which columns tell them apart.
    Orders,
    /// All but what a window says of its aggregates, and that.
    OfInput,
}

/// What is kept of a node's own claims; `None` where they are true.
fn kept_of_own(node: &Arc<dyn ExecutionPlan>) -> Option<Kept> {
    if let Some(grouping) = node.downcast_ref::<AggregateExec>() {
        let has_sets = grouping.group_expr().has_grouping_set();
        let is_first = grouping.mode().input_mode() == AggregateInputMode::Raw;
        return (has_sets && is_first).then_some(Kept::Nothing);
    }
    let is_growing = window_exprs(node)?.iter().any(is_growing);
    is_growing.then_some(Kept::OfInput)
}

/// What a join may keep of a side's claims; `None` where there is nothing that it makes false.
fn kept_of_side(
    node: &Arc<dyn ExecutionPlan>,
    number: usize,
    side: &Arc<dyn ExecutionPlan>,
) -> Option<Kept> {
    let Some(join_type) = join_type(node) else {
        return kept_of_keys(node, number, side);
    };
    let is_padded = match join_type {
        JoinType::Left => number == 1,
        JoinType::Right => number == 0,
        JoinType::Full => true,
        _ => false,
    };
    match (is_padded, may_have_order(side)) {
        (true, true) => Some(Kept::Partitions),
        (true, false) => {
            let claimed = side.equivalence_properties().eq_group();
            (!claimed.is_empty()).then_some(Kept::Partitions)
        }
        (false, true) => Some(Kept::Equalities),
        (false, false) => None,
    }
}

/// What who asks for an order may keep of the rows' claims, where keys are among these.
fn kept_of_keys(
    node: &Arc<dyn ExecutionPlan>,
    number: usize,
    side: &Arc<dyn ExecutionPlan>,
) -> Option<Kept> {
    let mut wanted = node.required_input_ordering().into_iter();
    let asks = node.is::<SortExec>() || wanted.nth(number).flatten().is_some();
    let has_keys = !side.equivalence_properties().constraints().is_empty();
    (asks && has_keys && may_have_order(side)).then_some(Kept::Orders)
}

fn join_type(node: &Arc<dyn ExecutionPlan>) -> Option<JoinType> {
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        return Some(*join.join_type());
    }
    if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
        return Some(join.join_type());
    }
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        return Some(*join.join_type());
    }
    node.is::<CrossJoinExec>().then_some(JoinType::Inner)
}

/// Whether there is an order, or something that is yet to be given one.
fn may_have_order(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let found = plan.exists(|node| {
        let is_asked = node.required_input_ordering().iter().any(Option::is_some);
        Ok(is_asked || node.output_ordering().is_some())
    });
    found.unwrap_or(true)
}

/// Whether it is an aggregate that DataFusion takes to grow, or to shrink, from row to row.
fn is_growing(window: &Arc<dyn WindowExpr>) -> bool {
    let any = window.as_any();
    let aggregate = match (
        any.downcast_ref::<PlainAggregateWindowExpr>(),
        any.downcast_ref::<SlidingAggregateWindowExpr>(),
    ) {
        (Some(plain), _) => plain.get_aggregate_expr(),
        (_, Some(sliding)) => sliding.get_aggregate_expr(),
        (None, None) => return false,
    };
    let frame = window.get_window_frame();
    let is_whole = frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded();
    aggregate.set_monotonicity() != SetMonotonicity::NotMonotonic && !is_whole
}

fn window_exprs(node: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    if let Some(window) = node.downcast_ref::<WindowAggExec>() {
        return Some(window.window_expr());
    }
    let window = node.downcast_ref::<BoundedWindowAggExec>()?;
    Some(window.window_expr())
}

/// Its input's rows, of which it claims less.
#[derive(Debug)]
pub(crate) struct ProvenExec {
    input: Arc<dyn ExecutionPlan>,
    kept: Kept,
    properties: Arc<PlanProperties>,
}

impl ProvenExec {
    fn over(input: Arc<dyn ExecutionPlan>, kept: Kept) -> Result<Arc<dyn ExecutionPlan>> {
        let claimed = input.equivalence_properties();
        let mut proven = EquivalenceProperties::new(input.schema());
        if matches!(kept, Kept::Equalities | Kept::Orders | Kept::OfInput) {
            proven.add_equivalence_group(claimed.eq_group().clone())?;
        }
        if kept == Kept::Orders {
            proven.add_orderings(claimed.oeq_class().iter().cloned());
        }
        if kept == Kept::OfInput {
            let orders = claimed.oeq_class().iter();
            proven.add_orderings(orders.filter_map(|order| of_input(order, &input)));
        }
        let mut properties = PlanProperties::clone(input.properties()).with_eq_properties(proven);
        if kept == Kept::Nothing {
            let partitions = input.output_partitioning().partition_count();
            properties =
                properties.with_partitioning(Partitioning::UnknownPartitioning(partitions));
        }
        Ok(Arc::new(Self {
            input,
            kept,
            properties: Arc::new(properties),
        }))
    }
}

/// The order, up to the first term that a window's aggregate is part of.
fn of_input(order: &LexOrdering, window: &Arc<dyn ExecutionPlan>) -> Option<LexOrdering> {
    let aggregates = window_exprs(window)?;
    let first = window.schema().fields().len() - aggregates.len();
    let is_aggregate = |position: usize| {
        let window = position.checked_sub(first);
        let window = window.and_then(|number| aggregates.get(number));
        window.is_some_and(|window| !window.as_any().is::<StandardWindowExpr>())
    };
    let is_proven = |sort: &&PhysicalSortExpr| {
        let columns = collect_columns(&sort.expr);
        !columns.iter().any(|column| is_aggregate(column.index()))
    };
    LexOrdering::new(order.iter().take_while(is_proven).cloned())
}

impl ExecutionPlan for ProvenExec {
    fn name(&self) -> &str {
        "ProvenExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input, |node, input| Self::over(input, node.kept));

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![matches!(self.kept, Kept::Orders | Kept::OfInput)]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        input_stats: &[Arc<Statistics>],
        _args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        match input_stats {
            [input] => Ok(Arc::clone(input)),
            _ => internal_err!("{} has one input", self.name()),
        }
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn gather_filters_for_pushdown(
        &self,
        _phase: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> Result<FilterDescription> {
        FilterDescription::from_children(filters, &self.children())
    }

    fn handle_child_pushdown_result(
        &self,
        _phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }
}

impl DisplayAs for ProvenExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProvenExec: kept={:?}", self.kept)
    }
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
