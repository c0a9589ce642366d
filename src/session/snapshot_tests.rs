//! A statement sees one moment of the store, however often it reads a table while others write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use datafusion::dataframe::DataFrame;

use super::{Connection, Database, PreparedStatement};
use crate::error::{Error, ErrorKind, Result};
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

/// Two tables of one row, and four threads for a query.
async fn tables() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "SET datafusion.execution.target_partitions = 4",
        "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k))",
        "CREATE TABLE other (k INT, v INT, PRIMARY KEY (k))",
        "INSERT INTO t VALUES (1, 1)",
        "INSERT INTO other VALUES (1, 1)",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

#[tokio::test]
async fn a_query_whose_table_went_after_it_was_planned_says_so() {
    for change in ["DROP TABLE t", "TRUNCATE TABLE t"] {
        for sql in [
            "SELECT v FROM t WHERE k = 1",
            "SELECT count(*) FROM t x JOIN t y ON x.v = y.v",
            "SELECT count(*) FROM keys('t')",
        ] {
            let connection = tables().await;
            let state = connection.context().state();
            let plan = state.create_logical_plan(sql).await.unwrap();
            connection.execute(change, ()).await.unwrap();
            let frame = DataFrame::new(state, plan);
            let error = Error::from(frame.collect().await.unwrap_err());
            let named = error.message().contains("table `t` was dropped");
            assert!(named, "{change}, {sql}: {error}");
            assert_eq!(error.kind(), ErrorKind::Conflict, "{change}, {sql}");
        }
    }
}

/// What a prepared statement gives: the number in its only row, or that of the rows that it changed.
async fn given(prepared: &PreparedStatement, is_query: bool) -> Result<i64> {
    if is_query {
        prepared
            .rows(())
            .await?
            .iter()
            .map(|row| row.get::<i64>(0))
            .sum()
    } else {
        Ok(prepared.execute(()).await? as i64)
    }
}

#[tokio::test]
async fn a_prepared_statement_goes_on_with_the_tables_that_there_are() {
    // What each gives at first, when the table is emptied, and when it is another.
    let statements = [
        ("SELECT v FROM t WHERE k = 1", [1, 0, 7]),
        ("SELECT v FROM t WHERE k >= 1 LIMIT 1", [1, 0, 7]),
        ("SELECT count(*) FROM t x JOIN t y ON x.v = y.v", [1, 0, 1]),
        ("SELECT count(*) FROM keys('t')", [1, 0, 1]),
        ("DELETE FROM t WHERE k = 1", [1, 0, 1]),
        ("DELETE FROM other WHERE k IN (SELECT k FROM t)", [1, 0, 0]),
        ("INSERT OR REPLACE INTO other SELECT k, v FROM t", [1, 0, 1]),
        ("INSERT INTO t VALUES (2, 2)", [1, 1, 1]),
    ];
    for (sql, [first, emptied, other]) in statements {
        let is_query = sql.starts_with("SELECT");
        let connection = tables().await;
        let run = async |sql: &str| connection.execute(sql, ()).await.unwrap();
        let prepared = connection.prepare(sql).await.unwrap();
        run(&format!("PREPARE named AS {sql}")).await;
        assert_eq!(given(&prepared, is_query).await.unwrap(), first, "{sql}");
        run("TRUNCATE t").await;
        assert_eq!(given(&prepared, is_query).await.unwrap(), emptied, "{sql}");
        run("TRUNCATE t").await;
        run("EXECUTE named").await;
        run("DROP TABLE t").await;
        let gone = given(&prepared, is_query).await.unwrap_err();
        assert!(gone.message().contains("table"), "{sql}: {gone}");
        assert_eq!(gone.kind(), ErrorKind::InvalidInput, "{sql}: {gone}");
        let gone = connection.execute("EXECUTE named", ()).await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::InvalidInput, "{sql}: {gone}");
        run("CREATE TABLE t (v INT, k BIGINT, PRIMARY KEY (reverse_digits(k)))").await;
        run("INSERT INTO t (k, v) VALUES (1, 7)").await;
        let again = match sql {
            // Its second column is the key now.
            "INSERT INTO t VALUES (2, 2)" => connection.execute("EXECUTE named", ()).await,
            _ => given(&prepared, is_query).await.map(|given| given as u64),
        };
        assert_eq!(again.unwrap(), other as u64, "{sql}");
    }
}

#[tokio::test]
async fn execute_gives_the_rows_of_the_tables_that_there_are() {
    let connection = tables().await;
    let run = async |sql: &str| connection.execute(sql, ()).await.unwrap();
    for prepare in [
        "PREPARE open AS SELECT v FROM t WHERE k = $1",
        "PREPARE typed (INT) AS SELECT v FROM t WHERE k = $1",
        "PREPARE insert AS INSERT INTO t VALUES ($1, $2)",
    ] {
        run(prepare).await;
    }
    for value in [1, 5, 6] {
        for query in ["EXECUTE open(1)", "EXECUTE typed(1)"] {
            let row = connection.query_row(query, ()).await.unwrap().unwrap();
            assert_eq!(row.get::<i64>(0).unwrap(), value, "{query}");
        }
        run("TRUNCATE t").await;
        let none = connection.rows("EXECUTE open(1)", ()).await.unwrap();
        assert_eq!(none.len(), 0);
        run(&format!("EXECUTE insert(1, {})", value.max(4) + 1)).await;
    }
    // Of what is prepared again, the number of parameters is known, and it is forgotten as before.
    assert!(connection.execute("EXECUTE open(1, 2)", ()).await.is_err());
    run("DEALLOCATE open").await;
    run("TRUNCATE t").await;
    assert!(connection.execute("EXECUTE open(1)", ()).await.is_err());
}
