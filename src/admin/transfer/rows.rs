//! The rows of one table, from where the target has none on.

use std::sync::Arc;

use super::compare::TableTally;
use super::{Side, Transfer};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::row::{RowChanges, RowSnapshot, own_rows};
use crate::schema::BoundTable;
use crate::store::{Chunk, ChunkLimit, Direction, Durability, ReadRequest, Snapshot, WriteBatch};
use crate::table::HaliteTable;

/// Copies the rows of a table.
pub(super) struct RowCopy<'a> {
    transfer: &'a Transfer,
    table: &'a BoundTable,
    target: &'a HaliteTable,
    /// The greatest key that the target has.
    last: Option<Vec<u8>>,
    batch: WriteBatch,
    /// The greatest key of `batch`.
    newest: Vec<u8>,
    /// What is written.
    tally: TableTally,
}

/// What has been copied of a table.
pub(super) struct Copied {
    /// Where it began, if the target had rows already: from this key on.
    pub(super) first: Option<Vec<u8>>,
    pub(super) tally: TableTally,
}

impl<'a> RowCopy<'a> {
    pub(super) fn new(
        transfer: &'a Transfer,
        table: &'a BoundTable,
        target: &'a HaliteTable,
    ) -> Self {
        Self {
            transfer,
            table,
            target,
            last: None,
            batch: WriteBatch::new(),
            newest: Vec::new(),
            tally: TableTally::default(),
        }
    }

    /// Copies what the target does not have yet, from its greatest key on.
    pub(super) fn run(mut self) -> Result<Copied> {
        let there = self.transfer.to.catalog.snapshot()?;
        self.last = last_common(
            (&self.transfer.from, &self.transfer.moment, self.table),
            (&self.transfer.to, &there, self.target.bound()),
        )?;
        drop(there);
        let first = self.last.as_deref().map(behind);
        let begin = first.clone().unwrap_or_default();
        let range = KeyRange::new(begin, None);
        let range = range.and_then(|rest| rest.intersect(&self.table.row_key().own_range()));
        if let Some(range) = range {
            let rows = RowSnapshot::of(Arc::clone(&self.transfer.moment), self.table.spaces());
            rows.read_chunks(&range, |chunk| self.take(chunk))?;
            self.write()?;
        }
        Ok(Copied {
            first,
            tally: self.tally,
        })
    }

    pub(super) fn take(&mut self, chunk: &Chunk) -> Result<bool> {
        let chunk = own_rows(self.table, chunk);
        for (key, value) in chunk.iter() {
            self.tally.add(key, value);
            self.batch.put(self.target.bound().space(), key, value);
            if self.batch.size_in_bytes() >= self.transfer.chunk_bytes {
                self.newest = key.to_vec();
                self.write()?;
            }
        }
        if let Some((key, _)) = chunk.last() {
            self.newest = key.to_vec();
        }
        let progress = &self.transfer.progress;
        progress.count(chunk.len(), chunk.size_in_bytes())?;
        Ok(true)
    }

    /// Writes what has been gathered, as a statement.
    pub(super) fn write(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let table = self.target.bound();
        let writing = self.target.lock_writes();
        writing.check(table.name())?;
        let mut changes = RowChanges::begin(Arc::clone(self.target.store()), table.spaces())?;
        // From here on nobody else changes the table, or drops it.
        let snapshot = changes.snapshot()?;
        self.transfer
            .to
            .catalog
            .expect_unchanged(table, snapshot.as_ref())?;
        self.expect_room(&RowSnapshot::of(snapshot, table.spaces()))?;
        changes.write(std::mem::take(&mut self.batch))?;
        changes.commit(Durability::Sync)?;
        self.last = Some(std::mem::take(&mut self.newest));
        Ok(())
    }

    /// Nothing may be where rows are about to be put.
    fn expect_room(&self, rows: &RowSnapshot) -> Result<()> {
        let table = self.target.bound();
        let first = self.last.as_deref().map(behind).unwrap_or_default();
        let range = KeyRange::new(first, Some(behind(&self.newest)));
        let Some(range) = range else {
            return Err(Error::internal("rows that are copied do not ascend"));
        };
        let request = ReadRequest::range(table.shared_space(), range, Direction::Forward);
        match first_own(rows, table, request)? {
            None => Ok(()),
            Some((key, _)) => Err(Error::conflict(format!(
                "row {} was put into {} while the table was copied there, and is not written over: nobody else may change \
                 the table meanwhile; drop it there, and copy it again",
                table.row_key().readable(&key),
                self.transfer.to.name
            ))),
        }
    }
}

/// The greatest key of a table in the target, of which the source must have the same row: then what the target has may be the
/// beginning of a copy. `None` where it has no row.
///
/// # Errors
/// `Conflict` where the source has it not; those of the stores.
pub(super) fn last_common(
    (from, moment, source): (&Side, &Arc<dyn Snapshot>, &BoundTable),
    (to, there, target): (&Side, &Arc<dyn Snapshot>, &BoundTable),
) -> Result<Option<Vec<u8>>> {
    let rows = RowSnapshot::of(Arc::clone(there), target.spaces());
    let range = target.row_key().own_range();
    let request = ReadRequest::range(target.shared_space(), range, Direction::Backward);
    let Some((key, value)) = first_own(&rows, target, request)? else {
        return Ok(None);
    };
    let found = RowSnapshot::of(Arc::clone(moment), source.spaces()).look_up(&[&key])?;
    let wrong = match found.into_iter().next().flatten() {
        Some(found) if found == value => return Ok(Some(key)),
        Some(_) => "has other values in",
        None => "is not in",
    };
    Err(Error::conflict(format!(
        "{} has the table with rows that are not those of {}: its last one, {}, {wrong} {}. Nothing is written over: drop the \
         table in {}, or rename it, and copy it again",
        to.name,
        from.name,
        target.row_key().readable(&key),
        from.name,
        to.name
    )))
}

/// The first row that a request comes upon, of those that are the table's own.
fn first_own(
    rows: &RowSnapshot,
    table: &BoundTable,
    request: ReadRequest,
) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    // Where no other table is among them the first row is the one.
    let request = match table.table().keyspace {
        None => request.with_fetch(1),
        Some(_) => request,
    };
    let (mut reader, mut chunk) = (rows.read(request)?, Chunk::new());
    loop {
        chunk.clear();
        let has_more = reader.fill(&mut chunk, ChunkLimit::entries(1024))?;
        let found = chunk.iter().find(|(key, _)| table.row_key().is_own(key));
        if let Some((key, value)) = found {
            return Ok(Some((key.to_vec(), value.to_vec())));
        }
        if !has_more {
            return Ok(None);
        }
    }
}

/// The first key behind another one.
fn behind(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}
