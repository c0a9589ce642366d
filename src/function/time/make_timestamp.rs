//! `make_timestamp(y, m, d, h, mi, s)`, as in PostgreSQL.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit};
use chrono::{NaiveDate, TimeDelta};
use datafusion::common::{Result, exec_datafusion_err, plan_err};

use crate::function::declared::{Declaration, arguments};

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

#[cfg(test)]
mod tests {
    use crate::function::tests::check;

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
}
