//! A plan that is kept gives the rows that are planned for the values, and reads as much.

use std::sync::Arc;

use futures::StreamExt;

use crate::params;
use crate::run::meter::Meter;
use crate::session::testing::{texts, with};
use crate::session::{Connection, Database, PreparedStatement, ScalarValue};

const SETUP: &[&str] = &[
    "CREATE TABLE salted (host TEXT, ts TIMESTAMP(3), k INT NULL, d DOUBLE NULL, PRIMARY KEY (salt(4), ts, host))",
    "CREATE TABLE plain (host TEXT, ts TIMESTAMP(3), k INT NULL, d DOUBLE NULL, PRIMARY KEY (host, ts))",
    "CREATE TABLE remainders (id INT, v INT, PRIMARY KEY (id % 8, id))",
    "INSERT INTO salted SELECT 'h' || (value % 5), to_timestamp_millis(value * 1000), nullif(value % 11, 0), value / 4.0
        FROM generate_series(0, 999)",
    "INSERT INTO plain SELECT * FROM salted",
    "INSERT INTO remainders SELECT value, value % 7 FROM generate_series(-50, 50)",
];

fn stamp(seconds: i64) -> ScalarValue {
    ScalarValue::TimestampMillisecond(Some(seconds * 1000), None)
}

fn stamps(pairs: &[(i64, i64)]) -> Vec<Vec<ScalarValue>> {
    let pair = |(first, last): &(i64, i64)| vec![stamp(*first), stamp(*last)];
    pairs.iter().map(pair).collect()
}

/// The connection for what is prepared, and one that plans every text anew.
async fn connections() -> (Connection, Connection) {
    let connection = with(SETUP).await;
    let anew = connection.database().connect();
    anew.context();
    (connection, anew)
}

async fn rows(prepared: &PreparedStatement, values: &[ScalarValue]) -> Vec<String> {
    let stream = prepared.query(values.to_vec()).await.unwrap();
    let mut rows = texts(&stream.collect().await.unwrap());
    rows.sort();
    rows
}

/// Whether the plan that was made last serves these values.
fn is_kept(prepared: &PreparedStatement, values: &[ScalarValue]) -> bool {
    prepared.planned_now().kept(values).unwrap().is_some()
}

/// Of two times.
const OF_RANGES: &[&str] = &[
    "SELECT count(*), sum(d), max(host) FROM salted WHERE ts >= $1 AND ts < $2",
    "SELECT host, count(k), sum(d) FROM salted WHERE ts BETWEEN $1 AND $2 GROUP BY host",
    "SELECT host, sum(d) AS n FROM salted WHERE ts >= $1 AND ts < $2 GROUP BY host HAVING count(*) > 3 ORDER BY host",
    "SELECT ts, host, row_number() OVER (ORDER BY ts, host) FROM salted WHERE ts >= $1 AND ts < $2",
    "SELECT DISTINCT k + 1 FROM salted WHERE ts >= $1 AND ts < $2 AND k IS NOT NULL",
];

/// Of a host.
const OF_HOSTS: &[&str] = &[
    "SELECT count(*), sum(d) FROM plain WHERE host = $1",
    "SELECT max(ts), min(ts) FROM plain WHERE host = $1",
    "SELECT host, max(ts) FROM plain WHERE host >= $1 GROUP BY host",
    "SELECT date_trunc('minute', ts), count(*) FROM plain WHERE host = $1 GROUP BY 1 ORDER BY 1",
];

/// Of a number, whose remainder leads the key.
const OF_KEYS: &[&str] = &[
    "SELECT sum(v), count(*) FROM remainders WHERE id = $1",
    "SELECT sum(v), count(*) FROM remainders WHERE id > $1",
    "SELECT v, count(*) FROM remainders WHERE id < $1 GROUP BY v",
];

/// Of a host and two times.
const OF_HOSTS_AND_RANGES: &[&str] =
    &["SELECT avg(d) FROM plain WHERE host = $1 AND ts >= $2 AND ts < $3"];

#[tokio::test]
async fn runs_with_other_values_give_what_is_planned_for_them() {
    let (connection, anew) = connections().await;
    let pairs = [
        (100, 300),
        (0, 999),
        (5, 5),
        (998, 2000),
        (300, 100),
        (7, 8),
    ];
    let ranges = stamps(&pairs);
    let hosts: Vec<Vec<ScalarValue>> = ["h1", "h4", "none", "h0"].map(|host| params![host]).into();
    let keys: Vec<Vec<ScalarValue>> = [-50, 3, 49, 51].map(|id| params![id]).into();
    let both = ["h1", "h2", "h9"].map(|host| params![host, stamp(100), stamp(700)]);
    let mut count = 0;
    for (queries, runs) in [
        (OF_RANGES, ranges),
        (OF_HOSTS, hosts),
        (OF_KEYS, keys),
        (OF_HOSTS_AND_RANGES, both.into()),
    ] {
        for sql in queries {
            let prepared = connection.prepare(sql).await.expect(sql);
            for values in runs.iter().chain(&runs) {
                count += usize::from(is_kept(&prepared, values));
                let mut expected = texts(&anew.query(sql, values.clone()).await.expect(sql));
                expected.sort();
                assert_eq!(rows(&prepared, values).await, expected, "{sql} {values:?}");
            }
        }
    }
    assert!(count > 60, "{count} runs had a plan that was kept");
}

