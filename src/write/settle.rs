//! What the changes under one row key come to, whatever the statement.
//!
//! Changes arrive sorted by key. Under each key there is at most one stored row, which may leave, be deleted or stay with
//! another value, and at most one row may be there afterwards: what leaves goes first, whatever the order in which the
//! changes were found. A row that comes to a key that nobody leaves must find nothing there, but for REPLACE: there the
//! last row stays, and what was under its key must only be the same row, where the key holds a hash. All rows that are
//! changed were read at the snapshot of the statement's claim; so what leaves or stays is stored.

use std::sync::Arc;

use super::Change;
use super::changes::{EncodedChange, EncodedChanges};
use super::conflict::{Conflict, Identity, Origin, stretches};
use super::edit::{Edit, Kind, origin};
use super::sorter::SortedChanges;
use super::stored::StoredRows;
use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::store::Durable;

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

/// The keys of so many changes are brought into the cache together.
const PREFETCH: usize = 512;

/// Settles sorted changes, a stretch of keys at a time.
pub(super) struct Settler {
    table: Arc<BoundTable>,
    change: Change,
    identity: Identity,
    /// Whether rows that are inserted are known to find nothing under their keys.
    finds_nothing: bool,
    /// One change for each key.
    pub(super) window: EncodedChanges,
    /// Of the changes of the window those under whose keys it is to be looked.
    sought: Vec<Sought>,
    /// Rows that cannot both stay; of several the one to be told.
    conflict: Option<Conflict>,
    pub(super) settled: Settled,
}

/// A row of the window under whose key it is to be looked.
struct Sought {
    /// Its place in the window.
    place: usize,
    /// The number of the first row of the statement under its key.
    number: u64,
    /// The key that it comes from; `None`: the statement inserts it.
    from: Option<Box<[u8]>>,
}

impl Sought {
    fn origin(&self) -> Origin {
        match &self.from {
            Some(from) => Origin::Moved(from.clone()),
            None => Origin::Given(self.number),
        }
    }
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
    /// One for the changes of a statement.
    pub(super) fn new(table: &Arc<BoundTable>, change: Change) -> Self {
        Self {
            table: Arc::clone(table),
            change,
            identity: Identity::new(table),
            finds_nothing: matches!(change, Change::Edit(edit) if edit.looks_first()),
            window: EncodedChanges::default(),
            sought: Vec::new(),
            conflict: None,
            settled: Settled::default(),
        }
    }

    /// The same, whose rows have been given free keys.
    pub(super) fn of_free_keys(self) -> Self {
        Self {
            finds_nothing: true,
            ..self
        }
    }

