//! What grouping sets are of keeps its name.
//!
//! Where an expression is coerced or simplified, DataFusion gives it the name that it had. Of `ROLLUP (NOT (a NOT IN (1)), b)` it gives
//! that to the whole, which then is one column more, and the columns of the groups are not found. So each member that is
//! no column is given its name before; behind the rule that looks for what `grouping` is of among them.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::resolve_grouping_function::ResolveGroupingFunction;

use crate::plan::rule::rewriting::NodeRule;

/// The rule.
pub(crate) const NAME_MEMBERS: NodeRule = NodeRule {
    name: "halite_name_members_of_sets",
    rewrite: name_members,
};

fn name_members(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            LogicalPlan::Aggregate(aggregate).map_expressions(|expr| match expr {
                Expr::GroupingSet(_) => expr.map_children(|member| Ok(named(member))),
                expr => Ok(Transformed::no(expr)),
            })
        }
        plan => Ok(Transformed::no(plan)),
    }
}

fn named(member: Expr) -> Transformed<Expr> {
    match member {
        Expr::Column(_) | Expr::Alias(_) => Transformed::no(member),
        member => {
            let name = member.schema_name().to_string();
            Transformed::yes(member.alias(name))
        }
    }
}

/// The plan in which `grouping` is told by the number of the set. What it is of is found among what is grouped by as both are
/// written: behind a rule that rewrites an expression and gives it the name that it had, they are not the same.
///
/// # Errors
/// `InvalidInput` for what is not grouped by.
pub(crate) fn resolved(plan: LogicalPlan) -> Result<LogicalPlan> {
    ResolveGroupingFunction::new().analyze(plan, &ConfigOptions::new())
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, rows, try_rows};

    const SIMPLIFIED: &str = "SELECT b, count(*) FROM t GROUP BY ROLLUP (NOT (a NOT IN (1)), b)";

    #[tokio::test]
    async fn members_that_are_simplified_are_grouped_by() {
        let session = mended();
        rows(
            &session,
            "CREATE TABLE t (a INT, b INT) AS VALUES (1, 5), (2, 5)",
        )
        .await;
        for (sql, expected) in [
            (SIMPLIFIED, vec!["5|1", "5|1", "NULL|1", "NULL|1", "NULL|2"]),
            (
                "SELECT NOT (a NOT IN (1)) AS x, grouping(NOT (a NOT IN (1))) FROM t GROUP BY CUBE (NOT (a NOT IN (1)))",
                vec!["NULL|1", "false|0", "true|0"],
            ),
            (
                "SELECT coalesce(a, 0.5) AS x, grouping(coalesce(a, 0.5)), grouping(CASE WHEN a > 1 THEN b ELSE 1e0 END) AS g
                 FROM t GROUP BY ROLLUP (coalesce(a, 0.5), CASE WHEN a > 1 THEN b ELSE 1e0 END)",
                vec!["1.0|0|0", "1.0|0|1", "2.0|0|0", "2.0|0|1", "NULL|1|1"],
            ),
            (
                "SELECT CASE WHEN a = 1 THEN b ELSE b END AS x, b FROM t GROUP BY GROUPING SETS ((b, CASE WHEN a = 1 THEN b ELSE b END), ())",
                vec!["5|5", "NULL|NULL"],
            ),
        ] {
            assert_eq!(rows(&session, sql).await, expected, "{sql}");
        }
    }

    /// Fails as soon as DataFusion leaves the set without a name: then the mend can go.
    #[tokio::test]
    async fn canary() {
        let session = plain();
        rows(
            &session,
            "CREATE TABLE t (a INT, b INT) AS VALUES (1, 5), (2, 5)",
        )
        .await;
        let error = try_rows(&session, SIMPLIFIED).await.unwrap_err();
        assert!(error.contains("No field named"), "{error}");
    }
}
