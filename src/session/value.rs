//! One value of a result, and what it becomes in Rust.

mod nested;

use std::time::{Duration, SystemTime};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal128Type, DurationNanosecondType, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalMonthDayNanoType, IntervalUnit,
    Time64NanosecondType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use uuid::Uuid;

pub use self::nested::{Elements, Entries, Members};
use crate::datum::{Datum, Precision, Readable, SqlType, nearest_number};

/// A value of a result, borrowed from its batch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'row> {
    /// NULL.
    Null,
    /// BOOLEAN.
    Boolean(bool),
    /// An integer of any width, with or without a sign.
    Integer(i128),
    /// REAL and DOUBLE.
    Double(f64),
    /// DECIMAL: the value times 10 to the power of `scale`.
    Decimal {
        /// The digits.
        unscaled: i128,
        /// How many of them stand behind the point.
        scale: i8,
    },
    /// TEXT, VARCHAR, CHAR.
    Text(&'row str),
    /// BYTEA.
    Bytes(&'row [u8]),
    /// DATE: days since 1970-01-01.
    Date(i32),
    /// TIMESTAMP, with time zone or without.
    Timestamp {
        /// Units since 1970-01-01 00:00:00, in UTC where `zoned`.
        count: i64,
        /// The unit.
        unit: Precision,
        /// WITH TIME ZONE.
        zoned: bool,
    },
    /// TIME: nanoseconds since midnight.
    Time(i64),
    /// INTERVAL: months and days, which have several lengths, and the rest.
    Interval {
        /// Months; a year has twelve.
        months: i32,
        /// Days.
        days: i32,
        /// Nanoseconds.
        nanoseconds: i64,
    },
    /// LIST: its elements.
    List(Elements<'row>),
    /// STRUCT: its members.
    Struct(Members<'row>),
    /// MAP: its entries.
    Map(Entries<'row>),
}

impl<'row> Value<'row> {
    /// The value at a place of an array, which must have it; `None` for a type that is not listed here.
    pub(crate) fn at(array: &'row dyn Array, row: usize) -> Option<Self> {
        if array.is_null(row) {
            return Some(Self::Null);
        }
        macro_rules! integer {
            ($type:ty) => {
                Self::Integer(array.as_primitive::<$type>().value(row).into())
            };
        }
        Some(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean(array.as_boolean().value(row)),
            DataType::Int8 => integer!(Int8Type),
            DataType::Int16 => integer!(Int16Type),
            DataType::Int32 => integer!(Int32Type),
            DataType::Int64 => integer!(Int64Type),
            DataType::UInt8 => integer!(UInt8Type),
            DataType::UInt16 => integer!(UInt16Type),
            DataType::UInt32 => integer!(UInt32Type),
            DataType::UInt64 => integer!(UInt64Type),
            DataType::Float32 => {
                Self::Double(array.as_primitive::<Float32Type>().value(row).into())
            }
            DataType::Float64 => Self::Double(array.as_primitive::<Float64Type>().value(row)),
            DataType::Decimal128(_, scale) => Self::Decimal {
                unscaled: array.as_primitive::<Decimal128Type>().value(row),
                scale: *scale,
            },
            DataType::Utf8 => Self::Text(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Self::Text(array.as_string::<i64>().value(row)),
            DataType::Utf8View => Self::Text(array.as_string_view().value(row)),
            DataType::Binary => Self::Bytes(array.as_binary::<i32>().value(row)),
            DataType::LargeBinary => Self::Bytes(array.as_binary::<i64>().value(row)),
            DataType::BinaryView => Self::Bytes(array.as_binary_view().value(row)),
            DataType::FixedSizeBinary(_) => Self::Bytes(array.as_fixed_size_binary().value(row)),
            DataType::Date32 => Self::Date(array.as_primitive::<Date32Type>().value(row)),
            DataType::Date64 => {
                let milliseconds = array.as_primitive::<Date64Type>().value(row);
                Self::Date(i32::try_from(milliseconds.div_euclid(86_400_000)).ok()?)
            }
            DataType::Timestamp(unit, zone) => Self::Timestamp {
                count: match unit {
                    TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row),
                    TimeUnit::Millisecond => {
                        array.as_primitive::<TimestampMillisecondType>().value(row)
                    }
                    TimeUnit::Microsecond => {
                        array.as_primitive::<TimestampMicrosecondType>().value(row)
                    }
                    TimeUnit::Nanosecond => {
                        array.as_primitive::<TimestampNanosecondType>().value(row)
                    }
                },
                unit: Precision::from(*unit),
                zoned: zone.is_some(),
            },
            DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Duration(_)
            | DataType::Interval(_) => return Self::time_at(array, row),
            DataType::Dictionary(_, _) => {
                // Of a slice, as the keys of a whole array would be counted for each of its values.
                let one = array.slice(row, 1);
                let key = one.as_any_dictionary().normalized_keys().first().copied()?;
                let values = array.as_any_dictionary().values();
                return Self::at(values.as_ref(), key);
            }
            _ => return nested::at(array, row),
        })
    }

    /// The time or the interval at a place of an array, which is there; `None` where it has no room in nanoseconds.
    fn time_at(array: &dyn Array, row: usize) -> Option<Self> {
        let nanoseconds = TimeUnit::Nanosecond;
        Some(match array.data_type() {
            DataType::Time32(_) | DataType::Time64(_) => {
                let time = cast_at(array, row, &DataType::Time64(nanoseconds))?;
                Self::Time(time.as_primitive::<Time64NanosecondType>().value(0))
            }
            DataType::Duration(_) => {
                let duration = cast_at(array, row, &DataType::Duration(nanoseconds))?;
                let duration = duration.as_primitive::<DurationNanosecondType>();
                Self::Interval {
                    months: 0,
                    days: 0,
                    nanoseconds: duration.value(0),
                }
            }
            DataType::Interval(_) => {
                let interval = DataType::Interval(IntervalUnit::MonthDayNano);
                let interval = cast_at(array, row, &interval)?;
                let interval = interval.as_primitive::<IntervalMonthDayNanoType>().value(0);
                Self::Interval {
                    months: interval.months,
                    days: interval.days,
                    nanoseconds: interval.nanoseconds,
                }
            }
            _ => return None,
        })
    }
}

/// The value at a place of an array as one of a finer type; `None` where that has no room for it.
fn cast_at(array: &dyn Array, row: usize, to: &DataType) -> Option<ArrayRef> {
    let cast = cast(&array.slice(row, 1), to).ok()?;
    cast.is_valid(0).then_some(cast)
}

/// The value at a place of an array as text, whatever its type.
pub(crate) fn shown(array: &dyn Array, row: usize) -> String {
    let options = FormatOptions::default().with_null("NULL");
    let formatter = ArrayFormatter::try_new(array, &options);
    formatter.map_or_else(
        |error| error.to_string(),
        |formatter| formatter.value(row).to_string(),
    )
}

/// A Rust type that values of results can be read as. Nothing is rounded or cut on the way: what does not fit is an
/// error.
///
/// | Rust | from |
/// |---|---|
/// | `i8` … `i64`, `u8` … `u64`, `i128`, `usize` | an integer that fits |
/// | `f64`, `f32` | REAL, DOUBLE (in an `f32` only what is one); an integer that has this value; `f64` also from DECIMAL, the nearest |
/// | `bool` | BOOLEAN |
/// | `&str`, `String` | TEXT; `String` also from DECIMAL, its digits |
/// | `&[u8]` | BYTEA |
/// | [`NaiveDate`] | DATE |
/// | [`NaiveDateTime`] | TIMESTAMP |
/// | `DateTime<Utc>`, `SystemTime` | TIMESTAMP WITH TIME ZONE |
/// | [`NaiveTime`] | TIME |
/// | [`TimeDelta`], [`Duration`] | INTERVAL without months; a day has 24 hours |
/// | [`Decimal`](crate::Decimal) | DECIMAL, an integer |
/// | [`Uuid`] | the text of one, or 16 bytes |
/// | `Vec<T>` | LIST; `Vec<u8>` also from BYTEA |
/// | tuples of up to eight | STRUCT, member by member |
/// | `HashMap<K, V>`, `BTreeMap<K, V>` | MAP |
/// | `Option<T>` | as `T`, NULL as `None` |
/// | [`Value`] | itself |
pub trait FromValue<'row>: Sized {
    /// What an error calls the type.
    const NAME: &'static str;

    /// What an error calls a list of the type.
    #[doc(hidden)]
    const LIST_NAME: &'static str = "Vec of that";

    /// The value as this type; `None` where it is none.
    fn from_value(value: Value<'row>) -> Option<Self>;

    /// What a BYTEA is as a list of the type; `None` where it is none.
    #[doc(hidden)]
    fn list_of_bytes(_: &'row [u8]) -> Option<Vec<Self>> {
        None
    }
}

impl<'row> FromValue<'row> for Value<'row> {
    const NAME: &'static str = "a value";

    fn from_value(value: Value<'row>) -> Option<Self> {
        Some(value)
    }
}

impl<'row, T: FromValue<'row>> FromValue<'row> for Option<T> {
    const NAME: &'static str = T::NAME;

    fn from_value(value: Value<'row>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! from_integer {
    ($($type:ident)*) => {
        $(impl FromValue<'_> for $type {
            const NAME: &'static str = stringify!($type);

            fn from_value(value: Value<'_>) -> Option<Self> {
                match value {
                    Value::Integer(value) => value.try_into().ok(),
                    _ => None,
                }
            }
        })*
    };
}

from_integer!(i8 i16 i32 i64 i128 u16 u32 u64 usize);

impl FromValue<'_> for u8 {
    const NAME: &'static str = "u8";
    const LIST_NAME: &'static str = "Vec<u8>";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Integer(value) => value.try_into().ok(),
            _ => None,
        }
    }

    fn list_of_bytes(bytes: &[u8]) -> Option<Vec<Self>> {
        Some(bytes.to_vec())
    }
}

