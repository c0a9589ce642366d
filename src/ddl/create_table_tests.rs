//! Tables without a key, and tables of a query: what is stored, and what is left when something fails.

use std::sync::Arc;

use crate::session::Database;
use crate::session::testing::{rows_of as rows, run};
use crate::store::{MemoryStore, Store};

/// The spaces of a store, but for the catalog's.
fn spaces(store: &MemoryStore) -> Vec<String> {
    let mut spaces = store.spaces().unwrap();
    spaces.retain(|space| space != "catalog");
    spaces
}

#[tokio::test]
async fn row_ids_go_on_where_they_were_when_the_store_was_closed() {
    let directory = tempfile::tempdir().unwrap();
    for opening in 0..3 {
        let database = Database::open(directory.path()).await.unwrap();
        let connection = database.connect();
        let create = "CREATE TABLE IF NOT EXISTS t (a INT)";
        run(&connection, create).await.unwrap();
        for row in 0..2 {
            let insert = format!("INSERT INTO t VALUES ({opening}{row})");
            run(&connection, &insert).await.unwrap();
        }
        let expected = (0..=opening).flat_map(|opening| (0..2).map(move |row| 10 * opening + row));
        let expected: Vec<String> = expected.map(|a| a.to_string()).collect();
        assert_eq!(rows(&connection, "SELECT * FROM t").await, expected);
        let ids = rows(&connection, "SELECT _row_id FROM keys('t')").await;
        let given: Vec<String> = (1..=2 * (opening + 1)).map(|id| id.to_string()).collect();
        assert_eq!(ids, given);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn statements_at_the_same_time_get_ids_of_their_own() {
    let database = Database::in_memory().unwrap();
    run(&database.connect(), "CREATE TABLE t (writer INT, n INT)")
        .await
        .unwrap();
    let writers = (0..8).map(|writer| {
        let connection = database.connect();
        tokio::spawn(async move {
            for n in 0..50 {
                let insert = format!("INSERT INTO t VALUES ({writer}, {n}), ({writer}, {n})");
                run(&connection, &insert).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let connection = database.connect();
    assert_eq!(rows(&connection, "SELECT count(*) FROM t").await, ["800"]);
    let all = "SELECT count(DISTINCT _row_id), min(_row_id), max(_row_id) FROM keys('t')";
    assert_eq!(rows(&connection, all).await, ["800|1|800"]);
    // What one writer wrote later stands later.
    let wrong = "SELECT writer, n FROM t";
    let mut last = [0; 8];
    for row in rows(&connection, wrong).await {
        let (writer, n) = row.split_once('|').unwrap();
        let (writer, n): (usize, i32) = (writer.parse().unwrap(), n.parse().unwrap());
        assert!(last[writer] <= n, "{row}");
        last[writer] = n;
    }
}

/// Equal rows are told apart by their ids alone.
#[tokio::test]
async fn rows_without_a_key_are_deleted_one_by_one() {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, "CREATE TABLE t (a INT, b TEXT)")
        .await
        .unwrap();
    let insert = "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'z'), (2, 'z'), (NULL, 'n')";
    assert_eq!(run(&connection, insert).await.unwrap(), 5);
    for (delete, count, left) in [
        ("DELETE FROM t WHERE b = 'y'", 1, "1|x,2|z,2|z,NULL|n"),
        (
            "DELETE FROM t WHERE a IN (SELECT a - 1 FROM t WHERE b = 'z')",
            1,
            "2|z,2|z,NULL|n",
        ),
        ("DELETE FROM t WHERE a IS NULL", 1, "2|z,2|z"),
        ("DELETE FROM t WHERE false", 0, "2|z,2|z"),
        ("DELETE FROM t", 2, ""),
    ] {
        assert_eq!(
            run(&connection, delete).await.expect(delete),
            count,
            "{delete}"
        );
        let rows = rows(&connection, "SELECT a, b FROM t").await;
        assert_eq!(rows.join(","), left, "{delete}");
    }
}

#[tokio::test]
async fn every_way_in_gives_ids() {
    let connection = Database::in_memory().unwrap().connect();
    run(&connection, "CREATE TABLE t (a BIGINT)").await.unwrap();
    let mut appender = connection.appender("t").unwrap();
    (0..3_000_i64).for_each(|a| appender.append_row((a,)).unwrap());
    assert_eq!(appender.finish().await.unwrap(), 3_000);
    run(&connection, "INSERT INTO t SELECT a + 3000 FROM t")
        .await
        .unwrap();
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    let path = file.path().display();
    run(&connection, &format!("COPY t TO '{path}' (HEADER)"))
        .await
        .unwrap();
    run(&connection, &format!("COPY t FROM '{path}' (HEADER)"))
        .await
        .unwrap();
    run(&connection, "SET halite.statement_memory = 1000000")
        .await
        .unwrap();
    run(
        &connection,
        "REPLACE INTO t SELECT value FROM generate_series(1, 200000)",
    )
    .await
    .unwrap();
    let ids = "SELECT count(*), count(DISTINCT _row_id), max(_row_id) FROM keys('t')";
    assert_eq!(rows(&connection, ids).await, ["212000|212000|212000"]);
}

/// A query that fails at its last row, a key that is there twice, a type that no column holds: nothing is left.
#[tokio::test]
async fn of_a_query_that_fails_no_table_is_left() {
    let store = Arc::new(MemoryStore::new());
    let database = Database::of_store(Arc::clone(&store) as Arc<dyn Store>).unwrap();
    let connection = database.connect();
    for (create, wrong) in [
        (
            "CREATE TABLE t AS SELECT 10 / (999 - value) AS a FROM generate_series(0, 999)",
            "zero",
        ),
        (
            "CREATE TABLE t (PRIMARY KEY (a)) AS SELECT value % 7 AS a FROM generate_series(0, 9)",
            "is given twice",
        ),
        (
            "CREATE TABLE t (PRIMARY KEY (a)) AS SELECT CAST(NULL AS INT) AS a",
            "NOT NULL",
        ),
        (
            "CREATE TABLE t AS SELECT arrow_cast(1, 'Decimal256(50, 2)') AS a",
            "column `a` of the query",
        ),
        (
            "CREATE TABLE t (a INT, b INT) AS SELECT 1",
            "1 columns, 2 are declared",
        ),
        ("CREATE TABLE t (a INT) AS SELECT 'x'", "column `a`"),
        ("CREATE TABLE t AS SELECT 1 AS a, 2 AS a", "a"),
        (
            "CREATE TABLE t (PRIMARY KEY (b)) AS SELECT 1 AS a",
            "no column `b`",
        ),
    ] {
        let error = run(&connection, create).await.expect_err(create);
        assert!(error.contains(wrong), "{create}: {error}");
        assert_eq!(rows(&connection, "SHOW TABLES").await, [""; 0], "{create}");
        assert_eq!(spaces(&store), [""; 0], "{create}");
    }
    let create = "CREATE TABLE t (PRIMARY KEY (a)) AS SELECT value AS a FROM generate_series(0, 9)";
    assert_eq!(run(&connection, create).await.unwrap(), 10);
    assert_eq!(spaces(&store).len(), 1);
    let error = run(&connection, create).await.unwrap_err();
    assert!(error.contains("exists already"), "{error}");
}

/// Nobody sees a table before it has its rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_table_appears_with_its_rows() {
    let database = Database::in_memory().unwrap();
    let other = database.connect();
    let making = database.connect();
    let create = "CREATE TABLE t AS SELECT value AS a FROM generate_series(1, 300000)";
    let made = tokio::spawn(async move { run(&making, create).await });
    while let Err(error) = run(&other, "SELECT 1 FROM t LIMIT 1").await {
        assert!(error.contains("table"), "{error}");
    }
    assert_eq!(rows(&other, "SELECT count(*) FROM t").await, ["300000"]);
    assert_eq!(made.await.unwrap().unwrap(), 300_000);
}

#[tokio::test]
async fn a_table_that_is_there_does_not_hide_what_is_wrong_with_its_declaration() {
    let connection = Database::in_memory().unwrap().connect();
    let run = async |sql: &str| connection.execute(sql, ()).await.map_err(|e| e.to_string());
    run("CREATE TABLE t (a INT, PRIMARY KEY (a))")
        .await
        .unwrap();
    run("CREATE TABLE IF NOT EXISTS t (b TEXT, PRIMARY KEY (b))")
        .await
        .unwrap();
    for (rest, wrong) in [
        (
            "(a INT, PRIMARY KEY (a)) WITH (ttl = 1)",
            "is not implemented",
        ),
        (
            "(a INT PRIMARY KEY, PRIMARY KEY (a))",
            "has one PRIMARY KEY",
        ),
        ("(a INT, PRIMARY KEY (b))", "b"),
    ] {
        let sql = format!("CREATE TABLE IF NOT EXISTS t {rest}");
        let error = run(&sql).await.unwrap_err();
        assert!(error.contains(wrong), "{sql}: {error}");
    }
    run("DROP TABLE IF EXISTS missing, t").await.unwrap();
    let error = run("DROP TABLE t").await.unwrap_err();
    assert!(error.contains("no table `t`"), "{error}");
}

/// A query, and the type of its only column: whoever asks for it before the query is run is told what its values are of.
const TYPES: &[(&str, &str)] = &[
    ("CASE WHEN a > 1 THEN a ELSE 2.5e0 END", "DOUBLE"),
    ("CASE WHEN a > 1 THEN u ELSE 2.5e0 END", "DOUBLE"),
    ("CASE WHEN a > 1 THEN n ELSE 5000000000 END", "BIGINT"),
    (
        "CASE WHEN a > 1 THEN n WHEN a > 0 THEN 0.5 ELSE 1e300 END",
        "DOUBLE",
    ),
    (
        "CASE WHEN a > 1 THEN DATE '2024-01-01' ELSE TIMESTAMP '0001-01-01 10:00:00' END",
        "TIMESTAMP(6)",
    ),
    ("CASE WHEN a > 1 THEN NULL ELSE n END", "INT"),
    ("coalesce(f, 1e300)", "DOUBLE"),
    ("coalesce(d, ts)", "TIMESTAMP(6)"),
    ("greatest(n, a)", "BIGINT"),
];

#[tokio::test]
async fn a_table_of_a_query_has_the_types_of_its_values() {
    let connection = Database::in_memory().unwrap().connect();
    let table = "CREATE TABLE t (a BIGINT PRIMARY KEY, n INT, u BIGINT UNSIGNED, f DECIMAL(10, 2), d DATE, ts TIMESTAMP(9));
        INSERT INTO t VALUES (1, 1, 1, NULL, '0001-01-01', NULL), (2, 2, 2, 0.25, NULL, '2024-01-01')";
    connection.execute_script(table).await.unwrap();
    for (number, (expression, wanted)) in TYPES.iter().enumerate() {
        let query = format!("SELECT {expression} AS x FROM t");
        let given = rows(&connection, &query).await;
        let typed = |described: Vec<String>| -> String {
            let row = described.into_iter().next().unwrap();
            row.split('|').nth(1).unwrap().to_owned()
        };
        let described = typed(rows(&connection, &format!("DESCRIBE {query}")).await);
        assert_eq!(&described, wanted, "{query}");
        let union = format!("DESCRIBE SELECT NULL AS x WHERE false UNION ALL {query}");
        assert_eq!(&typed(rows(&connection, &union).await), wanted, "{query}");
        run(&connection, &format!("CREATE TABLE t{number} AS {query}"))
            .await
            .unwrap();
        run(&connection, &format!("CREATE VIEW v{number} AS {query}"))
            .await
            .unwrap();
        for made in [format!("t{number}"), format!("v{number}")] {
            let described = typed(rows(&connection, &format!("DESCRIBE {made}")).await);
            assert_eq!(&described, wanted, "{made}: {query}");
            let listed = format!(
                "SELECT data_type FROM information_schema.columns WHERE table_name = '{made}'"
            );
            assert_eq!(
                rows(&connection, &listed).await,
                [*wanted],
                "{made}: {query}"
            );
            assert_eq!(
                rows(&connection, &format!("SELECT x FROM {made}")).await,
                given,
                "{made}: {query}"
            );
        }
    }
}
