use crate::error::ErrorKind;
use crate::session::{Connection, Database};

async fn run(connection: &Connection, script: &str) {
    connection.execute_script(script).await.expect(script);
}

async fn one(connection: &Connection, sql: &str) -> i64 {
    let row = connection.query_row(sql, ()).await.expect(sql);
    row.expect(sql).get(0).expect(sql)
}

const MAKE: &str = "CREATE TEMP TABLE t (a BIGINT, PRIMARY KEY (a))";

#[tokio::test]
async fn what_is_temporary_is_the_connections_own() {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    run(
        &connection,
        "CREATE TABLE t (a BIGINT, PRIMARY KEY (a)); INSERT INTO t VALUES (7)",
    )
    .await;
    run(
        &connection,
        &format!("{MAKE}; INSERT INTO t VALUES (1), (2)"),
    )
    .await;
    let other = database.connect();
    for _ in 0..3 {
        assert_eq!(one(&connection, "SELECT sum(a) FROM t").await, 3);
        assert_eq!(
            one(&connection.clone(), "SELECT max(a) FROM t WHERE a < 100").await,
            2
        );
        assert_eq!(one(&other, "SELECT sum(a) FROM t").await, 7);
    }
    drop(connection);
    assert_eq!(one(&database.connect(), "SELECT sum(a) FROM t").await, 7);
}

/// What was planned for a table is not run over another one that has its name.
#[tokio::test]
async fn texts_and_prepared_statements_follow_what_is_temporary() {
    let connection = Database::in_memory().unwrap().connect();
    run(
        &connection,
        "CREATE TABLE t (a BIGINT, b BIGINT, PRIMARY KEY (a)); INSERT INTO t VALUES (1, 10)",
    )
    .await;
    let prepared = connection
        .prepare("SELECT b FROM t WHERE a = $1")
        .await
        .unwrap();
    assert!(prepared.is_direct());
    let seen = async |expected: i64| {
        for _ in 0..3 {
            assert_eq!(
                one(&connection, "SELECT b FROM t WHERE a = 1").await,
                expected
            );
            let row = prepared.query_row((1_i64,)).unwrap().unwrap();
            assert_eq!(row.get::<i64>(0).unwrap(), expected);
        }
    };
    seen(10).await;
    run(
        &connection,
        "CREATE TEMP TABLE t (a BIGINT, b BIGINT, PRIMARY KEY (a)); INSERT INTO t VALUES (1, 20)",
    )
    .await;
    seen(20).await;
    run(
        &connection,
        "CREATE TEMP VIEW w AS SELECT b FROM t; DROP TABLE t CASCADE",
    )
    .await;
    seen(10).await;
    assert!(connection.query("SELECT * FROM w", ()).await.is_err());
}

#[tokio::test]
async fn a_database_that_is_only_read_has_temporary_tables() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db");
    {
        let connection = Database::open(&path).await.unwrap().connect();
        run(
            &connection,
            "CREATE TABLE kept (a BIGINT, PRIMARY KEY (a)); INSERT INTO kept VALUES (1), (2), (3)",
        )
        .await;
    }
    let connection = Database::open_read_only(&path).await.unwrap().connect();
    run(
        &connection,
        &format!("{MAKE}; INSERT INTO t SELECT a FROM kept WHERE a > 1"),
    )
    .await;
    run(
        &connection,
        "CREATE TEMP VIEW v AS SELECT kept.a FROM kept JOIN t ON kept.a = t.a",
    )
    .await;
    assert_eq!(one(&connection, "SELECT sum(a) FROM v").await, 5);
    run(&connection, "DELETE FROM t WHERE a = 2").await;
    assert_eq!(one(&connection, "SELECT sum(a) FROM v").await, 3);
    let refused = connection
        .execute("INSERT INTO kept VALUES (9)", ())
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let refused = connection
        .execute("CREATE VIEW v2 AS SELECT 1 AS a", ())
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
}

/// One statement reads both stores at a moment each.
#[tokio::test]
async fn rows_go_both_ways() {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, "CREATE TABLE kept (a BIGINT, PRIMARY KEY (a))").await;
    run(&connection, MAKE).await;
    run(
        &connection,
        "INSERT INTO t SELECT value FROM generate_series(1, 1000)",
    )
    .await;
    run(&connection, "INSERT INTO kept SELECT a * 2 FROM t").await;
    run(
        &connection,
        "INSERT INTO t SELECT a + 10000 FROM kept UNION ALL SELECT a + 20000 FROM t",
    )
    .await;
    assert_eq!(one(&connection, "SELECT count(*) FROM t").await, 3000);
    assert_eq!(
        one(
            &connection,
            "SELECT count(*) FROM t JOIN kept ON kept.a = t.a"
        )
        .await,
        500
    );
    assert_eq!(
        one(&connection, "SELECT count(*) FROM keys('t')").await,
        3000
    );
    let sizes = "SELECT count(*) FROM halite_tables() WHERE \"table\" = 't'";
    assert_eq!(one(&connection, sizes).await, 1);
}
