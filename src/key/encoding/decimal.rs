//! Decimals.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Decimal128Type;

use super::column::FieldReader;
use super::number::{masked, position_among, push_flipped, read_flipped};
use super::{Encoding, no_field};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

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
