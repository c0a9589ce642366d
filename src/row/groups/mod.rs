//! Rows that share an entry, several in a row: a form of storing for tests, which show with it that nobody but this
//! module takes an entry for a row.
//!
//! A [`Grouped`] store keeps a few neighbouring rows as one entry, a **group**, under the key of the last of them.
//! [`Ungrouped`] takes groups apart for who reads rows, [`Regrouped`] makes them anew of rows that are written. So the group that may have a row of some key is the first entry from that key on. It
//! is made to be right and not to be quick, and no database on disk is kept so.
//!
//! The value of a group is the byte `47`, and for each row, in key order, the lengths of its key and of its value, 4 bytes
//! little-endian each, and the bytes of both.

mod changes;
mod rows;
#[cfg(test)]
mod shown;
mod store;

pub use self::store::Grouped;

use std::sync::Arc;

use self::changes::Regrouped;
use self::rows::Ungrouped;

use crate::error::{Error, Result};
use crate::keyrange::hex;
use crate::store::{Changes, Chunk, Snapshot};

/// The first byte of every group.
const GROUP: u8 = 0x47;

/// A snapshot of which each entry in `space` is one row.
pub(super) fn ungrouped(entries: Arc<dyn Snapshot>, space: &str) -> Arc<dyn Snapshot> {
    if entries.is_grouped(space) {
        Arc::new(Ungrouped::new(entries))
    } else {
        entries
    }
}

/// Changes of which each in `space` is one row.
pub(super) fn regrouped(entries: Box<dyn Changes>, space: &str) -> Box<dyn Changes> {
    if entries.is_grouped(space) {
        Box::new(Regrouped::new(entries))
    } else {
        entries
    }
}

/// The value of a group of these rows.
///
/// # Errors
/// `NotSupported` for a row of 4 GiB and more.
fn pack<'a>(rows: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Result<Vec<u8>> {
    let too_long = |_| Error::unsupported("a row of 4 GiB and more cannot be stored");
    let mut packed = vec![GROUP];
    for (key, value) in rows {
        for length in [key.len(), value.len()] {
            let length = u32::try_from(length).map_err(too_long)?;
            packed.extend_from_slice(&length.to_le_bytes());
        }
        packed.extend_from_slice(key);
        packed.extend_from_slice(value);
    }
    Ok(packed)
}

/// The rows of the group under `last`.
///
/// # Errors
/// `Corrupt` for what is no group, or one of another key.
fn unpack(last: &[u8], packed: &[u8]) -> Result<Chunk> {
    let rows = packed.split_first().filter(|(first, _)| **first == GROUP);
    let rows = rows.and_then(|(_, rows)| unpack_rows(rows));
    let rows = rows.filter(|rows| rows.last().is_some_and(|(key, _)| key == last));
    rows.ok_or_else(|| {
        let key = hex(last);
        Error::corrupt(format!("the entry under {key} is no group of rows"))
    })
}

fn unpack_rows(mut packed: &[u8]) -> Option<Chunk> {
    let mut rows = Chunk::new();
    while !packed.is_empty() {
        let (key_length, rest) = packed.split_first_chunk()?;
        let (value_length, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*key_length) as usize)?;
        let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*value_length) as usize)?;
        rows.push(key, value);
        packed = rest;
    }
    Some(rows)
}

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;
