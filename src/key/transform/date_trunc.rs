//! A stamp rounded down to a unit of the calendar or the clock, in UTC.

use std::sync::Arc;

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

use super::coarse::{Coarse, Coarsening, ceiling, floor};
use super::{Argument, BoundArgument, Declaration, Parameter, Transform};
use crate::datum::SqlType;
use crate::error::{Error, Result};

/// `date_trunc(unit, c)`
#[derive(Debug)]
pub struct DateTrunc;

/// The names of the units, finest first.
const UNITS: &[&str] = &[
    "microsecond",
    "millisecond",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "year",
];

/// Nanoseconds in a day.
const DAY: i128 = 86_400 * 1_000_000_000;

impl Declaration for DateTrunc {
    fn name(&self) -> &'static str {
        "date_trunc"
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter::Unit(UNITS), Parameter::Column]
    }

    fn stores(&self) -> &'static str {
        "a stamp rounded down to a microsecond, millisecond, second, minute, hour, day, week, month, quarter or year, in UTC"
    }

    fn pushdown(&self) -> &'static str {
        "=, IN and ranges on the column or on date_trunc(unit, c): ranges"
    }

    fn canonical(&self, arguments: &[Argument]) -> Vec<Argument> {
        let folded = |argument: &Argument| match argument {
            Argument::Text(unit) => Argument::Text(unit.to_lowercase()),
            other => other.clone(),
        };
        arguments.iter().map(folded).collect()
    }

    fn bind(&self, arguments: &[BoundArgument]) -> Result<Arc<dyn Transform>> {
        let [
            BoundArgument::Text(name),
            BoundArgument::Column(column, sql_type),
        ] = arguments
        else {
            return Err(Error::invalid(
                "date_trunc takes a unit and a column, as in date_trunc('hour', c)",
            ));
        };
        let lower = name.to_lowercase();
        let Some(unit) = Unit::named(&lower) else {
            return Err(Error::invalid(format!(
                "date_trunc knows no unit '{name}'; it knows {}",
                UNITS.join(", ")
            )));
        };
        let tick = nanoseconds_of("date_trunc", column, sql_type)?;
        let function = Truncation { unit, tick };
        Ok(Arc::new(Coarse::new(function, sql_type, sql_type)?))
    }
}

/// The nanoseconds that a timestamp column counts by.
pub(super) fn nanoseconds_of(function: &str, column: &str, sql_type: &SqlType) -> Result<i128> {
    match sql_type {
        SqlType::Timestamp { precision, .. } => Ok(precision.nanoseconds().into()),
        _ => Err(Error::invalid(format!(
            "{function} takes a TIMESTAMP column; `{column}` is {sql_type}"
        ))),
    }
}

/// What rounds counts of `tick` nanoseconds down to a unit, as this transform does; `None` for a unit that is unknown.
pub fn truncation(unit: &str, tick: i128) -> Option<impl Fn(i128) -> i128> {
    let unit = Unit::named(unit)?;
    let truncation = Truncation { unit, tick };
    Some(move |count| truncation.image(count))
}

/// What is rounded down to.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// So many nanoseconds.
    Fixed(i128),
    /// A week from Monday on.
    Week,
    /// So many months, counted from January.
    Months(u32),
}

impl Unit {
    /// The unit of one of the names in [`UNITS`].
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "microsecond" => Self::Fixed(1_000),
            "millisecond" => Self::Fixed(1_000_000),
            "second" => Self::Fixed(1_000_000_000),
            "minute" => Self::Fixed(60 * 1_000_000_000),
            "hour" => Self::Fixed(3_600 * 1_000_000_000),
            "day" => Self::Fixed(DAY),
            "week" => Self::Week,
            "month" => Self::Months(1),
            "quarter" => Self::Months(3),
            "year" => Self::Months(12),
            _ => return None,
        })
    }
}

#[derive(Debug)]
struct Truncation {
    unit: Unit,
    /// Nanoseconds that one source counts.
    tick: i128,
}

impl Truncation {
    /// The start of the days' period, and that of the next one; in days since 1970-01-01.
    fn period(&self, day: i128) -> (i128, i128) {
        match self.unit {
            Unit::Fixed(_) => (day, day + 1),
            Unit::Week => {
                // 1970-01-01 was a Thursday, the week's fourth day.
                let monday = floor(day + 3, 7) - 3;
                (monday, monday + 7)
            }
            Unit::Months(months) => {
                // The calendar repeats itself every 400 years, so one such cycle answers for all.
                let cycle = floor(day, CYCLE);
                let (start, next) = months_around(day - cycle, months).unwrap_or((0, CYCLE));
                (cycle + start, cycle + next)
            }
        }
    }
}

/// Days in 400 years.
const CYCLE: i128 = 146_097;

/// The first days of a period of months and of the next one; `day` is in the first 400 years from 1970 on.
fn months_around(day: i128, months: u32) -> Option<(i128, i128)> {
    let epoch = NaiveDate::default();
    let date = epoch.checked_add_signed(TimeDelta::try_days(i64::try_from(day).ok()?)?)?;
    let month = date.month0() / months * months;
    let start = NaiveDate::from_ymd_opt(date.year(), month + 1, 1)?;
    let next = start.checked_add_months(Months::new(months))?;
    let days = |date: NaiveDate| i128::from(date.signed_duration_since(epoch).num_days());
    Some((days(start), days(next)))
}

impl Coarsening for Truncation {
    fn image(&self, source: i128) -> i128 {
        match self.unit {
            Unit::Fixed(nanoseconds) => floor(source, (nanoseconds / self.tick).max(1)),
            _ => {
                let day = DAY / self.tick;
                self.period(source.div_euclid(day)).0 * day
            }
        }
    }

    fn image_of_64(&self, source: i64) -> Option<i64> {
        match self.unit {
            Unit::Fixed(nanoseconds) => {
                let step = i64::try_from((nanoseconds / self.tick).max(1)).ok()?;
                source.checked_sub(source.checked_rem_euclid(step)?)
            }
            _ => i64::try_from(self.image(source.into())).ok(),
        }
    }

    fn first(&self, part: i128) -> i128 {
        match self.unit {
            Unit::Fixed(nanoseconds) => ceiling(part, (nanoseconds / self.tick).max(1)),
            _ if self.image(part) == part => part,
            _ => {
                let day = DAY / self.tick;
                self.period(part.div_euclid(day)).1 * day
            }
        }
    }
}
