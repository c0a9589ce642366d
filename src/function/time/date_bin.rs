//! `date_bin` over the whole range of its types, and of dates.
//!
//! DataFusion counts everything in 64 bits of nanoseconds: a stamp beyond 1677 and 2262 has no bin, whatever its type
//! counts, nor has one that lies more than 292 years from the origin, and a DATE beyond these years is an error. Here bins
//! are counted in 128 bits, and only one that the type does not hold is NULL. A DATE is a TIMESTAMP(6), which reaches as
//! far as the calendar. The bins of a TIME are DataFusion's.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowTimestampType, DataType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
    TimeUnit, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::functions::datetime;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use super::calendar::{DAY, day_of, month_of};
use crate::datum::Precision;

/// What a DATE is beside an interval.
pub(super) const STAMP_OF_DATE: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct DateBin {
    theirs: Arc<ScalarUDF>,
    signature: Signature,
}

impl Default for DateBin {
    fn default() -> Self {
        Self {
            theirs: datetime::date_bin(),
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for DateBin {
    fn name(&self) -> &str {
        self.theirs.name()
    }

    fn aliases(&self) -> &[String] {
        self.theirs.aliases()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [stride, times] => Ok(vec![stride_type(stride)?, time_type(times)?]),
            [stride, times, origin] => {
                let times = time_type(times)?;
                let origin = origin_type(origin, &times)?;
                Ok(vec![stride_type(stride)?, times, origin])
            }
            others => plan_err!(
                "date_bin takes an interval, a time and, if wanted, an origin, not {} values",
                others.len()
            ),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [_, times, ..] => Ok(times.clone()),
            _ => plan_err!("date_bin takes an interval and a time"),
        }
    }

    fn output_ordering(&self, input: &[ExprProperties]) -> Result<SortProperties> {
        self.theirs.output_ordering(input)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.theirs.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [_, times, ..] if !matches!(times.data_type(), DataType::Timestamp(..)) => {
                self.theirs.invoke_with_args(args)
            }
            [stride, times] => binned(stride, times, None, args.number_rows),
            [stride, times, origin] => binned(stride, times, Some(origin), args.number_rows),
            _ => exec_err!("date_bin takes an interval and a time"),
        }
    }
}

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

fn stride_type(given: &DataType) -> Result<DataType> {
    match given {
        DataType::Interval(_) | DataType::Null => Ok(INTERVAL),
        text if text.is_string() => Ok(INTERVAL),
        other => plan_err!("date_bin takes an INTERVAL, not a value of type {other}"),
    }
}

fn time_type(given: &DataType) -> Result<DataType> {
    Ok(match given {
        DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_) => given.clone(),
        DataType::Date32 | DataType::Date64 => STAMP_OF_DATE,
        DataType::Null => DataType::Timestamp(TimeUnit::Nanosecond, None),
        text if text.is_string() => DataType::Timestamp(TimeUnit::Nanosecond, None),
        other => {
            return plan_err!(
                "date_bin takes a DATE, a TIMESTAMP or a TIME, not a value of type {other}"
            );
        }
    })
}

/// The origin of a TIME is one; any other stands on the clocks of the time that is binned.
fn origin_type(given: &DataType, times: &DataType) -> Result<DataType> {
    let DataType::Timestamp(_, zone) = times else {
        return Ok(times.clone());
    };
    match time_type(given)? {
        DataType::Timestamp(unit, _) => Ok(DataType::Timestamp(unit, zone.clone())),
        other => plan_err!("the origin of date_bin is a TIMESTAMP, not a value of type {other}"),
    }
}

fn binned(
    stride: &ColumnarValue,
    times: &ColumnarValue,
    origin: Option<&ColumnarValue>,
    rows: usize,
) -> Result<ColumnarValue> {
    let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
    let are_constant = [Some(stride), Some(times), origin]
        .into_iter()
        .flatten()
        .all(is_constant);
    let rows = if are_constant { 1 } else { rows };
    let strides = Each::of(stride, rows, widths)?;
    let origins = match origin {
        None => Each::Same(Some(0)),
        Some(origin) => Each::of(origin, rows, nanoseconds)?,
    };
    let times = times.to_array(rows)?;
    let bins = match times.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            bins_of::<TimestampSecondType>(&times, &strides, &origins)
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            bins_of::<TimestampMillisecondType>(&times, &strides, &origins)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            bins_of::<TimestampMicrosecondType>(&times, &strides, &origins)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            bins_of::<TimestampNanosecondType>(&times, &strides, &origins)
        }
        other => return exec_err!("date_bin takes a TIMESTAMP, not a value of type {other}"),
    };
    Ok(if are_constant {
        ColumnarValue::Scalar(ScalarValue::try_from_array(&bins, 0)?)
    } else {
        ColumnarValue::Array(bins)
    })
}

/// An argument in each row; `None` where it is NULL.
enum Each<T> {
    Same(Option<T>),
    Row(Vec<Option<T>>),
}

