//! DEFAULT and CHECK by every way in.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use arrow::array::{Int32Array, RecordBatch};
use datafusion::prelude::SessionContext;

use crate::session::Database;
use crate::session::testing::{rows_of as rows, run, with};

/// The time is that of the statement, what is drawn is drawn for each row.
#[tokio::test]
async fn a_default_is_computed_with_its_statement() {
    let connection = with(&[
        "CREATE TABLE t (id INT PRIMARY KEY, at TIMESTAMP(6) DEFAULT now(), drawn TEXT DEFAULT uuid(), n INT DEFAULT 1 + 1)",
        "INSERT INTO t (id) VALUES (1), (2)",
        "INSERT INTO t (id) SELECT value FROM generate_series(3, 2000)",
        "INSERT INTO t (id, n) SELECT 3000, NULL",
    ])
    .await;
    let insert = connection
        .prepare("INSERT INTO t (id) VALUES ($1)")
        .await
        .unwrap();
    for id in [4_000, 4_001] {
        insert.execute((id,)).await.unwrap();
    }
    let times = "SELECT count(DISTINCT at), count(DISTINCT drawn), count(*) FROM t";
    assert_eq!(rows(&connection, times).await, ["5|2003|2003"]);
    let late = "SELECT count(*) FROM t WHERE at > now() - INTERVAL '1 hour' AND at <= now()";
    assert_eq!(rows(&connection, late).await, ["2003"]);
    let sums = "SELECT n, count(*) FROM t GROUP BY n ORDER BY n";
    assert_eq!(rows(&connection, sums).await, ["2|2002", "NULL|1"]);
}

#[tokio::test]
async fn a_copy_with_a_list_of_columns_fills_the_others() {
    let connection = with(&[
        "CREATE TABLE t (id INT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'new' CHECK (kind <> 'x'), drawn TEXT DEFAULT uuid(), rest INT)",
    ])
    .await;
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.write_all(b"1\n2\n3\n").unwrap();
    let path = file.path().display().to_string();
    run(&connection, &format!("COPY t (id) FROM '{path}'"))
        .await
        .unwrap();
    let found = rows(&connection, "SELECT id, kind, rest FROM t").await;
    assert_eq!(found, ["1|new|NULL", "2|new|NULL", "3|new|NULL"]);
    let drawn: BTreeSet<String> = rows(&connection, "SELECT drawn FROM t")
        .await
        .into_iter()
        .collect();
    assert_eq!(drawn.len(), 3);
    let error = run(&connection, &format!("COPY t (kind) FROM '{path}'"))
        .await
        .unwrap_err();
    assert!(
        error.contains("column `id` is not in the list, is NOT NULL and has no DEFAULT"),
        "{error}"
    );
    // A rule is a reason for which a row is left out.
    file.write_all(b"4,ok\n5,x\n").unwrap();
    let text = std::fs::read_to_string(file.path())
        .unwrap()
        .replace("1\n2\n3\n", "");
    std::fs::write(file.path(), text).unwrap();
    run(
        &connection,
        &format!("COPY t (id, kind) FROM '{path}' (ON_ERROR skip)"),
    )
    .await
    .unwrap();
    assert_eq!(
        rows(&connection, "SELECT id, kind FROM t WHERE id > 3").await,
        ["4|ok"]
    );
    let rejected = std::fs::read_to_string(format!("{path}.rejected.csv")).unwrap();
    assert!(rejected.contains("constraint `t_kind_check`"), "{rejected}");
    std::fs::remove_file(format!("{path}.rejected.csv")).unwrap();
}

