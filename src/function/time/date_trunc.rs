//! `date_trunc` that is right at the ends of its type, or an error; a DATE is a TIMESTAMP(6), which reaches as far as the
//! calendar.
//!
//! DataFusion rounds the first times of a type down past its least value, which wraps around to its greatest, or panics
//! where overflow is checked, if only in a slot that holds NULL; and it counts weeks and longer units in nanoseconds, so
//! that `date_trunc('month', ts)` of a TIMESTAMP(3) ends in 2262. Here such values are rounded in 128 bits, by the code of
//! the key part of that name. All others are rounded by DataFusion, which is quick. And it takes a DATE for a TIMESTAMP of
//! nanoseconds, so that 9999-12-31 is an error. Of a constant before 1970 it rounds a fraction of a second up, and not down as
//! of a column: so a constant is rounded as a column of one row.

use std::sync::Arc;

use arrow::array::temporal_conversions::as_datetime;
use arrow::array::{Array, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowTimestampType, DataType, FieldRef, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use chrono::{DateTime, FixedOffset, NaiveDateTime};
use datafusion::common::types::{NativeType, logical_date, logical_string};
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::datetime;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    Coercion, ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TypeSignature, TypeSignatureClass, Volatility,
};

use crate::datum::{Clocks, Precision};
use crate::error::Error;
use crate::function::as_theirs::as_theirs;
use crate::key::transform::truncation;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct DateTrunc(Arc<ScalarUDF>, Signature);

impl Default for DateTrunc {
    fn default() -> Self {
        let of = |times| TypeSignature::Coercible(vec![text(), times]);
        let implicit = |other, unit| {
            let unit = NativeType::Timestamp(unit, None);
            Coercion::new_implicit(TypeSignatureClass::Timestamp, vec![other], unit)
        };
        let texts = TypeSignatureClass::Native(logical_string());
        let dates = TypeSignatureClass::Native(logical_date());
        let arguments = vec![
            of(implicit(texts, TimeUnit::Nanosecond)),
            of(implicit(dates, TimeUnit::Microsecond)),
            of(Coercion::new_exact(TypeSignatureClass::Time)),
        ];
        let signature = Signature::one_of(arguments, Volatility::Immutable);
        Self(datetime::date_trunc(), signature)
    }
}

fn text() -> Coercion {
    Coercion::new_exact(TypeSignatureClass::Native(logical_string()))
}

impl ScalarUDFImpl for DateTrunc {
    as_theirs!(but_arguments);

    fn signature(&self) -> &Signature {
        &self.1
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.0.return_field_from_args(args)
    }

    fn output_ordering(&self, input: &[ExprProperties]) -> Result<SortProperties> {
        self.0.output_ordering(input)
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [unit, times] = args.args.as_slice() else {
            return self.0.invoke_with_args(args);
        };
        if let (ColumnarValue::Scalar(time), DataType::Timestamp(..)) = (times, times.data_type()) {
            let array = time.to_array()?;
            if let Some(given) = args.args.last_mut() {
                *given = ColumnarValue::Array(array);
            }
            args.number_rows = 1;
            let truncated = self.invoke_with_args(args)?.into_array(1)?;
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &truncated, 0,
            )?));
        }
        let truncated = match (constant_text(unit), times.data_type()) {
            (Some(unit), DataType::Timestamp(..)) => truncated(&unit, times)?,
            _ => None,
        };
        match truncated {
            Some(Truncated::Here(truncated)) => return Ok(truncated),
            Some(Truncated::Clean(times)) => {
                if let Some(given) = args.args.last_mut() {
                    *given = times;
                }
            }
            None => {}
        }
        self.0.invoke_with_args(args)
    }
}

fn constant_text(value: &ColumnarValue) -> Option<String> {
    match value {
        ColumnarValue::Scalar(text) => Some(text.try_as_str()??.to_lowercase()),
        ColumnarValue::Array(_) => None,
    }
}

/// What becomes of times.
enum Truncated {
    /// They are rounded.
    Here(ColumnarValue),
    /// DataFusion may round them: all are far from the ends, those in slots that hold NULL as well.
    Clean(ColumnarValue),
}

