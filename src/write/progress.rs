//! How far a statement that writes is: for a progress bar, and for the report at its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What a statement that writes is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Phase {
    /// It has not begun, or does not write.
    #[default]
    Idle,
    /// It takes rows, and sorts them.
    Reading,
    /// It checks the sorted rows and writes them aside; nothing is visible.
    Writing,
    /// It makes them visible. From here on it is not cancelled any more.
    Finishing,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Idle, Self::Reading, Self::Writing, Self::Finishing];
}

/// How far a statement is, or was when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ProgressReport {
    /// What it is doing.
    pub phase: Phase,
    /// How many rows it has taken.
    pub rows_read: u64,
    /// How many rows it has written aside; known while and after it is [`Phase::Writing`].
    pub rows_written: u64,
    /// How many bytes of its files it has read.
    pub bytes_read: u64,
    /// How many bytes its files have; 0 where it does not read files.
    pub bytes_total: u64,
}

impl ProgressReport {
    /// The part that is done, from 0 to 1, where it can be told: of the bytes of the files, then of the rows. Reading
    /// counts as two thirds.
    pub fn fraction(&self) -> Option<f64> {
        let part = |done: u64, all: u64| (all > 0).then(|| (done as f64 / all as f64).min(1.0));
        match self.phase {
            Phase::Idle => None,
            Phase::Reading => part(self.bytes_read, self.bytes_total).map(|read| read * 2.0 / 3.0),
            Phase::Writing => {
                part(self.rows_written, self.rows_read).map(|written| (2.0 + written) / 3.0)
            }
            Phase::Finishing => Some(1.0),
        }
    }
}

/// Counts what a statement does, to be looked at from another thread. A clone counts the same.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    phase: AtomicU8,
    rows_read: AtomicU64,
    rows_written: AtomicU64,
    bytes_read: AtomicU64,
    bytes_total: AtomicU64,
}

impl Progress {
    /// How far the statement is.
    pub fn report(&self) -> ProgressReport {
        let phase = usize::from(self.0.phase.load(Ordering::Relaxed));
        ProgressReport {
            phase: Phase::ALL.get(phase).copied().unwrap_or_default(),
            rows_read: self.0.rows_read.load(Ordering::Relaxed),
            rows_written: self.0.rows_written.load(Ordering::Relaxed),
            bytes_read: self.0.bytes_read.load(Ordering::Relaxed),
            bytes_total: self.0.bytes_total.load(Ordering::Relaxed),
        }
    }

    /// Forgets the statement before: a new one begins.
    pub fn begin(&self) {
        let counters = &self.0;
        for counter in [
            &counters.rows_read,
            &counters.rows_written,
            &counters.bytes_read,
            &counters.bytes_total,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        self.enter(Phase::Idle);
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// The statement will read so many bytes of files.
    pub(super) fn expect_bytes(&self, bytes: u64) {
        self.0.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes of files were read.
    pub(super) fn read_bytes(&self, bytes: u64) {
        self.0.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many rows were taken.
    pub(super) fn read_rows(&self, rows: u64) {
        self.0.rows_read.fetch_add(rows, Ordering::Relaxed);
    }

    /// So many rows were written aside.
    pub(super) fn wrote(&self, rows: u64) {
        self.0.rows_written.fetch_add(rows, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_counted_since_the_statement_began() {
        let progress = Progress::default();
        assert_eq!(progress.report(), ProgressReport::default());
        assert_eq!(progress.report().fraction(), None);
        let counter = progress.clone();
        counter.enter(Phase::Reading);
        assert_eq!(progress.report().fraction(), None);
        counter.expect_bytes(400);
        counter.read_bytes(100);
        counter.read_rows(10);
        let report = progress.report();
        assert_eq!((report.phase, report.rows_read), (Phase::Reading, 10));
        assert_eq!((report.bytes_read, report.bytes_total), (100, 400));
        assert_eq!(report.fraction(), Some(1.0 / 6.0));
        counter.enter(Phase::Writing);
        counter.wrote(5);
        assert_eq!(progress.report().fraction(), Some(2.5 / 3.0));
        counter.enter(Phase::Finishing);
        assert_eq!(progress.report().fraction(), Some(1.0));
        progress.begin();
        assert_eq!(progress.report(), ProgressReport::default());
    }
}
