//! Rows in the order of the key, where nothing else needs sorting.
//!
//! A scan declares no order: DataFusion carries what a leaf declares through operators that do not keep it, and then
//! leaves out sorts that were needed. So it sorts wherever it must, and this rule, which runs when all decisions about
//! order have been made, takes away the sorts whose rows are those of a scan that can give them in that order. What may
//! stand between the two is listed here, and nothing else:
//!
//! * projections, of columns and of what a part of the key computes;
//! * filters;
//! * an exchange that deals rows out for parallelism alone, which goes away: it would undo the order;
//! * a grouping without grouping sets by what the order begins with: it gives its groups as they come. One in two steps,
//!   with an exchange between, is made one where a limit stands above it, which then ends the scan; without a limit many
//!   threads group faster than one, and the groups are sorted. So are they where the first rows of each are enough that are
//!   read the other way, as the newest of each host in ascending order: few keys are read then, and else all.
//!
//! The merge above such a sort stays while several partitions are left. A table without buckets is read by one, piece after
//! piece: a merge would compare rows for nothing, and hold batches that nobody can use yet.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_expr::{LexOrdering, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, LimitOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, SortOrderPushdownResult, replace_children_if_necessary,
};

use super::first_rows;
use crate::plan::rule::rewriting::PlanRule;
use crate::scan::ScanExec;

/// The rule.
pub(crate) const GIVE_KEY_ORDER: PlanRule = PlanRule {
    name: "GiveKeyOrder",
    rewrite: give,
};

fn give(plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
    if !config.optimizer.enable_sort_pushdown {
        return Ok(plan);
    }
    let given = plan.transform_down(|node| {
        let given = match (
            node.downcast_ref::<SortPreservingMergeExec>(),
            node.downcast_ref::<SortExec>(),
        ) {
            (Some(merge), _) => without_sort_below(merge)?,
            (None, Some(sort)) => without_sort(sort, false)?,
            (None, None) => None,
        };
        Ok(given.map_or_else(|| Transformed::no(node), Transformed::yes))
    })?;
    if given.transformed {
        given.data.transform_up(without_merge).data()
    } else {
        Ok(given.data)
    }
}

/// What stands above the rows whose order is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Above {
    /// Whether the number of partitions is nobody's business, because they are merged.
    is_merged: bool,
    /// Whether a limit takes the first rows.
    is_limited: bool,
}

/// The merge over what gives its order itself, without the sort between; `None` where that is not so.
fn without_sort_below(merge: &SortPreservingMergeExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(input) = without_merged_sort(merge.input())? else {
        return Ok(None);
    };
    let shown = input.equivalence_properties();
    if !shown.ordering_satisfy(merge.expr().iter().cloned())? {
        return Ok(None);
    }
    let merge = SortPreservingMergeExec::new(merge.expr().clone(), input).with_fetch(merge.fetch());
    Ok(Some(Arc::new(merge)))
}

/// What stands below a merge, without the sort in it. DataFusion puts sorts below projections.
fn without_merged_sort(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        return without_sort(sort, true);
    }
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(None);
    };
    let input = without_merged_sort(projection.input())?;
    let over = input.map(|input| replace_children_if_necessary(Arc::clone(plan), vec![input]));
    over.transpose()
}

/// A merge of one partition goes away.
fn without_merge(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(merge) = node.downcast_ref::<SortPreservingMergeExec>() else {
        return Ok(Transformed::no(node));
    };
    if merge.input().output_partitioning().partition_count() > 1 {
        return Ok(Transformed::no(node));
    }
    let (input, limit) = (Arc::clone(merge.input()), merge.fetch());
    Ok(Transformed::yes(limited(input, limit)))
}

/// What the sort reads, in the order and with the limit of the sort; `None` where it must be sorted.
fn without_sort(sort: &SortExec, is_merged: bool) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let above = Above {
        is_merged: is_merged && sort.preserve_partitioning(),
        is_limited: sort.fetch().is_some(),
    };
    let Some(input) = in_order(sort.input(), sort.expr(), above)? else {
        return Ok(None);
    };
    // One sorted partition of several that are not.
    if !sort.preserve_partitioning() && input.output_partitioning().partition_count() > 1 {
        return Ok(None);
    }
    // Whoever asked for the order must see it in what the input shows.
    let shown = input.equivalence_properties();
    let is_shown = shown.ordering_satisfy(sort.expr().iter().cloned())?;
    Ok(is_shown.then(|| limited(input, sort.fetch())))
}

/// The plan with at most so many rows of each partition.
fn limited(plan: Arc<dyn ExecutionPlan>, limit: Option<usize>) -> Arc<dyn ExecutionPlan> {
    let Some(limit) = limit else {
        return plan;
    };
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let input = limited(Arc::clone(projection.input()), Some(limit));
        if let Ok(limited) = replace_children_if_necessary(Arc::clone(&plan), vec![input]) {
            return limited;
        }
    }
    let taken = plan.fetch().unwrap_or(usize::MAX).min(limit);
    match plan.with_fetch(Some(taken)) {
        Some(limited) => limited,
        None => Arc::new(LocalLimitExec::new(plan, limit)),
    }
}

