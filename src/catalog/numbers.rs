//! A sequence at work: the numbers that it hands out.
//!
//! # What is kept
//!
//! Beside its definition in the space `catalog` a sequence has an entry in the space `sequences`: its id, 8 bytes,
//! big-endian, and under it a byte and 8 bytes, big-endian. The byte is 0 while no number has been handed out; after that
//! it is 1, and the number the last one that may have been. Numbers are taken in blocks: the entry is written, and on the
//! disk, before the first of a block is handed out. So no number is handed out twice, whatever ends the process; what is
//! left of a block is lost with it, and numbers of a statement that fails are not given back.

use std::sync::Arc;

use parking_lot::Mutex;

use super::stored::{NUMBERS, stored_numbers};
use crate::error::{Error, Result};
use crate::schema;
use crate::store::{Claim, Durability, Snapshot, Store, WriteBatch};

/// A sequence that hands out numbers.
#[derive(Debug)]
pub struct Sequence {
    definition: schema::Sequence,
    store: Arc<dyn Store>,
    block: Mutex<Block>,
}

/// Numbers that have been taken from the store, and are not handed out yet.
#[derive(Debug, Default)]
struct Block {
    next: i64,
    left: u64,
}

impl Sequence {
    pub(super) fn new(definition: schema::Sequence, store: Arc<dyn Store>) -> Self {
        Self {
            definition,
            store,
            block: Mutex::default(),
        }
    }

    /// Its definition.
    pub fn definition(&self) -> &schema::Sequence {
        &self.definition
    }

    /// So many numbers, in their order, which nobody else is given. Waits for the disk.
    ///
    /// # Errors
    /// `InvalidInput` where there are not so many any more; those of the store. Numbers may be lost then.
    pub fn next(&self, count: usize) -> Result<Vec<i64>> {
        let mut numbers = Vec::with_capacity(count);
        let mut block = self.block.lock();
        while numbers.len() < count {
            let missing = (count - numbers.len()) as u64;
            if block.left == 0 {
                let wanted = missing.max(self.definition.cache);
                *block = self.reserve(wanted).map_err(|error| {
                    error.context(format!("sequence `{}`", self.definition.name))
                })?;
            }
            let taken = missing.min(block.left);
            for _ in 0..taken {
                numbers.push(block.next);
                // The last number of all has none behind it.
                block.next = block.next.wrapping_add(self.definition.increment);
            }
            block.left -= taken;
        }
        Ok(numbers)
    }

    /// The next number will be this one, or the one behind it if `is_called`.
    ///
    /// # Errors
    /// `InvalidInput` for one outside of its bounds; those of the store.
    pub fn set(&self, number: i64, is_called: bool) -> Result<()> {
        let (minimum, maximum) = (self.definition.minimum, self.definition.maximum);
        if !(minimum..=maximum).contains(&number) {
            return Err(Error::invalid(format!(
                "sequence `{}`: {number} is not between {minimum} and {maximum}",
                self.definition.name
            )));
        }
        let mut block = self.block.lock();
        let mut changes = Arc::clone(&self.store).begin(&[Claim::exclusive(NUMBERS)])?;
        let mut batch = WriteBatch::new();
        let state = match is_called {
            true => written(Some(number)),
            false if number == self.definition.start => written(None),
            // As if the one before it had been the last.
            false => match number.checked_sub(self.definition.increment) {
                Some(before) => written(Some(before)),
                None => {
                    let message = format!("no number stands before {number}; set it as called");
                    return Err(Error::unsupported(message));
                }
            },
        };
        batch.put(NUMBERS, &self.key(), &state);
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        *block = Block::default();
        Ok(())
    }

    /// The last number that may have been handed out at a moment of its store.
    ///
    /// # Errors
    /// `Corrupt` where that cannot be read; those of the store.
    pub fn last(&self, snapshot: &dyn Snapshot) -> Result<Option<i64>> {
        let stored = stored_numbers(snapshot, &self.key())?;
        read(stored.as_deref())
    }

    /// Goes on behind `last`, unless it is there already or beyond.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn advance(&self, last: Option<i64>) -> Result<()> {
        let Some(last) = last else {
            return Ok(());
        };
        let mut block = self.block.lock();
        let mut changes = Arc::clone(&self.store).begin(&[Claim::exclusive(NUMBERS)])?;
        let is_beyond = |known: i64| {
            if self.definition.increment < 0 {
                known <= last
            } else {
                known >= last
            }
        };
        let known = self.last(changes.snapshot()?.as_ref())?;
        if known.is_some_and(is_beyond) {
            return Ok(());
        }
        let mut batch = WriteBatch::new();
        batch.put(NUMBERS, &self.key(), &written(Some(last)));
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        *block = Block::default();
        Ok(())
    }

    /// The key of its entry.
    pub(super) fn key(&self) -> [u8; 8] {
        self.definition.id.to_be_bytes()
    }

    /// Takes so many numbers from the store, or as many as there are.
    fn reserve(&self, wanted: u64) -> Result<Block> {
        let mut changes = Arc::clone(&self.store).begin(&[Claim::exclusive(NUMBERS)])?;
        let last = self.last(changes.snapshot()?.as_ref())?;
        let Some((first, left)) = self.behind(last, wanted) else {
            return Err(Error::invalid(if self.definition.increment < 0 {
                format!("it is at its end, {}", self.definition.minimum)
            } else {
                format!("it is at its end, {}", self.definition.maximum)
            }));
        };
        let steps = i128::from(left) - 1;
        let last = i128::from(first) + steps * i128::from(self.definition.increment);
        let last = i64::try_from(last).map_err(|_| Error::internal("a block of no numbers"))?;
        let mut batch = WriteBatch::new();
        batch.put(NUMBERS, &self.key(), &written(Some(last)));
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        Ok(Block { next: first, left })
    }

    /// The first number behind the last one, and how many there are from it on, of those that are wanted.
    fn behind(&self, last: Option<i64>, wanted: u64) -> Option<(i64, u64)> {
        let of = &self.definition;
        let first = match last {
            None => of.start,
            Some(last) => last.checked_add(of.increment)?,
        };
        if !(of.minimum..=of.maximum).contains(&first) {
            return None;
        }
        let room = if of.increment < 0 {
            i128::from(first) - i128::from(of.minimum)
        } else {
            i128::from(of.maximum) - i128::from(first)
        };
        let more = room / i128::from(of.increment).abs();
        let there = u64::try_from(more).unwrap_or(u64::MAX).saturating_add(1);
        Some((first, wanted.min(there)))
    }
}

/// The entry of a sequence of which this was the last number, or none.
pub(super) fn written(last: Option<i64>) -> [u8; 9] {
    let mut bytes = [0; 9];
    if let (Some(last), Some((flag, number))) = (last, bytes.split_first_mut()) {
        *flag = 1;
        number.copy_from_slice(&last.to_be_bytes());
    }
    bytes
}

/// The last number that may have been handed out.
fn read(stored: Option<&[u8]>) -> Result<Option<i64>> {
    let missing = || Error::corrupt("its numbers are missing, or cannot be read");
    match stored.and_then(<[u8]>::split_first) {
        Some((0, _)) => Ok(None),
        Some((1, number)) => {
            let number = <[u8; 8]>::try_from(number).map_err(|_| missing())?;
            Ok(Some(i64::from_be_bytes(number)))
        }
        _ => Err(missing()),
    }
}
