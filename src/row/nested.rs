//! LIST, STRUCT and MAP: values that hold values, to any depth.
//!
//! # Format of a field, version 1
//!
//! All numbers are little-endian.
//!
//! | type | field |
//! |---|---|
//! | LIST | the number of elements in 4 bytes, the elements |
//! | STRUCT | the number of members in 4 bytes, the members in the order in which they are declared |
//! | MAP | the number of entries in 4 bytes, their keys, their values |
//!
//! `n` elements, members, keys or values are: ⌈n/8⌉ bytes with a bit for each, low bit first, which is 1 where there is a
//! value and 0 where it is NULL, bits that are left over being 0; then each value that is not NULL: one of fixed width as
//! the field of a column is ([`crate::row`]), any other as its length in 4 bytes and its field.
//!
//! A STRUCT may have fewer members in a field than are declared: those behind are NULL.

use std::sync::Arc;

use super::format::{SHORT_DECIMAL_DIGITS, Storage};
use super::single::{interval_bytes, interval_of, is_day_time, short_decimal, value_fault};
use crate::datum::{
    Precision, SqlType, bytes_of_uuid, canonical_double, canonical_real, text_of_uuid,
};
use crate::error::Error;
use crate::key::RowError;
use arrow::array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, IntervalMonthDayNanoType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};

/// The fields of a column's values, as an array of bytes.
///
/// # Errors
/// `InvalidInput` with the row of a value that cannot be held; `Internal` where the array is of another type.
pub(super) fn encode(array: &ArrayRef, sql_type: &SqlType) -> Result<ArrayRef, RowError> {
    let mut fields = BinaryBuilder::new();
    let mut field = Vec::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            fields.append_null();
            continue;
        }
        field.clear();
        push_value(array, row, sql_type, &mut field).map_err(|fault| {
            let error = match fault {
                Fault::Value(reason) => Error::invalid(reason),
                Fault::Type => Error::internal(format!(
                    "values of type {sql_type} are given as {}",
                    array.data_type()
                )),
            };
            RowError::at(row, error)
        })?;
        fields.append_value(&field);
    }
    Ok(Arc::new(fields.finish()))
}

/// Values as a column of the type gives them back: UUIDs in their one form, all within their lengths.
///
/// # Errors
/// `InvalidInput` with the row of a value that cannot be held; `Internal` where the array is of another type.
pub fn as_stored(array: &ArrayRef, sql_type: &SqlType) -> Result<ArrayRef, RowError> {
    let fields = encode(array, sql_type)?;
    let fields: Vec<Option<&[u8]>> = fields.as_binary::<i32>().iter().collect();
    let stored = decode(&fields, sql_type);
    stored.ok_or_else(|| {
        Error::internal(format!("what was written of type {sql_type} is not read")).into()
    })
}

/// Why a value has no field.
enum Fault {
    /// It cannot be held, in words.
    Value(String),
    /// It is of another type.
    Type,
}

/// Appends the field of a value that is not NULL.
fn push_value(
    array: &ArrayRef,
    row: usize,
    sql_type: &SqlType,
    into: &mut Vec<u8>,
) -> Result<(), Fault> {
    match sql_type {
        SqlType::List(element) => {
            let elements = array.as_list_opt::<i32>().ok_or(Fault::Type)?.value(row);
            push_count(elements.len(), into)?;
            push_all(&elements, element, into)
        }
        SqlType::Struct(members) => {
            let values = array.as_struct_opt().ok_or(Fault::Type)?;
            if values.num_columns() != members.len() {
                return Err(Fault::Type);
            }
            push_count(members.len(), into)?;
            push_bits(
                values.columns().iter().map(|column| column.is_valid(row)),
                into,
            );
            for (column, (_, sql_type)) in values.columns().iter().zip(members) {
                push_member(column, row, sql_type, into)?;
            }
            Ok(())
        }
        SqlType::Map(entry) => {
            let entries = array.as_map_opt().ok_or(Fault::Type)?.value(row);
            push_count(entries.len(), into)?;
            let [keys, values] = entries.columns() else {
                return Err(Fault::Type);
            };
            push_all(keys, &entry.0, into)?;
            push_all(values, &entry.1, into)
        }
        _ => push_single(array, row, sql_type, into).ok_or(Fault::Type)?,
    }
}

