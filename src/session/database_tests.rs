use futures::StreamExt;

use super::*;
use crate::session::Connection;

const ENDLESS: &str = "SELECT count(*) FROM t a, t b, t c WHERE a.k * b.k * c.k % 7 = 8";

/// A database on disk with a table, and where it is.
async fn database() -> (tempfile::TempDir, std::path::PathBuf, Database) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gulls.halite");
    let database = Database::open(&path).await.unwrap();
    let script = "CREATE TABLE t (k BIGINT, PRIMARY KEY (k)); INSERT INTO t SELECT value FROM generate_series(1, 100000)";
    database.connect().execute_script(script).await.unwrap();
    (directory, path, database)
}

async fn rows(connection: &Connection) -> i64 {
    let count = connection.query_scalar("SELECT count(*) FROM t", ());
    count.await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_ends_what_runs_and_gives_the_directory_back() {
    let (_directory, path, mut database) = database().await;
    for _ in 0..3 {
        let connection = database.connect();
        let running = tokio::spawn(async move { connection.rows(ENDLESS, ()).await });
        while !database.has_statements() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        database.close().await.unwrap();
        let error = running.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
        database = Database::open(&path).await.unwrap();
        assert_eq!(rows(&database.connect()).await, 100_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_whose_statement_was_stopped_can_be_opened_at_once() {
    let (_directory, path, database) = database().await;
    let connection = database.connect();
    let limited = connection.with_timeout(Duration::from_millis(100));
    let error = limited.rows(ENDLESS, ()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    drop((limited, connection, database));
    let database = Database::open(&path).await.unwrap();
    let connection = database.connect();
    let mut stream = connection.stream("SELECT k FROM t", ()).await.unwrap();
    stream.next().await.unwrap().unwrap();
    drop((stream, connection, database));
    assert_eq!(
        rows(&Database::open(&path).await.unwrap().connect()).await,
        100_000
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_holds_a_database_is_told() {
    let (_directory, path, database) = database().await;
    let connection = database.connect();
    let statement = connection
        .prepare("SELECT k FROM t WHERE k > $1")
        .await
        .unwrap();
    let stream = connection.stream("SELECT k FROM t", ()).await.unwrap();
    let appender = connection.appender("t").unwrap();
    let provider = database.table_provider("t").unwrap();
    let described = "1 appender, 1 connection, 1 prepared statement, 1 stream, 1 table provider";
    let clone = database.clone();
    let error = database.close().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    for held in described.split(", ").chain(["1 database handle"]) {
        assert!(error.message().contains(held), "{held}: {error}");
    }
    drop(clone);
    let error = Database::open(&path).await.unwrap_err();
    assert!(
        error.message().contains("already open in this process"),
        "{error}"
    );
    // The statement of the stream may run still.
    for held in described.split(", ") {
        assert!(error.message().contains(held), "{held}: {error}");
    }
    // What was not ended goes on.
    assert_eq!(rows(&connection).await, 100_000);
    assert!(stream.collect().await.is_err());
    assert_eq!(statement.rows((99_998,)).await.unwrap().len(), 2);
    drop((connection, statement, appender));
    let error = Database::open(&path).await.unwrap_err();
    assert!(
        error.message().ends_with("held by 1 table provider"),
        "{error}"
    );
    drop(provider);
    Database::open(&path).await.unwrap().close().await.unwrap();
}

#[test]
fn a_blocking_database_is_closed_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gulls.halite");
    for _ in 0..3 {
        let database = crate::blocking::Database::open(&path).unwrap();
        let connection = database.connect();
        connection.query("SELECT 1", ()).unwrap();
        drop(connection);
        database.close().unwrap();
    }
}

/// Who gives up waiting for the end leaves what is left able to go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_close_that_is_given_up_ends_nothing_for_good() {
    let (_directory, _path, database) = database().await;
    let connection = database.connect();
    drop(tokio::time::timeout(Duration::ZERO, database.close()).await);
    assert_eq!(rows(&connection).await, 100_000);
}
