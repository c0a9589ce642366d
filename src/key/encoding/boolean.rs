//! Truth values.

use super::{Encoding, no_field, too_short};
use crate::datum::Datum;
use crate::error::{Error, Result};

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
