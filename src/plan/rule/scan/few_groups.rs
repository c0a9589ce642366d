//! Few groups are the first of all groups.
//!
//! Below a sort with a limit DataFusion keeps so many groups and no more, if rows are sorted by what they are grouped by, or
//! by their `min` or `max`. It goes wrong in two ways:
//!
//! * It finds what rows are sorted by by its name, also below a list that computes another value of that name: `SELECT -a AS
//!   a FROM t GROUP BY a ORDER BY a LIMIT 1` keeps the least `a`; and in each query of a UNION, however far below: that of
//!   groups that rows are numbered by. So where the sort is not by the column itself, all groups are made.
//! * It compares values there as the processor does, for which a NaN is not itself, and neither more nor less than any
//!   number: `SELECT d FROM t GROUP BY d ORDER BY d DESC LIMIT 2` gives NaN twice, and may panic. So an aggregate with a
//!   REAL or a DOUBLE makes all of its groups.
//!
//! The sort above takes the first.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use crate::plan::rule::rewriting::PlanRule;

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// What is proven right behind DataFusion's rule.
pub(crate) const PROVE_LIMITS: PlanRule = PlanRule {
    name: "halite_prove_limits_of_groups",
    rewrite: |plan, _| plan.transform_down(proven_below).data(),
};

/// What is left out behind all rules.
pub(crate) const MAKE_ALL_GROUPS: PlanRule = PlanRule {
    name: "halite_make_all_groups",
    rewrite: |plan, _| plan.transform_up(all_of_doubles).data(),
};

fn proven_below(node: Plan) -> Result<Transformed<Plan>> {
    let Some(sort) = limited_sort(&node) else {
        return Ok(Transformed::no(node));
    };
    let Some([key]) = node.output_ordering().map(|order| &**order) else {
        return Ok(Transformed::no(node));
    };
    match proven(sort.input(), Some(&key.expr))? {
        Some(input) => replace_children_if_necessary(node, vec![input]).map(Transformed::yes),
        None => Ok(Transformed::no(node)),
    }
}

fn limited_sort(node: &Plan) -> Option<&SortExec> {
    let sort = node.downcast_ref::<SortExec>();
    sort.filter(|sort| sort.fetch().is_some())
}

/// The plan below a sort by `key` with the limits alone that are those of the sort; `None` where it has no others.
fn proven(plan: &Plan, key: Option<&Arc<dyn PhysicalExpr>>) -> Result<Option<Plan>> {
    // What is below has its own limits.
    if limited_sort(plan).is_some() {
        return Ok(None);
    }
    let grouping = plan.downcast_ref::<AggregateExec>();
    let projection = plan.downcast_ref::<ProjectionExec>();
    let inner = match (grouping, projection, key) {
        (_, Some(projection), Some(key)) => update_expr(key, projection.expr(), true)?,
        // A second step has the columns of the first.
        (Some(grouping), _, key) => key
            .filter(|_| grouping.mode().input_mode() == AggregateInputMode::Partial)
            .cloned(),
        (None, _, key) => key.filter(|_| has_columns_of_inputs(plan)).cloned(),
    };
    let inputs = plan.children().into_iter().cloned();
    let inputs = inputs.map(|input| Ok((proven(&input, inner.as_ref())?, input)));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let without = match grouping {
        Some(grouping) if is_limited(grouping) && !is_sorted_by(grouping, key) => {
            Some(Arc::new(grouping.with_new_limit_options(None)) as Plan)
        }
        _ => None,
    };
    if inputs.iter().all(|(proven, _)| proven.is_none()) {
        return Ok(without);
    }
    let node = without.unwrap_or_else(|| Arc::clone(plan));
    let inputs = inputs.into_iter();
    let inputs = inputs.map(|(proven, input)| proven.unwrap_or(input));
    replace_children_if_necessary(node, inputs.collect()).map(Some)
}

/// Whether a column of a node is that of its place in each input.
fn has_columns_of_inputs(plan: &Plan) -> bool {
    match plan.children()[..] {
        [input] => plan.schema().fields() == input.schema().fields(),
        _ => plan.is::<UnionExec>(),
    }
}

