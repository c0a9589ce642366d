//! Rows are sorted again where the planner has lost track of their order, and dealt out again where it has lost track of
//! how they are dealt out.
//!
//! DataFusion leaves out a sort by what it takes for constant or for sorted, and a later rule moves a projection, so that
//! what it concluded that from is gone: `SELECT y.one AS a FROM t JOIN (SELECT f, 1 AS one FROM t) y … ORDER BY a`. Its own
//! last check then refuses the query. So in front of that check, what wants an order that its input is not known to have
//! gets a sort below it.
//!
//! Likewise rows that are dealt out by `a, b` are said to be dealt out by `a, a` once both are known to be equal, which is
//! not known above the outer join that fills them up with NULLs ([`claims`](super::claims)). There all inputs whose equal
//! keys are to meet are dealt out by their keys.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::{Distribution, LexOrdering, Partitioning};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    ChildSatisfactionOptions, ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use crate::plan::rule::rewriting::PlanRule;

/// The rule. See the [module](self).
pub(crate) const RESTORE_INPUTS: PlanRule = PlanRule {
    name: "halite_restore_inputs",
    rewrite: |plan, _| plan.transform_up(restore_inputs).data(),
};

fn restore_inputs(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let mut inputs: Vec<Arc<dyn ExecutionPlan>> = node.children().into_iter().cloned().collect();
    let is_dealt = deal_inputs(&node, &mut inputs)?;
    let is_sorted = sort_inputs(&node, &mut inputs)?;
    if is_dealt || is_sorted {
        replace_children_if_necessary(node, inputs).map(Transformed::yes)
    } else {
        Ok(Transformed::no(node))
    }
}

/// Deals out the inputs by the keys that the node wants, where that is not known of one of them. Returns whether it is so.
fn deal_inputs(
    node: &Arc<dyn ExecutionPlan>,
    inputs: &mut [Arc<dyn ExecutionPlan>],
) -> Result<bool> {
    let wanted = node.input_distribution_requirements();
    let mut is_known = true;
    for (number, input) in inputs.iter().enumerate() {
        let options = ChildSatisfactionOptions::new().with_allow_subset(true);
        let known = wanted.child_satisfaction(number, input.as_ref(), options)?;
        is_known = is_known && known.is_satisfied();
    }
    if is_known {
        return Ok(false);
    }
    let counts = inputs
        .iter()
        .map(|input| input.output_partitioning().partition_count());
    let count = counts.max().unwrap_or(1);
    let mut changed = false;
    for (input, wanted) in inputs.iter_mut().zip(wanted.per_child_distributions()) {
        if let Distribution::KeyPartitioned(keys) = wanted {
            let parts = Partitioning::Hash(keys.clone(), count);
            *input = Arc::new(RepartitionExec::try_new(Arc::clone(input), parts)?);
            changed = true;
        }
    }
    Ok(changed)
}

/// Sorts the inputs of which the order that the node wants is not known. Returns whether there is one.
fn sort_inputs(
    node: &Arc<dyn ExecutionPlan>,
    inputs: &mut [Arc<dyn ExecutionPlan>],
) -> Result<bool> {
    let mut changed = false;
    for (input, wanted) in inputs.iter_mut().zip(node.required_input_ordering()) {
        let Some(wanted) = wanted.map(|wanted| wanted.into_single()) else {
            continue;
        };
        let known = input.equivalence_properties();
        if known.ordering_satisfy_requirement(wanted.clone())? {
            continue;
        }
        let sort = SortExec::new(LexOrdering::from(wanted), Arc::clone(input));
        let is_split = input.output_partitioning().partition_count() > 1;
        *input = Arc::new(sort.with_preserve_partitioning(is_split));
        changed = true;
    }
    Ok(changed)
}

#[cfg(test)]
#[path = "lost_order_tests.rs"]
mod tests;
