//! Numbers, dates, timestamps and truth values: fields of fixed width.

use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType, canonical_double};
use crate::error::{Error, Result};
use crate::key::domain::Cut;

/// BOOLEAN: one byte, `00` or `01`.
#[derive(Debug, Clone, Copy)]
pub struct Boolean;

impl Encoding for Boolean {
    fn width(&self) -> Option<usize> {
        Some(1)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value {
            Datum::Boolean(value) => into.push(u8::from(*value)),
            other => return Err(no_field(other, "BOOLEAN")),
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        match bytes.first() {
            Some(0) => Ok((Datum::Boolean(false), 1)),
            Some(1) => Ok((Datum::Boolean(true), 1)),
            Some(byte) => Err(Error::corrupt(format!("{byte:02x} is no BOOLEAN"))),
            None => Err(too_short(0, 1)),
        }
    }
}

/// What a signed whole number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Integer,
    Date,
    Timestamp,
}

/// SMALLINT, INT, BIGINT, DATE and TIMESTAMP: big-endian, sign bit flipped.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    width: usize,
    counted: Counted,
}

impl Integer {
    /// In 2, 4 or 8 bytes, decoded as a value of `sql_type`.
    pub fn new(width: usize, sql_type: &SqlType) -> Self {
        debug_assert!(matches!(width, 2 | 4 | 8));
        let counted = match sql_type {
            SqlType::Date => Counted::Date,
            SqlType::Timestamp { .. } => Counted::Timestamp,
            _ => Counted::Integer,
        };
        Self { width, counted }
    }

    /// The greatest number of this width; the least is one beyond its negative.
    fn greatest(self) -> i128 {
        (1 << (8 * self.width - 1)) - 1
    }

    fn number(self, value: &Datum) -> Option<i128> {
        match (self.counted, value) {
            (Counted::Integer, Datum::Integer(value))
            | (Counted::Timestamp, Datum::Timestamp(value)) => Some(i128::from(*value)),
            (Counted::Date, Datum::Date(days)) => Some(i128::from(*days)),
            _ => None,
        }
    }
}

impl Encoding for Integer {
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        let greatest = self.greatest();
        let number = self
            .number(value)
            .filter(|number| (-greatest - 1..=greatest).contains(number))
            .ok_or_else(|| no_field(value, &format!("whole number of {} bytes", self.width)))?;
        push_flipped(number, self.width, into);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let number = read_flipped(bytes, self.width)?;
        let out_of_range = || Error::internal(format!("{number} in {} bytes", self.width));
        let value = match self.counted {
            Counted::Integer => Datum::Integer(number.try_into().map_err(|_| out_of_range())?),
            Counted::Date => Datum::Date(number.try_into().map_err(|_| out_of_range())?),
            Counted::Timestamp => Datum::Timestamp(number.try_into().map_err(|_| out_of_range())?),
        };
        Ok((value, self.width))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let greatest = self.greatest();
        position_among(
            cut,
            |value| self.number(value),
            (-greatest - 1, greatest),
            |number, field| push_flipped(number, self.width, field),
        )
    }
}

/// DECIMAL: the unscaled value in 8 bytes up to precision 18, else in 16, big-endian, sign bit flipped.
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    width: usize,
    greatest: i128,
}

impl Decimal {
    /// For decimals of so many digits, 1 … 38.
    pub fn new(precision: u8) -> Self {
        Self {
            width: if precision <= 18 { 8 } else { 16 },
            greatest: 10_i128.pow(u32::from(precision).min(38)) - 1,
        }
    }
}

impl Encoding for Decimal {
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value {
            Datum::Decimal(unscaled) if (-self.greatest..=self.greatest).contains(unscaled) => {
                push_flipped(*unscaled, self.width, into);
                Ok(())
            }
            other => Err(no_field(
                other,
                &format!("DECIMAL up to {} unscaled", self.greatest),
            )),
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let unscaled = read_flipped(bytes, self.width)?;
        if !(-self.greatest..=self.greatest).contains(&unscaled) {
            return Err(Error::corrupt(format!(
                "an unscaled decimal of {unscaled}; at most {} is possible",
                self.greatest
            )));
        }
        Ok((Datum::Decimal(unscaled), self.width))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let number = |value: &Datum| match value {
            Datum::Decimal(unscaled) => Some(*unscaled),
            _ => None,
        };
        position_among(
            cut,
            number,
            (-self.greatest, self.greatest),
            |number, field| push_flipped(number, self.width, field),
        )
    }
}

/// DOUBLE: IEEE 754 bits, all flipped if negative, else the sign bit; −0.0 and NaN canonical.
#[derive(Debug, Clone, Copy)]
pub struct Double;

