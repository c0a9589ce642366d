//! Tables that another process alters while a statement is on its way: what is written keeps to the new definition.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::DataType;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{ScalarUDF, Volatility, create_udf};
use tokio::runtime::Builder;

use super::testing::{rows_of as rows, run};
use super::{Connection, Database};
use crate::store::simulated_processes;

/// Two processes on one cluster, and a table that both know.
async fn processes() -> [Connection; 2] {
    let connect = |store| Database::of_store(store).unwrap().connect();
    let [one, other] = simulated_processes().map(connect);
    for sql in [
        "CREATE TABLE t (a BIGINT PRIMARY KEY, b BIGINT)",
        "INSERT INTO t VALUES (1, 10), (2, 20)",
    ] {
        run(&one, sql).await.unwrap();
    }
    assert_eq!(rows(&other, "SELECT * FROM t").await, ["1|10", "2|20"]);
    [one, other]
}

/// `meanwhile(n)` is n. It is computed while a statement is planned, and a first time lets another process run `sql`.
fn meanwhile(other: Connection, sql: &'static str) -> ScalarUDF {
    let is_done = AtomicBool::new(false);
    let function = move |values: &[_]| {
        if !is_done.swap(true, Ordering::SeqCst) {
            let other = other.clone();
            let altered = std::thread::spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(run(&other, sql)).unwrap();
            });
            altered.join().unwrap();
        }
        Ok(Clone::clone(&values[0]))
    };
    create_udf(
        "meanwhile",
        vec![DataType::Int64],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(function),
    )
}

/// All rows of `t` after a statement that was planned before another process ran `alteration`, and the statement's error.
async fn after(alteration: &'static str, statement: &str) -> (Vec<String>, Option<String>) {
    let [one, other] = processes().await;
    other.register_udf(meanwhile(one.clone(), alteration));
    let error = run(&other, statement).await.err();
    (rows(&one, "SELECT * FROM t ORDER BY a").await, error)
}

/// Every kind of statement that changes rows, each of which would leave a row with b = -7.
const NEGATIVE: [&str; 7] = [
    "INSERT INTO t VALUES (7, -meanwhile(7))",
    "INSERT INTO t SELECT 7, -meanwhile(7) FROM t WHERE a = 1",
    "REPLACE INTO t VALUES (1, -meanwhile(7))",
    "INSERT INTO t VALUES (1, -7) ON CONFLICT DO UPDATE SET b = -meanwhile(7)",
    "UPDATE t SET b = -meanwhile(7)",
    "UPDATE t SET b = -meanwhile(7) WHERE a = 1 RETURNING b",
    "MERGE INTO t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = -meanwhile(7)",
];

#[tokio::test]
async fn a_check_that_another_process_added_is_asked() {
    for statement in NEGATIVE {
        let altered = after(
            "ALTER TABLE t ADD CONSTRAINT positive CHECK (b > 0)",
            statement,
        );
        let (rows, error) = altered.await;
        let error = error.unwrap_or_else(|| panic!("{statement}: {rows:?}"));
        assert!(error.contains("positive"), "{statement}: {error}");
        assert_eq!(rows, ["1|10", "2|20"], "{statement}");
    }
}

#[tokio::test]
async fn not_null_that_another_process_set_is_asked() {
    for statement in NEGATIVE {
        let statement = statement.replace("-meanwhile(7)", "nullif(meanwhile(7), 7)");
        let altered = after("ALTER TABLE t ALTER COLUMN b SET NOT NULL", &statement);
        let (rows, error) = altered.await;
        let error = error.unwrap_or_else(|| panic!("{statement}: {rows:?}"));
        assert!(error.contains("`b`"), "{statement}: {error}");
        assert_eq!(rows, ["1|10", "2|20"], "{statement}");
    }
}

#[tokio::test]
async fn a_column_that_another_process_added_has_its_default() {
    let add = "ALTER TABLE t ADD COLUMN c BIGINT DEFAULT 5";
    let insert = "INSERT INTO t (a, b) VALUES (7, meanwhile(70))";
    let expected = ["1|10|5", "2|20|5", "7|70|5"].map(str::to_owned).to_vec();
    assert_eq!(after(add, insert).await, (expected, None));
    let update = "UPDATE t SET b = b + meanwhile(1)";
    let expected = ["1|11|5", "2|21|5"].map(str::to_owned).to_vec();
    assert_eq!(after(add, update).await, (expected, None));
}

#[tokio::test]
async fn rows_go_where_the_table_is_that_has_the_name() {
    let insert = "INSERT INTO t (a, b) VALUES (7, meanwhile(70))";
    let emptied = after("TRUNCATE TABLE t", insert).await;
    assert_eq!(emptied, (vec!["7|70".to_owned()], None));
    let [one, other] = processes().await;
    other.register_udf(meanwhile(one.clone(), "ALTER TABLE t RENAME TO u"));
    let error = run(&other, insert).await.unwrap_err();
    assert!(
        error.contains("'t' not found") || error.contains("`t`"),
        "{error}"
    );
    assert_eq!(rows(&one, "SELECT * FROM u").await, ["1|10", "2|20"]);
}

#[tokio::test]
async fn prepared_changes_are_planned_anew_and_appended_rows_are_refused() {
    let [one, other] = processes().await;
    let insert = other
        .prepare("INSERT INTO t VALUES ($1, $2)")
        .await
        .unwrap();
    let update = other
        .prepare("UPDATE t SET b = $2 WHERE a = $1")
        .await
        .unwrap();
    insert.execute((3, 30)).await.unwrap();
    update.execute((3, 31)).await.unwrap();
    let mut appender = other.appender("t").unwrap();
    appender.append_row((9, -9)).unwrap();
    run(&one, "ALTER TABLE t ADD CONSTRAINT positive CHECK (b > 0)")
        .await
        .unwrap();
    for refused in [
        insert.execute((4, -4)).await.unwrap_err().to_string(),
        update.execute((3, -3)).await.unwrap_err().to_string(),
    ] {
        assert!(refused.contains("positive"), "{refused}");
    }
    let refused = appender.finish().await.unwrap_err().to_string();
    assert!(refused.contains("dropped, emptied or altered"), "{refused}");
    insert.execute((5, 50)).await.unwrap();
    let expected = ["1|10", "2|20", "3|31", "5|50"];
    assert_eq!(rows(&one, "SELECT * FROM t ORDER BY a").await, expected);
}

/// Rows of the program that may come once are not asked for a second time: the statement says that it is to be run again.
#[tokio::test]
async fn what_reads_a_table_of_the_program_is_told() {
    let [one, other] = processes().await;
    let row = RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]);
    let row = row.unwrap();
    let values = MemTable::try_new(row.schema(), vec![vec![row]]).unwrap();
    other.register_table("own", Arc::new(values)).unwrap();
    other.register_udf(meanwhile(one.clone(), "ALTER TABLE t ADD COLUMN c INT"));
    let insert = "INSERT INTO t (a, b) SELECT 7, meanwhile(70) FROM own";
    let error = run(&other, insert).await.unwrap_err();
    assert!(error.contains("run it again"), "{error}");
    assert_eq!(rows(&one, "SELECT a FROM t").await, ["1", "2"]);
}