/// INSERT, REPLACE, COPY, the appender, a provider in a session of somebody else: each asks the CHECKs, and an error
/// leaves nothing.
#[tokio::test]
async fn every_way_in_asks_the_checks() {
    let connection = with(&[
        "CREATE TABLE t (a INT PRIMARY KEY, b INT CHECK (b > 0), CONSTRAINT \"Order\" CHECK (t.a < b OR b = 7))",
        "INSERT INTO t VALUES (1, 2), (2, NULL), (9, 7)",
    ])
    .await;
    for (statement, wrong) in [
        (
            "INSERT INTO t VALUES (3, 4), (4, 0)",
            "row 2: table `t`: constraint `t_b_check`, CHECK (b > 0), does not hold for b = 0",
        ),
        (
            "INSERT INTO t SELECT a + 100, a FROM t WHERE a = 1",
            "row 1: table `t`: constraint `Order`, CHECK (a < b OR b = 7), does not hold for a = 101, b = 1",
        ),
        ("REPLACE INTO t VALUES (1, -1)", "constraint `t_b_check`"),
    ] {
        let error = run(&connection, statement).await.expect_err(statement);
        assert!(error.contains(wrong), "{statement}: {error}");
    }
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.write_all(b"11,12\n13,0\n").unwrap();
    let copy = format!("COPY t FROM '{}'", file.path().display());
    let error = run(&connection, &copy).await.unwrap_err();
    assert!(
        error.contains("line 2: table `t`: constraint `t_b_check`"),
        "{error}"
    );
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((20, 21)).unwrap();
    let error = appender.append_row((22, -3)).unwrap_err();
    drop(appender);
    assert_eq!(error.constraint(), Some("t_b_check"));
    let error = error.to_string();
    assert!(
        error.contains("row 2: table `t`: constraint `t_b_check`"),
        "{error}"
    );
    let foreign = SessionContext::new();
    let provider = connection.database().table_provider("t").unwrap();
    let rows_of = |a: i32, b: i32| {
        let column = |value| Arc::new(Int32Array::from(vec![value])) as _;
        let batch = RecordBatch::try_new(provider.schema(), vec![column(a), column(b)]).unwrap();
        foreign.read_batch(batch).unwrap()
    };
    foreign.register_table("t", Arc::clone(&provider)).unwrap();
    let options = datafusion::dataframe::DataFrameWriteOptions::new();
    let written = rows_of(30, 0).write_table("t", options).await;
    assert!(written.unwrap_err().to_string().contains("t_b_check"));
    let stored = rows(&connection, "SELECT * FROM t").await;
    assert_eq!(stored, ["1|2", "2|NULL", "9|7"]);
}

/// What a CHECK says of a row is what a WHERE says of it, whatever the types of its constants.
#[tokio::test]
async fn a_check_means_what_a_condition_means() {
    let conditions = [
        "a IN (1, 2, 3)",
        "a BETWEEN 2 AND 5 AND b <> 'x'",
        "b LIKE 'a%' OR length(b) = a",
        "CASE WHEN a > 3 THEN b = 'abc' ELSE b IS NOT NULL END",
        "a + 0.5 < 3",
        "s < '2024-01-01 00:00:00.5'",
        "s >= TIMESTAMP '2024-01-01 00:00:00.5' OR a = 1",
        "date_trunc('day', s) = DATE '2024-01-01'",
        "NOT (a = 2 AND b = 'abc') IS TRUE",
        "(a, b) <> (1, 'abc')",
        "b || a % 2 = 'abc1'",
        "a IS DISTINCT FROM 2 AND a < 4",
        "coalesce(b, 'abc') = lower('ABC')",
        "b ~ '^[a-c]+$'",
        "true",
        "a > 1 AND a > 1 + 1 AND a * a > 2 AND a * a < 20",
    ];
    for condition in conditions {
        let connection = with(&[
            "CREATE TABLE plain (id INT PRIMARY KEY, a INT, b TEXT, s TIMESTAMP(0))",
            "INSERT INTO plain SELECT row_number() OVER (), a, b, s FROM (VALUES (1), (2), (4), (NULL)) AS x (a) \
             CROSS JOIN (VALUES ('abc'), ('x'), (NULL)) AS y (b) \
             CROSS JOIN (VALUES (TIMESTAMP '2024-01-01 00:00:00'), (TIMESTAMP '2024-01-01 00:00:01'), (NULL)) AS z (s)",
            &format!("CREATE TABLE t (id INT PRIMARY KEY, a INT, b TEXT, s TIMESTAMP(0), CHECK ({condition}))"),
        ])
        .await;
        let expected = format!("SELECT id FROM plain WHERE ({condition}) IS NOT FALSE ORDER BY id");
        let expected = rows(&connection, &expected).await;
        for id in 1..=36 {
            let insert = format!("INSERT INTO t SELECT * FROM plain WHERE id = {id}");
            if let Err(error) = run(&connection, &insert).await {
                assert!(error.contains("does not hold"), "{condition}: {error}");
            }
        }
        let stored = rows(&connection, "SELECT id FROM t ORDER BY id").await;
        assert_eq!(stored, expected, "{condition}");
    }
}

