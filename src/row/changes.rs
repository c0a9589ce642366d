//! The rows that a statement changes: the only way from rows to a store's entries.

use std::borrow::Cow;
use std::sync::Arc;

use super::RowSnapshot;
use super::families::Split;
use crate::error::{Error, Result};
use crate::keyrange::KeyRangeSet;
use crate::schema::{BoundTable, TableSpaces};
use crate::store::{
    BulkWriter, Changes, Chunk, Claim, Durability, Durable, Snapshot, Store, WriteBatch,
};

/// What one statement changes of a table's rows: all of it becomes visible by [`RowChanges::commit`], or nothing does.
/// It takes keys and values of rows, and decides alone which entries they become.
///
/// Where each row is an entry of its own, what it takes is handed on, and no row is copied or looked at. Else the
/// commit makes entries of the rows and of what is stored then, which the claim keeps from changing.
#[derive(Debug)]
pub struct RowChanges {
    /// Those of a store whose entries are rows, or that makes entries of rows.
    changes: Box<dyn Changes>,
    spaces: TableSpaces,
}

impl RowChanges {
    /// Claims the spaces of a table's rows exclusively and begins a statement. It blocks as [`Store::begin`] does.
    ///
    /// # Errors
    /// Those of [`Store::begin`].
    pub fn begin(store: Arc<dyn Store>, spaces: &TableSpaces) -> Result<Self> {
        let families = spaces.families().iter();
        let claims: Vec<Claim<'_>> = families.map(|space| Claim::exclusive(space)).collect();
        let entries = store.begin(&claims)?;
        Ok(Self::of(entries, spaces))
    }

    /// As [`RowChanges::begin`], but it never waits for others: `None` where it might.
    ///
    /// # Errors
    /// Those of [`Store::try_begin`].
    pub fn try_begin(store: Arc<dyn Store>, spaces: &TableSpaces) -> Result<Option<Self>> {
        let [space] = spaces.families() else {
            return Ok(None);
        };
        let entries = store.try_begin(&[Claim::exclusive(space)])?;
        Ok(entries.map(|entries| Self::of(entries, spaces)))
    }

    fn of(entries: Box<dyn Changes>, spaces: &TableSpaces) -> Self {
        Self {
            changes: of_rows(entries, spaces),
            spaces: spaces.clone(),
        }
    }

    /// A snapshot for what the statement itself reads: the spaces that it has claimed do not change until the commit.
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
        let snapshot = self.snapshot()?;
        Ok(RowSnapshot::of(snapshot, &self.spaces))
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
    pub fn bulk(&mut self) -> Result<Box<dyn BulkWriter + '_>> {
        self.changes.bulk(self.spaces.first())
    }

    /// Applies all changes at one moment, as [`Changes::commit`] does.
    ///
    /// # Errors
    /// Those of the store; nothing is visible then.
    pub fn commit(self, durability: Durability) -> Result<()> {
        self.changes.commit(durability)
    }

    /// The same, which may not wait for the disk, as [`Changes::commit_early`].
    ///
    /// # Errors
    /// Those of the store; nothing is visible then.
    pub fn commit_early(self, durability: Durability) -> Result<Option<Durable>> {
        self.changes.commit_early(durability)
    }
}

/// The changes of a statement, of which those in the first of these spaces are of rows.
fn of_rows(entries: Box<dyn Changes>, spaces: &TableSpaces) -> Box<dyn Changes> {
    #[cfg(any(test, feature = "test-stores"))]
    let entries = super::groups::regrouped(entries, spaces.first());
    match spaces.families() {
        [_] => entries,
        _ => Box::new(Split::new(entries, spaces)),
    }
}

/// Adds to a statement, which has claimed the space of these tables, that their rows are deleted; those of other tables in
/// the space stay.
///
/// # Errors
/// Those of the store.
pub fn deleting_rows(
    changes: Box<dyn Changes>,
    tables: &[Arc<BoundTable>],
) -> Result<Box<dyn Changes>> {
    let Some(first) = tables.first() else {
        return Ok(changes);
    };
    let mut changes = of_rows(changes, first.spaces());
    let rows = RowSnapshot::of(changes.snapshot()?, first.spaces());
    let ranges = tables.iter().map(|table| table.row_key().own_range());
    let ranges = KeyRangeSet::from_ranges(ranges);
    let mut bulk = changes.bulk(first.space())?;
    for range in ranges.ranges() {
        rows.read_chunks(range, |chunk| {
            let is_dropped = |key: &&[u8]| tables.iter().any(|table| table.row_key().is_own(key));
            let mut keys = chunk.keys().filter(is_dropped);
            keys.try_for_each(|key| bulk.delete(key))?;
            Ok::<_, Error>(true)
        })?;
    }
    drop(bulk);
    Ok(changes)
}

/// The rows of a chunk that are the table's own, where others share its space.
pub fn own_rows<'a>(table: &BoundTable, chunk: &'a Chunk) -> Cow<'a, Chunk> {
    let key = table.row_key();
    if chunk.keys().all(|row| key.is_own(row)) {
        return Cow::Borrowed(chunk);
    }
    let mut own = Chunk::new();
    let rows = chunk.iter().filter(|(row, _)| key.is_own(row));
    rows.for_each(|(row, value)| own.push(row, value));
    Cow::Owned(own)
}
