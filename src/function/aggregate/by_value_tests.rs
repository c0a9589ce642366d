//! `min` and `max` beside NaN, and what DataFusion makes of them.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, rows};

/// Rows in an order and in the other one.
async fn filled(session: SessionContext) -> SessionContext {
    for sql in [
        "CREATE TABLE s (id INT, g INT, x TEXT) AS VALUES
         (1, 1, '2.5'), (2, 1, 'NaN'), (3, 1, '-8.5'), (4, 2, 'NaN'), (5, 2, '7'), (6, 3, 'NaN'), (7, 4, NULL)",
        "CREATE TABLE t AS SELECT id, g, CAST(x AS DOUBLE) AS x, CAST(x AS REAL) AS y FROM s",
        "CREATE VIEW u AS SELECT * FROM t ORDER BY id DESC LIMIT 100",
    ] {
        let made = session.sql(sql).await.unwrap();
        made.collect().await.unwrap();
    }
    session
}

#[tokio::test]
async fn nan_is_the_greatest() {
    let session = filled(mended()).await;
    for table in ["t", "u"] {
        for (sql, expected) in [
            (
                "SELECT g, min(x), max(x), min(y), max(y) FROM t GROUP BY g",
                vec![
                    "1|-8.5|NaN|-8.5|NaN",
                    "2|7.0|NaN|7.0|NaN",
                    "3|NaN|NaN|NaN|NaN",
                    "4|NULL|NULL|NULL|NULL",
                ],
            ),
            (
                "SELECT min(x), max(x), min(-x), max(-y) FROM t",
                vec!["-8.5|NaN|-7.0|NaN"],
            ),
            (
                "SELECT min(x), max(x) FROM t WHERE id > 6",
                vec!["NULL|NULL"],
            ),
            (
                "SELECT g, max(x) FILTER (WHERE id < 5), min(DISTINCT x) FROM t GROUP BY ROLLUP (g)",
                vec![
                    "1|NaN|-8.5",
                    "2|NaN|7.0",
                    "3|NULL|NaN",
                    "4|NULL|NULL",
                    "NULL|NaN|-8.5",
                ],
            ),
            (
                "SELECT id, max(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
                vec![
                    "1|2.5", "2|NaN", "3|NaN", "4|NaN", "5|NaN", "6|NaN", "7|NaN",
                ],
            ),
            (
                "SELECT id, min(x) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
                vec![
                    "1|2.5", "2|2.5", "3|-8.5", "4|-8.5", "5|7.0", "6|7.0", "7|NaN",
                ],
            ),
            (
                "SELECT g FROM t GROUP BY g ORDER BY max(x) NULLS FIRST, g DESC LIMIT 2",
                vec!["3", "4"],
            ),
            (
                "SELECT g, max(x) FROM t GROUP BY g ORDER BY max(x) DESC NULLS LAST LIMIT 3",
                vec!["1|NaN", "2|NaN", "3|NaN"],
            ),
            (
                "SELECT g FROM t GROUP BY g HAVING max(x) > 1000",
                vec!["1", "2", "3"],
            ),
        ] {
            let sql = sql.replace("FROM t", &format!("FROM {table}"));
            assert_eq!(rows(&session, &sql).await, expected, "{sql}");
        }
    }
}

/// Fails as soon as DataFusion does not depend on the order of the rows: then the mend can go.
#[tokio::test]
async fn canary() {
    let session = filled(plain()).await;
    let mut answers = Vec::new();
    for table in ["t", "u"] {
        let sql = format!("SELECT max(x) FROM {table} WHERE g = 2 GROUP BY g");
        answers.extend(rows(&session, &sql).await);
    }
    assert_eq!(answers, ["7.0", "NaN"]);
}
