//! A store that records what it is asked.

use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::super::local::{self, Visit};
use super::super::{
    BulkWriter, Capabilities, Changes, Chunk, ChunkLimit, Claim, Cursor, Direction, Durability,
    LocalSnapshot, ReadRequest, Reader, Snapshot, SpaceOptions, Store, Tally, WriteBatch,
};
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};

/// One call that reached a [`Recording`] store, and succeeded or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// [`Store::create_space`]: the name.
    CreateSpace(String),
    /// [`Store::drop_space`]: the name.
    DropSpace(String),
    /// [`Store::snapshot`].
    Snapshot,
    /// [`Store::begin`]: the spaces that are claimed.
    Begin(Vec<String>),
    /// A batch that [`Changes::commit`] applies, and its durability.
    Write(WriteBatch, Durability),
    /// [`Changes::bulk`]: the space.
    Bulk(String),
    /// A load that [`Changes::commit`] applies: the space, and how many changes it has.
    Ingest(String, usize),
    /// [`Snapshot::get`]: space and key.
    Get(String, Vec<u8>),
    /// [`Snapshot::multi_get`], or a look-up for [`Snapshot::read`]: space and keys.
    MultiGet(String, Vec<Vec<u8>>),
    /// [`Snapshot::read`]: space, a range that holds all of the work, and direction. Of a store that is near the calls of
    /// its cursors follow.
    Read(String, Option<KeyRange>, Direction),
    /// [`Cursor::seek`]: space and range.
    Seek(String, KeyRange),
    /// [`Cursor::restrict`]: space and new end.
    Restrict(String, Vec<u8>),
    /// [`Cursor::lift`]: space.
    Lift(String),
    /// [`Cursor::fill`], or [`Reader::fill`] of a store that is far away: space, and how many entries it yielded.
    Fill(String, usize),
}

/// The calls that a [`Recording`] store, its snapshots and its readers have got so far, oldest first. A clone is the
/// same log.
#[derive(Debug, Clone, Default)]
pub struct Log {
    calls: Arc<Mutex<Vec<Call>>>,
    gate: Arc<Gate>,
}

/// Holds readers, so that a test can look at what happens while they read.
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

    /// How many entries were read from `space`: `keys_read`, counted by the store.
    pub fn entries_read(&self, space: &str) -> usize {
        let entries = |call: &Call| match call {
            Call::Fill(name, entries) if name == space => *entries,
            _ => 0,
        };
        self.calls.lock().iter().map(entries).sum()
    }

    /// After so many further entries every fill waits for [`Log::release`].
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

    fn fill<T>(&self, space: &str, chunk: &mut Chunk, fill: impl FnOnce(&mut Chunk) -> T) -> T {
        self.gate.pass();
        let before = chunk.len();
        let outcome = fill(chunk);
        let entries = chunk.len() - before;
        self.gate.passed(entries);
        self.push(Call::Fill(space.to_owned(), entries));
        outcome
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
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

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

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        let spaces = claims.iter().map(|claim| claim.space.to_owned());
        self.log.push(Call::Begin(spaces.collect()));
        Ok(Box::new(RecordingChanges {
            inner: Arc::clone(&self.inner).begin(claims)?,
            log: self.log.clone(),
            batches: Vec::new(),
            loads: Vec::new(),
        }))
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size(space, range)
    }

    fn boundaries(
        &self,
        space: &str,
        ranges: &KeyRangeSet,
        count: usize,
        least: u64,
    ) -> Vec<Vec<u8>> {
        self.inner.boundaries(space, ranges, count, least)
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

#[derive(Debug)]
struct RecordingChanges {
    inner: Box<dyn Changes>,
    log: Log,
    batches: Vec<WriteBatch>,
    /// Each space that is loaded, and how many changes its load has.
    loads: Vec<(String, usize)>,
}

impl Changes for RecordingChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.log.push(Call::Snapshot);
        Ok(Arc::new(RecordingSnapshot {
            inner: self.inner.snapshot()?,
            log: self.log.clone(),
        }))
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.batches.push(batch.clone());
        self.inner.write(batch)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.log.push(Call::Bulk(space.to_owned()));
        let inner = self.inner.bulk(space)?;
        self.loads.push((space.to_owned(), 0));
        let changes = self.loads.last_mut().map(|(_, changes)| changes);
        let changes = changes.ok_or_else(|| Error::internal("a load that was just begun"))?;
        Ok(Box::new(RecordingBulk { inner, changes }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        for batch in self.batches {
            self.log.push(Call::Write(batch, durability));
        }
        for (space, changes) in self.loads {
            self.log.push(Call::Ingest(space, changes));
        }
        self.inner.commit(durability)
    }
}

struct RecordingBulk<'a> {
    inner: Box<dyn BulkWriter + 'a>,
    changes: &'a mut usize,
}

impl BulkWriter for RecordingBulk<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        *self.changes += 1;
        self.inner.put(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        *self.changes += 1;
        self.inner.delete(key)
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

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
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

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let (space, direction) = (request.space.as_ref().to_owned(), request.direction);
        self.log.push(Call::Read(space, request.hull(), direction));
        if let Some(near) = Arc::clone(&self).local() {
            return local::read(near, request);
        }
        Ok(Box::new(RecordingReader {
            log: self.log.clone(),
            space: request.space.as_ref().to_owned(),
            inner: Arc::clone(&self.inner).read(request)?,
        }))
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        let inner = Arc::clone(&self.inner).local()?;
        let log = self.log.clone();
        Some(Arc::new(RecordingLocal { inner, log }))
    }
}

/// What a snapshot of a store that is near has beneath.
#[derive(Debug)]
struct RecordingLocal {
    inner: Arc<dyn LocalSnapshot>,
    log: Log,
}

impl Snapshot for RecordingLocal {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner.get(space, key)
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.inner.multi_get(space, keys)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        local::read(self, request)
    }
}

impl LocalSnapshot for RecordingLocal {
    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        Ok(Box::new(RecordingCursor {
            inner: Arc::clone(&self.inner).cursor(space, within, direction)?,
            log: self.log.clone(),
            space: space.to_owned(),
        }))
    }

    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()> {
        let logged = keys.iter().map(|key| key.to_vec()).collect();
        self.log.push(Call::MultiGet(space.to_owned(), logged));
        self.inner.visit(space, keys, take)
    }
}

struct RecordingReader {
    inner: Box<dyn Reader>,
    log: Log,
    space: String,
}

impl Reader for RecordingReader {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let inner = &mut self.inner;
        self.log
            .fill(&self.space, chunk, |chunk| inner.fill(chunk, limit))
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
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
        let inner = &mut self.inner;
        self.log
            .fill(&self.space, chunk, |chunk| inner.fill(chunk, limit))
    }
}
