//! Writers that wait for the disk together.
//!
//! A sync takes as long for many writes as for one, and for all that has been written when it begins. So a write that is to
//! be synced is written like any other, and then waits for its turn: the first who waits syncs for all who have written
//! by then, and who comes while a sync is under way waits for the next one.
//!
//! Who waits has a thread for it, or is told: for those one thread syncs again and again, until none of them is left.

use std::sync::{Arc, Weak};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::super::durable::{Ended, PendingSync, Work};
use crate::error::{Error, ErrorKind, Result};

/// Those who wait, and how far the log is synced.
#[derive(Debug, Default)]
pub(super) struct Syncs {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many writes have had a turn.
    written: u64,
    /// How many of them, from the first on, are synced.
    synced: u64,
    /// Those that have failed to be: behind the first of these turns up to the second; and why. It is one range: where
    /// syncs have failed several times, those in between that have not woken yet hear of it, too.
    failed: Option<(u64, u64, ErrorKind, String)>,
    is_under_way: bool,
    /// How many the last sync was for, and how long it took.
    last: (u64, Duration),
    /// Those who are woken, with their turns.
    told: Vec<(u64, Waker)>,
}

/// The next sync waits so small a part of the time that the last one took for those it was for.
const OF_LAST: u32 = 2;

impl State {
    /// What a write with this turn has come to, if that is known.
    fn outcome(&self, turn: u64) -> Option<Result<()>> {
        match &self.failed {
            Some((from, until, kind, message)) if turn > *from && turn <= *until => {
                Some(Err(Error::new(*kind, message.clone())))
            }
            _ => (turn <= self.synced).then_some(Ok(())),
        }
    }

    /// Notes how a sync has ended that was for the writes behind one turn up to another.
    fn note(&mut self, (from, until): (u64, u64), done: &Result<()>, took: Duration) {
        match done {
            Ok(()) => {
                self.synced = until;
                self.last = (until - from, took);
            }
            Err(error) => {
                let failed = self.failed.as_ref();
                let from = failed.map_or(from, |failed| failed.0.min(from));
                self.failed = Some((from, until, error.kind(), error.to_string()));
            }
        }
    }

    /// Wakes those whose writes have come to something.
    fn tell(&mut self) {
        for (turn, waker) in std::mem::take(&mut self.told) {
            if self.outcome(turn).is_some() {
                waker.wake();
            } else {
                self.told.push((turn, waker));
            }
        }
    }
}

/// A write that waits for its turn.
pub(super) struct Turn<T> {
    pub(super) syncs: Arc<Syncs>,
    pub(super) turn: u64,
    pub(super) log: Arc<T>,
    /// Syncs all of the log that has had a turn.
    pub(super) sync: fn(&T) -> Result<()>,
}

impl<T: Send + Sync + 'static> PendingSync for Turn<T> {
    fn wait(self: Box<Self>) -> Result<()> {
        self.syncs.wait(self.turn, &self.log, self.sync)
    }

    fn poll(&mut self, waker: &Waker) -> Ended {
        let mut state = self.syncs.state.lock();
        if let Some(outcome) = state.outcome(self.turn) {
            return Ended::Known(outcome);
        }
        state.told.retain(|(turn, _)| *turn != self.turn);
        state.told.push((self.turn, waker.clone()));
        if std::mem::replace(&mut state.is_under_way, true) {
            return Ended::NotYet;
        }
        drop(state);
        Ended::By(Leading::new(&self.syncs, &self.log, self.sync).work())
    }
}

/// What syncs for those who are told. Where it is dropped before it has done so they are woken, and one of them sees to it.
struct Leading<T> {
    syncs: Arc<Syncs>,
    /// Held while it is synced and no longer: whoever is told may close it and open it anew.
    log: Weak<T>,
    sync: fn(&T) -> Result<()>,
    is_done: bool,
}

impl<T: Send + Sync + 'static> Leading<T> {
    fn new(syncs: &Arc<Syncs>, log: &Arc<T>, sync: fn(&T) -> Result<()>) -> Self {
        Self {
            syncs: Arc::clone(syncs),
            log: Arc::downgrade(log),
            sync,
            is_done: false,
        }
    }

    fn work(self) -> Work {
        Box::new(move || self.lead())
    }

    fn lead(mut self) {
        let syncs = Arc::clone(&self.syncs);
        let mut state = syncs.state.lock();
        while !state.told.is_empty() {
            state = syncs.round(state, || self.sync()).0;
        }
        state.is_under_way = false;
        syncs.changed.notify_all();
        self.is_done = true;
    }

    fn sync(&self) -> Result<()> {
        match self.log.upgrade() {
            Some(log) => (self.sync)(&log),
            None => Err(Error::unavailable("the database was closed before a sync")),
        }
    }
}

