//! A store that keeps rows in groups.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Ungrouped, pack};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::store::{
    Ascending, BulkWriter, Capabilities, Changes, Chunk, Claim, Durability, LocalSnapshot,
    ReadRequest, Reader, Snapshot, SpaceOptions, Store, WriteBatch,
};

/// The space whose entries are not rows.
const CATALOG: &str = "catalog";
/// The most rows of a group.
const MOST: u64 = 5;

/// Keeps one to five rows in each entry of another store, those of the catalog excepted; for tests. It is written row by
/// row, and what is read from it are groups.
#[derive(Debug)]
pub struct Grouped {
    inner: Arc<dyn Store>,
    /// From which the sizes of groups are drawn. Who holds it is alone in writing.
    dice: Mutex<u64>,
    /// Whether what is read are rows: so it is a store like others.
    #[cfg(test)]
    shows_rows: bool,
}

impl Grouped {
    /// A store that keeps its groups in `inner`; their sizes follow from `seed` and from what is written.
    pub fn new(inner: Arc<dyn Store>, seed: u64) -> Self {
        Self {
            inner,
            dice: Mutex::new(seed),
            #[cfg(test)]
            shows_rows: false,
        }
    }

    /// The same store, from which rows are read.
    #[cfg(test)]
    pub(crate) fn showing_rows(self) -> Self {
        let shows_rows = true;
        Self { shows_rows, ..self }
    }

    fn shown(&self, inner: Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        let groups = Arc::new(Groups { inner });
        #[cfg(test)]
        if self.shows_rows {
            return Arc::new(Ungrouped::new(groups));
        }
        groups
    }

    /// Writes what the rows of `batch` are as groups, while nobody else writes.
    fn write_with(
        &self,
        batch: &WriteBatch,
        write: impl FnOnce(WriteBatch) -> Result<()>,
    ) -> Result<()> {
        let mut dice = self.dice.lock();
        let now = self.inner.snapshot()?;
        write(regrouped(batch, &now, &mut dice)?)
    }
}

/// The same changes as operations on groups, over what is there now.
fn regrouped(batch: &WriteBatch, now: &Arc<dyn Snapshot>, dice: &mut u64) -> Result<WriteBatch> {
    let mut operations = WriteBatch::new();
    let mut rows: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    for change in batch.iter() {
        // The store refuses changes of a space that is not there.
        match change.space != CATALOG && now.has_space(change.space) {
            true => {
                let space = rows.entry(change.space).or_default();
                space.insert(change.key, change.value);
            }
            false => put_or_delete(&mut operations, change.space, change.key, change.value),
        }
    }
    let groups = Ungrouped::new(Arc::clone(now));
    for (space, rows) in rows {
        regroup(&groups, space, rows, dice, &mut operations)?;
    }
    Ok(operations)
}

/// What becomes of rows; `None`: they are deleted.
type Rows<'a> = BTreeMap<&'a [u8], Option<&'a [u8]>>;

fn put_or_delete(batch: &mut WriteBatch, space: &str, key: &[u8], value: Option<&[u8]>) {
    match value {
        Some(value) => batch.put(space, key, value),
        None => batch.delete(space, key),
    }
}

/// Adds what makes groups anew of those that the changes fall into. Rows behind the last group are added to it.
fn regroup(
    groups: &Ungrouped,
    space: &str,
    mut changes: Rows<'_>,
    dice: &mut u64,
    operations: &mut WriteBatch,
) -> Result<()> {
    while let Some((first, _)) = changes.first_key_value() {
        let mut old = groups.group_from(space, first)?;
        if old.is_empty() {
            old = groups.group_before(space, None)?;
        }
        let last = old.last().map(|(key, _)| key);
        let behind = last.map(|last| [last, &[0][..]].concat());
        let later = match &behind {
            Some(behind) if !groups.group_from(space, behind)?.is_empty() => {
                changes.split_off(behind.as_slice())
            }
            _ => Rows::new(),
        };
        if let Some(last) = last {
            operations.delete(space, last);
        }
        put_groups(space, &merged(&old, &changes), dice, operations)?;
        changes = later;
    }
    Ok(())
}

