//! REPLACE that names some of the columns.

use crate::params;
use crate::session::testing::texts;
use crate::session::{Connection, Database};

async fn table(create: &str, rows: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    connection.execute(create, ()).await.unwrap();
    connection.execute(rows, ()).await.unwrap();
    connection
}

async fn all(connection: &Connection) -> Vec<String> {
    texts(
        &connection
            .query("SELECT * FROM t ORDER BY k", ())
            .await
            .unwrap(),
    )
}

#[tokio::test]
async fn columns_that_are_not_named_stay() {
    let create =
        "CREATE TABLE t (k INT PRIMARY KEY, a INT NOT NULL, b TEXT DEFAULT 'd', g INT AS (a * 2))";
    let connection = table(create, "INSERT INTO t VALUES (1, 10, 'x'), (2, 20, NULL)").await;
    let run = async |sql: &str| connection.execute(sql, ()).await;
    assert_eq!(
        run("INSERT OR REPLACE INTO t (k, a) VALUES (1, 11), (3, 30)")
            .await
            .unwrap(),
        2
    );
    assert_eq!(
        run("REPLACE INTO t (b, k) SELECT 'y', k FROM t WHERE k = 2")
            .await
            .unwrap(),
        1
    );
    assert_eq!(run("REPLACE INTO t (k) VALUES (2)").await.unwrap(), 1);
    assert_eq!(
        all(&connection).await,
        ["1|11|x|22", "2|20|y|40", "3|30|d|60"]
    );
    // All that can be given.
    assert_eq!(
        run("REPLACE INTO t (k, b, a) VALUES (1, NULL, 12)")
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        run("REPLACE INTO t VALUES (2, 21, DEFAULT)").await.unwrap(),
        1
    );
    assert_eq!(
        all(&connection).await,
        ["1|12|NULL|24", "2|21|d|42", "3|30|d|60"]
    );
    // A new row has NULL in what is not named.
    let error = run("REPLACE INTO t (k, b) VALUES (9, 'z')")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("column `a`"), "{error}");
    let error = run("REPLACE INTO t (k, nix) VALUES (1, 1)")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no column `nix`"), "{error}");
    let error = run("REPLACE INTO t (k, a) VALUES (1, 1), (1, 2)")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("rows 1 and 2"), "{error}");
    let statement = connection
        .prepare("INSERT OR REPLACE INTO t (k, a) VALUES ($1, $2)")
        .await
        .unwrap();
    assert_eq!(statement.execute(params![3, 31]).await.unwrap(), 1);
    assert_eq!(all(&connection).await[2], "3|31|d|62");
}

/// Where the row key is coarser than its columns, these are replaced with the others that are named.
#[tokio::test]
async fn columns_of_the_key_are_replaced_as_well() {
    let create = "CREATE TABLE t (k INT, a INT, b INT, PRIMARY KEY (k / 10))";
    let connection = table(create, "INSERT INTO t VALUES (11, 1, 2)").await;
    connection
        .execute("REPLACE INTO t (k, a) VALUES (12, 3)", ())
        .await
        .unwrap();
    assert_eq!(all(&connection).await, ["12|3|2"]);
}

#[tokio::test]
async fn without_a_key_every_row_is_new() {
    let connection = table(
        "CREATE TABLE t (k INT, a INT)",
        "INSERT INTO t VALUES (1, 2)",
    )
    .await;
    connection
        .execute("REPLACE INTO t (k) VALUES (1)", ())
        .await
        .unwrap();
    assert_eq!(all(&connection).await.len(), 2);
}

#[tokio::test]
async fn generated_columns_of_the_new_row_are_computed() {
    let create = "CREATE TABLE t (k INT PRIMARY KEY, a INT, g INT GENERATED ALWAYS AS (a * 2 + k) STORED, h TEXT AS (a::TEXT))";
    let connection = table(create, "INSERT INTO t VALUES (1, 100)").await;
    let upsert = "INSERT INTO t (k, a) VALUES (1, 7) ON CONFLICT DO UPDATE SET a = excluded.g + t.g WHERE excluded.h = '7'";
    assert_eq!(connection.execute(upsert, ()).await.unwrap(), 1);
    assert_eq!(all(&connection).await, ["1|216|433|216"]);
}

#[tokio::test]
async fn a_file_that_would_lose_columns_is_refused() {
    let connection = table(
        "CREATE TABLE t (k INT PRIMARY KEY, a INT)",
        "INSERT INTO t VALUES (1, 2)",
    )
    .await;
    let error = connection
        .execute("COPY t (k) FROM 'nowhere.csv' (REPLACE)", ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("in `a`"), "{error}");
    let error = connection
        .execute("COPY t (k) FROM 'nowhere.csv'", ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("nowhere.csv"), "{error}");
}
