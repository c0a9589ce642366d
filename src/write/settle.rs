//! What the changes under one row key come to.
//!
//! Changes arrive sorted by key. Under each key there is at most one stored row, which may leave, be deleted or stay with
//! another value, and at most one row may be there afterwards: what leaves goes first, whatever the order in which the
//! changes were found. A row that comes to a key that nobody leaves must find nothing there. All rows that are changed
//! were read at the snapshot of the statement's claim; so what leaves or stays is stored.

use std::sync::Arc;

use super::changes::{EncodedChange, EncodedChanges};
use super::conflict::{described, identity, stretches};
use super::edit::{Edit, Kind, origin};
use super::sorter::SortedChanges;
use super::stored::StoredRows;
use crate::error::{Error, Result};
use crate::row::RowReader;
use crate::schema::BoundTable;
use crate::store::{Chunk, Durable};

/// What the changes of a statement came to.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// How many rows are inserted, changed or deleted.
    pub(super) count: u64,
    /// The numbers of rows of the statement from which nothing came.
    pub(super) dropped: Vec<u64>,
    /// What is to be waited for until the changes are durable, when the table's lock is given back.
    pub(super) durable: Option<Durable>,
}

impl Settled {
    /// The same when its changes are durable.
    ///
    /// # Errors
    /// Those of [`Durable::wait`].
    pub(super) fn waited(mut self) -> Result<Self> {
        match self.durable.take() {
            Some(durable) => durable.wait().map(|()| self),
            None => Ok(self),
        }
    }
}

/// Settles sorted changes, a stretch of keys at a time.
pub(super) struct Settler {
    table: Arc<BoundTable>,
    edit: Edit,
    /// One change for each key.
    pub(super) window: EncodedChanges,
    /// Of the changes of the window those that must find nothing under their keys, and where the rows come from.
    fresh: Vec<(usize, Origin)>,
    /// The key that is being settled.
    key: Vec<u8>,
    pub(super) settled: Settled,
}

/// Where a row comes from.
#[derive(Debug, Clone)]
enum Origin {
    /// It is stored.
    Stored,
    /// The statement inserts it, as the row of this number.
    Given(u64),
    /// It was under this key.
    Moved(Vec<u8>),
}

/// What is known of one key.
#[derive(Default)]
struct Group {
    /// What becomes of the stored row, and the number of the row that says so.
    stored: Option<(Kind, u64)>,
    /// Where the row comes from that will be there; it is the last of the window.
    row: Option<Origin>,
    /// Whether the last of the window is of this key.
    is_given: bool,
}

impl Settler {
    pub(super) fn new(table: &Arc<BoundTable>, edit: Edit) -> Self {
        Self {
            table: Arc::clone(table),
            edit,
            window: EncodedChanges::default(),
            fresh: Vec::new(),
            key: Vec::new(),
            settled: Settled::default(),
        }
    }

    /// Takes the changes of the next keys in place of those of the window, about so many of so many bytes; returns
    /// whether there were any.
    ///
    /// # Errors
    /// `Conflict` where two rows would be under one key; `InvalidInput` where a row is changed twice.
    pub(super) fn fill(
        &mut self,
        changes: &mut SortedChanges,
        most: usize,
        bytes: usize,
    ) -> Result<bool> {
        self.window.clear();
        self.fresh.clear();
        let mut is_any = false;
        while self.window.len() < most && self.window.size_in_bytes() < bytes {
            if !self.settle_next(changes)? {
                break;
            }
            is_any = true;
        }
        Ok(is_any)
    }

    /// Settles the changes of the next key.
    fn settle_next(&mut self, changes: &mut SortedChanges) -> Result<bool> {
        let Some(first) = changes.change() else {
            return Ok(false);
        };
        self.key.clear();
        self.key.extend_from_slice(first.key);
        let mut group = Group::default();
        while let Some(change) = changes.change().filter(|change| change.key == self.key) {
            let (kind, number) = Kind::of(change.number)?;
            match kind {
                Kind::Insert => self.row(change, Origin::Given(number), changes, &mut group)?,
                Kind::Arrive => {
                    let origin = origin(change.value.unwrap_or_default());
                    let (_, from) = origin.ok_or_else(|| Error::internal("a row from nowhere"))?;
                    let from = Origin::Moved(from.to_vec());
                    self.row(change, from, changes, &mut group)?;
                }
                Kind::Stay => {
                    self.leave(kind, number, &mut group)?;
                    self.row(change, Origin::Stored, changes, &mut group)?;
                }
                Kind::Leave | Kind::Delete => {
                    self.leave(kind, number, &mut group)?;
                    if !group.is_given {
                        changes.give(&mut self.window)?;
                        group.is_given = true;
                    }
                }
            }
            changes.advance()?;
        }
        self.count(group);
        Ok(true)
    }

    /// The stored row is changed or deleted.
    fn leave(&mut self, kind: Kind, number: u64, group: &mut Group) -> Result<()> {
        match group.stored {
            None => group.stored = Some((kind, number)),
            Some((Kind::Delete, _)) if kind == Kind::Delete && self.edit == Edit::Delete => {
                self.settled.dropped.push(number);
            }
            Some((_, first)) => return Err(self.twice(first, number)),
        }
        Ok(())
    }

