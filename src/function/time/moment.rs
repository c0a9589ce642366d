//! Dates and times as the functions of this directory read them: what a clock shows, and where it stands.

use std::borrow::Cow;

use arrow::array::temporal_conversions::{as_datetime, date32_to_datetime, date64_to_datetime};
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::datatypes::{
    ArrowTimestampType, DataType, Date32Type, Date64Type, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use chrono::{FixedOffset, NaiveDateTime, Utc};
use datafusion::common::{Result, exec_err, plan_err};

use crate::datum::{Clocks, with_seconds};

/// A date or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// What the clock shows; of a date its midnight.
    pub shown: NaiveDateTime,
    /// By how much the clock is ahead of UTC, of a time with a zone.
    pub ahead: Option<FixedOffset>,
}

/// The type that an argument of this type is read as; a text that says a time is one of any year.
///
/// # Errors
/// For a type that says no day.
pub(super) fn type_of(function: &str, given: &DataType) -> Result<DataType> {
    Ok(match given {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => given.clone(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Null => DataType::Timestamp(TimeUnit::Nanosecond, None),
        other => {
            return plan_err!(
                "{function} takes a DATE or a TIMESTAMP, not a value of type {other}"
            );
        }
    })
}

/// The values of an array of a type that [`type_of`] gives.
///
/// # Errors
/// For a value beyond the years of the calendar, and a text that is no time.
pub(super) fn moments(array: &ArrayRef) -> Result<Vec<Option<Moment>>> {
    match array.data_type() {
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>();
            let dates = days.iter().map(|day| day.map(date32_to_datetime));
            dates.map(|date| shown(date, None)).collect()
        }
        DataType::Date64 => {
            let dates = array.as_primitive::<Date64Type>();
            let dates = dates.iter().map(|date| date.map(date64_to_datetime));
            dates.map(|date| shown(date, None)).collect()
        }
        DataType::Utf8 => {
            let texts = array.as_string::<i32>().iter();
            texts.map(|text| text.map(moment_of).transpose()).collect()
        }
        DataType::Timestamp(unit, zone) => {
            let clocks = match zone {
                None => None,
                Some(zone) => match Clocks::of(zone) {
                    Some(clocks) => Some(clocks),
                    None => return exec_err!("there is no zone '{zone}'"),
                },
            };
            match unit {
                TimeUnit::Second => stamps::<TimestampSecondType>(array, clocks),
                TimeUnit::Millisecond => stamps::<TimestampMillisecondType>(array, clocks),
                TimeUnit::Microsecond => stamps::<TimestampMicrosecondType>(array, clocks),
                TimeUnit::Nanosecond => stamps::<TimestampNanosecondType>(array, clocks),
            }
        }
        other => exec_err!("a value of type {other} is no date and no time"),
    }
}

/// The time that a text says, in UTC where it says an offset.
fn moment_of(text: &str) -> Result<Moment> {
    let completed = with_seconds(text);
    let read = string_to_datetime(&Utc, completed.as_deref().unwrap_or(text))?;
    Ok(Moment {
        shown: read.naive_utc(),
        ahead: None,
    })
}

fn stamps<T>(array: &ArrayRef, clocks: Option<Clocks>) -> Result<Vec<Option<Moment>>>
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let stamps = array.as_primitive::<T>().iter();
    let stamps = stamps.map(|stamp| stamp.map(as_datetime::<T>));
    stamps.map(|stamp| shown(stamp, clocks)).collect()
}

fn shown(utc: Option<Option<NaiveDateTime>>, clocks: Option<Clocks>) -> Result<Option<Moment>> {
    let utc = match utc {
        None => return Ok(None),
        Some(None) => return exec_err!("a date or time is beyond the years of the calendar"),
        Some(Some(utc)) => utc,
    };
    let ahead = clocks.map(|clocks| clocks.ahead_at(&utc));
    let shown = match ahead {
        None => Some(utc),
        Some(ahead) => utc.checked_add_offset(ahead),
    };
    match shown {
        Some(shown) => Ok(Some(Moment { shown, ahead })),
        None => exec_err!("a time is beyond the years of the calendar"),
    }
}

/// The name of the zone of a type; none where it has none.
pub(super) fn zone_name(data_type: &DataType) -> Cow<'_, str> {
    match data_type {
        DataType::Timestamp(_, Some(zone)) => match Clocks::always_ahead(zone) {
            Some(0) => Cow::Borrowed("UTC"),
            _ => Cow::Borrowed(zone.as_ref()),
        },
        _ => Cow::Borrowed(""),
    }
}
