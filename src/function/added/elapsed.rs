//! What lies between two times, and how long an interval is.
//!
//! As in PostgreSQL: `ts - ts` is an interval of days and of a time within a day, and intervals are compared by their
//! lengths, a month as 30 days and a day as 24 hours. DataFusion's difference is a number of seconds, of which no hour can
//! be taken, and it compares intervals by their months, then by their days: 25 hours are less than a day to it.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Decimal128Array, IntervalMonthDayNanoArray};
use arrow::datatypes::{
    DataType, DurationMicrosecondType, DurationNanosecondType, IntervalMonthDayNano,
    IntervalMonthDayNanoType, IntervalUnit, TimeUnit,
};
use datafusion::common::{Result, exec_err, plan_err};

use super::{Declaration, arguments};

/// The difference of two times as an interval.
pub(super) static BETWEEN: Declaration = Declaration {
    name: "interval_between",
    aliases: &[],
    coerce: |types| match types {
        [DataType::Duration(TimeUnit::Nanosecond)] => Ok(types.to_vec()),
        [DataType::Duration(_)] => Ok(vec![DataType::Duration(TimeUnit::Microsecond)]),
        _ => plan_err!("the difference of two times is wanted"),
    },
    result: |_| Ok(INTERVAL),
    compute: between,
};

/// The length of an interval in nanoseconds.
pub(super) static LENGTH: Declaration = Declaration {
    name: "interval_length",
    aliases: &[],
    coerce: |types| match types {
        [_] => Ok(vec![INTERVAL]),
        _ => plan_err!("an interval is wanted"),
    },
    result: |_| Ok(LENGTH_TYPE),
    compute: length,
};

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
/// Of 2^31 months it has 25 digits.
const LENGTH_TYPE: DataType = DataType::Decimal128(38, 0);
const DAYS_OF_MONTH: i128 = 30;
const DAY: i128 = 86_400_000_000_000;

fn between(given: &[ArrayRef]) -> Result<ArrayRef> {
    let [differences] = arguments(given)?;
    let intervals = match differences.data_type() {
        DataType::Duration(TimeUnit::Nanosecond) => {
            let differences = differences.as_primitive::<DurationNanosecondType>().iter();
            intervals(differences.map(|nanoseconds| nanoseconds.map(i128::from)))
        }
        _ => {
            let differences = differences.as_primitive::<DurationMicrosecondType>().iter();
            intervals(differences.map(|microseconds| Some(i128::from(microseconds?) * 1_000)))
        }
    };
    Ok(Arc::new(intervals?))
}

fn intervals(nanoseconds: impl Iterator<Item = Option<i128>>) -> Result<IntervalMonthDayNanoArray> {
    let interval = |nanoseconds: i128| {
        let (days, rest) = (
            i32::try_from(nanoseconds / DAY),
            i64::try_from(nanoseconds % DAY),
        );
        match (days, rest) {
            (Ok(days), Ok(rest)) => Ok(IntervalMonthDayNano::new(0, days, rest)),
            _ => exec_err!("the difference of two times is more than an interval can hold"),
        }
    };
    nanoseconds
        .map(|nanoseconds| nanoseconds.map(interval).transpose())
        .collect()
}

/// The length of an interval in nanoseconds.
pub(in crate::function) fn length_of(interval: IntervalMonthDayNano) -> i128 {
    let days = i128::from(interval.months) * DAYS_OF_MONTH + i128::from(interval.days);
    days * DAY + i128::from(interval.nanoseconds)
}

fn length(given: &[ArrayRef]) -> Result<ArrayRef> {
    let [intervals] = arguments(given)?;
    let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>().iter();
    let lengths = intervals.map(|interval| interval.map(length_of));
    let lengths = lengths
        .collect::<Decimal128Array>()
        .with_precision_and_scale(38, 0)?;
    Ok(Arc::new(lengths))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    /// As PostgreSQL answers, in the form in which intervals are shown here.
    #[tokio::test]
    async fn the_difference_of_two_times_is_an_interval() {
        const SINCE: &str = "TIMESTAMP '2024-01-03 02:30:00.5' - TIMESTAMP '2024-01-01'";
        let cases = [
            ("typeof({})", "INTERVAL"),
            ("{}", "2 days 2 hours 30 mins 0.500000000 secs"),
            ("extract(day FROM {})", "2"),
            ("extract(hour FROM {})", "2"),
            ("extract(minute FROM {})", "30"),
            ("extract(epoch FROM {})", "181800.5"),
            ("({}) * 2 = INTERVAL '4 days 5 hours 1 second'", "true"),
            (
                "-({}) = TIMESTAMP '2024-01-01' - TIMESTAMP '2024-01-03 02:30:00.5'",
                "true",
            ),
            (
                "TIMESTAMP '2024-01-01' + ({}) = TIMESTAMP '2024-01-03 02:30:00.5'",
                "true",
            ),
            ("{} > '1 day'", "true"),
        ];
        for (expr, expected) in cases {
            check(&[(&expr.replace("{}", SINCE), expected)]).await;
        }
        let others = [
            (
                "typeof(DATE '2024-01-03' - TIMESTAMP '2024-01-01')",
                "INTERVAL",
            ),
            ("DATE '2024-01-03' - DATE '2024-01-01'", "2"),
            ("CAST(NULL AS TIMESTAMP) - TIMESTAMP '2024-01-01'", "NULL"),
            (
                "TIMESTAMP '2024-01-01' - TIMESTAMP '2024-01-03 01:00' = INTERVAL '-2 days -1 hours'",
                "true",
            ),
            (
                "CAST('9999-01-01' AS TIMESTAMP(6)) - CAST('0001-01-01' AS TIMESTAMP(6)) > INTERVAL '9997 years'",
                "true",
            ),
        ];
        check(&others).await;
    }

    #[tokio::test]
    async fn intervals_are_compared_by_their_lengths() {
        check(&[
            (
                "now() - TIMESTAMP '2020-01-01' > INTERVAL '30 days'",
                "true",
            ),
            ("INTERVAL '25 hours' > INTERVAL '1 day'", "true"),
            ("INTERVAL '1 day' = INTERVAL '24 hours'", "true"),
            ("INTERVAL '1 month' = INTERVAL '30 days'", "true"),
            ("INTERVAL '1 month' < INTERVAL '29 days'", "false"),
            ("INTERVAL '1 year' <> INTERVAL '360 days'", "false"),
            ("INTERVAL '-25 hours' < INTERVAL '-1 day'", "true"),
            ("INTERVAL '1 day' >= NULL", "NULL"),
            ("'1 hour' <= INTERVAL '60 minutes'", "true"),
            ("INTERVAL '1 day' = 1", "error: "),
            (
                "INTERVAL '25 hours' BETWEEN INTERVAL '1 day' AND INTERVAL '2 days'",
                "true",
            ),
            (
                "INTERVAL '25 hours' NOT BETWEEN INTERVAL '1 day' AND INTERVAL '1 month'",
                "false",
            ),
            (
                "INTERVAL '24 hours' IN (INTERVAL '2 days', INTERVAL '1 day')",
                "true",
            ),
            (
                "INTERVAL '24 hours' NOT IN (INTERVAL '2 days', INTERVAL '1 day')",
                "false",
            ),
            ("INTERVAL '24 hours' IN (INTERVAL '2 days', NULL)", "NULL"),
            (
                "INTERVAL '24 hours' IS DISTINCT FROM INTERVAL '1 day'",
                "false",
            ),
            ("INTERVAL '24 hours' IS NOT DISTINCT FROM NULL", "false"),
        ])
        .await;
    }
}
