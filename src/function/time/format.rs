//! What `strftime` and `to_char` have in common: a format is cut into pieces once, and each moment is written by them.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringBuilder};
use arrow::datatypes::DataType;
use chrono::{Datelike, Timelike};
use datafusion::common::{Result, plan_err};

use super::moment::{Moment, moments, type_of, zone_name};

/// The names of the days, Monday first.
pub(super) const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// The names of the months.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A piece of a format.
pub(super) trait Piece {
    /// Writes what it stands for at a moment; `zone` is the name of the moment's zone.
    fn write(&self, moment: &Moment, zone: &str, text: &mut String);
}

/// The types of a moment and a format.
pub(super) fn coerced(function: &str, types: &[DataType]) -> Result<Vec<DataType>> {
    match types {
        // DuckDB takes the two in either order.
        [moment, format] if is_text(format) => Ok(vec![type_of(function, moment)?, DataType::Utf8]),
        [_, format] => {
            plan_err!("the format of {function} is a text, not a value of type {format}")
        }
        others => plan_err!(
            "{function} takes 2 arguments, a time and a format, not {}",
            others.len()
        ),
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null
    )
}

/// The moments, each written by the format that stands beside it.
///
/// # Errors
/// Those of `parse`.
pub(super) fn formatted<P: Piece>(
    times: &ArrayRef,
    formats: &ArrayRef,
    parse: impl Fn(&str) -> Result<Vec<P>>,
) -> Result<ArrayRef> {
    let zone = zone_name(times.data_type());
    let mut known: Option<(&str, Vec<P>)> = None;
    let mut texts = StringBuilder::new();
    let mut text = String::new();
    let formats = formats.as_string::<i32>().iter();
    for (moment, format) in moments(times)?.iter().zip(formats) {
        let (Some(moment), Some(format)) = (moment, format) else {
            texts.append_null();
            continue;
        };
        let pieces = match known.take() {
            Some((of, pieces)) if of == format => pieces,
            _ => parse(format)?,
        };
        text.clear();
        for piece in &pieces {
            piece.write(moment, &zone, &mut text);
        }
        texts.append_value(&text);
        known = Some((format, pieces));
    }
    Ok(Arc::new(texts.finish()))
}

/// The name of the day.
pub(super) fn day_name(moment: &Moment) -> &'static str {
    let day = moment.shown.weekday().num_days_from_monday() as usize;
    DAYS.get(day).copied().unwrap_or_default()
}

/// The name of the month.
pub(super) fn month_name(moment: &Moment) -> &'static str {
    let month = moment.shown.month0() as usize;
    MONTHS.get(month).copied().unwrap_or_default()
}

/// The first three letters of a name.
pub(super) fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// The hour on a clock of twelve.
pub(super) fn hour12(moment: &Moment) -> u32 {
    moment.shown.hour12().1
}

/// The nanoseconds of the second; a leap second counts as the one before it.
pub(super) fn fraction(moment: &Moment) -> u32 {
    moment.shown.nanosecond().min(999_999_999)
}

/// The number of the week when weeks begin on the day that is so many days behind Sunday; those before the first are 0.
pub(super) fn week_of_year(moment: &Moment, first: u32) -> u32 {
    let day = moment.shown.ordinal0();
    let weekday = (moment.shown.weekday().num_days_from_sunday() + 7 - first) % 7;
    (day + 7 - weekday) / 7
}

/// Hours and minutes by which the zone is ahead of UTC, with their sign.
pub(super) fn ahead(moment: &Moment) -> (char, i32, i32) {
    let seconds = moment.ahead.map_or(0, |ahead| ahead.local_minus_utc());
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    (sign, minutes / 60, minutes % 60)
}
