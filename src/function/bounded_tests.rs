use crate::error::ErrorKind;
use crate::session::{Connection, Database};

async fn limited() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let set = "SET halite.memory_limit = '64M'";
    connection.execute(set, ()).await.unwrap();
    connection
}

/// One call of each kind that would make more than is allowed, constant and not.
#[tokio::test]
async fn what_is_too_long_is_refused_before_it_is_made() {
    let connection = limited().await;
    let rows = "(SELECT value AS n, CAST(value AS TEXT) AS s FROM generate_series(1000000000, 1000000001))";
    for call in [
        "repeat('x', 1000000000)",
        "repeat(s, n)",
        "lpad('x', 2000000000)",
        "lpad(s, n, 'ä')",
        "rpad('x', 2000000000, 'y')",
        "replace(repeat('x', 2000000), 'x', repeat('y', 100))",
        "regexp_replace(repeat('x', 2000000), 'x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', 'g')",
        "range(1, 1000000000)",
        "range(1, n)",
        "generate_series(1, n, 2)",
        "generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2200-01-01', INTERVAL '1' MILLISECOND)",
        "range(TIMESTAMP '2000-01-01', TIMESTAMP '2200-01-01', INTERVAL '1' SECOND)",
        "printf(repeat('%1$999s', 100000), s)",
        "format(repeat('%1$s', 100000), repeat('x', 100000))",
        "array_repeat(1, 1000000000)",
        "array_repeat(s, n)",
        "array_resize([1], 1000000000, 0)",
        "array_resize([n], n, 0)",
        "array_to_string(range(1, 200000), repeat('x', 10000))",
        "string_to_array(repeat('x', 3000000), '')",
        "concat(repeat(s, 300000), repeat(s, 300000), repeat(s, 300000), repeat(s, 300000))",
    ] {
        let sql = format!("SELECT {call} AS a FROM {rows}");
        let error = match connection.query(&sql, ()).await {
            Ok(_) => panic!("{call} was made"),
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{call}: {error}");
        assert!(error.message().contains("halite.memory_limit"), "{error}");
    }
}

#[tokio::test]
async fn what_is_allowed_is_made() {
    let connection = limited().await;
    for (sql, expected) in [
        ("length(repeat('x', 1000000))", 1_000_000),
        ("length(lpad('x', 100000))", 100_000),
        ("length('ab' || repeat('cd', 1000) || 'e')", 2_003),
        ("length(replace('abcabc', 'b', 'xyz'))", 10),
        ("length(regexp_replace('abc', '(b)', '\\1\\1'))", 4),
        ("cardinality(range(10, 0, -3))", 4),
        (
            "cardinality(range(DATE '2024-01-01', DATE '2024-02-01', INTERVAL '1' DAY))",
            31,
        ),
        ("cardinality(array_resize([1, 2], 500, 7))", 500),
        ("cardinality(array_repeat('x', 1000))", 1_000),
        ("cardinality(array_concat([1], [2, 3], [4]))", 4),
        ("cardinality([1, 2] || [3])", 3),
        ("cardinality(string_to_array('a,b,c', ','))", 3),
        ("length(array_to_string([1, 2, 3], ', '))", 7),
        ("length(concat_ws('-', 'a', 'b', 'c'))", 5),
    ] {
        let query = format!("SELECT CAST({sql} AS BIGINT) AS n");
        let row = connection.query_row(&query, ()).await.unwrap().unwrap();
        assert_eq!(row.get::<i64>("n").unwrap(), expected, "{sql}");
    }
}

/// Each level doubles what the one below has made.
#[tokio::test]
async fn doubling_ends_at_the_limit() {
    let connection = limited().await;
    for double in [
        "a || a",
        "concat(a, a)",
        "array_concat(a, a)",
        "replace(a, 'x', 'xx')",
    ] {
        let first = if double.starts_with("array") {
            "[value]"
        } else {
            "concat('x', repeat('x', value))"
        };
        let mut sql = format!("SELECT {first} AS a FROM generate_series(1, 2)");
        for _ in 0..40 {
            sql = format!("SELECT {double} AS a FROM ({sql}) q");
        }
        let sql = format!("SELECT count(a) FROM ({sql}) q");
        let error = connection.query(&sql, ()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{double}: {error}");
    }
}

/// `||` keeps what it means: NULL, lists, names of columns.
#[tokio::test]
async fn the_operator_stays_what_it_was() {
    let connection = limited().await;
    let sql = "SELECT a || b, a || NULL AS nothing, [1] || [2] AS list FROM (VALUES ('x', 'y'), (NULL, 'z')) AS t (a, b) \
               ORDER BY 1";
    let batches = connection.query(sql, ()).await.unwrap();
    let text = arrow::util::pretty::pretty_format_batches(&batches)
        .unwrap()
        .to_string();
    for line in [
        "| a || b | nothing | list   |",
        "| xy     |         | [1, 2] |",
        "|        |         | [1, 2] |",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// A long constant stands in each row of a batch: there are fewer of them.
#[tokio::test]
async fn a_long_constant_makes_batches_short() {
    let connection = limited().await;
    let long = "x".repeat(500_000);
    let sql = format!("SELECT '{long}' AS a, value FROM generate_series(1, 100)");
    let mut stream = connection.stream(&sql, ()).await.unwrap();
    let mut rows = 0;
    while let Some(batch) = futures::StreamExt::next(&mut stream).await {
        let batch = batch.unwrap();
        assert!(batch.get_array_memory_size() <= 8 << 20);
        rows += batch.num_rows();
    }
    assert_eq!(rows, 100);
}
