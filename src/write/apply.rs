//! The sorted changes of a statement: checked against each other and the store, and written at once.

use std::sync::Arc;

use super::cancel::Waiting;
use super::changes::{EncodedChange, EncodedChanges};
use super::conflict::{Refusal, Search};
use super::edit::Edit;
use super::progress::{Phase, Progress};
use super::random_salt::{Dealer, NextBucket};
use super::settle::{Settled, Settler};
use super::sorter::{SortedChanges, Sorter};
use super::spill::SpillDirectory;
use super::stored::StoredRows;
use super::{Change, WriteSettings};
use crate::error::Result;
use crate::row::RowChanges;
use crate::schema::BoundTable;
use crate::store::BulkWriter;

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
    pub(super) change: Change,
    pub(super) settings: WriteSettings,
    pub(super) progress: &'a Progress,
    pub(super) waiting: &'a Waiting,
    pub(super) spills: &'a SpillDirectory,
    pub(super) next_bucket: &'a NextBucket,
}

impl Application<'_> {
    /// Checks and writes; returns how many different keys were written or deleted.
    pub(super) fn apply(&self, mut changes: Sorter, begun: RowChanges) -> Result<Settled, Refusal> {
        let search = match self.change {
            Change::Edit(edit) => return Ok(self.settle(edit, changes, begun)?),
            Change::Insert if self.table.row_key().dealt_buckets().is_some() => {
                changes = self.deal(changes, &begun)?;
                None
            }
            Change::Insert => Search::new(self.table, &begun, true)?,
            Change::Replace => Search::new(self.table, &begun, false)?,
            Change::Delete => None,
        };
        self.progress.enter(Phase::Writing);
        if is_bulk(&changes) {
            Ok(Settled {
                count: self.apply_in_bulk(changes, search, begun)?,
                ..Settled::default()
            })
        } else {
            self.apply_at_once(changes.into_sorted(), search, begun)
        }
    }

    /// The rows under keys that are free.
    fn deal(&self, changes: Sorter, begun: &RowChanges) -> Result<Sorter, Refusal> {
        let stored = StoredRows::new(begun.rows()?);
        let mut dealer = Dealer::new(self.table, stored, self.next_bucket)?;
        let mut dealt = Sorter::new(self.settings.memory / 2);
        let mut sorted = changes.finish()?;
        while dealer.deal(&mut sorted, &mut dealt)? {
            self.waiting.check()?;
            if dealt.is_full() {
                dealt.spill(self.spills)?;
            }
        }
        Ok(dealt)
    }

    /// Settles what meets under each key, and writes what that comes to.
    fn settle(&self, edit: Edit, changes: Sorter, mut begun: RowChanges) -> Result<Settled> {
        self.progress.enter(Phase::Writing);
        let space = self.table.space();
        let mut settler = Settler::new(self.table, edit);
        let is_bulk = is_bulk(&changes);
        let mut sorted = changes.finish()?;
        if is_bulk {
            let mut stored = StoredRows::new(begun.rows()?);
            let mut bulk = begun.bulk()?;
            while settler.fill(&mut sorted, WINDOW_CHANGES, WINDOW_BYTES)? {
                self.waiting.check()?;
                settler.check(&mut stored)?;
                write(settler.window.iter(), bulk.as_mut())?;
                self.progress.wrote(settler.window.len() as u64);
            }
            drop(bulk);
            drop(stored);
        } else {
            settler.fill(&mut sorted, usize::MAX, usize::MAX)?;
            if settler.needs_free_keys() {
                settler.check(&mut StoredRows::new(begun.rows()?))?;
            }
            drop(sorted);
            let batch = std::mem::take(&mut settler.window).into_batch(space)?;
            self.progress.wrote(batch.len() as u64);
            begun.write(batch)?;
        }
        self.waiting.check()?;
        self.progress.enter(Phase::Finishing);
        settler.settled.durable = begun.commit_early(self.settings.durability)?;
        Ok(settler.settled)
    }

    /// As one batch. Of several conflicts the first is found.
    fn apply_at_once(
        &self,
        changes: EncodedChanges,
        mut search: Option<Search>,
        mut begun: RowChanges,
    ) -> Result<Settled, Refusal> {
        self.check(&changes, &mut search)?;
        let batch = changes.into_batch(self.table.space())?;
        let written = batch.len() as u64;
        self.progress.wrote(written);
        self.finish(search)?;
        begun.write(batch)?;
        Ok(Settled {
            count: written,
            dropped: Vec::new(),
            durable: begun.commit_early(self.settings.durability)?,
        })
    }

    /// A window of the changes at a time, into sorted files.
    fn apply_in_bulk(
        &self,
        changes: Sorter,
        mut search: Option<Search>,
        mut begun: RowChanges,
    ) -> Result<u64, Refusal> {
        let mut bulk = begun.bulk()?;
        let (mut merge, mut window) = (changes.finish()?, Window::default());
        let mut written = 0;
        while window.fill(&mut merge)? {
            self.check(&window.changes, &mut search)?;
            let count = window.write(bulk.as_mut())?;
            self.progress.wrote(count);
            written += count;
        }
        drop(bulk);
        self.finish(search)?;
        begun.commit(self.settings.durability)?;
        Ok(written)
    }

    /// Whether these sorted changes can be made.
    fn check(&self, changes: &EncodedChanges, search: &mut Option<Search>) -> Result<(), Refusal> {
        self.waiting.check()?;
        let conflict = match search {
            Some(search) => search.find(changes)?,
            None => None,
        };
        match conflict {
            Some(conflict) => Err(Refusal::Conflict(Box::new(conflict))),
            None => Ok(()),
        }
    }

    /// All is checked: from here on the statement is not given up. The search ends, as its snapshot would keep alive
    /// what is overwritten.
    fn finish(&self, search: Option<Search>) -> Result<()> {
        drop(search);
        self.waiting.check()?;
        self.progress.enter(Phase::Finishing);
        Ok(())
    }
}