macro_rules! from_value {
    ($($type:ty, $name:literal, $pattern:pat => $result:expr;)*) => {
        $(impl<'row> FromValue<'row> for $type {
            const NAME: &'static str = $name;

            fn from_value(value: Value<'row>) -> Option<Self> {
                match value {
                    $pattern => $result,
                    _ => None,
                }
            }
        })*
    };
}

from_value! {
    bool, "bool", Value::Boolean(value) => Some(value);
    &'row str, "&str", Value::Text(text) => Some(text);
    &'row [u8], "&[u8]", Value::Bytes(bytes) => Some(bytes);
    NaiveDate, "NaiveDate", Value::Date(days) => NaiveDate::from_epoch_days(days);
    NaiveDateTime, "NaiveDateTime", Value::Timestamp { count, unit, zoned: false } => {
        instant(count, unit).map(|instant| instant.naive_utc())
    };
    DateTime<Utc>, "DateTime<Utc>", Value::Timestamp { count, unit, zoned: true } => instant(count, unit);
    SystemTime, "SystemTime", Value::Timestamp { count, unit, zoned: true } => instant(count, unit).map(Into::into);
    NaiveTime, "NaiveTime", Value::Time(nanoseconds) => {
        let seconds = u32::try_from(nanoseconds.div_euclid(1_000_000_000)).ok();
        let rest = u32::try_from(nanoseconds.rem_euclid(1_000_000_000)).ok();
        seconds.zip(rest).and_then(|(seconds, rest)| Self::from_num_seconds_from_midnight_opt(seconds, rest))
    };
    TimeDelta, "TimeDelta", Value::Interval { months: 0, days, nanoseconds } => {
        Self::days(days.into()).checked_add(&Self::nanoseconds(nanoseconds))
    };
    Duration, "Duration", value @ Value::Interval { .. } => TimeDelta::from_value(value)?.to_std().ok();
}

