//! A store that fails when it is told to.

use std::ops::RangeInclusive;
use std::sync::Arc;

use parking_lot::Mutex;

use super::super::{
    Chunk, ChunkLimit, LocalSnapshot, ReadRequest, Reader, Snapshot, Store, Tally,
    has_failed_before,
};
use super::wrapped::{Hooks, Wrapped};
use crate::error::{Error, ErrorKind, Result};

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
}

fn injected(call: u64, what: &str) -> Error {
    Error::unavailable(format!("injected fault: call {call} of the store, {what}"))
}

/// A store that asks another, and fails with `Unavailable` where its [`Faults`] say. A call that fails has no effect,
/// unless they say that too.
pub type Failing = Wrapped<Faults>;

impl Failing {
    /// Passes calls to `inner` but for those that `faults` names.
    pub fn new(inner: Arc<dyn Store>, faults: Faults) -> Self {
        Self::around(inner, faults)
    }
}

impl Hooks for Faults {
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

    fn read(&self, inner: &Arc<dyn Snapshot>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        let inner = Arc::clone(inner);
        Ok(Box::new(FailingReader {
            inner: self.call("read", || inner.read(request))?,
            faults: self.clone(),
            has_failed: false,
        }))
    }

    /// Single seeks do not fail.
    fn local(&self, _inner: &Arc<dyn Snapshot>) -> Option<Arc<dyn LocalSnapshot>> {
        None
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

    fn skip(&mut self, key: &[u8]) -> Result<()> {
        if self.has_failed {
            return Err(has_failed_before(ErrorKind::Unavailable, "skip"));
        }
        let inner = &mut self.inner;
        let skipped = self.faults.call("skip", || inner.skip(key));
        self.has_failed = skipped.is_err();
        skipped
    }

    fn is_wide(&self) -> bool {
        self.inner.is_wide()
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
    }
}
