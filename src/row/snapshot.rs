//! The rows of tables with their keys, at one moment of a store: the only way from its entries to rows.

use std::sync::Arc;

use super::families::Joined;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::schema::{FamilySet, TableSpaces};
use crate::store::{self, Chunk, ReadRequest, Reader, Snapshot, Store};

/// A [`Snapshot`] that speaks of the rows of a table, or of all that share its spaces: requests, readers and chunks are
/// the store's, but the keys of a request are row keys, its hints and the limits of a fill count rows, an entry of a chunk
/// is the key and value of one row, and a guide is asked about row keys.
///
/// Where each row is an entry of its own, what the store hands out is handed on, and no row is copied or looked at.
#[derive(Debug, Clone)]
pub struct RowSnapshot {
    snapshot: Arc<dyn Snapshot>,
    spaces: TableSpaces,
}

impl RowSnapshot {
    /// The rows in these spaces at the moment of a store's snapshot.
    pub fn of(snapshot: Arc<dyn Snapshot>, spaces: &TableSpaces) -> Self {
        Self {
            snapshot,
            spaces: spaces.clone(),
        }
    }

    /// The space that requests name.
    pub fn space(&self) -> &Arc<str> {
        self.spaces.first()
    }

    /// Begins to read in the first space, as [`Snapshot::read`] does.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(&self, request: ReadRequest) -> Result<Box<dyn Reader>> {
        self.read_families(request, FamilySet::ALL)
    }

    /// The same of rows of which only the columns of these families are wanted.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read_families(
        &self,
        request: ReadRequest,
        families: FamilySet,
    ) -> Result<Box<dyn Reader>> {
        debug_assert_eq!(&request.space, self.spaces.first());
        self.rows_of(families).read(request)
    }

    /// The values of the rows under `keys`, in the order of `keys`.
    ///
    /// # Errors
    /// Those of the store.
    pub fn look_up(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let rows = self.rows_of(FamilySet::ALL);
        rows.multi_get(self.spaces.first(), keys)
    }

    /// Gives `take` all rows of `range`, in key order, a chunk at a time, until it says that it wants no more. What was
    /// read before an error of the store it gets, too.
    ///
    /// # Errors
    /// Those of the store and of `take`.
    pub fn read_chunks<E: From<Error>>(
        &self,
        range: &KeyRange,
        take: impl FnMut(&Chunk) -> Result<bool, E>,
    ) -> Result<(), E> {
        let rows = self.rows_of(FamilySet::ALL);
        store::read_chunks(rows, self.spaces.first(), range, take)
    }

    /// The key of the first row behind `key` at which reading can go on, as [`store::first_readable`] finds it.
    ///
    /// # Errors
    /// Those of the store, but for `Corrupt`.
    pub fn first_readable(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let rows = self.rows_of(FamilySet::ALL);
        store::first_readable(&rows, self.spaces.first(), key)
    }

    /// A snapshot of which each entry in the first space is one row.
    fn rows_of(&self, families: FamilySet) -> Arc<dyn Snapshot> {
        let entries = Arc::clone(&self.snapshot);
        #[cfg(any(test, feature = "test-stores"))]
        let entries = super::groups::ungrouped(entries, self.spaces.first());
        match self.spaces.families() {
            [_] => entries,
            _ => Arc::new(Joined::new(entries, &self.spaces, families)),
        }
    }
}

/// About how many rows there are in a space; `None` where the store does not count them.
pub fn approximate_rows(store: &dyn Store, space: &str) -> Option<u64> {
    let entries = store.approximate_entries(space).ok().flatten();
    // An entry that is a group of rows is counted as one.
    #[cfg(any(test, feature = "test-stores"))]
    let entries = entries.filter(|_| {
        let is_grouped = store.snapshot().map(|now| now.is_grouped(space));
        matches!(is_grouped, Ok(false))
    });
    entries
}
