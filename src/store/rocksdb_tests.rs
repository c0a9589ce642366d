//! What only the store on disk does: keeping, and stepping over damage and deletions. How it opens is in `open_tests`.

use std::fs;

use ::rocksdb::Options;
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use crate::store::Compression;
use crate::store::conformance::fill;
use crate::store::directory::file_names;
use crate::store::{BulkWriter, Chunk, ChunkLimit, Direction};

pub(super) fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(super) fn open(path: impl AsRef<Path>) -> RocksStore {
    RocksStore::open(path, &StoreOptions::default()).unwrap()
}

pub(super) fn reading() -> StoreOptions {
    StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    }
}

/// The kind and message of a refusal.
pub(super) fn refusal(path: impl AsRef<Path>, options: &StoreOptions) -> (ErrorKind, String) {
    let error = RocksStore::open(path, options).unwrap_err();
    (error.kind(), error.message().to_owned())
}

pub(super) fn put(store: &RocksStore, space: &str, key: &[u8], durability: Durability) {
    let mut batch = WriteBatch::new();
    batch.put(space, key, b"value");
    store.write(batch, durability).unwrap();
}

pub(super) fn create(store: &RocksStore, space: &str) {
    store.create_space(space, &SpaceOptions::default()).unwrap();
}

pub(super) fn count(store: &RocksStore, space: &str) -> usize {
    let whole = KeyRange::all();
    let snapshot = store.snapshot().unwrap();
    let mut cursor = snapshot
        .local()
        .unwrap()
        .cursor(space, &whole, Direction::Forward)
        .unwrap();
    cursor.seek(&whole).unwrap();
    let mut chunk = Chunk::new();
    assert!(!fill(
        &mut *cursor,
        &mut chunk,
        ChunkLimit::entries(usize::MAX)
    ));
    chunk.len()
}

/// Names and lengths of the files of a directory.
pub(super) fn listing(path: &Path) -> Vec<(String, u64)> {
    let mut files: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                entry.metadata().unwrap().len(),
            )
        })
        .collect();
    files.sort();
    files
}

// ---- Keeping

#[test]
fn a_reopened_database_has_everything() {
    let directory = directory();
    let path = directory.path().join("database");
    let store = open(&path);
    for (name, compression) in [
        ("fast", Compression::Fast),
        ("dense", Compression::Dense),
        ("plain", Compression::None),
    ] {
        store
            .create_space(name, &SpaceOptions { compression })
            .unwrap();
        put(&store, name, b"synced", Durability::Sync);
        put(&store, name, b"buffered", Durability::Buffered);
    }
    create(&store, "dropped");
    store.drop_space("dropped").unwrap();
    drop(store);
    for _ in 0..2 {
        let store = open(&path);
        assert_eq!(store.spaces().unwrap(), ["dense", "fast", "plain"]);
        for name in ["dense", "fast", "plain"] {
            assert_eq!(count(&store, name), 2);
        }
    }
    open(&path).drop_space("dense").unwrap();
    assert_eq!(open(&path).spaces().unwrap(), ["fast", "plain"]);
}

/// The sections of RocksDB's newest file of options, each with its settings.
fn written_options(path: &Path) -> HashMap<String, HashMap<String, String>> {
    let names = file_names(path).unwrap();
    let newest = names
        .iter()
        .filter(|name| name.starts_with("OPTIONS-"))
        .max()
        .unwrap();
    let text = fs::read_to_string(path.join(newest)).unwrap();
    let mut sections: HashMap<String, HashMap<String, String>> = HashMap::new();
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        } else if let Some((name, value)) = line.split_once('=') {
            let settings = sections.entry(section.clone()).or_default();
            settings.insert(name.to_owned(), value.to_owned());
        }
    }
    sections
}

/// A space as it was made when its options stood in the name of its column family.
fn older_space(store: &RocksStore, family: &str) {
    let spaces = store.current();
    let database = &spaces.borrow_owner().db;
    database.create_cf(family, &Options::default()).unwrap();
}

#[test]
fn a_space_of_an_older_database_is_found_and_dropped() {
    let directory = directory();
    let store = open(directory.path());
    older_space(&store, "older.plain");
    drop(store);
    let store = open(directory.path());
    put(&store, "older", b"key", Durability::Sync);
    drop(store);
    let store = open(directory.path());
    assert_eq!(count(&store, "older"), 1);
    store.drop_space("older").unwrap();
    create(&store, "older");
    drop(store);
    assert_eq!(count(&open(directory.path()), "older"), 0);
}

