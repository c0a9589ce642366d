//! Sixteen bytes that are texts of hexadecimal digits outside of keys: digests and UUIDs.

use std::cmp::Ordering;

use super::{Encoding, no_field, too_short};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::domain::Cut;
use crate::keyrange::hex;

/// TEXT of 32 lower-case hexadecimal digits, as an MD5 is written, or a UUID, which has hyphens between them: 16 bytes.
/// The bytes are ordered as the texts are.
#[derive(Debug, Clone, Copy)]
pub struct Hex {
    /// How many digits stand before each hyphen.
    hyphens: &'static [usize],
}

const HEX_BYTES: usize = 16;

impl Hex {
    /// An MD5.
    pub const fn digest() -> Self {
        Self { hyphens: &[] }
    }

    /// A UUID in its canonical form.
    pub const fn uuid() -> Self {
        Self {
            hyphens: &[8, 12, 16, 20],
        }
    }

    /// The length of every text.
    fn length(self) -> usize {
        2 * HEX_BYTES + self.hyphens.len()
    }

    /// Whether a hyphen is to stand behind so many digits, of which `hyphens` were there before.
    fn is_hyphen(self, position: usize, digits: usize) -> bool {
        let before = position - digits;
        self.hyphens.get(before) == Some(&digits)
    }

    /// The place of texts at or after `text`; `above` it where it is a field itself.
    fn place(self, text: &[u8], above: bool) -> Option<Vec<u8>> {
        let mut digits: Vec<u8> = Vec::with_capacity(2 * HEX_BYTES);
        for (position, byte) in text.iter().take(self.length()).enumerate() {
            if self.is_hyphen(position, digits.len()) {
                match byte.cmp(&b'-') {
                    Ordering::Equal => continue,
                    Ordering::Less => return Some(packed(&digits)),
                    Ordering::Greater => return next_digits(digits),
                }
            }
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
        if whole && (above || text.len() > self.length()) {
            return next_digits(digits);
        }
        Some(packed(&digits))
    }

    /// The digits of a text that is a field.
    fn digits(self, text: &str) -> Option<Vec<u8>> {
        let mut digits = Vec::with_capacity(2 * HEX_BYTES);
        for (position, byte) in text.bytes().enumerate() {
            match self.is_hyphen(position, digits.len()) {
                true if byte == b'-' => {}
                true => return None,
                false => digits.push(digit(byte)?),
            }
        }
        (text.len() == self.length()).then_some(digits)
    }

    /// The text of a field.
    fn text(self, field: &[u8]) -> String {
        let mut text = hex(field);
        for digits in self.hyphens.iter().rev() {
            text.insert(*digits, '-');
        }
        text
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
        let digits = value.as_text().and_then(|text| self.digits(text));
        let expected = match self.hyphens {
            [] => "TEXT of 32 lower-case hexadecimal digits",
            _ => "UUID in its canonical form",
        };
        let digits = digits.ok_or_else(|| no_field(value, expected))?;
        into.extend(packed(&digits));
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> Result<(Datum, usize)> {
        let field = bytes
            .get(..HEX_BYTES)
            .ok_or_else(|| too_short(bytes.len(), HEX_BYTES))?;
        Ok((Datum::Text(self.text(field)), HEX_BYTES))
    }

    fn position(&self, cut: &Cut) -> Result<Option<Vec<u8>>> {
        let (value, above) = match cut {
            Cut::Start => return Ok(Some(Vec::new())),
            Cut::End => return Ok(None),
            Cut::Below(value) => (value, false),
            Cut::Above(value) => (value, true),
        };
        let text = value.as_text().ok_or_else(|| no_field(value, "TEXT"))?;
        Ok(self.place(text.as_bytes(), above))
    }
}
