//! The changes of one statement, from its rows to the write.

use std::sync::Arc;

use arrow::array::RecordBatch;

use super::apply::Application;
use super::cancel::Waiting;
use super::conflict::Refusal;
use super::edit::{Encoder, Kind, Layout};
use super::lock::TableGuard;
use super::progress::{Phase, Progress};
use super::random_salt::NextBucket;
use super::row_ids::RowIds;
use super::row_label::RowLabels;
use super::settle::Settled;
use super::sorter::Sorter;
use super::spill::SpillDirectory;
use super::{Change, Definition, WriteSettings};
use crate::error::{Error, Result};
use crate::row::{RowChanges, RowWriter};
use crate::schema::BoundTable;
use crate::store::{Snapshot, Store};

/// The changes of one INSERT, REPLACE, DELETE or COPY. Nothing is visible before [`WriteSet::commit`]; what does not fit
/// into memory is written to a temporary file.
#[derive(Debug)]
pub struct WriteSet {
    rows: RowWriter,
    row_ids: RowIds,
    next_bucket: NextBucket,
    store: Arc<dyn Store>,
    spills: SpillDirectory,
    change: Change,
    settings: WriteSettings,
    labels: RowLabels,
    changes: Sorter,
    count: u64,
    progress: Progress,
    waiting: Waiting,
    /// What [`WriteSet::begin`] has begun in the store.
    begun: Option<RowChanges>,
    definition: Option<Arc<Definition>>,
}

impl WriteSet {
    pub(super) fn new(
        rows: RowWriter,
        (row_ids, next_bucket): (RowIds, NextBucket),
        store: Arc<dyn Store>,
        spills: SpillDirectory,
        change: Change,
        settings: WriteSettings,
        labels: RowLabels,
    ) -> Self {
        // What is dealt out is sorted twice.
        let times = match rows.table().row_key().dealt_buckets() {
            None => 1,
            Some(_) => 2,
        };
        Self {
            changes: Sorter::new(settings.memory / times),
            rows,
            row_ids,
            next_bucket,
            store,
            spills,
            change,
            settings,
            labels,
            count: 0,
            progress: Progress::default(),
            waiting: Waiting::always(),
            begun: None,
            definition: None,
        }
    }

    /// The same, which writes only while this is the stored definition of the table.
    pub(super) fn for_definition(self, definition: Option<Arc<Definition>>) -> Self {
        Self { definition, ..self }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        self.rows.table()
    }

    /// What encodes its rows.
    pub(super) fn rows(&self) -> &RowWriter {
        &self.rows
    }

    /// From now on tells `progress` how far it is.
    pub fn report_to(&mut self, progress: Progress) {
        progress.enter(Phase::Reading);
        self.progress = progress;
    }

    /// What is told how far it is.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Stops with an error when nobody waits any more, as long as nothing is written.
    pub(super) fn stop_with(&mut self, waiting: Waiting) {
        self.waiting = waiting;
    }

    /// Claims the table now and not at the commit, and returns a snapshot: for a DELETE, which looks for its rows
    /// there. Nobody else changes a row from then on. It blocks while another statement holds a claim.
    ///
    /// # Errors
    /// Those of [`RowChanges::begin`] and [`RowChanges::snapshot`].
    pub(super) fn begin(&mut self) -> Result<Arc<dyn Snapshot>> {
        let store = Arc::clone(&self.store);
        let begun = RowChanges::begin(store, self.table().spaces())?;
        self.hold(begun)
    }

    /// As [`WriteSet::begin`], but it never waits for others: `None` where it might.
    ///
    /// # Errors
    /// As [`WriteSet::begin`].
    pub(super) fn try_begin(&mut self) -> Result<Option<Arc<dyn Snapshot>>> {
        let store = Arc::clone(&self.store);
        let begun = RowChanges::try_begin(store, self.table().spaces())?;
        begun.map(|begun| self.hold(begun)).transpose()
    }

    /// Holds a claim until the commit. One snapshot is for the check and for what the statement reads: each costs as much
    /// as a lookup.
    fn hold(&mut self, begun: RowChanges) -> Result<Arc<dyn Snapshot>> {
        let snapshot = begun.snapshot()?;
        self.check_definition(snapshot.as_ref())?;
        self.begun = Some(begun);
        Ok(snapshot)
    }

    fn claim(&self) -> Result<RowChanges> {
        let begun = RowChanges::begin(Arc::clone(&self.store), self.table().spaces())?;
        if self.definition.is_some() {
            self.check_definition(begun.snapshot()?.as_ref())?;
        }
        Ok(begun)
    }

    fn check_definition(&self, claimed: &dyn Snapshot) -> Result<()> {
        match &self.definition {
            Some(definition) => definition.check(self.table(), claimed),
            None => Ok(()),
        }
    }

