//! Reading: snapshots, and the cursors on them.

use std::fmt;
use std::sync::Arc;

use ::rocksdb::perf::{PerfStatsLevel, set_perf_stats};
use ::rocksdb::{DBRawIterator, ErrorKind as RocksErrorKind, PerfMetric, ReadOptions};
use self_cell::self_cell;

use super::super::changes::Claims;
use super::super::local::{self, KEYS_PER_LOOKUP, Visit};
use super::super::remaining::Remaining;
use super::super::{
    Chunk, ChunkLimit, Cursor, Direction, LocalSnapshot, ReadRequest, Reader, Snapshot,
    has_failed_before, outside_of_cursor,
};
use super::{Database, Spaces, View};
use crate::error::{ErrorKind, Result};
use crate::keyrange::KeyRange;

self_cell! {
    /// RocksDB's iterator, and the snapshot that it reads.
    struct Entries {
        owner: Arc<RocksSnapshot>,
        #[covariant]
        dependent: DBRawIterator,
    }
}

/// The store at one moment.
pub(super) struct RocksSnapshot {
    /// Reads at the view: made once, for a lookup would make its own.
    read_options: ReadOptions,
    view: Arc<View>,
    claims: Arc<Claims>,
}

impl RocksSnapshot {
    pub(super) fn new(view: Arc<View>, claims: Arc<Claims>) -> Self {
        let mut read_options = ReadOptions::default();
        read_options.set_snapshot(view.borrow_dependent());
        Self {
            read_options,
            view,
            claims,
        }
    }

    fn spaces(&self) -> &Spaces {
        self.view.borrow_owner()
    }

    fn database(&self) -> &Database {
        self.spaces().borrow_owner()
    }

    /// An iterator over the part `within` of a space, which gives up after `interrupt_after` entries that are no more.
    fn iterator(
        &self,
        space: &str,
        within: &KeyRange,
        interrupt_after: u64,
    ) -> Result<DBRawIterator<'_>> {
        let mut options = ReadOptions::default();
        if !within.start().is_empty() {
            options.set_iterate_lower_bound(within.start());
        }
        if let Some(stop) = within.stop() {
            options.set_iterate_upper_bound(stop);
        }
        options.set_total_order_seek(true);
        options.set_adaptive_readahead(true);
        options.set_max_skippable_internal_keys(interrupt_after);
        let family = &self.spaces().find(space)?.family;
        let view = self.view.borrow_dependent();
        Ok(view.raw_iterator_cf_opt(family, options))
    }
}

impl fmt::Debug for RocksSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RocksSnapshot({:?})", self.spaces())
    }
}

