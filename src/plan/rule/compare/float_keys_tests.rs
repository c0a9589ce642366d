//! Zeros that are told apart by their bits are compared by their value.

use crate::session::testing::{plain, rows, rows_of, with};

/// 31 zeros among 151 numbers.
const FILLED: [&str; 2] = [
    "CREATE TABLE t (id BIGINT, c DOUBLE, PRIMARY KEY (id))",
    "INSERT INTO t SELECT value, CASE WHEN value % 5 = 0 THEN 0.0 ELSE value - 1.5 END FROM generate_series(0, 150) g (value)",
];

#[tokio::test]
async fn both_zeros_are_one_wherever_they_are_compared() {
    let connection = with(&FILLED).await;
    for (sql, expected) in [
        (
            "SELECT count(*) FROM (SELECT -c AS x FROM t) s WHERE x = 0.0",
            "31",
        ),
        (
            "SELECT count(*) FROM t, (SELECT -0.0::DOUBLE AS x) s WHERE x = c",
            "31",
        ),
        (
            "SELECT count(*) FROM t WHERE c IN (SELECT -0.0::DOUBLE)",
            "31",
        ),
        (
            "SELECT count(*) FROM t WHERE c NOT IN (SELECT -0.0::DOUBLE)",
            "120",
        ),
        (
            "SELECT count(*) FROM t JOIN (SELECT -c AS x FROM t) s ON x = c",
            "963",
        ),
        (
            "SELECT count(*) FROM t JOIN (SELECT 1 AS k, -0.0::DOUBLE AS x) s ON x >= c AND x <= c",
            "31",
        ),
        (
            "SELECT count(*) FROM t a WHERE EXISTS (SELECT 1 FROM (VALUES (-0.0::DOUBLE)) v (x) WHERE v.x = a.c)",
            "31",
        ),
        (
            "SELECT count(*) FROM t JOIN (VALUES (-0.0::DOUBLE), (7777.0)) v (c) USING (c)",
            "31",
        ),
        (
            "SELECT count(*) FROM t RIGHT JOIN (VALUES (-0.0::DOUBLE), (7777.0)) v (c) USING (c)",
            "32",
        ),
        (
            "SELECT count(*) FROM t JOIN (SELECT max(-c) AS x FROM t WHERE c = 0 UNION ALL SELECT 7.0) s ON s.x = t.c",
            "31",
        ),
    ] {
        assert_eq!(rows_of(&connection, sql).await, [expected], "{sql}");
    }
}

/// Where DataFusion computes a key below a join it lists it beside the column that it is made of.
#[tokio::test]
async fn a_key_stands_beside_its_column() {
    let connection = with(&FILLED).await;
    let sql = "SELECT q.x FROM (SELECT 1 AS x FROM t WHERE id < 2) q CROSS JOIN t r WHERE r.id < 3 AND r.c = \
         (SELECT max(s.c) FROM t s WHERE s.id = r.id HAVING TRUE) AND NOT EXISTS (SELECT 1 FROM t WHERE id = 1000)";
    let found = rows_of(&connection, sql).await;
    assert_eq!(found, ["1"; 6]);
}

/// A key that is a column of a table is looked up as it was.
#[tokio::test]
async fn what_is_canonical_is_left_alone() {
    let connection = with(&FILLED).await;
    for sql in [
        "EXPLAIN SELECT * FROM t a JOIN t b ON a.c = b.c WHERE a.id < 10",
        "EXPLAIN SELECT * FROM t a JOIN (SELECT c AS x, count(*) FROM t GROUP BY c) b ON a.c = b.x",
        "EXPLAIN SELECT * FROM t a JOIN (VALUES (0.0::DOUBLE), (1.5)) b (x) ON a.c = b.x",
    ] {
        let plan = rows_of(&connection, sql).await.join("\n");
        assert!(
            plan.contains("on=[(c@") || plan.contains("on=[(x@"),
            "{sql}: {plan}"
        );
    }
}

/// Fails as soon as DataFusion compares the zeros of a list by their value, as a join hands it to a scan: then the mend can
/// go.
#[tokio::test]
async fn canary() {
    let session = plain();
    rows(&session, "CREATE TABLE t (c DOUBLE) AS VALUES (0.0)").await;
    let listed = "SELECT count(*) FROM t WHERE c IN (-c, 5.0, 6.0, 7.0)";
    let listed = rows(&session, listed).await;
    let constants = "SELECT count(*) FROM t WHERE c IN ('-0.0'::DOUBLE, 5.0, 6.0, 7.0)";
    let constants = rows(&session, constants).await;
    assert!(
        listed != ["1"] || constants != ["1"],
        "{listed:?} {constants:?}"
    );
}
