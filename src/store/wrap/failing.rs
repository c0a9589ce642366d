//! A store that fails when it is told to.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::super::{
    BulkWriter, Capabilities, Changes, Chunk, ChunkLimit, Claim, Durability, ReadRequest, Reader,
    Snapshot, SpaceOptions, Store, Tally, WriteBatch, has_failed_before,
};
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::KeyRange;

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

    /// From now on the call with this number fails, counted from 1 over the store, its snapshots and its readers.
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
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

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

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        let inner = Arc::clone(&self.inner);
        Ok(Box::new(FailingChanges {
            inner: self.faults.call("begin", || inner.begin(claims))?,
            faults: self.faults.clone(),
            has_failed: false,
        }))
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

#[derive(Debug)]
struct FailingChanges {
    inner: Box<dyn Changes>,
    faults: Faults,
    has_failed: bool,
}

fn refuse_if(has_failed: bool) -> Result<()> {
    match has_failed {
        true => Err(Error::internal("changes go on after an error")),
        false => Ok(()),
    }
}

impl Changes for FailingChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let inner = self.faults.call("snapshot", || self.inner.snapshot())?;
        let faults = self.faults.clone();
        Ok(Arc::new(FailingSnapshot { inner, faults }))
    }

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        refuse_if(self.has_failed)?;
        let inner = &mut self.inner;
        let written = self.faults.call("write", || inner.write(batch));
        self.has_failed = written.is_err();
        written
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        refuse_if(self.has_failed)?;
        let inner = &mut self.inner;
        Ok(Box::new(FailingBulk {
            inner: self.faults.call("bulk", || inner.bulk(space))?,
            faults: self.faults.clone(),
            has_failed: &mut self.has_failed,
        }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        refuse_if(self.has_failed)?;
        let Self { inner, faults, .. } = *self;
        faults.call("commit", || inner.commit(durability))
    }
}

struct FailingBulk<'a> {
    inner: Box<dyn BulkWriter + 'a>,
    faults: Faults,
    has_failed: &'a mut bool,
}

impl FailingBulk<'_> {
    fn call(
        &mut self,
        what: &'static str,
        call: impl FnOnce(&mut dyn BulkWriter) -> Result<()>,
    ) -> Result<()> {
        refuse_if(*self.has_failed)?;
        let inner = self.inner.as_mut();
        let outcome = self.faults.call(what, || call(inner));
        *self.has_failed = outcome.is_err();
        outcome
    }
}

impl BulkWriter for FailingBulk<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.call("bulk put", |inner| inner.put(key, value))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.call("bulk delete", |inner| inner.delete(key))
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

    fn is_grouped(&self, space: &str) -> bool {
        self.inner.is_grouped(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.faults.call("get", || self.inner.get(space, key))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.faults
            .call("multi_get", || self.inner.multi_get(space, keys))
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let inner = Arc::clone(&self.inner);
        Ok(Box::new(FailingReader {
            inner: self.faults.call("read", || inner.read(request))?,
            faults: self.faults.clone(),
            has_failed: false,
        }))
    }
}

struct FailingReader {
    inner: Box<dyn Reader>,
    faults: Faults,
    has_failed: bool,
}

impl Reader for FailingReader {
    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if self.has_failed {
            return Err(has_failed_before(ErrorKind::Unavailable, "fill"));
        }
        let inner = &mut self.inner;
        let filled = self.faults.call("fill", || inner.fill(chunk, limit));
        self.has_failed = filled.is_err();
        filled
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
    }
}