fn push_count(count: usize, into: &mut Vec<u8>) -> Result<(), Fault> {
    let count =
        u32::try_from(count).map_err(|_| Fault::Value("it has too many values".to_owned()))?;
    into.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

fn push_bits(bits: impl Iterator<Item = bool>, into: &mut Vec<u8>) {
    let bits: Vec<bool> = bits.collect();
    for eight in bits.chunks(8) {
        let byte = eight
            .iter()
            .rev()
            .fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        into.push(byte);
    }
}

fn push_all(values: &ArrayRef, sql_type: &SqlType, into: &mut Vec<u8>) -> Result<(), Fault> {
    push_bits((0..values.len()).map(|index| values.is_valid(index)), into);
    for index in 0..values.len() {
        push_member(values, index, sql_type, into)?;
    }
    Ok(())
}

/// Appends a value inside another; NULL is a bit that is there already.
fn push_member(
    array: &ArrayRef,
    row: usize,
    sql_type: &SqlType,
    into: &mut Vec<u8>,
) -> Result<(), Fault> {
    if array.is_null(row) {
        return Ok(());
    }
    let start = into.len();
    if let Storage::Fixed(_) = Storage::of(sql_type) {
        return push_value(array, row, sql_type, into);
    }
    into.extend_from_slice(&[0; 4]);
    push_value(array, row, sql_type, into)?;
    let length = u32::try_from(into.len() - start - 4);
    let length =
        length.map_err(|_| Fault::Value("a value in it has more than 4 GiB".to_owned()))?;
    if let Some(place) = into.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}

/// Appends the field of a value that holds no others; `None` where the array is of another type.
fn push_single(
    array: &ArrayRef,
    row: usize,
    sql_type: &SqlType,
    into: &mut Vec<u8>,
) -> Option<Result<(), Fault>> {
    macro_rules! number {
        ($type:ty, $bytes:expr) => {
            into.extend_from_slice(&$bytes(array.as_primitive_opt::<$type>()?.value(row)))
        };
    }
    match sql_type {
        SqlType::Boolean => into.push(u8::from(array.as_boolean_opt()?.value(row))),
        SqlType::TinyInt => number!(Int8Type, i8::to_le_bytes),
        SqlType::SmallInt => number!(Int16Type, i16::to_le_bytes),
        SqlType::Integer => number!(Int32Type, i32::to_le_bytes),
        SqlType::BigInt => number!(Int64Type, i64::to_le_bytes),
        SqlType::UnsignedTinyInt => number!(UInt8Type, u8::to_le_bytes),
        SqlType::UnsignedSmallInt => number!(UInt16Type, u16::to_le_bytes),
        SqlType::UnsignedInteger => number!(UInt32Type, u32::to_le_bytes),
        SqlType::UnsignedBigInt => number!(UInt64Type, u64::to_le_bytes),
        SqlType::Real => number!(Float32Type, |value| canonical_real(value).to_le_bytes()),
        SqlType::Double => number!(Float64Type, |value| canonical_double(value).to_le_bytes()),
        SqlType::Date => number!(Date32Type, i32::to_le_bytes),
        SqlType::Interval => number!(IntervalMonthDayNanoType, interval_bytes),
        SqlType::Decimal { precision, .. } => {
            let value = array.as_primitive_opt::<Decimal128Type>()?.value(row);
            if value.unsigned_abs() >= 10_u128.pow(u32::from(*precision).min(38)) {
                let fault = "a number in it has too many digits";
                return Some(Err(Fault::Value(fault.to_owned())));
            }
            if *precision <= SHORT_DECIMAL_DIGITS {
                into.extend_from_slice(&short_decimal(value))
            } else {
                into.extend_from_slice(&value.to_le_bytes())
            }
        }
        SqlType::Timestamp { precision, .. } => match precision {
            Precision::Second => number!(TimestampSecondType, i64::to_le_bytes),
            Precision::Millisecond => number!(TimestampMillisecondType, i64::to_le_bytes),
            Precision::Microsecond => number!(TimestampMicrosecondType, i64::to_le_bytes),
            Precision::Nanosecond => number!(TimestampNanosecondType, i64::to_le_bytes),
        },
        SqlType::Time => {
            let value = array.as_primitive_opt::<Time64NanosecondType>()?.value(row);
            if !is_day_time(value) {
                let fault = "a time in it is beyond the day";
                return Some(Err(Fault::Value(fault.to_owned())));
            }
            into.extend_from_slice(&value.to_le_bytes());
        }
        SqlType::Bytea => into.extend_from_slice(array.as_binary_opt::<i32>()?.value(row)),
        SqlType::Uuid => match bytes_of_uuid(array.as_string_opt::<i32>()?.value(row)) {
            Some(bytes) => into.extend_from_slice(&bytes),
            None => return Some(Err(Fault::Value("a text in it is no UUID".to_owned()))),
        },
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Json => {
            let text = array.as_string_opt::<i32>()?.value(row);
            if let Some(fault) = value_fault(sql_type, text) {
                return Some(Err(Fault::Value(format!("inside, {fault}"))));
            }
            into.extend_from_slice(text.as_bytes());
        }
        SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => return None,
    }
    Some(Ok(()))
}

/// The values of fields, which are NULL where there is no field; `None` where one is none.
pub(super) fn decode(fields: &[Option<&[u8]>], sql_type: &SqlType) -> Option<ArrayRef> {
    match sql_type {
        SqlType::List(element) => decode_lists(fields, element, sql_type),
        SqlType::Struct(members) => decode_structs(fields, members, sql_type),
        SqlType::Map(entry) => decode_maps(fields, entry, sql_type),
        _ => decode_single(fields, sql_type),
    }
}

/// What is left of a field.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        let bytes = <[u8; 4]>::try_from(self.take(4)?).ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    /// The fields of so many values, whose types are told by their places.
    fn values<'t>(
        &mut self,
        count: usize,
        sql_type: impl Fn(usize) -> Option<&'t SqlType>,
    ) -> Option<Vec<Option<&'a [u8]>>> {
        let bits = self.take(count.div_ceil(8))?;
        let is_there = |index: usize| {
            let byte = bits.get(index / 8);
            byte.is_some_and(|byte| byte >> (index % 8) & 1 == 1)
        };
        if (count..bits.len() * 8).any(is_there) {
            return None;
        }
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            values.push(if is_there(index) {
                let length = match Storage::of(sql_type(index)?) {
                    Storage::Fixed(width) => width,
                    Storage::Variable => self.count()?,
                };
                Some(self.take(length)?)
            } else {
                None
            });
        }
        Some(values)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn nulls_of(fields: &[Option<&[u8]>]) -> Option<NullBuffer> {
    let nulls: NullBuffer = fields.iter().map(Option::is_some).collect();
    (nulls.null_count() > 0).then_some(nulls)
}

