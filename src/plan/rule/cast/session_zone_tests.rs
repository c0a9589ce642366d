use crate::session::Connection;
use crate::session::testing::{plain, plain_rows, rows_of, run, with};

/// A table with the instant 10:00 UTC, which is 12:00 in Berlin, of the 1st of July, and one of 23:30 of the day before.
async fn berlin() -> Connection {
    let connection = with(&[
        "CREATE TABLE t (id INT PRIMARY KEY, z TIMESTAMPTZ, z3 TIMESTAMP(3) WITH TIME ZONE, ts TIMESTAMP, d DATE, x TEXT)",
        "INSERT INTO t VALUES
            (1, '2025-07-01 10:00:00Z', '2025-07-01 10:00:00Z', '2025-07-01 12:00:00', '2025-07-01', '2025-07-01 12:00:00'),
            (2, '2025-06-30 23:30:00Z', '2025-06-30 23:30:00Z', '2025-07-01 01:30:00', '2025-07-01', '2025-07-01 01:30:00')",
    ])
    .await;
    run(&connection, "SET TIME ZONE 'Europe/Berlin'")
        .await
        .unwrap();
    connection
}

/// An expression of the column `z`, and of the constant that it holds in the first row.
async fn both(connection: &Connection, expr: &str) -> [String; 2] {
    let column = rows_of(
        connection,
        &format!("SELECT {expr} AS y FROM t WHERE id = 1"),
    )
    .await;
    let constant = expr.replace('z', "TIMESTAMPTZ '2025-07-01 10:00:00Z'");
    let constant = rows_of(
        connection,
        &format!("SELECT {constant} AS y FROM t WHERE id = 1"),
    )
    .await;
    [column.concat(), constant.concat()]
}

#[tokio::test]
async fn constants_and_columns_go_by_the_zone_of_the_session() {
    let connection = berlin().await;
    for (expr, expected) in [
        ("z::TIMESTAMP", "2025-07-01T12:00:00"),
        ("CAST(z AS TIMESTAMP(0))", "2025-07-01T12:00:00"),
        ("z::DATE", "2025-07-01"),
        ("z::TIMESTAMP::DATE", "2025-07-01"),
        ("z::TIME", "12:00:00"),
        ("z::TEXT", "2025-07-01T12:00:00+02:00"),
        ("z || ''", "2025-07-01T12:00:00+02:00"),
        ("z = TIMESTAMP '2025-07-01 12:00'", "true"),
        ("z = '2025-07-01 12:00:00'", "true"),
        ("z = TIMESTAMP '2025-07-01 10:00'", "false"),
        ("z IN (TIMESTAMP '2025-07-01 12:00', NULL)", "true"),
        (
            "z BETWEEN TIMESTAMP '2025-07-01 12:00' AND DATE '2025-07-02'",
            "true",
        ),
        ("z = ts", "true"),
        ("z > d", "true"),
        ("z = x", "true"),
        ("z - ts", "0 secs"),
        ("extract(hour FROM z)", "12"),
        ("date_part('hour', z)", "12"),
        (
            "CAST(date_trunc('day', z) AS TIMESTAMP)",
            "2025-07-01T00:00:00",
        ),
        ("strftime(z, '%H:%M')", "12:00"),
        ("to_char(z, 'HH24:MI')", "12:00"),
        ("coalesce(NULL, ts) = coalesce(z, ts)", "true"),
        ("CASE WHEN true THEN z ELSE ts END = ts", "true"),
        ("z AT TIME ZONE 'Asia/Tokyo'", "2025-07-01T19:00:00+09:00"),
        (
            "(z AT TIME ZONE 'Asia/Tokyo')::TIMESTAMP",
            "2025-07-01T19:00:00",
        ),
        ("to_local_time(z)", "2025-07-01T12:00:00"),
        ("ts::TIMESTAMPTZ::TIMESTAMP = ts", "true"),
        ("ts::TIMESTAMPTZ = z", "true"),
    ] {
        assert_eq!(both(&connection, expr).await, [expected; 2], "{expr}");
    }
}