    /// Takes the changes of the next keys in place of those of the window, about so many of so many bytes; returns
    /// whether there were any.
    ///
    /// # Errors
    /// `InvalidInput` where a row is changed twice.
    pub(super) fn fill(
        &mut self,
        changes: &mut SortedChanges,
        most: usize,
        bytes: usize,
    ) -> Result<bool> {
        self.window.clear();
        self.sought.clear();
        let mut is_any = false;
        while self.window.len() < most && self.window.size_in_bytes() < bytes {
            if self.window.len().is_multiple_of(PREFETCH) {
                changes.prefetch(PREFETCH);
            }
            // Of rows that are changed no other conflict would be told.
            let is_refused = self.conflict.is_some() && matches!(self.change, Change::Edit(_));
            if is_refused || !self.settle_next(changes)? {
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
        let (_, first_number) = Kind::of(first.number)?;
        let mut group = Group::default();
        self.settle(first, changes, &mut group)?;
        changes.advance()?;
        while let Some(change) = changes.change().filter(|change| change.key == self.key()) {
            self.settle(change, changes, &mut group)?;
            changes.advance()?;
        }
        self.count(group, first_number);
        Ok(true)
    }

    /// Settles a change with those of its key that came before it.
    fn settle(
        &mut self,
        change: EncodedChange<'_>,
        changes: &SortedChanges,
        group: &mut Group,
    ) -> Result<()> {
        let (kind, number) = Kind::of(change.number)?;
        match kind {
            Kind::Insert => self.row(change, Origin::Given(number), changes, group),
            Kind::Arrive => {
                let origin = origin(change.value.unwrap_or_default());
                let (_, from) = origin.ok_or_else(|| Error::internal("a row from nowhere"))?;
                self.row(change, Origin::Moved(from.into()), changes, group)
            }
            Kind::Stay => {
                self.leave(kind, number, group)?;
                self.row(change, Origin::Stored, changes, group)
            }
            Kind::Leave | Kind::Delete => {
                self.leave(kind, number, group)?;
                if !group.is_given {
                    changes.give(&mut self.window)?;
                    group.is_given = true;
                }
                Ok(())
            }
        }
    }

    /// The key that is being settled: that of the last of the window, once a change of it was settled.
    fn key(&self) -> &[u8] {
        self.window.last().map_or(&[], |last| last.key)
    }

    /// The stored row is changed or deleted.
    fn leave(&mut self, kind: Kind, number: u64, group: &mut Group) -> Result<()> {
        let deletes = matches!(self.change, Change::Delete | Change::Edit(Edit::Delete));
        match group.stored {
            None => group.stored = Some((kind, number)),
            Some((Kind::Delete, _)) if kind == Kind::Delete && deletes => {
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
        if let Some(first) = &group.row
            && !self.takes_place_of(first, value, &origin)?
        {
            return Ok(());
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

    /// Two rows are to be under the key: the last of the window, which comes from `first`, and another one. Whether the
    /// other one is to be there instead.
    fn takes_place_of(&mut self, first: &Origin, value: &[u8], origin: &Origin) -> Result<bool> {
        let last = self.window.last().and_then(|last| last.value);
        let other = last.unwrap_or_default();
        let is_same = match self.change {
            Change::Insert | Change::Edit(Edit::Update | Edit::Merge | Edit::Delete) => false,
            _ => self.identity.is_same(self.key(), other, value)?,
        };
        match (self.change, first, origin) {
            (Change::Replace, ..) if is_same => return Ok(true),
            (Change::Edit(Edit::InsertNew), Origin::Given(_), Origin::Given(number)) if is_same => {
                self.settled.dropped.push(*number);
            }
            (Change::Edit(Edit::Upsert), Origin::Given(one), Origin::Given(other)) if is_same => {
                return Err(self.twice(*one, *other));
            }
            _ => {
                let rows = [(other, first.clone()), (value, origin.clone())];
                let conflict = Conflict::new(self.key(), rows);
                self.note(conflict);
            }
        }
        Ok(false)
    }

    /// Counts what a key came to, and notes whether it is to be looked under it.
    fn count(&mut self, group: Group, number: u64) {
        let is_deleted = matches!(group.stored, Some((Kind::Delete, _)));
        self.settled.count += u64::from(group.row.is_some()) + u64::from(is_deleted);
        if group.stored.is_some() {
            return;
        }
        let from = match group.row {
            Some(Origin::Moved(from)) => Some(from),
            Some(Origin::Given(_)) if !self.finds_nothing && self.looks_under_keys() => None,
            _ => return,
        };
        self.sought.push(Sought {
            place: self.window.len() - 1,
            number,
            from,
        });
    }

    /// Whether it matters what is stored under the key of a row that the statement inserts.
    fn looks_under_keys(&self) -> bool {
        self.change != Change::Replace || !self.identity.is_key()
    }

    /// Whether [`Settler::check`] would look under the key of any change of the window.
    pub(super) fn looks(&self) -> bool {
        !self.sought.is_empty()
    }

    /// Looks under the keys of the window where it matters what is there.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn check(&mut self, stored: &mut StoredRows) -> Result<()> {
        let sought = std::mem::take(&mut self.sought);
        let rows = sought.iter();
        let rows = rows.filter_map(|sought| Some((self.window.get(sought.place)?, sought)));
        let rows: Vec<_> = rows.collect();
        let mut found = Vec::new();
        for rows in stretches(&rows, |(row, _)| row.value.map_or(0, <[u8]>::len)) {
            let keys: Vec<&[u8]> = rows.iter().map(|(row, _)| row.key).collect();
            let values = stored.get_sorted(&keys)?;
            let met = rows.iter().zip(&values);
            let met: Vec<_> = met
                .filter_map(|((row, sought), value)| Some((row, *sought, value.as_deref()?)))
                .collect();
            let conflict = self.first_of(&met)?;
            found.extend(conflict);
        }
        drop(rows);
        self.sought = sought;
        found.into_iter().for_each(|conflict| self.note(conflict));
        Ok(())
    }

    /// Of rows that have met stored ones under their keys the first that is a conflict.
    fn first_of(&self, met: &[(&EncodedChange<'_>, &Sought, &[u8])]) -> Result<Option<Conflict>> {
        let pairs: Vec<_> = met
            .iter()
            .map(|(row, _, stored)| (row.key, *stored, row.value.unwrap_or_default()))
            .collect();
        let differ = match self.change {
            Change::Replace => self.identity.differ(&pairs)?,
            _ => vec![true; pairs.len()],
        };
        let conflicts = met.iter().zip(differ).filter(|(_, differs)| *differs);
        let first = match self.change {
            Change::Edit(_) => conflicts.map(|(met, _)| met).next(),
            _ => conflicts
                .map(|(met, _)| met)
                .min_by_key(|(_, sought, _)| sought.number),
        };
        Ok(first.map(|(row, sought, stored)| {
            let row_value = row.value.unwrap_or_default();
            Conflict::new(
                row.key,
                [(stored, Origin::Stored), (row_value, sought.origin())],
            )
        }))
    }

    /// Of several conflicts that of the first row is told; of rows that are changed, which come in no order, that of the
    /// first key.
    fn note(&mut self, conflict: Conflict) {
        let is_first = match (&self.conflict, self.change) {
            (None, _) => true,
            (Some(_), Change::Edit(_)) => false,
            (Some(first), _) => conflict.number() < first.number(),
        };
        if is_first {
            self.conflict = Some(conflict);
        }
    }

    /// The conflict that was found, if there is one.
    pub(super) fn conflict(&mut self) -> Option<Conflict> {
        self.conflict.take()
    }

    fn twice(&self, first: u64, second: u64) -> Error {
        let key = self.table.row_key().readable(self.key());
        let name = self.table.name();
        Error::invalid(match self.change {
            Change::Edit(Edit::Upsert) => format!(
                "table `{name}`: the rows {first} and {second} of the statement have the same row key, {key}, and ON \
                 CONFLICT DO UPDATE changes a row once; group them before"
            ),
            change => format!(
                "table `{name}`: {} would change the row under the row key {key} twice, as it meets several rows of the \
                 other tables; let it meet one of them at most",
                change.verb()
            ),
        })
    }
}
