//! Rows that are dealt out over the buckets of `random_salt(n)`, each into one where its key is free.
//!
//! The rows come sorted by their keys in the first bucket, which is to say by the rest of their keys: those that could
//! be in each other's way are neighbours. They are given the buckets in turn. Where one is taken under that key, by a
//! stored row or by one of the statement, the next one is tried; where all are taken, the row is a duplicate. As the
//! table is claimed, what is found free stays so until the rows are written.
//!
//! Which bucket is the next is shared by all writers of a table in a process, and stored nowhere. Where the first row of
//! a process goes follows from its key, so that processes that insert a row each do not all begin with the same bucket.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::changes::{EncodedChange, EncodedChanges};
use super::conflict::{Conflict, Refusal, stretches};
use super::sorter::{SortedChanges, Sorter};
use super::stored::StoredRows;
use crate::error::{Error, Result};
use crate::schema::BoundTable;

/// How many rows are dealt out at once: as many, and those that have the key of the last one.
const ROWS: usize = 4_096;
/// No row is added to those once they take so many bytes.
const BYTES: usize = 4 << 20;

/// The bucket of the next row of one table. A clone of it is the same.
#[derive(Debug, Clone, Default)]
pub(super) struct NextBucket(Arc<Mutex<Option<u32>>>);

impl NextBucket {
    /// The first of the next `rows` buckets, of so many in all; `key` is that of the first row.
    fn take(&self, rows: usize, buckets: u32, key: &[u8]) -> u32 {
        let mut next = self.0.lock();
        let mixed = key.iter().fold(0_u32, |mixed, byte| {
            mixed.wrapping_mul(31).wrapping_add(u32::from(*byte))
        });
        let first = next.unwrap_or(mixed) % buckets;
        let rows = u32::try_from(rows % buckets as usize).unwrap_or_default();
        *next = Some((first + rows) % buckets);
        first
    }
}

/// Deals rows out, a window of them at a time.
pub(super) struct Dealer<'a> {
    table: &'a Arc<BoundTable>,
    stored: StoredRows,
    next: &'a NextBucket,
    buckets: u32,
    /// Rows in the first bucket, sorted.
    window: EncodedChanges,
}

/// A row of the window.
struct Dealt {
    /// Its key, in the bucket that it is given.
    key: Vec<u8>,
    bucket: u32,
    /// Where the rows begin that differ from it by their bucket alone.
    group: usize,
    /// How many buckets behind the first one it has come.
    tried: u32,
}

impl<'a> Dealer<'a> {
    /// One that finds in `stored` which keys are taken.
    ///
    /// # Errors
    /// `Internal` for a table whose rows are not dealt out.
    pub(super) fn new(
        table: &'a Arc<BoundTable>,
        stored: StoredRows,
        next: &'a NextBucket,
    ) -> Result<Self> {
        let buckets = table.row_key().dealt_buckets();
        Ok(Self {
            table,
            stored,
            next,
            buckets: buckets.ok_or_else(|| Error::internal("a table without buckets"))?,
            window: EncodedChanges::default(),
        })
    }

    /// Gives the next rows of `sorted` to `dealt`, under their keys; returns whether there were any.
    ///
    /// # Errors
    /// The conflict of a row for which no bucket is free; those of the store.
    pub(super) fn deal(
        &mut self,
        sorted: &mut SortedChanges,
        dealt: &mut Sorter,
    ) -> Result<bool, Refusal> {
        if !self.fill(sorted)? {
            return Ok(false);
        }
        let mut rows = self.first_buckets()?;
        let mut looked_for: Vec<usize> = (0..rows.len()).collect();
        while !looked_for.is_empty() {
            let taken = self.taken(&rows, looked_for)?;
            self.give_next(&mut rows, &taken)?;
            looked_for = taken;
        }
        for (row, change) in rows.iter().zip(self.window.iter()) {
            let key = row.key.as_slice();
            dealt.push(EncodedChange { key, ..change })?;
        }
        Ok(true)
    }

