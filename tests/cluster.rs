//! A database on a cluster of HBase, which `HALITE_HBASE` names: what statements promise between processes, and what they
//! cost. The store by itself runs the conformance suite there (`src/store/conformance.rs`); the sample queries are asked
//! there when it is wished (`tests/queries/cluster.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use halite::error::ErrorKind;
use halite::session::{Connection, Database};

use crate::answers::texts;
use crate::not_run::left_out;

/// The address of a database of its own, if a cluster is named.
pub(crate) fn address(test: &str) -> Option<String> {
    let url = std::env::var("HALITE_HBASE").ok();
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        left_out(
            "HALITE_HBASE names no cluster: it does not run on HBase",
            "`make hbase`, and HALITE_HBASE=$(.ci/hbase url)",
        );
        return None;
    };
    Some(format!("{url}?namespace={test}_{:x}", fastrand::u32(..)))
}

async fn open(address: &str) -> Connection {
    Database::open(address).await.unwrap().connect()
}

async fn execute(connection: &Connection, sql: &str) -> u64 {
    let done = connection.execute(sql, vec![]).await;
    done.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

async fn rows(connection: &Connection, sql: &str) -> Vec<String> {
    texts(&connection.query(sql, vec![]).await.unwrap())
}

/// How many requests the process has sent, all of them for this database.
async fn sent(connection: &Connection) -> u64 {
    let facts = rows(connection, "SHOW STORE").await;
    let found = facts
        .iter()
        .find_map(|fact| fact.strip_prefix("requests of this process|"));
    found.unwrap().parse().unwrap()
}

/// How many requests something sends, without those of asking how many there were.
async fn cost(connection: &Connection, work: impl Future<Output = ()>) -> u64 {
    let before = sent(connection).await;
    let own = sent(connection).await - before;
    let before = sent(connection).await;
    work.await;
    sent(connection).await - before - own
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_of_a_row_is_five_requests() {
    let Some(address) = address("cost") else {
        return;
    };
    let connection = open(&address).await;
    let table = "CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(4, k), k))";
    execute(&connection, table).await;
    let prepared = connection
        .prepare("INSERT INTO t VALUES ($1, 1)")
        .await
        .unwrap();
    // Where the regions are is looked up once.
    execute(
        &connection,
        "INSERT INTO t VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)",
    )
    .await;
    let (mut of_text, mut of_prepared) = (u64::MAX, u64::MAX);
    // While a statement is under way it says so every two seconds: on a slow machine that may be counted.
    for round in 0..5_i64 {
        let text = format!("INSERT INTO t VALUES ({}, 1)", 100 + round);
        let insert = async { assert_eq!(execute(&connection, &text).await, 1) };
        of_text = of_text.min(cost(&connection, insert).await);
        let key = vec![(200 + round).into()];
        let insert = async { assert_eq!(prepared.execute(key).await.unwrap(), 1) };
        of_prepared = of_prepared.min(cost(&connection, insert).await);
    }
    assert!(of_text <= 5, "{of_text}");
    assert!(of_prepared <= 5, "{of_prepared}");
    assert_eq!(rows(&connection, "SELECT count(*) FROM t").await, ["15"]);
}

/// The row and who writes are asked for together, which is one message where one server has both.
#[tokio::test(flavor = "multi_thread")]
async fn a_point_is_one_round_trip() {
    let Some(address) = address("point") else {
        return;
    };
    let connection = open(&address).await;
    let table = "CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(4, k), k))";
    execute(&connection, table).await;
    let fill = "INSERT INTO t SELECT value, value * 2 FROM generate_series(1, 100)";
    execute(&connection, fill).await;
    let point = connection.prepare("SELECT v FROM t WHERE k = $1").await;
    let point = point.unwrap();
    let mut least = u64::MAX;
    for k in 1..6_i64 {
        let ask = async {
            let found = point.query(vec![k.into()]).await.unwrap();
            let found = texts(&found.collect().await.unwrap());
            assert_eq!(found, [(k * 2).to_string()]);
        };
        least = least.min(cost(&connection, ask).await);
    }
    let servers = rows(&connection, "SHOW STORE").await;
    let is_alone = servers.contains(&"region servers|1".to_owned());
    assert!(least <= if is_alone { 1 } else { 2 }, "{least}");
}

/// Both want the same keys: each key is one's.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_one_inserts_a_key() {
    let Some(address) = address("both") else {
        return;
    };
    let one = open(&address).await;
    execute(&one, "CREATE TABLE t (k BIGINT, who TEXT, PRIMARY KEY (k))").await;
    let other = open(&address).await;
    let insert = |connection: Connection, who: &'static str| async move {
        let mut made = Vec::new();
        for key in 0..40 {
            let sql = format!("INSERT INTO t VALUES ({key}, '{who}')");
            match connection.execute(&sql, vec![]).await {
                Ok(_) => made.push(key),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
        made
    };
    let (first, second) = tokio::join!(
        tokio::spawn(insert(one.clone(), "one")),
        tokio::spawn(insert(other, "other"))
    );
    let (first, second) = (first.unwrap(), second.unwrap());
    let mut all: Vec<i32> = first.iter().chain(&second).copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..40).collect::<Vec<_>>());
    let counted = rows(
        &one,
        "SELECT who, count(*) FROM t GROUP BY who ORDER BY who",
    )
    .await;
    let expected: Vec<String> = [("one", first.len()), ("other", second.len())]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(who, count)| format!("{who}|{count}"))
        .collect();
    assert_eq!(counted, expected);
}

