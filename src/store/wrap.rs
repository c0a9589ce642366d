//! Stores around a store, for tests: one that records what it is asked, one that fails when it is told to.
//!
//! Both keep the contract of the traits, and run the conformance suite.

use std::fs::File;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::{
    BulkWriter, Chunk, ChunkLimit, Cursor, Direction, Durability, Snapshot, SpaceOptions, Store,
    WriteBatch, cursor_has_failed,
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
    /// [`Store::bulk`]: the space.
    Bulk(String),
    /// [`BulkWriter::ingest`]: the space, and how many changes the load has.
    Ingest(String, usize),
    /// [`Store::temporary_file`].
    TemporaryFile,
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
pub struct Log {
    calls: Arc<Mutex<Vec<Call>>>,
    gate: Arc<Gate>,
}

/// Holds cursors, so that a test can look at what happens while they read.
#[derive(Debug, Default)]
struct Gate {
    held: Mutex<Held>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct Held {
    /// So many entries are still yielded before fills wait; none: fills do not wait.
    left: Option<usize>,
    waiting: usize,
}

impl Gate {
    fn pass(&self) {
        let mut held = self.held.lock();
        held.waiting += 1;
        self.released
            .wait_while(&mut held, |held| held.left == Some(0));
        held.waiting -= 1;
    }

    fn passed(&self, entries: usize) {
        let mut held = self.held.lock();
        held.left = held.left.map(|left| left.saturating_sub(entries));
    }
}

impl Log {
    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().clone()
    }

    /// Empties the log and returns what was in it.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.calls.lock())
    }

    /// The ranges of all seeks in `space`, in the order in which they were made.
    pub fn seeks(&self, space: &str) -> Vec<KeyRange> {
        let range = |call: &Call| match call {
            Call::Seek(name, range) if name == space => Some(range.clone()),
            _ => None,
        };
        self.calls.lock().iter().filter_map(range).collect()
    }

    /// How many entries cursors have yielded from `space`: `keys_read`, counted by the store.
    pub fn entries_read(&self, space: &str) -> usize {
        let entries = |call: &Call| match call {
            Call::Fill(name, entries) if name == space => *entries,
            _ => 0,
        };
        self.calls.lock().iter().map(entries).sum()
    }

    /// After so many further entries every fill of a cursor waits for [`Log::release`].
    pub fn hold_after(&self, entries: usize) {
        self.gate.held.lock().left = Some(entries);
    }

    /// How many fills wait.
    pub fn waiting(&self) -> usize {
        let held = self.gate.held.lock();
        if held.left == Some(0) {
            held.waiting
        } else {
            0
        }
    }

    /// Lets fills go on.
    pub fn release(&self) {
        self.gate.held.lock().left = None;
        self.gate.released.notify_all();
    }

    fn push(&self, call: Call) {
        self.calls.lock().push(call);
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

    fn bulk<'a>(&'a self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.log.push(Call::Bulk(space.to_owned()));
        Ok(Box::new(RecordingBulk {
            inner: self.inner.bulk(space)?,
            log: self.log.clone(),
            space: space.to_owned(),
            changes: 0,
        }))
    }

    fn temporary_file(&self) -> Result<File> {
        self.log.push(Call::TemporaryFile);
        self.inner.temporary_file()
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size(space, range)
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.inner.checkpoint(path)
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.inner.verify()
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

struct RecordingBulk<'a> {
    inner: Box<dyn BulkWriter + 'a>,
    log: Log,
    space: String,
    changes: usize,
}

impl BulkWriter for RecordingBulk<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.changes += 1;
        self.inner.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.changes += 1;
        self.inner.delete(key)
    }

    fn ingest(self: Box<Self>) -> Result<()> {
        self.log.push(Call::Ingest(self.space, self.changes));
        self.inner.ingest()
    }
}

#[derive(Debug)]
struct RecordingSnapshot {
    inner: Arc<dyn Snapshot>,
    log: Log,
}

impl Snapshot for RecordingSnapshot {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

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
        self.log.gate.pass();
        let before = chunk.len();
        let outcome = self.inner.fill(chunk, limit);
        let entries = chunk.len() - before;
        self.log.gate.passed(entries);
        self.log.push(Call::Fill(self.space.clone(), entries));
        outcome
    }
}

/// When a [`Failing`] store fails. A clone is the same plan: a test keeps one to look at the count, and to change the
/// plan while the store is in use.
#[derive(Debug, Clone)]
pub struct Faults(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    /// Which calls fail; none: no call.
    failing: Option<RangeInclusive<u64>>,
    effect: Effect,
    calls: u64,
    failed: Vec<&'static str>,
}

/// What a call that fails has done to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Effect {
    #[default]
    None,
    Whole,
}

impl Faults {
    /// Every call succeeds.
    pub fn never() -> Self {
        Self(Arc::default())
    }

    /// As [`Faults::fail_once`].
    pub fn once(call: u64) -> Self {
        let faults = Self::never();
        faults.fail_once(call);
        faults
    }

    /// As [`Faults::fail_from`].
    pub fn from(call: u64) -> Self {
        let faults = Self::never();
        faults.fail_from(call);
        faults
    }

    /// From now on the call with this number fails, counted from 1 over the store, its snapshots and its cursors.
    pub fn fail_once(&self, call: u64) {
        self.plan(Some(call..=call), Effect::None);
    }

