//! Whether this thread plans a statement, and whether somebody still waits for the plan.
//!
//! While a statement is planned, what is constant is computed; that must stay small, for a plan is copied again and again.
//! And planning, which computes without a break, asks from time to time whether it is to end.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::common::Result;

use crate::error::Error;

thread_local! {
    static UNDER_WAY: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Tells a thread that plans to end.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nobody waits for the plan any more.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work`, which plans, on this thread.
pub fn while_planning<T>(stop: &Stop, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Stop>);
    impl Drop for Restore {
        fn drop(&mut self) {
            UNDER_WAY.replace(self.0.take());
        }
    }
    let _restore = Restore(UNDER_WAY.replace(Some(stop.clone())));
    work()
}

/// Whether this thread plans.
pub fn is_planning() -> bool {
    UNDER_WAY.with_borrow(Option::is_some)
}

/// Ends planning that nobody waits for.
///
/// # Errors
/// `Unavailable` where it is to end.
pub fn check_wanted() -> Result<()> {
    let is_told = |stop: &Stop| stop.0.load(Ordering::Relaxed);
    match UNDER_WAY.with_borrow(|stop| stop.as_ref().is_some_and(is_told)) {
        false => Ok(()),
        true => Err(Error::unavailable("the statement was stopped while it was planned").into()),
    }
}
