//! A row is read where it is asked for, inside of a runtime and outside.

use std::sync::Arc;

use tokio::runtime::Builder;

use crate::session::{Connection, Database, PreparedStatement};
use crate::store::{MemoryStore, Store};

const QUERIES: [&str; 4] = [
    // One key, one key of each bucket, a range of which one row is left, and what must be planned.
    "SELECT b FROM t WHERE a = $1",
    "SELECT b FROM salted WHERE a = $1",
    "SELECT b FROM t WHERE a >= $1 AND b = 70 LIMIT 1",
    "SELECT max(b) FROM t WHERE a = $1",
];

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))",
        "CREATE TABLE salted (a INT, b INT, PRIMARY KEY (bucket(4, b), a))",
        "INSERT INTO t SELECT value, value * 10 FROM generate_series(0, 99)",
        "INSERT INTO salted SELECT value, value * 10 FROM generate_series(0, 99)",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

fn check(statements: &[PreparedStatement]) {
    for (statement, sql) in statements.iter().zip(QUERIES) {
        for _ in 0..3 {
            let row = statement.query_row((7,)).expect(sql).expect(sql);
            assert_eq!(row.get::<i32>(0).unwrap(), 70, "{sql}");
        }
    }
}

#[test]
fn a_row_is_read_inside_of_a_runtime_and_outside() {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let statements = runtime.block_on(async {
        let connection = connection().await;
        let mut statements = Vec::new();
        for sql in QUERIES {
            statements.push(connection.prepare(sql).await.unwrap());
        }
        statements
    });
    let is_direct: Vec<bool> = statements.iter().map(|query| query.is_direct()).collect();
    assert_eq!(is_direct, [true, true, true, false]);
    check(&statements);
    runtime.block_on(async { check(&statements) });
    let in_task = statements.clone();
    let task = async { tokio::spawn(async move { check(&in_task) }).await };
    runtime.block_on(task).unwrap();
    let single = Builder::new_current_thread().build().unwrap();
    single.block_on(async { check(&statements) });
}

#[tokio::test]
async fn a_deep_condition_is_planned() {
    let connection = connection().await;
    let sql = |terms: usize| {
        let pairs = (1..terms).map(|term| format!("a = {term} AND b = {}", term * 10));
        let pairs: Vec<String> = pairs.collect();
        format!("SELECT b FROM t WHERE a = $1 OR {}", pairs.join(" OR "))
    };
    let few = connection.prepare(&sql(10)).await.unwrap();
    assert!(few.is_direct());
    let many = connection.prepare(&sql(60)).await.unwrap();
    // A long chain is not deep.
    assert!(many.is_direct());
    assert_eq!(many.rows((7,)).await.unwrap().len(), 59);
    // A thread of a test has 2 MiB of stack, as those of a runtime.
    let most = connection.prepare(&sql(900)).await.unwrap();
    assert_eq!(most.rows((0,)).await.unwrap().len(), 100);
    let written = sql(900).replace("$1", "0");
    assert_eq!(connection.rows(&written, ()).await.unwrap().len(), 100);
    let script = connection.script(&written).unwrap();
    connection.run(&script[0]).await.unwrap();
    connection.sql(&written).await.unwrap();
    assert_eq!(few.rows((50,)).await.unwrap().len(), 10);
}

/// Two databases over one store, as two processes have them: a run without a plan notices what the other does.
#[tokio::test]
async fn a_table_that_was_emptied_elsewhere_is_read_as_it_is_now() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let connect = || Database::of_store(Arc::clone(&store)).unwrap().connect();
    let (one, other) = (connect(), connect());
    for sql in [
        "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))",
        "INSERT INTO t VALUES (7, 70)",
    ] {
        one.execute(sql, ()).await.unwrap();
    }
    let query = one.prepare(QUERIES[0]).await.unwrap();
    assert!(query.is_direct());
    let found = || {
        let row = query.query_row((7,)).unwrap();
        row.map(|row| row.get::<i32>(0).unwrap())
    };
    assert_eq!(found(), Some(70));
    other.execute("TRUNCATE t", ()).await.unwrap();
    assert_eq!(found(), None);
    other
        .execute("INSERT INTO t VALUES (7, 71)", ())
        .await
        .unwrap();
    assert_eq!(found(), Some(71));
    other.execute("DROP TABLE t", ()).await.unwrap();
    let error = query.query_row((7,)).unwrap_err();
    assert!(error.message().contains("table"), "{error}");
}