    /// From now on the call with this number and all after it fail, as when a disk has gone.
    pub fn fail_from(&self, call: u64) {
        self.plan(Some(call..=u64::MAX), Effect::None);
    }

    /// From now on the call with this number does what it is asked, and yet fails: the answer is lost, as when a log
    /// is written and then cannot be synced.
    pub fn lose_answer(&self, call: u64) {
        self.plan(Some(call..=call), Effect::Whole);
    }

    /// From now on every call succeeds.
    pub fn stop(&self) {
        self.plan(None, Effect::None);
    }

    fn plan(&self, failing: Option<RangeInclusive<u64>>, effect: Effect) {
        *self.0.lock() = Plan {
            failing,
            effect,
            ..Plan::default()
        };
    }

    /// How many calls have been made under this plan, failed ones included. A test that fails the n-th call for every n
    /// ends when a run makes fewer than n calls.
    pub fn calls(&self) -> u64 {
        self.0.lock().calls
    }

    /// The methods whose calls have failed under this plan, in order.
    pub fn failed(&self) -> Vec<&'static str> {
        self.0.lock().failed.clone()
    }

    /// Makes a call of the method `what`, or does not, as planned.
    fn call<T>(&self, what: &'static str, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut plan = self.0.lock();
        plan.calls += 1;
        let number = plan.calls;
        let fails = plan.failing.as_ref();
        if !fails.is_some_and(|failing| failing.contains(&number)) {
            drop(plan);
            return call();
        }
        plan.failed.push(what);
        let effect = plan.effect;
        drop(plan);
        if effect == Effect::Whole {
            call()?;
        }
        Err(injected(number, what))
    }
}

fn injected(call: u64, what: &str) -> Error {
    Error::unavailable(format!("injected fault: call {call} of the store, {what}"))
}

/// A store that asks another, and fails with `Unavailable` where its [`Faults`] say. A call that fails has no effect,
/// unless they say that too.
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
        self.faults
            .call("create_space", || self.inner.create_space(name, options))
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.faults
            .call("drop_space", || self.inner.drop_space(name))
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.faults.call("spaces", || self.inner.spaces())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let inner = self.faults.call("snapshot", || self.inner.snapshot())?;
        let faults = self.faults.clone();
        Ok(Arc::new(FailingSnapshot { inner, faults }))
    }

    fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        self.faults
            .call("write", || self.inner.write(batch, durability))
    }

    fn bulk<'a>(&'a self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        let inner = self.faults.call("bulk", || self.inner.bulk(space))?;
        Ok(Box::new(FailingBulk {
            inner,
            faults: self.faults.clone(),
            has_failed: false,
        }))
    }

    fn temporary_file(&self) -> Result<File> {
        self.faults
            .call("temporary_file", || self.inner.temporary_file())
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.faults.call("approximate_size", || {
            self.inner.approximate_size(space, range)
        })
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.faults
            .call("checkpoint", || self.inner.checkpoint(path))
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.faults.call("verify", || self.inner.verify())
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

struct FailingBulk<'a> {
    inner: Box<dyn BulkWriter + 'a>,
    faults: Faults,
    has_failed: bool,
}

impl FailingBulk<'_> {
    fn noting<T>(&mut self, outcome: Result<T>) -> Result<T> {
        self.has_failed = outcome.is_err();
        outcome
    }

    fn refuse_if_failed(&self) -> Result<()> {
        match self.has_failed {
            true => Err(Error::internal("a bulk load goes on after an error")),
            false => Ok(()),
        }
    }
}

impl BulkWriter for FailingBulk<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.refuse_if_failed()?;
        let faults = self.faults.clone();
        let outcome = faults.call("bulk put", || self.inner.put(key, value));
        self.noting(outcome)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.refuse_if_failed()?;
        let faults = self.faults.clone();
        let outcome = faults.call("bulk delete", || self.inner.delete(key));
        self.noting(outcome)
    }

    fn ingest(self: Box<Self>) -> Result<()> {
        self.refuse_if_failed()?;
        let Self { inner, faults, .. } = *self;
        faults.call("ingest", || inner.ingest())
    }
}

#[derive(Debug)]
struct FailingSnapshot {
    inner: Arc<dyn Snapshot>,
    faults: Faults,
}

impl Snapshot for FailingSnapshot {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.faults.call("get", || self.inner.get(space, key))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.faults
            .call("multi_get", || self.inner.multi_get(space, keys))
    }

    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        let inner = self.faults.call("cursor", || {
            Arc::clone(&self.inner).cursor(space, within, direction)
        })?;
        Ok(Box::new(FailingCursor {
            inner,
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
    fn call<T>(
        &mut self,
        what: &'static str,
        call: impl FnOnce(&mut dyn Cursor) -> Result<T>,
    ) -> Result<T> {
        if self.has_failed {
            return Err(cursor_has_failed(ErrorKind::Unavailable, what));
        }
        let inner = self.inner.as_mut();
        let mut refused = false;
        let outcome = self.faults.call(what, || {
            let outcome = call(inner);
            refused = outcome.is_err();
            outcome
        });
        // An error of the other store's is that store's to remember.
        self.has_failed = outcome.is_err() && !refused;
        outcome
    }
}

impl Cursor for FailingCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        self.call("seek", |inner| inner.seek(range))
    }

    fn restrict(&mut self, end: &[u8]) {
        self.inner.restrict(end);
    }

    fn lift(&mut self) {
        self.inner.lift();
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        self.call("fill", |inner| inner.fill(chunk, limit))
    }
}

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
