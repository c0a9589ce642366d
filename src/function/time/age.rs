//! `age(a, b)`: what lies between two times in years, months, days and hours, as in PostgreSQL.

use std::sync::Arc;

use arrow::array::IntervalMonthDayNanoArray;
use arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalUnit};
use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime};
use datafusion::common::plan_err;

use super::moment::{moments, type_of};
use crate::function::declared::{Declaration, arguments};

pub(super) static AGE: Declaration = Declaration {
    name: "age",
    aliases: &[],
    coerce: |types| match types {
        [later, earlier] => Ok(vec![type_of("age", later)?, type_of("age", earlier)?]),
        others => plan_err!("age takes two times, not {}", others.len()),
    },
    result: |_| Ok(DataType::Interval(IntervalUnit::MonthDayNano)),
    compute: |given| {
        let [later, earlier] = arguments(given)?;
        let (later, earlier) = (moments(later)?, moments(earlier)?);
        let ages = later.iter().zip(&earlier);
        let ages = ages.map(|times| match times {
            (Some(later), Some(earlier)) => Some(age(later.shown, earlier.shown)),
            _ => None,
        });
        Ok(Arc::new(ages.collect::<IntervalMonthDayNanoArray>()))
    },
};

const DAY: i64 = 86_400_000_000_000;

fn age(later: NaiveDateTime, earlier: NaiveDateTime) -> IntervalMonthDayNano {
    if later < earlier {
        let age = age(earlier, later);
        return IntervalMonthDayNano::new(-age.months, -age.days, -age.nanoseconds);
    }
    let month = |at: NaiveDateTime| at.year() * 12 + at.month0() as i32;
    let mut months = month(later) - month(earlier);
    let mut days = later.day() as i32 - earlier.day() as i32;
    let mut nanoseconds = of_day(later.time()) - of_day(earlier.time());
    if nanoseconds < 0 {
        nanoseconds += DAY;
        days -= 1;
    }
    // A month that is taken apart is that of the earlier time.
    if days < 0 {
        days += days_of_month(earlier);
        months -= 1;
    }
    IntervalMonthDayNano::new(months, days, nanoseconds)
}

fn of_day(time: NaiveTime) -> i64 {
    let since = time.signed_duration_since(NaiveTime::MIN);
    since.num_nanoseconds().unwrap_or_default()
}

fn days_of_month(at: NaiveDateTime) -> i32 {
    let (year, month) = match at.month() {
        12 => (at.year() + 1, 1),
        month => (at.year(), month + 1),
    };
    let next = NaiveDate::from_ymd_opt(year, month, 1);
    let last = next.and_then(|next| next.pred_opt());
    last.map_or(31, |last| last.day() as i32)
}
