//! Whether this thread plans a statement, or runs a part of one, and whether somebody still waits for that.
//!
//! While a statement is planned, what is constant is computed; that must stay small, for a plan is copied again and again.
//! And planning, which computes without a break, asks from time to time whether it is to end; so does what computes for
//! long while a statement runs.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::LocalKey;

use datafusion::common::Result;

use crate::error::{Error, ErrorKind};

thread_local! {
    static UNDER_WAY: RefCell<Option<Stop>> = const { RefCell::new(None) };
    static RUNNING: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Tells threads that plan a statement, or run it, to end. A clone tells the same.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    told: Arc<AtomicBool>,
    /// What tells this one among others.
    all_told: Arc<AtomicBool>,
}

impl Stop {
    /// One of several, which are told when this is.
    #[must_use]
    pub fn one_of(&self) -> Self {
        Self {
            told: Arc::default(),
            all_told: Arc::clone(&self.told),
        }
    }

    /// Nobody waits for it any more.
    pub fn tell(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// What begins from now on is waited for.
    pub fn take_back(&self) {
        self.told.store(false, Ordering::Relaxed);
    }

    /// Goes on as long as somebody waits for it.
    ///
    /// # Errors
    /// `Interrupted` where nobody does.
    pub fn check(&self) -> Result<()> {
        if self.told.load(Ordering::Relaxed) || self.all_told.load(Ordering::Relaxed) {
            Err(Error::new(ErrorKind::Interrupted, "the statement was stopped").into())
        } else {
            Ok(())
        }
    }
}

type Current = LocalKey<RefCell<Option<Stop>>>;

/// Runs `work` while `current` is this one.
fn with<T>(current: &'static Current, stop: &Stop, work: impl FnOnce() -> T) -> T {
    struct Restore(&'static Current, Option<Stop>);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.replace(self.1.take());
        }
    }
    let _restore = Restore(current, current.replace(Some(stop.clone())));
    work()
}

/// Runs `work`, which plans, on this thread.
pub fn while_planning<T>(stop: &Stop, work: impl FnOnce() -> T) -> T {
    with(&UNDER_WAY, stop, work)
}

/// Runs `work`, a part of a statement that runs, on this thread.
pub fn while_running<T>(stop: &Stop, work: impl FnOnce() -> T) -> T {
    with(&RUNNING, stop, work)
}

/// Whether this thread plans.
pub fn is_planning() -> bool {
    UNDER_WAY.with_borrow(Option::is_some)
}

/// Ends what nobody waits for.
///
/// # Errors
/// `Interrupted` where this thread is to end.
pub fn check_wanted() -> Result<()> {
    let check = |stop: &Option<Stop>| stop.as_ref().map_or(Ok(()), Stop::check);
    UNDER_WAY.with_borrow(check)?;
    RUNNING.with_borrow(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_to_end_ends_while_it_is_under_way() {
        let (planned, run) = (Stop::default(), Stop::default());
        assert!(check_wanted().is_ok() && !is_planning());
        while_running(&run, || {
            while_planning(&planned, || {
                assert!(check_wanted().is_ok() && is_planning())
            });
            run.clone().tell();
            let error = Error::from(check_wanted().unwrap_err());
            assert_eq!(error.kind(), ErrorKind::Interrupted);
        });
        planned.tell();
        assert!(while_planning(&planned, check_wanted).is_err());
        assert!(check_wanted().is_ok() && !is_planning());
        let all = Stop::default();
        let one = all.one_of();
        assert!(one.check().is_ok());
        all.tell();
        assert!(one.check().is_err());
        all.take_back();
        assert!(one.check().is_ok());
        one.tell();
        assert!(one.check().is_err() && all.check().is_ok());
    }
}
