//! The lock that the writers of one table share.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use super::definition::outdated;
use crate::error::Result;

/// Lets one writer of a table in at a time. A clone is the same lock.
#[derive(Debug, Clone, Default)]
pub struct TableLock(Arc<tokio::sync::Mutex<Rows>>);

/// Whether the rows that writers came for are still those of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rows {
    #[default]
    Current,
    /// The table was dropped, emptied or altered.
    Gone,
}

/// Holds a table's lock until it is dropped.
#[derive(Debug)]
pub struct TableGuard {
    guard: OwnedMutexGuard<Rows>,
}

impl TableGuard {
    /// Turns away the writers that wait: the table's rows are gone, with the space that they were in, or are to be written
    /// in another way.
    pub fn retire(&mut self) {
        *self.guard = Rows::Gone;
    }

    /// Whether the rows of `table` are still there to be changed.
    ///
    /// # Errors
    /// `Conflict` after [`TableGuard::retire`].
    pub fn check(&self, table: &str) -> Result<()> {
        match *self.guard {
            Rows::Current => Ok(()),
            Rows::Gone => Err(outdated(table)),
        }
    }
}

impl TableLock {
    /// Waits until no other writer is in.
    pub async fn acquire(&self) -> TableGuard {
        TableGuard {
            guard: Arc::clone(&self.0).lock_owned().await,
        }
    }

    /// The guard, if no other writer is in or waits to be.
    pub fn try_acquire(&self) -> Option<TableGuard> {
        let guard = Arc::clone(&self.0).try_lock_owned().ok()?;
        Some(TableGuard { guard })
    }

    /// As [`TableLock::acquire`], for a thread that may wait; panics inside an asynchronous task.
    pub fn acquire_blocking(&self) -> TableGuard {
        TableGuard {
            guard: Arc::clone(&self.0).blocking_lock_owned(),
        }
    }
}
