use arrow::datatypes::{IntervalMonthDayNano, i256};
use chrono::NaiveDateTime;
use datafusion::common::ScalarValue;

use super::*;
use crate::error::ErrorKind;
use crate::params;
use crate::session::{Connection, Database};
use crate::sql::parse::{Command, Parsed, parse};

fn parsed(sql: &str) -> Written {
    let statement = parse(sql).unwrap().pop();
    match statement {
        Some(Parsed {
            command: Command::Sql(parsed),
            ..
        }) => *parsed,
        other => panic!("{other:?}"),
    }
}

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE t (a INT PRIMARY KEY, d DECIMAL(10,2), ts TIMESTAMP, s TEXT)",
        "INSERT INTO t VALUES (1, 9.99, '2024-01-31 10:00', 'x'), (2, 10.00, '2024-02-29 12:00', 'y'), (3, 10.02, NULL, 'z')",
    ] {
        connection.execute(sql, ()).await.expect(sql);
    }
    connection
}

#[tokio::test]
async fn constants_are_planned_as_the_values_that_they_stand_for() {
    use ScalarValue as S;
    let zone = Some("+02:00".into());
    let list = S::List(S::new_list_nullable(
        &[S::Int64(Some(1)), S::Int64(None), S::Int64(Some(-3))],
        &ArrowType::Int64,
    ));
    let values = [
        S::Null,
        S::Boolean(Some(true)),
        S::Boolean(None),
        S::Int8(Some(-128)),
        S::Int16(Some(5)),
        S::Int32(None),
        S::Int64(Some(i64::MIN)),
        S::Int64(Some(i64::MAX)),
        S::UInt8(Some(255)),
        S::UInt64(Some(u64::MAX)),
        S::Float32(Some(0.1)),
        S::Float64(Some(f64::MIN_POSITIVE)),
        S::Float64(Some(-0.0)),
        S::Float64(Some(f64::NEG_INFINITY)),
        S::Decimal128(Some(-150), 10, 2),
        S::Decimal128(Some(5), 3, 3),
        S::Decimal256(Some(i256::from(7)), 50, 1),
        S::Utf8(Some("it's 'ä'".into())),
        S::Utf8(None),
        S::Binary(Some(vec![0, 255, 39])),
        S::FixedSizeBinary(2, Some(vec![0, 255])),
        S::Date32(Some(-800_000)),
        S::Date32(Some(3_000_000)),
        S::TimestampSecond(Some(1), None),
        S::TimestampMillisecond(Some(-1), zone.clone()),
        S::TimestampMicrosecond(Some(i64::MAX), None),
        S::TimestampNanosecond(Some(i64::MIN), zone),
        S::TimestampNanosecond(None, None),
        S::Time64Nanosecond(Some(86_399_999_999_999)),
        S::DurationNanosecond(Some(-5)),
        S::IntervalMonthDayNano(Some(IntervalMonthDayNano::new(-1, 40, -5))),
        list,
    ];
    let connection = connection().await;
    for value in values {
        let statement = with_values(&parsed("SELECT $1"), std::slice::from_ref(&value)).unwrap();
        let statement = statement.sql;
        let rows = connection.query(&statement.to_string(), ()).await;
        let batches = rows.unwrap_or_else(|error| panic!("{statement}: {error}"));
        let column = batches[0].column(0);
        assert_eq!(batches[0].schema().field(0).name(), "$1");
        let found = ScalarValue::try_from_array(column, 0).unwrap();
        assert_eq!(found, value, "{statement}");
    }
}

#[tokio::test]
async fn parameters_are_counted_where_they_are_written() {
    for (sql, count) in [
        ("SELECT 1", 0),
        ("SELECT $2", 2),
        ("WITH q AS (SELECT $1) SELECT 5", 1),
        ("INSERT INTO t VALUES ($1, $2), ($3, $4)", 4),
        ("EXPLAIN SELECT $3", 3),
        (
            "PREPARE p AS SELECT * FROM t WHERE a IN (SELECT $5) LIMIT $6",
            6,
        ),
    ] {
        assert_eq!(count_of(&parsed(sql)), count, "{sql}");
    }
    let connection = connection().await;
    let unread = connection.prepare("WITH q AS (SELECT $1) SELECT 5").await;
    let unread = unread.unwrap();
    assert_eq!(
        unread
            .query_row([1])
            .unwrap()
            .unwrap()
            .get::<i64>(0)
            .unwrap(),
        5
    );
    let error = unread.query_row(()).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the statement has one parameter, and is given 0"
    );
}

#[tokio::test]
async fn a_parameter_is_no_number_of_a_column() {
    let connection = connection().await;
    let sql = "SELECT s, date_part($2, ts) FROM t GROUP BY s, ts, $1 ORDER BY $1, s DESC";
    for is_prepared in [false, true] {
        let params = params![1, "month"];
        let rows = if is_prepared {
            connection.prepare(sql).await.unwrap().query(params).await
        } else {
            connection.stream(sql, params).await
        };
        let rows = rows.unwrap().rows().await.unwrap();
        let found: Vec<String> = rows.iter().map(|row| row.get(0).unwrap()).collect();
        assert_eq!(found, ["z", "y", "x"]);
    }
}

#[tokio::test]
async fn names_are_checked_where_a_statement_is_prepared() {
    let connection = connection().await;
    for sql in [
        "SELECT nothing + $1 FROM t",
        "SELECT date_part($1, nothing) FROM t",
        "SELECT $1 FROM nothing",
        "SELECT nothing($1)",
        "SELECT t.ts + $1 FROM t, t AS t",
        "SELECT a + $1 FROM t JOIN t AS u ON t.a = u.a",
        "UPDATE t SET nothing = $1",
        "INSERT INTO nothing VALUES ($1)",
        "SELECT $1 EXCEPT SELECT nothing FROM t",
        "SELECT * FROM generate_serie(1, $1)",
    ] {
        assert!(connection.prepare(sql).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn changes_are_planned_for_values_too() {
    let connection = connection().await;
    let later = connection.prepare("UPDATE t SET ts = ts + $1 WHERE a = $2 RETURNING ts");
    let later = later.await.unwrap();
    let day = ScalarValue::IntervalMonthDayNano(Some(IntervalMonthDayNano::new(0, 1, 0)));
    assert_eq!(
        later
            .execute(vec![day.clone(), ScalarValue::from(1)])
            .await
            .unwrap(),
        1
    );
    let row = later
        .query_row(vec![day, ScalarValue::from(1)])
        .unwrap()
        .unwrap();
    let found = row.get::<NaiveDateTime>(0).unwrap();
    assert_eq!(found.to_string(), "2024-02-02 10:00:00");
    let wrong = later.execute(params![true, 1]).await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidInput, "{wrong}");
    // It is planned for the table that there is.
    connection
        .execute("ALTER TABLE t ALTER COLUMN d DROP NOT NULL", ())
        .await
        .unwrap();
    connection.execute("TRUNCATE t", ()).await.unwrap();
    assert_eq!(later.execute(params!["1 day", 1]).await.unwrap(), 0);
}
