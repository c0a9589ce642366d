//! Opening: what is refused and left alone, what other processes and readers do, a creation that is cut short.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use ::rocksdb::Options;
use tempfile::TempDir;

use super::tests::{count, create, directory, listing, open, put, reading, refusal};
use super::*;
use crate::error::ErrorKind;
use crate::store::directory::{CREATING_MARK, DEFAULT_FAMILY, begin_creation};

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
                "store::rocksdb::open_tests::other_process",
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
