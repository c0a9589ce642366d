//! What large deletions leave is cleared away in the background.
//!
//! RocksDB deletes an entry by writing that it is no more; the two are merged away some day, and until then whoever reads
//! over them passes over each, which takes nearly as long as to read it. So every few thousand deletions of a space the
//! stretch of keys in which they lie is looked at. Where they are a good part of what lies there its files are merged, on
//! a thread of its own; where they are few among many entries that stay, that would cost more than it gives, and they are
//! left to RocksDB's own merges, which prefer files full of deletions (see `family_options`). A range that was deleted at
//! once is passed over at once; it is merged for the room that it takes.
//!
//! A deletion is kept as long as a snapshot may see what it has deleted. So nothing is merged before the snapshots are
//! gone that were there: that of the DELETE itself, above all.
//!
//! Nobody waits for it, and closing the store ends it at once: what is left then is cleared away when RocksDB merges by
//! itself, or by VACUUM.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ::rocksdb::{BottommostLevelCompaction, CompactOptions};
use parking_lot::{Condvar, Mutex};

use super::{Database, Spaces};
use crate::keyrange::KeyRange;

/// After how many deletions of a space their stretch is looked at.
pub(super) const DELETIONS: usize = 4096;

/// A stretch is merged where deletions are at least one in so many of its entries.
const SHARE: u64 = 8;

/// Stretches are merged together where at most so many bytes lie between them.
const BETWEEN: u64 = 1 << 20;

/// A range that was deleted at once is merged where it has at least so many bytes: a merge writes the memtable into a file.
const EMPTIED: u64 = 4 << 20;

/// How often it is asked whether the snapshots are gone.
const PAUSE: Duration = Duration::from_millis(20);

/// The deletions of one space that lie between two keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    space: String,
    first: Vec<u8>,
    last: Vec<u8>,
    deletions: usize,
    /// Whether nothing is left between the two, but for what came later.
    is_emptied: bool,
}

impl Stretch {
    fn of(space: &str, key: &[u8]) -> Self {
        Self {
            space: space.to_owned(),
            first: key.to_vec(),
            last: key.to_vec(),
            deletions: 0,
            is_emptied: false,
        }
    }

    fn add(&mut self, key: &[u8]) {
        if key < self.first.as_slice() {
            self.first = key.to_vec();
        }
        if key > self.last.as_slice() {
            self.last.clear();
            self.last.extend_from_slice(key);
        }
        self.deletions += 1;
    }

    /// Its keys, but perhaps for the last one.
    fn range(&self) -> Option<KeyRange> {
        KeyRange::new(self.first.clone(), Some([&self.last, &[0][..]].concat()))
    }
}

/// Gathers deletions by space, some thousands at a time. Those of one statement come in the order of their keys, so that
/// what it deletes in several places becomes several stretches.
#[derive(Debug, Default)]
pub(super) struct Deletions {
    begun: HashMap<String, Stretch>,
    full: Vec<Stretch>,
}

impl Deletions {
    pub(super) fn add(&mut self, space: &str, key: &[u8]) {
        if !self.begun.contains_key(space) {
            let begun = Stretch::of(space, key);
            self.begun.insert(space.to_owned(), begun);
        }
        let Some(stretch) = self.begun.get_mut(space) else {
            return;
        };
        stretch.add(key);
        if stretch.deletions >= DELETIONS {
            self.full.extend(self.begun.remove(space));
        }
    }

    /// Notes a range that is deleted at once.
    pub(super) fn add_range(&mut self, space: &str, start: &[u8], stop: &[u8]) {
        self.full.push(Stretch {
            last: stop.to_vec(),
            is_emptied: true,
            ..Stretch::of(space, start)
        });
    }

    /// Adds those of another.
    pub(super) fn join(&mut self, other: Self) {
        self.full.extend(other.full);
    }

    /// The stretches that are worth a look.
    pub(super) fn take_full(&mut self) -> Vec<Stretch> {
        std::mem::take(&mut self.full)
    }
}

/// Clears away what deletions leave. Dropped, it ends at once.
#[derive(Debug)]
pub(super) struct Clearing {
    shared: Arc<Shared>,
    /// Deletions that were written batch by batch.
    deletions: Mutex<Deletions>,
    database: Weak<Database>,
}

#[derive(Debug, Default)]
struct Shared {
    work: Mutex<Work>,
    has_changed: Condvar,
}

#[derive(Default)]
struct Work {
    waiting: Vec<(Arc<Spaces>, Stretch)>,
    thread: Option<JoinHandle<()>>,
    is_at_work: bool,
    is_closing: bool,
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stretches", self.waiting.len())
    }
}

impl Clearing {
    pub(super) fn of(database: &Arc<Database>) -> Self {
        Self {
            shared: Arc::default(),
            deletions: Mutex::default(),
            database: Arc::downgrade(database),
        }
    }

    /// Notes what a batch deletes: the stretches that are full by it, to be cleared once it is written.
    pub(super) fn note<'a>(
        &self,
        deleted: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Vec<Stretch> {
        let mut deleted = deleted.peekable();
        if deleted.peek().is_none() {
            return Vec::new();
        }
        let mut deletions = self.deletions.lock();
        for (space, key) in deleted {
            deletions.add(space, key);
        }
        deletions.take_full()
    }

