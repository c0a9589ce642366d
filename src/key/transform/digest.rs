//! What is hashed: the bytes of source values that `salt`, `bucket` and `hash` are computed from. Frozen.
//!
//! The hash is xxh3-64 with seed 0, an unsigned number. `hash` stores it big-endian; `salt` and `bucket` store it
//! modulo the number of buckets.
//!
//! Every value has a tag and bytes:
//!
//! | value | tag | bytes |
//! |---|---|---|
//! | whole numbers of every width, with a sign or without | `01` | as 64 bits big-endian, two's complement, so that 7 is 7 in all of them |
//! | BIGINT UNSIGNED from 2⁶³ on | `02` | 64 bits big-endian |
//! | BOOLEAN | `03` | `00` or `01` |
//! | REAL, DOUBLE | `04` | IEEE 754 bits as DOUBLE, big-endian; −0.0 as 0.0, every NaN as `7ff8000000000000` |
//! | DECIMAL | `05` | trailing zeros behind the point taken off: the scale left in one byte, then the unscaled value as 128 bits big-endian, so that 1.50 and 1.5 agree |
//! | TEXT, VARCHAR, CHAR, UUID | `06` | UTF-8, a CHAR without its padding, a UUID in its canonical form |
//! | BYTEA | `07` | as they are |
//! | DATE | `08` | days since 1970-01-01 as 64 bits big-endian |
//! | TIMESTAMP | `09` | microseconds since 1970-01-01, rounded down, as 64 bits big-endian; a stamp whose microseconds need more is refused |
//! | NULL of any type | `ff` | none |
//!
//! Of a single value the bytes are hashed as they are, without tag and length, so that other programs compute the same
//! hash of a text or number; NULL is then the byte `ff`, which is no UTF-8. Of several values, for each in turn: the
//! tag, the length of the bytes in 32 bits big-endian, the bytes.
//!
//! Direction and literals do not count. `salt` takes the source columns of all other parts, each once, in the order of
//! first mention; what is single and what several is counted in columns.
//!
//! The test vectors stand in `digest_vectors.txt` beside this file.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, StringArray, UInt64Array};
use twox_hash::XxHash3_64;

use super::integers::integers;
use crate::datum::{Datum, Precision, Readable, SqlType, canonical_double, datum_at};
use crate::error::{Error, Result};
use crate::key::row_error::RowError;

/// The tag of NULL, and all that is hashed of a single NULL.
const NULL: u8 = 0xff;

/// The tag of whole numbers that 64 bits with a sign do not hold.
const GREAT_NUMBER: u8 = 0x02;

/// The tag of a value of this type, as far as the type tells it.
fn tag(sql_type: &SqlType) -> u8 {
    match sql_type {
        SqlType::TinyInt
        | SqlType::SmallInt
        | SqlType::Integer
        | SqlType::BigInt
        | SqlType::UnsignedTinyInt
        | SqlType::UnsignedSmallInt
        | SqlType::UnsignedInteger
        | SqlType::UnsignedBigInt => 0x01,
        SqlType::Boolean => 0x03,
        SqlType::Real | SqlType::Double => 0x04,
        SqlType::Decimal { .. } => 0x05,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Uuid | SqlType::Json => {
            0x06
        }
        SqlType::Bytea => 0x07,
        SqlType::Date => 0x08,
        SqlType::Timestamp { .. } => 0x09,
        // No column of these is hashed, which a definition's validation sees to.
        SqlType::Time
        | SqlType::Interval
        | SqlType::List(_)
        | SqlType::Struct(_)
        | SqlType::Map(_) => 0x0a,
    }
}

/// The hash of these bytes.
fn hash(bytes: &[u8]) -> u64 {
    #[cfg(any(test, feature = "testing"))]
    if crate::fault::active(crate::fault::Fault::HashCollides) {
        return 0;
    }
    XxHash3_64::oneshot(bytes)
}

/// The values that a hash is computed from.
#[derive(Debug)]
pub(super) struct Inputs {
    types: Vec<SqlType>,
}

impl Inputs {
    /// Values of these types, in this order.
    pub(super) fn new(types: Vec<SqlType>) -> Self {
        Self { types }
    }

    /// The hash of these values.
    ///
    /// # Errors
    /// `InvalidInput` for a stamp that microseconds cannot hold.
    pub(super) fn hash(&self, values: &[Option<Datum>]) -> Result<u64> {
        Ok(hash(&self.bytes(values)?))
    }

