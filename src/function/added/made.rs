//! `make_timestamp(y, m, d, h, mi, s)` and `width_bucket(x, low, high, count)`, as in PostgreSQL.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit};
use chrono::{NaiveDate, TimeDelta};
use datafusion::common::{Result, exec_datafusion_err, exec_err, plan_err};

use super::{Declaration, arguments};

pub(super) static MAKE_TIMESTAMP: Declaration = Declaration {
    name: "make_timestamp",
    aliases: &[],
    coerce: |types| match types {
        [_, _, _, _, _, _] => Ok([vec![DataType::Int64; 5], vec![DataType::Float64]].concat()),
        others => plan_err!(
            "make_timestamp takes year, month, day, hour, minute and second, not {} values",
            others.len()
        ),
    },
    result: |_| Ok(DataType::Timestamp(TimeUnit::Microsecond, None)),
    compute: |given| {
        let [year, month, day, hour, minute, second] = arguments(given)?;
        let whole = [year, month, day, hour, minute].map(|it| it.as_primitive::<Int64Type>());
        let seconds = second.as_primitive::<Float64Type>();
        let times = (0..seconds.len()).map(|row| {
            if seconds.is_null(row) || whole.iter().any(|it| it.is_null(row)) {
                return Ok(None);
            }
            moment(whole.map(|it| it.value(row)), seconds.value(row)).map(Some)
        });
        let times = times.collect::<Result<TimestampMicrosecondArray>>()?;
        Ok(Arc::new(times) as ArrayRef)
    },
};

/// The microseconds since 1970 of a time.
fn moment([year, month, day, hour, minute]: [i64; 5], seconds: f64) -> Result<i64> {
    let none = || {
        exec_datafusion_err!(
            "make_timestamp({year}, {month}, {day}, {hour}, {minute}, {seconds}) is no time"
        )
    };
    let narrow = |number: i64| u32::try_from(number).ok();
    let date = i32::try_from(year).ok().zip(narrow(month)).zip(narrow(day));
    let date = date.and_then(|((year, month), day)| NaiveDate::from_ymd_opt(year, month, day));
    let start = narrow(hour).zip(narrow(minute));
    let start = start.and_then(|(hour, minute)| date?.and_hms_opt(hour, minute, 0));
    // As in PostgreSQL the 60th second is the first of the next minute.
    if !(0.0..=60.0).contains(&seconds) {
        return Err(none());
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 60 million")]
    let micros = TimeDelta::microseconds((seconds * 1e6).round() as i64);
    let time = start.and_then(|start| start.checked_add_signed(micros));
    Ok(time.ok_or_else(none)?.and_utc().timestamp_micros())
}

pub(super) static WIDTH_BUCKET: Declaration = Declaration {
    name: "width_bucket",
    aliases: &[],
    coerce: |types| match types {
        [_, _, _, _] => Ok([vec![DataType::Float64; 3], vec![DataType::Int64]].concat()),
        others => plan_err!(
            "width_bucket takes a number, the lower and the upper bound and how many buckets there are, not {} values",
            others.len()
        ),
    },
    result: |_| Ok(DataType::Int64),
    compute: |given| {
        let [number, low, high, count] = arguments(given)?;
        let numbers = [number, low, high].map(|it| it.as_primitive::<Float64Type>());
        let counts = count.as_primitive::<Int64Type>();
        let buckets = (0..counts.len()).map(|row| {
            if counts.is_null(row) || numbers.iter().any(|it| it.is_null(row)) {
                return Ok(None);
            }
            bucket(numbers.map(|it| it.value(row)), counts.value(row)).map(Some)
        });
        Ok(Arc::new(buckets.collect::<Result<Int64Array>>()?) as ArrayRef)
    },
};

/// The bucket of a number, from 1; 0 in front of the first bound, and one more than there are behind the second.
fn bucket([number, low, high]: [f64; 3], count: i64) -> Result<i64> {
    if count <= 0 || count == i64::MAX {
        return exec_err!("width_bucket makes a number of buckets above 0, not {count}");
    }
    if low == high || !low.is_finite() || !high.is_finite() || number.is_nan() {
        return exec_err!(
            "width_bucket takes two different finite bounds and a number, not {low}, {high} and {number}"
        );
    }
    // Bounds may be given from above.
    let part = (number - low) / (high - low);
    if part < 0.0 {
        return Ok(0);
    }
    if part >= 1.0 {
        return Ok(count + 1);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "rounding stays below the number of buckets"
    )]
    let bucket = (part * count as f64) as i64;
    Ok(bucket.min(count - 1) + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[tokio::test]
    async fn times_are_made_of_their_parts() {
        check(&[
            (
                "make_timestamp(2024, 2, 29, 3, 4, 5.5)",
                "2024-02-29T03:04:05.500",
            ),
            (
                "make_timestamp(2024, 12, 31, 23, 59, 60)",
                "2025-01-01T00:00:00",
            ),
            ("make_timestamp(2024, 1, 2, 3, NULL, 5)", "NULL"),
            ("make_timestamp(2023, 2, 29, 0, 0, 0)", "error: is no time"),
            ("make_timestamp(2023, 2, 28, 24, 0, 0)", "error: is no time"),
            (
                "make_timestamp(2023, 2, 28, 0, 0, 60.5)",
                "error: is no time",
            ),
            ("make_timestamp(2023, 2, 28)", "error: not 3 values"),
        ])
        .await;
    }

    /// What PostgreSQL gives.
    #[tokio::test]
    async fn numbers_are_in_buckets() {
        check(&[
            ("width_bucket(5.35, 0.024, 10.06, 5)", "3"),
            ("width_bucket(0, 0, 10, 5)", "1"),
            ("width_bucket(-0.1, 0, 10, 5)", "0"),
            ("width_bucket(10, 0, 10, 5)", "6"),
            ("width_bucket(9.99, 0, 10, 5)", "5"),
            ("width_bucket(9, 10, 0, 5)", "1"),
            ("width_bucket(10, 10, 0, 5)", "1"),
            ("width_bucket(11, 10, 0, 5)", "0"),
            ("width_bucket(0, 10, 0, 5)", "6"),
            ("width_bucket(NULL, 0, 10, 5)", "NULL"),
            (
                "width_bucket(1, 3, 3, 5)",
                "error: two different finite bounds",
            ),
            ("width_bucket(1, 0, 3, 0)", "error: above 0"),
        ])
        .await;
    }
}
