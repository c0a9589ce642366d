//! Changes of rows as changes of groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use super::{Ungrouped, pack};
use crate::error::{Error, Result};
use crate::store::{
    Ascending, BulkWriter, Changes, Chunk, Durability, Snapshot, WriteBatch, keys_in,
};

/// The most rows of a group.
const MOST: u64 = 5;

/// A statement's changes of rows, all in memory until the commit: then the groups that they fall into are made anew. Nobody
/// else changes these meanwhile.
#[derive(Debug)]
pub(in crate::row) struct Regrouped {
    groups: Box<dyn Changes>,
    batch: WriteBatch,
    loads: BTreeMap<String, Load>,
}

#[derive(Debug, Default)]
struct Load {
    batch: WriteBatch,
    order: Ascending,
}

impl Regrouped {
    /// Changes of rows, in place of those of `groups`.
    pub(in crate::row) fn new(groups: Box<dyn Changes>) -> Self {
        Self {
            groups,
            batch: WriteBatch::new(),
            loads: BTreeMap::new(),
        }
    }
}

impl Changes for Regrouped {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.groups.snapshot()
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.batch.append(&batch);
        Ok(())
    }

    fn bulk<'a>(&'a mut self, space: &str) -> Result<Box<dyn BulkWriter + 'a>> {
        if !self.groups.snapshot()?.has_space(space) {
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
        let durability = if self.loads.is_empty() {
            durability
        } else {
            Durability::Sync
        };
        let mut groups = self.groups;
        let changes = regrouped(&rows, &groups.snapshot()?)?;
        groups.write(changes)?;
        groups.commit(durability)
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

/// The same changes as operations on groups, over what is there now.
fn regrouped(batch: &WriteBatch, now: &Arc<dyn Snapshot>) -> Result<WriteBatch> {
    let mut operations = WriteBatch::new();
    let groups = Arc::new(Ungrouped::new(Arc::clone(now)));
    let mut deleted = Vec::new();
    for (space, range) in batch.ranges() {
        if now.is_grouped(space) && now.has_space(space) {
            deleted.push((space, keys_in(groups.clone(), space, range)?));
        } else {
            operations.delete_range(space, range);
        }
    }
    let mut rows: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    for (space, keys) in &deleted {
        let keys = keys.iter().map(|key| (key.as_slice(), None));
        rows.entry(space).or_default().extend(keys);
    }
    for change in batch.iter() {
        // The store refuses changes of a space that is not there.
        if now.is_grouped(change.space) && now.has_space(change.space) {
            let space = rows.entry(change.space).or_default();
            space.insert(change.key, change.value);
        } else {
            put_or_delete(&mut operations, change.space, change.key, change.value)
        }
    }
    for (space, rows) in rows {
        regroup(&groups, space, rows, &mut operations)?;
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
        put_groups(space, &merged(&old, &changes), operations)?;
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

fn put_groups(space: &str, mut rows: &[(&[u8], &[u8])], operations: &mut WriteBatch) -> Result<()> {
    while let Some((first, _)) = rows.first() {
        let (group, others) = rows.split_at(group_size(first).min(rows.len()));
        if let Some((last, _)) = group.last() {
            operations.put(space, last, &pack(group.iter().copied())?);
        }
        rows = others;
    }
    Ok(())
}

/// How many rows a group has if there are so many: its first key says so, as a die would.
fn group_size(first: &[u8]) -> usize {
    usize::try_from(1 + XxHash3_64::oneshot(first) % MOST).unwrap_or(1)
}
