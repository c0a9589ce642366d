//! Rows are sorted again where the planner has lost track of their order.
//!
//! DataFusion leaves out a sort by what it takes for constant or for sorted, and a later rule moves a projection, so that
//! what it concluded that from is gone: `SELECT y.one AS a FROM t JOIN (SELECT f, 1 AS one FROM t) y … ORDER BY a`. Its own
//! last check then refuses the query. So in front of that check, what wants an order that its input is not known to have
//! gets a sort below it.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::LexOrdering;
use datafusion::physical_optimizer::sanity_checker::SanityCheckPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use super::rule::PlanRule;
use super::{PhysicalRule, insert_before};

/// The rule. See the [module](self).
const SORT_AGAIN: PlanRule = PlanRule {
    name: "halite_sort_again",
    rewrite: |plan, _| plan.transform_up(sort_inputs).data(),
};

/// Puts the rule in front of DataFusion's check.
pub(super) fn insert(rules: &mut Vec<PhysicalRule>) {
    insert_before::<SanityCheckPlan>(rules, SORT_AGAIN);
}

fn sort_inputs(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let wanted = node.required_input_ordering();
    if wanted.iter().all(Option::is_none) {
        return Ok(Transformed::no(node));
    }
    let mut changed = false;
    let mut inputs: Vec<Arc<dyn ExecutionPlan>> = node.children().into_iter().cloned().collect();
    for (input, wanted) in inputs.iter_mut().zip(wanted) {
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
    match changed {
        true => replace_children_if_necessary(node, inputs).map(Transformed::yes),
        false => Ok(Transformed::no(node)),
    }
}

#[cfg(test)]
#[path = "lost_order_tests.rs"]
mod tests;