    /// What is hashed of these values.
    pub(super) fn bytes(&self, values: &[Option<Datum>]) -> Result<Vec<u8>> {
        if values.len() != self.types.len() {
            return Err(Error::internal("another number of values than is hashed"));
        }
        let mut bytes = Vec::new();
        for (value, sql_type) in values.iter().zip(&self.types) {
            let start = begin(
                value.is_some().then_some(sql_type),
                self.types.len(),
                &mut bytes,
            );
            if let Some(value) = value {
                push(value, sql_type, &mut bytes)?;
                if let Datum::Unsigned(number) = value {
                    tag_great(*number, start, self.types.len(), &mut bytes);
                }
            }
            end(start, self.types.len(), &mut bytes);
        }
        Ok(bytes)
    }
}

/// Writes what stands before the bytes of one of `count` values, of `sql_type` or NULL; returns where they begin.
fn begin(sql_type: Option<&SqlType>, count: usize, into: &mut Vec<u8>) -> usize {
    match sql_type {
        Some(sql_type) if count > 1 => into.push(tag(sql_type)),
        Some(_) => {}
        None => into.push(NULL),
    }
    if count > 1 {
        into.extend_from_slice(&[0; 4]);
    }
    into.len()
}

/// Fills in the length of the bytes that began at `start`.
fn end(start: usize, count: usize, bytes: &mut [u8]) {
    let length = u32::try_from(bytes.len() - start).unwrap_or(u32::MAX);
    let place = start.checked_sub(4).filter(|_| count > 1);
    if let Some(slot) = place.and_then(|place| bytes.get_mut(place..start)) {
        slot.copy_from_slice(&length.to_be_bytes());
    }
}

/// Gives one of `count` values, whose bytes begin at `start`, the tag of a number that needs all of 64 bits.
fn tag_great(number: u64, start: usize, count: usize, bytes: &mut [u8]) {
    let place = start.checked_sub(5);
    let place = place.filter(|_| count > 1 && i64::try_from(number).is_err());
    if let Some(tag) = place.and_then(|place| bytes.get_mut(place)) {
        *tag = GREAT_NUMBER;
    }
}

fn push(value: &Datum, sql_type: &SqlType, into: &mut Vec<u8>) -> Result<()> {
    match (sql_type, value) {
        (SqlType::Boolean, Datum::Boolean(value)) => into.push(u8::from(*value)),
        (_, Datum::Integer(value)) if sql_type.is_short_integer() => push_integer(*value, into),
        (SqlType::UnsignedBigInt, Datum::Unsigned(value)) => {
            into.extend_from_slice(&value.to_be_bytes());
        }
        (SqlType::Real | SqlType::Double, Datum::Double(value)) => push_double(*value, into),
        (SqlType::Decimal { scale, .. }, Datum::Decimal(unscaled)) => {
            push_decimal(*unscaled, *scale, into)
        }
        (_, Datum::Text(text)) if sql_type.is_text() => into.extend_from_slice(text.as_bytes()),
        (SqlType::Bytea, Datum::Bytes(bytes)) => into.extend_from_slice(bytes),
        (SqlType::Date, Datum::Date(days)) => push_integer(i64::from(*days), into),
        (SqlType::Timestamp { precision, .. }, Datum::Timestamp(count)) => {
            push_integer(
                microseconds(*count, *precision).ok_or_else(|| too_far(value, sql_type))?,
                into,
            );
        }
        _ => {
            return Err(Error::internal(format!(
                "{value:?} where {sql_type} is hashed"
            )));
        }
    }
    Ok(())
}

fn push_integer(value: i64, into: &mut Vec<u8>) {
    into.extend_from_slice(&value.to_be_bytes());
}

fn push_double(value: f64, into: &mut Vec<u8>) {
    into.extend_from_slice(&canonical_double(value).to_bits().to_be_bytes());
}

fn push_decimal(unscaled: i128, scale: i8, into: &mut Vec<u8>) {
    let (mut unscaled, mut scale) = (unscaled, scale);
    while scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    into.push(scale.cast_unsigned());
    into.extend_from_slice(&unscaled.to_be_bytes());
}

