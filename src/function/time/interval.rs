//! `INTERVAL '1 day' * 3` and `/ 2`, in place of the operators, which DataFusion does not have for intervals.
//!
//! As in PostgreSQL: what is left of a month becomes days, 30 to the month, and what is left of a day a part of it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, IntervalMonthDayNanoArray};
use arrow::datatypes::{
    DataType, Float64Type, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
};
use datafusion::common::{Result, exec_err, plan_err};

use crate::function::declared::{Declaration, arguments};

pub(super) static TIMES: Declaration = Declaration {
    name: "interval_times",
    aliases: &[],
    coerce: coerced,
    result: |_| Ok(INTERVAL),
    compute: |given| each(given, times),
};

pub(super) static DIVIDED: Declaration = Declaration {
    name: "interval_divided",
    aliases: &[],
    coerce: coerced,
    result: |_| Ok(INTERVAL),
    compute: divided_intervals,
};

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
const DAYS_OF_MONTH: f64 = 30.0;
const DAY: f64 = 86_400e9;

/// Intervals divided by numbers.
pub(in crate::function) fn divided_intervals(given: &[ArrayRef]) -> Result<ArrayRef> {
    each(given, divided)
}

fn coerced(types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [_, number] if number.is_integer() => Ok(vec![INTERVAL, DataType::Int64]),
        [_, number] if number.is_numeric() || number.is_null() => {
            Ok(vec![INTERVAL, DataType::Float64])
        }
        _ => plan_err!("an interval is multiplied with a number, or divided by one"),
    }
}

/// A number.
#[derive(Debug, Clone, Copy)]
enum Factor {
    Whole(i64),
    Broken(f64),
}

fn each(
    given: &[ArrayRef],
    of: fn(IntervalMonthDayNano, Factor) -> Option<IntervalMonthDayNano>,
) -> Result<ArrayRef> {
    let [intervals, factors] = arguments(given)?;
    let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
    let factor = |row: usize| match factors.data_type() {
        DataType::Int64 => Factor::Whole(factors.as_primitive::<Int64Type>().value(row)),
        _ => Factor::Broken(factors.as_primitive::<Float64Type>().value(row)),
    };
    let results = intervals.iter().enumerate().map(|(row, interval)| {
        let Some(interval) = interval.filter(|_| factors.is_valid(row)) else {
            return Ok(None);
        };
        match of(interval, factor(row)) {
            Some(result) => Ok(Some(result)),
            None => exec_err!("an interval is out of range, or divided by zero"),
        }
    });
    Ok(Arc::new(
        results.collect::<Result<IntervalMonthDayNanoArray>>()?,
    ))
}

fn times(interval: IntervalMonthDayNano, factor: Factor) -> Option<IntervalMonthDayNano> {
    match factor {
        Factor::Whole(factor) => {
            let small = i32::try_from(factor);
            let part = |part: i32| match part {
                0 => Some(0),
                part => part.checked_mul(small.ok()?),
            };
            Some(IntervalMonthDayNano::new(
                part(interval.months)?,
                part(interval.days)?,
                interval.nanoseconds.checked_mul(factor)?,
            ))
        }
        Factor::Broken(factor) => scaled(interval, |part| part * factor),
    }
}

fn divided(interval: IntervalMonthDayNano, divisor: Factor) -> Option<IntervalMonthDayNano> {
    let divisor = match divisor {
        Factor::Whole(divisor) => divisor as f64,
        Factor::Broken(divisor) => divisor,
    };
    (divisor != 0.0).then(|| scaled(interval, |part| part / divisor))?
}

fn scaled(
    interval: IntervalMonthDayNano,
    scale: impl Fn(f64) -> f64,
) -> Option<IntervalMonthDayNano> {
    let months = scale(interval.months.into());
    let days = scale(interval.days.into()) + months.fract() * DAYS_OF_MONTH;
    // A third of a month is ten days, and not a hair less.
    let whole_days = if (days - days.round()).abs() < 1e-9 {
        days.round()
    } else {
        days.trunc()
    };
    let rest = (days - whole_days) * DAY;
    let rest = if rest.abs() < 1e5 { 0.0 } else { rest };
    let nanoseconds = scale(interval.nanoseconds as f64) + rest;
    let part = |part: f64| (part.abs() <= f64::from(i32::MAX)).then_some(part as i32);
    let is_in_range = nanoseconds.abs() < 9.2e18;
    is_in_range.then_some(IntervalMonthDayNano::new(
        part(months.trunc())?,
        part(whole_days)?,
        nanoseconds.round() as i64,
    ))
}
