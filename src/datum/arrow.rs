//! Data to and from Arrow arrays and DataFusion's scalars.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Date32Array, Decimal128Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, StringArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Field, Fields, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, IntervalUnit, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, ScalarValue};

use super::words::{missing, otherwise, row_and_value, worded};
use super::{Datum, Precision, SqlType};
use crate::error::{Error, ErrorKind, Result};

/// The zone of every TIMESTAMP WITH TIME ZONE in Arrow.
const UTC: &str = "+00:00";

impl Precision {
    /// Arrow's name of the unit.
    pub fn arrow(self) -> TimeUnit {
        match self {
            Self::Second => TimeUnit::Second,
            Self::Millisecond => TimeUnit::Millisecond,
            Self::Microsecond => TimeUnit::Microsecond,
            Self::Nanosecond => TimeUnit::Nanosecond,
        }
    }
}

impl From<TimeUnit> for Precision {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Second => Self::Second,
            TimeUnit::Millisecond => Self::Millisecond,
            TimeUnit::Microsecond => Self::Microsecond,
            TimeUnit::Nanosecond => Self::Nanosecond,
        }
    }
}

impl SqlType {
    /// The Arrow type of columns of this type.
    pub fn arrow(&self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::TinyInt => DataType::Int8,
            Self::UnsignedTinyInt => DataType::UInt8,
            Self::UnsignedSmallInt => DataType::UInt16,
            Self::UnsignedInteger => DataType::UInt32,
            Self::UnsignedBigInt => DataType::UInt64,
            Self::SmallInt => DataType::Int16,
            Self::Integer => DataType::Int32,
            Self::BigInt => DataType::Int64,
            Self::Real => DataType::Float32,
            Self::Double => DataType::Float64,
            Self::Decimal { precision, scale } => DataType::Decimal128(*precision, *scale),
            Self::Text | Self::Varchar(_) | Self::Char(_) | Self::Uuid | Self::Json => {
                DataType::Utf8
            }
            Self::Bytea => DataType::Binary,
            Self::Date => DataType::Date32,
            Self::Timestamp { precision, utc } => {
                DataType::Timestamp(precision.arrow(), utc.then(|| Arc::from(UTC)))
            }
            Self::Time => DataType::Time64(TimeUnit::Nanosecond),
            Self::Interval => DataType::Interval(IntervalUnit::MonthDayNano),
            Self::List(element) => {
                DataType::List(Arc::new(Field::new_list_field(element.arrow(), true)))
            }
            Self::Struct(fields) => DataType::Struct(fields_of(fields)),
            Self::Map(entry) => map_of(entry.0.arrow(), entry.1.arrow()),
        }
    }
}

/// The members of a STRUCT.
fn fields_of(fields: &[(String, SqlType)]) -> Fields {
    let fields = fields.iter();
    fields
        .map(|(name, sql_type)| Field::new(name, sql_type.arrow(), true))
        .collect()
}

/// A MAP as DataFusion's functions make it.
fn map_of(key: DataType, value: DataType) -> DataType {
    let entry = Fields::from(vec![
        Field::new("key", key, false),
        Field::new("value", value, true),
    ]);
    DataType::Map(
        Arc::new(Field::new("entries", DataType::Struct(entry), false)),
        false,
    )
}

