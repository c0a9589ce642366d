//! What deletions leave: when it is cleared away, and that nothing else is.

use std::time::Instant;

use super::super::tests::{count, create, directory, open};
use super::super::{RocksStore, WriteBatch};
use super::*;
use crate::store::changes::LocalStore;
use crate::store::{BulkWriter, Chunk, ChunkLimit, Direction, Durability, ReadRequest, Store};

/// How many rows are there.
const ROWS: usize = 40_000;

fn key(row: usize) -> Vec<u8> {
    format!("key {row:08}").into_bytes()
}

fn filled(store: &RocksStore) {
    create(store, "t");
    let mut batch = WriteBatch::new();
    for row in 0..ROWS {
        batch.put("t", &key(row), &[7; 40]);
    }
    store.write(batch, Durability::Buffered).unwrap();
}

fn delete(store: &RocksStore, rows: impl Iterator<Item = usize>) {
    let mut batch = WriteBatch::new();
    for row in rows {
        batch.delete("t", &key(row));
    }
    store.write(batch, Durability::Buffered).unwrap();
}

/// How many deleted entries are passed over to read what is there.
fn passed_over(store: &RocksStore) -> usize {
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut reader = store.snapshot().unwrap().read(request).unwrap();
    let mut chunk = Chunk::new();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(ROWS + 1))
        .unwrap()
    {}
    reader.tally().deleted
}

/// Waits until nothing is cleared any more.
fn settle(store: &RocksStore) {
    let start = Instant::now();
    while store.clearing.is_at_work() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never ends");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_large_deletion_leaves_is_cleared_away() {
    let directory = directory();
    let store = Arc::new(open(directory.path()));
    filled(&store);
    delete(&store, 100..ROWS);
    settle(&store);
    assert_eq!(passed_over(&store), 0);
    assert_eq!(count(&store, "t"), 100);
}

#[test]
fn what_a_load_deletes_is_cleared_away() {
    let directory = directory();
    let store = Arc::new(open(directory.path()));
    filled(&store);
    let mut load = Arc::clone(&store).load("t", &[]).unwrap();
    for row in 100..ROWS {
        load.delete(&key(row)).unwrap();
    }
    store.ingest(vec![load]).unwrap();
    settle(&store);
    assert_eq!(passed_over(&store), 0);
    assert_eq!(count(&store, "t"), 100);
}

/// A range that is deleted at once gives its room back, by a batch and by a load.
#[test]
fn the_room_of_a_range_is_given_back() {
    let directory = directory();
    let store = Arc::new(open(directory.path()));
    create(&store, "t");
    let mut random = fastrand::Rng::with_seed(7);
    let size = |store: &RocksStore| store.approximate_size("t", &KeyRange::all()).unwrap();
    let kept = KeyRange::new(key(10), None).unwrap();
    for is_load in [false, true] {
        let mut batch = WriteBatch::new();
        for row in 0..ROWS {
            let value: Vec<u8> = (0..200).map(|_| random.u8(..)).collect();
            batch.put("t", &key(row), &value);
        }
        store.write(batch, Durability::Buffered).unwrap();
        assert!(size(&store) > EMPTIED);
        if is_load {
            let load = Arc::clone(&store).load("t", &[&kept]).unwrap();
            store.ingest(vec![load]).unwrap();
        } else {
            let mut batch = WriteBatch::new();
            batch.delete_range("t", &kept);
            store.write(batch, Durability::Buffered).unwrap();
        }
        assert_eq!((count(&store, "t"), passed_over(&store)), (10, 0));
        settle(&store);
        assert!(size(&store) < 100_000, "{}", size(&store));
        assert_eq!(count(&store, "t"), 10);
    }
}

#[test]
fn small_deletions_add_up() {
    let directory = directory();
    let store = open(directory.path());
    filled(&store);
    for first in (0..ROWS).step_by(1000) {
        delete(&store, first..first + 1000);
    }
    settle(&store);
    // The last few thousand are not yet enough.
    let left = passed_over(&store);
    assert!(left < DELETIONS, "{left}");
    assert_eq!(count(&store, "t"), 0);
}

#[test]
fn few_deletions_among_many_entries_are_left() {
    let directory = directory();
    let store = open(directory.path());
    filled(&store);
    let stretch = |last: usize| Stretch {
        space: "t".to_owned(),
        first: key(0),
        last: key(last),
        deletions: DELETIONS,
        is_emptied: false,
    };
    let spaces = store.current();
    assert!(!is_worth_merging(
        &spaces,
        &Stretch {
            deletions: 400,
            ..stretch(ROWS)
        }
    ));
    assert!(is_worth_merging(&spaces, &stretch(DELETIONS)));
    // Two that lie side by side are one; a gap of the rest of the table keeps them apart.
    let side_by_side = [
        stretch(DELETIONS),
        Stretch {
            first: key(DELETIONS),
            ..stretch(2 * DELETIONS)
        },
    ];
    assert_eq!(worth_merging(&spaces, side_by_side.to_vec()).len(), 1);
}

#[test]
fn nothing_is_cleared_that_a_snapshot_sees() {
    let directory = directory();
    let store = open(directory.path());
    filled(&store);
    let before = store.snapshot().unwrap();
    delete(&store, 100..ROWS);
    thread::sleep(4 * PAUSE);
    assert!(store.clearing.is_at_work(), "it waits for the snapshot");
    let request = ReadRequest::range("t", KeyRange::all(), Direction::Forward);
    let mut reader = before.read(request).unwrap();
    let mut chunk = Chunk::new();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(ROWS + 1))
        .unwrap()
    {}
    assert_eq!(chunk.len(), ROWS);
    drop(reader);
    settle(&store);
    assert_eq!(passed_over(&store), 0);
}

#[test]
fn a_store_closes_while_it_is_cleared() {
    let directory = directory();
    for _ in 0..3 {
        let store = open(directory.path());
        let spaces = store.spaces().unwrap();
        if spaces.is_empty() {
            filled(&store);
        }
        let held = store.snapshot().unwrap();
        delete(&store, 0..ROWS / 2);
        drop(held);
        let start = Instant::now();
        drop(store);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(count(&open(directory.path()), "t"), ROWS / 2);
}
