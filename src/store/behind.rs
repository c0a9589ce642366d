//! Where reading can go on behind entries that cannot be read.
//!
//! Damage takes a stretch of entries at once, and the keys in it with them, so where it ends is found by trying: keys at
//! ever greater distances from the last one that was read, each twice as far, until one can be sought; then, between
//! that and the last that could not, the nearest. Of two damaged stretches with little between them, what lies between
//! them may be passed over, and so may a key that is much longer and begins as one in the damage does.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Chunk, ChunkLimit, Direction, ReadRequest, Snapshot};
use crate::error::{ErrorKind, Result};
use crate::keyrange::KeyRange;

/// How many bytes of keys are told apart: those of the key from which it goes on, and some more.
const WIDTH: RangeInclusive<usize> = 32..=256;
/// Those more.
const MORE: usize = 8;

/// What is found at a key.
enum Found {
    /// The first entry from there on has this key.
    Entry(Vec<u8>),
    /// There is no entry any more.
    End,
    Damage,
}

/// The key of the first entry behind `key` at which reading can go on, where the entry behind `key` cannot be read;
/// `None` where all to the end of the space cannot, or nothing more is known to be there. It is greater than `key`.
///
/// # Errors
/// Those of the store, but for `Corrupt`.
pub fn first_readable(
    snapshot: &Arc<dyn Snapshot>,
    space: &str,
    key: &[u8],
) -> Result<Option<Vec<u8>>> {
    let mut near = key.to_vec();
    near.resize((key.len() + MORE).clamp(*WIDTH.start(), *WIDTH.end()), 0);
    let bits = near.len() * 8;
    let mut first = None;
    let mut far = bits;
    for bit in 0..bits {
        let found = match plus(&near, bit) {
            Some(key) => look(snapshot, space, &key)?,
            // No key is so great.
            None => Found::End,
        };
        match found {
            Found::Damage => continue,
            Found::Entry(key) => first = Some(key),
            Found::End => {}
        }
        far = bit;
        break;
    }
    for bit in (0..far).rev() {
        let Some(key) = plus(&near, bit) else {
            continue;
        };
        match look(snapshot, space, &key)? {
            Found::Damage => near = key,
            Found::Entry(key) => first = Some(key),
            Found::End => first = None,
        }
    }
    Ok(first)
}

/// The key as a number, and two to the power of `bit` more; `None` where it would be longer.
fn plus(key: &[u8], bit: usize) -> Option<Vec<u8>> {
    let mut sum = key.to_vec();
    let place = key.len().checked_sub(1 + bit / 8)?;
    let mut carry = 1_u8 << (bit % 8);
    for byte in sum.iter_mut().take(place + 1).rev() {
        let (value, is_carried) = byte.overflowing_add(carry);
        *byte = value;
        if !is_carried {
            return Some(sum);
        }
        carry = 1;
    }
    None
}

fn look(snapshot: &Arc<dyn Snapshot>, space: &str, key: &[u8]) -> Result<Found> {
    let Some(range) = KeyRange::new(key.to_vec(), None) else {
        return Ok(Found::End);
    };
    let mut chunk = Chunk::new();
    let read = || {
        // A reader that has failed stays so.
        let request = ReadRequest::range(space, range, Direction::Forward).with_fetch(1);
        let mut reader = Arc::clone(snapshot).read(request)?;
        while reader.fill(&mut chunk, ChunkLimit::entries(1))? && chunk.is_empty() {}
        Ok(())
    };
    let read: Result<()> = read();
    match (read, chunk.last()) {
        (_, Some((key, _))) => Ok(Found::Entry(key.to_vec())),
        (Ok(()), None) => Ok(Found::End),
        (Err(error), None) if error.kind() == ErrorKind::Corrupt => Ok(Found::Damage),
        (Err(error), None) => Err(error),
    }
}

#[cfg(test)]
#[path = "behind_tests.rs"]
mod tests;
