use std::collections::BTreeSet;

use crate::error::ErrorKind;
use crate::session::{Connection, Database};

async fn run(connection: &Connection, script: &str) {
    connection.execute_script(script).await.expect(script);
}

async fn numbers(connection: &Connection, sql: &str) -> Vec<i64> {
    let rows = connection.rows(sql, ()).await.expect(sql);
    rows.iter()
        .map(|row| row.get::<i64>(0).expect(sql))
        .collect()
}

async fn refused(connection: &Connection, sql: &str, wrong: &str) {
    let error = connection.execute(sql, ()).await.expect_err(sql);
    assert!(error.message().contains(wrong), "{sql}: {error}");
}

#[tokio::test]
async fn a_number_is_drawn_once_for_each_row() {
    let connection = Database::in_memory().unwrap().connect();
    run(
        &connection,
        "CREATE SEQUENCE s; CREATE TABLE t (id BIGINT, a INT, PRIMARY KEY (id))",
    )
    .await;
    assert_eq!(numbers(&connection, "SELECT nextval('s')").await, [1]);
    // The same text again is no answer that was kept.
    for expected in 2..6 {
        assert_eq!(
            numbers(&connection, "SELECT nextval('s')").await,
            [expected]
        );
    }
    assert_eq!(numbers(&connection, "SELECT currval('S')").await, [5]);
    assert_eq!(numbers(&connection, "SELECT lastval()").await, [5]);
    run(
        &connection,
        "INSERT INTO t SELECT nextval('s'), value FROM generate_series(1, 20000)",
    )
    .await;
    let found = numbers(&connection, "SELECT id FROM t ORDER BY id").await;
    assert_eq!(found, (6..=20005).collect::<Vec<i64>>());
    // Used twice it is the same number.
    let twice =
        "SELECT n, n + 1 AS m, n AS k FROM (SELECT nextval('s') AS n, a FROM t) WHERE a < 500";
    let rows = connection.rows(twice, ()).await.unwrap();
    let rows: Vec<(i64, i64, i64)> = rows.to_vec().unwrap();
    assert_eq!(rows.len(), 499);
    assert!(rows.iter().all(|(n, m, k)| *m == n + 1 && k == n));
    let filtered = "SELECT n FROM (SELECT nextval('s') AS n FROM t WHERE a <= 3) WHERE n > 0 AND n IS NOT NULL";
    let found = numbers(&connection, filtered).await;
    assert_eq!(found.len(), 3);
    assert!(found[0] > 20005);
    let two = "SELECT nextval('s') - nextval('s') AS d FROM t WHERE a <= 3";
    assert!(numbers(&connection, two).await.iter().all(|it| *it != 0));
    run(&connection, "CREATE SEQUENCE v START 100").await;
    run(
        &connection,
        "INSERT INTO t VALUES (nextval('v') * 1000000, 1), (nextval('v') * 1000000, 2)",
    )
    .await;
    let rows = "SELECT id / 1000000 FROM t WHERE id >= 1000000 ORDER BY id";
    assert_eq!(numbers(&connection, rows).await, [100, 101]);
    let prepared = connection
        .prepare("INSERT INTO t VALUES (-nextval('v'), $1)")
        .await
        .unwrap();
    for a in 0..3_i32 {
        prepared.execute((a,)).await.unwrap();
    }
    assert_eq!(
        numbers(&connection, "SELECT id FROM t WHERE id < 0 ORDER BY id").await,
        [-104, -103, -102]
    );
}

