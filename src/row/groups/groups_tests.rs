//! Groups as they are kept; that their rows are read as those of any store is in the conformance suite of `store`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::error::ErrorKind;
use crate::fault::{self, Fault};
use crate::keyrange::KeyRange;
use crate::row::{RowChanges, RowSnapshot};
use crate::schema::TableSpaces;
use crate::store::{
    ChunkLimit, Direction, Durability, MemoryStore, ReadRequest, SpaceOptions, Store, WriteBatch,
    read_chunks,
};

/// A store of the rows 0 … 99 and what it keeps them in.
fn hundred_rows() -> (Arc<Grouped>, Arc<MemoryStore>) {
    let inner = Arc::new(MemoryStore::new());
    let store = Arc::new(Grouped::new(Arc::clone(&inner) as Arc<dyn Store>));
    for space in ["t1", "catalog"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        let mut batch = WriteBatch::new();
        (0..100_u8).for_each(|row| batch.put(space, &[row], &[row, row]));
        write(&store, space, batch);
    }
    (store, inner)
}

fn spaces(space: &str) -> TableSpaces {
    TableSpaces::of_families(space, 0)
}

/// Changes rows.
fn write(store: &Arc<Grouped>, space: &str, rows: WriteBatch) {
    let mut changes =
        RowChanges::begin(Arc::clone(store) as Arc<dyn Store>, &spaces(space)).unwrap();
    changes.write(rows).unwrap();
    changes.commit(Durability::Sync).unwrap();
}

/// How many rows each entry of a space holds.
fn sizes(store: &MemoryStore, space: &str) -> Vec<usize> {
    let mut sizes = Vec::new();
    let snapshot = store.snapshot().unwrap();
    let read: Result<()> = read_chunks(snapshot, space, &KeyRange::all(), |chunk| {
        for (key, value) in chunk.iter() {
            sizes.push(unpack(key, value)?.len());
        }
        Ok(true)
    });
    read.unwrap();
    sizes
}

#[test]
fn an_entry_holds_one_to_five_rows() {
    let (store, inner) = hundred_rows();
    let before = sizes(&inner, "t1");
    assert_eq!(before.iter().sum::<usize>(), 100);
    let different: BTreeSet<usize> = before.into_iter().collect();
    assert_eq!(different, BTreeSet::from([1, 2, 3, 4, 5]));
    // One row at a time behind the others, and in front of them.
    for row in (100..200).chain([55]) {
        let mut batch = WriteBatch::new();
        batch.put("t1", &[row, 1], b"");
        write(&store, "t1", batch);
    }
    let after = sizes(&inner, "t1");
    assert_eq!(after.iter().sum::<usize>(), 201);
    assert!(after.len() < 120 && after.iter().all(|size| (1..=5).contains(size)));
}

#[test]
fn the_catalog_is_kept_as_it_is() {
    let (store, inner) = hundred_rows();
    let snapshot = store.snapshot().unwrap();
    assert!(snapshot.is_grouped("t1") && !snapshot.is_grouped("catalog"));
    let kept = inner.snapshot().unwrap();
    assert_eq!(kept.get("catalog", &[7]).unwrap(), Some(vec![7, 7]));
}

#[test]
fn a_limit_is_of_rows() {
    let (store, _) = hundred_rows();
    let rows = RowSnapshot::of(store.snapshot().unwrap(), &spaces("t1"));
    for direction in [Direction::Forward, Direction::Backward] {
        let range = KeyRange::new(vec![10], Some(vec![50])).unwrap();
        let request = ReadRequest::range("t1", range, direction).with_fetch(7);
        let mut reader = rows.read(request).unwrap();
        let mut chunk = Chunk::new();
        let limit = ChunkLimit::entries(7);
        assert!(reader.fill(&mut chunk, limit).unwrap());
        let read: Vec<u8> = chunk.keys().map(|key| key[0]).collect();
        let expected: Vec<u8> = match direction {
            Direction::Forward => (10..17).collect(),
            Direction::Backward => (43..50).rev().collect(),
        };
        assert_eq!(read, expected);
        assert_eq!(reader.tally().entries, 7);
    }
    let found = rows.look_up(&[&[99], &[0, 0], &[0]]).unwrap();
    assert_eq!(found, [Some(vec![99, 99]), None, Some(vec![0, 0])]);
}

/// How many of the ranges that begin behind one of the hundred rows are not read rightly, in one direction.
fn wrong_ranges(rows: &RowSnapshot, direction: Direction) -> usize {
    let ranges = (0..100_u8).flat_map(|start| (start + 1..=100).map(move |stop| (start, stop)));
    let is_wrong = |(start, stop): &(u8, u8)| {
        let range = KeyRange::new(vec![*start, 1], Some(vec![*stop])).unwrap();
        let request = ReadRequest::range("t1", range, direction);
        let (mut reader, mut chunk) = (rows.read(request).unwrap(), Chunk::new());
        while reader.fill(&mut chunk, ChunkLimit::entries(200)).unwrap() && chunk.len() < 200 {}
        let mut expected: Vec<u8> = (*start + 1..*stop).collect();
        if direction == Direction::Backward {
            expected.reverse();
        }
        !chunk.keys().eq(expected.iter().map(std::slice::from_ref))
    };
    ranges.filter(is_wrong).count()
}

#[test]
fn groups_are_trimmed_to_the_range() {
    let (store, _) = hundred_rows();
    let rows = RowSnapshot::of(store.snapshot().unwrap(), &spaces("t1"));
    for direction in [Direction::Forward, Direction::Backward] {
        assert_eq!(wrong_ranges(&rows, direction), 0, "{direction:?}");
        let untrimmed = || wrong_ranges(&rows, direction);
        assert!(fault::with(Fault::GroupUntrimmed, untrimmed) > 100);
    }
    let cut_off = || wrong_ranges(&rows, Direction::Backward);
    assert!(fault::with(Fault::GroupCutOff, cut_off) > 100);
}

#[test]
fn what_is_no_group_is_corrupt() {
    let row = [(&b"a"[..], &b"1"[..])];
    let whole = pack(row.into_iter()).unwrap();
    assert_eq!(unpack(b"a", &whole).unwrap().get(0), Some(row[0]));
    for length in 0..whole.len() {
        let error = unpack(b"a", &whole[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    }
    assert!(unpack(b"b", &whole).is_err(), "another key");
    assert!(unpack(b"a", &[&[1], &whole[1..]].concat()).is_err());
}
