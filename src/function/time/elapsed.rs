//! What lies between two times, and how long an interval is.
//!
//! As in PostgreSQL: `ts - ts` is an interval of days and of a time within a day, and intervals are compared by their
//! lengths, a month as 30 days and a day as 24 hours. DataFusion's difference is a number of seconds, of which no hour can
//! be taken, that of times more than 292 years apart is an error, and it compares intervals by their months, then by their
//! days: 25 hours are less than a day to it.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Decimal128Array, IntervalMonthDayNanoArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit, TimeUnit,
};
use datafusion::common::{Result, exec_err, plan_err};

use crate::datum::Precision;
use crate::function::declared::{Declaration, arguments};

/// The difference of two times as an interval.
pub(super) static BETWEEN: Declaration = Declaration {
    name: "interval_between",
    aliases: &[],
    coerce: |types| match types {
        [later, earlier] => {
            let (later, earlier) = (time_type(later)?, time_type(earlier)?);
            Ok(vec![
                beside(later.clone(), &earlier),
                beside(earlier, &later),
            ])
        }
        _ => plan_err!("the difference of two times is wanted"),
    },
    result: |_| Ok(INTERVAL),
    compute: between,
};

/// A time without a zone stands on the clocks of the other one.
fn beside(found: DataType, other: &DataType) -> DataType {
    match (found, other) {
        (DataType::Timestamp(unit, None), DataType::Timestamp(_, zone)) => {
            DataType::Timestamp(unit, zone.clone())
        }
        (DataType::Date32, DataType::Timestamp(_, Some(zone))) => {
            DataType::Timestamp(TimeUnit::Second, Some(Arc::clone(zone)))
        }
        (found, _) => found,
    }
}

fn time_type(given: &DataType) -> Result<DataType> {
    match given {
        DataType::Date32 | DataType::Timestamp(..) => Ok(given.clone()),
        DataType::Date64 => Ok(DataType::Date32),
        DataType::Null => Ok(DataType::Timestamp(TimeUnit::Nanosecond, None)),
        other => plan_err!("the difference of two times is wanted, not of a value of type {other}"),
    }
}

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
    let [later, earlier] = arguments(given)?;
    let (later, earlier) = (nanoseconds(later)?, nanoseconds(earlier)?);
    let differences = later.into_iter().zip(earlier);
    let differences = differences.map(|(later, earlier)| Some(later? - earlier?));
    Ok(Arc::new(intervals(differences)?))
}

/// Dates and stamps in nanoseconds since 1970.
fn nanoseconds(times: &ArrayRef) -> Result<Vec<Option<i128>>> {
    let tick = match times.data_type() {
        DataType::Date32 => DAY,
        DataType::Timestamp(unit, _) => Precision::from(*unit).nanoseconds().into(),
        other => return exec_err!("a value of type {other} is no date and no time"),
    };
    let counts = cast(times, &DataType::Int64)?;
    let counts = counts.as_primitive::<Int64Type>().iter();
    Ok(counts
        .map(|count| Some(i128::from(count?) * tick))
        .collect())
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
    use crate::function::tests::check;

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
            // More than 64 bits of nanoseconds, and a time that they do not hold.
            (
                "TIMESTAMP '2262-01-01 00:00:00.000000001' - TIMESTAMP '1678-01-01'",
                "213301 days 0.000000001 secs",
            ),
            (
                "DATE '9999-12-31' - TIMESTAMP '2024-01-01 00:00:00.000000001'",
                "2913172 days 23 hours 59 mins 59.999999999 secs",
            ),
            (
                "TIMESTAMP(3) '2024-01-01 12:00:00' - DATE '0001-01-01'",
                "738885 days 12 hours",
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
