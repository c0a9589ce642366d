//! The ends of the types, beside what DataFusion makes of them.

use std::sync::Arc;

use arrow::array::{ArrayRef, TimestampMillisecondArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::Field;
use datafusion::common::config::ConfigOptions;

use super::*;
use crate::session::testing::{mended, plain, plain_rows, rows, try_rows};

fn invoke(unit: &str, times: ArrayRef) -> Result<ArrayRef> {
    let function = DateTrunc::default();
    let field = Arc::new(Field::new("time", times.data_type().clone(), true));
    let rows = times.len();
    let args = ScalarFunctionArgs {
        args: vec![
            ColumnarValue::Scalar(ScalarValue::from(unit)),
            ColumnarValue::Array(times),
        ],
        arg_fields: vec![
            Arc::new(Field::new("unit", DataType::Utf8, false)),
            Arc::clone(&field),
        ],
        number_rows: rows,
        return_field: field,
        config_options: Arc::new(ConfigOptions::default()),
    };
    function.invoke_with_args(args)?.into_array(rows)
}

/// One time, as `date_trunc` rounds it in a query over a column and as a constant.
async fn rounded_in_queries(unit: &str, time: i64, data_type: &str) -> Vec<Result<String, String>> {
    let session = mended();
    let time = format!("arrow_cast({time}, '{data_type}')");
    let count = |rounded: &str| format!("SELECT CAST({rounded} AS BIGINT) AS x");
    let constant = count(&format!("date_trunc('{unit}', {time})"));
    let column = format!(
        "{} FROM (VALUES ({time}), (NULL)) t (ts) WHERE ts IS NOT NULL",
        count(&format!("date_trunc('{unit}', ts)"))
    );
    let mut all = Vec::new();
    for sql in [constant, column] {
        let answer = try_rows(&session, &sql).await;
        all.push(answer.map(|rows| rows.concat()));
    }
    all
}

#[tokio::test]
async fn what_lies_before_the_first_time_is_an_error_that_names_the_value() {
    for unit in [
        "microsecond",
        "second",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ] {
        for (data_type, written) in [
            (
                "Timestamp(Nanosecond, None)",
                "1677-09-21 00:12:43.145224192",
            ),
            (
                "Timestamp(Nanosecond, Some(\"+00:00\"))",
                "1677-09-21 00:12:43.145224192",
            ),
            (
                "Timestamp(Nanosecond, Some(\"Europe/Berlin\"))",
                "1677-09-21 00:12:43.145224192",
            ),
        ] {
            for answer in rounded_in_queries(unit, i64::MIN, data_type).await {
                let error = answer.expect_err(unit);
                let told = error.contains(&format!("date_trunc('{unit}', '{written}')"));
                assert!(told, "{unit} {data_type}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_in_range_is_rounded_up_to_the_ends() {
    let day = 86_400_000_000_000;
    for (unit, time, data_type, expected) in [
        // The first midnight, and the last instant.
        (
            "day",
            -106_751 * day + 5,
            "Timestamp(Nanosecond, None)",
            -106_751 * day,
        ),
        (
            "day",
            i64::MAX,
            "Timestamp(Nanosecond, None)",
            106_751 * day,
        ),
        (
            "month",
            i64::MAX,
            "Timestamp(Nanosecond, None)",
            9_222_422_400_000_000_000,
        ),
        // Beyond the years of nanoseconds: midnight of Tuesday, 3001-05-19.
        (
            "month",
            32_547_139_200_000,
            "Timestamp(Millisecond, None)",
            32_545_584_000_000,
        ),
        (
            "week",
            32_547_139_200,
            "Timestamp(Second, None)",
            32_547_052_800,
        ),
        (
            "day",
            32_547_139_200,
            "Timestamp(Second, Some(\"+02:00\"))",
            32_547_132_000,
        ),
        (
            "day",
            32_547_139_200,
            "Timestamp(Second, Some(\"Asia/Tokyo\"))",
            32_547_106_800,
        ),
        ("second", i64::MIN, "Timestamp(Second, None)", i64::MIN),
    ] {
        for answer in rounded_in_queries(unit, time, data_type).await {
            assert_eq!(
                answer,
                Ok(expected.to_string()),
                "{unit} {time} {data_type}"
            );
        }
    }
}

#[test]
fn a_slot_that_holds_null_is_not_looked_at() {
    let values = ScalarBuffer::from(vec![i64::MIN, 1_704_103_445_678, i64::MAX]);
    let nulls = NullBuffer::from(vec![false, true, false]);
    let times = TimestampMillisecondArray::new(values, Some(nulls));
    for unit in ["second", "day", "month", "year"] {
        let rounded = invoke(unit, Arc::new(times.clone())).expect(unit);
        assert_eq!(rounded.null_count(), 2, "{unit}");
        let hidden = rounded.as_primitive::<TimestampMillisecondType>().value(0);
        assert_eq!(hidden, 0, "{unit}");
    }
}

/// Where both round, they round alike: every unit, with zones whose clocks are changed.
#[test]
fn it_rounds_as_datafusion_does() {
    let mut random = fastrand::Rng::with_seed(7);
    let times: Vec<i64> = (0..2_000)
        .map(|_| random.i64(-2_000_000_000_000..4_000_000_000_000))
        .collect();
    for zone in [
        None,
        Some("+05:30"),
        Some("Europe/Berlin"),
        Some("America/Sao_Paulo"),
    ] {
        for unit in [
            "second", "minute", "hour", "day", "week", "month", "quarter", "year",
        ] {
            let array = TimestampMillisecondArray::from(times.clone());
            let array = array.with_timezone_opt(zone.map(Arc::<str>::from));
            let quick = invoke(unit, Arc::new(array)).expect(unit);
            let quick = quick.as_primitive::<TimestampMillisecondType>();
            let truncate = truncation(unit, 1_000_000).expect(unit);
            let clocks = zone_of(unit, zone);
            for (row, time) in times.iter().enumerate() {
                let exact = rounded::<TimestampMillisecondType>(*time, clocks, &truncate);
                assert_eq!(exact, Some(quick.value(row)), "{unit} {zone:?} {time}");
            }
        }
    }
}

/// Fails as soon as DataFusion says that the result is out of range, and counts months of milliseconds: then the function
/// can go.
#[tokio::test]
async fn canary() {
    let session = plain();
    let first = "arrow_cast(-9223372036854775808, 'Timestamp(Nanosecond, None)')";
    let sql = format!(
        "SELECT CAST(date_trunc('day', ts) AS BIGINT) AS x FROM (VALUES ({first}), (NULL)) t (ts) WHERE ts IS NOT NULL"
    );
    let wrapped = plain_rows(&session, &sql).await.expect("wraps");
    assert!(wrapped[0].parse::<i64>().unwrap() > 0, "{wrapped:?}");
    let late = "arrow_cast(32547139200000, 'Timestamp(Millisecond, None)')";
    let sql = format!("SELECT date_trunc('month', {late})");
    let refused = plain_rows(&session, &sql).await.expect_err("refused");
    assert!(refused.contains("out of range"), "{refused}");
}

#[tokio::test]
async fn what_it_does_not_know_is_told() {
    let session = mended();
    let error = try_rows(&session, "SELECT date_trunc('age', now())").await;
    assert!(error.is_err_and(|error| error.contains("Unsupported date_trunc granularity")));
    let sql = "SELECT date_trunc('hour', TIME '12:34:56'), datetrunc('DAY', DATE '2024-05-06')";
    assert_eq!(rows(&session, sql).await, ["12:00:00|2024-05-06T00:00:00"]);
}
