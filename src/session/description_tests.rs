//! What statements are described as, beside what they give when they are run.

use arrow::datatypes::Schema;

use super::*;
use crate::datum::upper_type_name;
use crate::error::ErrorKind;
use crate::session::testing::with;
use crate::session::{IntoParameters, Outcome};
use crate::{named_params, params};

async fn connection() -> Connection {
    with(&[
        "CREATE TABLE t (a BIGINT, ts TIMESTAMP(3), c TEXT, d DECIMAL(10, 2) NULL, PRIMARY KEY (a, ts DESC))",
        "INSERT INTO t VALUES (1, '2024-01-01', 'x', 1.5), (2, '2024-01-02', 'y', NULL)",
    ])
    .await
}

fn columns_of(schema: &Schema) -> String {
    let fields = schema.fields().iter();
    let fields =
        fields.map(|field| format!("{} {}", field.name(), upper_type_name(field.data_type())));
    fields.collect::<Vec<_>>().join(", ")
}

fn shown(description: &Description) -> (String, String) {
    let columns = description.columns().map(|schema| columns_of(schema));
    let parameters = description.parameters().iter().map(|parameter| {
        let name = parameter.name().map(|name| format!("{name} "));
        let of_type = parameter.data_type().map(upper_type_name);
        name.unwrap_or_default() + &of_type.unwrap_or_else(|| "?".to_owned())
    });
    (
        columns.unwrap_or_else(|| "a number".to_owned()),
        parameters.collect::<Vec<_>>().join(", "),
    )
}

/// A statement, the columns that it gives, its parameters.
const STATEMENTS: &[(&str, &str, &str)] = &[
    (
        "SELECT * FROM t WHERE a = $1 AND ts > $2",
        "a BIGINT, ts TIMESTAMP(3), c TEXT, d DECIMAL(10,2)",
        "BIGINT, TIMESTAMP(3)",
    ),
    (
        "SELECT c AS x, count(*) FROM t GROUP BY c",
        "x TEXT, count(*) BIGINT",
        "",
    ),
    ("SELECT a + $1 AS x FROM t", "x BIGINT", "BIGINT"),
    ("SELECT $1 AS x", "x NULL", "?"),
    ("SELECT CAST($1 AS DOUBLE) AS x", "x DOUBLE", "DOUBLE"),
    (
        "SELECT a FROM t WHERE c LIKE $pattern OR d < $least",
        "a BIGINT",
        "pattern TEXT, least DECIMAL(10,2)",
    ),
    // Stands beside two types.
    ("SELECT a FROM t WHERE c = $1 OR a = $1", "a BIGINT", "?"),
    (
        "SELECT a FROM t UNION ALL SELECT 2.5",
        "a DECIMAL(21,1)",
        "",
    ),
    ("SELECT a FROM t EXCEPT SELECT $1", "a BIGINT", "?"),
    ("SELECT ts - $1 AS x FROM t", "x INTERVAL", "TIMESTAMP(3)"),
    (
        "INSERT INTO t VALUES ($1, $2, $3, $4)",
        "a number",
        "BIGINT, TIMESTAMP(3), TEXT, DECIMAL(10,2)",
    ),
    (
        "UPDATE t SET c = $1 WHERE a = $2",
        "a number",
        "TEXT, BIGINT",
    ),
    ("DELETE FROM t WHERE a = $1 RETURNING c", "c TEXT", "BIGINT"),
    (
        "EXPLAIN SELECT a FROM t WHERE a = $1",
        "plan_type TEXT, plan TEXT",
        "BIGINT",
    ),
];

#[tokio::test]
async fn a_statement_is_described_before_it_has_values() {
    let connection = connection().await;
    let mut wrong = Vec::new();
    for (sql, columns, parameters) in STATEMENTS {
        let described = match connection.describe(sql).await {
            Ok(description) => shown(&description),
            Err(error) => (error.to_string(), String::new()),
        };
        if (described.0.as_str(), described.1.as_str()) != (*columns, *parameters) {
            wrong.push((sql, described));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nothing was run.
    let rows = connection.query_row("SELECT count(*) FROM t", ()).await;
    assert_eq!(rows.unwrap().unwrap().get::<i64>(0).unwrap(), 2);
}

/// With values of the types that were told, the columns are those that were told.
#[tokio::test]
async fn the_columns_are_those_of_the_run() {
    async fn given(connection: &Connection, sql: &str, params: impl IntoParameters) -> String {
        let statement = connection.prepare(sql).await.unwrap();
        let stream = statement.query(params).await.unwrap();
        let described = statement.describe().await.unwrap();
        let described = described.columns().unwrap();
        // A value that is not NULL may be known as such.
        let described = columns_of(described);
        assert_eq!(described, columns_of(&stream.schema()), "{sql}");
        described
    }
    let connection = connection().await;
    let by_key = "SELECT c, d FROM t WHERE a = $1 AND ts = $2";
    assert_eq!(
        given(&connection, by_key, params![1, "2024-01-01"]).await,
        "c TEXT, d DECIMAL(10,2)"
    );
    let named = "SELECT max(d) AS d FROM t WHERE c = $kind";
    let params = named_params! { "kind" => "x" };
    assert_eq!(given(&connection, named, params).await, "d DECIMAL(10,2)");
    let returning = "UPDATE t SET c = $1 WHERE a = 1 RETURNING a, c";
    assert_eq!(
        given(&connection, returning, params!["z"]).await,
        "a BIGINT, c TEXT"
    );
}

#[tokio::test]
async fn a_description_is_for_the_tables_that_there_are() {
    let connection = connection().await;
    let statement = connection
        .prepare("SELECT * FROM t WHERE a = $1")
        .await
        .unwrap();
    let before = statement.describe().await.unwrap();
    assert_eq!(before.columns().unwrap().fields().len(), 4);
    let altered = connection
        .execute("ALTER TABLE t ADD COLUMN e INT NULL", ())
        .await;
    altered.unwrap();
    let after = statement.describe().await.unwrap();
    assert_eq!(after.columns().unwrap().fields().len(), 5);
    connection.execute("DROP TABLE t", ()).await.unwrap();
    let error = statement.describe().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    assert!(error.message().contains('t'), "{error}");
}

#[tokio::test]
async fn what_needs_its_values_says_so() {
    let connection = connection().await;
    for sql in [
        "SELECT date_part($1, ts) FROM t",
        "CREATE TABLE u (a INT PRIMARY KEY)",
    ] {
        let error = connection.describe(sql).await.unwrap_err();
        assert!(!error.message().is_empty(), "{sql}: {error}");
    }
    let statements = connection.script("SELECT 1 AS a").unwrap();
    let Ok(Outcome::Rows(stream)) = connection.run(&statements[0]).await else {
        panic!("no rows");
    };
    let described = connection.describe("SELECT 1 AS a").await.unwrap();
    assert_eq!(
        described.columns().unwrap().as_ref(),
        stream.schema().as_ref()
    );
}
