//! A store that records what it is asked.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::super::local::{self, Visit};
use super::super::{
    Chunk, ChunkLimit, Cursor, Direction, Durability, LocalSnapshot, ReadRequest, Reader, Snapshot,
    Store, Tally, WriteBatch,
};
use super::wrapped::{Asked, Hooks, Wrapped};
use crate::error::Result;
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
    /// [`Store::begin`]: the spaces that are claimed.
    Begin(Vec<String>),
    /// A batch that [`Changes::commit`](crate::store::Changes::commit) applies, and its durability.
    Write(WriteBatch, Durability),
    /// [`Changes::bulk`](crate::store::Changes::bulk): the space.
    Bulk(String),
    /// A load that [`Changes::commit`](crate::store::Changes::commit) applies: the space, and how many changes it has.
    Ingest(String, usize),
    /// [`Snapshot::get`]: space and key.
    Get(String, Vec<u8>),
    /// [`Snapshot::multi_get`], or a look-up for [`Snapshot::read`]: space and keys.
    MultiGet(String, Vec<Vec<u8>>),
    /// [`Snapshot::read`]: space, a range that holds all of the work, and direction. Of a local store the calls of its
    /// cursors follow.
    Read(String, Option<KeyRange>, Direction),
    /// [`Cursor::seek`]: space and range.
    Seek(String, KeyRange),
    /// [`Cursor::restrict`]: space and new end.
    Restrict(String, Vec<u8>),
    /// [`Cursor::lift`]: space.
    Lift(String),
    /// [`Cursor::fill`], or [`Reader::fill`] of a remote store: space, and how many entries it yielded.
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
pub type Recording = Wrapped<Recorder>;

/// Logs calls.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    log: Log,
    /// What the statement has written so far; it is logged when it is committed.
    written: Arc<Mutex<Written>>,
}

#[derive(Debug, Default)]
struct Written {
    batches: Vec<WriteBatch>,
    /// Each space that is loaded, and how many changes its load has.
    loads: Vec<(String, usize)>,
}

impl Recording {
    /// Records what goes to `inner` from now on.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self::around(inner, Recorder::default())
    }

    /// The log of this store.
    pub fn log(&self) -> Log {
        self.hooks().log.clone()
    }
}

impl Recorder {
    fn commit(&self, durability: Durability) {
        let Written { batches, loads } = std::mem::take(&mut *self.written.lock());
        for batch in batches {
            self.log.push(Call::Write(batch, durability));
        }
        for (space, changes) in loads {
            self.log.push(Call::Ingest(space, changes));
        }
    }
}

fn owned(keys: &[&[u8]]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.to_vec()).collect()
}

impl Hooks for Recorder {
    fn note(&self, asked: Asked<'_>) {
        let name = str::to_owned;
        self.log.push(match asked {
            Asked::CreateSpace(space) => Call::CreateSpace(name(space)),
            Asked::DropSpace(space) => Call::DropSpace(name(space)),
            Asked::Snapshot => Call::Snapshot,
            Asked::Begin(claims) => {
                Call::Begin(claims.iter().map(|claim| name(claim.space)).collect())
            }
            Asked::Bulk(space) => {
                self.written.lock().loads.push((name(space), 0));
                Call::Bulk(name(space))
            }
            Asked::Get(space, key) => Call::Get(name(space), key.to_vec()),
            Asked::MultiGet(space, keys) => Call::MultiGet(name(space), owned(keys)),
            Asked::Write(batch) => return self.written.lock().batches.push(batch.clone()),
            Asked::Load => {
                let written = &mut *self.written.lock();
                let load = written.loads.last_mut();
                return load.into_iter().for_each(|(_, changes)| *changes += 1);
            }
            Asked::Commit(durability) => return self.commit(durability),
        });
    }

    fn begun(&self) -> Self {
        let (log, written) = (self.log.clone(), Arc::default());
        Self { log, written }
    }

    fn read(&self, inner: &Arc<dyn Snapshot>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let (space, direction) = (request.space.as_ref().to_owned(), request.direction);
        self.log
            .push(Call::Read(space.clone(), request.hull(), direction));
        if let Some(near) = self.local(inner) {
            return local::read(near, request);
        }
        Ok(Box::new(RecordingReader {
            log: self.log.clone(),
            space,
            inner: Arc::clone(inner).read(request)?,
        }))
    }

    fn local(&self, inner: &Arc<dyn Snapshot>) -> Option<Arc<dyn LocalSnapshot>> {
        let inner = Arc::clone(inner).local()?;
        let log = self.log.clone();
        Some(Arc::new(RecordingLocal { inner, log }))
    }
}

/// [`Snapshot::local`] of a snapshot that is recorded.
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
        self.log.push(Call::MultiGet(space.to_owned(), owned(keys)));
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

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        self.inner.skip(key)
    }

    fn is_wide(&self) -> bool {
        self.inner.is_wide()
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

    fn omit_values(&mut self) {
        self.inner.omit_values();
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        let inner = &mut self.inner;
        self.log
            .fill(&self.space, chunk, |chunk| inner.fill(chunk, limit))
    }
}