#[tokio::test]
async fn a_kept_plan_reads_no_more_than_one_that_is_made_for_the_values() {
    let (connection, _) = connections().await;
    let meter = Arc::new(Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    let prepared = metered.prepare("SELECT max(ts) FROM plain WHERE host = $1");
    let prepared = prepared.await.unwrap();
    let mut read = Vec::new();
    for host in ["h1", "h2", "h3"] {
        let before = meter.totals().keys_read;
        rows(&prepared, &params![host]).await;
        read.push(meter.totals().keys_read - before);
    }
    assert_eq!(read, [1, 1, 1]);
    assert!(is_kept(&prepared, &params!["h4"]));
}

#[tokio::test]
async fn what_may_be_planned_otherwise_is_planned_anew() {
    let (connection, anew) = connections().await;
    // One remainder for one number, eight for a range: other partitions.
    let sql = "SELECT count(*) FROM remainders WHERE id >= $1 AND id <= $2";
    let prepared = connection.prepare(sql).await.unwrap();
    rows(&prepared, &params![5, 5]).await;
    assert!(is_kept(&prepared, &params![6, 6]));
    assert!(!is_kept(&prepared, &params![-9, 40]));
    let expected = texts(&anew.query(sql, params![-9, 40]).await.unwrap());
    assert_eq!(rows(&prepared, &params![-9, 40]).await, expected);
    for sql in [
        "SELECT host, sum(d) AS s FROM plain WHERE host >= $1 GROUP BY host ORDER BY s LIMIT 2",
        "SELECT count(*) FROM plain JOIN salted USING (host) WHERE plain.host = $1",
        "SELECT count(*) FROM (SELECT host FROM plain WHERE host = $1 UNION SELECT host FROM salted) AS q",
    ] {
        let prepared = connection.prepare(sql).await.unwrap();
        rows(&prepared, &params!["h1"]).await;
        assert!(!is_kept(&prepared, &params!["h1"]), "{sql}");
    }
}

/// One run in pieces, that are cut anew for each run.
#[tokio::test]
async fn plans_of_large_tables_are_kept() {
    let (connection, anew) = connections().await;
    for connection in [&connection, &anew] {
        for set in [
            "SET halite.piece_bytes = 5000",
            "SET datafusion.execution.target_partitions = 4",
        ] {
            connection.execute(set, ()).await.unwrap();
        }
    }
    for (sql, runs) in [
        ("SELECT sum(k), count(*) FROM plain", vec![vec![], vec![]]),
        (
            "SELECT d, count(*) FROM plain WHERE host >= $1 GROUP BY d",
            vec![params!["a"], params!["b"], params![""]],
        ),
    ] {
        let prepared = connection.prepare(sql).await.unwrap();
        rows(&prepared, &runs[0]).await;
        let larger = "INSERT INTO plain SELECT 'more', ts, k, d FROM salted";
        connection.execute(larger, ()).await.unwrap();
        for values in &runs {
            assert!(is_kept(&prepared, values), "{sql} {values:?}");
            let mut expected = texts(&anew.query(sql, values.clone()).await.unwrap());
            expected.sort();
            assert_eq!(rows(&prepared, values).await, expected, "{sql} {values:?}");
        }
        connection
            .execute("DELETE FROM plain WHERE host = 'more'", ())
            .await
            .unwrap();
    }
    // What has shrunk to one piece is planned anew.
    let prepared = connection
        .prepare("SELECT count(*) FROM plain")
        .await
        .unwrap();
    rows(&prepared, &[]).await;
    assert!(is_kept(&prepared, &[]));
    connection
        .execute("DELETE FROM plain WHERE host <> 'h1'", ())
        .await
        .unwrap();
    connection
        .execute("DELETE FROM plain WHERE ts > '1970-01-01T00:01:00'", ())
        .await
        .unwrap();
    assert!(!is_kept(&prepared, &[]));
    assert_eq!(rows(&prepared, &[]).await, ["12"]);
}

#[tokio::test]
async fn runs_side_by_side_share_nothing() {
    let (connection, _) = connections().await;
    let sql = "SELECT host, count(*) FROM salted WHERE ts >= $1 AND ts < $2 GROUP BY host";
    let prepared = Arc::new(connection.prepare(sql).await.unwrap());
    let runs = stamps(&[(0, 500), (0, 10), (250, 750), (990, 1000)]);
    let mut expected = Vec::new();
    for values in &runs {
        expected.push(rows(&prepared, values).await);
    }
    for _ in 0..20 {
        let mut streams = Vec::new();
        for values in &runs {
            streams.push(prepared.query(values.clone()).await.unwrap());
        }
        for (mut stream, expected) in streams.into_iter().zip(&expected) {
            let mut batches = Vec::new();
            while let Some(batch) = stream.next().await {
                batches.push(batch.unwrap());
            }
            let mut found = texts(&batches);
            found.sort();
            assert_eq!(&found, expected);
        }
    }
}

#[tokio::test]
async fn a_table_that_is_another_one_is_read() {
    let connection = Database::in_memory().unwrap().connect();
    let table = "CREATE OR REPLACE TABLE t (a INT, b INT, PRIMARY KEY (a, b))";
    let prepared = {
        connection.execute(table, ()).await.unwrap();
        connection
            .execute("INSERT INTO t VALUES (1, 1), (1, 2)", ())
            .await
            .unwrap();
        connection
            .prepare("SELECT sum(b) FROM t WHERE a = $1")
            .await
            .unwrap()
    };
    assert_eq!(rows(&prepared, &params![1]).await, ["3"]);
    connection
        .execute("INSERT INTO t VALUES (1, 4)", ())
        .await
        .unwrap();
    assert_eq!(rows(&prepared, &params![1]).await, ["7"]);
    connection.execute(table, ()).await.unwrap();
    connection
        .execute("INSERT INTO t VALUES (1, 9)", ())
        .await
        .unwrap();
    assert_eq!(rows(&prepared, &params![1]).await, ["9"]);
    connection
        .execute("SET halite.pushdown = false", ())
        .await
        .unwrap();
    assert_eq!(rows(&prepared, &params![1]).await, ["9"]);
}