/// Rows that a statement moves between two tables are in one of them at every moment of another process.
#[tokio::test(flavor = "multi_thread")]
async fn a_statement_is_seen_whole_by_another_process() {
    let Some(address) = address("whole") else {
        return;
    };
    let one = open(&address).await;
    let other = open(&address).await;
    execute(
        &one,
        "CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(8, k), k))",
    )
    .await;
    let fill = "INSERT INTO t SELECT value, 0 FROM generate_series(1, 3000)";
    execute(&one, fill).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let reader = {
        let is_done = Arc::clone(&is_done);
        tokio::spawn(async move {
            let mut seen = Vec::new();
            while !is_done.load(Ordering::Relaxed) {
                let sql = "SELECT count(*), min(v), max(v) FROM t";
                seen.extend(rows(&other, sql).await);
            }
            seen
        })
    };
    for value in 1..6 {
        assert_eq!(
            execute(&one, &format!("UPDATE t SET v = {value}")).await,
            3000
        );
    }
    assert_eq!(execute(&one, "DELETE FROM t").await, 3000);
    is_done.store(true, Ordering::Relaxed);
    let mut seen = reader.await.unwrap();
    seen.dedup();
    let whole: Vec<String> = (0..6)
        .map(|value| format!("3000|{value}|{value}"))
        .chain(["0|NULL|NULL".to_owned()])
        .collect();
    assert!(seen.iter().all(|row| whole.contains(row)), "{seen:?}");
    assert!(
        seen.is_sorted_by_key(|row| whole.iter().position(|it| it == row)),
        "{seen:?}"
    );
    // A table that another process has made is there in the next statement.
    execute(&one, "DROP TABLE t").await;
    let third = open(&address).await;
    execute(&third, "CREATE TABLE u (k INT, PRIMARY KEY (k))").await;
    assert_eq!(execute(&one, "INSERT INTO u VALUES (1)").await, 1);
}

/// `meanwhile(n)` is n. It is computed while a statement is planned, and a first time lets another process run `sql`.
fn meanwhile(other: Connection, sql: &'static str) -> ScalarUDF {
    let is_done = AtomicBool::new(false);
    let function = move |values: &[ColumnarValue]| {
        if !is_done.swap(true, Ordering::Relaxed) {
            let other = other.clone();
            let altered = std::thread::spawn(move || {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                runtime.block_on(execute(&other, sql))
            });
            altered.join().unwrap();
        }
        Ok(values[0].clone())
    };
    create_udf(
        "meanwhile",
        vec![DataType::Int64],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(function),
    )
}

/// A statement that was planned before another process altered its table keeps to what holds when it writes.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_altered_holds_for_statements_on_their_way() {
    let Some(address) = address("altered") else {
        return;
    };
    let one = open(&address).await;
    execute(&one, "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT)").await;
    execute(&one, "INSERT INTO t VALUES (1, 10), (2, 20)").await;
    let other = open(&address).await;
    let update = other.prepare("UPDATE t SET v = $2 WHERE k = $1").await;
    let update = update.unwrap();
    update.execute((1_i64, 11_i64)).await.unwrap();
    for statement in [
        "INSERT INTO t VALUES (3, -meanwhile(3))",
        "UPDATE t SET v = -meanwhile(3)",
        "REPLACE INTO t VALUES (1, -meanwhile(3))",
    ] {
        let add = "ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)";
        other.register_udf(meanwhile(one.clone(), add));
        let error = other.execute(statement, vec![]).await.unwrap_err();
        assert!(error.message().contains("positive"), "{statement}: {error}");
        execute(&one, "ALTER TABLE t DROP CONSTRAINT positive").await;
    }
    execute(&one, "ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)").await;
    let error = update.execute((1_i64, -1_i64)).await.unwrap_err();
    assert!(error.message().contains("positive"), "{error}");
    assert_eq!(
        rows(&one, "SELECT * FROM t ORDER BY k").await,
        ["1|11", "2|20"]
    );
}

/// They wait for each other no longer than a statement takes, and each sees all of the one before it.
#[tokio::test(flavor = "multi_thread")]
async fn vacuums_go_on_beside_statements() {
    let Some(address) = address("vacuum") else {
        return;
    };
    let one = open(&address).await;
    execute(
        &one,
        "CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY (bucket(4, k), k))",
    )
    .await;
    execute(
        &one,
        "INSERT INTO t SELECT value, 0 FROM generate_series(1, 2000)",
    )
    .await;
    let other = open(&address).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let vacuums = {
        let is_done = Arc::clone(&is_done);
        tokio::spawn(async move {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                execute(&other, "VACUUM t").await;
                count += 1;
            }
            count
        })
    };
    let third = open(&address).await;
    for value in 1..8 {
        execute(&one, &format!("UPDATE t SET v = {value}")).await;
        let seen = rows(&third, "SELECT count(*), min(v), max(v) FROM t").await;
        assert_eq!(seen, [format!("2000|{value}|{value}")]);
    }
    is_done.store(true, Ordering::Relaxed);
    assert!(vacuums.await.unwrap() > 0);
}

#[test]
fn a_copy_goes_to_a_cluster_and_back() {
    let Some(address) = address("copy") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let from = crate::transfer::filled(directory.path());
    let back = directory.path().join("back.halite").display().to_string();
    crate::transfer::copy(&from, &address);
    crate::transfer::assert_same(&from, &address);
    crate::transfer::copy(&address, &back);
    crate::transfer::assert_same(&from, &back);
}
