//! Text up to a fixed length.

use arrow::array::ArrayRef;

use super::bytes::{find, utf8};
use super::column::FieldReader;
use super::{Encoding, no_field, too_short};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;
use crate::keyrange::{hex, prefix_successor};

/// CHAR(n): the bytes, padded with `00` to n.
#[derive(Debug, Clone, Copy)]
pub struct Padded {
    width: usize,
}

impl Padded {
    /// Of at most `width` bytes of UTF-8.
    pub fn new(width: u32) -> Self {
        Self {
            width: usize::try_from(width).unwrap_or(usize::MAX),
        }
    }

    /// What of a text has a place in the field: up to its first `00`, and no more than fits.
    fn fitting(self, text: &str) -> &[u8] {
        let bytes = text.as_bytes();
        let end = find(bytes, 0).unwrap_or(bytes.len());
        bytes.get(..end.min(self.width)).unwrap_or(bytes)
    }

    fn push(self, bytes: &[u8], into: &mut Vec<u8>) {
        let end = into.len() + self.width;
        into.extend_from_slice(bytes);
        into.resize(end, 0);
    }

    /// The value in a field without its padding; `None` where a `00` is followed by another byte.
    pub(super) fn unpadded(field: &[u8]) -> Option<&[u8]> {
        let end = find(field, 0).unwrap_or(field.len());
        let (value, padding) = field.split_at(end);
        padding.iter().all(|byte| *byte == 0).then_some(value)
    }
}

impl Encoding for Padded {
    fn width(&self) -> Option<usize> {
        Some(self.width)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        let Datum::Text(text) = value else {
            return Err(no_field(value, "CHAR"));
        };
        let fitting = self.fitting(text);
        if fitting.len() == text.len() {
            self.push(fitting, into);
            return Ok(());
        }
        Err(Error::invalid(if text.len() > self.width {
            format!(
                "{text:?} has {} bytes; CHAR({}) holds at most {} bytes of UTF-8",
                text.len(),
                self.width,
                self.width
            )
        } else {
            format!("{text:?} holds a zero byte, which CHAR cannot; TEXT can")
        }))
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .get(..self.width)
            .ok_or_else(|| too_short(bytes.len(), self.width))?;
        let value = Self::unpadded(field)
            .ok_or_else(|| Error::corrupt(format!("a CHAR with 00 inside: {}", hex(field))))?;
        Ok((Datum::Text(utf8(value.to_vec())?), self.width))
    }

    /// A text that does not fit lies right behind what of it does: no value can come between the two, for it would
    /// begin with what fits and go on with a byte greater than `00`, within n bytes.
    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let (value, above) = match cut {
            Cut::Start => return Ok(Some(Vec::new())),
            Cut::End => return Ok(None),
            Cut::Below(value) => (value, false),
            Cut::Above(value) => (value, true),
        };
        let text = value.as_text().ok_or_else(|| no_field(value, "CHAR"))?;
        let fitting = self.fitting(text);
        let mut field = Vec::with_capacity(self.width);
        self.push(fitting, &mut field);
        if above || fitting.len() < text.len() {
            return Ok(prefix_successor(&field));
        }
        Ok(Some(field))
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        reader.strings(true, |bytes, into| {
            let field = bytes
                .get(..self.width)
                .ok_or_else(|| too_short(bytes.len(), self.width))?;
            let start = into.len();
            into.extend(field.iter().map(|byte| byte ^ mask));
            let written = into.get(start..).unwrap_or_default();
            let value = Self::unpadded(written).map(<[u8]>::len);
            let length = value.ok_or_else(|| {
                Error::corrupt(format!("a CHAR with 00 inside: {}", hex(written)))
            })?;
            into.truncate(start + length);
            Ok(())
        })
    }
}
