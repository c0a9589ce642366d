//! Definitions that change over rows that do not.

use std::sync::Arc;

use crate::keyrange::KeyRange;
use crate::session::testing::{rows_of as rows, run, with};
use crate::session::{Database, PreparedStatement};
use crate::store::{MemoryStore, Store, read_chunks};

/// Every entry of the spaces of tables.
fn entries(store: &MemoryStore) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (snapshot, mut found) = (store.snapshot().unwrap(), Vec::new());
    for space in store
        .spaces()
        .unwrap()
        .iter()
        .filter(|space| *space != "catalog")
    {
        let read: crate::error::Result<()> =
            read_chunks(Arc::clone(&snapshot), space, &KeyRange::all(), |chunk| {
                found.extend(
                    chunk
                        .iter()
                        .map(|(key, value)| (key.to_vec(), value.to_vec())),
                );
                Ok(true)
            });
        read.unwrap();
    }
    found
}

const ALTERATIONS: &[&str] = &[
    "ALTER TABLE t ADD COLUMN c TEXT",
    "ALTER TABLE t ADD d INT NOT NULL DEFAULT 7, ADD COLUMN e TEXT DEFAULT 'new', ADD f DECIMAL(30, 2) DEFAULT 1.5",
    "ALTER TABLE t ADD COLUMN g DOUBLE DEFAULT -0.0, ADD h BOOLEAN DEFAULT true, ADD i BYTEA DEFAULT x'00ff', ADD j DATE DEFAULT '2024-02-29'",
    "ALTER TABLE t RENAME COLUMN a TO \"Key\"",
    "ALTER TABLE t DROP COLUMN b",
    "ALTER TABLE t ADD COLUMN b BIGINT",
    "ALTER TABLE t ALTER COLUMN d SET DEFAULT 8, ALTER e DROP DEFAULT, ALTER COLUMN d DROP NOT NULL, ALTER COLUMN e SET NOT NULL",
    "ALTER TABLE t ADD CONSTRAINT small CHECK (d < 100), ADD CHECK (\"Key\" > 0)",
    "ALTER TABLE t RENAME TO u",
];

#[tokio::test]
async fn no_row_is_rewritten_and_all_are_read() {
    let store = Arc::new(MemoryStore::new());
    let database = Database::of_store(Arc::clone(&store) as Arc<dyn Store>).unwrap();
    let connection = database.connect();
    run(
        &connection,
        "CREATE TABLE t (a INT, b TEXT, PRIMARY KEY (salt(4), a))",
    )
    .await
    .unwrap();
    run(
        &connection,
        "INSERT INTO t VALUES (1, 'one'), (2, NULL), (3, 'three')",
    )
    .await
    .unwrap();
    let before = entries(&store);
    for alteration in ALTERATIONS {
        run(&connection, alteration).await.expect(alteration);
        assert_eq!(entries(&store), before, "{alteration}");
    }
    let expected = [
        "1|NULL|7|new|1.50|0.0|true|00ff|2024-02-29|NULL",
        "2|NULL|7|new|1.50|0.0|true|00ff|2024-02-29|NULL",
    ];
    let query = "SELECT * FROM u WHERE \"Key\" < 3 ORDER BY \"Key\"";
    assert_eq!(rows(&connection, query).await, expected);
    let add = "INSERT INTO u (\"Key\", e, b) VALUES (4, 'x', 44)";
    assert_eq!(run(&connection, add).await.unwrap(), 1);
    let last = rows(&connection, "SELECT * FROM u WHERE \"Key\" = 4").await;
    assert_eq!(last, ["4|NULL|8|x|1.50|0.0|true|00ff|2024-02-29|44"]);
    let filtered = "SELECT count(*) FROM u WHERE e = 'new' AND d = 7 AND h AND f > 1";
    assert_eq!(rows(&connection, filtered).await, ["3"]);
    for (statement, wrong) in [
        (
            "INSERT INTO u (\"Key\", e, d) VALUES (5, 'x', 100)",
            "constraint `small`",
        ),
        (
            "INSERT INTO u (\"Key\", e) VALUES (0, 'x')",
            "constraint `t_Key_check`",
        ),
        (
            "INSERT INTO u (\"Key\") VALUES (6)",
            "column `e` is NOT NULL",
        ),
        ("SELECT * FROM t", "t"),
    ] {
        let error = run(&connection, statement).await.expect_err(statement);
        assert!(error.contains(wrong), "{statement}: {error}");
    }
    let shown = rows(&connection, "SHOW CREATE TABLE u").await;
    drop((connection, database));
    let database = Database::of_store(store).unwrap();
    let connection = database.connect();
    assert_eq!(rows(&connection, "SHOW CREATE TABLE u").await, shown);
    assert_eq!(rows(&connection, query).await, expected);
    let report = database.check().await.unwrap();
    assert!(report.is_sound(), "{report:?}");
}

