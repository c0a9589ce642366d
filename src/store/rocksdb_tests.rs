//! What only the store on disk does: opening, refusing, keeping, and stepping over damage and deletions.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use ::rocksdb::Options;
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use crate::store::Compression;
use crate::store::conformance::fill;
use crate::store::directory::{CREATING_MARK, DEFAULT_FAMILY, begin_creation, file_names};
use crate::store::{BulkWriter, Chunk, ChunkLimit, Direction};

fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn open(path: impl AsRef<Path>) -> RocksStore {
    RocksStore::open(path, &StoreOptions::default()).unwrap()
}

fn reading() -> StoreOptions {
    StoreOptions {
        read_only: true,
        ..StoreOptions::default()
    }
}

/// The kind and message of a refusal.
fn refusal(path: impl AsRef<Path>, options: &StoreOptions) -> (ErrorKind, String) {
    let error = RocksStore::open(path, options).unwrap_err();
    (error.kind(), error.message().to_owned())
}

fn put(store: &RocksStore, space: &str, key: &[u8], durability: Durability) {
    let mut batch = WriteBatch::new();
    batch.put(space, key, b"value");
    store.write(batch, durability).unwrap();
}

fn create(store: &RocksStore, space: &str) {
    store.create_space(space, &SpaceOptions::default()).unwrap();
}

fn count(store: &RocksStore, space: &str) -> usize {
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
fn listing(path: &Path) -> Vec<(String, u64)> {
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
    let path = directory.path().join("new").join("database");
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
    let mut load = Arc::clone(&store).load("u").unwrap();
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

// ---- Refusing

#[test]
fn a_missing_database_is_made_only_when_that_is_asked() {
    let directory = directory();
    let path = directory.path().join("none");
    let existing = StoreOptions {
        create_if_missing: false,
        ..StoreOptions::default()
    };
    for (path, options) in [
        (&path, &existing),
        (&path, &reading()),
        (&directory.path().to_owned(), &existing),
        (&directory.path().to_owned(), &reading()),
    ] {
        let message = format!("there is no Halite database at {}", path.display());
        assert_eq!(refusal(path, options), (ErrorKind::InvalidInput, message));
    }
    assert!(listing(directory.path()).is_empty());
    open(&path);
    RocksStore::open(&path, &existing).unwrap();
}

#[test]
fn a_file_is_refused() {
    let directory = directory();
    let file = directory.path().join("file");
    fs::write(&file, "text").unwrap();
    let message = format!(
        "{} is a file, and a Halite database is a directory",
        file.display()
    );
    let refused = refusal(&file, &StoreOptions::default());
    assert_eq!(refused, (ErrorKind::InvalidInput, message));
    assert_eq!(fs::read(&file).unwrap(), b"text");
}

#[test]
fn a_directory_of_other_files_is_left_alone() {
    let directory = directory();
    fs::write(directory.path().join("notes.txt"), "text").unwrap();
    let message = format!(
        "{} holds other files: it is not a Halite database, and is left alone",
        directory.path().display()
    );
    for options in [StoreOptions::default(), reading()] {
        let refused = refusal(directory.path(), &options);
        assert_eq!(refused, (ErrorKind::InvalidInput, message.clone()));
    }
    assert_eq!(listing(directory.path()), [("notes.txt".to_owned(), 4)]);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let directory = directory();
    let mut options = Options::default();
    options.create_if_missing(true);
    drop(DB::open(&options, directory.path()).unwrap());
    let before = listing(directory.path());
    let message = format!(
        "{} is a RocksDB database of another program: it is not a Halite database, and is left alone",
        directory.path().display()
    );
    for options in [StoreOptions::default(), reading()] {
        let refused = refusal(directory.path(), &options);
        assert_eq!(refused, (ErrorKind::InvalidInput, message.clone()));
    }
    assert_eq!(listing(directory.path()), before);
}

/// A database with one more column family, as a newer version might make.
fn with_family(family: &str) -> TempDir {
    let directory = directory();
    let store = open(directory.path());
    let database = Arc::clone(store.current().borrow_owner());
    database.db.create_cf(family, &Options::default()).unwrap();
    directory
}

#[test]
fn a_newer_format_is_left_alone() {
    for (family, what) in [
        ("halite-format-2", "has format 2"),
        ("t.counter", "has a space of unknown kind, t.counter"),
    ] {
        let directory = with_family(family);
        let before = listing(directory.path());
        let message = format!(
            "the database {} {what}, and this Halite reads formats up to 1: a newer one wrote it",
            directory.path().display()
        );
        for options in [StoreOptions::default(), reading()] {
            let refused = refusal(directory.path(), &options);
            assert_eq!(refused, (ErrorKind::Corrupt, message.clone()));
        }
        assert_eq!(listing(directory.path()), before);
    }
}

#[test]
fn a_second_open_in_one_process_is_refused() {
    let directory = directory();
    let _store = open(directory.path());
    let message = format!(
        "the database {} is already open in this process: share it instead of opening it twice",
        directory.path().display()
    );
    let refused = refusal(directory.path(), &StoreOptions::default());
    assert_eq!(refused, (ErrorKind::Unavailable, message));
}

/// Another process that has the database open, or has written to it and died.
struct OtherProcess {
    child: Child,
    /// Kept, for it would else fail when it writes.
    output: BufReader<ChildStdout>,
}

const OTHER_PROCESS: &str = "HALITE_TEST_OTHER_PROCESS";

impl OtherProcess {
    /// Starts this test program once more, as [`other_process`] alone, and waits until it has opened and written.
    fn start(task: &str, path: &Path) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args([
                "--exact",
                "store::rocksdb::tests::other_process",
                "--nocapture",
            ])
            .env(OTHER_PROCESS, format!("{task}:{}", path.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let is_ready = output
            .by_ref()
            .lines()
            .map_while(io::Result::ok)
            .any(|line| line.contains("is ready"));
        assert!(is_ready, "the other process did not get ready");
        Self { child, output }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        io::copy(&mut self.output, &mut io::sink()).unwrap();
        self.child.wait().unwrap();
    }
}

/// The task of another process; as a test of its own it has none.
#[test]
fn other_process() {
    let Ok(task) = std::env::var(OTHER_PROCESS) else {
        return;
    };
    let (task, path) = task.split_once(':').unwrap();
    let store = open(path);
    create(&store, "t");
    put(&store, "t", b"synced", Durability::Sync);
    put(&store, "t", b"buffered", Durability::Buffered);
    println!("\nis ready");
    if task == "abort" {
        std::process::abort();
    }
    let _ = io::stdin().lines().next();
}

#[test]
fn an_open_in_another_process_is_refused() {
    let directory = directory();
    let other = OtherProcess::start("hold", directory.path());
    let (kind, message) = refusal(directory.path(), &StoreOptions::default());
    let holder = if cfg!(target_os = "linux") {
        format!(" (process {})", other.child.id())
    } else {
        String::new()
    };
    let expected = format!(
        "the database {} is open in another process{holder}: close it there, or open it read-only",
        directory.path().display()
    );
    assert_eq!((kind, message), (ErrorKind::Unavailable, expected));
    let store = RocksStore::open(directory.path(), &reading()).unwrap();
    assert_eq!(count(&store, "t"), 2);
    other.end();
    assert_eq!(count(&open(directory.path()), "t"), 2);
}

#[test]
fn what_was_written_survives_the_process() {
    let directory = directory();
    OtherProcess::start("abort", directory.path()).end();
    assert_eq!(count(&open(directory.path()), "t"), 2);
}

#[test]
fn a_read_only_store_refuses_every_change() {
    let directory = directory();
    create(&open(directory.path()), "t");
    let before = listing(directory.path());
    let store = RocksStore::open(directory.path(), &reading()).unwrap();
    assert!(store.is_read_only());
    let message = format!(
        "the database {} is open read-only: nothing can be written",
        directory.path().display()
    );
    let mut batch = WriteBatch::new();
    batch.put("t", b"a", b"");
    for refused in [
        store.write(batch, Durability::Sync),
        store.write(WriteBatch::new(), Durability::Sync),
        store.create_space("u", &SpaceOptions::default()),
        store.drop_space("t"),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.message(), message);
    }
    assert_eq!(
        (store.spaces().unwrap(), count(&store, "t")),
        (vec!["t".to_owned()], 0)
    );
    drop(store);
    assert_eq!(listing(directory.path()), before, "reading changes no file");
}

#[test]
fn a_reader_sees_one_moment_beside_a_writer() {
    let directory = directory();
    let writer = open(directory.path());
    create(&writer, "t");
    put(&writer, "t", b"a", Durability::Buffered);
    let reader = RocksStore::open(directory.path(), &reading()).unwrap();
    put(&writer, "t", b"b", Durability::Sync);
    create(&writer, "later");
    assert_eq!(reader.spaces().unwrap(), ["t"]);
    assert_eq!((count(&reader, "t"), count(&writer, "t")), (1, 2));
    // A writer that changes its files all the time does not keep readers out.
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            for round in 0..20_u8 {
                let name = format!("s{round}");
                create(&writer, &name);
                put(&writer, &name, &[round], Durability::Sync);
                writer.current().borrow_owner().db.flush().unwrap();
                if round % 2 == 0 {
                    writer.drop_space(&name).unwrap();
                }
            }
        });
        while !work.is_finished() {
            let reader = RocksStore::open(directory.path(), &reading()).unwrap();
            assert_eq!(count(&reader, "t"), 2);
        }
    });
}