impl Datum {
    /// The value of a scalar of the Arrow type of an [`SqlType`], floating point left out; `None` for NULL and all others.
    pub fn of_scalar(scalar: ScalarValue) -> Option<Datum> {
        match scalar {
            ScalarValue::Boolean(value) => value.map(Datum::Boolean),
            ScalarValue::Int16(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::Int32(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::Int64(value) => value.map(Datum::Integer),
            ScalarValue::Int8(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::UInt8(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::UInt16(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::UInt32(value) => value.map(|value| Datum::Integer(value.into())),
            ScalarValue::UInt64(value) => value.map(Datum::Unsigned),
            ScalarValue::Decimal128(value, ..) => value.map(Datum::Decimal),
            ScalarValue::Utf8(value) => value.map(Datum::Text),
            ScalarValue::Binary(value) => value.map(Datum::Bytes),
            ScalarValue::Date32(value) => value.map(Datum::Date),
            ScalarValue::TimestampSecond(value, _)
            | ScalarValue::TimestampMillisecond(value, _)
            | ScalarValue::TimestampMicrosecond(value, _)
            | ScalarValue::TimestampNanosecond(value, _) => value.map(Datum::Timestamp),
            _ => None,
        }
    }

    /// The scalar of this value in a column of `sql_type`.
    pub fn to_scalar(&self, sql_type: &SqlType) -> Result<ScalarValue> {
        let array = to_array(&[Some(self.clone())], sql_type)?;
        ScalarValue::try_from_array(&array, 0)
            .map_err(|error| Error::internal("a datum as a scalar").with_source(error))
    }
}

/// The value in `row` of an array of `sql_type`; `None` for NULL. Floating point values come out canonical.
///
/// # Errors
/// `Internal` where the array's type is not that of `sql_type`, or it has no such row.
pub fn datum_at(array: &dyn Array, row: usize, sql_type: &SqlType) -> Result<Option<Datum>> {
    if row >= array.len() {
        return Err(Error::internal(format!("row {row} of {}", array.len())));
    }
    if array.is_null(row) {
        return Ok(None);
    }
    value_at(array, row, sql_type).map(Some).ok_or_else(|| {
        Error::internal(format!(
            "an array of type {} where {sql_type} was expected",
            array.data_type()
        ))
    })
}

fn value_at(array: &dyn Array, row: usize, sql_type: &SqlType) -> Option<Datum> {
    Some(match sql_type {
        SqlType::Boolean => Datum::Boolean(array.as_boolean_opt()?.value(row)),
        SqlType::TinyInt => Datum::Integer(array.as_primitive_opt::<Int8Type>()?.value(row).into()),
        SqlType::UnsignedTinyInt => {
            Datum::Integer(array.as_primitive_opt::<UInt8Type>()?.value(row).into())
        }
        SqlType::UnsignedSmallInt => {
            Datum::Integer(array.as_primitive_opt::<UInt16Type>()?.value(row).into())
        }
        SqlType::UnsignedInteger => {
            Datum::Integer(array.as_primitive_opt::<UInt32Type>()?.value(row).into())
        }
        SqlType::UnsignedBigInt => {
            Datum::Unsigned(array.as_primitive_opt::<UInt64Type>()?.value(row))
        }
        SqlType::SmallInt => {
            Datum::Integer(array.as_primitive_opt::<Int16Type>()?.value(row).into())
        }
        SqlType::Integer => {
            Datum::Integer(array.as_primitive_opt::<Int32Type>()?.value(row).into())
        }
        SqlType::BigInt => Datum::Integer(array.as_primitive_opt::<Int64Type>()?.value(row)),
        SqlType::Real => Datum::double(array.as_primitive_opt::<Float32Type>()?.value(row).into()),
        SqlType::Double => Datum::double(array.as_primitive_opt::<Float64Type>()?.value(row)),
        SqlType::Decimal { .. } => {
            Datum::Decimal(array.as_primitive_opt::<Decimal128Type>()?.value(row))
        }
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Uuid | SqlType::Json => {
            Datum::Text(array.as_string_opt::<i32>()?.value(row).to_owned())
        }
        SqlType::Time
        | SqlType::Interval
        | SqlType::List(_)
        | SqlType::Struct(_)
        | SqlType::Map(_) => return None,
        SqlType::Bytea => Datum::Bytes(array.as_binary_opt::<i32>()?.value(row).to_vec()),
        SqlType::Date => Datum::Date(array.as_primitive_opt::<Date32Type>()?.value(row)),
        SqlType::Timestamp { precision, .. } => Datum::Timestamp(match precision {
            Precision::Second => array.as_primitive_opt::<TimestampSecondType>()?.value(row),
            Precision::Millisecond => array
                .as_primitive_opt::<TimestampMillisecondType>()?
                .value(row),
            Precision::Microsecond => array
                .as_primitive_opt::<TimestampMicrosecondType>()?
                .value(row),
            Precision::Nanosecond => array
                .as_primitive_opt::<TimestampNanosecondType>()?
                .value(row),
        }),
    })
}

/// An array of `sql_type` with these values.
///
/// # Errors
/// `Internal` where a value does not fit the type.
pub fn to_array(values: &[Option<Datum>], sql_type: &SqlType) -> Result<ArrayRef> {
    build_array(values, sql_type).ok_or_else(|| {
        Error::internal(format!(
            "values that are not of type {sql_type}: {values:?}"
        ))
    })
}

/// Each value through `pick`; `None` as soon as one has another variant.
fn pick_all<T>(
    values: &[Option<Datum>],
    pick: impl Fn(&Datum) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    values
        .iter()
        .map(|value| match value {
            None => Some(None),
            Some(datum) => pick(datum).map(Some),
        })
        .collect()
}

fn integers<T: TryFrom<i64>>(values: &[Option<Datum>]) -> Option<Vec<Option<T>>> {
    pick_all(values, |datum| match datum {
        Datum::Integer(value) => T::try_from(*value).ok(),
        _ => None,
    })
}

fn doubles(values: &[Option<Datum>]) -> Option<Vec<Option<f64>>> {
    pick_all(values, |datum| match datum {
        Datum::Double(value) => Some(*value),
        _ => None,
    })
}

fn build_array(values: &[Option<Datum>], sql_type: &SqlType) -> Option<ArrayRef> {
    Some(match sql_type {
        SqlType::Boolean => Arc::new(BooleanArray::from(pick_all(values, |datum| match datum {
            Datum::Boolean(value) => Some(*value),
            _ => None,
        })?)),
        SqlType::TinyInt => Arc::new(Int8Array::from(integers::<i8>(values)?)),
        SqlType::UnsignedTinyInt => Arc::new(UInt8Array::from(integers::<u8>(values)?)),
        SqlType::UnsignedSmallInt => Arc::new(UInt16Array::from(integers::<u16>(values)?)),
        SqlType::UnsignedInteger => Arc::new(UInt32Array::from(integers::<u32>(values)?)),
        SqlType::UnsignedBigInt => {
            Arc::new(UInt64Array::from(pick_all(values, |datum| match datum {
                Datum::Unsigned(value) => Some(*value),
                _ => None,
            })?))
        }
        SqlType::SmallInt => Arc::new(Int16Array::from(integers::<i16>(values)?)),
        SqlType::Integer => Arc::new(Int32Array::from(integers::<i32>(values)?)),
        SqlType::BigInt => Arc::new(Int64Array::from(integers::<i64>(values)?)),
        SqlType::Real => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a REAL was widened to be held as a datum"
            )]
            let narrow = doubles(values)?
                .into_iter()
                .map(|value| value.map(|value| value as f32));
            Arc::new(narrow.collect::<Float32Array>())
        }
        SqlType::Double => Arc::new(Float64Array::from(doubles(values)?)),
        SqlType::Decimal { precision, scale } => {
            let unscaled = pick_all(values, |datum| match datum {
                Datum::Decimal(value) => Some(*value),
                _ => None,
            })?;
            Arc::new(
                Decimal128Array::from(unscaled)
                    .with_precision_and_scale(*precision, *scale)
                    .ok()?,
            )
        }
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Uuid | SqlType::Json => {
            Arc::new(StringArray::from(pick_all(values, |datum| {
                datum.as_text().map(str::to_owned)
            })?))
        }
        SqlType::Bytea => Arc::new(BinaryArray::from_iter(pick_all(
            values,
            |datum| match datum {
                Datum::Bytes(value) => Some(value.clone()),
                _ => None,
            },
        )?)),
        SqlType::Date => Arc::new(Date32Array::from(pick_all(values, |datum| match datum {
            Datum::Date(value) => Some(*value),
            _ => None,
        })?)),
        SqlType::Timestamp { precision, utc } => {
            let counts = pick_all(values, |datum| match datum {
                Datum::Timestamp(value) => Some(*value),
                _ => None,
            })?;
            timestamps(counts, *precision, *utc)
        }
        // These stand in no key.
        _ => return None,
    })
}

fn timestamps(counts: Vec<Option<i64>>, precision: Precision, utc: bool) -> ArrayRef {
    let zone = utc.then_some(UTC);
    match precision {
        Precision::Second => Arc::new(TimestampSecondArray::from(counts).with_timezone_opt(zone)),
        Precision::Millisecond => {
            Arc::new(TimestampMillisecondArray::from(counts).with_timezone_opt(zone))
        }
        Precision::Microsecond => {
            Arc::new(TimestampMicrosecondArray::from(counts).with_timezone_opt(zone))
        }
        Precision::Nanosecond => {
            Arc::new(TimestampNanosecondArray::from(counts).with_timezone_opt(zone))
        }
    }
}

impl From<Error> for DataFusionError {
    /// Halite's error travels through DataFusion whole; `Error::from` takes it out again.
    fn from(error: Error) -> Self {
        Self::External(Box::new(error))
    }
}

/// Halite's own error inside one that cannot be taken apart: partitions that wait for one and
/// the same failed input share its error.
fn own_error(error: &DataFusionError) -> Option<Error> {
    let own = causes(error).find_map(|error| {
        // What an error of the system holds is not its cause.
        let held = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        held.and_then(|held| held.downcast_ref::<Error>())
            .or_else(|| error.downcast_ref::<Error>())
    });
    own.map(Error::without_source)
}

/// What the system said, if it has a part in an error.
fn io_kind(error: &DataFusionError) -> Option<io::ErrorKind> {
    causes(error)
        .find_map(|error| error.downcast_ref::<io::Error>())
        .map(io::Error::kind)
}

/// An error and its causes, outermost first.
fn causes(error: &DataFusionError) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    let whole: &(dyn StdError + 'static) = error;
    std::iter::successors(Some(whole), |error| (*error).source())
}

fn kind_of(error: &DataFusionError) -> ErrorKind {
    match error.find_root() {
        DataFusionError::NotImplemented(_) => ErrorKind::NotSupported,
        DataFusionError::ResourcesExhausted(_) | DataFusionError::IoError(_) => {
            ErrorKind::Unavailable
        }
        // A file that is not there is one that was named wrong.
        DataFusionError::ObjectStore(_) => match io_kind(error) {
            None | Some(io::ErrorKind::NotFound) => ErrorKind::InvalidInput,
            Some(_) => ErrorKind::Unavailable,
        },
        DataFusionError::Internal(_) | DataFusionError::ExecutionJoin(_) => ErrorKind::Internal,
        _ => ErrorKind::InvalidInput,
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        Self::from(DataFusionError::from(error))
    }
}

/// An error of DataFusion's own, in words that help.
fn told(error: DataFusionError) -> Error {
    if let Some(words) = row_and_value(&error) {
        return Error::invalid(words).with_source(error);
    }
    let kind = kind_of(&error);
    match otherwise(&error) {
        // What is about its inside helps nobody as a cause either.
        Some((words, is_of_form)) => Error::new(kind, words).hanging_on_values(!is_of_form),
        None => {
            let told = Error::new(kind, worded(&error));
            let told = match missing(&error) {
                Some(missing) => told.of_missing(missing.what, &missing.name, missing.others),
                None => told.hanging_on_values(!is_of_columns(&error)),
            };
            told.with_source(error)
        }
    }
}

/// Whether an error is about the names of columns.
fn is_of_columns(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::SchemaError(..))
}

impl From<DataFusionError> for Error {
    /// Halite's own error if there is one inside, else DataFusion's with the kind that its variant asks for.
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(inner) => match inner.downcast::<Error>() {
                Ok(own) => *own,
                Err(inner) => Self::invalid(inner.to_string()).with_source(inner),
            },
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => {
                Self::from(*inner)
            }
            other => match own_error(&other) {
                Some(own) => own.with_source(other),
                None => told(other),
            },
        }
    }
}