/// Of the second row, which is of another day in UTC; and the keys that a condition finds are those of its rows.
#[tokio::test]
async fn conditions_find_what_the_clocks_show() {
    let connection = berlin().await;
    for statement in [
        "CREATE TABLE k (z TIMESTAMPTZ, id INT, PRIMARY KEY (CAST(z AS DATE), date_trunc('hour', z), z))",
        "INSERT INTO k SELECT z, id FROM t",
    ] {
        run(&connection, statement).await.unwrap();
    }
    for (condition, expected) in [
        ("z::DATE = DATE '2025-07-01'", vec!["1", "2"]),
        ("z::DATE = DATE '2025-06-30'", vec![]),
        ("z::TIMESTAMP::DATE = DATE '2025-07-01'", vec!["1", "2"]),
        ("z >= DATE '2025-07-01'", vec!["1", "2"]),
        ("z < TIMESTAMP '2025-07-01 01:30:01'", vec!["2"]),
        ("z < '2025-07-01 01:30:00'", vec![]),
        (
            "date_trunc('day', z) = TIMESTAMP '2025-07-01'",
            vec!["1", "2"],
        ),
        (
            "date_trunc('hour', z) = TIMESTAMPTZ '2025-07-01 01:00'",
            vec!["2"],
        ),
        ("extract(day FROM z) = 1", vec!["1", "2"]),
        ("extract(hour FROM z) = 1", vec!["2"]),
    ] {
        let sql = format!("SELECT id FROM k WHERE {condition} ORDER BY id");
        assert_eq!(rows_of(&connection, &sql).await, expected, "{condition}");
        // A text that comes again is run as a prepared statement is.
        assert_eq!(rows_of(&connection, &sql).await, expected, "{condition}");
    }
}

#[tokio::test]
async fn what_is_stored_is_read_on_the_clocks_of_the_session() {
    let connection = berlin().await;
    for statement in [
        "CREATE TABLE w (id INT PRIMARY KEY, z TIMESTAMPTZ, z0 TIMESTAMP(0) WITH TIME ZONE)",
        "INSERT INTO w VALUES (1, '2025-07-01 12:00:00', TIMESTAMP '2025-07-01 12:00'), (2, '2025-07-01 10:00:00Z', DATE '2025-07-01')",
        "INSERT INTO w SELECT 3, ts, x FROM t WHERE id = 1",
        "INSERT INTO w VALUES (4, NULL, NULL)",
        "UPDATE w SET z = '2025-07-01 12:00:00' WHERE id = 4",
        "UPDATE w SET z0 = TIMESTAMP '2025-07-01 12:00' WHERE id = 4",
    ] {
        run(&connection, statement).await.expect(statement);
    }
    let sql = "SELECT id, z::TEXT, z0::TEXT FROM w ORDER BY id";
    let noon = "2025-07-01T12:00:00+02:00";
    let right = [
        format!("1|{noon}|{noon}"),
        format!("2|{noon}|2025-07-01T00:00:00+02:00"),
        format!("3|{noon}|{noon}"),
        format!("4|{noon}|{noon}"),
    ];
    assert_eq!(rows_of(&connection, sql).await, right);
    let sql = "SELECT count(*) FROM w WHERE z = '2025-07-01 12:00:00'";
    assert_eq!(rows_of(&connection, sql).await, ["4"]);
    let wrong = run(&connection, "INSERT INTO w VALUES (5, 'noon', NULL)").await;
    assert!(wrong.is_err_and(|error| error.contains("`z`")));
}

#[tokio::test]
async fn in_utc_a_zone_that_is_named_is_kept() {
    let connection = berlin().await;
    run(&connection, "RESET TIME ZONE").await.unwrap();
    for (expr, expected) in [
        ("z::TIMESTAMP", "2025-07-01T10:00:00"),
        (
            "(z AT TIME ZONE 'Europe/Berlin')::TIMESTAMP",
            "2025-07-01T12:00:00",
        ),
        ("(z AT TIME ZONE 'Europe/Berlin')::DATE", "2025-07-01"),
        (
            "(z AT TIME ZONE '+02:00')::TIMESTAMP(3)",
            "2025-07-01T12:00:00",
        ),
        ("(ts AT TIME ZONE 'Asia/Tokyo')::TIMESTAMP = ts", "true"),
    ] {
        assert_eq!(both(&connection, expr).await, [expected; 2], "{expr}");
    }
}

/// Fails as soon as DataFusion gives back what it was given.
#[tokio::test]
async fn canary() {
    let session = plain();
    let zone = "SET datafusion.execution.time_zone = 'Europe/Berlin'";
    plain_rows(&session, zone).await.expect("setting");
    let sql = "SELECT CAST(CAST(TIMESTAMP '2025-07-01 12:00:00' AS TIMESTAMPTZ) AS TIMESTAMP) AS x";
    assert_eq!(
        plain_rows(&session, sql).await,
        Ok(vec!["2025-07-01T10:00:00".to_owned()])
    );
}
