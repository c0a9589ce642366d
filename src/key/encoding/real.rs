//! Floating point values of 32 bits.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Float32Type;

use super::column::{FieldReader, FieldWriter};
use super::number::{masked, write};
use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType, canonical_real};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;
use crate::keyrange::prefix_successor;

/// REAL: IEEE 754 bits, all flipped if negative, else the sign bit; −0.0 and NaN canonical.
#[derive(Debug, Clone, Copy)]
pub struct Real;

const SIGN: u32 = 1 << 31;

impl Real {
    /// The number whose big-endian bytes are the field.
    fn ordered(value: f32) -> u32 {
        let bits = canonical_real(value).to_bits();
        if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
    }

    /// The value whose field is `ordered`; `None` where it would not be canonical.
    fn from_ordered(ordered: u32) -> Option<f32> {
        let bits = if ordered & SIGN == 0 {
            !ordered
        } else {
            ordered ^ SIGN
        };
        let value = f32::from_bits(bits);
        (canonical_real(value).to_bits() == bits).then_some(value)
    }

    /// The least REAL that is not less than a DOUBLE, and whether it is that number.
    fn not_below(value: f64) -> (f32, bool) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what the nearest REAL is, is compared"
        )]
        let nearest = value as f32;
        let shown = f64::from(nearest);
        if shown < value {
            (nearest.next_up(), false)
        } else {
            (nearest, shown == value || value.is_nan())
        }
    }
}

impl Encoding for Real {
    fn width(&self) -> Option<usize> {
        Some(4)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        let real = match value {
            Datum::Double(value) => match Self::not_below(*value) {
                (real, true) => real,
                (_, false) => return Err(no_field(&Datum::Double(*value), "REAL")),
            },
            other => return Err(no_field(other, "REAL")),
        };
        into.extend_from_slice(&Self::ordered(real).to_be_bytes());
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .first_chunk()
            .ok_or_else(|| too_short(bytes.len(), 4))?;
        let ordered = u32::from_be_bytes(*field);
        let value = Self::from_ordered(ordered)
            .ok_or_else(|| Error::corrupt(format!("{ordered:08x} is no REAL in canonical form")))?;
        Ok((Datum::double(value.into()), 4))
    }

    /// A DOUBLE that is no REAL has its place between two of them.
    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let (value, above) = match cut {
            Cut::Start => return Ok(Some(Vec::new())),
            Cut::End => return Ok(None),
            Cut::Below(value) => (value, false),
            Cut::Above(value) => (value, true),
        };
        let Datum::Double(value) = value else {
            return Err(no_field(value, "REAL"));
        };
        let (real, is_equal) = Self::not_below(*value);
        let field = Self::ordered(real).to_be_bytes();
        Ok(if above && is_equal {
            prefix_successor(&field)
        } else {
            Some(field.to_vec())
        })
    }

    fn write_column(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        write::<Float32Type, 4>(values, writer, |value| Self::ordered(value).to_be_bytes())
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        let value = |bytes: &[u8]| Self::from_ordered(u32::from_be_bytes(masked(bytes, mask)?));
        Ok(Arc::new(reader.numbers::<Float32Type>(value)?))
    }
}
