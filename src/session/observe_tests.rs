//! Every statement is reported once, however it is run and however it ends.

use std::sync::Arc;

use futures::StreamExt;
use parking_lot::Mutex;

use super::*;
use crate::session::{Connection, Database};

type Told = Arc<Mutex<Vec<(String, u64, usize, Option<ErrorKind>)>>>;

fn watched(database: &Database) -> (Connection, Told) {
    let told = Told::default();
    let tell = Arc::clone(&told);
    let connection = database.connect().with_observer(move |report| {
        let sql = report.sql.split_whitespace().take(3).collect::<Vec<_>>();
        let line = (sql.join(" "), report.rows, report.keys_read, report.error);
        tell.lock().push(line);
    });
    (connection, told)
}

/// What was told since the last time.
fn news(told: &Told) -> Vec<(String, u64, usize, Option<ErrorKind>)> {
    std::mem::take(&mut *told.lock())
}

fn line(
    sql: &str,
    rows: u64,
    keys_read: usize,
    error: Option<ErrorKind>,
) -> (String, u64, usize, Option<ErrorKind>) {
    (sql.to_owned(), rows, keys_read, error)
}

#[tokio::test]
async fn each_way_to_run_a_statement_is_reported_once() {
    let database = Database::in_memory().unwrap();
    let (connection, told) = watched(&database);
    let script = "CREATE TABLE t (a INT, PRIMARY KEY (a)); INSERT INTO t SELECT * FROM generate_series(1, 100)";
    connection.execute_script(script).await.unwrap();
    let expected = [
        line("CREATE TABLE t", 0, 0, None),
        line("INSERT INTO t", 100, 0, None),
    ];
    assert_eq!(news(&told), expected);
    // As text: planned anew, and as one that is known.
    for _ in 0..3 {
        let sql = "SELECT a FROM t WHERE a >= 91";
        assert_eq!(connection.rows(sql, ()).await.unwrap().len(), 10);
        assert_eq!(news(&told), [line("SELECT a FROM", 10, 10, None)]);
    }
    let point = connection
        .prepare("SELECT a FROM t WHERE a = $1")
        .await
        .unwrap();
    assert!(point.is_direct());
    assert!(point.query_row((7,)).unwrap().is_some());
    assert!(point.query_row((700,)).unwrap().is_none());
    assert_eq!(point.rows((8,)).await.unwrap().len(), 1);
    let expected = [
        line("SELECT a FROM", 1, 1, None),
        line("SELECT a FROM", 0, 0, None),
        line("SELECT a FROM", 1, 1, None),
    ];
    assert_eq!(news(&told), expected);
    let change = connection
        .prepare("DELETE FROM t WHERE a = $1")
        .await
        .unwrap();
    assert_eq!(change.execute((7,)).await.unwrap(), 1);
    assert_eq!(news(&told), [line("DELETE FROM t", 1, 1, None)]);
    // Another connection is not looked at.
    database.connect().query("SELECT 1", ()).await.unwrap();
    assert_eq!(news(&told), []);
}

#[tokio::test]
async fn what_fails_and_what_is_given_up_is_reported() {
    let database = Database::in_memory().unwrap();
    let (connection, told) = watched(&database);
    connection.query("SELECT wrong FROM", ()).await.unwrap_err();
    connection
        .query("SELECT 1 / (value - 3) FROM generate_series(1, 5)", ())
        .await
        .unwrap_err();
    let wrong = Some(ErrorKind::InvalidInput);
    let expected = [
        line("SELECT wrong FROM", 0, 0, wrong),
        line("SELECT 1 /", 0, 0, wrong),
    ];
    assert_eq!(news(&told), expected);
    let sql = "SELECT value FROM generate_series(1, 1000000)";
    let mut rows = connection.stream(sql, ()).await.unwrap();
    let first = rows.next().await.unwrap().unwrap().num_rows() as u64;
    assert_eq!(news(&told), []);
    drop(rows);
    assert_eq!(news(&told), [line("SELECT value FROM", first, 0, None)]);
    drop(connection.query(sql, ()));
    assert_eq!(news(&told), []);
    // A future that gathers rows has not done so.
    let endless = "SELECT value FROM generate_series(1, 100000000000)";
    let point = connection.prepare(endless).await.unwrap();
    let give_up = Duration::from_millis(50);
    for _ in 0..2 {
        let late = [
            tokio::time::timeout(give_up, connection.rows(endless, ()))
                .await
                .is_err(),
            tokio::time::timeout(give_up, connection.query(endless, ()))
                .await
                .is_err(),
            tokio::time::timeout(give_up, point.rows(())).await.is_err(),
        ];
        assert_eq!(late, [true; 3]);
        let given_up = |(_, _, _, error): (String, u64, usize, Option<ErrorKind>)| error;
        let errors: Vec<_> = news(&told).into_iter().map(given_up).collect();
        assert_eq!(errors, [Some(ErrorKind::Interrupted); 3]);
    }
    let create = "CREATE TABLE t (a BIGINT, PRIMARY KEY (a))";
    connection.execute(create, ()).await.unwrap();
    news(&told);
    let endless =
        "INSERT INTO t SELECT value FROM generate_series(1, 100000000000) WHERE value < 0";
    let mut begun = Box::pin(connection.execute(endless, ()));
    assert!(futures::poll!(&mut begun).is_pending());
    drop(begun);
    let interrupted = Some(ErrorKind::Interrupted);
    assert_eq!(news(&told), [line("INSERT INTO t", 0, 0, interrupted)]);
}

#[tokio::test]
async fn a_meter_and_an_observer_both_look_on() {
    let database = Database::in_memory().unwrap();
    let (connection, told) = watched(&database);
    let script = "CREATE TABLE t (a INT, PRIMARY KEY (a)); INSERT INTO t VALUES (1), (2)";
    connection.execute_script(script).await.unwrap();
    news(&told);
    let meter = Arc::new(Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    metered.query("SELECT a FROM t", ()).await.unwrap();
    let point = metered.prepare("SELECT a FROM t WHERE a = 1").await;
    assert!(point.unwrap().query_row(()).unwrap().is_some());
    assert_eq!(meter.totals().keys_read, 3);
    let expected = [
        line("SELECT a FROM", 2, 2, None),
        line("SELECT a FROM", 1, 1, None),
    ];
    assert_eq!(news(&told), expected);
}
