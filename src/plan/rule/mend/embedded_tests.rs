//! Columns of joins that have the same names, above a filter.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, plain_rows, rows};

/// Without the rule the columns that are taken have other names, and the query fails.
const MISSING: &str =
    "SELECT u.a, u.b + u.c AS x FROM t RIGHT JOIN u ON t.a = u.a WHERE t.a IS NULL";

/// Without the rule they have the same names, and the answer is wrong.
const WRONG: &str = "SELECT u.a, v.a + w.a AS x FROM t RIGHT JOIN (u CROSS JOIN v CROSS JOIN w) ON t.a = u.a \
     WHERE t.a IS NULL";

async fn with_tables(session: SessionContext) -> SessionContext {
    for sql in [
        "CREATE TABLE t (a INT, b INT, c INT) AS VALUES (1, 10, 100)",
        "CREATE TABLE u (a INT, b INT, c INT) AS VALUES (1, 11, 101), (2, 22, 202), (3, 33, 303)",
        "CREATE TABLE v (a INT) AS VALUES (10)",
        "CREATE TABLE w (a INT) AS VALUES (100)",
    ] {
        plain_rows(&session, sql).await.unwrap();
    }
    session
}

#[tokio::test]
async fn columns_are_those_of_the_table_that_they_are_of() {
    let session = with_tables(mended()).await;
    assert_eq!(rows(&session, MISSING).await, ["2|224", "3|336"]);
    assert_eq!(rows(&session, WRONG).await, ["2|110", "3|110"]);
    let other = "SELECT t.a, t.b + t.c AS x FROM u LEFT JOIN t ON t.a = u.a WHERE u.b - coalesce(t.b, 0) < 2";
    assert_eq!(rows(&session, other).await, ["1|110"]);
}

/// Fails as soon as DataFusion tells a filter's columns from those of its input: then the rule can go.
#[tokio::test]
async fn canary() {
    let session = with_tables(plain()).await;
    // The name of the rule that fails stands in front.
    let failed = plain_rows(&session, MISSING).await.unwrap_err();
    assert_eq!(failed, "ProjectionPushdown");
}
