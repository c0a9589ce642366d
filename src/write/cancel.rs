//! Whether somebody still waits for a statement that blocks a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Kept by who waits. When it is dropped, what blocks for it is to stop.
#[derive(Debug)]
pub(super) struct Waiter(Arc<AtomicBool>);

/// Asked by what blocks.
#[derive(Debug, Clone)]
pub(super) struct Waiting(Arc<AtomicBool>);

impl Default for Waiter {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

impl Waiter {
    /// What tells that this one waits.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting(Arc::clone(&self.0))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Waiting {
    /// Somebody waits to the end.
    pub(super) fn always() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// # Errors
    /// `Unavailable` where nobody waits any more.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Error::unavailable("the statement was cancelled"))
        }
    }
}