impl<T: Copy> Each<T> {
    fn of(
        value: &ColumnarValue,
        rows: usize,
        read: fn(&ArrayRef) -> Result<Vec<Option<T>>>,
    ) -> Result<Self> {
        Ok(match value {
            ColumnarValue::Scalar(value) => {
                Self::Same(read(&value.to_array()?)?.first().copied().flatten())
            }
            array => Self::Row(read(&array.to_array(rows)?)?),
        })
    }

    fn at(&self, row: usize) -> Option<T> {
        match self {
            Self::Same(value) => *value,
            Self::Row(values) => values.get(row).copied().flatten(),
        }
    }
}

/// How wide bins are.
#[derive(Debug, Clone, Copy)]
enum Width {
    Nanoseconds(i128),
    Months(i128),
}

fn widths(strides: &ArrayRef) -> Result<Vec<Option<Width>>> {
    let strides = strides.as_primitive::<IntervalMonthDayNanoType>().iter();
    strides
        .map(|stride| stride.map(width).transpose())
        .collect()
}

fn width(stride: IntervalMonthDayNano) -> Result<Width> {
    let nanoseconds = i128::from(stride.days) * DAY + i128::from(stride.nanoseconds);
    match (i128::from(stride.months), nanoseconds) {
        (0, 1..) => Ok(Width::Nanoseconds(nanoseconds)),
        (1.., 0) => Ok(Width::Months(stride.months.into())),
        (0, _) | (..=-1, 0) => {
            exec_err!("bins of date_bin are longer than nothing: INTERVAL '15 minutes'")
        }
        _ => exec_err!("bins of date_bin are months, or days and less, and not both"),
    }
}

/// Nanoseconds since 1970.
fn nanoseconds(stamps: &ArrayRef) -> Result<Vec<Option<i128>>> {
    let DataType::Timestamp(unit, _) = stamps.data_type() else {
        return exec_err!("the origin of date_bin is a TIMESTAMP");
    };
    let tick = i128::from(Precision::from(*unit).nanoseconds());
    let counts = arrow::compute::cast(stamps, &DataType::Int64)?;
    let counts = counts.as_primitive::<arrow::datatypes::Int64Type>();
    let stamps = counts.iter().map(|count| Some(i128::from(count?) * tick));
    Ok(stamps.collect())
}

fn bins_of<T>(times: &ArrayRef, strides: &Each<Width>, origins: &Each<i128>) -> ArrayRef
where
    T: ArrowTimestampType + ArrowPrimitiveType<Native = i64>,
{
    let times = times.as_primitive::<T>();
    let tick = Precision::from(T::UNIT).nanoseconds();
    let bins = times.iter().enumerate().map(|(row, time)| {
        let (time, width, origin) = (time?, strides.at(row)?, origins.at(row)?);
        match width {
            Width::Nanoseconds(width) => quick_bin(time, tick, width, origin).or_else(|| {
                in_type(
                    bin(i128::from(time) * i128::from(tick), width, origin),
                    tick,
                )
            }),
            Width::Months(months) => {
                let start = bin_of_months(i128::from(time) * i128::from(tick), months, origin);
                in_type(start?, tick)
            }
        }
    });
    let bins: PrimitiveArray<T> = bins.collect();
    Arc::new(bins.with_timezone_opt(times.timezone()))
}

/// The start of a bin in the unit of its type; of one that begins within a unit the unit that is nearer to 1970, as DataFusion
/// counts.
fn in_type(start: i128, tick: i64) -> Option<i64> {
    i64::try_from(start / i128::from(tick)).ok()
}

/// The bin where all is within 64 bits of nanoseconds.
fn quick_bin(time: i64, tick: i64, width: i128, origin: i128) -> Option<i64> {
    let (width, origin) = (i64::try_from(width).ok()?, i64::try_from(origin).ok()?);
    let since = time.checked_mul(tick)?.checked_sub(origin)?;
    let start = since.checked_sub(since.checked_rem_euclid(width)?)?;
    start.checked_add(origin)?.checked_div(tick)
}

fn bin(time: i128, width: i128, origin: i128) -> i128 {
    let since = time - origin;
    origin + since - since.rem_euclid(width)
}

/// The start of a bin of months; it begins on the day of the month and at the time of day of the origin, on the last day of
/// a month that is too short.
fn bin_of_months(time: i128, months: i128, origin: i128) -> Option<i128> {
    let (month, day) = month_of(origin.div_euclid(DAY))?;
    let start_of = |month: i128| Some(day_of(month, day)? * DAY + origin.rem_euclid(DAY));
    let (own, _) = month_of(time.div_euclid(DAY))?;
    let behind = own - month;
    let first = month + behind - behind.rem_euclid(months);
    let start = start_of(first)?;
    if start > time {
        start_of(first - months)
    } else {
        Some(start)
    }
}

#[cfg(test)]
#[path = "date_bin_tests.rs"]
mod tests;
