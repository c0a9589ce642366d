//! Lists of SELECT that are written alike, one over the other, beside what DataFusion makes of them.

use datafusion::prelude::SessionContext;

use crate::session::testing::{mended, plain, plain_rows, rows};

async fn filled(session: SessionContext) -> SessionContext {
    for sql in [
        "CREATE TABLE t (id INT, b BIGINT)",
        "INSERT INTO t VALUES (1, 1), (2, 5), (3, NULL)",
        "CREATE VIEW v AS SELECT b AS a FROM t",
        "CREATE VIEW v2 AS SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 2 AS a FROM v))",
    ] {
        session.sql(sql).await.unwrap().collect().await.unwrap();
    }
    session
}

/// Queries that DataFusion answers wrongly, and their rows.
const WRONG: &[(&str, &[&str])] = &[
    (
        "SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT value AS a FROM generate_series(1, 2)))",
        &["3", "4"],
    ),
    (
        "SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t)))",
        &["4", "8", "NULL"],
    ),
    (
        "SELECT y AS x, x AS y FROM (SELECT y AS x, x AS y FROM (SELECT id AS x, b AS y FROM t))",
        &["1|1", "2|5", "3|NULL"],
    ),
    // Alike only when the two upper ones have been merged.
    (
        "SELECT b + 1 AS a FROM (SELECT a AS b FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t)))",
        &["3", "7", "NULL"],
    ),
    // Not merged, as it would be computed twice.
    (
        "SELECT a + a AS a FROM (SELECT a + a AS a FROM (SELECT a + a AS a FROM (SELECT b AS a FROM t)))",
        &["40", "8", "NULL"],
    ),
    // Alike only when columns that nobody names are gone.
    (
        "SELECT a + a AS a FROM (SELECT a + a AS a, a AS b FROM (SELECT a + a AS a, 1 AS c FROM (SELECT b AS a FROM t)))",
        &["40", "8", "NULL"],
    ),
    (
        "SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t) WHERE a > 1) WHERE a > 2",
        &["7"],
    ),
    (
        "SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t)) ORDER BY a NULLS LAST LIMIT 1",
        &["3"],
    ),
    (
        "WITH c AS (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t))) SELECT a FROM c",
        &["3", "7", "NULL"],
    ),
    ("SELECT a FROM v2", &["5", "9", "NULL"]),
    (
        "SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM v) UNION ALL SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT 1 AS a))",
        &["3", "3", "7", "NULL"],
    ),
    (
        "SELECT id FROM t WHERE id IN (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t)))",
        &["3"],
    ),
    (
        "SELECT id FROM t WHERE id = (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT min(b) AS a FROM t)))",
        &["3"],
    ),
    (
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t))) q WHERE q.a = t.id)",
        &["3"],
    ),
    (
        "SELECT DISTINCT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b % 2 AS a FROM t))",
        &["3", "NULL"],
    ),
    (
        "SELECT count(a) AS n FROM (SELECT nullif(a, 5) + 1 AS a FROM (SELECT nullif(a, 5) + 1 AS a FROM (SELECT b + 3 AS a FROM t)))",
        &["1"],
    ),
    (
        "SELECT upper(a) || '.' AS a FROM (SELECT upper(a) || '.' AS a FROM (SELECT 'x' AS a))",
        &["X.."],
    ),
];

/// Queries like them that DataFusion answers rightly.
const RIGHT: &[(&str, &[&str])] = &[
    (
        "SELECT count(a) AS a FROM (SELECT count(a) AS a FROM (SELECT b AS a FROM t))",
        &["1"],
    ),
    (
        "SELECT sum(a) OVER () AS a FROM (SELECT sum(a) OVER () AS a FROM (SELECT b AS a FROM t))",
        &["18", "18", "18"],
    ),
    (
        "SELECT max(a) + 1 AS a FROM (SELECT max(a) + 1 AS a FROM (SELECT b AS a FROM t))",
        &["7"],
    ),
    (
        "SELECT a + 1 AS a FROM (SELECT DISTINCT a + 1 AS a FROM (SELECT DISTINCT b AS a FROM t))",
        &["3", "7", "NULL"],
    ),
    (
        "SELECT q.a + 1 AS a FROM (SELECT q.a + 1 AS a FROM (SELECT b AS a FROM t) q) q",
        &["3", "7", "NULL"],
    ),
    (
        "SELECT a AS a FROM (SELECT a AS a FROM (SELECT b AS a FROM t))",
        &["1", "5", "NULL"],
    ),
    (
        "SELECT x - y AS d FROM (SELECT r AS x, r AS y FROM (SELECT r + random() AS r FROM (SELECT r + random() AS r FROM (SELECT id AS r FROM t))))",
        &["0.0", "0.0", "0.0"],
    ),
    (
        "SELECT named_struct('a', s['a'] + 1) AS s FROM (SELECT named_struct('a', s['a'] + 1) AS s FROM (SELECT named_struct('a', 1) AS s)) WHERE s['a'] > 0",
        &["{a: 3}"],
    ),
    (
        "SELECT count(*) AS n FROM (SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t)))",
        &["3"],
    ),
];

#[tokio::test]
async fn lists_written_alike_are_computed_one_after_the_other() {
    let session = filled(mended()).await;
    for (sql, expected) in WRONG.iter().chain(RIGHT) {
        assert_eq!(rows(&session, sql).await, *expected, "{sql}");
    }
}

/// In a prepared statement, and in a query whose rows are written.
#[tokio::test]
async fn lists_written_alike_are_computed_where_they_are_executed() {
    let session = filled(mended()).await;
    for sql in [
        "PREPARE p AS SELECT a + $1 AS a FROM (SELECT a + $1 AS a FROM (SELECT b AS a FROM t))",
        "CREATE TABLE w (a BIGINT)",
        "INSERT INTO w SELECT a + 1 AS a FROM (SELECT a + 1 AS a FROM (SELECT b AS a FROM t))",
    ] {
        rows(&session, sql).await;
    }
    assert_eq!(rows(&session, "EXECUTE p(2)").await, ["5", "9", "NULL"]);
    assert_eq!(rows(&session, "SELECT a FROM w").await, ["3", "7", "NULL"]);
}

/// Names, types and the rest of the plan are those of lists that are written otherwise.
#[tokio::test]
async fn a_plan_shows_nothing_of_it() {
    use crate::session::testing::optimized;
    let session = filled(mended()).await;
    let alike = "SELECT a || 'x' AS a FROM (SELECT a || 'x' AS a FROM (SELECT 'y' || id AS a FROM t) WHERE a > 'b')";
    let other = alike.replacen("a || 'x' AS a", "b || 'x' AS a", 1);
    let other = other.replacen("(SELECT a || 'x' AS a", "(SELECT a || 'x' AS b", 1);
    let plan = optimized(&session, alike).await;
    assert_eq!(plan, optimized(&session, &other).await);
    assert!(!plan.contains("apart"), "{plan}");
}

/// Fails as soon as DataFusion computes them: then the wrapper can go.
#[tokio::test]
async fn canary() {
    let session = filled(plain()).await;
    let mut otherwise = Vec::new();
    for (list, is_right) in [(WRONG, false), (RIGHT, true)] {
        for (sql, expected) in list {
            let found = plain_rows(&session, sql).await;
            let as_expected = found.as_ref().is_ok_and(|found| found == expected);
            if as_expected != is_right {
                otherwise.push(format!("{sql}: {found:?}"));
            }
        }
    }
    assert!(otherwise.is_empty(), "{}", otherwise.join("\n"));
}
