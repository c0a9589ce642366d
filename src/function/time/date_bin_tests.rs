//! Bins over the whole range of the types, beside what DataFusion makes of them.

use datafusion::common::config::ConfigOptions;

use super::*;
use crate::session::testing::{mended, plain, plain_rows, rows, try_rows};
use arrow::datatypes::Field;

/// What PostgreSQL gives, where it has the function; else counted by hand.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn bins_reach_as_far_as_their_types() {
    let session = mended();
    for (expr, expected) in [
        (
            "date_bin(INTERVAL '10 days', TIMESTAMP '1700-01-01', TIMESTAMP '2000-01-03')",
            "1699-12-26T00:00:00",
        ),
        (
            "date_bin(INTERVAL '15 minutes', TIMESTAMP(0) '9999-12-31 23:59:59')",
            "9999-12-31T23:45:00",
        ),
        (
            "date_bin(INTERVAL '1 day', TIMESTAMP(6) '0001-01-01 12:00:00.000001')",
            "0001-01-01T00:00:00",
        ),
        (
            "date_bin(INTERVAL '1 year', TIMESTAMP(3) '9999-12-31', TIMESTAMP(3) '0001-01-01')",
            "9999-01-01T00:00:00",
        ),
        (
            "date_bin(INTERVAL '1 month', DATE '9999-12-31')",
            "9999-12-01T00:00:00",
        ),
        (
            "date_bin(INTERVAL '12 hours', DATE '0001-01-01', DATE '9999-12-31')",
            "0001-01-01T00:00:00",
        ),
        (
            "date_bin(INTERVAL '3 months', TIMESTAMP '2024-02-29', TIMESTAMP '2023-12-31 06:00:00')",
            "2023-12-31T06:00:00",
        ),
        (
            "date_bin(INTERVAL '1 month', TIMESTAMP '2024-02-29', TIMESTAMP '2023-12-31 06:00:00')",
            "2024-01-31T06:00:00",
        ),
        (
            "date_bin(INTERVAL '1 hour', TIMESTAMP '2024-02-29 01:59:00', NULL)",
            "NULL",
        ),
        ("date_bin(INTERVAL '1 hour', TIME '10:44:59')", "10:00:00"),
        // The bin begins before the first of the nanoseconds.
        (
            "date_bin(INTERVAL '1 day', arrow_cast(-9223372036854775808, 'Timestamp(Nanosecond, None)'))",
            "NULL",
        ),
        (
            "date_bin(INTERVAL '1 nanosecond', arrow_cast(-9223372036854775808, 'Timestamp(Nanosecond, None)'))",
            "1677-09-21T00:12:43.145224192",
        ),
        (
            "arrow_typeof(date_bin(INTERVAL '1 day', arrow_cast(0, 'Timestamp(Millisecond, Some(\"+00:00\"))')))",
            "Timestamp(ms, \"+00:00\")",
        ),
    ] {
        let found = rows(&session, &format!("SELECT {expr} AS x")).await;
        assert_eq!(found, [expected], "{expr}");
    }
    for (expr, words) in [
        (
            "date_bin(INTERVAL '0 days', TIMESTAMP '2024-01-01')",
            "longer than nothing",
        ),
        (
            "date_bin(INTERVAL '-1 month', TIMESTAMP '2024-01-01')",
            "longer than nothing",
        ),
        (
            "date_bin(INTERVAL '1 month 1 day', TIMESTAMP '2024-01-01')",
            "not both",
        ),
        ("date_bin(INTERVAL '1 day', true)", "takes a DATE"),
        ("date_bin(1, DATE '2024-01-01')", "takes an INTERVAL"),
    ] {
        let found = try_rows(&session, &format!("SELECT {expr} AS x")).await;
        let error = found.expect_err(expr);
        assert!(error.contains(words), "{expr}: {error}");
    }
}

fn invoke(function: &dyn ScalarUDFImpl, args: Vec<ColumnarValue>) -> ArrayRef {
    let fields = args
        .iter()
        .map(|arg| Arc::new(Field::new("a", arg.data_type(), true)));
    let times = args[1].data_type();
    let rows = 500;
    let args = ScalarFunctionArgs {
        arg_fields: fields.collect(),
        args,
        number_rows: rows,
        return_field: Arc::new(Field::new("bin", times, true)),
        config_options: Arc::new(ConfigOptions::default()),
    };
    let bins = function.invoke_with_args(args).expect("bins");
    bins.into_array(rows).expect("bins")
}

/// Where both count, they count alike: within the years of nanoseconds, whatever the unit, the width and the origin.
#[test]
fn it_counts_as_datafusion_does() {
    let mut random = fastrand::Rng::with_seed(11);
    let theirs = datetime::date_bin();
    let ours = DateBin::default();
    for _ in 0..300 {
        let stamps: Vec<i64> = (0..500)
            .map(|_| random.i64(-3_000_000_000_000_000_000..3_000_000_000_000_000_000))
            .collect();
        let unit = [
            TimeUnit::Second,
            TimeUnit::Millisecond,
            TimeUnit::Microsecond,
            TimeUnit::Nanosecond,
        ][random.usize(0..4)];
        let tick = Precision::from(unit).nanoseconds();
        let counts: ArrayRef = Arc::new(arrow::array::Int64Array::from_iter_values(
            stamps.iter().map(|stamp| stamp / tick),
        ));
        let times = arrow::compute::cast(&counts, &DataType::Timestamp(unit, None)).unwrap();
        let stride = if random.bool() {
            IntervalMonthDayNano::new(random.i32(1..30), 0, 0)
        } else {
            IntervalMonthDayNano::new(
                0,
                random.i32(0..40),
                random.i64(1..4) * 1_000_000_i64.pow(random.u32(1..3)),
            )
        };
        let mut args = vec![
            ColumnarValue::Scalar(ScalarValue::IntervalMonthDayNano(Some(stride))),
            ColumnarValue::Array(times),
        ];
        if random.bool() {
            let origin = random.i64(-3_000_000_000_000_000_000..3_000_000_000_000_000_000);
            let origin = ScalarValue::TimestampNanosecond(Some(origin), None);
            args.push(ColumnarValue::Scalar(origin));
        }
        let expected = invoke(theirs.inner().as_ref(), args.clone());
        assert_eq!(&invoke(&ours, args), &expected, "{unit:?} {stride:?}");
    }
}

/// Fails as soon as DataFusion counts beyond the years of nanoseconds: then the function can go.
#[tokio::test]
async fn canary() {
    let session = plain();
    let sql =
        "SELECT date_bin(INTERVAL '10 days', TIMESTAMP '1700-01-01', TIMESTAMP '2000-01-03') AS x";
    assert_eq!(plain_rows(&session, sql).await, Ok(vec!["NULL".to_owned()]));
    let sql = "SELECT date_bin(INTERVAL '1 day', DATE '9999-12-31') AS x";
    assert!(plain_rows(&session, sql).await.is_err());
}
