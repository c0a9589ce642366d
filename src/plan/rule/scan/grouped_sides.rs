//! Of two sides of a join the one that groups is the smaller.
//!
//! A hash join tells the scan of its larger side which keys the smaller one has, and the scan reads these alone. Which side
//! is the smaller DataFusion decides by how many rows are expected, and it expects as many groups as there are rows:
//! in `d JOIN (SELECT id, max(ts) AS ts FROM d GROUP BY id) l USING (id, ts)` whichever side has fewer columns, or the one
//! that is written first. But groups are never more than their rows, and where the first row of each is all that is read of
//! them ([`first_rows`](super::first_rows)) they cost next to nothing. So such a side becomes the one whose keys are told,
//! where the other is a scan of as many rows as are grouped, or more.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;

use super::first_rows;
use super::needed::handed_on;
use crate::plan::rule::mend::claims::is_proven;
use crate::plan::rule::rewriting::PlanRule;
use crate::scan::ScanExec;
use crate::settings::HaliteOptions;

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// The rule.
pub(crate) const BUILD_OF_GROUPS: PlanRule = PlanRule {
    name: "halite_build_of_groups",
    rewrite: |plan, config| {
        let is_wanted = HaliteOptions::of(config).pushdown && config.optimizer.join_reordering;
        if is_wanted {
            plan.transform_up(with_groups_first).data()
        } else {
            Ok(plan)
        }
    },
};

fn with_groups_first(node: Plan) -> Result<Transformed<Plan>> {
    let Some(join) = node.downcast_ref::<HashJoinExec>() else {
        return Ok(Transformed::no(node));
    };
    let can_be_swapped = join.join_type().supports_swap() && !join.null_aware;
    if !can_be_swapped || !is_smaller(join.right(), join.left())? {
        return Ok(Transformed::no(node));
    }
    join.swap_inputs(*join.partition_mode())
        .map(Transformed::yes)
}

/// Whether one side is the first rows of groups, and the other a scan of as many rows as are grouped.
fn is_smaller(one: &Plan, other: &Plan) -> Result<bool> {
    let (Some(groups), Some(scan)) = (grouping_below(one), scan_below(other)) else {
        return Ok(false);
    };
    let Some(grouped) = scan_below(groups.input()) else {
        return Ok(false);
    };
    let is_larger = match (scan.expected_rows(), grouped.expected_rows()) {
        (Some(rows), Some(grouped)) => rows >= grouped,
        _ => Arc::ptr_eq(scan.table(), grouped.table()),
    };
    Ok(is_larger && first_rows::are_enough_for(groups)?)
}

/// The first step of the grouping whose groups a side is.
fn grouping_below(plan: &Plan) -> Option<&AggregateExec> {
    if let Some(grouping) = plan.downcast_ref::<AggregateExec>() {
        return match grouping.mode().input_mode() {
            AggregateInputMode::Raw => Some(grouping),
            AggregateInputMode::Partial => grouping_below(grouping.input()),
        };
    }
    grouping_below(rows_of(plan)?)
}

/// The scan whose rows a side is, or some of them.
fn scan_below(plan: &Plan) -> Option<&ScanExec> {
    match plan.downcast_ref::<ScanExec>() {
        Some(scan) => Some(scan),
        None => scan_below(rows_of(plan)?),
    }
}

/// What gives a node its rows, of which it adds none.
fn rows_of(plan: &Plan) -> Option<&Plan> {
    if plan.is::<ProjectionExec>() || plan.is::<FilterExec>() || is_proven(plan) {
        return plan.children().first().copied();
    }
    handed_on(plan)
}

#[cfg(test)]
#[path = "grouped_sides_tests.rs"]
mod tests;
