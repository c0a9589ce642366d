use datafusion::execution::memory_pool::MemoryPool;

use super::*;
use crate::error::ErrorKind;
use crate::run::meter::Meter;
use crate::session::{Connection, Database};

/// More than a hash table of 96 MiB holds.
const ROWS: usize = 3_000_000;

async fn connection(joins: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "SET halite.memory_limit = '96M'".to_owned(),
        "SET datafusion.execution.target_partitions = 2".to_owned(),
        format!("SET halite.joins = '{joins}'"),
    ] {
        connection.execute(&sql, ()).await.unwrap();
    }
    connection
}

/// A join of two sides that are alike.
fn joined(kind: &str, condition: &str) -> String {
    let side = |name: &str| {
        format!(
            "(SELECT value * 7919 % 3000017 AS k, value AS v, value + 1 AS w, value + 2 AS x FROM generate_series(1, {ROWS})) {name}"
        )
    };
    format!(
        "{} {kind} JOIN {} ON l.k = r.k {condition}",
        side("l"),
        side("r")
    )
}

async fn number(connection: &Connection, sql: &str) -> Result<i64> {
    let row = connection.query_row(sql, ()).await?.unwrap();
    row.get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_that_does_not_fit_is_merged() {
    let auto = connection("auto").await;
    let hash = connection("hash").await;
    let join = joined("", "");
    let count = format!("SELECT count(l.w + l.x + r.w + r.x) FROM {join}");
    let error = number(&hash, &count).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("HashJoinInput"), "{error}");
    assert_eq!(number(&auto, &count).await.unwrap(), ROWS as i64);
    let filtered = joined("LEFT", "AND l.v % 2 = r.v % 3");
    let count = format!("SELECT count(r.w) * 10000000 + count(*) FROM {filtered}");
    let expected = (1..=ROWS).filter(|v| v % 2 == v % 3).count() as i64;
    assert_eq!(
        number(&auto, &count).await.unwrap(),
        expected * 10_000_000 + ROWS as i64
    );
    assert_eq!(auto.database().memory().reserved(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_whose_join_does_not_fit_is_made_once() {
    let auto = connection("auto").await;
    let meter = Arc::new(Meter::default());
    let auto = auto.metered(Arc::clone(&meter));
    auto.execute("CREATE TABLE t (k BIGINT, n BIGINT, PRIMARY KEY (k))", ())
        .await
        .unwrap();
    let join = joined("", "");
    let insert =
        format!("INSERT INTO t SELECT l.v, l.w + l.x + r.w + r.x FROM {join} WHERE l.v % 1000 = 0");
    // The optimizer takes the condition to both sides where it can.
    let written = auto.execute(&insert, ()).await.unwrap();
    assert_eq!(written, ROWS as u64 / 1000);
    let plan = format!("EXPLAIN {insert}");
    assert!(auto.query(&plan, ()).await.is_ok());
    let count = "SELECT count(*) FROM t WHERE n = 4 * k + 6";
    assert_eq!(number(&auto, count).await.unwrap(), ROWS as i64 / 1000);
    let own = "SELECT count(*) FROM t";
    let before = meter.totals().keys_read;
    assert_eq!(number(&auto, own).await.unwrap(), ROWS as i64 / 1000);
    assert!(meter.totals().keys_read >= before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_of_many_rows_with_one_key_is_refused() {
    let merge = connection("merge").await;
    let side = "(SELECT value % 2 AS k, repeat('x', 300) AS t FROM generate_series(1, 1000000))";
    let sql = format!("SELECT max(l.t || r.t) FROM {side} l JOIN {side} r ON l.k = r.k");
    let error = merge.query(&sql, ()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("the rows with one key"), "{error}");
    assert_eq!(merge.database().memory().reserved(), 0);
}
