use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use uuid::Uuid;

use super::super::{Connection, Database};
use super::*;
use crate::error::ErrorKind;

async fn row(connection: &Connection, sql: &str) -> Row {
    connection.query_row(sql, ()).await.unwrap().unwrap()
}

fn connection() -> Connection {
    Database::in_memory().unwrap().connect()
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.to_string()
}

#[tokio::test]
async fn rows_are_given_away_one_by_one() {
    let connection = crate::session::Database::in_memory().unwrap().connect();
    connection
        .execute("SET datafusion.execution.batch_size = 3", ())
        .await
        .unwrap();
    let all = || connection.rows("SELECT value FROM generate_series(1, 10) ORDER BY 1", ());
    let mut numbers = Vec::new();
    for row in all().await.unwrap() {
        numbers.push(row.get::<i64>(0).unwrap());
    }
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    let mut rows = all().await.unwrap().into_iter();
    assert_eq!(
        (rows.len(), rows.next().is_some(), rows.len()),
        (10, true, 9)
    );
    assert_eq!(rows.count(), 9);
    let none = connection.rows("SELECT 1 WHERE 1 > 2", ()).await.unwrap();
    assert_eq!(none.into_iter().len(), 0);
}

#[tokio::test]
async fn a_value_is_read_with_one_call() {
    let connection = crate::session::Database::in_memory().unwrap().connect();
    let ask = async |sql: &str| connection.query_scalar::<i64>(sql, ()).await;
    assert_eq!(ask("SELECT 7").await.unwrap(), Some(7));
    assert_eq!(ask("SELECT 7 WHERE 1 > 2").await.unwrap(), None);
    for (sql, why) in [
        ("SELECT 1, 2", "2 columns"),
        ("SELECT 1 UNION ALL SELECT 2", "more than one row"),
        ("SELECT NULL", "read it as Option"),
        ("SELECT 'x'", "no i64"),
    ] {
        let error = ask(sql).await.unwrap_err();
        assert!(error.message().contains(why), "{error}");
    }
    let null = connection.query_scalar::<Option<i64>>("SELECT NULL", ());
    assert_eq!(null.await.unwrap(), Some(None));
    let prepared = connection.prepare("SELECT $1 + 1").await.unwrap();
    assert_eq!(prepared.query_scalar::<i64>((1_i64,)).unwrap(), Some(2));
}

#[tokio::test]
async fn values_are_read_as_what_they_are() {
    let connection = connection();
    let sql = "SELECT 7 AS n, CAST(0.5 AS REAL) AS f, 12.50::DECIMAL(10, 2) AS d, true AS b, 'ä' AS t, \
               arrow_cast('v', 'Utf8View') AS v, arrow_cast('k', 'Dictionary(Int8, Utf8)') AS k, \
               DATE '2024-02-29' AS day, CAST('2024-02-29T01:02:03.004' AS TIMESTAMP(3)) AS ts, \
               CAST('2024-02-29T01:02:03' AS TIMESTAMP WITH TIME ZONE) AS at, X'0AFF' AS x, NULL AS z";
    let row = row(&connection, sql).await;
    assert_eq!(row.get::<i64>("n").unwrap(), 7);
    assert_eq!(row.get::<u8>(0).unwrap(), 7);
    assert_eq!(row.get::<f64>("n").unwrap(), 7.0);
    assert_eq!(row.get::<f32>("f").unwrap(), 0.5);
    assert_eq!(row.get::<f64>("f").unwrap(), 0.5);
    assert_eq!(row.get::<String>("d").unwrap(), "12.50");
    assert_eq!(row.get::<f64>("d").unwrap(), 12.5);
    assert!(row.get::<bool>("b").unwrap());
    assert_eq!(row.get::<&str>("t").unwrap(), "ä");
    assert_eq!(row.get::<String>("v").unwrap(), "v");
    assert_eq!(row.get::<&str>("k").unwrap(), "k");
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    assert_eq!(row.get::<NaiveDate>("day").unwrap(), day);
    let ts = day.and_hms_milli_opt(1, 2, 3, 4).unwrap();
    assert_eq!(row.get::<NaiveDateTime>("ts").unwrap(), ts);
    let at = day.and_hms_opt(1, 2, 3).unwrap().and_utc();
    assert_eq!(row.get::<DateTime<Utc>>("at").unwrap(), at);
    assert_eq!(row.get::<&[u8]>("x").unwrap(), b"\x0a\xff");
    assert_eq!(row.get::<Option<i64>>("z").unwrap(), None);
    assert_eq!(row.get::<Option<i64>>("n").unwrap(), Some(7));
    assert_eq!(row.get::<Value>("z").unwrap(), Value::Null);
    assert_eq!(row.scalar("n").unwrap(), ScalarValue::Int64(Some(7)));
}