/// What cannot be done, and what the error says.
const REFUSED: &[(&str, &str)] = &[
    (
        "ALTER TABLE t ALTER COLUMN b SET NOT NULL",
        "table `t`: row /4000: column `b` would be NOT NULL and is NULL",
    ),
    (
        "ALTER TABLE t ADD CHECK (b < 39)",
        "table `t`: row /39: constraint `t_b_check1`, CHECK (b < 39), does not hold for b = 39",
    ),
    (
        "ALTER TABLE t ADD COLUMN d INT NOT NULL",
        "row /1: column `d` would be NOT NULL",
    ),
    (
        "ALTER TABLE t ADD COLUMN d INT DEFAULT 3 CHECK (d > 3)",
        "row /1: constraint `t_d_check`",
    ),
    (
        "ALTER TABLE t ADD COLUMN e INT, DROP COLUMN nosuch",
        "there is no column `nosuch`; there are `a`, `b`",
    ),
    (
        "ALTER TABLE t ADD COLUMN c INT",
        "column `c` exists already",
    ),
    (
        "ALTER TABLE t ADD COLUMN d TEXT DEFAULT uuid()",
        "its DEFAULT differs from row to row",
    ),
    (
        "ALTER TABLE t ADD COLUMN d INT DEFAULT 'x'",
        "column `d` of type INT cannot hold 'x'",
    ),
    (
        "ALTER TABLE t ADD COLUMN d INT PRIMARY KEY",
        "the row key is laid out when the table is made",
    ),
    (
        "ALTER TABLE t ADD COLUMN d VARCHAR(2) DEFAULT 'long'",
        "it has more than 2 characters",
    ),
    (
        "ALTER TABLE t DROP COLUMN a",
        "column `a` is part of the row key, so it cannot be dropped",
    ),
    (
        "ALTER TABLE t DROP COLUMN b",
        "constraint `t_b_check` is about column `b`",
    ),
    (
        "ALTER TABLE t ALTER COLUMN a DROP NOT NULL",
        "it stays NOT NULL",
    ),
    (
        "ALTER TABLE t ALTER COLUMN c TYPE INT",
        "since it rewrites the rows",
    ),
    (
        "ALTER TABLE t ALTER COLUMN b SET DEFAULT a",
        "a DEFAULT cannot have columns",
    ),
    (
        "ALTER TABLE t RENAME COLUMN b TO c",
        "column `c` exists already",
    ),
    (
        "ALTER TABLE t RENAME COLUMN b TO \"C\"",
        "differ in case alone",
    ),
    (
        "ALTER TABLE t DROP CONSTRAINT nosuch",
        "there is no constraint `nosuch`",
    ),
    (
        "ALTER TABLE t ADD CONSTRAINT t_b_check CHECK (a > 0)",
        "declared twice",
    ),
    ("ALTER TABLE t ADD UNIQUE (b)", "of constraints CHECK is"),
    (
        "ALTER TABLE t RENAME TO t2, ADD COLUMN z INT, DROP COLUMN y",
        "there is no column `y`",
    ),
    (
        "ALTER TABLE nosuch ADD COLUMN a INT",
        "there is no table `nosuch`",
    ),
];

/// What rows do not satisfy is refused with one of them, and nothing is changed.
#[tokio::test]
async fn what_rows_do_not_satisfy_is_refused() {
    let connection = with(&[
        "CREATE TABLE t (a INT PRIMARY KEY, b INT CHECK (b < 50), c TEXT)",
        "INSERT INTO t SELECT value, value % 40, 'x' FROM generate_series(1, 3000)",
        "INSERT INTO t VALUES (4000, NULL, NULL)",
    ])
    .await;
    let shown = rows(&connection, "SHOW CREATE TABLE t").await;
    for (alteration, wrong) in REFUSED {
        let error = run(&connection, alteration).await.expect_err(alteration);
        assert!(error.contains(wrong), "{alteration}: {error}");
        assert_eq!(
            rows(&connection, "SHOW CREATE TABLE t").await,
            shown,
            "{alteration}"
        );
    }
    for alteration in [
        "ALTER TABLE IF EXISTS nosuch ADD COLUMN a INT",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT",
        "ALTER TABLE t DROP COLUMN IF EXISTS nosuch, DROP CONSTRAINT IF EXISTS nosuch",
    ] {
        run(&connection, alteration).await.expect(alteration);
        assert_eq!(
            rows(&connection, "SHOW CREATE TABLE t").await,
            shown,
            "{alteration}"
        );
    }
    run(&connection, "ALTER TABLE t DROP COLUMN b CASCADE")
        .await
        .unwrap();
    run(&connection, "ALTER TABLE t ADD COLUMN b INT")
        .await
        .unwrap();
    let gone = "SELECT count(b), count(*) FROM t";
    assert_eq!(rows(&connection, gone).await, ["0|3001"]);
}

