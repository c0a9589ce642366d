//! What is optimized once gives the rows that are planned for the values.

use crate::params;
use crate::session::testing::texts;
use crate::session::{Connection, Database, ScalarValue};

const SETUP: &[&str] = &[
    "CREATE TABLE t (host TEXT, ts TIMESTAMP(3), k INT NULL, d DOUBLE NULL, PRIMARY KEY (salt(4), ts, host))",
    "CREATE TABLE u (host TEXT, note TEXT NULL, PRIMARY KEY (host))",
    "INSERT INTO t SELECT 'h' || (value % 5), to_timestamp_millis(value * 1000), nullif(value % 11, 0), value / 4.0
        FROM generate_series(0, 999)",
    "INSERT INTO u SELECT 'h' || value, CASE WHEN value < 3 THEN 'n' || value END FROM generate_series(0, 3)",
];

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in SETUP {
        connection.execute(sql, ()).await.expect(sql);
    }
    connection
}

fn stamp(seconds: i64) -> ScalarValue {
    ScalarValue::TimestampMillisecond(Some(seconds * 1000), None)
}

/// The rows of a query that is run from what was planned, and as it is planned for the values.
async fn both(
    connection: &Connection,
    sql: &str,
    values: &[ScalarValue],
) -> (Option<Vec<String>>, Vec<String>) {
    let prepared = connection.prepare(sql).await.expect(sql);
    let planned = prepared.planned_now();
    let is_optimized = planned.optimized(values).expect(sql).is_some();
    let sorted = |batches: Vec<_>| {
        let mut rows = texts(&batches);
        rows.sort();
        rows
    };
    let again = prepared.query(values.to_vec()).await.expect(sql);
    let again = sorted(again.collect().await.expect(sql));
    // Whoever takes the session has every text planned anew.
    connection.context();
    let anew = connection.query(sql, values.to_vec()).await.expect(sql);
    (is_optimized.then_some(again), sorted(anew))
}

#[tokio::test]
async fn values_are_put_into_an_optimized_plan() {
    let connection = connection().await;
    for (sql, values) in [
        (
            "SELECT count(*), sum(d), max(host) FROM t WHERE ts >= $1 AND ts < $2",
            params![stamp(100), stamp(300)],
        ),
        (
            "SELECT host, count(k) AS n FROM t WHERE k IN ($1, $2) GROUP BY host HAVING count(*) > 1 ORDER BY n DESC, host",
            params![3, 7],
        ),
        (
            "SELECT t.ts, u.note FROM t JOIN u ON t.host = u.host WHERE u.note = $1 AND t.ts < $2",
            params!["n1", stamp(200)],
        ),
        (
            "SELECT t.ts, u.note FROM t LEFT JOIN u ON t.host = u.host WHERE t.host = $1 AND t.ts < $2",
            params!["h4", stamp(200)],
        ),
        (
            "SELECT max(ts) FROM t WHERE host IN (SELECT host FROM u WHERE note = $1)",
            params!["n2"],
        ),
        (
            "SELECT count(*) FROM t WHERE d > (SELECT avg(d) FROM t WHERE ts < $1)",
            params![stamp(500)],
        ),
        (
            "SELECT ts, row_number() OVER (ORDER BY ts DESC) AS n FROM t WHERE host = $1 AND ts BETWEEN $2 AND $3",
            params!["h2", stamp(10), stamp(60)],
        ),
        (
            "SELECT k FROM t WHERE host = $1 UNION SELECT k + 1 FROM t WHERE host = $2 AND ts < $3",
            params!["h1", "h2", stamp(40)],
        ),
        (
            "SELECT count(*) FROM t WHERE ts > $1 AND k IS NULL",
            params![stamp(700)],
        ),
        ("SELECT 1 AS one, 'x' AS x", params![]),
    ] {
        let (again, anew) = both(&connection, sql, &values).await;
        let again = again.unwrap_or_else(|| panic!("{sql} is optimized for each run"));
        assert_eq!(again, anew, "{sql}");
        assert!(!anew.is_empty(), "{sql}");
    }
}

#[tokio::test]
async fn what_depends_on_values_or_the_time_is_planned_for_each_run() {
    let connection = connection().await;
    for (sql, values) in [
        // A value of another type, one that is computed with, one that is no condition of a scan, and the time.
        ("SELECT count(*) FROM t WHERE k < $1", params![2.5]),
        ("SELECT count(*) FROM t WHERE d > $1", params![3]),
        ("SELECT count(*) FROM t WHERE k = $1", params![None::<i32>]),
        ("SELECT count(*) FROM t WHERE k + 1 = $1", params![4]),
        (
            "SELECT k + $1 AS n FROM t WHERE k = 3 AND host = 'h1'",
            params![1],
        ),
        (
            "SELECT host, sum(d) AS n FROM t GROUP BY host HAVING sum(d) > $1",
            params![-0.0],
        ),
        ("SELECT host FROM t ORDER BY ts LIMIT $1", params![2_i64]),
        (
            "SELECT count(*) FROM t WHERE ts < now() AND host = $1",
            params!["h1"],
        ),
    ] {
        let (again, anew) = both(&connection, sql, &values).await;
        assert_eq!(again, None, "{sql}");
        assert!(!anew.is_empty(), "{sql}");
    }
}

/// What a plan takes from settings is that of the settings of each run.
#[tokio::test]
async fn settings_that_change_count_at_the_next_run() {
    let connection = connection().await;
    let sql = "SELECT k FROM t WHERE host <> $1 ORDER BY k LIMIT 1";
    let prepared = connection.prepare(sql).await.unwrap();
    let found = async || {
        let row = prepared.query_row(("h9",)).unwrap().unwrap();
        let mut found = vec![row.get::<Option<i32>>(0).unwrap()];
        for _ in 0..3 {
            let row = connection.query_row(sql, ("h9",)).await.unwrap().unwrap();
            found.push(row.get(0).unwrap());
        }
        found
    };
    assert_eq!(found().await, [Some(1); 4]);
    let nulls_first = "SET datafusion.sql_parser.default_null_ordering = 'nulls_min'";
    connection.execute(nulls_first, ()).await.unwrap();
    assert_eq!(found().await, [None; 4]);
}
