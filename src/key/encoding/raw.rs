//! Bytes of one length.

use super::bytes::position_among;
use super::{Encoding, no_field, too_short};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::domain::Cut;

/// BYTEA of one length: the bytes as they are.
#[derive(Debug, Clone, Copy)]
pub struct Raw {
    width: usize,
}

impl Raw {
    /// Of exactly `width` bytes.
    pub fn new(width: usize) -> Self {
        Self { width }
    }
}

impl Encoding for Raw {
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value {
            Datum::Bytes(bytes) if bytes.len() == self.width => into.extend_from_slice(bytes),
            other => return Err(no_field(other, &format!("BYTEA of {} bytes", self.width))),
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .get(..self.width)
            .ok_or_else(|| too_short(bytes.len(), self.width))?;
        Ok((Datum::Bytes(field.to_vec()), self.width))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        position_among(cut, self.width, |value| match value {
            Datum::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }
}
