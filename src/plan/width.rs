//! How wide a plan may be.

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;

use crate::error::{Error, Result};
use crate::sql::limits::guard::{MAX_AGGREGATES, MAX_PLANNED_COLUMNS};

/// Refuses a plan with more columns than can be planned within a second: what stands for them is a star. And one with more
/// aggregates, which no syntax tells from other functions.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    let (mut widest, mut aggregates) = (0, 0);
    plan.apply_with_subqueries(|node| {
        let columns = match node {
            LogicalPlan::Projection(projection) => projection.expr.len(),
            LogicalPlan::TableScan(scan) => scan.projected_schema.fields().len(),
            LogicalPlan::Join(join) => join.schema.fields().len(),
            // All others have the columns of what they read; the rows of an INSERT are said to have one for each value of all
            // of them.
            _ => 0,
        };
        widest = widest.max(columns);
        if let LogicalPlan::Aggregate(grouping) = node {
            aggregates = aggregates.max(grouping.aggr_expr.len());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let too_wide = match (widest > MAX_PLANNED_COLUMNS, aggregates > MAX_AGGREGATES) {
        (true, _) => format!("{widest} columns at once, more than {MAX_PLANNED_COLUMNS}"),
        (_, true) => format!("{aggregates} aggregates at once, more than {MAX_AGGREGATES}"),
        (false, false) => return Ok(()),
    };
    Err(Error::unsupported(format!(
        "the statement is too wide to be planned: {too_wide}"
    )))
}
