//! The time of day is no order of days.
//!
//! DataFusion takes every cast between types of time for one that keeps the order, `CAST(ts AS TIME)`, too: over rows in
//! the order of `ts` it sorts nothing, and `ORDER BY CAST(ts AS TIME) LIMIT 1` gives the first row of the first day.
//! Such a cast is put in `crate::plan::rule::opaque`, of which no rule knows what they keep.

use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, TryCast};

use crate::plan::rule::opaque::{self, Kind};
use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{has_any, map_named};

/// The rule. See the [module](self).
pub(crate) const HIDE_CLOCKS: NodeRule = NodeRule {
    name: "halite_hide_clocks",
    rewrite: hide,
};

fn hide(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !has_any(&plan, is_clock)? {
        return Ok(Transformed::no(plan));
    }
    map_named(plan, |expr| expr.transform_down(hidden))
}

fn hidden(expr: Expr) -> Result<Transformed<Expr>> {
    if opaque::inside(&expr, Kind::AsIs).is_some_and(is_clock) {
        return Ok(Transformed::new(expr, false, TreeNodeRecursion::Jump));
    }
    Ok(if is_clock(&expr) {
        Transformed::new(
            opaque::around(expr, Kind::AsIs),
            true,
            TreeNodeRecursion::Jump,
        )
    } else {
        Transformed::no(expr)
    })
}

fn is_clock(expr: &Expr) -> bool {
    let (Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. })) = expr else {
        return false;
    };
    matches!(field.data_type(), DataType::Time32(_) | DataType::Time64(_))
}

#[cfg(test)]
mod tests {
    use crate::session::Database;

    #[tokio::test]
    async fn rows_are_sorted_by_the_time_of_day() {
        let connection = Database::in_memory().unwrap().connect();
        for statement in [
            "CREATE TABLE t (ts TIMESTAMP(3), id INT, PRIMARY KEY (salt(2), ts, id))",
            "INSERT INTO t VALUES ('2024-01-01 10:00:00', 1), ('2024-01-02 09:00:00', 2), ('2024-01-03 08:00:00', 3)",
            "PREPARE p AS SELECT id FROM t WHERE id < $1 ORDER BY CAST(ts AS TIME), ts",
        ] {
            connection.execute(statement, ()).await.unwrap();
        }
        for (sql, expected) in [
            (
                "SELECT id FROM t ORDER BY CAST(ts AS TIME)",
                vec![(3,), (2,), (1,)],
            ),
            (
                "SELECT id FROM t ORDER BY ts::TIME DESC LIMIT 1",
                vec![(1,)],
            ),
            (
                "SELECT id FROM t ORDER BY TRY_CAST(ts AS TIME), id LIMIT 1",
                vec![(3,)],
            ),
            (
                "SELECT id FROM (SELECT id, CAST(ts AS TIME) AS clock FROM t) s ORDER BY clock LIMIT 2",
                vec![(3,), (2,)],
            ),
            (
                "SELECT max(id) FROM t GROUP BY CAST(ts AS TIME) ORDER BY CAST(ts AS TIME)",
                vec![(3,), (2,), (1,)],
            ),
            (
                "SELECT id FROM t WHERE CAST(ts AS TIME) < TIME '08:30:00'",
                vec![(3,)],
            ),
            ("EXECUTE p(3)", vec![(2,), (1,)]),
        ] {
            let rows = connection.rows(sql, ()).await.expect(sql);
            let rows: Vec<(i32,)> = rows.to_vec().unwrap();
            assert_eq!(rows, expected, "{sql}");
        }
    }
}
