//! What is said of a row that meets a single value.

use crate::error::{Error, ErrorKind};
use crate::session::Database;

async fn error_of(sql: &str) -> Error {
    let connection = Database::in_memory().expect("database").connect();
    let table = "CREATE TABLE t (id INT, b INT, PRIMARY KEY (id))";
    connection.execute(table, ()).await.expect("table");
    let rows = connection.rows(sql, ()).await;
    rows.map(drop).expect_err(sql)
}

#[tokio::test]
async fn a_row_and_a_value_are_refused_in_words() {
    for condition in [
        "id > ('x', 1)",
        "id = (1, 2)",
        "id <> (1, 2)",
        "(1, 2) <= id",
        "('x', b) >= id",
        "id < ROW(1, 2)",
        "id IS DISTINCT FROM (1, 2)",
        "(id, b) IS NOT DISTINCT FROM 1",
        "id IN ((1, 2), (3, 4))",
        "id NOT IN ((1, 2))",
        "(id, b) IN (1, 2)",
        "(id, b) NOT IN (1, 2, 3, 4)",
        "id BETWEEN (1, 2) AND (3, 4)",
        "(id, b) BETWEEN 1 AND 2",
        "(id, b) NOT BETWEEN 1 AND 2",
        "(id, b) > (SELECT 1)",
        "id LIKE (1, 2)",
        "id + (1, 2) > 3",
    ] {
        let select = format!("SELECT id, {condition} AS x FROM t");
        let filter = format!("SELECT id FROM t WHERE {condition}");
        for sql in [select, filter] {
            let error = error_of(&sql).await;
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}: {error}");
            let told = error.message().contains("a row meets a single value");
            assert!(told, "{sql}: {error}");
        }
    }
}

#[tokio::test]
async fn rows_of_different_length_are_told_apart() {
    let error = error_of("SELECT id FROM t WHERE (id, b) = (1, 2, 3)").await;
    assert!(error.message().contains("a row of 2 values"), "{error}");
}
