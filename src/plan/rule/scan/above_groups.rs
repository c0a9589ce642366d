//! Conjuncts that name no column stay above a grouping.
//!
//! DataFusion pushes a conjunct below an aggregate if every column that it names is one that rows are grouped by; a
//! conjunct without columns passes that test, too. Below a global aggregate it decides which rows are counted, where it
//! was to decide whether there is a result: `SELECT count(*) FROM t HAVING 1 > (SELECT max(a) FROM t)` gives a row that
//! it must not give. While DataFusion's rule runs, such conjuncts are set aside; they end in a filter of their own.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};
use datafusion::optimizer::simplify_expressions::simplify_predicates;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::plan::rule::rewriting::Around;

/// The rule that pushes filters, without conjuncts that name no column.
pub(crate) const KEEP_ABOVE_GROUPS: Around = Around {
    name: "keep_above_groups",
    rewrite: push,
};

fn push(
    theirs: &dyn OptimizerRule,
    plan: LogicalPlan,
    config: &dyn OptimizerConfig,
) -> Result<Transformed<LogicalPlan>> {
    let (predicates, input) = merged(&plan);
    if !matches!(input, LogicalPlan::Aggregate(_)) {
        return theirs.rewrite(plan, config);
    }
    let conjuncts = predicates.into_iter().cloned();
    let conjuncts = conjuncts.flat_map(split_conjunction_owned).collect();
    let is_kept = |conjunct: &Expr| !conjunct.any_column_refs();
    // As DataFusion's rule does first: two conjuncts that contradict each other become FALSE.
    let conjuncts = simplify_predicates(conjuncts)?;
    let (kept, pushed): (Vec<_>, Vec<_>) = conjuncts.into_iter().partition(is_kept);
    let (Some(kept), Some(pushed)) = (conjunction(kept.clone()), conjunction(pushed)) else {
        return if kept.is_empty() {
            theirs.rewrite(plan, config)
        } else {
            Ok(Transformed::no(plan))
        };
    };
    let pushed = Filter::try_new(pushed, Arc::new(input.clone()))?;
    let pushed = theirs.rewrite(LogicalPlan::Filter(pushed), config)?;
    if !pushed.transformed {
        return Ok(Transformed::no(plan));
    }
    pushed.map_data(|input| {
        let filter = Filter::try_new(kept, Arc::new(input))?;
        Ok(LogicalPlan::Filter(filter))
    })
}

/// The predicates of a filter and of those right below it, which DataFusion's rule makes one, and what they filter.
fn merged(plan: &LogicalPlan) -> (Vec<&Expr>, &LogicalPlan) {
    let (mut predicates, mut input) = (Vec::new(), plan);
    while let LogicalPlan::Filter(filter) = input {
        predicates.push(&filter.predicate);
        input = &filter.input;
    }
    (predicates, input)
}

#[cfg(test)]
#[path = "above_groups_tests.rs"]
mod tests;
