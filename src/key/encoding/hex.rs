//! Digests written in hexadecimal digits.

use super::{Encoding, no_field, too_short};
use crate::datum::Datum;
use crate::error::Result;
use crate::key::domain::Cut;
use crate::keyrange::hex;

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
