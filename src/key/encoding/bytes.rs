//! What fields of text and bytes share.
//!
//! Constants may stand in a predicate that no field can hold: a text too long for its CHAR, a hash of nine bytes. They
//! equal nothing, but they have their place in the order of values, and [`super::Encoding::position`] finds it.

use super::no_field;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::key::domain::Cut;
use crate::keyrange::{hex, prefix_successor};

/// The place of a cut among fields of `width` bytes that hold their value's bytes as they are.
pub(super) fn position_among(
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
pub(super) fn find(bytes: &[u8], byte: u8) -> Option<usize> {
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

pub(super) fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        Error::corrupt(format!(
            "a text that is not UTF-8: {}",
            hex(error.as_bytes())
        ))
    })
}