/// The rows of a group after the changes, in key order.
fn merged<'a>(group: &'a Chunk, changes: &Rows<'a>) -> Vec<(&'a [u8], &'a [u8])> {
    let stored = group.iter().map(|(key, value)| (key, Some(value)));
    let mut rows: Rows<'a> = stored.collect();
    rows.extend(changes.iter().map(|(key, value)| (*key, *value)));
    let left = rows.into_iter();
    left.filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

fn put_groups(
    space: &str,
    mut rows: &[(&[u8], &[u8])],
    dice: &mut u64,
    operations: &mut WriteBatch,
) -> Result<()> {
    while !rows.is_empty() {
        let size = roll(dice).min(rows.len());
        let (group, others) = rows.split_at(size);
        if let Some((last, _)) = group.last() {
            operations.put(space, last, &pack(group.iter().copied())?);
        }
        rows = others;
    }
    Ok(())
}

/// A number of rows, by Knuth's linear congruence.
fn roll(dice: &mut u64) -> usize {
    let next = dice.wrapping_mul(6_364_136_223_846_793_005);
    *dice = next.wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(1 + (*dice >> 33) % MOST).unwrap_or(1)
}

impl Store for Grouped {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn create_space(&self, name: &str, options: &SpaceOptions) -> Result<()> {
        self.inner.create_space(name, options)
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        self.inner.drop_space(name)
    }

    fn spaces(&self) -> Result<Vec<String>> {
        self.inner.spaces()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.shown(self.inner.snapshot()?))
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        Ok(Box::new(GroupedChanges {
            inner: Arc::clone(&self.inner).begin(claims)?,
            store: self,
            batch: WriteBatch::new(),
            loads: BTreeMap::new(),
        }))
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        self.inner.approximate_size(space, range)
    }

    fn checkpoint(&self, path: &Path) -> Result<()> {
        self.inner.checkpoint(path)
    }

    fn verify(&self) -> Result<Vec<Error>> {
        self.inner.verify()
    }

    fn is_read_only(&self) -> bool {
        self.inner.is_read_only()
    }
}

/// A statement's changes of rows, all in memory until the commit.
#[derive(Debug)]
struct GroupedChanges {
    inner: Box<dyn Changes>,
    store: Arc<Grouped>,
    batch: WriteBatch,
    loads: BTreeMap<String, Load>,
}

#[derive(Debug, Default)]
struct Load {
    batch: WriteBatch,
    order: Ascending,
}

impl Changes for GroupedChanges {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.store.shown(self.inner.snapshot()?))
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.batch.append(&batch);
        Ok(())
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        if !self.inner.snapshot()?.has_space(space) {
            return Err(Error::internal(format!("the store has no space {space}")));
        }
        Ok(Box::new(Loading {
            load: self.loads.entry(space.to_owned()).or_default(),
            space: space.to_owned(),
        }))
    }

    fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        let mut rows = WriteBatch::new();
        for load in self.loads.values() {
            load.order.check_unbroken()?;
            rows.append(&load.batch);
        }
        rows.append(&self.batch);
        let durability = match self.loads.is_empty() {
            true => durability,
            false => Durability::Sync,
        };
        let Self { store, inner, .. } = *self;
        store.write_with(&rows, |groups| {
            let mut inner = inner;
            inner.write(groups)?;
            inner.commit(durability)
        })
    }
}

struct Loading<'a> {
    load: &'a mut Load,
    space: String,
}

impl BulkWriter for Loading<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.load.order.admit(key)?;
        self.load.batch.put(&self.space, key, value);
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.load.order.admit(key)?;
        self.load.batch.delete(&self.space, key);
        Ok(())
    }
}

/// What is kept, as it is kept.
#[derive(Debug)]
struct Groups {
    inner: Arc<dyn Snapshot>,
}

impl Snapshot for Groups {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
    }

    fn is_grouped(&self, space: &str) -> bool {
        space != CATALOG
    }

    fn stamp(&self, space: &str) -> u64 {
        self.inner.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner.get(space, key)
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.inner.multi_get(space, keys)
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        Arc::clone(&self.inner).read(request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Arc::clone(&self.inner).local()
    }
}
