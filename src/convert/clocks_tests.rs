//! Times that clocks show twice or never, beside what Arrow makes of them.

use crate::session::testing::{mended, rows, try_rows};

const TIMES: &str =
    "(VALUES (1, TIMESTAMP '2024-10-27 02:30:00'), (2, TIMESTAMP '2024-03-31 02:30:00'),
    (3, TIMESTAMP '2024-07-01 12:00:00'), (4, NULL)) t (id, ts)";

#[tokio::test]
async fn every_time_of_a_column_is_read() {
    let session = mended();
    let sql = format!(
        "SELECT id, CAST(ts AT TIME ZONE 'Europe/Berlin' AS BIGINT) / 1000000000 AS s FROM {TIMES}"
    );
    let expected = ["1|1729992600", "2|1711848600", "3|1719828000", "4|NULL"];
    assert_eq!(rows(&session, &sql).await, expected);
    for (cast, expected) in [
        ("TRY_CAST(ts AS TIMESTAMP WITH TIME ZONE)", expected),
        ("CAST(ts AS TIMESTAMP WITH TIME ZONE)", expected),
        (
            "CAST(CAST(ts AS TEXT) AS TIMESTAMP WITH TIME ZONE)",
            expected,
        ),
    ] {
        rows(
            &session,
            "SET datafusion.execution.time_zone = 'Europe/Berlin'",
        )
        .await;
        let sql = format!("SELECT id, CAST({cast} AS BIGINT) / 1000000000 AS s FROM {TIMES}");
        assert_eq!(rows(&session, &sql).await, expected, "{cast}");
    }
}

#[tokio::test]
async fn constants_and_columns_are_read_alike() {
    let session = mended();
    for condition in [
        "ts AT TIME ZONE 'Europe/Berlin' = TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin'",
        "ts AT TIME ZONE 'Europe/Berlin' = '2024-10-27 01:30:00+00'",
        "ts AT TIME ZONE 'Europe/Berlin' > '2024-10-27 00:30:00+00'",
        "ts AT TIME ZONE 'Europe/Berlin' BETWEEN '2024-10-27 01:00:00+00' AND TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin'",
        "date_trunc('hour', ts AT TIME ZONE 'Europe/Berlin') = date_trunc('hour', TIMESTAMP '2024-10-27 02:10:00' AT TIME ZONE 'Europe/Berlin')",
    ] {
        let sql = format!("SELECT id FROM {TIMES} WHERE {condition}");
        assert_eq!(rows(&session, &sql).await, ["1"], "{condition}");
    }
}

#[tokio::test]
async fn what_no_unit_holds_is_an_error_that_names_it() {
    let session = mended();
    let first = "arrow_cast(-9223372036854775808, 'Timestamp(Nanosecond, None)')";
    let sql = format!("SELECT {first} AT TIME ZONE 'Europe/Berlin'");
    let error = try_rows(&session, &sql).await.expect_err("out of range");
    assert!(error.contains("1677-09-21 00:12:43.145224192"), "{error}");
    let sql = format!("SELECT TRY_CAST({first} AS TIMESTAMP WITH TIME ZONE) IS NULL");
    rows(
        &session,
        "SET datafusion.execution.time_zone = 'Europe/Berlin'",
    )
    .await;
    assert_eq!(rows(&session, &sql).await, ["true"]);
}

/// Fails as soon as Arrow reads such times: then the rule can go.
#[test]
fn canary() {
    use datafusion::arrow::array::{Array, TimestampSecondArray};
    use datafusion::arrow::compute::{CastOptions, cast_with_options};
    use datafusion::arrow::datatypes::{DataType, TimeUnit};
    let target = DataType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into()));
    for (time, is_read) in [
        (1_729_996_200, false),
        (1_711_852_200, false),
        (1_719_828_000, true),
    ] {
        let times = TimestampSecondArray::from(vec![time]);
        let options = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let read = cast_with_options(&times as &dyn Array, &target, &options);
        assert_eq!(read.is_ok(), is_read, "{time}: {read:?}");
    }
}
