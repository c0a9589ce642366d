//! Claims that are false, beside what DataFusion makes of them.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, try_rows};

/// Queries with an order that a claim makes needless: what they give, as it comes.
const ORDERED: [(&str, &[&str]); 8] = [
    // A constant beside the NULLs of an outer join, from both ends.
    (
        "SELECT y.x FROM t LEFT JOIN (SELECT 3 AS x FROM t) y ON y.x = t.a ORDER BY y.x",
        &["3", "3", "3", "NULL", "NULL"],
    ),
    (
        "SELECT y.x FROM t LEFT JOIN (SELECT 3 AS x FROM t) y ON y.x = t.a ORDER BY y.x DESC",
        &["NULL", "NULL", "3", "3", "3"],
    ),
    // A constant beside the NULLs of a grouping set, from both ends.
    (
        "SELECT x, a FROM (SELECT 7 AS x, a FROM t) y GROUP BY GROUPING SETS ((x, a), (a)) ORDER BY x, a",
        &["7|1", "7|2", "7|3", "NULL|1", "NULL|2", "NULL|3"],
    ),
    (
        "SELECT x, a FROM (SELECT 7 AS x, a FROM t) y GROUP BY GROUPING SETS ((x, a), (a)) ORDER BY x DESC, a",
        &["NULL|1", "NULL|2", "NULL|3", "7|1", "7|2", "7|3"],
    ),
    // The order of the second side, which the ties of the first undo.
    (
        "SELECT l.b, r.a FROM (SELECT * FROM t ORDER BY b LIMIT 9) l
         JOIN (SELECT * FROM t ORDER BY a LIMIT 9) r ON l.a = 4 - r.a ORDER BY l.b, r.a",
        &["1|1", "1|2", "NULL|3"],
    ),
    // NULLs before the first value of a running maximum.
    (
        "SELECT max(b) OVER (ORDER BY b DESC, a) AS m FROM t ORDER BY m",
        &["1", "1", "NULL"],
    ),
    // Keys of groups that a projection takes for another column, from both ends.
    (
        "SELECT n, a FROM (SELECT count(*) AS n, a FROM t GROUP BY a ORDER BY n LIMIT 9) ORDER BY n, a",
        &["1|1", "1|2", "1|3"],
    ),
    (
        "SELECT n, a FROM (SELECT count(*) AS n, a FROM t GROUP BY a ORDER BY n LIMIT 9) ORDER BY n, a DESC",
        &["1|3", "1|2", "1|1"],
    ),
];

/// Of which the partitions are not found in the order that groups are taken to have.
const PARTITIONED: &str = "SELECT x, a, row_number() OVER (PARTITION BY x, a) AS r
    FROM (SELECT dense_rank() OVER () AS x, a FROM t GROUP BY a) ORDER BY a";

async fn filled(session: SessionContext) -> SessionContext {
    let made = session
        .sql("CREATE TABLE t (a INT, b INT) AS VALUES (1, NULL), (2, 1), (3, 1)")
        .await;
    made.unwrap().collect().await.unwrap();
    session
}

#[tokio::test]
async fn rows_come_in_the_order_that_is_asked_for() {
    let session = filled(mended()).await;
    for (sql, right) in ORDERED {
        assert_eq!(try_rows(&session, sql).await.unwrap(), right, "{sql}");
    }
    let partitioned = try_rows(&session, PARTITIONED).await;
    assert_eq!(partitioned.unwrap(), ["1|1|1", "1|2|1", "1|3|1"]);
}

/// Fails as soon as DataFusion gives one of them in its order: then that part of the mend can go.
#[tokio::test]
async fn canary() {
    let session = filled(plain()).await;
    let mut right = Vec::new();
    for (sql, expected) in ORDERED {
        let answer = try_rows(&session, sql).await;
        right.push(answer.is_ok_and(|rows| rows == expected));
    }
    // One end comes in order by chance.
    assert!(!(right[0] && right[1]), "{right:?}");
    assert!(!(right[6] && right[7]), "{right:?}");
    assert_eq!(right[2..6], [false; 4]);
}
