//! Floating point values.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::Float64Type;

use super::column::{FieldReader, FieldWriter};
use super::number::{masked, write};
use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType, canonical_double};
use crate::error::{Error, Result};
use crate::key::row_error::RowError;

/// DOUBLE: IEEE 754 bits, all flipped if negative, else the sign bit; −0.0 and NaN canonical.
#[derive(Debug, Clone, Copy)]
pub struct Double;

const SIGN: u64 = 1 << 63;

impl Double {
    /// The number whose big-endian bytes are the field.
    pub(super) fn ordered(value: f64) -> u64 {
        let bits = canonical_double(value).to_bits();
        if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
    }

    /// The value whose field is `ordered`; `None` where it would not be canonical.
    pub(super) fn from_ordered(ordered: u64) -> Option<f64> {
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