const SIGN: u64 = 1 << 63;

impl Double {
    /// The number whose big-endian bytes are the field.
    pub(crate) fn ordered(value: f64) -> u64 {
        let bits = canonical_double(value).to_bits();
        if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
    }

    /// The value whose field is `ordered`; `None` where it would not be canonical.
    pub(crate) fn from_ordered(ordered: u64) -> Option<f64> {
        let bits = if ordered & SIGN == 0 {
            !ordered
        } else {
            ordered ^ SIGN
        };
        let value = f64::from_bits(bits);
        (canonical_double(value).to_bits() == bits).then_some(value)
    }
}

impl Encoding for Double {
    fn width(&self) -> Option<usize> {
        Some(8)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value {
            Datum::Double(value) => into.extend_from_slice(&Self::ordered(*value).to_be_bytes()),
            other => return Err(no_field(other, "DOUBLE")),
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .first_chunk()
            .ok_or_else(|| too_short(bytes.len(), 8))?;
        let ordered = u64::from_be_bytes(*field);
        let value = Self::from_ordered(ordered).ok_or_else(|| {
            Error::corrupt(format!("{ordered:016x} is no DOUBLE in canonical form"))
        })?;
        Ok((Datum::Double(value), 8))
    }
}

/// The bucket of a salted table: one byte up to 256 buckets, else two, big-endian.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    buckets: u32,
}

impl Bucket {
    /// For buckets `0 … buckets − 1`; at most 65,536.
    pub fn new(buckets: u32) -> Self {
        debug_assert!((1..=65_536).contains(&buckets));
        Self { buckets }
    }

    fn bytes(self) -> usize {
        if self.buckets <= 256 { 1 } else { 2 }
    }

    fn push(self, number: i128, into: &mut Vec<u8>) {
        let bytes = number.to_be_bytes();
        into.extend(bytes.iter().skip(bytes.len() - self.bytes()));
    }
}

impl Encoding for Bucket {
    fn width(&self) -> Option<usize> {
        Some(self.bytes())
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value {
            Datum::Integer(bucket) if (0..i64::from(self.buckets)).contains(bucket) => {
                self.push(i128::from(*bucket), into);
                Ok(())
            }
            other => Err(no_field(other, &format!("bucket of {}", self.buckets))),
        }
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let width = self.bytes();
        let field = bytes
            .get(..width)
            .ok_or_else(|| too_short(bytes.len(), width))?;
        let bucket = field
            .iter()
            .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        if bucket >= self.buckets {
            return Err(Error::corrupt(format!(
                "bucket {bucket} where there are {}",
                self.buckets
            )));
        }
        Ok((Datum::Integer(bucket.into()), width))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let number = |value: &Datum| match value {
            Datum::Integer(bucket) => Some(i128::from(*bucket)),
            _ => None,
        };
        let limits = (0, i128::from(self.buckets) - 1);
        position_among(cut, number, limits, |number, field| {
            self.push(number, field);
        })
    }
}

/// The place of a cut among whole numbers of which `least … greatest` have fields.
fn position_among(
    cut: &Cut,
    number: impl Fn(&Datum) -> Option<i128>,
    (least, greatest): (i128, i128),
    push: impl Fn(i128, &mut Vec<u8>),
) -> Result<Option<Vec<u8>>> {
    let wanted = |value: &Datum| number(value).ok_or_else(|| no_field(value, "whole number"));
    let first = match cut {
        Cut::Start => return Ok(Some(Vec::new())),
        Cut::End => return Ok(None),
        Cut::Below(value) => wanted(value)?,
        Cut::Above(value) => wanted(value)?.saturating_add(1),
    };
    if first > greatest {
        return Ok(None);
    }
    let mut field = Vec::new();
    if first > least {
        push(first, &mut field);
    }
    Ok(Some(field))
}

/// The low `width` bytes of `number`, big-endian, sign bit flipped.
fn push_flipped(number: i128, width: usize, into: &mut Vec<u8>) {
    let flipped = number ^ (1 << (8 * width - 1));
    let bytes = flipped.to_be_bytes();
    into.extend(bytes.iter().skip(bytes.len() - width));
}

/// The number whose `width` bytes stand at the front, big-endian, sign bit flipped.
fn read_flipped(bytes: &[u8], width: usize) -> Result<i128> {
    let field = bytes
        .get(..width)
        .ok_or_else(|| too_short(bytes.len(), width))?;
    let unsigned = field
        .iter()
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let flipped = unsigned ^ (1 << (8 * width - 1));
    // Moved to the top and back, the sign bit fills what is above the field.
    let unused = 128 - 8 * width;
    Ok((flipped << unused).cast_signed() >> unused)
}
