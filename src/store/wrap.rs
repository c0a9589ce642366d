//! Stores around a store, for tests: one that records what it is asked, one that fails when it is told to.
//!
//! Both keep the contract of the traits, and run the conformance suite.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{
    Chunk, ChunkLimit, Cursor, Direction, Durability, Snapshot, SpaceOptions, Store, WriteBatch,
    cursor_has_failed,
};
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::KeyRange;

/// One call that reached a [`Recording`] store, and succeeded or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// [`Store::create_space`]: the name.
    CreateSpace(String),
    /// [`Store::drop_space`]: the name.
    DropSpace(String),
    /// [`Store::snapshot`].
    Snapshot,
    /// [`Store::write`]: the batch and its durability.
    Write(WriteBatch, Durability),
    /// [`Snapshot::get`]: space and key.
    Get(String, Vec<u8>),
    /// [`Snapshot::multi_get`]: space and keys.
    MultiGet(String, Vec<Vec<u8>>),
    /// [`Snapshot::cursor`]: space, range and direction.
    Cursor(String, KeyRange, Direction),
    /// [`Cursor::seek`]: space and range.
    Seek(String, KeyRange),
    /// [`Cursor::restrict`]: space and new end.
    Restrict(String, Vec<u8>),
    /// [`Cursor::lift`]: space.
    Lift(String),
    /// [`Cursor::fill`]: space, and how many entries it yielded.
    Fill(String, usize),
}

/// The calls that a [`Recording`] store, its snapshots and its cursors have got so far, oldest first. A clone is the
/// same log.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<Call>>>);

impl Log {
    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.0.lock().clone()
    }

    /// Empties the log and returns what was in it.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.0.lock())
    }

    /// The ranges of all seeks in `space`, in the order in which they were made.
    pub fn seeks(&self, space: &str) -> Vec<KeyRange> {
        let range = |call: &Call| match call {
            Call::Seek(name, range) if name == space => Some(range.clone()),
            _ => None,
        };
        self.0.lock().iter().filter_map(range).collect()
    }

    /// How many entries cursors have yielded from `space`: `keys_read`, counted by the store.
    pub fn entries_read(&self, space: &str) -> usize {
        let entries = |call: &Call| match call {
            Call::Fill(name, entries) if name == space => *entries,
            _ => 0,
        };
        self.0.lock().iter().map(entries).sum()
    }

    fn push(&self, call: Call) {
        self.0.lock().push(call);
    }
}

/// A store that logs what it is asked, and asks another.
#[derive(Debug)]
pub struct Recording {
    inner: Arc<dyn Store>,
    log: Log,
}

impl Recording {
    /// Records what goes to `inner` from now on.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            log: Log::default(),
        }
    }

    /// The log of this store.
    pub fn log(&self) -> Log {
        self.log.clone()
    }
}

impl Store for Recording {
    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.log.push(Call::CreateSpace(name.to_owned()));
        self.inner.create_space(name, options)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.log.push(Call::DropSpace(name.to_owned()));
        self.inner.drop_space(name)
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.inner.spaces()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.log.push(Call::Snapshot);
        Ok(Arc::new(RecordingSnapshot {
            inner: self.inner.snapshot()?,
            log: self.log.clone(),
        }))
    }

    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        self.log.push(Call::Write(batch.clone(), durability));
        self.inner.write(batch, durability)
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size(space, range)
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

#[derive(Debug)]
struct RecordingSnapshot {
    inner: Arc<dyn Snapshot>,
    log: Log,
}

impl Snapshot for RecordingSnapshot {
    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.log.push(Call::Get(space.to_owned(), key.to_vec()));
        self.inner.get(space, key)
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let logged = keys.iter().map(|key| key.to_vec()).collect();
        self.log.push(Call::MultiGet(space.to_owned(), logged));
        self.inner.multi_get(space, keys)
    }

    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        let call = Call::Cursor(space.to_owned(), within.clone(), direction);
        self.log.push(call);
        Ok(Box::new(RecordingCursor {
            inner: Arc::clone(&self.inner).cursor(space, within, direction)?,
            log: self.log.clone(),
            space: space.to_owned(),
        }))
    }
}

struct RecordingCursor {
    inner: Box<dyn Cursor>,
    log: Log,
    space: String,
}