/// `plan` with the rows of each partition in this order; `None` where that is not proven.
fn in_order(
    plan: &Arc<dyn ExecutionPlan>,
    order: &LexOrdering,
    above: Above,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        return Ok(match scan.try_pushdown_sort(order)? {
            SortOrderPushdownResult::Exact { inner } => Some(inner),
            _ => None,
        });
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let inner = before_projection(order, projection)?;
        return over(plan, projection.input(), inner, above);
    }
    // A limit counts the rows that it takes in the order in which they come.
    if let Some(filter) = plan
        .downcast_ref::<FilterExec>()
        .filter(|it| it.fetch().is_none())
    {
        let inner = (filter.projection().is_none()).then(|| order.clone());
        return over(plan, filter.input(), inner, above);
    }
    if let Some(dealt) = plan.downcast_ref::<RepartitionExec>() {
        let is_dealt = matches!(dealt.partitioning(), Partitioning::RoundRobinBatch(_));
        return if is_dealt && above.is_merged {
            in_order(dealt.input(), order, above)
        } else {
            Ok(None)
        };
    }
    let Some(grouping) = plan.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let Some(grouping) = in_one_step(grouping, above)? else {
        return Ok(None);
    };
    grouped_in_order(grouping, order, above)
}

/// The grouping with its groups in this order; `None` where that is not proven, and where nothing but the first rows of
/// each group would be read without it.
fn grouped_in_order(
    grouping: AggregateExec,
    order: &LexOrdering,
    above: Above,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let reads_few = first_rows::are_enough_for(&grouping)?;
    let inner = before_grouping(order, &grouping);
    let input = Arc::clone(grouping.input());
    let Some(ordered) = over(&(Arc::new(grouping) as _), &input, inner, above)? else {
        return Ok(None);
    };
    let still_reads_few = match ordered.downcast_ref::<AggregateExec>() {
        Some(grouping) => first_rows::are_enough_for(grouping)?,
        None => false,
    };
    Ok((above.is_limited || !reads_few || still_reads_few).then_some(ordered))
}

/// The grouping as one step over all rows. What limit it has was set for the sort above, and goes with it.
fn in_one_step(grouping: &AggregateExec, above: Above) -> Result<Option<AggregateExec>> {
    // A limit that says no order takes any groups.
    let takes_any = |limit: LimitOptions| limit.descending.is_none();
    if grouping.limit_options().is_some_and(takes_any) {
        return Ok(None);
    }
    let second = match grouping.mode() {
        AggregateMode::Single | AggregateMode::SinglePartitioned => {
            return Ok(Some(grouping.with_new_limit_options(None)));
        }
        AggregateMode::Final | AggregateMode::FinalPartitioned => grouping,
        _ => return Ok(None),
    };
    let exchange = second.input().downcast_ref::<RepartitionExec>();
    let first = exchange.and_then(|exchange| exchange.input().downcast_ref::<AggregateExec>());
    let Some(first) = first.filter(|first| *first.mode() == AggregateMode::Partial) else {
        return Ok(None);
    };
    if !above.is_merged || !above.is_limited {
        return Ok(None);
    }
    let step = AggregateExec::try_new(
        AggregateMode::Single,
        first.group_expr().clone(),
        first.aggr_expr().to_vec(),
        first.filter_expr().to_vec(),
        Arc::clone(first.input()),
        first.input_schema(),
    );
    step.map(Some)
}

/// `plan` over its input in `order`.
fn over(
    plan: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
    order: Option<LexOrdering>,
    above: Above,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(order) = order else {
        return Ok(None);
    };
    let Some(mut input) = in_order(input, &order, above)? else {
        return Ok(None);
    };
    if plan.is::<AggregateExec>() && input.output_partitioning().partition_count() > 1 {
        input = Arc::new(SortPreservingMergeExec::new(order, input));
    }
    replace_children_if_necessary(Arc::clone(plan), vec![input]).map(Some)
}

/// The order over the rows that the projection takes.
fn before_projection(
    order: &LexOrdering,
    projection: &ProjectionExec,
) -> Result<Option<LexOrdering>> {
    let mut inner = Vec::with_capacity(order.len());
    for sort in order {
        match update_expr(&sort.expr, projection.expr(), true)? {
            Some(expression) => inner.push(PhysicalSortExpr::new(expression, sort.options)),
            None => return Ok(None),
        }
    }
    Ok(LexOrdering::new(inner))
}

/// The order over the rows that are grouped: each of its terms is one that they are grouped by. Several sets of groups
/// have no order.
fn before_grouping(order: &LexOrdering, grouping: &AggregateExec) -> Option<LexOrdering> {
    let groups = grouping.group_expr();
    if groups.has_grouping_set() {
        return None;
    }
    let inner = order.iter().map(|sort| {
        let column = sort.expr.downcast_ref::<Column>()?;
        let (grouped, _) = groups.expr().get(column.index())?;
        Some(PhysicalSortExpr::new(
            Arc::clone(grouped) as Arc<dyn PhysicalExpr>,
            sort.options,
        ))
    });
    LexOrdering::new(inner.collect::<Option<Vec<_>>>()?)
}

#[cfg(test)]
#[path = "key_order_tests.rs"]
mod tests;