    /// Clears stretches whose deletions are written.
    pub(super) fn clear(&self, spaces: &Arc<Spaces>, stretches: Vec<Stretch>) {
        if stretches.is_empty() {
            return;
        }
        let mut work = self.shared.work.lock();
        let stretches = stretches.into_iter();
        let stretches = stretches.map(|stretch| (Arc::clone(spaces), stretch));
        work.waiting.extend(stretches);
        if work.is_at_work || work.is_closing {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name("halite-clearing".to_owned());
        // Where there is no thread to be had RocksDB merges by itself some day.
        if let Ok(thread) = thread.spawn(move || shared.run()) {
            work.thread = Some(thread);
            work.is_at_work = true;
        }
    }

    /// Whether something waits to be cleared, or is.
    #[cfg(test)]
    pub(super) fn is_at_work(&self) -> bool {
        self.shared.work.lock().is_at_work
    }
}

impl Drop for Clearing {
    fn drop(&mut self) {
        let thread = {
            let mut work = self.shared.work.lock();
            work.is_closing = true;
            work.waiting.clear();
            work.thread.take()
        };
        self.shared.has_changed.notify_all();
        let Some(thread) = thread else {
            return;
        };
        if let Some(database) = self.database.upgrade() {
            database.db.disable_manual_compaction();
        }
        // A thread that has panicked has nothing left to do.
        let _ = thread.join();
    }
}

impl Shared {
    fn run(&self) {
        while let Some((spaces, stretches)) = self.next() {
            for merged in worth_merging(&spaces, stretches) {
                if self.work.lock().is_closing {
                    break;
                }
                merge(&spaces, &merged);
            }
        }
    }

    /// What waits, once no snapshot keeps it from being cleared; `None` where nothing does, and when the store is closed.
    fn next(&self) -> Option<(Arc<Spaces>, Vec<Stretch>)> {
        let mut work = self.work.lock();
        loop {
            let newest = work.waiting.last().map(|(spaces, _)| Arc::clone(spaces));
            let Some(spaces) = newest.filter(|_| !work.is_closing) else {
                work.is_at_work = false;
                return None;
            };
            let written = spaces.borrow_owner().db.latest_sequence_number();
            let waiting = std::mem::take(&mut work.waiting);
            let stretches = waiting.into_iter().map(|(_, stretch)| stretch).collect();
            while !work.is_closing && is_seen(&spaces, written) {
                self.has_changed.wait_for(&mut work, PAUSE);
            }
            if !work.is_closing {
                return Some((spaces, stretches));
            }
        }
    }
}

/// Whether there is a snapshot from before the entry with this number.
fn is_seen(spaces: &Spaces, written: u64) -> bool {
    let database = spaces.borrow_owner();
    let oldest = database
        .db
        .property_int_value("rocksdb.oldest-snapshot-sequence");
    matches!(oldest, Ok(Some(oldest)) if oldest != 0 && oldest < written)
}

/// The stretches of which deletions are a good part, those that lie close together as one.
fn worth_merging(spaces: &Spaces, mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_by(|one, other| (&one.space, &one.first).cmp(&(&other.space, &other.first)));
    let mut merged: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        if !is_worth_merging(spaces, &stretch) {
            continue;
        }
        match merged.last_mut() {
            Some(last) if are_close(spaces, last, &stretch) => {
                last.last = last.last.clone().max(stretch.last);
                last.deletions += stretch.deletions;
            }
            _ => merged.push(stretch),
        }
    }
    merged
}

fn is_worth_merging(spaces: &Spaces, stretch: &Stretch) -> bool {
    let all = size(spaces, &stretch.space, &KeyRange::all());
    let own = stretch
        .range()
        .map(|range| size(spaces, &stretch.space, &range));
    let entries = entries(spaces, &stretch.space);
    let (Some(all), Some(own), Some(entries)) = (all, own.flatten(), entries) else {
        return false;
    };
    if stretch.is_emptied {
        return own >= EMPTIED;
    }
    // Of a space that is nearly empty by now RocksDB says that it has few entries.
    let entry = all / entries.max(1);
    own / SHARE <= entry.saturating_mul(stretch.deletions as u64)
}

fn are_close(spaces: &Spaces, one: &Stretch, other: &Stretch) -> bool {
    if one.space != other.space {
        return false;
    }
    match KeyRange::new(one.last.clone(), Some(other.first.clone())) {
        None => true,
        Some(between) => {
            size(spaces, &one.space, &between).is_some_and(|between| between <= BETWEEN)
        }
    }
}

/// About how many bytes a range has; `None` where RocksDB cannot say, or the space is gone.
fn size(spaces: &Spaces, space: &str, range: &KeyRange) -> Option<u64> {
    super::size_of(spaces, space, range).ok()
}

fn entries(spaces: &Spaces, space: &str) -> Option<u64> {
    let database = spaces.borrow_owner();
    let family = &spaces.find(space).ok()?.family;
    let counted = database.db.property_int_value_cf(family, super::ENTRIES);
    counted.ok().flatten()
}

/// Merges the files of a stretch, down to where nothing lies below; also one that nothing lies below, which RocksDB would
/// only call one of the lowest level.
fn merge(spaces: &Spaces, stretch: &Stretch) {
    if let Ok(space) = spaces.find(&stretch.space) {
        let database = spaces.borrow_owner();
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::ForceOptimized);
        let (first, last) = (Some(&stretch.first), Some(&stretch.last));
        database
            .db
            .compact_range_cf_opt(&space.family, first, last, &options);
    }
}

#[cfg(test)]
#[path = "clearing_tests.rs"]
mod tests;
