//! Cells beside a message, as `KeyValueCodec` writes them: for each `u32` length, `u32` length of the key, `u32` length of
//! the value, `u16` length of the row, row, `u8` length of the family, family, qualifier, `u64` time stamp, `u8` type, value.

use crate::error::{Error, Result};

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockCell<'a> {
    pub row: &'a [u8],
    pub qualifier: &'a [u8],
    pub timestamp: u64,
    pub value: &'a [u8],
}

/// Takes the next cell off a block; `None` at its end.
///
/// # Errors
/// `Corrupt` for what is no cell.
pub(super) fn next<'a>(block: &mut &'a [u8]) -> Result<Option<BlockCell<'a>>> {
    if block.is_empty() {
        return Ok(None);
    }
    let cell = cell(block);
    cell.map(Some)
        .ok_or_else(|| Error::corrupt("a cell of HBase cannot be read"))
}

fn cell<'a>(block: &mut &'a [u8]) -> Option<BlockCell<'a>> {
    let mut rest = *block;
    let length = number(&mut rest)?;
    let (mut rest, behind) = rest.split_at_checked(length)?;
    let (key_length, value_length) = (number(&mut rest)?, number(&mut rest)?);
    let (mut key, rest) = rest.split_at_checked(key_length)?;
    // Tags may come behind the value.
    let value = rest.get(..value_length)?;
    let (row_length, rest) = key.split_first_chunk()?;
    key = rest;
    let (row, rest) = key.split_at_checked(usize::from(u16::from_be_bytes(*row_length)))?;
    let (family_length, rest) = rest.split_first()?;
    let (_, rest) = rest.split_at_checked(usize::from(*family_length))?;
    let (rest, _) = rest.split_last_chunk::<1>()?;
    let (qualifier, timestamp) = rest.split_last_chunk()?;
    *block = behind;
    Some(BlockCell {
        row,
        qualifier,
        timestamp: u64::from_be_bytes(*timestamp),
        value,
    })
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_be_bytes(*number) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `KeyValue("row", "h", "", 258, Put, "value")` of the Java client.
    const CELL: &[u8] =
        b"\0\0\0\x1d\0\0\0\x10\0\0\0\x05\0\x03row\x01h\0\0\0\0\0\0\x01\x02\x04value";

    #[test]
    fn cells_are_read() {
        let block = [CELL, CELL].concat();
        let mut block = &block[..];
        let expected = BlockCell {
            row: b"row",
            qualifier: b"",
            timestamp: 258,
            value: b"value",
        };
        assert_eq!(next(&mut block).unwrap(), Some(expected));
        assert_eq!(next(&mut block).unwrap(), Some(expected));
        assert_eq!(next(&mut block).unwrap(), None);
    }

    #[test]
    fn hostile_cells_are_refused() {
        for length in 1..CELL.len() {
            next(&mut &CELL[..length]).unwrap_err();
        }
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        for _ in 0..20_000 {
            let mut damaged = CELL.to_vec();
            for _ in 0..random.usize(1..5) {
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
            }
            let mut block = &damaged[..];
            while let Ok(Some(_)) = next(&mut block) {}
        }
    }
}
