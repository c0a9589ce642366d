//! Sorts by what a projection computes, moved below it to the scan that has the rows in that order.
//!
//! `SELECT date_trunc('hour', ts) AS hour, … ORDER BY hour DESC` sorts what a projection computed. DataFusion asks a
//! scan for an order through a projection only where each column of the order is one of the scan's. This rule writes
//! the order as one of the rows below; if the scan has it, the sort is put there, and DataFusion's rule, which comes
//! next, takes it away. Rows that were shared out for the projection alone are not: that would undo their order.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_expr::{LexOrdering, Partitioning, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, SortOrderPushdownResult, replace_children_if_necessary,
};

use crate::scan::ScanExec;

/// The rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct SortBelowProjection;

impl PhysicalOptimizerRule for SortBelowProjection {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !config.optimizer.enable_sort_pushdown {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let moved = match node.downcast_ref::<SortExec>() {
                Some(sort) if sort.input().is::<ProjectionExec>() => {
                    below(sort, sort.expr(), sort.input())?
                }
                _ => None,
            };
            Ok(moved.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }

    fn name(&self) -> &str {
        "SortBelowProjection"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// `plan`, whose rows `sort` wants in this order, with the sort directly over its scan; `None` where the scan does not
/// have the order, or where something other than projections stands between.
fn below(
    sort: &SortExec,
    order: &LexOrdering,
    plan: &Arc<dyn ExecutionPlan>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        let answer = scan.try_pushdown_sort(order)?;
        let moved = SortExec::new(order.clone(), Arc::clone(plan))
            .with_fetch(sort.fetch())
            .with_preserve_partitioning(sort.preserve_partitioning());
        let has_order = matches!(answer, SortOrderPushdownResult::Exact { .. });
        return Ok(has_order.then(|| Arc::new(moved) as Arc<dyn ExecutionPlan>));
    }
    if let Some(shared) = plan.downcast_ref::<RepartitionExec>()
        && matches!(shared.partitioning(), Partitioning::RoundRobinBatch(_))
        && sort.preserve_partitioning()
    {
        return below(sort, order, shared.input());
    }
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(None);
    };
    let Some(inner) = before_projection(order, projection)? else {
        return Ok(None);
    };
    let Some(input) = below(sort, &inner, projection.input())? else {
        return Ok(None);
    };
    let moved = replace_children_if_necessary(Arc::clone(plan), vec![input])?;
    // Whoever merges the rows above must see their order in what the projection shows.
    let shows_order = moved
        .equivalence_properties()
        .ordering_satisfy(order.iter().cloned())?;
    Ok(shows_order.then_some(moved))
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

#[cfg(test)]
#[path = "sort_below_tests.rs"]
mod tests;
