//! Reversed decimal digits.

use super::bytes::position_among;
use super::{Encoding, no_field, too_short};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::keyrange::hex;

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