    /// A row is to be under the key.
    fn row(
        &mut self,
        change: EncodedChange<'_>,
        origin: Origin,
        changes: &SortedChanges,
        group: &mut Group,
    ) -> Result<()> {
        let value = change.value.unwrap_or_default();
        if let Some(first) = &group.row {
            let last = self.window.len().checked_sub(1);
            let other = last.and_then(|last| self.window.get(last)?.value);
            let other = other.unwrap_or_default().to_vec();
            return self.second((&other, first.clone()), (value, origin));
        }
        if group.is_given {
            self.window.pop();
        }
        changes.give(&mut self.window)?;
        if matches!(origin, Origin::Moved(_)) {
            let own = super::edit::origin(value).map_or(0, |(own, _)| own);
            self.window.cut_last(own);
        }
        group.is_given = true;
        group.row = Some(origin);
        Ok(())
    }

    /// Two rows are to be under the key.
    fn second(&mut self, first: (&[u8], Origin), second: (&[u8], Origin)) -> Result<()> {
        match (self.edit, &first.1, &second.1) {
            (Edit::InsertNew, Origin::Given(_), Origin::Given(number))
                if self.are_same(first.0, second.0)? =>
            {
                self.settled.dropped.push(*number);
                Ok(())
            }
            (Edit::Upsert, Origin::Given(one), Origin::Given(other))
                if self.are_same(first.0, second.0)? =>
            {
                Err(self.twice(*one, *other))
            }
            _ => Err(self.clash(&self.key, first, second)?),
        }
    }

    /// Counts what a key came to, and notes whether its row must find nothing there.
    fn count(&mut self, group: Group) {
        let is_deleted = matches!(group.stored, Some((Kind::Delete, _)));
        self.settled.count += u64::from(group.row.is_some()) + u64::from(is_deleted);
        if let (None, Some(origin)) = (group.stored, group.row) {
            let was_looked_for = self.edit.looks_first() && matches!(origin, Origin::Given(_));
            if !was_looked_for {
                self.fresh.push((self.window.len() - 1, origin));
            }
        }
    }

    /// Whether keys of the window must be free.
    pub(super) fn needs_free_keys(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Looks whether the keys of the window are free that must be.
    ///
    /// # Errors
    /// `Conflict` where one is not; those of the store.
    pub(super) fn check(&self, stored: &mut StoredRows) -> Result<()> {
        let fresh = self.fresh.iter();
        let fresh = fresh.filter_map(|(at, origin)| Some((self.window.get(*at)?, origin)));
        let fresh: Vec<_> = fresh.collect();
        for rows in stretches(&fresh, |(row, _)| row.value.map_or(0, <[u8]>::len)) {
            let keys: Vec<&[u8]> = rows.iter().map(|(row, _)| row.key).collect();
            let found = stored.get_sorted(&keys)?;
            let mut met = rows.iter().zip(found);
            let met = met.find_map(|((row, origin), found)| Some((row, *origin, found?)));
            if let Some((row, origin, found)) = met {
                let row_value = row.value.unwrap_or_default();
                let stored = (found.as_slice(), Origin::Stored);
                return Err(self.clash(row.key, stored, (row_value, origin.clone()))?);
            }
        }
        Ok(())
    }

    /// Whether two rows of one key have the same values in all parts of it.
    fn are_same(&self, first: &[u8], second: &[u8]) -> Result<bool> {
        are_same(&self.table, &self.key, first, second)
    }

    fn twice(&self, first: u64, second: u64) -> Error {
        let key = self.table.row_key().readable(&self.key);
        let name = self.table.name();
        Error::invalid(match self.edit {
            Edit::Upsert => format!(
                "table `{name}`: the rows {first} and {second} of the statement have the same row key, {key}, and ON \
                 CONFLICT DO UPDATE changes a row once; group them before"
            ),
            edit => format!(
                "table `{name}`: {} would change the row under the row key {key} twice, as it meets several rows of the \
                 other tables; let it meet one of them at most",
                edit.verb()
            ),
        })
    }

    /// The error of two rows under one key, the one that is there first.
    fn clash(&self, key: &[u8], first: (&[u8], Origin), second: (&[u8], Origin)) -> Result<Error> {
        let table = &self.table;
        let mut chunk = Chunk::new();
        chunk.push(key, first.0);
        chunk.push(key, second.0);
        let sources = table.key_sources();
        let rows = RowReader::new(Arc::clone(table)).read(&chunk, sources, None)?;
        let described = |row, origin: &Origin| {
            let row = described(table, sources, &rows, row);
            match origin {
                Origin::Stored => format!("the stored row {row}"),
                Origin::Given(number) => format!("row {number} of the statement, {row}"),
                Origin::Moved(from) => {
                    let from = table.row_key().readable(from);
                    format!("the row that was under {from}, now {row}")
                }
            }
        };
        Ok(Error::conflict(format!(
            "table `{}`: two rows would be under the row key {}: {} and {}",
            table.name(),
            table.row_key().readable(key),
            described(0, &first.1),
            described(1, &second.1)
        )))
    }
}

/// Whether two rows of one key have the same values in all parts of it, a part that hashes counting as its inputs.
///
/// # Errors
/// `Corrupt` where a row cannot be read.
pub(super) fn are_same(
    table: &Arc<BoundTable>,
    key: &[u8],
    first: &[u8],
    second: &[u8],
) -> Result<bool> {
    let compared = identity(table);
    if compared.is_empty() {
        return Ok(true);
    }
    let mut chunk = Chunk::new();
    chunk.push(key, first);
    chunk.push(key, second);
    let rows = RowReader::new(Arc::clone(table)).read(&chunk, &compared, None)?;
    let mut columns = rows.columns().iter();
    Ok(columns.all(|column| column.slice(0, 1) == column.slice(1, 1)))
}
