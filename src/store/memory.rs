//! The store in memory: nothing is kept when it is dropped.
//!
//! A snapshot is O(1): it shares the state of the moment. A write made while a snapshot of that state lives copies the
//! list of leaves of each space that it changes (n / 128 pointers for n entries) and each leaf that it touches; a write
//! made while none lives copies nothing. Opening a cursor is O(1), a seek O(log n), and reading takes no lock.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;

use super::bulk::Ascending;
use super::changes::{self, Claims, LocalStore};
use super::leaves::{Position, SortedEntries};
use super::local::{self, Visit};
use super::remaining::Remaining;
use super::{
    BulkWriter, Changes, Chunk, ChunkLimit, Claim, Cursor, Direction, Durability, Fact,
    LocalSnapshot, Operation, ReadRequest, Reader, Snapshot, SpaceOptions, Store, WriteBatch,
    check_space_name, no_such_space, outside_of_cursor, space_exists,
};
use crate::error::Result;
use crate::keyrange::KeyRange;

/// All spaces at one moment.
type Spaces = BTreeMap<String, Arc<SortedEntries>>;

/// An ordered byte store in memory.
#[derive(Default)]
pub struct MemoryStore {
    spaces: RwLock<Arc<Spaces>>,
    claims: Arc<Claims>,
}

impl MemoryStore {
    /// A store without spaces.
    pub fn new() -> Self {
        Self::default()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryStore({} spaces)", self.spaces.read().len())
    }
}

impl Store for MemoryStore {
    fn create_space(&self, name: &str, _options: &SpaceOptions) -> Result<()> {
        check_space_name(name)?;
        let mut spaces = self.spaces.write();
        if spaces.contains_key(name) {
            return Err(space_exists(name));
        }
        Arc::make_mut(&mut spaces).insert(name.to_owned(), Arc::default());
        Ok(())
    }

    fn drop_space(&self, name: &str) -> Result<()> {
        let mut spaces = self.spaces.write();
        find(&spaces, name)?;
        Arc::make_mut(&mut spaces).remove(name);
        self.claims.forget(name);
        Ok(())
    }

    fn spaces(&self) -> Result<Vec<String>> {
        Ok(self.spaces.read().keys().cloned().collect())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let spaces = Arc::clone(&self.spaces.read());
        let claims = Arc::clone(&self.claims);
        Ok(Arc::new(MemorySnapshot { spaces, claims }))
    }

    fn begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Box<dyn Changes>> {
        changes::begin(self, claims)
    }

    fn try_begin(self: Arc<Self>, claims: &[Claim<'_>]) -> Result<Option<Box<dyn Changes>>> {
        changes::try_begin(self, claims)
    }

    fn approximate_size(&self, space: &str, range: &KeyRange) -> Result<u64> {
        Ok(find(&self.spaces.read(), space)?.size_in_bytes(range))
    }

    fn approximate_entries(&self, space: &str) -> Result<Option<u64>> {
        Ok(Some(find(&self.spaces.read(), space)?.len() as u64))
    }

    fn describe(&self) -> Result<Vec<Fact>> {
        let spaces = self.spaces.read();
        let bytes = spaces.values();
        let bytes: u64 = bytes
            .map(|space| space.size_in_bytes(&KeyRange::all()))
            .sum();
        Ok(vec![
            Fact::new("store", "memory of this process"),
            Fact::new("bytes", bytes.to_string()),
            Fact::new(
                "a statement",
                "is whole or has not been; it reads one moment",
            ),
            Fact::new(
                "what is acknowledged",
                "is gone when the database is closed",
            ),
        ])
    }

    fn vacuum(&self, space: Option<&str>) -> Result<Vec<Fact>> {
        if let Some(space) = space {
            find(&self.spaces.read(), space)?;
        }
        Ok(vec![Fact::new(
            "nothing to do",
            "memory is given back as soon as nobody reads it any more",
        )])
    }

    fn is_read_only(&self) -> bool {
        false
    }
}

impl LocalStore for MemoryStore {
    type Load = MemoryLoad;

    fn claims(&self) -> &Arc<Claims> {
        &self.claims
    }

    fn write(&self, batch: WriteBatch, _durability: Durability) -> Result<()> {
        let mut spaces = self.spaces.write();
        for name in batch.spaces() {
            find(&spaces, name)?;
        }
        // From here on nothing fails: readers see all of the batch or, until the lock is free, nothing.
        let spaces = Arc::make_mut(&mut spaces);
        for (space, range) in batch.ranges() {
            if let Some(entries) = spaces.get_mut(space) {
                Arc::make_mut(entries).remove_range(range);
            }
        }
        for operation in batch.iter() {
            if let Some(entries) = spaces.get_mut(operation.space) {
                apply(Arc::make_mut(entries), operation);
            }
        }
        Ok(())
    }