/// The times rounded, or ready to be; `None` where the unit is unknown, of which DataFusion tells.
fn truncated(unit: &str, times: &ColumnarValue) -> Result<Option<Truncated>> {
    match times.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => of_unit::<TimestampSecondType>(unit, times),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            of_unit::<TimestampMillisecondType>(unit, times)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            of_unit::<TimestampMicrosecondType>(unit, times)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            of_unit::<TimestampNanosecondType>(unit, times)
        }
        _ => Ok(None),
    }
}

fn of_unit<T>(unit: &str, times: &ColumnarValue) -> Result<Option<Truncated>>
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let tick = Precision::from(T::UNIT).nanoseconds();
    let Some(truncate) = truncation(unit, tick.into()) else {
        return Ok(None);
    };
    let array = times.to_array(1)?;
    let array = array.as_primitive::<T>();
    let of_array = |array: PrimitiveArray<T>| ColumnarValue::Array(Arc::new(array));
    let array = without_hidden(array);
    if array.values().iter().all(|time| is_inside(*time, tick)) {
        return Ok(Some(Truncated::Clean(of_array(array))));
    }
    let zone = zone_of(unit, array.timezone());
    let truncated: PrimitiveArray<T> = array.try_unary(|time| {
        rounded::<T>(time, zone, &truncate).ok_or_else(|| out_of_range::<T>(unit, time))
    })?;
    let truncated = truncated.with_timezone_opt(array.timezone());
    Ok(Some(Truncated::Here(of_array(truncated))))
}

/// The clocks on which a unit is counted. Minutes and what is less are counted on those of UTC, as DataFusion does, which
/// is the same but for clocks of old that were not ahead by whole minutes.
fn zone_of(unit: &str, zone: Option<&str>) -> Option<Clocks> {
    match unit {
        "microsecond" | "millisecond" | "second" | "minute" => None,
        _ => zone.and_then(Clocks::of),
    }
}

/// The array with 1970 in its slots that hold NULL.
fn without_hidden<T>(array: &PrimitiveArray<T>) -> PrimitiveArray<T>
where
    T: ArrowPrimitiveType<Native = i64>,
{
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return array.clone();
    };
    let slots = array.values().iter().zip(nulls.iter());
    let values = slots.map(|(time, is_valid)| if is_valid { *time } else { 0 });
    PrimitiveArray::new(values.collect(), Some(nulls.clone()))
        .with_data_type(array.data_type().clone())
}

/// Whether the time is so far from what 64 bits of nanoseconds hold that nothing to be rounded to lies beyond.
fn is_inside(time: i64, tick: i64) -> bool {
    const YEAR: u64 = 367 * 86_400 * 1_000_000_000;
    let farthest = (i64::MAX.unsigned_abs() - YEAR) / tick.unsigned_abs().max(1);
    time.unsigned_abs() < farthest
}

/// The time rounded down on the clocks of its zone; `None` where its type does not hold that.
fn rounded<T>(time: i64, zone: Option<Clocks>, truncate: impl Fn(i128) -> i128) -> Option<i64>
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let Some(clocks) = zone else {
        return i64::try_from(truncate(time.into())).ok();
    };
    let second = 1_000_000_000 / i128::from(Precision::from(T::UNIT).nanoseconds());
    let ticks = |ahead: FixedOffset| i128::from(ahead.local_minus_utc()) * second;
    let ahead = clocks.ahead_at(&as_datetime::<T>(time)?);
    let shown = truncate(i128::from(time) + ticks(ahead));
    // Of a time that is shown twice, the one that lies in the same hour.
    let ahead_there = clocks.ahead_when(&calendar(shown.div_euclid(second))?, Some(ahead));
    i64::try_from(shown - ticks(ahead_there)).ok()
}

/// The time so many seconds after 1970.
fn calendar(seconds: i128) -> Option<NaiveDateTime> {
    let time = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(time.naive_utc())
}

fn out_of_range<T>(unit: &str, time: i64) -> Error
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let written = as_datetime::<T>(time).map_or_else(|| time.to_string(), |time| time.to_string());
    Error::invalid(format!(
        "date_trunc('{unit}', '{written}') is out of range for its type"
    ))
}

#[cfg(test)]
#[path = "date_trunc_tests.rs"]
mod tests;