// ---- A creation that is cut short

#[test]
fn a_creation_that_was_cut_short_goes_on() {
    // At once, and after RocksDB had made its files but not all of ours.
    for has_files in [false, true] {
        let directory = directory();
        begin_creation(directory.path(), 0o700).unwrap();
        if has_files {
            let mut options = Options::default();
            options.create_if_missing(true);
            drop(DB::open_cf(&options, directory.path(), [DEFAULT_FAMILY]).unwrap());
        }
        let (kind, message) = refusal(directory.path(), &reading());
        assert_eq!(kind, ErrorKind::InvalidInput);
        assert!(
            message.starts_with("there is no Halite database at"),
            "{message}"
        );
        create(&open(directory.path()), "t");
        assert!(!directory.path().join(CREATING_MARK).exists());
        assert_eq!(open(directory.path()).spaces().unwrap(), ["t"]);
    }
}

#[test]
fn the_mark_does_not_cost_a_finished_database_its_spaces() {
    let directory = directory();
    let store = open(directory.path());
    create(&store, "t");
    put(&store, "t", b"a", Durability::Sync);
    drop(store);
    begin_creation(directory.path(), 0o700).unwrap();
    assert_eq!(count(&open(directory.path()), "t"), 1);
}

#[test]
fn what_a_file_system_puts_into_a_directory_does_not_count() {
    let directory = directory();
    fs::create_dir(directory.path().join("lost+found")).unwrap();
    create(&open(directory.path()), "t");
    assert_eq!(open(directory.path()).spaces().unwrap(), ["t"]);
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