/// A stamp in microseconds, rounded down; `None` where they need more than 64 bits.
fn microseconds(count: i64, precision: Precision) -> Option<i64> {
    match precision {
        Precision::Second => count.checked_mul(1_000_000),
        Precision::Millisecond => count.checked_mul(1_000),
        Precision::Microsecond => Some(count),
        Precision::Nanosecond => Some(count.div_euclid(1_000)),
    }
}

/// The error for a stamp that microseconds cannot hold.
fn too_far(value: &Datum, sql_type: &SqlType) -> Error {
    Error::invalid(format!(
        "{} is too far from 1970 to be hashed in microseconds",
        Readable(value, sql_type)
    ))
}

/// The hash of each row of some columns.
///
/// # Errors
/// `InvalidInput` with the row of a stamp that microseconds cannot hold.
pub(super) fn hash_columns(
    sources: &[(ArrayRef, SqlType)],
    rows: usize,
) -> Result<Vec<u64>, RowError> {
    let columns: Result<Vec<HashedColumn<'_>>> = sources
        .iter()
        .map(|(array, sql_type)| HashedColumn::new(array, sql_type))
        .collect();
    let columns = columns?;
    let mut bytes = Vec::new();
    let mut hashes = Vec::with_capacity(rows);
    for row in 0..rows {
        bytes.clear();
        for column in &columns {
            let valid = column.array.is_valid(row);
            let start = begin(valid.then_some(column.sql_type), columns.len(), &mut bytes);
            if valid {
                column
                    .push(row, &mut bytes)
                    .map_err(|error| RowError::at(row, error))?;
                if let HashedValues::Unsigned(numbers) = &column.values {
                    tag_great(numbers.value(row), start, columns.len(), &mut bytes);
                }
            }
            end(start, columns.len(), &mut bytes);
        }
        hashes.push(hash(&bytes));
    }
    Ok(hashes)
}

/// A column that is hashed, with its values at hand.
struct HashedColumn<'a> {
    array: &'a ArrayRef,
    sql_type: &'a SqlType,
    values: HashedValues<'a>,
}

/// The values of the types that are hashed most; all others go through [`Datum`].
enum HashedValues<'a> {
    Text(&'a StringArray),
    Bytes(&'a BinaryArray),
    Integers(Vec<i64>),
    Unsigned(&'a UInt64Array),
    Other,
}

impl<'a> HashedColumn<'a> {
    fn new(array: &'a ArrayRef, sql_type: &'a SqlType) -> Result<Self> {
        let wrong = || Error::internal(format!("a column of {} for {sql_type}", array.data_type()));
        let values = if sql_type.is_text() {
            HashedValues::Text(array.as_string_opt().ok_or_else(wrong)?)
        } else if *sql_type == SqlType::Bytea {
            HashedValues::Bytes(array.as_binary_opt().ok_or_else(wrong)?)
        } else if *sql_type == SqlType::UnsignedBigInt {
            HashedValues::Unsigned(array.as_primitive_opt().ok_or_else(wrong)?)
        } else if sql_type.is_short_integer()
            || matches!(sql_type, SqlType::Date | SqlType::Timestamp { .. })
        {
            HashedValues::Integers(integers(array)?)
        } else {
            HashedValues::Other
        };
        Ok(Self {
            array,
            sql_type,
            values,
        })
    }

    fn push(&self, row: usize, into: &mut Vec<u8>) -> Result<()> {
        match (&self.values, self.sql_type) {
            (HashedValues::Text(texts), _) => into.extend_from_slice(texts.value(row).as_bytes()),
            (HashedValues::Bytes(bytes), _) => into.extend_from_slice(bytes.value(row)),
            (HashedValues::Integers(counts), SqlType::Timestamp { precision, .. }) => {
                let count = counts.get(row).copied().unwrap_or_default();
                let stamp = microseconds(count, *precision);
                push_integer(
                    stamp.ok_or_else(|| too_far(&Datum::Timestamp(count), self.sql_type))?,
                    into,
                );
            }
            (HashedValues::Integers(numbers), _) => {
                push_integer(numbers.get(row).copied().unwrap_or_default(), into);
            }
            (HashedValues::Unsigned(numbers), _) => {
                into.extend_from_slice(&numbers.value(row).to_be_bytes());
            }
            (HashedValues::Other, _) => {
                if let Some(value) = datum_at(self.array, row, self.sql_type)? {
                    push(&value, self.sql_type, into)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;
