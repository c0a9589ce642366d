//! A store that is far away: every message to it takes a while, and is counted.
//!
//! Reading is begun when it is asked for, the first answer is on its way from then on, and while one answer is handed
//! out the next is on its way. So what is begun together costs one delay, and what is asked for one after the other
//! costs one each.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{
    BulkWriter, Capabilities, Changes, Chunk, ChunkLimit, Claim, Durability, Latency, ReadRequest,
    Reader, Snapshot, SpaceOptions, Store, Tally, WriteBatch,
};
use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, KeyRangeSet};

/// The most entries of an answer.
const MOST: usize = 4096;

/// Passes calls to a store, late.
#[derive(Debug)]
pub struct Delayed {
    inner: Arc<dyn Store>,
    way: Way,
}

/// The way to the store and back.
#[derive(Debug, Clone)]
struct Way {
    delay: Duration,
    requests: Arc<AtomicUsize>,
}

impl Way {
    /// Sends a message; says when its answer is there.
    fn send(&self) -> Instant {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Instant::now() + self.delay
    }

    /// Sends a message and waits for its answer.
    fn ask<T>(&self, call: impl FnOnce() -> T) -> T {
        wait_until(self.send());
        call()
    }
}

fn wait_until(answer: Instant) {
    thread::sleep(answer.saturating_duration_since(Instant::now()));
}

impl Delayed {
    /// Passes calls to `inner`, each of them after `delay`.
    pub fn new(inner: Arc<dyn Store>, delay: Duration) -> Self {
        let requests = Arc::default();
        let way = Way { delay, requests };
        Self { inner, way }
    }

    /// How many messages were sent so far. A clone of it goes on counting.
    pub fn requests(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.way.requests)
    }
}

impl Store for Delayed {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            latency: Latency::Far,
        }
    }

    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.way.ask(|| self.inner.create_space(name, options))
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.way.ask(|| self.inner.drop_space(name))
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.way.ask(|| self.inner.spaces())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(DelayedSnapshot {
            inner: self.inner.snapshot()?,
            way: self.way.clone(),
        }))
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        let inner = Arc::clone(&self.inner);
        Ok(Box::new(DelayedChanges {
            inner: self.way.ask(|| inner.begin(claims))?,
            way: self.way.clone(),
            sent: None,
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
        self.way.ask(|| self.inner.checkpoint(path))
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.way.ask(|| self.inner.verify())
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

#[derive(Debug)]
struct DelayedChanges {
    inner: Box<dyn Changes>,
    way: Way,
    /// When the answer to what was sent last is there.
    sent: Option<Instant>,
}

impl Changes for DelayedChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(DelayedSnapshot {
            inner: self.inner.snapshot()?,
            way: self.way.clone(),
        }))
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.sent = Some(self.way.send());
        self.inner.write(batch)
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.sent = Some(self.way.send());
        self.inner.bulk(space)
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let Self { inner, way, sent } = *self;
        wait_until(sent.unwrap_or_else(Instant::now));
        way.ask(|| inner.commit(durability))
    }
}

#[derive(Debug)]
struct DelayedSnapshot {
    inner: Arc<dyn Snapshot>,
    way: Way,
}

impl Snapshot for DelayedSnapshot {
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
        self.way.ask(|| self.inner.get(space, key))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.way.ask(|| self.inner.multi_get(space, keys))
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let size = request.first.clamp(1, MOST);
        Ok(Box::new(DelayedReader {
            inner: Arc::clone(&self.inner).read(request)?,
            next: Some(self.way.send()),
            way: self.way.clone(),
            requests: 1,
            answer: Chunk::new(),
            taken: 0,
            size,
        }))
    }
}

struct DelayedReader {
    inner: Box<dyn Reader>,
    way: Way,
    requests: usize,
    /// When the next answer is there; `None`: the last one was.
    next: Option<Instant>,
    /// The newest answer, and how many of its entries were handed out.
    answer: Chunk,
    taken: usize,
    /// How many entries the next answer has at most.
    size: usize,
}

impl DelayedReader {
    /// Waits for the next answer, and asks for the one behind it.
    fn receive(&mut self, answer: Instant) -> Result<()> {
        wait_until(answer);
        self.answer.clear();
        self.taken = 0;
        // What was read before an error is of no use: the store is asked again, and says it again.
        let more = self.read().inspect_err(|_| self.answer.clear())?;
        self.next = None;
        if more {
            self.size = (self.size * 2).min(MOST);
            self.requests += 1;
            self.next = Some(self.way.send());
        }
        Ok(())
    }

    /// Makes an answer. Returns whether more may come behind it.
    fn read(&mut self) -> Result<bool> {
        let limit = ChunkLimit::entries(self.size);
        while !limit.is_reached(&self.answer) {
            if !self.inner.fill(&mut self.answer, limit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Reader for DelayedReader {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        while !limit.is_reached(chunk) {
            if let Some((key, value)) = self.answer.get(self.taken) {
                chunk.push(key, value);
                self.taken += 1;
                continue;
            }
            match self.next {
                Some(answer) => self.receive(answer)?,
                None => return Ok(false),
            }
        }
        Ok(self.next.is_some() || self.taken < self.answer.len())
    }

    fn tally(&self) -> Tally {
        Tally {
            requests: self.requests,
            ..self.inner.tally()
        }
    }
}
