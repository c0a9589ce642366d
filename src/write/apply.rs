//! The sorted changes of a statement: checked against each other and the store, and written at once.

use std::sync::Arc;

use super::cancel::Waiting;
use super::changes::EncodedChange;
use super::conflict::Refusal;
use super::progress::{Phase, Progress};
use super::random_salt::{Dealer, NextBucket};
use super::settle::{Settled, Settler};
use super::sorter::Sorter;
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
/// How many keys of a bulk load are checked at once.
const WINDOW_CHANGES: usize = 4_096;
/// No key is added to those once their changes take so many bytes.
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
    /// Settles what meets under each key, and writes what that comes to.
    pub(super) fn apply(
        &self,
        mut changes: Sorter,
        mut begun: RowChanges,
    ) -> Result<Settled, Refusal> {
        let mut settler = Settler::new(self.table, self.change);
        if self.change == Change::Insert && self.table.row_key().dealt_buckets().is_some() {
            changes = self.deal(changes, &begun)?;
            settler = settler.of_free_keys();
        }
        self.progress.enter(Phase::Writing);
        if is_bulk(&changes) {
            self.write_in_bulk(&mut settler, changes, &mut begun)?;
        } else {
            self.write_at_once(&mut settler, changes, &mut begun)?;
        }
        // From here on the statement is not given up.
        self.waiting.check()?;
        self.progress.enter(Phase::Finishing);
        settler.settled.durable = begun.commit_early(self.settings.durability)?;
        Ok(settler.settled)
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

    /// As one batch.
    fn write_at_once(
        &self,
        settler: &mut Settler,
        changes: Sorter,
        begun: &mut RowChanges,
    ) -> Result<(), Refusal> {
        let mut sorted = changes.finish()?;
        settler.fill(&mut sorted, usize::MAX, usize::MAX)?;
        self.waiting.check()?;
        if settler.looks() {
            // It ends here: its snapshot would keep alive what is overwritten.
            settler.check(&mut StoredRows::new(begun.rows()?))?;
        }
        refuse(settler)?;
        // The bytes are the batch's alone then, and not copied.
        drop(sorted);
        let batch = std::mem::take(&mut settler.window).into_batch(self.table.space())?;
        self.progress.wrote(batch.len() as u64);
        Ok(begun.write(batch)?)
    }

    /// A window of the changes at a time, into sorted files.
    fn write_in_bulk(
        &self,
        settler: &mut Settler,
        changes: Sorter,
        begun: &mut RowChanges,
    ) -> Result<(), Refusal> {
        let mut stored = StoredRows::new(begun.rows()?);
        let mut bulk = begun.bulk()?;
        let mut sorted = changes.finish()?;
        while settler.fill(&mut sorted, WINDOW_CHANGES, WINDOW_BYTES)? {
            self.waiting.check()?;
            settler.check(&mut stored)?;
            refuse(settler)?;
            write(settler.window.iter(), bulk.as_mut())?;
            self.progress.wrote(settler.window.len() as u64);
        }
        Ok(())
    }
}

/// Ends a statement two of whose rows cannot both stay.
fn refuse(settler: &mut Settler) -> Result<(), Refusal> {
    match settler.conflict() {
        Some(conflict) => Err(Refusal::Conflict(Box::new(conflict))),
        None => Ok(()),
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