impl Snapshot for RocksSnapshot {
    fn has_space(&self, space: &str) -> bool {
        self.spaces().borrow_dependent().contains_key(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.claims.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let family = &self.spaces().find(space)?.family;
        let database = self.database();
        let value = database.db.get_cf_opt(family, key, &self.read_options);
        value.map_err(|error| database.failed(format!("reading from {space}"), error))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut values = Vec::with_capacity(keys.len());
        self.visit(space, keys, &mut |_, value| {
            values.push(value.map(<[u8]>::to_vec));
            true
        })?;
        Ok(values)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        local::read(self, request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Some(self)
    }
}

impl LocalSnapshot for RocksSnapshot {
    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()> {
        let family = &self.spaces().find(space)?.family;
        let database = self.database();
        if let [key] = keys {
            let found = database
                .db
                .get_pinned_cf_opt(family, key, &self.read_options);
            let value =
                found.map_err(|error| database.failed(format!("reading from {space}"), error))?;
            take(0, value.as_deref());
            return Ok(());
        }
        // RocksDB sorts those that are not.
        let is_sorted = keys.is_sorted();
        let stretches = keys.chunks(KEYS_PER_LOOKUP).enumerate();
        for (stretch, keys) in stretches {
            let first = stretch * KEYS_PER_LOOKUP;
            let keys = keys.iter().copied();
            let found =
                database
                    .db
                    .batched_multi_get_cf_opt(family, keys, is_sorted, &self.read_options);
            for (index, value) in found.into_iter().enumerate() {
                let value = value
                    .map_err(|error| database.failed(format!("reading from {space}"), error))?;
                if !take(first + index, value.as_deref()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        let interrupt_after = self.database().options.interrupt_after;
        let entries = Entries::try_new(self, |snapshot| {
            snapshot.iterator(space, within, interrupt_after)
        })?;
        Ok(Box::new(RocksCursor {
            entries,
            space: space.to_owned(),
            within: within.clone(),
            direction,
            interrupt_after,
            values: true,
            remaining: Remaining::of(within, within, direction),
            state: State::Ended,
            deleted: 0,
        }))
    }
}

/// Where a cursor stands.
enum State {
    /// The iterator stands on the first entry that remains, or has just ended.
    BeforeEntry,
    /// The iterator stands on the entry that was yielded last. It moves on when more is wanted, not earlier: of a walk
    /// that jumps on from each key, the next one would be read for nothing.
    OnYielded,
    /// The iterator gave up in a run of entries that are no more, and does not say where.
    Interrupted,
    /// The iterator stands on the first entry behind the end.
    BehindEnd,
    /// Nothing is left, or nothing has been sought.
    Ended,
    /// The iterator has failed.
    Failed(ErrorKind, String),
}

/// How reading came to a halt.
enum Halt {
    LimitReached,
    RangeEnded,
    IteratorInvalid,
}

struct RocksCursor {
    entries: Entries,
    space: String,
    within: KeyRange,
    direction: Direction,
    interrupt_after: u64,
    values: bool,
    remaining: Remaining,
    state: State,
    /// How many deleted entries were passed over.
    deleted: u64,
}

/// Does something with RocksDB on this thread, and counts the deleted entries that it passes over.
fn counting<T>(work: impl FnOnce() -> T) -> (T, u64) {
    ::rocksdb::perf::with_thread_local(|counters| {
        set_perf_stats(PerfStatsLevel::EnableCount);
        let done = work();
        set_perf_stats(PerfStatsLevel::Disable);
        (
            done,
            counters.metric(PerfMetric::InternalDeleteSkippedCount),
        )
    })
}

impl RocksCursor {
    fn refuse_if_failed(&self) -> Result<()> {
        match &self.state {
            State::Failed(kind, message) => Err(has_failed_before(*kind, message)),
            _ => Ok(()),
        }
    }

    /// Moves the iterator to the first entry that remains.
    fn land(&mut self) -> Result<()> {
        let (remaining, direction) = (&self.remaining, self.direction);
        let entries = &mut self.entries;
        let land = |iterator: &mut DBRawIterator<'_>| {
            match (direction, remaining.stop()) {
                (Direction::Forward, _) => iterator.seek(remaining.start()),
                (Direction::Backward, None) => iterator.seek_to_last(),
                (Direction::Backward, Some(stop)) => {
                    iterator.seek_for_prev(stop);
                    if iterator.key() == Some(stop) {
                        iterator.prev();
                    }
                }
            }
            iterator.valid()
        };
        let land = || entries.with_dependent_mut(|_, iterator| land(iterator));
        let (is_valid, deleted) = counting(land);
        self.deleted += deleted;
        self.state = State::BeforeEntry;
        if is_valid { Ok(()) } else { self.examine() }
    }

    /// Finds out why the iterator is no longer valid: the end, an interruption, or an error.
    fn examine(&mut self) -> Result<()> {
        let status = self.entries.borrow_dependent().status();
        self.state = match status {
            Ok(()) => State::Ended,
            Err(error) if error.kind() == RocksErrorKind::Incomplete => State::Interrupted,
            Err(error) => {
                let database = self.entries.borrow_owner().database();
                let error = database.failed(format!("reading from {}", self.space), error);
                self.state = State::Failed(error.kind(), error.message().to_owned());
                return Err(error);
            }
        };
        Ok(())
    }

    /// Begins what remains again with an iterator that goes twice as far before it gives up.
    fn resume(&mut self) -> Result<()> {
        self.interrupt_after = self.interrupt_after.saturating_mul(2);
        let snapshot = Arc::clone(self.entries.borrow_owner());
        self.entries = Entries::try_new(snapshot, |snapshot| {
            snapshot.iterator(&self.space, &self.within, self.interrupt_after)
        })?;
        self.land()
    }

    /// Appends entries from where the iterator stands.
    fn read(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Halt {
        let (remaining, direction, values) = (&self.remaining, self.direction, self.values);
        let mut is_yielded = matches!(self.state, State::OnYielded);
        self.entries.with_dependent_mut(|_, iterator| {
            loop {
                if limit.is_reached(chunk) {
                    return Halt::LimitReached;
                }
                if is_yielded {
                    match direction {
                        Direction::Forward => iterator.next(),
                        Direction::Backward => iterator.prev(),
                    }
                }
                let item = if values {
                    iterator.item()
                } else {
                    iterator.key().map(|key| (key, &[][..]))
                };
                let Some((key, value)) = item else {
                    return Halt::IteratorInvalid;
                };
                if remaining.is_past_end(key) {
                    return Halt::RangeEnded;
                }
                chunk.push(key, value);
                is_yielded = true;
            }
        })
    }
}

impl Cursor for RocksCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.refuse_if_failed()?;
        if !self.within.covers(range) {
            return Err(outside_of_cursor(range, &self.within));
        }
        self.remaining = Remaining::of(range, &self.within, self.direction);
        self.land()
    }

    fn restrict(&mut self, end: &[u8]) {
        self.remaining.restrict(end);
    }

    fn lift(&mut self) {
        self.remaining.lift();
        if matches!(self.state, State::BehindEnd) {
            self.state = State::BeforeEntry;
        }
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.refuse_if_failed()?;
        if matches!(self.state, State::Interrupted) {
            self.resume()?;
        }
        if matches!(self.state, State::Interrupted) {
            return Ok(true);
        }
        if matches!(self.state, State::BehindEnd | State::Ended) {
            return Ok(false);
        }
        let before = chunk.len();
        let (halt, deleted) = counting(|| self.read(chunk, limit));
        self.deleted += deleted;
        if chunk.len() > before {
            let (key, _) = chunk.last().unwrap_or_default();
            self.remaining.continue_after(key);
            self.state = State::OnYielded;
        }
        match halt {
            Halt::LimitReached => {}
            Halt::RangeEnded => self.state = State::BehindEnd,
            Halt::IteratorInvalid => self.examine()?,
        }
        Ok(!matches!(self.state, State::BehindEnd | State::Ended))
    }

    fn deleted(&self) -> usize {
        usize::try_from(self.deleted).unwrap_or(usize::MAX)
    }

    fn omit_values(&mut self) {
        self.values = false;
    }
}