/// What a crash between a space and its options left goes; options that are not known are not passed over.
#[test]
fn options_without_a_space_go_and_unknown_ones_are_an_error() {
    let directory = directory();
    let path = directory.path();
    let store = open(path);
    let dense = SpaceOptions {
        compression: Compression::Dense,
    };
    let spaces = store.current();
    let database = spaces.borrow_owner();
    own::put_options(database, "never_made", dense).unwrap();
    store.create_space("dropped", &dense).unwrap();
    store.drop_space("dropped").unwrap();
    drop((spaces, store));
    let store = open(path);
    let spaces = store.current();
    let database = spaces.borrow_owner();
    assert_eq!(own::options_of_spaces(database).unwrap(), HashMap::new());
    let family = own::family(&database.db).unwrap();
    database.db.put_cf(&family, "space/t", [1, 3]).unwrap();
    drop(family);
    drop(spaces);
    drop(store);
    let error = RocksStore::open(path, &StoreOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let expected = "the options of the space t are 0103";
    assert!(error.message().contains(expected), "{error}");
}

#[test]
fn options_reach_every_column_family_of_a_reopened_database() {
    let directory = directory();
    let store = open(directory.path());
    create(&store, "fast");
    for (name, compression) in [("d", Compression::Dense), ("p", Compression::None)] {
        store
            .create_space(name, &SpaceOptions { compression })
            .unwrap();
    }
    older_space(&store, "older.dense");
    drop(store);
    let _store = open(directory.path());
    let sections = written_options(directory.path());
    let asked = |section: &str, name: &str, value: &str| {
        let found = sections
            .get(section)
            .unwrap_or_else(|| panic!("no section {section}"));
        assert_eq!(
            found.get(name).map(String::as_str),
            Some(value),
            "{section} {name}"
        );
    };
    asked(
        "DBOptions",
        "wal_recovery_mode",
        "kTolerateCorruptedTailRecords",
    );
    asked("DBOptions", "paranoid_checks", "true");
    asked("DBOptions", "recycle_log_file_num", "0");
    asked("DBOptions", "max_background_jobs", "2");
    asked("DBOptions", "keep_log_file_num", "2");
    for (family, most, oldest) in [
        ("default", "kLZ4Compression", "kZSTD"),
        ("halite-format-1", "kLZ4Compression", "kZSTD"),
        ("fast", "kLZ4Compression", "kZSTD"),
        ("d", "kZSTD", "kZSTD"),
        ("p", "kNoCompression", "kNoCompression"),
        ("older.dense", "kZSTD", "kZSTD"),
    ] {
        let columns = format!("CFOptions \"{family}\"");
        asked(&columns, "compression", most);
        asked(&columns, "bottommost_compression", oldest);
        asked(&columns, "write_buffer_size", "67108864");
        let table = format!("TableOptions/BlockBasedTable \"{family}\"");
        asked(&table, "block_size", "16384");
        asked(&table, "format_version", "6");
        asked(&table, "checksum", "kXXH3");
        asked(&table, "whole_key_filtering", "true");
        asked(&table, "cache_index_and_filter_blocks", "true");
        asked(&table, "filter_policy", "bloomfilter");
    }
}

/// Those that were there when the database was opened, and those made later: what one reads is held for all.
#[test]
fn all_spaces_share_one_block_cache() {
    let directory = directory();
    let fill = |store: &RocksStore, space: &str| {
        let mut batch = WriteBatch::new();
        for key in 0..1_000_u32 {
            batch.put(space, &key.to_be_bytes(), &[7; 100]);
        }
        store.write(batch, Durability::Buffered).unwrap();
        store.current().borrow_owner().settle().unwrap();
    };
    let store = open(directory.path());
    for space in ["before", "also_before"] {
        create(&store, space);
        fill(&store, space);
    }
    drop(store);
    let store = open(directory.path());
    create(&store, "after");
    fill(&store, "after");
    let used = |space: &str| {
        let spaces = store.current();
        let (database, family) = (
            &spaces.borrow_owner().db,
            &spaces.find(space).unwrap().family,
        );
        let usage = database.property_int_value_cf(family, "rocksdb.block-cache-usage");
        usage.unwrap().unwrap()
    };
    for read in ["before", "after"] {
        let used_before = used("also_before");
        assert_eq!(count(&store, read), 1_000);
        let now = ["before", "also_before", "after"].map(used);
        assert!(now.iter().all(|used| *used == now[0]), "{now:?}");
        assert!(now[0] > used_before, "{read} is not read through the cache");
    }
}

#[test]
fn a_synced_write_waits_for_the_disk_and_no_write_skips_the_log() {
    assert!(write_options(Durability::Sync).get_sync());
    assert!(!write_options(Durability::Buffered).get_sync());
    for durability in [Durability::Sync, Durability::Buffered] {
        assert!(!write_options(durability).get_disable_wal());
    }
}

fn open_counting(path: &Path) -> RocksStore {
    let counting = StoreOptions {
        count_syncs: true,
        ..StoreOptions::default()
    };
    RocksStore::open(path, &counting).unwrap()
}

/// A load is on the disk at once. What was written before it without a wait must not be lost alone.
#[test]
fn a_load_takes_what_was_written_before_it_to_the_disk() {
    let directory = directory();
    let store = Arc::new(open_counting(directory.path()));
    create(&store, "t");
    create(&store, "u");
    put(&store, "t", b"before", Durability::Buffered);
    let syncs = store.log_syncs().unwrap();
    let mut load = Arc::clone(&store).load("u", &[]).unwrap();
    load.put(b"loaded", b"value").unwrap();
    store.ingest(vec![load]).unwrap();
    assert_eq!(store.log_syncs(), Some(syncs + 1));
    assert_eq!((count(&store, "t"), count(&store, "u")), (1, 1));
}

#[test]
fn the_log_is_synced_for_each_synced_write_and_for_no_other() {
    let directory = directory();
    let store = open_counting(directory.path());
    create(&store, "t");
    let mut syncs = store.log_syncs().unwrap();
    for number in 0..10 {
        put(&store, "t", &[number], Durability::Sync);
        syncs += 1;
        assert_eq!(store.log_syncs(), Some(syncs));
        put(&store, "t", &[number, 1], Durability::Buffered);
        assert_eq!(store.log_syncs(), Some(syncs));
    }
    drop(store);
    // Counters are what makes it slower, and only tests want them.
    assert_eq!(open(directory.path()).log_syncs(), None);
}

#[test]
#[cfg(target_os = "linux")]
fn of_a_database_that_is_written_to_no_log_is_called_torn() {
    let directory = directory();
    let path = directory.path().join("database");
    assert_eq!(RocksStore::first_torn(&path).unwrap(), None);
    let store = open(&path);
    let log = path.join("999999.log");
    fs::write(&log, "torn").unwrap();
    assert_eq!(RocksStore::first_torn(&path).unwrap(), None);
    drop(store);
    assert_eq!(RocksStore::first_torn(&path).unwrap(), Some((log, 0)));
}

#[test]
fn the_database_closes_when_the_last_reader_goes() {
    let directory = directory();
    let store = open(directory.path());
    create(&store, "t");
    put(&store, "t", b"a", Durability::Buffered);
    let snapshot = store.snapshot().unwrap();
    let cursor = snapshot
        .local()
        .unwrap()
        .cursor("t", &KeyRange::all(), Direction::Forward)
        .unwrap();
    drop(store);
    let (kind, _) = refusal(directory.path(), &StoreOptions::default());
    assert_eq!(kind, ErrorKind::Unavailable);
    drop(cursor);
    assert_eq!(count(&open(directory.path()), "t"), 1);
}

// ---- Runs of deleted entries

#[test]
fn a_run_of_deleted_entries_hands_control_back() {
    let directory = directory();
    let options = StoreOptions {
        interrupt_after: 100,
        ..StoreOptions::default()
    };
    let store = RocksStore::open(directory.path(), &options).unwrap();
    create(&store, "t");
    let (mut puts, mut deletes) = (WriteBatch::new(), WriteBatch::new());
    for number in 0..10_000_u16 {
        puts.put("t", &number.to_be_bytes(), b"");
        if (1..9_999).contains(&number) {
            deletes.delete("t", &number.to_be_bytes());
        }
    }
    store.write(puts, Durability::Buffered).unwrap();
    store.write(deletes, Durability::Buffered).unwrap();
    for direction in [Direction::Forward, Direction::Backward] {
        let snapshot = store.snapshot().unwrap();
        let mut cursor = snapshot
            .local()
            .unwrap()
            .cursor("t", &KeyRange::all(), direction)
            .unwrap();
        cursor.seek(&KeyRange::all()).unwrap();
        let (mut chunk, mut interruptions) = (Chunk::new(), 0);
        while cursor.fill(&mut chunk, ChunkLimit::default()).unwrap() {
            interruptions += 1;
            assert!(interruptions < 20);
        }
        assert_eq!(chunk.len(), 2);
        // 9,998 deleted entries (and as many overwritten) by 100, 200, 400 …
        assert!(
            (6..=9).contains(&interruptions),
            "{interruptions} interruptions"
        );
    }
}
