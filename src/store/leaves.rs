//! A sorted run of entries that can be copied cheaply: what the memory store keeps for a space.
//!
//! Entries lie in leaves of at most [`LEAF_CAPACITY`], and the run is a list of shared leaves. A copy shares all of
//! them; a change copies the one leaf that it touches, if it is shared, and nothing else. So with n entries a copy
//! costs n / 128 counters or so, and a change O(log n) and one leaf.

use std::sync::Arc;

use crate::keyrange::KeyRange;

/// The most entries in a leaf. A full leaf is split in halves.
const LEAF_CAPACITY: usize = 256;

/// Entries in key order.
#[derive(Debug, Clone, Default)]
pub(super) struct SortedEntries {
    /// In key order, none of them empty.
    leaves: Vec<Arc<Leaf>>,
}

#[derive(Debug, Clone, Default)]
struct Leaf {
    entries: Vec<Entry>,
}

/// Key and value in one allocation; copying it counts a reference.
#[derive(Debug, Clone)]
struct Entry {
    bytes: Arc<[u8]>,
    key_length: usize,
}

/// The place of an entry. It holds as long as the run is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    leaf: usize,
    index: usize,
}

impl Entry {
    fn new(key: &[u8], value: &[u8]) -> Self {
        Self {
            bytes: [key, value].concat().into(),
            key_length: key.len(),
        }
    }

    fn key(&self) -> &[u8] {
        self.key_value().0
    }

    fn key_value(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.key_length)
    }
}

impl Leaf {
    fn ends_before(&self, key: &[u8]) -> bool {
        self.entries.last().is_some_and(|entry| entry.key() < key)
    }

    /// Where `key` is (`Ok`), or where it would go (`Err`).
    fn search(&self, key: &[u8]) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.key().cmp(key))
    }
}

