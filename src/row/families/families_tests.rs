use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::keyrange::{KeyRange, KeyRangeSet};
use crate::row::{RowChanges, RowSnapshot};
use crate::schema::{FamilySet, TableSpaces};
use crate::store::{
    Chunk, ChunkLimit, Direction, Durability, MemoryStore, ReadRequest, Reader, SpaceOptions,
    Store, Work, WriteBatch,
};

const SPACE: &str = "t7_f2";

fn spaces() -> TableSpaces {
    TableSpaces::of_families(SPACE, 2)
}

fn store() -> Arc<dyn Store> {
    let store = MemoryStore::new();
    for space in spaces().names() {
        store.create_space(space, &SpaceOptions::default()).unwrap();
    }
    Arc::new(store)
}

fn bundled(values: [Option<&[u8]>; 3]) -> Vec<u8> {
    let mut bundled = Vec::new();
    bundle(values.into_iter(), &mut bundled).unwrap();
    bundled
}

fn put(store: &Arc<dyn Store>, rows: &[(&[u8], [&[u8]; 3])], in_bulk: bool) {
    let mut changes = RowChanges::begin(Arc::clone(store), &spaces()).unwrap();
    let mut batch = WriteBatch::new();
    for (key, values) in rows {
        let value = bundled(values.map(Some));
        if in_bulk {
            changes.bulk().unwrap().put(key, &value).unwrap()
        } else {
            batch.put(SPACE, key, &value)
        }
    }
    changes.write(batch).unwrap();
    changes.commit(Durability::Sync).unwrap();
}

/// Reads on to the end, a few rows at a time.
fn fill(reader: &mut dyn Reader, chunk: &mut Chunk) {
    loop {
        let limit = ChunkLimit::entries(chunk.len() + 3);
        if !reader.fill(chunk, limit).unwrap() {
            return;
        }
    }
}

fn read(store: &Arc<dyn Store>, request: ReadRequest, families: FamilySet) -> Chunk {
    let rows = RowSnapshot::of(store.snapshot().unwrap(), &spaces());
    let mut reader = rows.read_families(request, families).unwrap();
    let mut chunk = Chunk::new();
    fill(reader.as_mut(), &mut chunk);
    chunk
}

#[test]
fn a_bundle_gives_back_what_was_read() {
    let long = vec![7; 300];
    let all = bundled([Some(b""), Some(&long), Some(b"c")]);
    assert_eq!(of_family(&all, 0), Some(&b""[..]));
    assert_eq!(of_family(&all, 1), Some(&long[..]));
    assert_eq!(of_family(&all, 2), Some(&b"c"[..]));
    assert_eq!(of_family(&all, 3), None);
    let some = bundled([None, Some(b"b"), None]);
    assert_eq!(of_family(&some, 0), None);
    assert_eq!(of_family(&some, 1), Some(&b"b"[..]));
    assert_eq!(of_family(&some, 2), None);
    for cut in 0..all.len() {
        let read: Vec<_> = (0..3)
            .filter_map(|family| of_family(&all[..cut], family))
            .collect();
        assert!(read.len() < 3, "{cut}");
    }
    assert_eq!(of_family(b"\x01\x00", 0), None);
}

#[test]
fn rows_are_read_of_the_families_that_are_wanted() {
    for in_bulk in [false, true] {
        let store = store();
        put(
            &store,
            &[(b"a", [b"1", b"", b"x"]), (b"b", [b"2", b"m", b"y"])],
            in_bulk,
        );
        let all = || ReadRequest::range(SPACE, KeyRange::all(), Direction::Forward);
        for (families, expected) in [
            (FamilySet::ALL, [Some(&b"2"[..]), Some(b"m"), Some(b"y")]),
            (FamilySet::default().with(1), [None, Some(b"m"), None]),
            (
                FamilySet::default().with(0).with(2),
                [Some(b"2"), None, Some(b"y")],
            ),
            (FamilySet::default(), [Some(b"2"), None, None]),
        ] {
            let rows = read(&store, all(), families);
            assert_eq!(rows.keys().collect::<Vec<_>>(), [b"a", b"b"]);
            assert_eq!(rows.last(), Some((&b"b"[..], &*bundled(expected))));
        }
        let keys = read(&store, all().without_values(), FamilySet::ALL);
        assert_eq!(keys.values().collect::<Vec<_>>(), [b"", b""]);
        let rows = RowSnapshot::of(store.snapshot().unwrap(), &spaces());
        let found = rows.look_up(&[b"b", b"c", b"a"]).unwrap();
        assert_eq!(
            found[0],
            Some(bundled([Some(b"2"), Some(b"m"), Some(b"y")]))
        );
        assert_eq!(found[1], None);
        assert_eq!(found[2], Some(bundled([Some(b"1"), Some(b""), Some(b"x")])));
    }
}

