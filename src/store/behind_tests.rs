use std::ops::Range;

use fastrand::Rng;

use super::*;
use crate::error::Error;
use crate::seed::seed;
use crate::store::{
    Durability, MemoryStore, Reader, SpaceOptions, Store, Tally, WriteBatch, commit_batch,
    has_failed_before,
};

/// Entries of which some stretches cannot be read.
#[derive(Debug)]
struct Damaged {
    inner: Arc<dyn Snapshot>,
    stretches: Arc<Vec<Range<Vec<u8>>>>,
}

impl Snapshot for Damaged {
    fn has_space(&self, space: &str) -> bool {
        self.inner.has_space(space)
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
        Ok(Box::new(DamagedReader {
            inner: Arc::clone(&self.inner).read(request)?,
            stretches: Arc::clone(&self.stretches),
            has_failed: false,
        }))
    }
}

struct DamagedReader {
    inner: Box<dyn Reader>,
    stretches: Arc<Vec<Range<Vec<u8>>>>,
    has_failed: bool,
}

impl Reader for DamagedReader {
    fn skip(&mut self, key: &[u8]) -> Result<()> {
        self.inner.skip(key)
    }

    fn is_wide(&self) -> bool {
        self.inner.is_wide()
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
    }

    fn fill(&mut self, chunk: &mut Chunk, limit: ChunkLimit) -> Result<bool> {
        if self.has_failed {
            return Err(has_failed_before(ErrorKind::Corrupt, "fill"));
        }
        while !limit.is_reached(chunk) {
            let mut next = Chunk::new();
            let more = self.inner.fill(&mut next, ChunkLimit::entries(1))?;
            let Some((key, value)) = next.last() else {
                return Ok(more);
            };
            if self.stretches.iter().any(|bad| bad.contains(&key.to_vec())) {
                self.has_failed = true;
                return Err(Error::corrupt("a damaged block"));
            }
            chunk.push(key, value);
        }
        Ok(true)
    }
}

/// A snapshot of entries with these keys.
fn snapshot(keys: &[Vec<u8>], stretches: Vec<Range<Vec<u8>>>) -> Arc<dyn Snapshot> {
    let store = Arc::new(MemoryStore::new());
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    keys.iter().for_each(|key| batch.put("t", key, b"value"));
    commit_batch(&store, batch, Durability::Buffered).unwrap();
    Arc::new(Damaged {
        inner: store.snapshot().unwrap(),
        stretches: Arc::new(stretches),
    })
}

/// Keys that differ in their first bytes, in their last, and in length.
fn random_keys(random: &mut Rng) -> Vec<Vec<u8>> {
    let count = random.usize(3..300);
    let tail = random.usize(0..12);
    let mut keys: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let mut key = vec![random.u8(0..3)];
            key.extend([7; 9]);
            key.extend(random.u32(..).to_be_bytes());
            key.truncate(random.usize(4..15));
            key.extend(std::iter::repeat_n(0x20, random.usize(0..=tail)));
            key
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Of one damaged stretch, of any place and length, exactly the end is found.
#[test]
fn the_first_entry_behind_a_damaged_stretch_is_found() {
    let mut random = Rng::with_seed(seed());
    for _ in 0..200 {
        let keys = random_keys(&mut random);
        let first = random.usize(0..keys.len());
        let end = random.usize(first + 1..keys.len() + 1);
        // Up to the next key: as a block does, that has no end of its own.
        let stop = keys.get(end).cloned();
        let last = stop.clone().unwrap_or_else(|| vec![0xff; 300]);
        let damaged = snapshot(&keys, vec![keys[first].clone()..last]);
        let before = first.checked_sub(1).map(|index| keys[index].clone());
        let found = first_readable(&damaged, "t", &before.clone().unwrap_or_default()).unwrap();
        assert_eq!(found, stop, "behind {before:?} of {keys:?}");
    }
}

/// Most of what lies between damaged stretches is found, nothing of them, and it ends.
#[test]
fn reading_goes_on_between_damaged_stretches() {
    let keys: Vec<Vec<u8>> = (0..10_000_u32)
        .map(|key| key.to_be_bytes().into())
        .collect();
    let block = |index: usize| keys[index * 100].clone()..keys[index * 100 + 100].clone();
    let damaged = [0, 3, 4, 9, 10, 11, 40, 42, 70].map(block);
    let snapshot = snapshot(&keys, damaged.to_vec());
    let (mut key, mut starts) = (Vec::new(), Vec::new());
    while let Some(found) = first_readable(&snapshot, "t", &key).unwrap() {
        assert!(found > key);
        starts.push(keys.binary_search(&found).unwrap());
        let next = damaged.iter().find(|block| block.start > found);
        let Some(next) = next else { break };
        let last_readable = keys.partition_point(|key| *key < next.start) - 1;
        key.clone_from(&keys[last_readable]);
    }
    assert_eq!(starts, [100, 500, 1_200, 4_100, 4_300, 7_100]);
}

#[test]
fn an_error_that_is_no_damage_is_handed_on() {
    use crate::store::wrap::{Failing, Faults};
    let store = MemoryStore::new();
    store.create_space("t", &SpaceOptions::default()).unwrap();
    let failing = Failing::new(Arc::new(store), Faults::once(3));
    let snapshot = failing.snapshot().unwrap();
    let error = first_readable(&snapshot, "t", b"").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[test]
fn a_sum_is_that_of_numbers() {
    assert_eq!(plus(&[0, 0xff], 0), Some(vec![1, 0]));
    assert_eq!(plus(&[1, 0], 15), Some(vec![0x81, 0]));
    assert_eq!(plus(&[0x80, 0], 15), None);
    assert_eq!(plus(&[0xff, 0xff], 0), None);
    assert_eq!(plus(&[1], 8), None);
}
