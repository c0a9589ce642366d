//! Few groups of DOUBLEs are the first of all groups.
//!
//! Below a sort with a limit DataFusion keeps so many groups and no more, if rows are sorted by what they are grouped by, or
//! by their `min` or `max`. It compares values there as the processor does, for which a NaN is not itself, and neither more
//! nor less than any number: `SELECT d FROM t GROUP BY d ORDER BY d DESC LIMIT 2` gives NaN twice, and may panic. So an
//! aggregate with a REAL or a DOUBLE makes all of its groups; the sort above it takes the first.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::rule::PlanRule;

/// The rule, which runs behind the one that tells aggregates of limits.
pub(super) const MAKE_ALL_GROUPS: PlanRule = PlanRule {
    name: "halite_make_all_groups",
    rewrite: |plan, _| plan.transform_up(all_groups).data(),
};

fn all_groups(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(grouping) = node.downcast_ref::<AggregateExec>() else {
        return Ok(Transformed::no(node));
    };
    let limit = grouping.limit_options();
    let is_ordered = limit.is_some_and(|limit| limit.descending.is_some());
    let schema = node.schema();
    let mut fields = schema.fields().iter();
    if !is_ordered || !fields.any(|field| field.data_type().is_floating()) {
        return Ok(Transformed::no(node));
    }
    let all = grouping.with_new_limit_options(None);
    Ok(Transformed::yes(Arc::new(all)))
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, plain_rows, rows};

    const FEW: &str =
        "SELECT d FROM (VALUES (1.0e0), (CAST('NaN' AS DOUBLE)), (CAST('NaN' AS DOUBLE))) t (d)
        GROUP BY d ORDER BY d DESC LIMIT 2";

    #[tokio::test]
    async fn a_value_that_is_no_number_is_one_group() {
        assert_eq!(rows(&mended(), FEW).await, ["1.0", "NaN"]);
        let smallest = FEW.replace("DESC LIMIT 2", "LIMIT 1");
        assert_eq!(rows(&mended(), &smallest).await, ["1.0"]);
        let greatest =
            "SELECT k FROM (VALUES (1, 1.0e0), (2, CAST('NaN' AS DOUBLE)), (3, 3.0e0)) t (k, d)
            GROUP BY k ORDER BY max(d) DESC LIMIT 1";
        assert_eq!(rows(&mended(), greatest).await, ["2"]);
    }

    /// Fails as soon as DataFusion knows a NaN again: then the rule can go.
    #[tokio::test]
    async fn canary() {
        let wrong = plain_rows(&plain(), FEW).await;
        assert_eq!(wrong, Ok(vec!["NaN".to_owned(), "NaN".to_owned()]));
    }
}