#[test]
fn an_entry_that_is_missing_in_a_family_is_damage() {
    let store = store();
    put(
        &store,
        &[(b"a", [b"", b"", b""]), (b"b", [b"", b"", b""])],
        false,
    );
    let mut torn = WriteBatch::new();
    torn.delete("t7_f2_1", b"a");
    let mut changes = Arc::clone(&store).begin(&[]).unwrap();
    changes.write(torn).unwrap();
    changes.commit(Durability::Sync).unwrap();
    let rows = RowSnapshot::of(store.snapshot().unwrap(), &spaces());
    let request = ReadRequest::range(SPACE, KeyRange::all(), Direction::Forward);
    let mut reader = rows.read(request).unwrap();
    let read = reader.fill(&mut Chunk::new(), ChunkLimit::default());
    assert_eq!(
        read.unwrap_err().to_string(),
        "the row under 61 is in one family and not in another"
    );
    assert!(rows.look_up(&[b"a"]).is_err());
    // Who reads another one does not notice.
    let request = ReadRequest::range(SPACE, KeyRange::all(), Direction::Forward);
    assert_eq!(read_all(&store, request, FamilySet::default().with(2)), 2);
}

fn read_all(store: &Arc<dyn Store>, request: ReadRequest, families: FamilySet) -> usize {
    read(store, request, families).len()
}

/// Ranges in both directions, points, and what is passed over, against rows in memory.
#[test]
fn random_reads_are_those_of_rows_that_are_whole() {
    let mut random = Rng::with_seed(crate::seed::seed());
    for round in 0..60 {
        let store = store();
        let mut rows: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for _ in 0..random.usize(..300) {
            let key = vec![random.u8(..40), random.u8(..9)];
            let values: Vec<Vec<u8>> = (0..3)
                .map(|_| vec![random.u8(..); random.usize(..20)])
                .collect();
            let values = [&values[0][..], &values[1], &values[2]];
            put(&store, &[(&key, values)], false);
            rows.insert(key, bundled(values.map(Some)));
        }
        for _ in 0..20 {
            let direction = if random.bool() {
                Direction::Forward
            } else {
                Direction::Backward
            };
            let mut bounds = [random.u8(..40), random.u8(..41)];
            bounds.sort_unstable();
            let Some(range) = KeyRange::new(vec![bounds[0]], Some(vec![bounds[1]])) else {
                continue;
            };
            let request = ReadRequest::new(
                SPACE,
                Work::Ranges(KeyRangeSet::from(range.clone())),
                direction,
            );
            let mut expected: Vec<(&[u8], &[u8])> = rows
                .iter()
                .filter(|(key, _)| range.contains(key))
                .map(|(key, value)| (&key[..], &value[..]))
                .collect();
            if direction == Direction::Backward {
                expected.reverse();
            }
            let read = read(&store, request, FamilySet::ALL);
            let read: Vec<_> = read.iter().collect();
            assert_eq!(read, expected, "round {round}");
        }
    }
}

#[test]
fn families_stay_side_by_side_where_rows_are_passed_over() {
    let store = store();
    let keys: Vec<[u8; 2]> = (0..500_u16).map(u16::to_be_bytes).collect();
    let rows: Vec<(&[u8], [&[u8]; 3])> = keys
        .iter()
        .map(|key| (&key[..], [&key[..], b"", &key[..1]]))
        .collect();
    put(&store, &rows, true);
    for direction in [Direction::Forward, Direction::Backward] {
        let snapshot = RowSnapshot::of(store.snapshot().unwrap(), &spaces());
        let request = ReadRequest::range(SPACE, KeyRange::all(), direction);
        let mut reader = snapshot.read(request).unwrap();
        let mut chunk = Chunk::new();
        reader.fill(&mut chunk, ChunkLimit::entries(5)).unwrap();
        let to = 300_u16.to_be_bytes();
        reader.skip(&to).unwrap();
        chunk.clear();
        fill(reader.as_mut(), &mut chunk);
        let wanted: Vec<&[u8]> = match direction {
            Direction::Forward => keys[300..].iter().map(|key| &key[..]).collect(),
            Direction::Backward => keys[..300].iter().rev().map(|key| &key[..]).collect(),
        };
        assert_eq!(chunk.keys().collect::<Vec<_>>(), wanted);
        assert!(
            chunk
                .iter()
                .all(|(key, value)| of_family(value, 0) == Some(key))
        );
    }
}
