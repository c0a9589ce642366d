//! Tables whose keys have ids of a dictionary: among threads, among processes, and where a plan is older than a text.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::prelude::SessionContext;
use fastrand::Rng;
use futures::TryStreamExt;

use super::testing::{self, rows_of};
use super::{Connection, Database};
use crate::error::{Error, ErrorKind};
use crate::seed::seed;
use crate::store::{MemoryStore, Store};

const TABLE: &str = "CREATE TABLE t (name TEXT, k INT, v INT, PRIMARY KEY (dict(name), k))";

/// Two databases over one store, as two processes have it.
fn two() -> [Connection; 2] {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let databases = [Arc::clone(&store), store].map(|store| Database::of_store(store).unwrap());
    databases.map(|database| database.connect())
}

async fn run(connection: &Connection, sql: &str) -> u64 {
    testing::run(connection, sql).await.unwrap()
}

/// Each text has one id, and each id one text.
async fn assert_one_to_one(connection: &Connection) {
    let ids = rows_of(connection, r#"SELECT DISTINCT "dict(name)" FROM keys('t')"#).await;
    let names = rows_of(connection, "SELECT DISTINCT name FROM t").await;
    assert_eq!(ids.len(), names.len(), "{names:?}");
}

#[tokio::test]
async fn what_another_process_adds_is_known() {
    let [one, other] = two();
    run(&one, TABLE).await;
    for round in 0..20 {
        for (connection, process) in [(&one, "one"), (&other, "other")] {
            let sql = format!(
                "INSERT INTO t VALUES ('{process}', {round}, 0), ('{process}-{round}', 0, 0), ('both-{round}', 0, 0) ON CONFLICT DO NOTHING"
            );
            run(connection, &sql).await;
        }
        for connection in [&one, &other] {
            let name = format!(
                "SELECT count(*) FROM t WHERE name IN ('one-{round}', 'other-{round}', 'both-{round}')"
            );
            assert_eq!(rows_of(connection, &name).await, ["3"]);
        }
    }
    let expected: BTreeSet<String> = rows_of(&one, "SELECT name, k FROM t")
        .await
        .into_iter()
        .collect();
    let found: BTreeSet<String> = rows_of(&other, "SELECT name, k FROM t")
        .await
        .into_iter()
        .collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), 20 * 2 + 20 * 3);
    assert_one_to_one(&other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_that_bring_the_same_texts_get_the_same_ids() {
    let [one, other] = two();
    run(&one, TABLE).await;
    let seed = seed();
    let writers = (0..8_u64).map(|writer| {
        let connection = if writer % 2 == 0 {
            one.clone()
        } else {
            other.clone()
        };
        tokio::spawn(async move {
            let mut random = Rng::with_seed(seed ^ writer);
            for round in 0..30 {
                let names = (0..5).map(|_| random.u32(0..60));
                let rows = names.map(|name| format!("('n{name}', {}, {round})", writer));
                let rows: BTreeSet<String> = rows.collect();
                let rows = rows.into_iter().collect::<Vec<_>>().join(", ");
                run(&connection, &format!("REPLACE INTO t VALUES {rows}")).await;
            }
        })
    });
    futures::future::try_join_all(writers).await.unwrap();
    assert_one_to_one(&one).await;
    assert_one_to_one(&other).await;
    for name in rows_of(&one, "SELECT DISTINCT name FROM t").await {
        let by_name = format!("SELECT k FROM t WHERE name = '{name}' ORDER BY k");
        let by_all = format!("SELECT k FROM t WHERE concat(name, '') = '{name}' ORDER BY k");
        assert_eq!(
            rows_of(&other, &by_name).await,
            rows_of(&other, &by_all).await,
            "{name}"
        );
    }
}

/// A plan that looked a text up in vain must not read a moment at which rows have it.
#[tokio::test]
async fn a_plan_that_is_older_than_a_text_is_not_run() {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    run(&connection, TABLE).await;
    run(&connection, "INSERT INTO t VALUES ('old', 1, 1)").await;
    let table = database.table_provider("t").unwrap();
    let context = SessionContext::new();
    context.register_table("t", table).unwrap();
    let select = "SELECT k FROM t WHERE name IN ('old', 'new')";
    let plan = async || {
        context
            .sql(select)
            .await
            .unwrap()
            .create_physical_plan()
            .await
            .unwrap()
    };
    let rows = async |plan| {
        let batches: Vec<_> = datafusion::physical_plan::execute_stream(plan, context.task_ctx())?
            .try_collect()
            .await?;
        let count = batches.iter().map(|batch| batch.num_rows()).sum::<usize>();
        Ok::<_, datafusion::error::DataFusionError>(count)
    };
    let early = plan().await;
    assert_eq!(rows(Arc::clone(&early)).await.unwrap(), 1);
    run(&connection, "INSERT INTO t VALUES ('new', 2, 2)").await;
    let error = Error::from(rows(early).await.unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    // Nothing is looked up in vain any more.
    let late = plan().await;
    run(&connection, "INSERT INTO t VALUES ('newest', 3, 3)").await;
    assert_eq!(rows(late).await.unwrap(), 2);
}

/// Prepared reads and changes find what came into the dictionary after they were prepared.
#[tokio::test]
async fn prepared_statements_go_with_the_dictionary() {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, TABLE).await;
    let select = connection
        .prepare("SELECT v FROM t WHERE name = $1 AND k = $2")
        .await
        .unwrap();
    let update = connection
        .prepare("UPDATE t SET v = v + 1 WHERE name = $1 AND k = $2")
        .await
        .unwrap();
    let insert = connection
        .prepare("INSERT INTO t VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
        .await
        .unwrap();
    for round in 0..10 {
        let name = format!("n{round}");
        let read = || select.query_row((name.as_str(), 1)).unwrap();
        assert!(read().is_none());
        assert_eq!(update.execute((name.as_str(), 1)).await.unwrap(), 0);
        assert_eq!(insert.execute((name.as_str(), 1, round)).await.unwrap(), 1);
        assert_eq!(insert.execute((name.as_str(), 1, round)).await.unwrap(), 0);
        assert_eq!(update.execute((name.as_str(), 1)).await.unwrap(), 1);
        assert_eq!(read().unwrap().get::<i32>(0).unwrap(), round + 1);
    }
    assert_one_to_one(&connection).await;
}

/// A change whose plan looked a text up in vain writes texts itself, and is no conflict with itself.
#[tokio::test]
async fn a_statement_may_write_the_texts_that_it_looked_for() {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, TABLE).await;
    run(
        &connection,
        "INSERT INTO t SELECT 'n' || i, i, 0 FROM generate_series(1, 500) AS i",
    )
    .await;
    for (sql, expected) in [
        (
            "INSERT INTO t SELECT 'new' || k, k, 1 FROM t WHERE name IN ('n1', 'n2', 'new1')",
            2,
        ),
        (
            "INSERT INTO t SELECT 'more' || k, k, 1 FROM t WHERE name LIKE 'm%' OR k = 7",
            1,
        ),
        (
            "UPDATE t SET name = 'moved' || k FROM (VALUES ('n3'), ('moved3')) AS s (n) WHERE name = s.n",
            1,
        ),
        (
            "INSERT INTO t SELECT 'again-' || name, k, (SELECT count(*) FROM t AS o WHERE o.name < 'n3' AND o.k < t.k) \
             FROM t WHERE name <> 'again1'",
            503,
        ),
        ("DELETE FROM t WHERE name LIKE 'again%'", 503),
    ] {
        assert_eq!(run(&connection, sql).await, expected, "{sql}");
    }
    assert_one_to_one(&connection).await;
}

/// A plan of one process, and rows that another one has written since: they are read, or the plan is refused.
#[tokio::test]
async fn what_another_process_writes_after_the_plan_is_read_or_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let database = Database::of_store(Arc::clone(&store)).unwrap();
    let [one, other] = [
        database.connect(),
        Database::of_store(store).unwrap().connect(),
    ];
    run(&one, TABLE).await;
    run(&other, "INSERT INTO t VALUES ('old', 1, 1)").await;
    let context = SessionContext::new();
    context
        .register_table("t", database.table_provider("t").unwrap())
        .unwrap();
    for (number, sql, expected) in [
        (2, "SELECT name FROM t", Some(2)),
        (3, "SELECT name FROM t WHERE name IN ('old', 'new 3')", None),
        (4, "SELECT name FROM t WHERE k > 0", Some(4)),
    ] {
        let plan = context
            .sql(sql)
            .await
            .unwrap()
            .create_physical_plan()
            .await
            .unwrap();
        run(
            &other,
            &format!("INSERT INTO t VALUES ('new {number}', {number}, 0)"),
        )
        .await;
        let stream = datafusion::physical_plan::execute_stream(plan, context.task_ctx());
        let batches = match stream {
            Ok(stream) => stream.try_collect::<Vec<_>>().await,
            Err(error) => Err(error),
        };
        match (batches, expected) {
            (Ok(batches), Some(expected)) => {
                let count: usize = batches.iter().map(|batch| batch.num_rows()).sum();
                assert_eq!(count, expected, "{sql}");
            }
            (Err(error), None) => assert_eq!(Error::from(error).kind(), ErrorKind::Conflict),
            (found, _) => panic!("{sql}: {found:?}"),
        }
    }
}
