//! What is hashed: the bytes of source values that `salt`, `bucket` and `hash` are computed from. Frozen.
//!
//! The hash is xxh3-64 with seed 0, an unsigned number. `hash` stores it big-endian; `salt` and `bucket` store it
//! modulo the number of buckets.
//!
//! Every value has a tag and bytes:
//!
//! | value | tag | bytes |
//! |---|---|---|
//! | SMALLINT, INT, BIGINT | `01` | as 64 bits big-endian, two's complement, so that 7 is 7 in all three |
//! | (unsigned numbers from 2⁶³ on) | `02` | 64 bits big-endian; no column has such values yet |
//! | BOOLEAN | `03` | `00` or `01` |
//! | REAL, DOUBLE | `04` | IEEE 754 bits as DOUBLE, big-endian; −0.0 as 0.0, every NaN as `7ff8000000000000` |
//! | DECIMAL | `05` | trailing zeros behind the point taken off: the scale left in one byte, then the unscaled value as 128 bits big-endian, so that 1.50 and 1.5 agree |
//! | TEXT, VARCHAR, CHAR | `06` | UTF-8, a CHAR without its padding |
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

use twox_hash::XxHash3_64;

use crate::datum::{Datum, Precision, Readable, SqlType, canonical_double};
use crate::error::{Error, Result};

/// The tag of NULL, and all that is hashed of a single NULL.
pub(crate) const NULL: u8 = 0xff;

/// The tag of a value of this type.
pub(crate) fn tag(sql_type: &SqlType) -> u8 {
    match sql_type {
        SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => 0x01,
        SqlType::Boolean => 0x03,
        SqlType::Real | SqlType::Double => 0x04,
        SqlType::Decimal { .. } => 0x05,
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) => 0x06,
        SqlType::Bytea => 0x07,
        SqlType::Date => 0x08,
        SqlType::Timestamp { .. } => 0x09,
    }
}

/// The hash of these bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
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
            }
            end(start, self.types.len(), &mut bytes);
        }
        Ok(bytes)
    }
}

/// Writes what stands before the bytes of one of `count` values, of `sql_type` or NULL; returns where they begin.
pub(crate) fn begin(sql_type: Option<&SqlType>, count: usize, into: &mut Vec<u8>) -> usize {
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
pub(crate) fn end(start: usize, count: usize, bytes: &mut [u8]) {
    let length = u32::try_from(bytes.len() - start).unwrap_or(u32::MAX);
    let place = start.checked_sub(4).filter(|_| count > 1);
    if let Some(slot) = place.and_then(|place| bytes.get_mut(place..start)) {
        slot.copy_from_slice(&length.to_be_bytes());
    }
}

fn push(value: &Datum, sql_type: &SqlType, into: &mut Vec<u8>) -> Result<()> {
    match (sql_type, value) {
        (SqlType::Boolean, Datum::Boolean(value)) => into.push(u8::from(*value)),
        (_, Datum::Integer(value)) if sql_type.is_integer() => push_integer(*value, into),
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

pub(crate) fn push_integer(value: i64, into: &mut Vec<u8>) {
    into.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn push_double(value: f64, into: &mut Vec<u8>) {
    into.extend_from_slice(&canonical_double(value).to_bits().to_be_bytes());
}

pub(crate) fn push_decimal(unscaled: i128, scale: i8, into: &mut Vec<u8>) {
    let (mut unscaled, mut scale) = (unscaled, scale);
    while scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    into.push(scale.cast_unsigned());
    into.extend_from_slice(&unscaled.to_be_bytes());
}

/// A stamp in microseconds, rounded down; `None` where they need more than 64 bits.
pub(crate) fn microseconds(count: i64, precision: Precision) -> Option<i64> {
    match precision {
        Precision::Second => count.checked_mul(1_000_000),
        Precision::Millisecond => count.checked_mul(1_000),
        Precision::Microsecond => Some(count),
        Precision::Nanosecond => Some(count.div_euclid(1_000)),
    }
}

/// The error for a stamp that microseconds cannot hold.
pub(crate) fn too_far(value: &Datum, sql_type: &SqlType) -> Error {
    Error::invalid(format!(
        "{} is too far from 1970 to be hashed in microseconds",
        Readable(value, sql_type)
    ))
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;
