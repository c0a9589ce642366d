//! Steps of several loads, and what a crash leaves of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;

use tempfile::TempDir;

use super::super::bulk::{LOADS, RocksLoad};
use super::super::{RocksStore, Spaces};
use super::*;
use crate::error::ErrorKind;
use crate::keyrange::KeyRange;
use crate::store::changes::LocalStore;
use crate::store::{
    BulkWriter, Durability, SpaceOptions, Store, StoreOptions, WriteBatch, read_chunks,
};

const READING: fn() -> StoreOptions = || StoreOptions {
    read_only: true,
    ..StoreOptions::default()
};

/// Two spaces, each with `old` under the keys 0 … 9.
fn filled(path: &Path) -> Arc<RocksStore> {
    let store = RocksStore::open(path, &StoreOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    for space in ["t", "u"] {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        (0..10_u8).for_each(|key| batch.put(space, &[key], b"old"));
    }
    store.write(batch, Durability::Sync).unwrap();
    Arc::new(store)
}

/// A load that deletes 0 … 4 and writes `new` under 5 … 14.
fn load(store: &Arc<RocksStore>, space: &str) -> RocksLoad {
    let mut load = Arc::clone(store).load(space, &[]).unwrap();
    (0..5_u8).for_each(|key| load.delete(&[key]).unwrap());
    (5..15_u8).for_each(|key| load.put(&[key], b"new").unwrap());
    load
}

fn contents(store: &RocksStore, space: &str) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut found = BTreeMap::new();
    let snapshot = store.snapshot().unwrap();
    read_chunks(snapshot, space, &KeyRange::all(), |chunk| {
        found.extend(
            chunk
                .iter()
                .map(|(key, value)| (key.to_vec(), value.to_vec())),
        );
        Ok::<_, Error>(true)
    })
    .unwrap();
    found
}

fn old() -> BTreeMap<Vec<u8>, Vec<u8>> {
    (0..10_u8).map(|key| (vec![key], b"old".to_vec())).collect()
}

fn new() -> BTreeMap<Vec<u8>, Vec<u8>> {
    (5..15_u8).map(|key| (vec![key], b"new".to_vec())).collect()
}

fn assert_both(store: &RocksStore, expected: &BTreeMap<Vec<u8>, Vec<u8>>, when: &str) {
    for space in ["t", "u"] {
        assert_eq!(&contents(store, space), expected, "{space}, {when}");
    }
}

/// A database as the end of the process leaves it at this moment, at which nothing is done in the background.
fn crash(store: &RocksStore) -> TempDir {
    let spaces = store.current();
    let database = spaces.borrow_owner();
    database.db.pause_background_work().unwrap();
    let crashed = copied(database.path());
    database.db.continue_background_work().unwrap();
    crashed
}

fn copied(from: &Path) -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        let mut entries: Vec<_> = fs::read_dir(from).unwrap().map(Result::unwrap).collect();
        // What the mark says of other files is true of later ones, too.
        entries.sort_by_key(|entry| entry.file_name() != "halite-synced");
        for entry in entries {
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target)
            } else {
                // What RocksDB removes meanwhile nothing refers to.
                match fs::copy(entry.path(), target) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    copied => drop(copied.unwrap()),
                }
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    copy(from, directory.path());
    directory
}

fn opened(directory: &TempDir) -> RocksStore {
    RocksStore::open(directory.path(), &StoreOptions::default()).unwrap()
}

/// The step of two loads, written down at each of its points by its own parts.
fn pending(spaces: &Spaces, loads: &[RocksLoad]) -> Switch {
    let switch = Switch {
        number: 1,
        loads: loads.iter().map(|load| load.secure().unwrap()).collect(),
    };
    switch.write(spaces.borrow_owner()).unwrap();
    switch
}

#[test]
fn a_crash_leaves_all_of_a_step_or_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = filled(path);
    let mut loads = vec![load(&store, "t"), load(&store, "u")];
    loads.iter_mut().for_each(|load| load.finish().unwrap());
    let before = crash(&store);
    let spaces = store.current();
    let switch = pending(&spaces, &loads);
    let begun = crash(&store);
    switch.loads[0].ingest(spaces.borrow_owner()).unwrap();
    let half = crash(&store);
    // The first file is in, and its name in the directory of loads is not gone yet.
    let linked = crash(&store);
    let file = &switch.loads[0].paths[0];
    fs::copy(begun.path().join(file), linked.path().join(file)).unwrap();
    switch.loads[1].ingest(spaces.borrow_owner()).unwrap();
    let nearly = crash(&store);
    assert_both(&opened(&before), &old(), "before");
    for (crashed, when) in [
        (begun, "begun"),
        (half, "half"),
        (linked, "linked"),
        (nearly, "nearly"),
    ] {
        let refused = RocksStore::open(crashed.path(), &READING()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "{when}");
        assert!(
            refused.message().contains("open it for writing once"),
            "{refused}"
        );
        for _ in 0..2 {
            assert_both(&opened(&crashed), &new(), when);
            assert!(!crashed.path().join(LOADS).exists(), "{when}");
        }
        let reader = RocksStore::open(crashed.path(), &READING()).unwrap();
        assert_both(&reader, &new(), when);
    }
}

