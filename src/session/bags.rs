//! EXCEPT ALL and INTERSECT ALL: it counts how often a row is there.
//!
//! DataFusion makes a join of them that knows whether there is an equal row, and not how many: of three equal rows
//! EXCEPT ALL one it leaves none. So the rows of both sides are numbered, equal ones 1, 2, 3 …, and the first meets the
//! first, the second the second.
//!
//! Such a join is told by NULL, which equals NULL in it, as in no other that is planned of SQL, and by its left side, which
//! is DISTINCT without ALL. Where that is so in spite of ALL, each of its rows is there once, and the join is right.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, NullEquality, Result as PlanResult};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Distinct, Expr, ExprFunctionExt, Join, JoinType, LogicalPlan, LogicalPlanBuilder,
};

use crate::error::Result;

/// The names of the numbers on both sides.
const LEFT: &str = "__halite_left_number";
const RIGHT: &str = "__halite_right_number";

/// The plan with every EXCEPT ALL and INTERSECT ALL counting.
///
/// # Errors
/// `Internal` alone.
pub(super) fn counted(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut has_any = false;
    plan.apply_with_subqueries(|node| {
        has_any = has_any || is_all(node);
        Ok(match has_any {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    if !has_any {
        return Ok(plan);
    }
    let counted = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if is_of_all(&join) => Ok(Transformed::yes(numbered(join)?)),
        node => Ok(Transformed::no(node)),
    })?;
    Ok(counted.data)
}

fn is_all(node: &LogicalPlan) -> bool {
    matches!(node, LogicalPlan::Join(join) if is_of_all(join))
}

fn is_of_all(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && !matches!(*join.left, LogicalPlan::Distinct(Distinct::All(_)))
}

/// The join of rows that are numbered, with the columns that it had.
fn numbered(join: Join) -> PlanResult<LogicalPlan> {
    let columns = columns(&join.left);
    let left = with_numbers(&join.left, LEFT)?;
    let right = with_numbers(&join.right, RIGHT)?;
    let mut on = join.on;
    on.push((
        Expr::Column(Column::new_unqualified(LEFT)),
        Expr::Column(Column::new_unqualified(RIGHT)),
    ));
    let joined = Join::try_new(
        Arc::new(left),
        Arc::new(right),
        on,
        None,
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?;
    let joined = LogicalPlanBuilder::from(LogicalPlan::Join(joined));
    joined.project(columns)?.build()
}

/// The rows, equal ones numbered in a further column.
fn with_numbers(rows: &LogicalPlan, name: &str) -> PlanResult<LogicalPlan> {
    let columns = columns(rows);
    let number = row_number().partition_by(columns.clone()).build()?;
    let written = Column::new_unqualified(number.schema_name().to_string());
    let all = columns
        .into_iter()
        .chain([Expr::Column(written).alias(name)]);
    LogicalPlanBuilder::from(rows.clone())
        .window([number])?
        .project(all)?
        .build()
}

fn columns(rows: &LogicalPlan) -> Vec<Expr> {
    let columns = rows.schema().columns().into_iter();
    columns.map(Expr::Column).collect()
}

#[cfg(test)]
mod tests {
    use crate::session::Database;
    use crate::session::testing::texts;

    /// Rows are counted by hand: 1 is there three times on the left and once on the right, NULL twice and twice.
    #[tokio::test]
    async fn equal_rows_are_counted() {
        let connection = Database::in_memory().unwrap().connect();
        for sql in [
            "CREATE TABLE l (id INT, a INT, b TEXT, PRIMARY KEY (id))",
            "CREATE TABLE r (id INT, a BIGINT, b TEXT, PRIMARY KEY (id))",
            "INSERT INTO l VALUES (1, 1, 'x'), (2, 1, 'x'), (3, 1, 'x'), (4, NULL, NULL), (5, NULL, NULL), (6, 2, 'y')",
            "INSERT INTO r VALUES (1, 1, 'x'), (2, NULL, NULL), (3, NULL, NULL), (4, 3, 'z'), (5, 3, 'z')",
        ] {
            connection.execute(sql, ()).await.unwrap();
        }
        for (sql, expected) in [
            ("SELECT a FROM l EXCEPT ALL SELECT a FROM r", "1 1 2"),
            ("SELECT a FROM r EXCEPT ALL SELECT a FROM l", "3 3"),
            (
                "SELECT a FROM l INTERSECT ALL SELECT a FROM r",
                "1 NULL NULL",
            ),
            ("SELECT DISTINCT a FROM l EXCEPT ALL SELECT a FROM r", "2"),
            (
                "SELECT DISTINCT a FROM l INTERSECT ALL SELECT a FROM r",
                "1 NULL",
            ),
            // A star stands for columns, and a name for two.
            (
                "SELECT * EXCLUDE (id) FROM l EXCEPT ALL SELECT * EXCLUDE (id) FROM r",
                "1|x 1|x 2|y",
            ),
            (
                "SELECT a, a FROM l EXCEPT ALL SELECT a, a FROM r",
                "1|1 1|1 2|2",
            ),
            (
                "SELECT a, -a AS a FROM l INTERSECT ALL SELECT a, -a FROM r",
                "1|-1 NULL|NULL NULL|NULL",
            ),
            (
                "SELECT l.a, r.a FROM l JOIN r USING (a) EXCEPT ALL SELECT 1, 1",
                "1|1 1|1",
            ),
            // In each other, and in subqueries.
            (
                "SELECT a, a FROM l EXCEPT ALL (SELECT a, a FROM r EXCEPT ALL SELECT NULL, NULL)",
                "1|1 1|1 2|2 NULL|NULL",
            ),
            (
                "SELECT a, a FROM l EXCEPT ALL SELECT 1, 1 INTERSECT ALL SELECT a, a FROM r",
                "1|1 1|1 2|2 NULL|NULL NULL|NULL",
            ),
            (
                "SELECT count(*) FROM (SELECT a FROM l EXCEPT ALL SELECT a FROM r EXCEPT ALL VALUES (2)) t",
                "2",
            ),
            (
                "SELECT id FROM l WHERE a IN (SELECT a FROM l EXCEPT ALL SELECT a FROM r EXCEPT ALL SELECT 1)",
                "1 2 3 6",
            ),
            (
                "FROM l |> SELECT a |> EXCEPT DISTINCT (SELECT a FROM r)",
                "2",
            ),
        ] {
            let batches = connection.query(sql, ()).await;
            let mut rows = texts(&batches.unwrap_or_else(|error| panic!("{sql}\n{error}")));
            rows.sort();
            assert_eq!(rows.join(" "), expected, "{sql}");
        }
        let wrong = connection.query("SELECT a FROM l EXCEPT ALL SELECT a, b FROM r", ());
        let error = wrong.await.unwrap_err().to_string();
        assert!(error.contains("number of columns"), "{error}");
    }
}
