//! What computes with what was computed below is computed.
//!
//! Where two lists of SELECT are written alike, one over the other, DataFusion takes the upper one for the lower one and
//! drops it, though `a` is another value in each: `SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT 1 AS a))` is 3,
//! and it gives 2. It compares what it has merged so far with each list further down as well. So while its rule runs,
//! every list below another has a column more, which no list above it has; as nothing names that column, the rule takes
//! it out again, and merges the lists as it merges any others.
//!
//! A query with an alias between the lists would keep them apart, too; but behind `|>`, and in a data frame, there is none.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{LogicalPlan, Projection, lit};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::plan::rule::rewriting::Around;
use crate::sql::marks::UNSEEN;

/// The rule that merges projections, where none is like the one below it.
pub(crate) const TELL_PROJECTIONS_APART: Around = Around {
    name: "tell_projections_apart",
    rewrite: merge,
};

fn merge(
    theirs: &dyn OptimizerRule,
    plan: LogicalPlan,
    config: &dyn OptimizerConfig,
) -> Result<Transformed<LogicalPlan>> {
    if !has_consecutive(&plan)? {
        return theirs.rewrite(plan, config);
    }
    let mut count = 0;
    let marked = plan.transform_down_with_subqueries(|plan| mark_below(plan, &mut count))?;
    marked.transform_data(|plan| theirs.rewrite(plan, config))
}

/// The projection that is right below a projection.
fn below(plan: &LogicalPlan) -> Option<&Projection> {
    match plan {
        LogicalPlan::Projection(upper) => match upper.input.as_ref() {
            LogicalPlan::Projection(lower) => Some(lower),
            _ => None,
        },
        _ => None,
    }
}

fn has_consecutive(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|plan| {
        found = found || below(plan).is_some();
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

/// The plan, whose lower projection has a column of a name that no other one has.
fn mark_below(plan: LogicalPlan, count: &mut usize) -> Result<Transformed<LogicalPlan>> {
    let (LogicalPlan::Projection(upper), Some(lower)) = (&plan, below(&plan)) else {
        return Ok(Transformed::no(plan));
    };
    *count += 1;
    let mut list = lower.expr.clone();
    list.push(lit(true).alias(format!("{UNSEEN}apart{count}")));
    let lower = Projection::try_new(list, Arc::clone(&lower.input))?;
    let upper = Projection::try_new_with_schema(
        upper.expr.clone(),
        Arc::new(LogicalPlan::Projection(lower)),
        Arc::clone(&upper.schema),
    )?;
    Ok(Transformed::yes(LogicalPlan::Projection(upper)))
}

#[cfg(test)]
#[path = "projections_tests.rs"]
mod tests;