impl Cursor for RecordingCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.log.push(Call::Seek(self.space.clone(), range.clone()));
        self.inner.seek(range)
    }

    fn restrict(&mut self, end: &[u8]) {
        self.log
            .push(Call::Restrict(self.space.clone(), end.to_vec()));
        self.inner.restrict(end);
    }

    fn lift(&mut self) {
        self.log.push(Call::Lift(self.space.clone()));
        self.inner.lift();
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let before = chunk.len();
        let outcome = self.inner.fill(chunk, limit);
        let entries = chunk.len() - before;
        self.log.push(Call::Fill(self.space.clone(), entries));
        outcome
    }
}

/// When a [`Failing`] store fails. A clone is the same plan: a test keeps one to look at the count.
#[derive(Debug, Clone)]
pub struct Faults {
    first: u64,
    last: u64,
    calls: Arc<AtomicU64>,
}

impl Faults {
    /// Every call succeeds.
    pub fn never() -> Self {
        Self::between(u64::MAX, 0)
    }

    /// The call with this number fails, counted from 1 over the store, its snapshots and its cursors.
    pub fn once(call: u64) -> Self {
        Self::between(call, call)
    }

    /// The call with this number and all after it fail, as when a disk has gone.
    pub fn from(call: u64) -> Self {
        Self::between(call, u64::MAX)
    }

    fn between(first: u64, last: u64) -> Self {
        let calls = Arc::default();
        Self { first, last, calls }
    }

    /// How many calls have been made, failed ones included. A test that fails the n-th call for every n ends when a
    /// run makes fewer than n calls.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn count(&self, what: &str) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if (self.first..=self.last).contains(&call) {
            return Err(injected(call, what));
        }
        Ok(())
    }
}

fn injected(call: u64, what: &str) -> Error {
    Error::unavailable(format!("injected fault: call {call} of the store, {what}"))
}

/// A store that asks another, and fails with `Unavailable` where its [`Faults`] say. A call that fails has no effect.
#[derive(Debug)]
pub struct Failing {
    inner: Arc<dyn Store>,
    faults: Faults,
}

impl Failing {
    /// Passes calls to `inner` but for those that `faults` names.
    pub fn new(inner: Arc<dyn Store>, faults: Faults) -> Self {
        Self { inner, faults }
    }
}

impl Store for Failing {
    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.faults.count("create_space")?;
        self.inner.create_space(name, options)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.faults.count("drop_space")?;
        self.inner.drop_space(name)
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.faults.count("spaces")?;
        self.inner.spaces()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.faults.count("snapshot")?;
        Ok(Arc::new(FailingSnapshot {
            inner: self.inner.snapshot()?,
            faults: self.faults.clone(),
        }))
    }

    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        self.faults.count("write")?;
        self.inner.write(batch, durability)
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.faults.count("approximate_size")?;
        self.inner.approximate_size(space, range)
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

#[derive(Debug)]
struct FailingSnapshot {
    inner: Arc<dyn Snapshot>,
    faults: Faults,
}

impl Snapshot for FailingSnapshot {
    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.faults.count("get")?;
        self.inner.get(space, key)
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.faults.count("multi_get")?;
        self.inner.multi_get(space, keys)
    }

    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        self.faults.count("cursor")?;
        Ok(Box::new(FailingCursor {
            inner: Arc::clone(&self.inner).cursor(space, within, direction)?,
            faults: self.faults.clone(),
            has_failed: false,
        }))
    }
}

struct FailingCursor {
    inner: Box<dyn Cursor>,
    faults: Faults,
    has_failed: bool,
}

impl FailingCursor {
    fn count(&mut self, what: &str) -> Result<()> {
        let outcome = self.faults.count(what);
        if self.has_failed {
            return Err(cursor_has_failed(ErrorKind::Unavailable, what));
        }
        self.has_failed = outcome.is_err();
        outcome
    }
}

impl Cursor for FailingCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.count("seek")?;
        self.inner.seek(range)
    }

    fn restrict(&mut self, end: &[u8]) {
        self.inner.restrict(end);
    }

    fn lift(&mut self) {
        self.inner.lift();
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.count("fill")?;
        self.inner.fill(chunk, limit)
    }
}

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