/// Whether changes are written through sorted files.
fn is_bulk(changes: &Sorter) -> bool {
    changes.has_spilled() || changes.size_in_bytes() > BULK_BYTES
}

/// Writes changes, of which each key has one.
fn write<'a>(
    changes: impl Iterator<Item = EncodedChange<'a>>,
    bulk: &mut dyn BulkWriter,
) -> Result<()> {
    for change in changes {
        match change.value {
            Some(value) => bulk.put(change.key, value)?,
            None => bulk.delete(change.key)?,
        }
    }
    Ok(())
}

/// A stretch of the sorted changes of a bulk load. Of each key the last change is written, so the last one of a window,
/// which may be followed by one of its key, waits for the next window.
#[derive(Default)]
struct Window {
    changes: EncodedChanges,
    /// Whether the last change of `changes` is to be kept for the next window.
    goes_on: bool,
}

impl Window {
    /// Takes the next changes; returns whether there are any.
    fn fill(&mut self, merge: &mut SortedChanges) -> Result<bool> {
        if self.goes_on {
            self.changes.keep_last()?
        } else {
            self.changes.clear()
        }
        // Never fewer than two, so that a window that keeps a change of any size gets on.
        while self.changes.len() < 2
            || (self.changes.len() < WINDOW_CHANGES && self.changes.size_in_bytes() < WINDOW_BYTES)
        {
            if merge.change().is_none() {
                break;
            }
            merge.give(&mut self.changes)?;
            merge.advance()?;
        }
        self.goes_on = merge.change().is_some();
        Ok(!self.changes.is_empty())
    }

    /// Writes the last change of each key, but for the key that may go on; returns how many.
    fn write(&self, bulk: &mut dyn BulkWriter) -> Result<u64> {
        let mut changes = self.changes.last_of_each_key().peekable();
        let mut written = 0;
        while let Some(change) = changes.next() {
            if self.goes_on && changes.peek().is_none() {
                break;
            }
            match change.value {
                Some(value) => bulk.put(change.key, value)?,
                None => bulk.delete(change.key)?,
            }
            written += 1;
        }
        Ok(written)
    }
}
