//! Columns that count something, as 64 bits a row: whole numbers but BIGINT UNSIGNED, dates and timestamps of every unit.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
};

use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::row_error::RowError;

/// The values of a column as 64 bits; what stands where it is NULL means nothing.
///
/// # Errors
/// `Internal` where the column does not count.
pub(super) fn integers(array: &ArrayRef) -> Result<Vec<i64>> {
    let narrow = || {
        Error::internal(format!(
            "a column of {} for whole numbers",
            array.data_type()
        ))
    };
    Ok(match array.data_type() {
        DataType::Int8 => widened::<Int8Type>(array),
        DataType::UInt8 => widened::<UInt8Type>(array),
        DataType::UInt16 => widened::<UInt16Type>(array),
        DataType::UInt32 => widened::<UInt32Type>(array),
        DataType::Int16 => widened::<Int16Type>(array),
        DataType::Int32 => widened::<Int32Type>(array),
        DataType::Date32 => widened::<Date32Type>(array),
        DataType::Int64 => widened::<Int64Type>(array),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => widened::<TimestampSecondType>(array),
            TimeUnit::Millisecond => widened::<TimestampMillisecondType>(array),
            TimeUnit::Microsecond => widened::<TimestampMicrosecondType>(array),
            TimeUnit::Nanosecond => widened::<TimestampNanosecondType>(array),
        },
        _ => return Err(narrow()),
    })
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef) -> Vec<i64>
where
    T::Native: Into<i64>,
{
    let values = array.as_primitive_opt::<T>().map(PrimitiveArray::values);
    values
        .map(|values| values.iter().map(|value| (*value).into()).collect())
        .unwrap_or_default()
}

/// A column of `sql_type` of what `map` makes of each row's value; NULL stays NULL.
///
/// # Errors
/// Those of `map`, and `Internal` where a result does not fit the type.
pub(super) fn map_integers(
    array: &ArrayRef,
    sql_type: &SqlType,
    map: impl Fn(usize, i64) -> Result<Option<i64>, RowError>,
) -> Result<ArrayRef, RowError> {
    let sources = integers(array)?;
    let mut valid = vec![true; sources.len()];
    let mut parts = Vec::with_capacity(sources.len());
    for (row, source) in sources.into_iter().enumerate() {
        let part = if array.is_null(row) {
            None
        } else {
            map(row, source)?
        };
        if let Some(flag) = valid.get_mut(row) {
            *flag = part.is_some();
        }
        parts.push(part.unwrap_or_default());
    }
    let nulls = Some(NullBuffer::from(valid)).filter(|nulls| nulls.null_count() > 0);
    Ok(array_of_integers(parts, nulls, sql_type)?)
}

/// A column of `sql_type` of these values.
pub(super) fn array_of_integers(
    values: Vec<i64>,
    nulls: Option<NullBuffer>,
    sql_type: &SqlType,
) -> Result<ArrayRef> {
    let data_type = sql_type.arrow();
    match &data_type {
        DataType::Int8 => array::<Int8Type>(values, nulls, data_type),
        DataType::UInt8 => array::<UInt8Type>(values, nulls, data_type),
        DataType::UInt16 => array::<UInt16Type>(values, nulls, data_type),
        DataType::UInt32 => array::<UInt32Type>(values, nulls, data_type),
        DataType::Int16 => array::<Int16Type>(values, nulls, data_type),
        DataType::Int32 => array::<Int32Type>(values, nulls, data_type),
        DataType::Date32 => array::<Date32Type>(values, nulls, data_type),
        DataType::Int64 => array::<Int64Type>(values, nulls, data_type),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => array::<TimestampSecondType>(values, nulls, data_type),
            TimeUnit::Millisecond => array::<TimestampMillisecondType>(values, nulls, data_type),
            TimeUnit::Microsecond => array::<TimestampMicrosecondType>(values, nulls, data_type),
            TimeUnit::Nanosecond => array::<TimestampNanosecondType>(values, nulls, data_type),
        },
        other => Err(Error::internal(format!(
            "whole numbers for a column of {other}"
        ))),
    }
}

fn array<T: ArrowPrimitiveType>(
    values: Vec<i64>,
    nulls: Option<NullBuffer>,
    data_type: DataType,
) -> Result<ArrayRef>
where
    T::Native: TryFrom<i64>,
{
    let narrowed: Result<Vec<T::Native>, _> = values.into_iter().map(T::Native::try_from).collect();
    let narrowed = narrowed
        .map_err(|_| Error::internal(format!("a number too great for a column of {data_type}")))?;
    Ok(Arc::new(
        PrimitiveArray::<T>::new(narrowed.into(), nulls).with_data_type(data_type),
    ))
}