#[tokio::test]
async fn times_intervals_and_ids_are_read_as_what_they_are() {
    let connection = connection();
    let sql = "SELECT CAST('01:02:03.5' AS TIME) AS t, INTERVAL '1 day 2 seconds' AS i, INTERVAL '1 month' AS m, \
               $1 AS given, $2 AS span, '67E55044-10b1-426f-9247-bb680e5fe0c8' AS id, \
               X'67e5504410b1426f9247bb680e5fe0c8' AS raw, INTERVAL '-1.5 seconds' AS back, 7 AS n, \
               CAST('1970-01-01T00:00:01' AS TIMESTAMP WITH TIME ZONE) AS at";
    let time = NaiveTime::from_hms_milli_opt(1, 2, 3, 500).unwrap();
    let id = Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8);
    let row = connection
        .query_row(sql, (time, Duration::from_millis(2)))
        .await;
    let row = row.unwrap().unwrap();
    assert_eq!(row.get::<NaiveTime>("t").unwrap(), time);
    assert_eq!(row.get::<NaiveTime>("given").unwrap(), time);
    let day = TimeDelta::days(1) + TimeDelta::seconds(2);
    assert_eq!(row.get::<TimeDelta>("i").unwrap(), day);
    assert_eq!(
        row.get::<Duration>("i").unwrap(),
        Duration::from_secs(86_402)
    );
    assert_eq!(
        row.get::<Duration>("span").unwrap(),
        Duration::from_millis(2)
    );
    assert_eq!(row.get::<Uuid>("id").unwrap(), id);
    assert_eq!(row.get::<Uuid>("raw").unwrap(), id);
    let second = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    assert_eq!(row.get::<SystemTime>("at").unwrap(), second);
    let month = Value::Interval {
        months: 1,
        days: 0,
        nanoseconds: 0,
    };
    assert_eq!(row.get::<Value>("m").unwrap(), month);
    // A month has no length, and a span of Rust's does not go back.
    assert!(row.get::<TimeDelta>("m").is_err());
    assert!(row.get::<Duration>("back").is_err());
    assert!(row.get::<Uuid>("n").is_err());
    #[derive(serde::Deserialize)]
    struct Texts {
        t: String,
        i: String,
        m: String,
        back: String,
    }
    let texts: Texts = row.deserialize().unwrap();
    assert_eq!(
        (texts.t.as_str(), texts.i.as_str()),
        ("01:02:03.500", "P0M1DT2.000000000S")
    );
    assert_eq!(
        (texts.m.as_str(), texts.back.as_str()),
        ("P1M0DT0.000000000S", "P0M0DT-1.500000000S")
    );
}

#[tokio::test]
async fn what_does_not_fit_is_an_error_that_names_the_column() {
    let connection = connection();
    let sql = "SELECT 300 AS n, -1 AS m, 9007199254740993 AS big, 0.1 AS f, NULL AS z, 'x' AS t, \
               CAST('2024-01-01' AS TIMESTAMP) AS ts, [1] AS list, 1 AS twice, 2 AS \"TWICE\"";
    let row = row(&connection, sql).await;
    assert_eq!(
        message(row.get::<u8>("n")),
        "column `n` of type Int64 holds 300, which is no u8"
    );
    assert!(row.get::<u64>("m").is_err());
    assert!(row.get::<f64>("big").is_err());
    assert!(row.get::<f32>("f").is_err());
    assert_eq!(
        message(row.get::<i64>("z")),
        "column `z` is NULL in this row: read it as Option<i64>"
    );
    assert_eq!(
        message(row.get::<i64>("t")),
        "column `t` of type Utf8 holds x, which is no i64"
    );
    assert!(row.get::<Option<bool>>("t").is_err());
    assert!(row.get::<DateTime<Utc>>("ts").is_err());
    assert_eq!(
        message(row.get::<i64>("list")),
        "column `list` of type List(Int64) holds [1], which is no i64"
    );
    assert!(
        message(row.get::<i64>("TWICE "))
            .starts_with("the result has no column `TWICE `; it has n, m,")
    );
    assert!(message(row.get::<i64>(10)).contains("no column 10"));
    assert_eq!(row.get::<i64>("TWICE").unwrap(), 2);
    let (n, z): (i64, Option<String>) =
        self::row(&connection, "SELECT 1, NULL").await.to().unwrap();
    assert_eq!((n, z), (1, None));
    let one = self::row(&connection, "SELECT 1").await;
    assert_eq!(
        message(one.to::<(i64, i64)>()),
        "the rows have 1 columns, and are read as 2"
    );
}

#[tokio::test]
async fn rows_come_in_order_over_batches() {
    let connection = connection();
    let rows = connection
        .rows("SELECT * FROM generate_series(1, 20000) AS t (n)", ())
        .await
        .unwrap();
    assert_eq!((rows.len(), rows.iter().len()), (20_000, 20_000));
    let numbers: Vec<(i64,)> = rows.to_vec().unwrap();
    assert!(numbers.iter().map(|(n,)| *n).eq(1..=20_000));
    assert_eq!(rows.get(12_345).unwrap().get::<i64>(0).unwrap(), 12_346);
    assert!(rows.get(20_000).is_none());
    let none = connection.rows("SELECT 1 WHERE false", ()).await.unwrap();
    assert!(none.is_empty() && none.schema().fields().len() == 1);
}

#[tokio::test]
async fn one_row_is_none_one_or_an_error() {
    let connection = connection();
    let none = connection
        .query_row("SELECT 1 WHERE false", ())
        .await
        .unwrap();
    assert!(none.is_none());
    let many = connection
        .query_row("SELECT * FROM generate_series(1, 3)", ())
        .await;
    assert!(message(many).contains("more than one row"));
}