fn decode_lists(
    fields: &[Option<&[u8]>],
    element: &SqlType,
    sql_type: &SqlType,
) -> Option<ArrayRef> {
    let mut elements = Vec::new();
    let mut lengths = Vec::with_capacity(fields.len());
    for field in fields {
        let before = elements.len();
        if let Some(field) = field {
            let mut rest = Rest(field);
            let count = rest.count()?;
            elements.extend(rest.values(count, |_| Some(element))?);
            if !rest.is_empty() {
                return None;
            }
        }
        lengths.push(elements.len() - before);
    }
    i32::try_from(elements.len()).ok()?;
    let DataType::List(item) = sql_type.arrow() else {
        return None;
    };
    let list = ListArray::try_new(
        item,
        OffsetBuffer::from_lengths(lengths),
        decode(&elements, element)?,
        nulls_of(fields),
    );
    Some(Arc::new(list.ok()?))
}

fn decode_structs(
    fields: &[Option<&[u8]>],
    members: &[(String, SqlType)],
    sql_type: &SqlType,
) -> Option<ArrayRef> {
    let mut columns: Vec<Vec<Option<&[u8]>>> =
        vec![Vec::with_capacity(fields.len()); members.len()];
    for field in fields {
        let mut values = Vec::new();
        if let Some(field) = field {
            let mut rest = Rest(field);
            let count = rest.count()?;
            values = rest.values(count, |index| Some(&members.get(index)?.1))?;
            if !rest.is_empty() || count > members.len() {
                return None;
            }
        }
        for (index, column) in columns.iter_mut().enumerate() {
            column.push(values.get(index).copied().flatten());
        }
    }
    let DataType::Struct(declared) = sql_type.arrow() else {
        return None;
    };
    let members = columns.iter().zip(members);
    let arrays = members.map(|(column, (_, sql_type))| decode(column, sql_type));
    let arrays = arrays.collect::<Option<Vec<_>>>()?;
    let structs =
        StructArray::try_new_with_length(declared, arrays, nulls_of(fields), fields.len());
    Some(Arc::new(structs.ok()?))
}

fn decode_maps(
    fields: &[Option<&[u8]>],
    entry: &(SqlType, SqlType),
    sql_type: &SqlType,
) -> Option<ArrayRef> {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    let mut lengths = Vec::with_capacity(fields.len());
    for field in fields {
        let before = keys.len();
        if let Some(field) = field {
            let mut rest = Rest(field);
            let count = rest.count()?;
            keys.extend(rest.values(count, |_| Some(&entry.0))?);
            values.extend(rest.values(count, |_| Some(&entry.1))?);
            if !rest.is_empty() {
                return None;
            }
        }
        lengths.push(keys.len() - before);
    }
    i32::try_from(keys.len()).ok()?;
    let DataType::Map(entries, is_sorted) = sql_type.arrow() else {
        return None;
    };
    let DataType::Struct(declared) = entries.data_type().clone() else {
        return None;
    };
    let arrays = vec![decode(&keys, &entry.0)?, decode(&values, &entry.1)?];
    let pairs = StructArray::try_new(declared, arrays, None).ok()?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let maps = MapArray::try_new(entries, offsets, pairs, nulls_of(fields), is_sorted);
    Some(Arc::new(maps.ok()?))
}

