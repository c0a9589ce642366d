//! The sorted changes of a statement: checked against each other and the store, and written at once.

use std::sync::Arc;

use super::changes::{Changed, Changes};
use super::conflict::{Conflict, Search};
use super::progress::{Phase, Progress};
use super::sorter::{Merge, Sorter};
use super::wanted::Waiting;
use super::{Change, WriteSettings};
use crate::error::Result;
use crate::schema::BoundTable;
use crate::store::{BulkWriter, Durability, Store, WriteBatch};

/// A statement whose changes take more memory than this is written in bulk, in sorted files. Below it a batch is as
/// quick, and one sync of the log is all that it costs.
const BULK_BYTES: usize = 16 << 20;
/// How many changes of a bulk load are checked at once.
const WINDOW_CHANGES: usize = 4_096;
/// No change is added to those once they take so many bytes.
const WINDOW_BYTES: usize = 4 << 20;

/// What is needed beside the changes.
pub(super) struct Application<'a> {
    pub(super) table: &'a Arc<BoundTable>,
    pub(super) store: &'a dyn Store,
    pub(super) change: Change,
    pub(super) settings: WriteSettings,
    pub(super) progress: &'a Progress,
    pub(super) waiting: &'a Waiting,
}

/// Why nothing was written.
pub(super) enum Refusal {
    Conflict(Box<Conflict>),
    Error(crate::error::Error),
}

impl From<crate::error::Error> for Refusal {
    fn from(error: crate::error::Error) -> Self {
        Self::Error(error)
    }
}

impl Application<'_> {
    /// Checks and writes; returns how many different keys were written or deleted.
    pub(super) fn apply(&self, changes: Sorter) -> Result<u64, Refusal> {
        let is_bulk = changes.has_spilled() || changes.size_in_bytes() > BULK_BYTES;
        let mut search = match self.change {
            Change::Insert => Search::new(self.table, self.store, true)?,
            Change::Replace => Search::new(self.table, self.store, false)?,
            Change::Delete => None,
        };
        let mut output = match is_bulk {
            true => Output::Bulk(self.store.bulk(self.table.space())?),
            false => Output::Batch(WriteBatch::new(), self.table.space()),
        };
        self.progress.enter(Phase::Writing);
        let mut merge = changes.finish()?;
        let mut window = Window::new(is_bulk);
        while window.fill(&mut merge)? {
            self.waiting.check()?;
            if let Some(search) = &mut search
                && let Some(conflict) = search.find(&window.changes)?
            {
                return Err(Refusal::Conflict(Box::new(conflict)));
            }
            window.write(&mut output, self.progress)?;
        }
        // Its snapshot would keep alive what is overwritten.
        drop(search);
        self.waiting.check()?;
        self.progress.enter(Phase::Finishing);
        output.finish(self.store, self.settings.durability)?;
        Ok(window.written)
    }
}

/// A stretch of the sorted changes. Of each key the last change is written, so the last one of a window, which may be
/// followed by one of its key, waits for the next window.
struct Window {
    changes: Changes,
    limit: usize,
    bytes: usize,
    /// Whether the last change of `changes` is to be kept for the next window.
    goes_on: bool,
    written: u64,
}

impl Window {
    /// Of a bulk load windows are small; else one holds all, and of several conflicts the first is found.
    fn new(is_bulk: bool) -> Self {
        let (limit, bytes) = match is_bulk {
            true => (WINDOW_CHANGES, WINDOW_BYTES),
            false => (usize::MAX, usize::MAX),
        };
        Self {
            changes: Changes::default(),
            limit,
            bytes,
            goes_on: false,
            written: 0,
        }
    }

    /// Takes the next changes; returns whether there are any.
    fn fill(&mut self, merge: &mut Merge) -> Result<bool> {
        let kept = self.changes.len().checked_sub(1).filter(|_| self.goes_on);
        let kept: Option<(Vec<u8>, Option<Vec<u8>>, u64)> =
            kept.and_then(|last| self.changes.get(last)).map(|last| {
                let value = last.value.map(<[u8]>::to_vec);
                (last.key.to_vec(), value, last.number)
            });
        self.changes.clear();
        if let Some((key, value, number)) = kept {
            let (key, value) = (key.as_slice(), value.as_deref());
            self.changes.push(Changed { key, value, number })?;
        }
        // Never fewer than two, so that a window that keeps a change of any size gets on.
        while self.changes.len() < 2
            || (self.changes.len() < self.limit && self.changes.size_in_bytes() < self.bytes)
        {
            let Some(change) = merge.change() else {
                break;
            };
            self.changes.push(change)?;
            merge.advance()?;
        }
        self.goes_on = merge.change().is_some();
        Ok(!self.changes.is_empty())
    }

    /// Writes the last change of each key, but for the key that may go on.
    fn write(&mut self, output: &mut Output<'_>, progress: &Progress) -> Result<()> {
        let mut changes = self.changes.iter().peekable();
        let mut written = 0;
        while let Some(change) = changes.next() {
            let is_last = match changes.peek() {
                Some(next) => next.key != change.key,
                None => !self.goes_on,
            };
            if is_last {
                output.push(change)?;
                written += 1;
            }
        }
        self.written += written;
        progress.wrote(written);
        Ok(())
    }
}

/// Where changes go: all of them at once, in the end.
enum Output<'a> {
    Batch(WriteBatch, &'a str),
    Bulk(Box<dyn BulkWriter + 'a>),
}

impl Output<'_> {
    fn push(&mut self, change: Changed<'_>) -> Result<()> {
        match (self, change.value) {
            (Self::Batch(batch, space), Some(value)) => batch.put(space, change.key, value),
            (Self::Batch(batch, space), None) => batch.delete(space, change.key),
            (Self::Bulk(bulk), Some(value)) => bulk.put(change.key, value)?,
            (Self::Bulk(bulk), None) => bulk.delete(change.key)?,
        }
        Ok(())
    }

    fn finish(self, store: &dyn Store, durability: Durability) -> Result<()> {
        match self {
            Self::Batch(batch, _) => store.write(batch, durability),
            Self::Bulk(bulk) => bulk.ingest(),
        }
    }
}
