//! What a bulk load leaves in the directory of the database.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::*;
use crate::error::ErrorKind;
use crate::keyrange::KeyRange;
use crate::store::changes::LocalStore;
use crate::store::conformance::fill;
use crate::store::{
    Chunk, ChunkLimit, Direction, Durability, SpaceOptions, Store, StoreOptions, WriteBatch,
};

fn open(path: &Path) -> Arc<RocksStore> {
    let store = Arc::new(RocksStore::open(path, &StoreOptions::default()).unwrap());
    if store.spaces().unwrap().is_empty() {
        store.create_space("t", &SpaceOptions::default()).unwrap();
    }
    store
}

fn begin_load(store: &Arc<RocksStore>) -> Result<RocksLoad> {
    Arc::clone(store).load("t", &[])
}

fn count(store: &RocksStore) -> usize {
    let whole = KeyRange::all();
    let snapshot = store.snapshot().unwrap();
    let mut cursor = snapshot
        .local()
        .unwrap()
        .cursor("t", &whole, Direction::Forward)
        .unwrap();
    cursor.seek(&whole).unwrap();
    let mut chunk = Chunk::new();
    fill(&mut *cursor, &mut chunk, ChunkLimit::entries(usize::MAX));
    chunk.len()
}

/// So many entries that they need several files.
fn push_many(bulk: &mut RocksLoad) {
    let mut noise = fastrand::Rng::with_seed(7);
    for key in 0..2_000_u32 {
        let value: Vec<u8> = (0..100).map(|_| noise.u8(..)).collect();
        bulk.put(&key.to_be_bytes(), &value).unwrap();
    }
}

fn files_of_loads(path: &Path) -> usize {
    let loads = fs::read_dir(path.join(LOADS)).into_iter().flatten();
    loads
        .map(|load| fs::read_dir(load.unwrap().path()).unwrap().count())
        .sum()
}

#[test]
fn a_load_of_several_files_leaves_none_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = open(path);
    let mut bulk = begin_load(&store).unwrap();
    push_many(&mut bulk);
    assert!(files_of_loads(path) > 3, "{}", files_of_loads(path));
    store.ingest(vec![bulk]).unwrap();
    assert!(!path.join(LOADS).exists());
    assert_eq!(count(&store), 2_000);
    drop(store);
    assert_eq!(count(&open(path)), 2_000);
}

#[test]
fn a_load_that_is_dropped_or_fails_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = open(path);
    let mut kept = begin_load(&store).unwrap();
    kept.put(b"k", b"v").unwrap();
    let mut dropped = begin_load(&store).unwrap();
    push_many(&mut dropped);
    drop(dropped);
    let mut failed = begin_load(&store).unwrap();
    push_many(&mut failed);
    assert_eq!(
        failed.put(b"", b"").unwrap_err().kind(),
        ErrorKind::Internal
    );
    assert_eq!(
        store.ingest(vec![failed]).unwrap_err().kind(),
        ErrorKind::Internal
    );
    // The load of somebody else is left alone.
    assert_eq!(files_of_loads(path), 1);
    store.ingest(vec![kept]).unwrap();
    assert!(!path.join(LOADS).exists());
    assert_eq!(count(&store), 1);
}

/// A file whose bytes are damaged before the ingestion: an error, and nothing of the load.
#[test]
fn a_load_that_cannot_be_ingested_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = open(path);
    let mut bulk = begin_load(&store).unwrap();
    push_many(&mut bulk);
    let load = fs::read_dir(path.join(LOADS))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    fs::write(load.path().join("000002.sst"), b"no table").unwrap();
    let error = store.ingest(vec![bulk]).unwrap_err();
    assert!(
        error
            .message()
            .contains("writing the rows of a large statement"),
        "{error}"
    );
    assert!(!path.join(LOADS).exists());
    assert_eq!(count(&store), 0);
    let tables = |path: &Path| {
        let files = fs::read_dir(path).unwrap();
        files
            .filter(|file| {
                let name = file.as_ref().unwrap().file_name();
                name.to_string_lossy().ends_with(".sst")
            })
            .count()
    };
    assert_eq!(tables(path), 0);
    let mut again = begin_load(&store).unwrap();
    push_many(&mut again);
    store.ingest(vec![again]).unwrap();
    assert_eq!(count(&store), 2_000);
}

#[test]
fn what_a_killed_load_left_is_removed_by_the_next_writer_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    drop(open(path));
    let left = path.join(LOADS).join("0");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("000001.sst"), b"half a fi").unwrap();
    let reading = StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    };
    let reader = Arc::new(RocksStore::open(path, &reading).unwrap());
    assert!(left.join("000001.sst").exists());
    let refused = begin_load(&reader).map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let store = open(path);
    assert!(!path.join(LOADS).exists());
    assert_eq!(count(&store), 0);
}

/// A load that must flush what was written before it waits for that; with it whoever makes a space, and nobody else.
#[test]
fn readers_wait_neither_for_a_load_nor_for_who_waits_for_it() {
    readers_do_not_wait(&["t"]);
}

#[test]
fn readers_do_not_wait_for_a_step_of_several_loads() {
    readers_do_not_wait(&["s", "t"]);
}

fn readers_do_not_wait(loads: &'static [&str]) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.create_space("s", &SpaceOptions::default()).unwrap();
    let mut batch = WriteBatch::new();
    batch.put("t", b"key", b"old");
    store.write(batch, Durability::Buffered).unwrap();
    let current = store.current();
    let database = &current.borrow_owner().db;
    database.pause_background_work().unwrap();
    let loader = Arc::clone(&store);
    let loading = thread::spawn(move || {
        let loads = loads.iter().map(|space| {
            let mut bulk = Arc::clone(&loader).load(space, &[]).unwrap();
            bulk.put(b"key", b"new").unwrap();
            bulk
        });
        loader.ingest(loads.collect()).unwrap();
    });
    thread::sleep(Duration::from_millis(300));
    let making = Arc::clone(&store);
    let making = thread::spawn(move || making.create_space("u", &Default::default()).unwrap());
    thread::sleep(Duration::from_millis(200));
    let (sender, receiver) = channel();
    let reading = Arc::clone(&store);
    thread::spawn(move || {
        let snapshot = reading.snapshot().unwrap();
        let value = snapshot.get("t", b"key").unwrap();
        sender
            .send((value, snapshot.has_space("u"), reading.spaces()))
            .unwrap();
    });
    let read = receiver.recv_timeout(Duration::from_secs(20));
    let both_wait = !loading.is_finished() && !making.is_finished();
    // Before anything can fail: a database whose work is paused cannot be closed.
    database.continue_background_work().unwrap();
    loading.join().unwrap();
    making.join().unwrap();
    let (value, has_space, spaces) = read.expect("readers wait for the load");
    assert!(both_wait, "the load has not been waiting");
    assert_eq!((value.as_deref(), has_space), (Some(&b"old"[..]), false));
    assert_eq!(spaces.unwrap(), ["s", "t"]);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        snapshot.get("t", b"key").unwrap().as_deref(),
        Some(&b"new"[..])
    );
    assert!(snapshot.has_space("u"));
}
