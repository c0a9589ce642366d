//! A key that a join computes is told from a column of its name.
//!
//! DataFusion computes such keys in a list of SELECT below the join, behind the columns that are there. Where one of these
//! has the words of the key for its name, as what rows were grouped by has, the query is refused: `SELECT (SELECT max(c)
//! FROM u WHERE u.a = length(t.b)) FROM t GROUP BY b, length(b)`. So that key is given another name, on each side one of
//! its own: where both sides had a column of one name, all columns of a side would be given one qualifier.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, JoinConstraint, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::plan::rule::rewriting::NodeRule;

/// The rule.
pub(crate) const NAME_KEYS: NodeRule = NodeRule {
    name: "halite_name_keys_of_joins",
    rewrite: name_keys,
};

fn name_keys(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(mut join) = plan else {
        return Ok(Transformed::no(plan));
    };
    let mut changed = false;
    for (number, (left, right)) in join.on.iter_mut().enumerate() {
        let sides = [
            (left, join.left.schema(), "left"),
            (right, join.right.schema(), "right"),
        ];
        for (key, schema, side) in sides {
            if is_taken(key, schema) {
                let name = format!("__halite_{side}_key_{number}");
                *key = std::mem::take(key).alias(name);
                changed = true;
            }
        }
    }
    if changed {
        // Keys of USING are columns, and whoever asks for these next would find others. Names mean one column by now.
        join.join_constraint = JoinConstraint::On;
    }
    Ok(Transformed::new_transformed(
        LogicalPlan::Join(join),
        changed,
    ))
}

/// Whether the name of a key is that of a column.
fn is_taken(key: &Expr, side: &DFSchema) -> bool {
    if matches!(key, Expr::Column(_) | Expr::Alias(_)) {
        return false;
    }
    let name = key.schema_name().to_string();
    let mut columns = side.columns().into_iter();
    columns.any(|column| column.flat_name() == name)
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, plain_rows, rows, rows_of, with};

    const CORRELATED: &str = "SELECT (SELECT max(x.id) FROM t x WHERE x.id = character_length(t.b)) AS m, character_length(t.b) FROM t GROUP BY t.b, character_length(t.b)";

    /// Both keys have the words of a column, and both tables of the left side one of the same name.
    const CAST_ON_BOTH_SIDES: &str = "WITH c AS (SELECT rank() OVER (ORDER BY id) AS x FROM t) \
        SELECT q.x FROM c AS p JOIN c AS q ON p.x < q.x \
        WHERE p.x IS DISTINCT FROM (SELECT count(*) AS x FROM t WHERE t.id = q.x) GROUP BY q.x";

    const FILLED: &str =
        "CREATE TABLE t (id INT, b TEXT) AS VALUES (1, 'x'), (2, 'xxx'), (3, 'yyy'), (4, 'x')";

    #[tokio::test]
    async fn a_key_may_have_the_words_of_a_column() {
        let session = mended();
        rows(&session, FILLED).await;
        for (sql, expected) in [
            (CORRELATED, vec!["1|1", "3|3", "3|3"]),
            (
                "SELECT (SELECT count(*) FROM t x WHERE x.id = id - id + 1 AND x.b = t.b) AS m, id - id FROM t GROUP BY id, id - id, b",
                vec!["0|0", "0|0", "1|0", "1|0"],
            ),
            (CAST_ON_BOTH_SIDES, vec!["3", "4"]),
        ] {
            assert_eq!(rows(&session, sql).await, expected, "{sql}");
        }
    }

    /// Whoever asks for the keys of USING asks for columns.
    #[tokio::test]
    async fn keys_of_using_may_be_of_two_types() {
        let connection = with(&[
            "CREATE TABLE l (a BIGINT)",
            "CREATE TABLE r (a INT, f INT, d INT)",
            "INSERT INTO l VALUES (1), (2)",
            "INSERT INTO r VALUES (1, 5, 7)",
        ])
        .await;
        let sql = "SELECT (SELECT max(y) FROM (SELECT count(DISTINCT r.f), max(count(*)) OVER () FROM l LEFT JOIN r \
                   USING (a) GROUP BY r.d) AS x (y, z))";
        assert_eq!(rows_of(&connection, sql).await, ["1"]);
    }

    /// Fails as soon as DataFusion tells the two apart: then the mend can go.
    #[tokio::test]
    async fn canary() {
        let session = plain();
        rows(&session, FILLED).await;
        let error = plain_rows(&session, CORRELATED).await.unwrap_err();
        assert!(error.contains("unique expression names"), "{error}");
    }
}
