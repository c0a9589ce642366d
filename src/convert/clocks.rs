//! Times are read on the clocks of a zone, also those that the clocks show twice, or never.
//!
//! `ts AT TIME ZONE 'Europe/Berlin'`, and `CAST(ts AS TIMESTAMPTZ)` where the session has a zone, are casts, and Arrow's
//! cast fails on the hour that is shown twice in autumn and on the one that is left out in spring: one such row ends the
//! query. Here such a time is read as [`Clocks`] says. Nobody takes that for a cast that could be taken off, or for one that
//! keeps the order of its source, as clocks that are changed do not.
//!
//! A time is read in its own unit; the step to a finer one, which fails beyond 2262, is a cast as before.

use std::sync::Arc;

use arrow::array::temporal_conversions::as_datetime;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{
    ArrowTimestampType, DataType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow::error::ArrowError;
use chrono::Utc;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::Expr;

use super::function::Conversion;
use crate::datum::{Clocks, Precision, with_seconds};
use crate::predicate::AT_TIME_ZONE;

/// The cast of what clocks show to the instants at which those of a zone show it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct OnClocks {
    target: DataType,
    /// Whether NULL is given for what cannot be read.
    is_lenient: bool,
}

impl OnClocks {
    /// How values of a type are read, whose cast has this target: in their own unit; `None` where a cast does it.
    pub fn of(from: &DataType, target: &DataType, is_lenient: bool) -> Option<Self> {
        let DataType::Timestamp(to, Some(zone)) = target else {
            return None;
        };
        if !Self::reads(target) {
            return None;
        }
        let target = match from {
            DataType::Timestamp(from, None) if Precision::from(*to) > Precision::from(*from) => {
                DataType::Timestamp(*from, Some(Arc::clone(zone)))
            }
            from if is_shown(from) => target.clone(),
            _ => return None,
        };
        Some(Self { target, is_lenient })
    }

    /// Whether a cast to this type may be read so: its zone has clocks that are changed.
    pub fn reads(target: &DataType) -> bool {
        let DataType::Timestamp(_, Some(zone)) = target else {
            return false;
        };
        Clocks::always_ahead(zone).is_none() && Clocks::of(zone).is_some()
    }

    /// Whether values come out as of this type.
    pub fn is_to(&self, target: &DataType) -> bool {
        self.target == *target
    }
}

/// Whether values of the type are what clocks show.
fn is_shown(source: &DataType) -> bool {
    use DataType::{Date32, Date64, Timestamp};
    matches!(source, Timestamp(_, None) | Date32 | Date64) || source.is_string()
}

/// The zone of a session, where that is not UTC.
pub fn other_than_utc(config: &ConfigOptions) -> Option<Arc<str>> {
    let zone = config.execution.time_zone.as_deref()?;
    (Clocks::always_ahead(zone) != Some(0)).then(|| Arc::from(zone))
}

/// Whether a constant says a time without an offset.
pub fn is_read_on_clocks(shown: &ScalarValue) -> bool {
    match shown.try_as_str() {
        Some(text) => text.is_some_and(|text| {
            let completed = with_seconds(text);
            string_to_datetime(&Utc, completed.as_deref().unwrap_or(text)).is_ok()
        }),
        None => is_shown(&shown.data_type()) && !shown.is_null(),
    }
}

/// The instant at which the clocks of a zone show a constant; `None` of one that is no time, and beyond the years of its
/// type.
pub fn read_constant(shown: &ScalarValue, zone: &Arc<str>) -> Option<Expr> {
    if !is_read_on_clocks(shown) {
        return None;
    }
    let unit = match shown.data_type() {
        DataType::Timestamp(unit, _) => unit,
        DataType::Date32 | DataType::Date64 => TimeUnit::Second,
        _ => TimeUnit::Nanosecond,
    };
    let completed = shown.try_as_str().flatten().and_then(with_seconds);
    let completed = completed.map(ScalarValue::from);
    let shown = completed.as_ref().unwrap_or(shown);
    let read = |unit| {
        let clocks = OnClocks {
            target: DataType::Timestamp(unit, Some(Arc::clone(zone))),
            is_lenient: false,
        };
        clocks.convert_constant(shown).ok()
    };
    let instant = read(unit).or_else(|| read(unit.min(TimeUnit::Microsecond)))?;
    Some(Expr::Literal(instant, None))
}

