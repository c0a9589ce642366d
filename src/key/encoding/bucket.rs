//! Buckets.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Int32Type;

use super::column::FieldReader;
use super::number::{masked, position_among};
use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;

/// The bucket of a salted table: one byte up to 256 buckets, else two, big-endian.
#[derive(Debug, Clone, Copy)]
pub struct BucketNumber {
    buckets: u32,
}

impl BucketNumber {
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

impl Encoding for BucketNumber {
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