impl<T> Drop for Leading<T> {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let mut state = self.syncs.state.lock();
        state.is_under_way = false;
        let told = std::mem::take(&mut state.told);
        drop(state);
        self.syncs.changed.notify_all();
        told.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl Syncs {
    /// The turn of a write that is in the log.
    pub(super) fn turn(&self) -> u64 {
        let mut state = self.state.lock();
        state.written += 1;
        self.changed.notify_all();
        state.written
    }

    /// Waits until a write is synced; `sync` does that for all that have had a turn.
    ///
    /// # Errors
    /// Those of `sync`.
    fn wait<T: Send + Sync + 'static>(
        self: &Arc<Self>,
        turn: u64,
        log: &Arc<T>,
        sync: fn(&T) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            if let Some(outcome) = state.outcome(turn) {
                return outcome;
            }
            if !state.is_under_way {
                break;
            }
            self.changed.wait(&mut state);
        }
        state.is_under_way = true;
        let (mut state, done) = self.round(state, || sync(log));
        if state.told.is_empty() {
            state.is_under_way = false;
            self.changed.notify_all();
            return done;
        }
        drop(state);
        // Where there can be no thread the work is dropped, and those who are told see to it.
        let leading = Leading::new(self, log, sync);
        drop(thread::Builder::new().spawn(leading.work()));
        done
    }

    /// Syncs once, for all who have had a turn by then. It is under way already.
    fn round<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        sync: impl FnOnce() -> Result<()>,
    ) -> (MutexGuard<'s, State>, Result<()>) {
        self.gather(&mut state);
        let turns = (state.synced, state.written);
        drop(state);
        let begun = Instant::now();
        let done = sync();
        let mut state = self.state.lock();
        state.note(turns, &done, begun.elapsed());
        state.tell();
        self.changed.notify_all();
        (state, done)
    }

    /// Waits a moment for as many as the last sync was for: they have been woken, and may be about to write again.
    fn gather(&self, state: &mut MutexGuard<'_, State>) {
        let (count, took) = state.last;
        let until = Instant::now() + took / OF_LAST;
        while state.written - state.synced < count {
            if self.changed.wait_until(state, until).timed_out() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::super::Durable;
    use super::*;

    /// What has been written of a log, what is synced, and how many syncs that took.
    #[derive(Debug, Default)]
    struct Log {
        syncs: Arc<Syncs>,
        written: AtomicU64,
        reached: AtomicU64,
        made: AtomicU64,
    }

    impl Log {
        /// Writes, and gives what is to be waited for, with its turn.
        fn write(self: &Arc<Self>) -> (u64, Durable) {
            self.written.fetch_add(1, Ordering::SeqCst);
            let turn = self.syncs.turn();
            (turn, self.durable(turn, Self::sync))
        }

        fn durable(self: &Arc<Self>, turn: u64, sync: fn(&Self) -> Result<()>) -> Durable {
            Durable::of(Turn {
                syncs: Arc::clone(&self.syncs),
                turn,
                log: Arc::clone(self),
                sync,
            })
        }

        fn sync(&self) -> Result<()> {
            let there = self.written.load(Ordering::SeqCst);
            thread::sleep(Duration::from_millis(4));
            self.made.fetch_add(1, Ordering::SeqCst);
            self.reached.fetch_max(there, Ordering::SeqCst);
            Ok(())
        }

        fn fail(&self) -> Result<()> {
            Err(Error::unavailable("the disk is full"))
        }

        fn has_reached(&self, turn: u64) -> bool {
            self.reached.load(Ordering::SeqCst) >= turn
        }
    }

    fn elsewhere(work: Work) -> Result<()> {
        drop(thread::spawn(work));
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn many_wait_for_one_sync() {
        // With a thread of their own, without, and both.
        for (blocking, told) in [(8, 0), (0, 8), (4, 4)] {
            let log = Arc::<Log>::default();
            let mut threads = Vec::new();
            for _ in 0..blocking {
                let log = Arc::clone(&log);
                threads.push(thread::spawn(move || {
                    for _ in 0..20 {
                        let (turn, durable) = log.write();
                        durable.wait().unwrap();
                        assert!(log.has_reached(turn));
                    }
                }));
            }
            let mut tasks = Vec::new();
            for _ in 0..told {
                let log = Arc::clone(&log);
                tasks.push(tokio::spawn(async move {
                    for _ in 0..20 {
                        let (turn, durable) = log.write();
                        durable.reached(elsewhere).await.unwrap();
                        assert!(log.has_reached(turn));
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
            tokio::task::spawn_blocking(|| threads.into_iter().for_each(|it| it.join().unwrap()))
                .await
                .unwrap();
            let made = log.made.load(Ordering::SeqCst);
            assert!((20..=80).contains(&made), "{made} syncs of 160 writes");
            assert!(!log.syncs.state.lock().is_under_way);
        }
    }

    #[test]
    fn all_that_a_failed_sync_was_for_hear_of_it() {
        let log = Arc::<Log>::default();
        let turns = [log.syncs.turn(), log.syncs.turn()];
        for turn in turns {
            let error = log.durable(turn, Log::fail).wait().unwrap_err();
            assert_eq!(error.message(), "the disk is full");
        }
        log.write().1.wait().unwrap();
        // A later sync does not tell what has become of them.
        assert!(log.durable(turns[1], Log::sync).wait().is_err());
    }

    #[tokio::test]
    async fn those_who_are_told_hear_of_a_failure_and_of_a_thread_that_is_lost() {
        let log = Arc::<Log>::default();
        let full = log.durable(log.syncs.turn(), Log::fail);
        let error = full.reached(elsewhere).await.unwrap_err();
        assert_eq!(error.message(), "the disk is full");
        // The thread that is to sync is lost, and then there is none, and then one.
        let threads = AtomicU64::new(0);
        let at_last = |work| match threads.fetch_add(1, Ordering::SeqCst) {
            0 => {
                drop(work);
                Ok(())
            }
            1 => Err(Error::unavailable("no thread")),
            _ => elsewhere(work),
        };
        let (turn, durable) = log.write();
        let error = durable.reached(at_last).await.unwrap_err();
        assert_eq!(error.message(), "no thread");
        log.write().1.reached(at_last).await.unwrap();
        assert!(log.has_reached(turn));
    }

    /// Whoever is told may close the log, and open it anew.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_holds_the_log_when_it_is_told() {
        for _ in 0..50 {
            let log = Arc::<Log>::default();
            log.write().1.reached(elsewhere).await.unwrap();
            assert_eq!(Arc::strong_count(&log), 1);
        }
    }
}