    /// Takes the next rows: of those of one key all, or more than there are buckets.
    fn fill(&mut self, sorted: &mut SortedChanges) -> Result<bool> {
        self.window.clear();
        let mut last: Vec<u8> = Vec::new();
        let mut alike = 0;
        while let Some(change) = sorted.change() {
            let is_alike = !self.window.is_empty() && change.key == last;
            let is_full = self.window.len() >= ROWS || self.window.size_in_bytes() >= BYTES;
            alike = if is_alike { alike + 1 } else { 1 };
            if (is_full && !is_alike) || alike > u64::from(self.buckets) + 1 {
                break;
            }
            if !is_alike {
                last.clear();
                last.extend_from_slice(change.key);
            }
            sorted.give(&mut self.window)?;
            sorted.advance()?;
        }
        Ok(!self.window.is_empty())
    }

    /// The rows of the window, in turn in the next buckets.
    fn first_buckets(&self) -> Result<Vec<Dealt>, Refusal> {
        let first_key = self.window.get(0).map_or(&[][..], |first| first.key);
        let first = self.next.take(self.window.len(), self.buckets, first_key);
        let mut rows: Vec<Dealt> = Vec::with_capacity(self.window.len());
        let (mut group, mut bucket) = (0, first);
        let mut before: Option<&[u8]> = None;
        for (place, change) in self.window.iter().enumerate() {
            if before != Some(change.key) {
                group = place;
            }
            if place - group >= self.buckets as usize {
                return Err(self.duplicate(place));
            }
            before = Some(change.key);
            let mut key = change.key.to_vec();
            self.table.row_key().set_bucket(&mut key, bucket)?;
            rows.push(Dealt {
                key,
                bucket,
                group,
                tried: 0,
            });
            bucket = (bucket + 1) % self.buckets;
        }
        Ok(rows)
    }

    /// Of the rows at these places those whose keys are taken.
    fn taken(&mut self, rows: &[Dealt], mut places: Vec<usize>) -> Result<Vec<usize>> {
        let key_of = |place: usize| rows.get(place).map_or(&[][..], |row| row.key.as_slice());
        places.sort_unstable_by_key(|place| key_of(*place));
        let bytes = |place: &usize| {
            let value = self.window.get(*place).and_then(|row| row.value);
            value.map_or(0, <[u8]>::len)
        };
        let mut taken = Vec::new();
        for places in stretches(&places, bytes) {
            let keys: Vec<&[u8]> = places.iter().map(|place| key_of(*place)).collect();
            let found = self.stored.get_sorted(&keys)?;
            let found = places.iter().zip(found);
            taken.extend(found.filter_map(|(place, found)| found.map(|_| *place)));
        }
        Ok(taken)
    }

    /// Gives each of these rows, whose keys are taken, the next bucket that none of its group has.
    fn give_next(&self, rows: &mut [Dealt], places: &[usize]) -> Result<(), Refusal> {
        for place in places {
            let bucket = match rows.get(*place) {
                Some(row) => self.next_of(row, *place, rows),
                None => None,
            };
            let Some((bucket, tried)) = bucket else {
                return Err(self.duplicate(*place));
            };
            if let Some(row) = rows.get_mut(*place) {
                (row.bucket, row.tried) = (bucket, tried);
                self.table.row_key().set_bucket(&mut row.key, bucket)?;
            }
        }
        Ok(())
    }

    /// The bucket that a row tries next, and how many it has tried then. What others of its group have is free for none,
    /// even where they will leave it, as they leave only what is taken.
    fn next_of(&self, row: &Dealt, place: usize, rows: &[Dealt]) -> Option<(u32, u32)> {
        let group = rows.iter().enumerate().skip(row.group);
        let group = group.take_while(|(_, other)| other.group == row.group);
        let others = group.filter(|(other, _)| *other != place);
        let given: HashSet<u32> = others.map(|(_, other)| other.bucket).collect();
        let bucket_after = |steps: u32| {
            let sum = u64::from(row.bucket) + u64::from(steps);
            u32::try_from(sum % u64::from(self.buckets)).unwrap_or_default()
        };
        (1..self.buckets.saturating_sub(row.tried))
            .map(|steps| (bucket_after(steps), row.tried + steps))
            .find(|(bucket, _)| !given.contains(bucket))
    }

    /// The conflict of the row at `place`, for which no bucket is left.
    fn duplicate(&self, place: usize) -> Refusal {
        match self.window.get(place) {
            None => Error::internal("a row that was not dealt out").into(),
            Some(row) => {
                let value = row.value.unwrap_or_default();
                Refusal::Conflict(Box::new(Conflict::in_every_bucket(
                    row.number, row.key, value,
                )))
            }
        }
    }
}