    /// Adds rows, which errors count on from those before. It may block, to write rows to a temporary file.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored; `Unavailable` where the temporary file cannot be written. The
    /// statement is then to be dropped.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<()> {
        self.gather(rows)?;
        self.spill_if_full()
    }

    /// As [`WriteSet::add`], where `numbers` says what errors call each row: the lines of a file. They grow from row
    /// to row.
    pub fn add_numbered(&mut self, rows: &RecordBatch, numbers: &[u64]) -> Result<()> {
        self.gather_with(rows, |row| numbers.get(row).copied().unwrap_or_default())?;
        self.spill_if_full()
    }

    /// As [`WriteSet::add`], but it never blocks: the caller spills, by [`WriteSet::spill_if_full`].
    pub(super) fn gather(&mut self, rows: &RecordBatch) -> Result<()> {
        let first = self.count + 1;
        self.gather_with(rows, |row| first + row as u64)
    }

    /// Takes what becomes of rows, as `layout` has it in the columns of a batch. It never blocks, as [`WriteSet::gather`].
    pub(super) fn gather_edits(&mut self, batch: &RecordBatch, layout: Layout) -> Result<()> {
        let ids = |count| self.row_ids.take(count, self.rows.table(), &self.store);
        let completed = layout.with_row_ids(batch, self.rows.table(), ids)?;
        let batch = completed.as_ref().unwrap_or(batch);
        let (most, changes) = (self.settings.row_bytes, &mut self.changes);
        let (rows, first) = (&self.rows, self.count + 1);
        let encoder = Encoder {
            rows,
            layout,
            first,
        };
        encoder.encode(batch, |change| {
            let value = change.value.unwrap_or_default();
            check_length(rows.table(), change.key.len() + value.len(), most)?;
            changes.push(change)
        })?;
        self.count += batch.num_rows() as u64;
        self.progress.read_rows(batch.num_rows() as u64);
        Ok(())
    }

    /// Takes the rows of a batch, whose columns are those of the table, or what `layout` says. It never blocks, as
    /// [`WriteSet::gather`].
    pub(super) fn take(&mut self, batch: &RecordBatch, layout: Option<Layout>) -> Result<()> {
        let Some(layout) = layout else {
            return self.gather(batch);
        };
        match self.change {
            Change::Edit(_) => self.gather_edits(batch, layout),
            Change::Delete => self.gather(&layout.old_rows(batch, self.table())?),
            Change::Insert | Change::Replace => self.gather(&layout.new_rows(batch, self.table())?),
        }
    }

    /// How many rows were added so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    fn gather_with(&mut self, rows: &RecordBatch, number: impl Fn(usize) -> u64) -> Result<()> {
        let encoded = match self.change {
            Change::Insert | Change::Replace => {
                let completed = self.row_ids.complete(rows, self.table(), &self.store)?;
                self.rows.encode(completed.as_ref().unwrap_or(rows))
            }
            Change::Delete => self.rows.encode_keys_of(rows),
            Change::Edit(_) => return Err(Error::internal("a change without a layout")),
        };
        let encoded = encoded.map_err(|error| error.placed(|row| self.labels.of(number(row))))?;
        for row in encoded.iter() {
            check_length(self.table(), row.bytes(), self.settings.row_bytes)
                .map_err(|error| error.at_row(self.labels.of(number(row.row))))?;
        }
        let kind = match self.change {
            Change::Delete => Kind::Delete,
            _ => Kind::Insert,
        };
        self.changes.add(encoded, |row| kind.tag(number(row)))?;
        self.count += rows.num_rows() as u64;
        self.progress.read_rows(rows.num_rows() as u64);
        Ok(())
    }

    /// Whether it is time for [`WriteSet::spill_if_full`].
    pub(super) fn is_full(&self) -> bool {
        self.changes.is_full()
    }

    /// Writes what is held to a temporary file, if it is more than the statement's memory. It blocks.
    pub(super) fn spill_if_full(&mut self) -> Result<()> {
        if self.changes.is_full() {
            self.changes.spill(&self.spills)
        } else {
            Ok(())
        }
    }

    /// Checks the keys and writes everything at once; returns how many rows were added or deleted. It blocks. `guard` is
    /// that of the table's lock; for a DELETE it was held since its rows were looked for.
    ///
    /// # Errors
    /// `Conflict` that names table, row and key, where two rows cannot both stay, and where the table was dropped or
    /// emptied meanwhile; then nothing is written. Else those of [`RowChanges::begin`] and [`RowChanges::commit`].
    pub fn commit(self, guard: &TableGuard) -> Result<u64> {
        let settled = self.settle(guard)?.waited()?;
        Ok(settled.count)
    }

    /// As [`WriteSet::commit`], and says which rows nothing came from; what it comes to is to be [waited
    /// for](Settled::waited), best when the lock is given back.
    pub(super) fn settle(mut self, guard: &TableGuard) -> Result<Settled> {
        guard.check(self.table().name())?;
        if self.changes.is_empty() {
            return Ok(Settled::default());
        }
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => self.claim()?,
        };
        let changes = std::mem::replace(&mut self.changes, Sorter::new(0));
        let application = Application {
            table: self.rows.table(),
            change: self.change,
            settings: self.settings,
            progress: &self.progress,
            waiting: &self.waiting,
            spills: &self.spills,
            next_bucket: &self.next_bucket,
        };
        match (application.apply(changes, begun), self.change) {
            (Ok(settled), Change::Insert | Change::Replace) => Ok(Settled {
                count: self.count,
                ..settled
            }),
            // A row that is named twice is deleted once.
            (Ok(settled), Change::Delete | Change::Edit(_)) => Ok(settled),
            (Err(Refusal::Conflict(conflict)), change) => {
                // It may be that another process has given the same ids.
                self.row_ids.forget();
                let label = |number| self.labels.of(number);
                Err(conflict.error(self.table(), change, label)?)
            }
            (Err(Refusal::Error(error)), _) => Err(error),
        }
    }
}

pub(super) fn check_length(table: &BoundTable, bytes: usize, most: usize) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let error = Error::invalid(format!(
        "a row of {bytes} bytes is longer than halite.row_bytes allows, {most}"
    ));
    Err(error.of_table(table.name()))
}
