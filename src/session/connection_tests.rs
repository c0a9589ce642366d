//! What a statement may be run for is decided before it is run.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use super::*;
use crate::error::ErrorKind;
use crate::params;
use crate::run::meter::Meter;

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE t (a INT, b INT NOT NULL, PRIMARY KEY (a))",
        "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

async fn rows_left(connection: &Connection) -> usize {
    let batches = connection.query("SELECT a FROM t", ()).await.unwrap();
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[tokio::test]
async fn a_change_is_not_run_for_its_rows() {
    let connection = connection().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("t.csv");
    connection
        .execute("PREPARE p AS DELETE FROM t", ())
        .await
        .unwrap();
    let copy = format!("COPY t TO '{}'", file.display());
    for sql in [
        "DELETE FROM t",
        "DELETE FROM t WHERE a = 1",
        "INSERT INTO t VALUES (4, 40)",
        "EXECUTE p",
        "TRUNCATE TABLE t",
        "DROP TABLE t",
        "CREATE TABLE u (a INT, PRIMARY KEY (a))",
        "PREPARE q AS SELECT 1",
        "DEALLOCATE p",
        "SET halite.pushdown = false",
        &copy,
    ] {
        let refused = [
            connection.query(sql, ()).await.map(drop),
            connection.stream(sql, ()).await.map(drop),
            connection.rows(sql, ()).await.map(drop),
            connection.query_row(sql, ()).await.map(drop),
            connection.sql(sql).await.map(drop),
        ];
        for error in refused.map(Result::unwrap_err) {
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}: {error}");
            assert!(error.to_string().contains("use execute"), "{sql}: {error}");
        }
        assert_eq!(rows_left(&connection).await, 3, "{sql}");
    }
    assert!(!file.exists());
    let unknown = connection.query("SELECT * FROM u", ()).await;
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::InvalidInput);
    let setting = connection.query_row("SHOW halite.pushdown", ()).await;
    let value = setting.unwrap().unwrap();
    assert_eq!(value.get::<&str>("value").unwrap(), "true");
    // What was refused above is there to be run.
    assert_eq!(connection.execute("EXECUTE p", ()).await.unwrap(), 3);
}

#[tokio::test]
async fn a_prepared_change_is_not_run_for_its_rows() {
    let connection = connection().await;
    let delete = connection
        .prepare("DELETE FROM t WHERE a = $1")
        .await
        .unwrap();
    let refused = [
        delete.query((1,)).await.map(drop),
        delete.rows((1,)).await.map(drop),
        delete.query_row((1,)).map(drop),
    ];
    for error in refused.map(Result::unwrap_err) {
        assert!(error.to_string().contains("use execute"), "{error}");
    }
    assert_eq!(rows_left(&connection).await, 3);
    assert_eq!(delete.execute((1,)).await.unwrap(), 1);
    let select = connection.prepare("SELECT a FROM t").await.unwrap();
    let error = select.execute(()).await.unwrap_err();
    assert!(error.to_string().contains("use query"), "{error}");
}

#[tokio::test]
async fn a_prepare_that_failed_is_forgotten() {
    let connection = connection().await;
    connection
        .execute("PREPARE p (INT, INT) AS SELECT $1 + $2 AS s", ())
        .await
        .unwrap();
    let taken = connection
        .execute("PREPARE p AS INSERT INTO t VALUES ($1, 1)", ())
        .await;
    taken.unwrap_err();
    let row = connection.query_row("EXECUTE p(1, 2)", ()).await.unwrap();
    assert_eq!(row.unwrap().get::<i32>("s").unwrap(), 3);
    connection.execute("DEALLOCATE p", ()).await.unwrap();
    connection
        .execute("PREPARE p AS INSERT INTO t VALUES ($1, 1)", ())
        .await
        .unwrap();
    let error = connection.execute("EXECUTE p(7, 8)", ()).await.unwrap_err();
    assert!(error.to_string().contains("has one parameter"), "{error}");
    assert_eq!(connection.execute("EXECUTE p(7)", ()).await.unwrap(), 1);
}

/// They mean what the same constants mean.
#[tokio::test]
async fn values_of_execute_are_compared_as_they_are() {
    let connection = connection().await;
    for statement in [
        "CREATE TABLE f (id INT, ts TIMESTAMP(3), PRIMARY KEY (id))",
        "INSERT INTO f VALUES (1, '2024-01-01'), (2, '2024-01-02')",
        "PREPARE gone AS DELETE FROM f WHERE id = $1",
        "PREPARE before AS SELECT id FROM f WHERE ts < $1",
        "PREPARE above AS SELECT id FROM f WHERE id > $1",
    ] {
        connection.execute(statement, ()).await.expect(statement);
    }
    let count = async |sql: &str| {
        connection
            .rows(sql, ())
            .await
            .unwrap()
            .to_vec::<(i32,)>()
            .unwrap()
            .len()
    };
    assert_eq!(
        connection.execute("EXECUTE gone(1.9)", ()).await.unwrap(),
        0
    );
    assert_eq!(count("EXECUTE before('2024-01-01 00:00:00.0005')").await, 1);
    assert_eq!(count("EXECUTE above(99999999999)").await, 0);
    assert_eq!(count("EXECUTE above(1.5)").await, 1);
    let error = connection
        .rows("EXECUTE above(1, 2)", ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("has one parameter"), "{error}");
}

#[tokio::test]
async fn progress_is_that_of_one_statement() {
    let connection = connection().await;
    let written = |connection: &Connection| connection.progress().report().rows_read;
    assert_eq!(written(&connection), 3);
    connection
        .execute("INSERT INTO t VALUES ($1, 1)", (4,))
        .await
        .unwrap();
    assert_eq!(written(&connection), 1);
    let insert = connection
        .prepare("INSERT INTO t VALUES ($1, 1)")
        .await
        .unwrap();
    insert.execute((5,)).await.unwrap();
    insert.execute((6,)).await.unwrap();
    assert_eq!(written(&connection), 1);
    connection.query("SELECT a FROM t", ()).await.unwrap();
    assert_eq!(written(&connection), 0);
}

#[tokio::test]
async fn a_meter_counts_what_a_prepared_query_reads() {
    let connection = connection().await;
    let meter = Arc::new(Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    let select = metered
        .prepare("SELECT b FROM t WHERE a = $1")
        .await
        .unwrap();
    assert!(select.is_direct());
    select.rows((2,)).await.unwrap();
    assert_eq!(meter.totals().keys_read, 1);
    select.query_row((3,)).unwrap().unwrap();
    assert_eq!(meter.totals().keys_read, 2);
}

#[tokio::test]
async fn statements_that_datafusion_does_not_have_are_no_data_frames() {
    let connection = connection().await;
    for sql in [
        "DESCRIBE t",
        "SHOW TABLES",
        "SHOW CREATE TABLE t",
        "SHOW TRANSFORMS",
        "SHOW STORE",
        "VACUUM",
        "SHOW halite.pushdown",
        "EXPLAIN KEYS SELECT a FROM t",
    ] {
        let error = connection.sql(sql).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}: {error}");
        assert!(error.to_string().contains("use query"), "{sql}: {error}");
        assert!(
            !connection.query(sql, params![]).await.unwrap().is_empty(),
            "{sql}"
        );
        let statement = connection.script(sql).unwrap().remove(0);
        let error = connection.profile(&statement).await.unwrap_err();
        assert!(
            error.to_string().contains("can be measured"),
            "{sql}: {error}"
        );
    }
    let truncate = connection.prepare("TRUNCATE t").await.unwrap_err();
    assert_eq!(truncate.kind(), ErrorKind::NotSupported);
}