impl FromValue<'_> for Uuid {
    const NAME: &'static str = "Uuid";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => text.parse().ok(),
            Value::Bytes(bytes) => Self::from_slice(bytes).ok(),
            _ => None,
        }
    }
}

fn instant(count: i64, unit: Precision) -> Option<DateTime<Utc>> {
    match unit {
        Precision::Second => DateTime::from_timestamp(count, 0),
        Precision::Millisecond => DateTime::from_timestamp_millis(count),
        Precision::Microsecond => DateTime::from_timestamp_micros(count),
        Precision::Nanosecond => Some(DateTime::from_timestamp_nanos(count)),
    }
}

impl FromValue<'_> for String {
    const NAME: &'static str = "String";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.to_owned()),
            Value::Decimal { unscaled, scale } => Some(decimal_text(unscaled, scale)),
            _ => None,
        }
    }
}

fn decimal_text(unscaled: i128, scale: i8) -> String {
    let precision = 38;
    Readable(
        &Datum::Decimal(unscaled),
        &SqlType::Decimal { precision, scale },
    )
    .to_string()
}

/// Integers of a magnitude up to this one are all an `f64`.
const EXACT_IN_F64: u128 = 1 << f64::MANTISSA_DIGITS;

impl FromValue<'_> for f64 {
    const NAME: &'static str = "f64";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Double(value) => Some(value),
            #[expect(clippy::cast_precision_loss, reason = "up to 2^53 none is lost")]
            Value::Integer(value) if value.unsigned_abs() <= EXACT_IN_F64 => Some(value as f64),
            Value::Decimal { unscaled, scale } => nearest_number(unscaled, scale.into()),
            _ => None,
        }
    }
}

impl FromValue<'_> for f32 {
    const NAME: &'static str = "f32";

    fn from_value(value: Value<'_>) -> Option<Self> {
        let value = match value {
            Value::Double(_) | Value::Integer(_) => f64::from_value(value)?,
            _ => return None,
        };
        #[expect(clippy::cast_possible_truncation, reason = "what changes is refused")]
        let narrow = value as f32;
        (f64::from(narrow).to_bits() == value.to_bits() || value.is_nan()).then_some(narrow)
    }
}
