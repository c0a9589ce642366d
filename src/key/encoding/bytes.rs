//! Text, bytes and digests.
//!
//! Constants may stand in a predicate that no field can hold: a text too long for its CHAR, a hash of nine bytes. They
//! equal nothing, but they have their place in the order of values, and [`Encoding::position`] finds it.

use arrow::array::{ArrayRef, BinaryArray, StringArray};

use super::column::{FieldReader, FieldWriter};
use super::{Encoding, downcast, no_field, too_short};
use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::key::row_error::RowError;
use crate::keyrange::{hex, prefix_successor};

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
    pub(crate) fn write(value: &[u8], into: &mut Vec<u8>) {
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
    pub(crate) fn read(bytes: &[u8], mask: u8, into: &mut Vec<u8>) -> Result<usize> {
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
    pub(crate) fn skip(bytes: &[u8], mask: u8) -> Result<usize> {
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
    pub(crate) fn unpadded(field: &[u8]) -> Option<&[u8]> {
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

/// TEXT of 32 lower-case hexadecimal digits, as an MD5 is written: 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Hex;

const HEX_BYTES: usize = 16;

impl Hex {
    /// The place of texts at or after `text`; `above` it where it is a field itself.
    fn place(text: &[u8], above: bool) -> Option<Vec<u8>> {
        let mut digits: Vec<u8> = Vec::with_capacity(2 * HEX_BYTES);
        for byte in text.iter().take(2 * HEX_BYTES) {
            match digit(*byte) {
                Some(digit) => digits.push(digit),
                // No field has this byte here: the first one behind it has the next greater digit, if there is one.
                None => {
                    return match (0..16_u8).find(|digit| hex_digit(*digit) > *byte) {
                        Some(next) => {
                            digits.push(next);
                            Some(packed(&digits))
                        }
                        None => next_digits(digits),
                    };
                }
            }
        }
        let whole = digits.len() == 2 * HEX_BYTES;
        if whole && (above || text.len() > 2 * HEX_BYTES) {
            return next_digits(digits);
        }
        Some(packed(&digits))
    }
}

/// The digits after all those that begin with `digits`.
fn next_digits(mut digits: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = digits.pop() {
        if last < 15 {
            digits.push(last + 1);
            return Some(packed(&digits));
        }
    }
    None
}

/// Two digits to a byte; half a byte is filled with zero.
fn packed(digits: &[u8]) -> Vec<u8> {
    let byte = |pair: &[u8]| pair.iter().fold(0, |byte, digit| byte << 4 | digit);
    let (pairs, half) = digits.as_chunks::<2>();
    let mut bytes: Vec<u8> = pairs.iter().map(|pair| byte(pair)).collect();
    bytes.extend(half.iter().map(|digit| digit << 4));
    bytes
}

/// The value of a lower-case hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

fn hex_digit(digit: u8) -> u8 {
    if digit < 10 {
        b'0' + digit
    } else {
        b'a' + digit - 10
    }
}

impl Encoding for Hex {
    fn width(&self) -> Option<usize> {
        Some(HEX_BYTES)
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        let digits: Option<Vec<u8>> = value
            .as_text()
            .filter(|text| text.len() == 2 * HEX_BYTES)
            .and_then(|text| text.bytes().map(digit).collect());
        let digits =
            digits.ok_or_else(|| no_field(value, "TEXT of 32 lower-case hexadecimal digits"))?;
        into.extend(packed(&digits));
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .get(..HEX_BYTES)
            .ok_or_else(|| too_short(bytes.len(), HEX_BYTES))?;
        Ok((Datum::Text(hex(field)), HEX_BYTES))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let (value, above) = match cut {
            Cut::Start => return Ok(Some(Vec::new())),
            Cut::End => return Ok(None),
            Cut::Below(value) => (value, false),
            Cut::Above(value) => (value, true),
        };
        let text = value.as_text().ok_or_else(|| no_field(value, "TEXT"))?;
        Ok(Self::place(text.as_bytes(), above))
    }
}

/// TEXT of decimal digits, all of one length: a number's digits, last one first, zeros behind.
#[derive(Debug, Clone, Copy)]
pub struct Digits {
    greatest: i64,
}

impl Digits {
    /// For numbers `0 … greatest`; as many digits as `greatest` has.
    pub fn new(greatest: i64) -> Self {
        debug_assert!(greatest > 0);
        Self { greatest }
    }

    /// The number of digits.
    pub fn digits(self) -> usize {
        usize::try_from(self.greatest.ilog10() + 1).unwrap_or(usize::MAX)
    }

    /// The digits of a number, last one first; `None` where it is negative or too great.
    pub fn write(self, number: i64) -> Option<String> {
        let width = self.digits();
        let within = (0..=self.greatest).contains(&number);
        within.then(|| format!("{number:0width$}").chars().rev().collect())
    }

    /// The number whose reversed digits `text` holds.
    pub fn read(self, text: &str) -> Option<i64> {
        if text.len() != self.digits() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: String = text.chars().rev().collect();
        digits
            .parse()
            .ok()
            .filter(|number| (0..=self.greatest).contains(number))
    }
}

impl Encoding for Digits {
    fn width(&self) -> Option<usize> {
        Some(self.digits())
    }

    fn encode(&self, value: &Datum, into: &mut Vec<u8>) -> Result<()> {
        match value.as_text() {
            Some(text) if self.read(text).is_some() => into.extend_from_slice(text.as_bytes()),
            _ => {
                let expected = format!(
                    "TEXT of the {} reversed digits of a number up to {}",
                    self.digits(),
                    self.greatest
                );
                return Err(no_field(value, &expected));
            }
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let width = self.digits();
        let field = bytes
            .get(..width)
            .ok_or_else(|| too_short(bytes.len(), width))?;
        match std::str::from_utf8(field) {
            Ok(text) if self.read(text).is_some() => Ok((Datum::Text(text.to_owned()), width)),
            _ => Err(Error::corrupt(format!(
                "{} are not the {width} reversed digits of a number up to {}",
                hex(field),
                self.greatest
            ))),
        }
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        position_among(cut, self.digits(), |value| {
            value.as_text().map(str::as_bytes)
        })
    }
}

/// The place of a cut among fields of `width` bytes that hold their value's bytes as they are.
fn position_among(
    cut: &Cut,
    width: usize,
    bytes: impl Fn(&Datum) -> Option<&[u8]>,
) -> Result<Option<Vec<u8>>> {
    let (value, above) = match cut {
        Cut::Start => return Ok(Some(Vec::new())),
        Cut::End => return Ok(None),
        Cut::Below(value) => (value, false),
        Cut::Above(value) => (value, true),
    };
    let bytes = bytes(value).ok_or_else(|| no_field(value, "text or bytes"))?;
    // A shorter value lies before all fields that begin with it, a longer one behind the field that it begins with.
    let fitting = bytes.get(..width).unwrap_or(bytes);
    let behind = bytes.len() > width || (above && bytes.len() == width);
    Ok(if behind {
        prefix_successor(fitting)
    } else {
        Some(fitting.to_vec())
    })
}

/// The first place of `byte` in `bytes`, eight at a time.
pub(crate) fn find(bytes: &[u8], byte: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let pattern = LOW * u64::from(byte);
    let (words, _) = bytes.as_chunks::<8>();
    // A word that differs from the pattern nowhere in some byte has that byte zero, and there the borrow shows.
    let zero_at = |word: &[u8; 8]| {
        let difference = u64::from_le_bytes(*word) ^ pattern;
        difference.wrapping_sub(LOW) & !difference & HIGH
    };
    let whole = words.iter().position(|word| zero_at(word) != 0);
    let from = whole.unwrap_or(words.len()) * 8;
    let rest = bytes.get(from..)?;
    let offset = rest.iter().position(|candidate| *candidate == byte)?;
    Some(from + offset)
}

pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        Error::corrupt(format!(
            "a text that is not UTF-8: {}",
            hex(error.as_bytes())
        ))
    })
}