fn decode_single(fields: &[Option<&[u8]>], sql_type: &SqlType) -> Option<ArrayRef> {
    Some(match sql_type {
        SqlType::Boolean => booleans(fields)?,
        SqlType::TinyInt => numbers::<Int8Type, 1>(fields, sql_type, i8::from_le_bytes)?,
        SqlType::SmallInt => numbers::<Int16Type, 2>(fields, sql_type, i16::from_le_bytes)?,
        SqlType::Integer => numbers::<Int32Type, 4>(fields, sql_type, i32::from_le_bytes)?,
        SqlType::BigInt => numbers::<Int64Type, 8>(fields, sql_type, i64::from_le_bytes)?,
        SqlType::UnsignedTinyInt => numbers::<UInt8Type, 1>(fields, sql_type, u8::from_le_bytes)?,
        SqlType::UnsignedSmallInt => {
            numbers::<UInt16Type, 2>(fields, sql_type, u16::from_le_bytes)?
        }
        SqlType::UnsignedInteger => numbers::<UInt32Type, 4>(fields, sql_type, u32::from_le_bytes)?,
        SqlType::UnsignedBigInt => numbers::<UInt64Type, 8>(fields, sql_type, u64::from_le_bytes)?,
        SqlType::Real => numbers::<Float32Type, 4>(fields, sql_type, f32::from_le_bytes)?,
        SqlType::Double => numbers::<Float64Type, 8>(fields, sql_type, f64::from_le_bytes)?,
        SqlType::Date => numbers::<Date32Type, 4>(fields, sql_type, i32::from_le_bytes)?,
        SqlType::Time => numbers::<Time64NanosecondType, 8>(fields, sql_type, i64::from_le_bytes)?,
        SqlType::Interval => {
            numbers::<IntervalMonthDayNanoType, 16>(fields, sql_type, interval_of)?
        }
        SqlType::Decimal { precision, .. } if *precision <= SHORT_DECIMAL_DIGITS => {
            let wide = |bytes| i64::from_le_bytes(bytes).into();
            numbers::<Decimal128Type, 8>(fields, sql_type, wide)?
        }
        SqlType::Decimal { .. } => {
            numbers::<Decimal128Type, 16>(fields, sql_type, i128::from_le_bytes)?
        }
        SqlType::Timestamp { precision, .. } => {
            let count = i64::from_le_bytes;
            match precision {
                Precision::Second => numbers::<TimestampSecondType, 8>(fields, sql_type, count)?,
                Precision::Millisecond => {
                    numbers::<TimestampMillisecondType, 8>(fields, sql_type, count)?
                }
                Precision::Microsecond => {
                    numbers::<TimestampMicrosecondType, 8>(fields, sql_type, count)?
                }
                Precision::Nanosecond => {
                    numbers::<TimestampNanosecondType, 8>(fields, sql_type, count)?
                }
            }
        }
        SqlType::Bytea => {
            let mut bytes = BinaryBuilder::new();
            fields.iter().for_each(|field| bytes.append_option(*field));
            Arc::new(bytes.finish())
        }
        SqlType::Uuid => uuids(fields)?,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Json => {
            let mut texts = StringBuilder::new();
            for field in fields {
                texts.append_option(field.map(std::str::from_utf8).transpose().ok()?);
            }
            Arc::new(texts.finish())
        }
        SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => return None,
    })
}

fn numbers<T: ArrowPrimitiveType, const WIDTH: usize>(
    fields: &[Option<&[u8]>],
    sql_type: &SqlType,
    from: impl Fn([u8; WIDTH]) -> T::Native,
) -> Option<ArrayRef> {
    let mut numbers =
        PrimitiveBuilder::<T>::with_capacity(fields.len()).with_data_type(sql_type.arrow());
    for field in fields {
        let field = field.map(<[u8; WIDTH]>::try_from).transpose().ok()?;
        numbers.append_option(field.map(&from));
    }
    Some(Arc::new(numbers.finish()))
}

fn booleans(fields: &[Option<&[u8]>]) -> Option<ArrayRef> {
    let mut truths = BooleanBuilder::new();
    for field in fields {
        match field {
            None => truths.append_null(),
            Some([0]) => truths.append_value(false),
            Some([1]) => truths.append_value(true),
            Some(_) => return None,
        }
    }
    Some(Arc::new(truths.finish()))
}

/// The canonical texts of UUIDs.
pub(super) fn uuids(fields: &[Option<&[u8]>]) -> Option<ArrayRef> {
    let mut texts = StringBuilder::new();
    for field in fields {
        match field {
            None => texts.append_null(),
            Some(bytes) => texts.append_value(text_of_uuid(bytes)?),
        }
    }
    Some(Arc::new(texts.finish()))
}

#[cfg(test)]
#[path = "nested_tests.rs"]
mod tests;
