//! The rows that a statement changes: the one way from them to a store's entries.

use std::sync::Arc;

use super::RowSnapshot;
use super::groups::Regrouped;
use crate::error::Result;
use crate::store::{BulkWriter, Changes, Claim, Durability, Snapshot, Store, WriteBatch};

/// What one statement changes of a table's rows: all of it becomes visible by [`RowChanges::commit`], or nothing does.
/// What it is given are keys and values of rows; what becomes of entries it says alone.
///
/// Where each row is an entry of its own, what comes is handed on, and no row is copied or looked at. Else the rows become
/// entries when they are committed, over what is there then; so nobody else changes the table meanwhile.
#[derive(Debug)]
pub struct RowChanges {
    /// Of rows.
    changes: Box<dyn Changes>,
}

impl RowChanges {
    /// Begins a statement, once nobody else has claimed `space`: a wait, as [`Store::begin`] is.
    ///
    /// # Errors
    /// Those of [`Store::begin`].
    pub fn begin(store: Arc<dyn Store>, space: &str) -> Result<Self> {
        let entries = store.begin(&[Claim::exclusive(space)])?;
        let changes: Box<dyn Changes> = match entries.is_grouped(space) {
            true => Box::new(Regrouped::new(entries)),
            false => entries,
        };
        Ok(Self { changes })
    }

    /// The moment of the store that the statement finds; of the space that it has claimed there is no other.
    ///
    /// # Errors
    /// Those of the store.
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.changes.snapshot()
    }

    /// The rows that the statement finds.
    ///
    /// # Errors
    /// Those of the store.
    pub fn rows(&self) -> Result<RowSnapshot> {
        self.snapshot().map(RowSnapshot::at)
    }

    /// Puts and deletes rows, as [`Changes::write`] does entries.
    ///
    /// # Errors
    /// Those of the store.
    pub fn write(&mut self, rows: WriteBatch) -> Result<()> {
        self.changes.write(rows)
    }

    /// A way for so many rows that they should not be held in memory, in the order of their keys, as [`Changes::bulk`] is
    /// for entries.
    ///
    /// # Errors
    /// Those of the store.
    pub fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.changes.bulk(space)
    }

    /// Applies all changes at this moment, as [`Changes::commit`] does.
    ///
    /// # Errors
    /// Those of the store; nothing is visible then.
    pub fn commit(self, durability: Durability) -> Result<()> {
        self.changes.commit(durability)
    }
}
