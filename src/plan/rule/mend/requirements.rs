//! What operators require of their inputs is put in place, and nothing is moved for it.
//!
//! DataFusion's rule puts exchanges and sorts where they are needed. Then it makes merges of sorts further down needless,
//! and pushes sorts down the plan; and with them go limits: below windows that need all rows (`SELECT f, count(*) OVER ()
//! … ORDER BY f LIMIT 1` counts the rows of a page), below `rank()`, below an exchange that deals the sorted rows out. Its
//! steps are public; this rule takes all of them but those two. A sort stays where the query has it, with its limit;
//! [`key_order`](crate::plan::rule::scan::key_order) takes away those that are not needed.
//!
//! A sort of each partition leaves out the keys that are constant in each, as the tag of an arm of a UNION ALL, also where
//! they are not the same in all. With a limit that is wrong: such sorts tell each other the last row that they keep, and
//! one with smaller keys behind the tag ends those whose tag comes first (`SELECT 'b' AS k, id … UNION ALL SELECT 'a', id …
//! ORDER BY k, id LIMIT 1`). Below a merge they go by all of its keys here.
//!
//! An aggregate that may give any few of its groups was told so before an order was put below it. In an order DataFusion
//! takes it for another operator, and fails; it gives all of its groups then.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::enforce_distribution::{
    DistributionContext, PlanWithKeyRequirements, adjust_input_keys_ordering, ensure_distribution,
};
use datafusion::physical_optimizer::enforce_sorting::{
    PlanWithCorrespondingCoalescePartitions, PlanWithCorrespondingSort, ensure_sorting,
    parallelize_sorts,
};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use crate::plan::rule::rewriting::PlanRule;

/// The rule.
pub(crate) const LEAVE_SORTS_IN_PLACE: PlanRule = PlanRule {
    name: "LeaveSortsInPlace",
    rewrite: require,
};

fn require(plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = PlanWithKeyRequirements::new_default(plan);
    let plan = plan.transform_down(adjust_input_keys_ordering)?.data.plan;
    let plan = DistributionContext::new_default(plan);
    let plan = plan.transform_up(|plan| ensure_distribution(plan, config))?;
    let plan = PlanWithCorrespondingSort::new_default(plan.data.plan);
    let mut plan = plan.transform_up(ensure_sorting)?.data.plan;
    if config.optimizer.repartition_sorts {
        let sorted = PlanWithCorrespondingCoalescePartitions::new_default(plan);
        plan = sorted.transform_up(parallelize_sorts)?.data.plan;
    }
    let plan = plan.transform_up(by_all_keys)?.data;
    plan.transform_up(any_groups).data()
}

/// A merge, and below it the sorts that keep the first rows of each partition, by the same keys.
fn by_all_keys(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(merge) = node.downcast_ref::<SortPreservingMergeExec>() else {
        return Ok(Transformed::no(node));
    };
    let Some(sort) = merge.input().downcast_ref::<SortExec>() else {
        return Ok(Transformed::no(node));
    };
    let keys = merge.expr();
    if sort.fetch().is_none() || sort.expr().len() >= keys.len() {
        return Ok(Transformed::no(node));
    }
    let sort = SortExec::new(keys.clone(), Arc::clone(sort.input()))
        .with_fetch(sort.fetch())
        .with_preserve_partitioning(sort.preserve_partitioning());
    replace_children_if_necessary(node, vec![Arc::new(sort)]).map(Transformed::yes)
}

/// An aggregate whose groups come in an order, without the limit that takes any of them.
fn any_groups(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(grouping) = node.downcast_ref::<AggregateExec>() else {
        return Ok(Transformed::no(node));
    };
    let limit = grouping.limit_options();
    let takes_any = limit.is_some_and(|limit| limit.descending.is_none());
    if !takes_any || grouping.is_unordered_unfiltered_group_by_distinct() {
        return Ok(Transformed::no(node));
    }
    let all = grouping.with_new_limit_options(None);
    Ok(Transformed::yes(Arc::new(all)))
}

#[cfg(test)]
#[path = "requirements_tests.rs"]
mod tests;
