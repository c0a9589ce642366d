//! A statement sees one moment of the store, however often it reads a table while others write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;

use super::{Connection, Database};
use crate::error::ErrorKind;
use crate::store::{MemoryStore, RocksStore, Store, StoreOptions};

/// How long readers and writer work against each other, on each store.
const DURATION: Duration = Duration::from_millis(1500);

/// Every statement of the writer gives all rows the same new `round`.
const WRITE: &str =
    "INSERT OR REPLACE INTO t SELECT value, value % 7, $1 FROM generate_series(0, 149)";

/// What is never so at one moment: each gives the number of rows that were read at another one.
const TORN: &[&str] = &[
    "SELECT count(*) FROM t x JOIN t y ON x.k = y.k WHERE x.round <> y.round",
    "SELECT count(*) FROM t x JOIN t y ON x.other = y.other WHERE x.k < y.k AND x.round <> y.round",
    "SELECT count(DISTINCT round) - 1 FROM t",
    "SELECT count(DISTINCT round) - 1 FROM (SELECT round FROM t UNION ALL SELECT round FROM t WHERE k > 75) u",
    "SELECT count(*) FROM t WHERE round <> (SELECT min(round) FROM t)",
    "SELECT count(*) FROM t WHERE round NOT IN (SELECT round FROM t WHERE k = 149)",
];

async fn number(connection: &Connection, sql: &str) -> i64 {
    let batches = connection.query(sql, Vec::new()).await.expect(sql);
    batches[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Reads while another thread writes; gives how many rounds were written, and how many of them the reader saw.
async fn read_while_written(store: Arc<dyn Store>) -> (u64, usize) {
    let database = Database::of_store(store).unwrap();
    let writer = database.connect();
    let create =
        "CREATE TABLE t (k INT, other INT NOT NULL, round BIGINT NOT NULL, PRIMARY KEY (k))";
    writer.execute(create, Vec::new()).await.unwrap();
    writer.execute(WRITE, crate::params![0_i64]).await.unwrap();
    let (stop, rounds) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let task = {
        let (stop, rounds) = (Arc::clone(&stop), Arc::clone(&rounds));
        tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let round = rounds.fetch_add(1, Ordering::Relaxed) + 1;
                writer
                    .execute(WRITE, crate::params![round as i64])
                    .await
                    .unwrap();
            }
        })
    };
    let reader = database.connect();
    for set in [
        "SET halite.piece_bytes = 500",
        "SET datafusion.execution.target_partitions = 4",
    ] {
        reader.execute(set, Vec::new()).await.unwrap();
    }
    let (start, mut seen) = (Instant::now(), std::collections::BTreeSet::new());
    while start.elapsed() < DURATION {
        for sql in TORN {
            assert_eq!(number(&reader, sql).await, 0, "{sql}");
        }
        seen.insert(number(&reader, "SELECT max(round) FROM t").await);
    }
    stop.store(true, Ordering::Relaxed);
    task.await.unwrap();
    (rounds.load(Ordering::Relaxed), seen.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_self_join_sees_one_moment_in_memory() {
    let (rounds, seen) = read_while_written(Arc::new(MemoryStore::new())).await;
    assert!(rounds > 10 && seen > 3, "{rounds} rounds, {seen} seen");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_self_join_sees_one_moment_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let store = RocksStore::open(directory.path().join("db"), &StoreOptions::default()).unwrap();
    let (rounds, seen) = read_while_written(Arc::new(store)).await;
    assert!(rounds > 10 && seen > 3, "{rounds} rounds, {seen} seen");
}

#[tokio::test]
async fn a_prepared_statement_whose_table_is_gone_says_so() {
    let statements = [
        "SELECT v FROM t WHERE k = 1",
        "SELECT count(*) FROM t x JOIN t y ON x.v = y.v",
        "SELECT count(*) FROM keys('t')",
        "DELETE FROM t WHERE k = 1",
        "DELETE FROM other WHERE k IN (SELECT k FROM t)",
        "INSERT INTO other SELECT k + 10, v FROM t",
        "INSERT INTO t VALUES (2, 2)",
    ];
    for change in ["DROP TABLE t", "TRUNCATE TABLE t"] {
        for sql in statements {
            let connection = Database::in_memory().unwrap().connect();
            connection
                .execute("SET datafusion.execution.target_partitions = 4", ())
                .await
                .unwrap();
            for table in ["t", "other"] {
                let create = format!("CREATE TABLE {table} (k INT, v INT, PRIMARY KEY (k))");
                connection.execute(&create, ()).await.unwrap();
                let insert = format!("INSERT INTO {table} VALUES (1, 1)");
                connection.execute(&insert, ()).await.unwrap();
            }
            let prepared = connection.prepare(sql).await.unwrap();
            connection.execute(change, ()).await.unwrap();
            let error = match sql.starts_with("SELECT") {
                true => prepared.rows(()).await.map(|_| ()).unwrap_err(),
                false => prepared.execute(()).await.map(|_| ()).unwrap_err(),
            };
            let named = error.message().contains("table `t` was dropped or emptied");
            assert!(named, "{change}, {sql}: {error}");
            assert_eq!(error.kind(), ErrorKind::Conflict, "{change}, {sql}");
            let rows = number(&connection, "SELECT count(*) FROM other").await;
            assert_eq!(rows, 1, "{change}, {sql}");
        }
    }
}
