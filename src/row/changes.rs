//! The rows that a statement changes: the only way from rows to a store's entries.

use std::sync::Arc;

use super::RowSnapshot;
use super::groups::Regrouped;
use crate::error::Result;
use crate::store::{BulkWriter, Changes, Claim, Durability, Snapshot, Store, WriteBatch};

/// What one statement changes of a table's rows: all of it becomes visible by [`RowChanges::commit`], or nothing does.
/// It takes keys and values of rows, and decides alone which entries they become.
///
/// Where each row is an entry of its own, what it takes is handed on, and no row is copied or looked at. Else the
/// commit makes entries of the rows and of what is stored then, which the claim keeps from changing.
#[derive(Debug)]
pub struct RowChanges {
    /// Those of a store whose entries are rows, or that makes entries of rows.
    changes: Box<dyn Changes>,
}

impl RowChanges {
    /// Claims `space` exclusively and begins a statement. It blocks as [`Store::begin`] does.
    ///
    /// # Errors
    /// Those of [`Store::begin`].
    pub fn begin(store: Arc<dyn Store>, space: &str) -> Result<Self> {
        let entries = store.begin(&[Claim::exclusive(space)])?;
        Ok(Self::of(entries, space))
    }

    /// As [`RowChanges::begin`], but it never waits for others: `None` where it might.
    ///
    /// # Errors
    /// Those of [`Store::try_begin`].
    pub fn try_begin(store: Arc<dyn Store>, space: &str) -> Result<Option<Self>> {
        let entries = store.try_begin(&[Claim::exclusive(space)])?;
        Ok(entries.map(|entries| Self::of(entries, space)))
    }

    fn of(entries: Box<dyn Changes>, space: &str) -> Self {
        let changes: Box<dyn Changes> = match entries.is_grouped(space) {
            true => Box::new(Regrouped::new(entries)),
            false => entries,
        };
        Self { changes }
    }

    /// A snapshot for what the statement itself reads: the space that it has claimed does not change until the commit.
    ///
    /// # Errors
    /// Those of the store.
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.changes.snapshot()
    }

    /// The rows at [`RowChanges::snapshot`].
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

    /// A writer for more rows than should be held in memory, in the order of their keys, as [`Changes::bulk`] is for
    /// entries.
    ///
    /// # Errors
    /// Those of the store.
    pub fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        self.changes.bulk(space)
    }

    /// Applies all changes at one moment, as [`Changes::commit`] does.
    ///
    /// # Errors
    /// Those of the store; nothing is visible then.
    pub fn commit(self, durability: Durability) -> Result<()> {
        self.changes.commit(durability)
    }
}