/// How many columns the row of a key has.
fn columns(point: &PreparedStatement, key: i32) -> usize {
    let row = point.query_row((key,)).unwrap();
    row.unwrap().len()
}

/// Statements that were prepared go on; those that are under way and write are turned away.
#[tokio::test]
async fn prepared_statements_are_planned_anew() {
    let connection = with(&[
        "CREATE TABLE t (a INT PRIMARY KEY, b INT)",
        "INSERT INTO t VALUES (1, 10), (2, 20)",
    ])
    .await;
    let point = connection
        .prepare("SELECT * FROM t WHERE a = $1")
        .await
        .unwrap();
    let insert = connection
        .prepare("INSERT INTO t (a) VALUES ($1)")
        .await
        .unwrap();
    let mut appender = connection.appender("t").unwrap();
    appender.append_row((9, 9)).unwrap();
    assert_eq!(columns(&point, 1), 2);
    run(&connection, "ALTER TABLE t ADD COLUMN c INT DEFAULT 5")
        .await
        .unwrap();
    assert_eq!(columns(&point, 1), 3);
    insert.execute((3,)).await.unwrap();
    run(&connection, "ALTER TABLE t DROP COLUMN b")
        .await
        .unwrap();
    insert.execute((4,)).await.unwrap();
    assert_eq!(columns(&point, 4), 2);
    assert_eq!(
        rows(&connection, "SELECT * FROM t").await,
        ["1|5", "2|5", "3|5", "4|5"]
    );
    let error = appender.finish().await.unwrap_err().to_string();
    assert!(error.contains("dropped, emptied or altered"), "{error}");
}

/// Writers and an ALTER at the same time: each row has what its columns ask, whoever came first.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_and_alterations_take_turns() {
    let database = Database::in_memory().unwrap();
    let connection = database.connect();
    run(&connection, "CREATE TABLE t (a INT PRIMARY KEY, b INT)")
        .await
        .unwrap();
    let writer = |first: i32| {
        let connection = database.connect();
        tokio::spawn(async move {
            for a in (first..first + 200).step_by(2) {
                let insert = format!("INSERT INTO t (a, b) VALUES ({a}, {a})");
                run(&connection, &insert).await.unwrap();
            }
        })
    };
    let writers = [writer(0), writer(1)];
    for n in 0..20 {
        let alter = format!("ALTER TABLE t ADD COLUMN c{n} INT NOT NULL DEFAULT {n}");
        run(&connection, &alter).await.unwrap();
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let all =
        "SELECT count(*), count(b), count(*) FILTER (WHERE c0 = 0 AND c7 = 7 AND c19 = 19) FROM t";
    assert_eq!(rows(&connection, all).await, ["200|200|200"]);
}

#[tokio::test]
async fn a_table_becomes_no_wider_than_can_be_planned() {
    let connection = Database::in_memory().unwrap().connect();
    let columns = |from: usize, to: usize, before: &str| -> String {
        let columns = (from..to).map(|n| format!("{before}c{n} INT"));
        columns.collect::<Vec<_>>().join(", ")
    };
    let create = format!(
        "CREATE TABLE t ({}, PRIMARY KEY (c0))",
        columns(0, 1_990, "")
    );
    connection.execute(&create, ()).await.unwrap();
    for from in (1_990..4_000).step_by(500) {
        let added = columns(from, (from + 500).min(4_000), "ADD COLUMN ");
        run(&connection, &format!("ALTER TABLE t {added}"))
            .await
            .unwrap();
    }
    let error = connection
        .execute("ALTER TABLE t ADD COLUMN more INT", ())
        .await;
    let error = error.unwrap_err();
    assert!(
        error
            .message()
            .ends_with("a table has at most 4000 columns"),
        "{error}"
    );
    connection.query("SELECT * FROM t", ()).await.unwrap();
    connection
        .execute("ALTER TABLE t DROP COLUMN c3999", ())
        .await
        .unwrap();
    connection
        .execute("ALTER TABLE t ADD COLUMN more INT", ())
        .await
        .unwrap();
}

#[tokio::test]
async fn checks_that_are_added_are_counted() {
    let connection = Database::in_memory().unwrap().connect();
    let create =
        "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1) STORED, PRIMARY KEY (a))";
    run(&connection, create).await.unwrap();
    let add = vec!["ADD CHECK (a > 0)"; 499].join(", ");
    run(&connection, &format!("ALTER TABLE t {add}"))
        .await
        .unwrap();
    let error = connection
        .execute("ALTER TABLE t ADD CHECK (a > 1)", ())
        .await;
    let error = error.unwrap_err();
    let expected = "a table has at most 500 CHECKs and generated columns";
    assert!(error.message().ends_with(expected), "{error}");
}
