//! Numbers, dates, timestamps and truth values: fields of fixed width.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Float64Type, Int16Type, Int32Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};

use super::column::{FieldReader, FieldWriter};
use super::{Encoding, downcast, no_field, too_short};
use crate::datum::{Datum, SqlType, canonical_double};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

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

    fn write_column(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        let integer = |value: i64| (value ^ i64::MIN).to_be_bytes();
        match values.data_type() {
            DataType::Int16 => {
                write::<Int16Type, 2>(values, writer, |value| (value ^ i16::MIN).to_be_bytes())
            }
            DataType::Int32 => {
                write::<Int32Type, 4>(values, writer, |value| (value ^ i32::MIN).to_be_bytes())
            }
            DataType::Date32 => {
                write::<Date32Type, 4>(values, writer, |value| (value ^ i32::MIN).to_be_bytes())
            }
            DataType::Int64 => write::<Int64Type, 8>(values, writer, integer),
            DataType::Timestamp(unit, _) => match unit {
                TimeUnit::Second => write::<TimestampSecondType, 8>(values, writer, integer),
                TimeUnit::Millisecond => {
                    write::<TimestampMillisecondType, 8>(values, writer, integer)
                }
                TimeUnit::Microsecond => {
                    write::<TimestampMicrosecondType, 8>(values, writer, integer)
                }
                TimeUnit::Nanosecond => {
                    write::<TimestampNanosecondType, 8>(values, writer, integer)
                }
            },
            other => Err(Error::internal(format!("a column of {other} for whole numbers")).into()),
        }
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let small = |bytes: &[u8]| Some(i16::from_be_bytes(masked(bytes, mask)?) ^ i16::MIN);
        let middle = |bytes: &[u8]| Some(i32::from_be_bytes(masked(bytes, mask)?) ^ i32::MIN);
        let big = |bytes: &[u8]| Some(i64::from_be_bytes(masked(bytes, mask)?) ^ i64::MIN);
        let data_type = sql_type.arrow();
        Ok(match &data_type {
            DataType::Int16 => Arc::new(reader.numbers::<Int16Type>(small)?),
            DataType::Int32 => Arc::new(reader.numbers::<Int32Type>(middle)?),
            DataType::Date32 => Arc::new(reader.numbers::<Date32Type>(middle)?),
            DataType::Int64 => Arc::new(reader.numbers::<Int64Type>(big)?),
            DataType::Timestamp(unit, zone) => match unit {
                TimeUnit::Second => Arc::new(
                    reader
                        .numbers::<TimestampSecondType>(big)?
                        .with_timezone_opt(zone.clone()),
                ),
                TimeUnit::Millisecond => Arc::new(
                    reader
                        .numbers::<TimestampMillisecondType>(big)?
                        .with_timezone_opt(zone.clone()),
                ),
                TimeUnit::Microsecond => Arc::new(
                    reader
                        .numbers::<TimestampMicrosecondType>(big)?
                        .with_timezone_opt(zone.clone()),
                ),
                TimeUnit::Nanosecond => Arc::new(
                    reader
                        .numbers::<TimestampNanosecondType>(big)?
                        .with_timezone_opt(zone.clone()),
                ),
            },
            other => {
                return Err(
                    Error::internal(format!("whole numbers as a column of {other}")).into(),
                );
            }
        })
    }
}

/// Writes each value that is not NULL as the bytes that `field` makes of it.
#[inline]
fn write<T: ArrowPrimitiveType, const WIDTH: usize>(
    values: &ArrayRef,
    writer: &mut FieldWriter<'_>,
    field: impl Fn(T::Native) -> [u8; WIDTH],
) -> Result<(), RowError> {
    let array: &PrimitiveArray<T> = downcast(values)?;
    match array.nulls() {
        None => {
            for (row, value) in array.values().iter().enumerate() {
                writer.put(row, field(*value));
            }
        }
        Some(nulls) => {
            for (row, value) in array.values().iter().enumerate() {
                if nulls.is_valid(row) {
                    writer.put(row, field(*value));
                }
            }
        }
    }
    Ok(())
}

/// The first bytes, each `XOR mask`.
#[inline]
fn masked<const WIDTH: usize>(bytes: &[u8], mask: u8) -> Option<[u8; WIDTH]> {
    bytes
        .first_chunk()
        .map(|field| field.map(|byte| byte ^ mask))
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

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let narrow = |bytes: &[u8]| {
            Some(i128::from(
                i64::from_be_bytes(masked(bytes, mask)?) ^ i64::MIN,
            ))
        };
        let wide = |bytes: &[u8]| Some(i128::from_be_bytes(masked(bytes, mask)?) ^ i128::MIN);
        let within = |unscaled: &i128| (-self.greatest..=self.greatest).contains(unscaled);
        let array = if self.width == 8 {
            reader.numbers::<Decimal128Type>(|bytes| narrow(bytes).filter(within))?
        } else {
            reader.numbers::<Decimal128Type>(|bytes| wide(bytes).filter(within))?
        };
        Ok(Arc::new(array.with_data_type(sql_type.arrow())))
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

    fn write_column(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        write::<Float64Type, 8>(values, writer, |value| Self::ordered(value).to_be_bytes())
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let value = |bytes: &[u8]| Self::from_ordered(u64::from_be_bytes(masked(bytes, mask)?));
        Ok(Arc::new(reader.numbers::<Float64Type>(value)?))
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

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let within = |bucket: &i32| bucket.cast_unsigned() < self.buckets;
        let one = |bytes: &[u8]| {
            masked::<1>(bytes, mask)
                .map(|[byte]| i32::from(byte))
                .filter(within)
        };
        let two =
            |bytes: &[u8]| Some(i32::from(u16::from_be_bytes(masked(bytes, mask)?))).filter(within);
        Ok(match self.bytes() {
            1 => Arc::new(reader.numbers::<Int32Type>(one)?),
            _ => Arc::new(reader.numbers::<Int32Type>(two)?),
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