#[tokio::test]
async fn what_fails_gives_no_number_back() {
    let connection = Database::in_memory().unwrap().connect();
    run(
        &connection,
        "CREATE SEQUENCE s; CREATE TABLE t (id BIGINT, PRIMARY KEY (id)); INSERT INTO t VALUES (2)",
    )
    .await;
    refused(
        &connection,
        "INSERT INTO t SELECT nextval('s') FROM generate_series(1, 3)",
        "",
    )
    .await;
    assert_eq!(numbers(&connection, "SELECT nextval('s')").await, [4]);
    let other = connection.database().connect();
    refused(&other, "SELECT currval('s')", "currval of `s`").await;
    refused(&other, "SELECT lastval()", "lastval").await;
    assert_eq!(numbers(&other, "SELECT nextval('s')").await, [5]);
    assert_eq!(numbers(&connection, "SELECT currval('s')").await, [4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_writers_get_numbers_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db");
    let mut all = BTreeSet::new();
    for round in 0..2_usize {
        let database = Database::open(&path).await.unwrap();
        let connection = database.connect();
        run(&connection, "CREATE SEQUENCE IF NOT EXISTS s").await;
        let writers = (0..8).map(|_| {
            let connection = database.connect();
            tokio::spawn(async move {
                let mut found = Vec::new();
                for _ in 0..25 {
                    found.extend(
                        numbers(
                            &connection,
                            "SELECT nextval('s') FROM generate_series(1, 3)",
                        )
                        .await,
                    );
                }
                found
            })
        });
        let writers: Vec<_> = writers.collect();
        for writer in writers {
            all.extend(writer.await.unwrap());
        }
        assert_eq!(all.len(), (round + 1) * 600);
    }
}

#[tokio::test]
async fn clauses_come_in_any_order_and_what_is_wrong_is_said() {
    let connection = Database::in_memory().unwrap().connect();
    for (sql, first) in [
        ("CREATE SEQUENCE a START WITH 5 INCREMENT BY 2", vec![5, 7]),
        (
            "CREATE SEQUENCE b INCREMENT -1 MAXVALUE 9 START 3 MINVALUE 2 NO CYCLE",
            vec![3, 2],
        ),
        ("CREATE SEQUENCE c CACHE 1 MAXVALUE 9 START 8", vec![8, 9]),
        (
            "CREATE SEQUENCE IF NOT EXISTS d AS SMALLINT START WITH 32766",
            vec![32766, 32767],
        ),
        ("CREATE TEMP SEQUENCE e MINVALUE -3", vec![-3, -2]),
        ("CREATE SEQUENCE \"Start\" START 1", vec![1, 2]),
    ] {
        run(&connection, sql).await;
        let name = if sql.contains('"') {
            "\"Start\""
        } else {
            sql.split_whitespace().find(|word| word.len() == 1).unwrap()
        };
        let draw = format!("SELECT nextval('{name}') FROM generate_series(1, 2)");
        assert_eq!(numbers(&connection, &draw).await, first, "{sql}");
    }
    for name in ["b", "c", "d"] {
        refused(
            &connection,
            &format!("SELECT nextval('{name}')"),
            "at its end",
        )
        .await;
    }
    for (sql, wrong) in [
        ("CREATE SEQUENCE a", "it is a sequence"),
        (
            "CREATE TABLE a (x INT, PRIMARY KEY (x))",
            "it is a sequence",
        ),
        ("CREATE VIEW a AS SELECT 1 AS x", "it is a sequence"),
        ("CREATE SEQUENCE f CYCLE", "CYCLE"),
        ("CREATE SEQUENCE f INCREMENT BY 0", "INCREMENT"),
        ("CREATE SEQUENCE f START 0", "START 0"),
        ("CREATE SEQUENCE f AS TEXT", "TEXT"),
        ("CREATE SEQUENCE f OWNED BY t.a", "OWNED BY"),
        ("CREATE SEQUENCE f START 1 START 2", "syntax error"),
        ("SELECT nextval('missing')", "no sequence `missing`"),
        ("SELECT nextval(1)", "nextval"),
        ("DROP SEQUENCE missing", "no sequence `missing`"),
        ("SELECT setval('a', 0)", "not between"),
    ] {
        refused(&connection, sql, wrong).await;
    }
    run(
        &connection,
        "DROP SEQUENCE IF EXISTS missing; SELECT setval('a', 50); DROP SEQUENCE b, c",
    )
    .await;
    assert_eq!(numbers(&connection, "SELECT nextval('a')").await, [52]);
    assert_eq!(
        numbers(&connection, "SELECT setval('a', 70, false)").await,
        [70]
    );
    assert_eq!(numbers(&connection, "SELECT nextval('a')").await, [70]);
}

#[tokio::test]
async fn a_database_that_is_only_read_hands_out_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db");
    {
        let connection = Database::open(&path).await.unwrap().connect();
        run(&connection, "CREATE SEQUENCE s; SELECT nextval('s')").await;
    }
    let connection = Database::open_read_only(&path).await.unwrap().connect();
    let error = connection
        .query("SELECT nextval('s')", ())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    run(&connection, "CREATE TEMP SEQUENCE s").await;
    assert_eq!(numbers(&connection, "SELECT nextval('s')").await, [1]);
}
