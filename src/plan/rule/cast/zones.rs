//! Times are read on the clocks of a zone, also those that the clocks show twice, or never.
//!
//! `ts AT TIME ZONE 'Europe/Berlin'`, and `CAST(ts AS TIMESTAMPTZ)` where the session has a zone, are casts, and Arrow's
//! cast fails on the hour that is shown twice in autumn and on the one that is left out in spring: one such row ends the
//! query. So a cast into a zone whose clocks are changed is a function here, which reads such a time as
//! [`Clocks`] says. No rule below takes it for a cast that could be taken off, or for one that keeps the order of its
//! source, as clocks that are changed do not.
//!
//! A time is read in its own unit; the step to a finer one, which fails beyond 2262, is a cast as before.

use std::sync::Arc;

use arrow::array::temporal_conversions::as_datetime;
use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{
    ArrowTimestampType, DataType, Field, FieldRef, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow::error::ArrowError;
use chrono::Utc;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ExprSchemable, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, TryCast, Volatility,
};

use crate::datum::{Clocks, Precision, with_seconds};
use crate::plan::rule::rewriting::ExprRule;
use crate::predicate::AT_TIME_ZONE;

/// The rule. See the [module](self).
pub(crate) const READ_CLOCKS: ExprRule = ExprRule {
    name: "halite_read_clocks",
    concerns: |expr| cast_into_zone(expr).is_some(),
    rewrite: read,
};

/// What is read, as which type and whether it is NULL where it cannot be; of a cast into a zone whose clocks are changed.
fn cast_into_zone(expr: &Expr) -> Option<(&Expr, &DataType, bool)> {
    let (source, target, null_on_error) = match expr {
        Expr::Cast(Cast { expr, field }) => (expr, field.data_type(), false),
        Expr::TryCast(TryCast { expr, field }) => (expr, field.data_type(), true),
        _ => return None,
    };
    match target {
        DataType::Timestamp(_, Some(zone)) if Clocks::always_ahead(zone).is_none() => {
            Clocks::of(zone).map(|_| (source.as_ref(), target, null_on_error))
        }
        _ => None,
    }
}

fn read(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some((source, target, null_on_error)) = cast_into_zone(&expr) else {
        return Ok(Transformed::no(expr));
    };
    let read_as = match (source.get_type(schema), target) {
        (Ok(DataType::Timestamp(from, None)), DataType::Timestamp(to, zone))
            if Precision::from(*to) > Precision::from(from) =>
        {
            DataType::Timestamp(from, zone.clone())
        }
        (Ok(found), _) if is_shown(&found) => target.clone(),
        _ => return Ok(Transformed::no(expr)),
    };
    let is_whole = read_as == *target;
    let function = Reading {
        target: read_as,
        null_on_error,
        signature: Signature::any(1, Volatility::Immutable),
    };
    let read = ScalarUDF::new_from_impl(function).call(vec![source.clone()]);
    Ok(Transformed::yes(match (is_whole, null_on_error) {
        (true, _) => read,
        (false, false) => Expr::Cast(Cast::new(Box::new(read), target.clone())),
        (false, true) => Expr::TryCast(TryCast::new(Box::new(read), target.clone())),
    }))
}

/// Whether values of the type are what clocks show.
fn is_shown(source: &DataType) -> bool {
    use DataType::{Date32, Date64, Timestamp};
    matches!(source, Timestamp(_, None) | Date32 | Date64) || source.is_string()
}

/// What is read, and as which type.
pub(crate) fn reading(expr: &Expr) -> Option<(&Expr, &DataType)> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expr else {
        return None;
    };
    let reading = func.inner().downcast_ref::<Reading>()?;
    args.first().map(|source| (source, &reading.target))
}

/// The zone of a session, where that is not UTC.
pub(crate) fn other_than_utc(config: &ConfigOptions) -> Option<Arc<str>> {
    let zone = config.execution.time_zone.as_deref()?;
    (Clocks::always_ahead(zone) != Some(0)).then(|| Arc::from(zone))
}

/// Whether a constant says a time without an offset.
pub(crate) fn is_read_on_clocks(shown: &ScalarValue) -> bool {
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
pub(crate) fn read_constant(shown: &ScalarValue, zone: &Arc<str>) -> Option<Expr> {
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
        let reading = Reading {
            target: DataType::Timestamp(unit, Some(Arc::clone(zone))),
            null_on_error: false,
            signature: Signature::any(1, Volatility::Immutable),
        };
        let read = reading.read(&shown.to_array().ok()?).ok()?;
        ScalarValue::try_from_array(&read, 0).ok()
    };
    let instant = read(unit).or_else(|| read(unit.min(TimeUnit::Microsecond)))?;
    Some(Expr::Literal(instant, None))
}

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Reading {
    target: DataType,
    null_on_error: bool,
    signature: Signature,
}

impl ScalarUDFImpl for Reading {
    fn name(&self) -> &str {
        AT_TIME_ZONE
    }

    fn display_name(&self, args: &[Expr]) -> Result<String> {
        let shown: String = args.iter().map(ToString::to_string).collect();
        Ok(match &self.target {
            DataType::Timestamp(_, Some(zone)) => format!("{shown} AT TIME ZONE '{zone}'"),
            target => format!("CAST({shown} AS {target})"),
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(self.target.clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        let nullable = nullable || self.null_on_error;
        let field = Field::new(self.name(), self.target.clone(), nullable);
        Ok(Arc::new(field))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [ColumnarValue::Array(shown)] => Ok(ColumnarValue::Array(self.read(shown)?)),
            [ColumnarValue::Scalar(shown)] => {
                let read = self.read(&shown.to_array()?)?;
                let read = ScalarValue::try_from_array(&read, 0)?;
                Ok(ColumnarValue::Scalar(read))
            }
            values => exec_err!("{} reads one value, not {}", self.name(), values.len()),
        }
    }
}

impl Reading {
    /// As Arrow casts, which is quick; one by one where that fails.
    fn read(&self, shown: &ArrayRef) -> Result<ArrayRef> {
        let options = CastOptions {
            safe: self.null_on_error,
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
                safe: self.null_on_error,
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
            Err(_) if self.null_on_error => Ok(None),
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
#[path = "zones_tests.rs"]
mod tests;
