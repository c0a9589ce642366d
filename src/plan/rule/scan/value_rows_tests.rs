use super::FEW;
use crate::session::testing::rows_of;
use crate::session::{Connection, Database};

/// So many rows that they are made when they are planned, with the value of each.
fn many(row: impl Fn(usize) -> String) -> String {
    let rows = (0..FEW + 1).map(|number| format!("({})", row(number)));
    format!("VALUES {}", rows.collect::<Vec<_>>().join(", "))
}

async fn plan(connection: &Connection, sql: &str) -> String {
    let explained = connection.rows(&format!("EXPLAIN {sql}"), ()).await;
    let rows: Vec<(String, String)> = explained.unwrap().to_vec().unwrap();
    rows.into_iter().map(|(_, plan)| plan).collect()
}

async fn is_made(connection: &Connection, sql: &str) -> bool {
    plan(connection, sql).await.contains("TableScan: values")
}

/// As the same rows are that are made one by one.
#[tokio::test]
async fn rows_are_what_their_values_say() {
    let connection = Database::in_memory().unwrap().connect();
    for row in [
        "{n}, 'a' || {n}, {n} / 7.0, -{n}",
        "{n} + 0.5, CAST('2024-01-01' AS DATE) + {n}, NULL, 1e0 * {n}",
        "CASE WHEN {n} > 100 THEN NULL ELSE {n} END, upper('x{n}'), NOT ({n} > 7), [{n}, 1]",
        "nullif({n}, 3), ({n}, 'x'), coalesce(NULL, {n}), TIMESTAMP '2024-01-01 00:00:00'",
    ] {
        let row = |number: usize| row.replace("{n}", &number.to_string());
        let made = many(row);
        assert!(is_made(&connection, &made).await, "{made}");
        let made = rows_of(&connection, &made).await;
        for (number, made) in made.iter().enumerate() {
            let few = rows_of(
                &connection,
                &format!("VALUES ({}), ({})", row(number), row(250)),
            )
            .await;
            assert_eq!(*made, few[0]);
        }
    }
}

#[tokio::test]
async fn what_needs_a_run_stays() {
    let connection = Database::in_memory().unwrap().connect();
    for (row, expected) in [
        ("{n}", true),
        ("{n} + 1", true),
        ("upper('a{n}')", true),
        ("random() + {n}", false),
    ] {
        let sql = many(|number| row.replace("{n}", &number.to_string()));
        assert_eq!(is_made(&connection, &sql).await, expected, "{row}");
    }
    assert!(!is_made(&connection, "VALUES (1), (2)").await);
}

#[tokio::test]
async fn rows_are_inserted() {
    let connection = Database::in_memory().unwrap().connect();
    let create = "CREATE TABLE t (a INT, b TEXT DEFAULT 'd', c DECIMAL(9,2), PRIMARY KEY (a))";
    connection.execute(create, ()).await.unwrap();
    let literals = many(|number| format!("{number}, {number}.126"));
    let computed = many(|number| format!("1000 + {number}, {number} + 0.126"));
    for values in [literals, computed] {
        let insert = format!("INSERT INTO t (a, c) {values}");
        assert!(is_made(&connection, &insert).await);
        connection.execute(&insert, ()).await.unwrap();
    }
    let sql = "SELECT a % 1000 AS n FROM t WHERE b = 'd' AND c = a % 1000 + 0.13 GROUP BY n HAVING count(*) = 2";
    let rows = rows_of(&connection, sql).await;
    assert_eq!(rows.len(), FEW + 1);
    let wrong = many(|number| format!("2000 + {number}, 'x' || {number}, {number} * 100000000000"));
    let error = connection
        .execute(&format!("INSERT INTO t {wrong}"), ())
        .await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("row 2: table `t`: column `c`"), "{error}");
}