impl Conversion for OnClocks {
    fn name(&self) -> &str {
        AT_TIME_ZONE
    }

    fn target(&self) -> DataType {
        self.target.clone()
    }

    fn gives_nulls(&self, of_nulls: bool) -> bool {
        of_nulls || self.is_lenient
    }

    fn shown(&self, argument: &str) -> String {
        match &self.target {
            DataType::Timestamp(_, Some(zone)) => format!("{argument} AT TIME ZONE '{zone}'"),
            target => format!("CAST({argument} AS {target})"),
        }
    }

    /// As Arrow casts, which is quick; one by one where that fails.
    fn convert(&self, shown: &ArrayRef) -> Result<ArrayRef> {
        let options = CastOptions {
            safe: self.is_lenient,
            ..CastOptions::default()
        };
        let at_once = cast_with_options(shown, &self.target, &options);
        let (DataType::Timestamp(unit, Some(zone)), at_once) = (&self.target, at_once) else {
            return exec_err!("{} is no time in a zone", self.target);
        };
        if let Ok(read) = at_once
            && read.null_count() == shown.null_count()
        {
            return Ok(read);
        }
        match unit {
            TimeUnit::Second => self.one_by_one::<TimestampSecondType>(shown, zone),
            TimeUnit::Millisecond => self.one_by_one::<TimestampMillisecondType>(shown, zone),
            TimeUnit::Microsecond => self.one_by_one::<TimestampMicrosecondType>(shown, zone),
            TimeUnit::Nanosecond => self.one_by_one::<TimestampNanosecondType>(shown, zone),
        }
    }
}

impl OnClocks {
    fn one_by_one<T>(&self, shown: &ArrayRef, zone: &Arc<str>) -> Result<ArrayRef>
    where
        T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
    {
        let Some(clocks) = Clocks::of(zone) else {
            return exec_err!("there is no zone '{zone}'");
        };
        let read: PrimitiveArray<T> = if shown.data_type().is_string() {
            let texts = cast(shown, &DataType::Utf8)?;
            let instants = texts.as_string::<i32>().iter();
            let instants = instants.map(|text| text.map(|text| instant_of::<T>(clocks, text)));
            let instants = instants.map(|instant| self.settled(instant));
            instants.collect::<Result<_, ArrowError>>()?
        } else {
            let options = CastOptions {
                safe: self.is_lenient,
                ..CastOptions::default()
            };
            let local = DataType::Timestamp(T::UNIT, None);
            let local = cast_with_options(shown, &local, &options)?;
            let times = local.as_primitive::<T>().iter();
            let instants = times.map(|time| time.map(|time| instant_at::<T>(clocks, time)));
            let instants = instants.map(|instant| self.settled(instant));
            instants.collect::<Result<_, ArrowError>>()?
        };
        Ok(Arc::new(read.with_timezone(Arc::clone(zone))))
    }

    fn settled(&self, instant: Option<Result<i64, ArrowError>>) -> Result<Option<i64>, ArrowError> {
        match instant.transpose() {
            Err(_) if self.is_lenient => Ok(None),
            settled => settled,
        }
    }
}

/// The instant that a text says, in the unit of the type.
fn instant_of<T: ArrowTimestampType>(clocks: Clocks, text: &str) -> Result<i64, ArrowError> {
    let instant = clocks.read(text)?;
    T::from_naive_datetime(instant, None).ok_or_else(|| out_of_range(text))
}

/// The instant at which the clocks show a time, both in the unit of the type.
fn instant_at<T>(clocks: Clocks, time: i64) -> Result<i64, ArrowError>
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let Some(shown) = as_datetime::<T>(time) else {
        return Err(out_of_range(&time.to_string()));
    };
    let instant = clocks.instant(&shown);
    instant
        .and_then(|instant| T::from_naive_datetime(instant, None))
        .ok_or_else(|| out_of_range(&shown.to_string()))
}

fn out_of_range(shown: &str) -> ArrowError {
    ArrowError::CastError(format!(
        "the instant of {shown} is out of range for its type"
    ))
}

#[cfg(test)]
#[path = "clocks_tests.rs"]
mod tests;
