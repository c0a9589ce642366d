//! Text and bytes of any length.

use arrow::array::{ArrayRef, BinaryArray, StringArray};

use super::bytes::{find, utf8};
use super::column::{FieldReader, FieldWriter};
use super::{Encoding, downcast, no_field};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::row_error::RowError;

/// Begins an escape and the terminator.
const ESCAPE: u8 = 0x00;
/// After [`ESCAPE`]: a zero byte of the value.
const ZERO: u8 = 0xff;
/// After [`ESCAPE`]: the end of the field.
const END: u8 = 0x01;

/// TEXT, VARCHAR and BYTEA: the bytes with `00` written `00 FF`, then `00 01`.
#[derive(Debug, Clone, Copy)]
pub struct Escaped {
    text: bool,
}

impl Escaped {
    /// Of text; what is read must be UTF-8.
    pub fn text() -> Self {
        Self { text: true }
    }

    /// Of bytes.
    pub fn bytes() -> Self {
        Self { text: false }
    }

    /// Appends the field of `value`.
    pub(super) fn write(value: &[u8], into: &mut Vec<u8>) {
        let mut rest = value;
        while let Some(zero) = find(rest, 0) {
            let (plain, behind) = rest.split_at(zero + 1);
            into.extend_from_slice(plain);
            into.push(ZERO);
            rest = behind;
        }
        into.extend_from_slice(rest);
        into.extend_from_slice(&[ESCAPE, END]);
    }

    /// Appends to `into` the value of the field at the front of `bytes`, each of which is `XOR mask`: `FF` where the
    /// part is descending, else `00`. Returns the field's length.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there.
    pub(super) fn read(bytes: &[u8], mask: u8, into: &mut Vec<u8>) -> Result<usize> {
        let start = into.len();
        let mut position = 0;
        loop {
            let (end, last) = next_escape(bytes, position, mask)?;
            let plain = bytes.get(position..end).unwrap_or_default();
            into.extend_from_slice(plain);
            position = end + 2;
            if last {
                break;
            }
            into.push(mask);
        }
        if mask != 0 {
            let value = into.iter_mut().skip(start);
            value.for_each(|byte| *byte ^= mask);
        }
        Ok(position)
    }

    /// The length of the field at the front of `bytes`, each of which is `XOR mask`.
    ///
    /// # Errors
    /// `Corrupt` where no field stands there.
    pub(super) fn skip(bytes: &[u8], mask: u8) -> Result<usize> {
        let mut position = 0;
        loop {
            let (end, last) = next_escape(bytes, position, mask)?;
            position = end + 2;
            if last {
                return Ok(position);
            }
        }
    }
}

/// Where the next escape stands at or after `position`, and whether it ends the field.
fn next_escape(bytes: &[u8], position: usize, mask: u8) -> Result<(usize, bool)> {
    let rest = bytes.get(position..).unwrap_or_default();
    let escape = find(rest, ESCAPE ^ mask).map(|offset| position + offset);
    let second = escape.and_then(|escape| Some((escape, bytes.get(escape + 1)? ^ mask)));
    match second {
        Some((escape, END)) => Ok((escape, true)),
        Some((escape, ZERO)) => Ok((escape, false)),
        Some((_, byte)) => Err(Error::corrupt(format!(
            "00 {byte:02x} in a field of text or bytes"
        ))),
        None => Err(Error::corrupt("a field of text or bytes without its end")),
    }
}

impl Encoding for Escaped {
    fn width(&self) -> Option<usize> {
        None
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match (self.text, value) {
            (true, Datum::Text(text)) => Self::write(text.as_bytes(), into),
            (false, Datum::Bytes(bytes)) => Self::write(bytes, into),
            (text, other) => return Err(no_field(other, if text { "TEXT" } else { "BYTEA" })),
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let mut value = Vec::new();
        let length = Self::read(bytes, 0, &mut value)?;
        let datum = if self.text {
            Datum::Text(utf8(value)?)
        } else {
            Datum::Bytes(value)
        };
        Ok((datum, length))
    }

    fn length(&self, bytes: &[u8]) -> Result<usize> {
        Self::skip(bytes, 0)
    }

    fn descending_length(&self, bytes: &[u8]) -> Result<usize> {
        Self::skip(bytes, 0xff)
    }

    fn column_lengths(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        lengths: &mut [usize],
    ) -> Result<(), RowError> {
        let length =
            |value: &[u8]| value.len() + value.iter().filter(|byte| **byte == 0).count() + 2;
        for_each_value(self.text, values, |row, value| {
            if let Some(total) = lengths.get_mut(row) {
                *total += length(value);
            }
            Ok(())
        })
    }

    fn write_column(
        &self,
        values: &ArrayRef,
        _sql_type: &SqlType,
        writer: &mut FieldWriter<'_>,
    ) -> Result<(), RowError> {
        for_each_value(self.text, values, |row, value| {
            let mut rest = value;
            while let Some(zero) = find(rest, 0) {
                let (plain, behind) = rest.split_at(zero + 1);
                writer.put_slice(row, plain);
                writer.put(row, [ZERO]);
                rest = behind;
            }
            writer.put_slice(row, rest);
            writer.put(row, [ESCAPE, END]);
            Ok(())
        })
    }

    fn read_column(
        &self,
        reader: &FieldReader<'_>,
        _sql_type: &SqlType,
    ) -> Result<ArrayRef, RowError> {
        let mask = reader.mask();
        reader.strings(self.text, |bytes, into| {
            Self::read(bytes, mask, into).map(|_| ())
        })
    }
}

/// Calls `visit` for each value of TEXT or BYTEA that is not NULL.
fn for_each_value(
    text: bool,
    values: &ArrayRef,
    mut visit: impl FnMut(usize, &[u8]) -> Result<(), RowError>,
) -> Result<(), RowError> {
    if text {
        let array: &StringArray = downcast(values)?;
        for (row, value) in array.iter().enumerate() {
            value.map_or(Ok(()), |value| visit(row, value.as_bytes()))?;
        }
    } else {
        let array: &BinaryArray = downcast(values)?;
        for (row, value) in array.iter().enumerate() {
            value.map_or(Ok(()), |value| visit(row, value))?;
        }
    }
    Ok(())
}