/// A load that deletes a range comes again whole or not at all: the file of its range alone would take what it has put.
#[test]
fn a_range_is_not_deleted_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let all = KeyRange::all();
    let emptied = |space| Arc::clone(&store).load(space, &[&all]).unwrap();
    let loads = ["t", "u"].map(|space| [emptied(space), load(&store, space)]);
    let mut loads: Vec<RocksLoad> = loads.into_iter().flatten().collect();
    loads.iter_mut().for_each(|load| load.finish().unwrap());
    let loads = RocksLoad::joined(loads);
    let spaces = store.current();
    let switch = pending(&spaces, &loads);
    let begun = crash(&store);
    switch.loads[0].ingest(spaces.borrow_owner()).unwrap();
    let linked = crash(&store);
    assert_eq!(switch.loads[0].paths.len(), 2);
    let file = &switch.loads[0].paths[0];
    fs::copy(begun.path().join(file), linked.path().join(file)).unwrap();
    for (crashed, when) in [(begun, "begun"), (linked, "linked")] {
        assert_both(&opened(&crashed), &new(), when);
    }
}

#[test]
fn snapshots_see_the_moment_before_a_step_until_it_is_done() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let mut loads = vec![load(&store, "t"), load(&store, "u")];
    loads.iter_mut().for_each(|load| load.finish().unwrap());
    // The second file is no table: the first one is in when that is found.
    let second = directory.path().join(&loads[1].secure().unwrap().paths[0]);
    let whole = fs::read(&second).unwrap();
    fs::write(&second, b"no table").unwrap();
    store.ingest(loads).unwrap_err();
    assert_both(&store, &old(), "half a step");
    let mut batch = WriteBatch::new();
    batch.put("t", b"k", b"v");
    let loading = |store: &Arc<RocksStore>| store.ingest(vec![load(store, "t")]);
    for refused in [
        store.write(batch, Durability::Sync),
        store.create_space("v", &SpaceOptions::default()),
        store.drop_space("t"),
        loading(&store),
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
        assert!(refused.message().contains("open it again"), "{refused}");
    }
    drop(store);
    fs::write(&second, whole).unwrap();
    assert_both(&opened(&directory), &new(), "opened again");
}

#[test]
fn a_step_whose_first_load_fails_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let mut loads = vec![load(&store, "t"), load(&store, "u")];
    loads.iter_mut().for_each(|load| load.finish().unwrap());
    let first = directory.path().join(&loads[0].secure().unwrap().paths[0]);
    fs::write(first, b"no table").unwrap();
    store.ingest(loads).unwrap_err();
    assert_both(&store, &old(), "given up");
    assert!(!directory.path().join(LOADS).exists());
    store
        .ingest(vec![load(&store, "t"), load(&store, "u")])
        .unwrap();
    assert_both(&store, &new(), "another step");
    drop(store);
    assert_both(&opened(&directory), &new(), "opened again");
}

/// A reader whose database was loaded between its two looks at it looks again.
#[test]
fn a_reader_opens_until_no_step_comes_between() {
    let directory = tempfile::tempdir().unwrap();
    let store = filled(directory.path());
    let spaces = store.current();
    let (path, db) = (directory.path(), &spaces.borrow_owner().db);
    let mut seen = 0;
    assert!(check_whole(path, db, &mut seen).is_ok());
    for number in 1..=2 {
        store
            .ingest(vec![load(&store, "t"), load(&store, "u")])
            .unwrap();
        assert!(matches!(
            check_whole(path, db, &mut seen),
            Err(OpenError::Passing(_))
        ));
        assert_eq!(seen, number);
        assert!(check_whole(path, db, &mut seen).is_ok());
    }
    assert_both(
        &RocksStore::open(path, &READING()).unwrap(),
        &new(),
        "a reader beside it",
    );
}

#[test]
fn an_entry_is_read_as_it_was_written_and_no_part_of_it() {
    let files = |family: &str, count: u32| Files {
        family: family.to_owned(),
        paths: (0..count)
            .map(|file| format!("{LOADS}/3/{file}.sst").into())
            .collect(),
    };
    for loads in [
        vec![],
        vec![files("t", 1)],
        vec![files("t", 0), files("ü", 300)],
    ] {
        let switch = Switch {
            number: u64::MAX - 1,
            loads,
        };
        let bytes = encode(&switch);
        assert_eq!(decode(&bytes), Some(switch.clone()));
        for end in 0..bytes.len() {
            assert_ne!(decode(&bytes[..end]).as_ref(), Some(&switch), "{end}");
        }
    }
    let hostile = [&[0; 8][..], &[DONE, 0, 1, b't'], &u32::MAX.to_be_bytes()].concat();
    assert_eq!(decode(&hostile), None);
}
