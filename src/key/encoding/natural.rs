//! Whole numbers without a sign.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};

use super::column::{FieldReader, FieldWriter};
use super::number::{masked, position_among, write};
use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

/// TINYINT, SMALLINT, INT and BIGINT UNSIGNED: big-endian.
#[derive(Debug, Clone, Copy)]
pub struct Natural {
    width: usize,
}

impl Natural {
    /// In 1, 2, 4 or 8 bytes.
    pub fn new(width: usize) -> Self {
        debug_assert!(matches!(width, 1 | 2 | 4 | 8));
        Self { width }
    }

    fn greatest(self) -> i128 {
        (1 << (8 * self.width)) - 1
    }

    fn number(self, value: &Datum) -> Option<i128> {
        match (self.width, value) {
            (8, Datum::Unsigned(value)) => Some(i128::from(*value)),
            (1 | 2 | 4, Datum::Integer(value)) => Some(i128::from(*value)),
            _ => None,
        }
    }

    fn push(self, number: i128, into: &mut Vec<u8>) {
        let bytes = number.to_be_bytes();
        into.extend(bytes.iter().skip(bytes.len() - self.width));
    }
}

impl Encoding for Natural {
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        let number = self
            .number(value)
            .filter(|number| (0..=self.greatest()).contains(number))
            .ok_or_else(|| {
                no_field(
                    value,
                    &format!("whole number of {} bytes without a sign", self.width),
                )
            })?;
        self.push(number, into);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .get(..self.width)
            .ok_or_else(|| too_short(bytes.len(), self.width))?;
        let number = field
            .iter()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let value = match self.width {
            8 => Datum::Unsigned(number),
            _ => Datum::Integer(
                i64::try_from(number)
                    .map_err(|_| Error::internal(format!("{number} in {} bytes", self.width)))?,
            ),
        };
        Ok((value, self.width))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        position_among(
            cut,
            |value| self.number(value),
            (0, self.greatest()),
            |number, field| self.push(number, field),
        )
    }

    fn write_column(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        match values.data_type() {
            DataType::UInt8 => write::<UInt8Type, 1>(values, writer, u8::to_be_bytes),
            DataType::UInt16 => write::<UInt16Type, 2>(values, writer, u16::to_be_bytes),
            DataType::UInt32 => write::<UInt32Type, 4>(values, writer, u32::to_be_bytes),
            DataType::UInt64 => write::<UInt64Type, 8>(values, writer, u64::to_be_bytes),
            other => Err(Error::internal(format!(
                "a column of {other} for whole numbers without a sign"
            ))
            .into()),
        }
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let two = |bytes: &[u8]| Some(u16::from_be_bytes(masked(bytes, mask)?));
        let four = |bytes: &[u8]| Some(u32::from_be_bytes(masked(bytes, mask)?));
        let eight = |bytes: &[u8]| Some(u64::from_be_bytes(masked(bytes, mask)?));
        Ok(match self.width {
            1 => Arc::new(
                reader.numbers::<UInt8Type>(|bytes| masked::<1>(bytes, mask).map(|[byte]| byte))?,
            ),
            2 => Arc::new(reader.numbers::<UInt16Type>(two)?),
            4 => Arc::new(reader.numbers::<UInt32Type>(four)?),
            _ => Arc::new(reader.numbers::<UInt64Type>(eight)?),
        })
    }
}