/// Whether it keeps the first groups of an order.
fn is_limited(grouping: &AggregateExec) -> bool {
    let limit = grouping.limit_options();
    limit.is_some_and(|limit| limit.descending.is_some())
}

/// Whether the key is the column that the groups kept are the first by: the only one that is grouped by, or the extreme.
fn is_sorted_by(grouping: &AggregateExec, key: Option<&Arc<dyn PhysicalExpr>>) -> bool {
    let column = key.and_then(|key| key.downcast_ref::<Column>());
    column.is_some_and(|column| column.index() == grouping.aggr_expr().len())
}

/// An aggregate with a REAL or a DOUBLE, without the limit that keeps the first groups of an order.
fn all_of_doubles(node: Plan) -> Result<Transformed<Plan>> {
    let Some(grouping) = node.downcast_ref::<AggregateExec>() else {
        return Ok(Transformed::no(node));
    };
    let schema = node.schema();
    let mut fields = schema.fields().iter();
    if !is_limited(grouping) || !fields.any(|field| field.data_type().is_floating()) {
        return Ok(Transformed::no(node));
    }
    let all = grouping.with_new_limit_options(None);
    Ok(Transformed::yes(Arc::new(all)))
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, plain_rows, rows};

    const NEGATED: &str =
        "SELECT -a AS a FROM (VALUES (1), (2), (3)) t (a) GROUP BY a ORDER BY a LIMIT 1";

    const NUMBERED: &str =
        "SELECT row_number() OVER (ORDER BY a) AS a FROM (VALUES (1), (2)) t (a) GROUP BY a
        UNION ALL SELECT 0 ORDER BY a DESC LIMIT 1";

    #[tokio::test]
    async fn the_first_groups_are_those_of_the_value_that_rows_are_sorted_by() {
        let session = mended();
        let few = |list: &str| {
            format!("SELECT {list} FROM (VALUES (1, 5), (2, 5), (3, 4)) t (a, b) GROUP BY a")
        };
        for (sql, expected) in [
            (NEGATED.to_owned(), "-3"),
            (
                format!(
                    "SELECT x FROM ({} ORDER BY a LIMIT 1)",
                    few("a AS x, -a AS a")
                ),
                "3",
            ),
            (
                format!(
                    "{} ORDER BY \"max(b)\" LIMIT 1",
                    few("a, -max(b) AS \"max(b)\"").replace("(2, 5)", "(2, 3)")
                ),
                "1|-5",
            ),
            (
                format!("{} ORDER BY m DESC, a DESC LIMIT 1", few("a, max(b) AS m")),
                "2|5",
            ),
            (NUMBERED.to_owned(), "2"),
        ] {
            assert_eq!(rows(&session, &sql).await, [expected], "{sql}");
        }
        for (sql, is_limited) in [
            (NEGATED.to_owned(), false),
            (format!("{} ORDER BY a LIMIT 1", few("a AS a")), true),
            (
                format!("{} ORDER BY c DESC LIMIT 1", few("a AS b, a AS c")),
                true,
            ),
            (
                format!("{} ORDER BY m DESC LIMIT 1", few("a, max(b) AS m")),
                true,
            ),
            (NUMBERED.to_owned(), false),
            (
                format!("{} UNION ALL SELECT 0 ORDER BY a LIMIT 1", few("a")),
                true,
            ),
        ] {
            let shown = rows(&session, &format!("EXPLAIN {sql}")).await.join("\n");
            assert_eq!(shown.contains("lim=["), is_limited, "{shown}");
        }
    }

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

    /// Fails as soon as DataFusion knows what rows are sorted by: then limits need no proof.
    #[tokio::test]
    async fn canary_of_names() {
        let wrong = plain_rows(&plain(), NEGATED).await;
        assert_eq!(wrong, Ok(vec!["-1".to_owned()]));
        let wrong = plain_rows(&plain(), NUMBERED).await;
        assert_eq!(wrong, Ok(vec!["1".to_owned()]));
    }
}
