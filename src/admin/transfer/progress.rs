//! How far a copy is, and whether it is to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::stopped;
use crate::error::Result;

/// What is done with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TransferPhase {
    /// Its rows are written.
    #[default]
    Copying,
    /// All of it is read on both sides, and compared.
    Comparing,
}

/// How far a copy is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferReport {
    /// The table.
    pub table: String,
    /// What is done with it.
    pub phase: TransferPhase,
    /// How many of its rows that is done with, those of both sides.
    pub rows: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
}

/// Counts what a copy does, to be looked at from another thread, which may stop it. A clone is the same.
#[derive(Debug, Clone, Default)]
pub struct TransferProgress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The table, and what is done with it.
    at: Mutex<(String, TransferPhase)>,
    rows: AtomicU64,
    bytes: AtomicU64,
    is_stopped: AtomicBool,
}

impl TransferProgress {
    /// How far the copy is.
    pub fn report(&self) -> TransferReport {
        let (table, phase) = self.0.at.lock().clone();
        TransferReport {
            table,
            phase,
            rows: self.0.rows.load(Ordering::Relaxed),
            bytes: self.0.bytes.load(Ordering::Relaxed),
        }
    }

    /// The copy ends before it writes again.
    pub fn stop(&self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn begin(&self, table: &str) {
        table.clone_into(&mut self.0.at.lock().0);
        self.enter(TransferPhase::Copying);
    }

    pub(super) fn enter(&self, phase: TransferPhase) {
        self.0.at.lock().1 = phase;
        self.0.rows.store(0, Ordering::Relaxed);
        self.0.bytes.store(0, Ordering::Relaxed);
    }

    /// Counts rows.
    ///
    /// # Errors
    /// `Interrupted` after [`TransferProgress::stop`].
    pub(super) fn count(&self, rows: usize, bytes: usize) -> Result<()> {
        self.0.rows.fetch_add(rows as u64, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.0.is_stopped.load(Ordering::Relaxed) {
            Err(stopped())
        } else {
            Ok(())
        }
    }
}
