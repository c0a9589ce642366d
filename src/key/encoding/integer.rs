//! Whole numbers, dates and timestamps.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{
    DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};

use super::column::{FieldReader, FieldWriter};
use super::number::{masked, position_among, push_flipped, read_flipped, write};
use super::{Encoding, no_field};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

/// What a signed whole number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Integer,
    Date,
    Timestamp,
}

/// TINYINT, SMALLINT, INT, BIGINT, DATE and TIMESTAMP: big-endian, sign bit flipped.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    width: usize,
    counted: Counted,
}

impl Integer {
    /// In 1, 2, 4 or 8 bytes, decoded as a value of `sql_type`.
    pub fn new(width: usize, sql_type: &SqlType) -> Self {
        debug_assert!(matches!(width, 1 | 2 | 4 | 8));
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
            DataType::Int8 => {
                write::<Int8Type, 1>(values, writer, |value| (value ^ i8::MIN).to_be_bytes())
            }
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
        let tiny = |bytes: &[u8]| Some(i8::from_be_bytes(masked(bytes, mask)?) ^ i8::MIN);
        let small = |bytes: &[u8]| Some(i16::from_be_bytes(masked(bytes, mask)?) ^ i16::MIN);
        let middle = |bytes: &[u8]| Some(i32::from_be_bytes(masked(bytes, mask)?) ^ i32::MIN);
        let big = |bytes: &[u8]| Some(i64::from_be_bytes(masked(bytes, mask)?) ^ i64::MIN);
        let data_type = sql_type.arrow();
        Ok(match &data_type {
            DataType::Int8 => Arc::new(reader.numbers::<Int8Type>(tiny)?),
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