#[tokio::test]
async fn what_cannot_be_a_rule_is_refused_when_it_is_declared() {
    let connection = with(&["CREATE TABLE other (x INT PRIMARY KEY)"]).await;
    for (columns, wrong) in [
        (
            "a INT DEFAULT b, b INT",
            "column `a`: a DEFAULT cannot have columns, and `b` is one",
        ),
        (
            "a INT DEFAULT (SELECT 1)",
            "a DEFAULT cannot have a subquery",
        ),
        (
            "a INT DEFAULT 'x'",
            "column `a` of type INT cannot hold 'x'",
        ),
        ("a DATE DEFAULT 7", "column `a` of type DATE cannot hold 7"),
        (
            "a INT DEFAULT nosuch(1)",
            "the DEFAULT of column `a`, nosuch(1)",
        ),
        (
            "a INT DEFAULT count(*)",
            "aggregates and windows are not implemented here",
        ),
        ("a INT DEFAULT 1 DEFAULT 2", "DEFAULT is given twice"),
        ("a INT CHECK (b > 0)", "constraint `t_a_check`"),
        ("a INT CHECK (a + 1)", "is no condition: it is of type"),
        (
            "a INT CHECK (a > (SELECT max(x) FROM other))",
            "a CHECK cannot have a subquery",
        ),
        (
            "a INT CHECK (max(a) > 1)",
            "aggregates and windows are not implemented here",
        ),
        (
            "a INT CHECK (random() > a)",
            "a CHECK cannot have `random()`",
        ),
        (
            "a TIMESTAMP CHECK (a < now())",
            "a CHECK cannot have `now()`",
        ),
        ("a INT, CHECK (a > 0) NOT ENFORCED", "is not implemented"),
        (
            "a INT, CONSTRAINT c CHECK (a > 0), CONSTRAINT c CHECK (a > 1)",
            "constraint `c` is declared twice",
        ),
        ("a INT CHECK (other.x > 0)", "constraint `t_a_check`"),
    ] {
        let create = format!("CREATE TABLE t ({columns})");
        let error = run(&connection, &create).await.expect_err(&create);
        assert!(
            error.contains("table `t`") && error.contains(wrong),
            "{create}: {error}"
        );
        assert_eq!(rows(&connection, "SHOW TABLES").await, ["other"]);
    }
}

/// What is stored is understood again.
#[tokio::test]
async fn rules_survive_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let create = "CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 3 CHECK (a > 2 OR a = 1), b TEXT DEFAULT 'it''s' || '!')";
    let database = Database::open(directory.path()).await.unwrap();
    run(&database.connect(), create).await.unwrap();
    let shown = rows(&database.connect(), "SHOW CREATE TABLE t").await;
    drop(database);
    let database = Database::open(directory.path()).await.unwrap();
    let connection = database.connect();
    assert_eq!(rows(&connection, "SHOW CREATE TABLE t").await, shown);
    run(&connection, "INSERT INTO t (id) VALUES (1)")
        .await
        .unwrap();
    run(
        &connection,
        "INSERT INTO t VALUES (2, DEFAULT, DEFAULT), (3, 1, 'x')",
    )
    .await
    .unwrap();
    assert!(
        run(&connection, "INSERT INTO t VALUES (4, 2, '')")
            .await
            .is_err()
    );
    assert_eq!(
        rows(&connection, "SELECT * FROM t").await,
        ["1|3|it's!", "2|3|it's!", "3|1|x"]
    );
}
