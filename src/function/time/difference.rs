//! `date_diff('day', a, b)`: how many midnights, months, … lie between two times; `date_sub('day', a, b)`: how many whole
//! days. As in DuckDB.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::datatypes::DataType;
use chrono::{Datelike, NaiveDateTime, TimeDelta};
use datafusion::common::{Result, exec_err, plan_err};

use super::moment::{moments, type_of};
use crate::function::declared::{Declaration, arguments};

pub(super) static DATE_DIFF: Declaration = Declaration {
    name: "date_diff",
    aliases: &["datediff"],
    coerce: |types| coerced("date_diff", types),
    result: |_| Ok(DataType::Int64),
    compute: |given| differences(given, Unit::crossed),
};

pub(super) static DATE_SUB: Declaration = Declaration {
    name: "date_sub",
    aliases: &["datesub"],
    coerce: |types| coerced("date_sub", types),
    result: |_| Ok(DataType::Int64),
    compute: |given| differences(given, Unit::whole),
};

fn coerced(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        [_, from, to] => Ok(vec![
            DataType::Utf8,
            type_of(function, from)?,
            type_of(function, to)?,
        ]),
        _ => plan_err!("{function} takes a unit and two times: {function}('day', a, b)"),
    }
}

/// A unit, all of one kind as a number of the smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Months(i64),
    Weeks,
    /// Microseconds.
    Time(i64),
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Every unit, by its names.
const UNITS: &[(&[&str], Unit)] = &[
    (&["year", "years", "yr", "y"], Unit::Months(12)),
    (&["decade", "decades"], Unit::Months(120)),
    (&["century", "centuries"], Unit::Months(1_200)),
    (&["quarter", "quarters"], Unit::Months(3)),
    (&["month", "months", "mon"], Unit::Months(1)),
    (&["week", "weeks", "w"], Unit::Weeks),
    (&["day", "days", "d"], Unit::Time(DAY)),
    (&["hour", "hours", "h"], Unit::Time(3_600 * SECOND)),
    (&["minute", "minutes", "min", "m"], Unit::Time(60 * SECOND)),
    (&["second", "seconds", "sec", "s"], Unit::Time(SECOND)),
    (&["millisecond", "milliseconds", "ms"], Unit::Time(1_000)),
    (&["microsecond", "microseconds", "us"], Unit::Time(1)),
];

impl Unit {
    fn named(name: &str) -> Result<Self> {
        let folded = name.to_lowercase();
        let known = UNITS
            .iter()
            .find(|(names, _)| names.contains(&folded.as_str()));
        match known {
            Some((_, unit)) => Ok(*unit),
            None => {
                let names = UNITS.iter().filter_map(|(names, _)| names.first().copied());
                let names: Vec<&str> = names.collect();
                exec_err!("'{name}' is no unit of time; {} are", names.join(", "))
            }
        }
    }

    /// How often a new one begins between two times.
    fn crossed(self, from: NaiveDateTime, to: NaiveDateTime) -> i64 {
        match self {
            Self::Months(count) => months(to).div_euclid(count) - months(from).div_euclid(count),
            // The first day of the calendar that is counted from was a Monday.
            Self::Weeks => (days(to) - 1).div_euclid(7) - (days(from) - 1).div_euclid(7),
            Self::Time(length) => micros(to).div_euclid(length) - micros(from).div_euclid(length),
        }
    }

    /// How many whole ones lie between two times.
    fn whole(self, from: NaiveDateTime, to: NaiveDateTime) -> i64 {
        if to < from {
            return -self.whole(to, from);
        }
        match self {
            Self::Months(count) => whole_months(from, to) / count,
            Self::Weeks => (micros(to) - micros(from)) / (7 * DAY),
            Self::Time(length) => (micros(to) - micros(from)) / length,
        }
    }
}

/// Months since the year 0.
fn months(at: NaiveDateTime) -> i64 {
    i64::from(at.year()) * 12 + i64::from(at.month0())
}

/// Days since the year 1, whose first is 1.
fn days(at: NaiveDateTime) -> i64 {
    i64::from(at.num_days_from_ce())
}

fn micros(at: NaiveDateTime) -> i64 {
    at.and_utc().timestamp_micros()
}

/// A month is whole on the day of the next of the same number, or on its last, at the same time of day.
fn whole_months(from: NaiveDateTime, to: NaiveDateTime) -> i64 {
    let between = months(to) - months(from);
    let next_day = to.checked_add_signed(TimeDelta::days(1));
    let is_last_day = next_day.is_none_or(|next| next.day() == 1);
    let day_is_reached = to.day() > from.day() || (is_last_day && to.day() < from.day());
    let is_whole = day_is_reached || (to.day() == from.day() && to.time() >= from.time());
    between - i64::from(!is_whole && between > 0)
}

fn differences(
    given: &[ArrayRef],
    difference: fn(Unit, NaiveDateTime, NaiveDateTime) -> i64,
) -> Result<ArrayRef> {
    let [units, from, to] = arguments(given)?;
    let (from, to) = (moments(from)?, moments(to)?);
    let mut known: Option<(&str, Unit)> = None;
    let rows = units.as_string::<i32>().iter().zip(from.iter().zip(&to));
    let differences = rows.map(|(unit, times)| {
        let (Some(name), (Some(from), Some(to))) = (unit, times) else {
            return Ok(None);
        };
        let unit = match known {
            Some((of, unit)) if of == name => unit,
            _ => Unit::named(name)?,
        };
        known = Some((name, unit));
        Ok(Some(difference(unit, from.shown, to.shown)))
    });
    Ok(Arc::new(differences.collect::<Result<Int64Array>>()?))
}
