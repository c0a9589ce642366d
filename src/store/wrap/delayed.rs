//! A remote store, simulated: every message to it takes a while, and is counted.
//!
//! Reading is begun when it is asked for, the first answer is on its way from then on, and while one answer is handed
//! out the next is on its way. So what is begun together costs one delay, and what is asked for one after the other
//! costs one each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::super::{
    Capabilities, Chunk, ChunkLimit, Direction, Latency, LocalSnapshot, ReadRequest, Reader,
    Snapshot, Store, Tally,
};
use super::wrapped::{Hooks, Wrapped};
use crate::error::Result;

/// The most entries of an answer.
const MOST: usize = 4096;

/// Passes calls to a store, late.
pub type Delayed = Wrapped<Way>;

/// The way to the store and back.
#[derive(Debug, Clone)]
pub struct Way {
    delay: Duration,
    requests: Arc<AtomicUsize>,
    /// When the answer to what a statement sent last is there.
    sent: Arc<Mutex<Option<Instant>>>,
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
        let way = Way {
            delay,
            requests: Arc::default(),
            sent: Arc::default(),
        };
        Self::around(inner, way)
    }

    /// How many messages were sent so far. A clone of it goes on counting.
    pub fn requests(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.hooks().requests)
    }
}

impl Hooks for Way {
    fn call<T>(&self, what: &'static str, call: impl FnOnce() -> Result<T>) -> Result<T> {
        match what {
            // Known without a message, or a part of one.
            "snapshot" | "approximate_size" | "boundaries" | "bulk put" | "bulk delete" => call(),
            "write" | "bulk" => {
                *self.sent.lock() = Some(self.send());
                call()
            }
            "commit" => {
                let sent = *self.sent.lock();
                wait_until(sent.unwrap_or_else(Instant::now));
                self.ask(call)
            }
            _ => self.ask(call),
        }
    }

    fn begun(&self) -> Self {
        let sent = Arc::default();
        Self {
            sent,
            ..self.clone()
        }
    }

    fn capabilities(&self, inner: Capabilities) -> Capabilities {
        Capabilities {
            latency: Latency::Far,
            ..inner
        }
    }

    fn read(&self, inner: &Arc<dyn Snapshot>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let size = request.first.clamp(1, MOST);
        Ok(Box::new(DelayedReader {
            direction: request.direction,
            inner: Arc::clone(inner).read(request)?,
            next: Some(self.send()),
            way: self.clone(),
            requests: 1,
            answer: Chunk::new(),
            taken: 0,
            size,
        }))
    }

    fn local(&self, _inner: &Arc<dyn Snapshot>) -> Option<Arc<dyn LocalSnapshot>> {
        None
    }
}

struct DelayedReader {
    inner: Box<dyn Reader>,
    direction: Direction,
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

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        while let Some((next, _)) = self.answer.get(self.taken) {
            if !self.direction.is_short_of(next, key) {
                return Ok(());
            }
            self.taken += 1;
        }
        self.inner.skip(key)
    }

    fn is_wide(&self) -> bool {
        self.inner.is_wide()
    }

    fn tally(&self) -> Tally {
        Tally {
            requests: self.requests,
            ..self.inner.tally()
        }
    }
}
