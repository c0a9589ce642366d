//! Writers that wait for the disk together.
//!
//! A sync takes as long for many writes as for one, and for all that has been written when it begins. So a write that is to
//! be synced is written like any other, and then waits for its turn: the first who waits syncs for all who have written
//! by then, and who comes while a sync is under way waits for the next one.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

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
}

/// The next sync waits so small a part of the time that the last one took for those it was for.
const OF_LAST: u32 = 4;

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
    pub(super) fn wait(&self, turn: u64, sync: impl FnOnce() -> Result<()>) -> Result<()> {
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
        self.gather(&mut state);
        let (from, until) = (state.synced, state.written);
        drop(state);
        let begun = Instant::now();
        let done = sync();
        let mut state = self.state.lock();
        state.is_under_way = false;
        match &done {
            Ok(()) => {
                state.synced = until;
                state.last = (until - from, begun.elapsed());
            }
            Err(error) => {
                let from = state
                    .failed
                    .as_ref()
                    .map_or(from, |failed| failed.0.min(from));
                state.failed = Some((from, until, error.kind(), error.to_string()));
            }
        }
        self.changed.notify_all();
        done
    }

    /// Waits a moment for as many as the last sync was for: they have been woken, and may be about to write again.
    fn gather(&self, state: &mut parking_lot::MutexGuard<'_, State>) {
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
    use std::thread;

    use super::*;

    #[test]
    fn many_wait_for_one_sync() {
        let (syncs, made) = (Syncs::default(), AtomicU64::new(0));
        let (written, reached) = (AtomicU64::new(0), AtomicU64::new(0));
        let sync = || {
            let there = written.load(Ordering::SeqCst);
            thread::sleep(Duration::from_millis(4));
            made.fetch_add(1, Ordering::SeqCst);
            reached.fetch_max(there, Ordering::SeqCst);
            Ok(())
        };
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        written.fetch_add(1, Ordering::SeqCst);
                        let turn = syncs.turn();
                        syncs.wait(turn, sync).unwrap();
                        assert!(reached.load(Ordering::SeqCst) >= turn);
                    }
                });
            }
        });
        let made = made.load(Ordering::SeqCst);
        assert!((20..=80).contains(&made), "{made} syncs of 160 writes");
    }

    #[test]
    fn all_that_a_failed_sync_was_for_hear_of_it() {
        let syncs = Syncs::default();
        let turns = [syncs.turn(), syncs.turn()];
        let full = || Err(Error::unavailable("the disk is full"));
        for turn in turns {
            let error = syncs.wait(turn, full).unwrap_err();
            assert_eq!(error.message(), "the disk is full");
        }
        let later = syncs.turn();
        syncs.wait(later, || Ok(())).unwrap();
        // A later sync does not tell what has become of them.
        assert!(syncs.wait(turns[1], || Ok(())).is_err());
    }
}
