//! A moment that is supposed: that of an earlier reading of the clock row, while the row is read again.
//!
//! A snapshot costs a message, and a row under a known key one more. Both are sent at once: of each row the newest version
//! is asked for, whatever its number, and beside it the clock row. The moment of the *earlier* reading judges the versions:
//!
//! * A row whose newest version it sees has been so since before the statement began: whoever had committed another by then
//!   had put it before, and it would be newer.
//! * So has a row without versions, and one whose newest version is a tombstone.
//! * A newest version that it does not see may have committed in time, or not: the supposition is refuted, and the
//!   statement begins anew. The reading that has come beside the rows cannot judge: of two statements that put a row at
//!   the same time, it may know the one and the row not yet have the other.
//!
//! What the statement knew of its tables must be so as well: the directory and all stamps that it has asked for are
//! compared with those of the new reading. And both readings must be so young that no vacuum has removed what either sees.
//! `model_tests` checks it with the rest of the protocol.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::clock::{Clock, Number};
use super::moment::Moment;
use super::rules::{Rule, holds};
use super::service::Window;

/// What tells whether a supposed moment holds.
#[derive(Debug, Default)]
pub(super) struct Supposition {
    /// The clock row, as it was read beside the rows.
    read: Mutex<Option<Arc<Clock>>>,
    /// The spaces whose stamps were asked for.
    stamped: Mutex<BTreeSet<String>>,
    is_refuted: AtomicBool,
}

impl Supposition {
    /// The newest version of each row, whatever its number.
    pub(super) fn window() -> Window {
        Window {
            oldest: 0,
            newest: Window::NEWEST,
            versions: 1,
        }
    }

    /// Of the newest version of a row, what `moment` makes of it.
    pub(super) fn choose<T>(
        &self,
        moment: &Moment,
        versions: impl IntoIterator<Item = (Number, T)>,
    ) -> Option<T> {
        let (number, version) = versions.into_iter().next()?;
        if is_as_supposed(moment, number) {
            Some(version)
        } else {
            self.is_refuted.store(true, Ordering::SeqCst);
            None
        }
    }

    pub(super) fn is_refuted(&self) -> bool {
        self.is_refuted.load(Ordering::SeqCst)
    }

    /// Notes that the stamp of a space was asked for.
    pub(super) fn stamped(&self, space: &str) {
        self.stamped.lock().insert(space.to_owned());
    }

    /// The spaces whose stamps were asked for.
    pub(super) fn all_stamped(&self) -> BTreeSet<String> {
        self.stamped.lock().clone()
    }

    /// The clock row as it was read beside the rows, if it was.
    pub(super) fn read(&self) -> Option<Arc<Clock>> {
        self.read.lock().clone()
    }

    pub(super) fn note(&self, clock: Arc<Clock>) {
        *self.read.lock() = Some(clock);
    }
}

/// Whether the newest version of a row is what there is now, as a moment of before judges it.
pub(super) fn is_as_supposed(moment: &Moment, newest: Number) -> bool {
    moment.sees(newest) || !holds(Rule::NewestIsSeen)
}

#[cfg(test)]
#[path = "optimistic_tests.rs"]
mod tests;