    fn load(self: Arc<Self>, space: &str, deleted: &[&KeyRange]) -> Result<MemoryLoad> {
        find(&self.spaces.read(), space)?;
        let mut changes = WriteBatch::new();
        for range in deleted {
            changes.delete_range(space, range);
        }
        Ok(MemoryLoad {
            space: space.to_owned(),
            changes,
            order: Ascending::default(),
        })
    }

    fn ingest(&self, loads: Vec<MemoryLoad>) -> Result<()> {
        let mut changes = WriteBatch::new();
        for load in loads {
            load.order.check_unbroken()?;
            find(&self.spaces.read(), &load.space)?;
            changes.append(&load.changes);
        }
        self.write(changes, Durability::Sync)
    }
}

fn find<'a>(spaces: &'a Spaces, name: &str) -> Result<&'a Arc<SortedEntries>> {
    spaces.get(name).ok_or_else(|| no_such_space(name))
}

fn apply(entries: &mut SortedEntries, operation: Operation<'_>) {
    match operation.value {
        Some(value) => entries.put(operation.key, value),
        None => entries.remove(operation.key),
    }
}

/// A bulk load, which here is one batch.
pub(super) struct MemoryLoad {
    space: String,
    changes: WriteBatch,
    order: Ascending,
}

impl BulkWriter for MemoryLoad {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.order.admit(key)?;
        self.changes.put(&self.space, key, value);
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.order.admit(key)?;
        self.changes.delete(&self.space, key);
        Ok(())
    }
}

struct MemorySnapshot {
    spaces: Arc<Spaces>,
    claims: Arc<Claims>,
}

impl fmt::Debug for MemorySnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemorySnapshot({} spaces)", self.spaces.len())
    }
}

impl Snapshot for MemorySnapshot {
    fn has_space(&self, space: &str) -> bool {
        self.spaces.contains_key(space)
    }

    fn stamp(&self, space: &str) -> u64 {
        self.claims.stamp(space)
    }

    fn get(&self, space: &str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(find(&self.spaces, space)?.get(key).map(<[u8]>::to_vec))
    }

    fn multi_get(&self, space: &str, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let entries = find(&self.spaces, space)?;
        let values = keys.iter().map(|key| entries.get(key).map(<[u8]>::to_vec));
        Ok(values.collect())
    }

    fn read(self: Arc<Self>, request: ReadRequest) -> Result<Box<dyn Reader>> {
        local::read(self, request)
    }

    fn local(self: Arc<Self>) -> Option<Arc<dyn LocalSnapshot>> {
        Some(self)
    }
}

impl LocalSnapshot for MemorySnapshot {
    fn cursor(
        self: Arc<Self>,
        space: &str,
        within: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor>> {
        Ok(Box::new(MemoryCursor {
            entries: Arc::clone(find(&self.spaces, space)?),
            within: within.clone(),
            direction,
            values: true,
            next: None,
            remaining: Remaining::of(within, within, direction),
        }))
    }

    fn visit(&self, space: &str, keys: &[&[u8]], take: &mut Visit<'_>) -> Result<()> {
        let entries = find(&self.spaces, space)?;
        let mut keys = keys.iter().enumerate();
        keys.all(|(index, key)| take(index, entries.get(key)));
        Ok(())
    }
}

struct MemoryCursor {
    entries: Arc<SortedEntries>,
    within: KeyRange,
    direction: Direction,
    values: bool,
    /// The entry to yield next, if it lies before the end.
    next: Option<Position>,
    remaining: Remaining,
}

impl Cursor for MemoryCursor {
    fn seek(&mut self, range: &KeyRange) -> Result<()> {
        if !self.within.covers(range) {
            return Err(outside_of_cursor(range, &self.within));
        }
        self.remaining = Remaining::of(range, &KeyRange::all(), self.direction);
        self.next = match self.direction {
            Direction::Forward => Some(self.entries.at_or_after(range.start())),
            Direction::Backward => self.entries.last_before(range.stop()),
        };
        Ok(())
    }

    fn restrict(&mut self, end: &[u8]) {
        self.remaining.restrict(end);
    }

    fn lift(&mut self) {
        self.remaining.lift();
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        while let Some(position) = self.next {
            let entry = self.entries.entry(position);
            let Some((key, value)) = entry.filter(|(key, _)| !self.remaining.is_past_end(key))
            else {
                break;
            };
            if limit.is_reached(chunk) {
                return Ok(true);
            }
            chunk.push(key, if self.values { value } else { &[] });
            self.next = match self.direction {
                Direction::Forward => Some(self.entries.next(position)),
                Direction::Backward => self.entries.previous(position),
            };
        }
        Ok(false)
    }

    fn omit_values(&mut self) {
        self.values = false;
    }
}