impl SortedEntries {
    /// The value under `key`.
    pub(super) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let leaf = self.leaves.get(self.leaf_for(key))?;
        let index = leaf.search(key).ok()?;
        leaf.entries.get(index).map(|entry| entry.key_value().1)
    }

    /// Keeps `value` under `key`, over what was there.
    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) {
        // A key beyond the last one goes to the end of the last leaf.
        let at = self.leaf_for(key).min(self.leaves.len().saturating_sub(1));
        let Some(shared) = self.leaves.get_mut(at) else {
            let entries = vec![Entry::new(key, value)];
            self.leaves.push(Arc::new(Leaf { entries }));
            return;
        };
        let leaf = Arc::make_mut(shared);
        match leaf.search(key) {
            Ok(index) => {
                if let Some(entry) = leaf.entries.get_mut(index) {
                    *entry = Entry::new(key, value);
                }
            }
            Err(index) => leaf.entries.insert(index, Entry::new(key, value)),
        }
        if leaf.entries.len() > LEAF_CAPACITY {
            let upper = leaf.entries.split_off(LEAF_CAPACITY / 2);
            self.leaves
                .insert(at + 1, Arc::new(Leaf { entries: upper }));
        }
    }

    /// Removes the entry under `key`, if there is one.
    pub(super) fn remove(&mut self, key: &[u8]) {
        let at = self.leaf_for(key);
        let Some(shared) = self.leaves.get_mut(at) else {
            return;
        };
        let Ok(index) = shared.search(key) else {
            return;
        };
        let leaf = Arc::make_mut(shared);
        leaf.entries.remove(index);
        if leaf.entries.is_empty() {
            self.leaves.remove(at);
        }
    }

    /// Removes all entries of a range. Leaves that lie inside are not looked into.
    pub(super) fn remove_range(&mut self, range: &KeyRange) {
        let first = self.leaf_for(range.start());
        let behind = self.leaves.len();
        let last = range.stop().map_or(behind, |stop| self.leaf_for(stop));
        let is_inside = |leaf: &Leaf| {
            let ends = (leaf.entries.first(), leaf.entries.last());
            matches!(ends, (Some(first), Some(last))
                if range.contains(first.key()) && range.contains(last.key()))
        };
        let mut kept = Vec::with_capacity(2);
        let touched = self.leaves.drain(first..(last + 1).min(behind));
        for mut leaf in touched {
            if is_inside(&leaf) {
                continue;
            }
            let entries = &mut Arc::make_mut(&mut leaf).entries;
            entries.retain(|entry| !range.contains(entry.key()));
            if !leaf.entries.is_empty() {
                kept.push(leaf);
            }
        }
        self.leaves.splice(first..first, kept);
    }

    /// The first leaf that may hold `key`; the number of leaves if all of them end before it.
    fn leaf_for(&self, key: &[u8]) -> usize {
        self.leaves.partition_point(|leaf| leaf.ends_before(key))
    }

    /// Key and value at a position; `None` past the last entry.
    pub(super) fn entry(&self, position: Position) -> Option<(&[u8], &[u8])> {
        let leaf = self.leaves.get(position.leaf)?;
        leaf.entries.get(position.index).map(Entry::key_value)
    }

    /// The first entry whose key is not smaller than `key`, or the place past the last one.
    pub(super) fn at_or_after(&self, key: &[u8]) -> Position {
        let leaf = self.leaf_for(key);
        let index = self.leaves.get(leaf).map_or(0, |found| {
            found.search(key).unwrap_or_else(|insertion| insertion)
        });
        Position { leaf, index }
    }

    /// The last entry whose key is smaller than `stop`; the last of all for `None`.
    pub(super) fn last_before(&self, stop: Option<&[u8]>) -> Option<Position> {
        let after = match stop {
            Some(stop) => self.at_or_after(stop),
            None => self.end(),
        };
        self.previous(after)
    }

    fn end(&self) -> Position {
        Position {
            leaf: self.leaves.len(),
            index: 0,
        }
    }

    /// The place after `position`.
    pub(super) fn next(&self, position: Position) -> Position {
        let Position { leaf, index } = position;
        match self.leaves.get(leaf) {
            Some(found) if index + 1 < found.entries.len() => Position {
                leaf,
                index: index + 1,
            },
            _ => Position {
                leaf: leaf + 1,
                index: 0,
            },
        }
    }

    /// The entry before `position`, if there is one.
    pub(super) fn previous(&self, position: Position) -> Option<Position> {
        let Position { leaf, index } = position;
        if let Some(index) = index.checked_sub(1) {
            return Some(Position { leaf, index });
        }
        let leaf = leaf.checked_sub(1)?;
        let index = self.leaves.get(leaf)?.entries.len().checked_sub(1)?;
        Some(Position { leaf, index })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.entries.len()).sum()
    }

    /// About how many bytes the entries of `range` take. Leaves in the middle are taken for average ones, so the cost
    /// is two leaves and not the range.
    pub(super) fn size_in_bytes(&self, range: &KeyRange) -> u64 {
        let first = self.at_or_after(range.start());
        let stop = range
            .stop()
            .map_or(self.end(), |stop| self.at_or_after(stop));
        if first.leaf == stop.leaf {
            return self.leaf_bytes(first.leaf, first.index, stop.index);
        }
        let head = self.leaf_bytes(first.leaf, first.index, usize::MAX);
        let tail = self.leaf_bytes(stop.leaf, 0, stop.index);
        let between = first.leaf + 1..stop.leaf;
        let middle = self.leaf_bytes(between.start + between.len() / 2, 0, usize::MAX);
        head + tail + middle * between.len() as u64
    }

    fn leaf_bytes(&self, leaf: usize, from: usize, to: usize) -> u64 {
        let entries = self.leaves.get(leaf).map_or(&[][..], |leaf| &leaf.entries);
        let taken = entries.iter().take(to).skip(from);
        taken.map(|entry| entry.bytes.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::seed::seed;

    fn forward(run: &SortedEntries) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut position = run.at_or_after(b"");
        let mut found = Vec::new();
        while let Some((key, value)) = run.entry(position) {
            found.push((key.to_vec(), value.to_vec()));
            position = run.next(position);
        }
        found
    }

    #[test]
    fn it_behaves_as_a_map_and_old_copies_stay() {
        let mut random = fastrand::Rng::with_seed(seed());
        let (mut run, mut model) = (SortedEntries::default(), BTreeMap::new());
        let mut copies = Vec::new();
        for step in 0..20_000_u32 {
            let key = random.u16(..2000).to_be_bytes();
            if random.u8(..3) == 0 {
                run.remove(&key);
                model.remove(&key[..]);
            } else {
                run.put(&key, &step.to_be_bytes());
                model.insert(key.to_vec(), step.to_be_bytes().to_vec());
            }
            assert_eq!(run.get(&key), model.get(&key[..]).map(Vec::as_slice));
            if step % 2000 == 0 {
                copies.push((run.clone(), model.clone()));
            }
        }
        copies.push((run, model));
        for (run, model) in copies {
            assert!(run.leaves.iter().all(|leaf| !leaf.entries.is_empty()));
            assert!(forward(&run).into_iter().eq(model.clone()));
            for probe in 0..2000_u16 {
                let probe = probe.to_be_bytes();
                let after = model.range(probe.to_vec()..).next();
                let found = run.entry(run.at_or_after(&probe));
                assert_eq!(found, after.map(|(key, value)| (&key[..], &value[..])));
                let before = model.range(..probe.to_vec()).next_back();
                let found = run.last_before(Some(&probe)).and_then(|at| run.entry(at));
                assert_eq!(found, before.map(|(key, value)| (&key[..], &value[..])));
            }
        }
    }

    #[test]
    fn a_change_copies_only_the_leaf_it_touches() {
        let mut run = SortedEntries::default();
        for number in 0..10_000_u32 {
            run.put(&number.to_be_bytes(), b"value");
        }
        let copy = run.clone();
        run.put(&5_000_u32.to_be_bytes(), b"other");
        let same = |(old, new): &(&Arc<Leaf>, &Arc<Leaf>)| Arc::ptr_eq(old, new);
        let shared = copy.leaves.iter().zip(&run.leaves).filter(same).count();
        assert_eq!(shared + 1, run.leaves.len());
        assert!(run.leaves.len() > 39, "{} leaves", run.leaves.len());
    }
}
