//! Rows beyond an appender's memory: through a temporary file and sorted files, all or none, and nothing left.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use tempfile::TempDir;

use super::super::{Connection, Database};
use super::*;
use crate::store::wrap::{Call, Failing, Faults, Log, Recording};
use crate::store::{RocksStore, Store, StoreOptions};
use crate::write::SpillDirectory;

/// A database on disk whose store can be told to fail, and says what it was asked.
struct Subject {
    connection: Connection,
    faults: Faults,
    log: Log,
    directory: TempDir,
}

impl Subject {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
        let recording = Recording::new(Arc::new(store));
        let (log, faults) = (recording.log(), Faults::never());
        let failing: Arc<dyn Store> = Arc::new(Failing::new(Arc::new(recording), faults.clone()));
        let spills = SpillDirectory::of_database(directory.path());
        let database = Database::of_store_with(failing, spills).unwrap();
        let connection = database.connect();
        let create = "CREATE TABLE t (a BIGINT, b TEXT, PRIMARY KEY (salt(4), a))";
        connection.execute(create, ()).await.unwrap();
        Self {
            connection,
            faults,
            log,
            directory,
        }
    }

    /// An appender that spills every few hundred rows.
    fn appender(&self) -> Appender {
        let little = AppenderOptions::new().memory(20_000);
        self.connection.appender_with("t", little).unwrap()
    }

    async fn count(&self) -> i64 {
        let row = self.connection.query_row("SELECT count(*) FROM t", ());
        row.await.unwrap().unwrap().get(0).unwrap()
    }

    /// How many loads were taken over.
    fn loads(&self) -> usize {
        let calls = self.log.calls();
        let loads = calls.iter().filter(|call| matches!(call, Call::Ingest(..)));
        loads.count()
    }

    /// Whether a file was made for what does not fit into memory; none of them has a name.
    fn has_spilled(&self) -> bool {
        fs::remove_dir(self.spills()).is_ok()
    }

    fn spills(&self) -> PathBuf {
        self.directory.path().join("halite-spills")
    }

    fn check_nothing_is_left(&self) {
        let path = self.directory.path();
        assert!(!path.join("halite-loads").exists(), "files of a load");
        assert_eq!(nameless_files(path), 0, "a temporary file is open");
    }
}

/// How many files of a directory are open that have no name.
fn nameless_files(directory: &Path) -> usize {
    let Ok(open) = fs::read_dir("/proc/self/fd") else {
        return 0;
    };
    let targets = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let nameless = targets.filter(|target| {
        target.starts_with(directory) && target.to_string_lossy().ends_with(" (deleted)")
    });
    nameless.count()
}

fn text(a: i64) -> String {
    format!("the text of row {a}")
}

#[tokio::test]
async fn rows_beyond_its_memory_are_written_flush_by_flush() {
    let subject = Subject::new().await;
    let mut keys: Vec<i64> = (0..30_000).collect();
    Rng::with_seed(7).shuffle(&mut keys);
    let mut appender = subject.appender();
    for (keys, flush) in keys.chunks(10_000).zip(1..) {
        for a in keys {
            appender.append_row((*a, text(*a))).unwrap();
        }
        if cfg!(target_os = "linux") {
            assert_eq!(nameless_files(subject.directory.path()), 1);
        }
        assert!(subject.has_spilled());
        assert_eq!(subject.loads(), flush - 1);
        let before = (flush as i64 - 1) * 10_000;
        assert_eq!(subject.count().await, before, "seen before the flush");
        assert_eq!(appender.flush().await.unwrap(), 10_000);
        assert_eq!(subject.loads(), flush);
        assert_eq!(
            (appender.pending(), subject.count().await),
            (0, before + 10_000)
        );
        subject.check_nothing_is_left();
    }
    assert_eq!(appender.finish().await.unwrap(), 30_000);
    let sql = "SELECT count(*), sum(a) FROM t WHERE b = concat('the text of row ', a)";
    let row = subject
        .connection
        .query_row(sql, ())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        row.to::<(i64, i64)>().unwrap(),
        (30_000, 30_000 * 29_999 / 2)
    );

    let mut dropped = subject.appender();
    for a in 30_000..40_000_i64 {
        dropped.append_row((a, text(a))).unwrap();
    }
    drop(dropped);
    assert_eq!(subject.count().await, 30_000);
    subject.check_nothing_is_left();
}

#[tokio::test]
async fn a_key_that_comes_twice_is_found_however_far_apart() {
    let subject = Subject::new().await;
    let mut appender = subject.appender();
    for a in 0..20_000_i64 {
        // Row 15,001 has the key of row 101.
        let key = if a == 15_000 { 100 } else { a };
        appender.append_row((key, text(a))).unwrap();
    }
    let error = appender.finish().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = error.to_string();
    assert!(
        error.starts_with("row 15001: table `t`: ") && error.contains("row 101"),
        "{error}"
    );
    assert!(subject.has_spilled());
    assert_eq!(subject.loads(), 0);
    assert_eq!(subject.count().await, 0);
    subject.check_nothing_is_left();

    let mut appender = subject.appender();
    for a in 0..5_000_i64 {
        appender.append_row((a, text(a))).unwrap();
    }
    appender.flush().await.unwrap();
    for a in 5_000..10_000_i64 {
        let key = if a == 9_000 { 70 } else { a };
        appender.append_row((key, text(a))).unwrap();
    }
    let error = appender.finish().await.unwrap_err().to_string();
    let expected = "row 9001: table `t`: a row with (a = 70) is there already";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(subject.count().await, 5_000);
    subject.check_nothing_is_left();
}

#[tokio::test]
async fn of_rows_that_replace_each_other_the_last_stays_however_far_apart() {
    let subject = Subject::new().await;
    let options = AppenderOptions::new().memory(20_000).replace(true);
    let mut appender = subject.connection.appender_with("t", options).unwrap();
    for round in 0..3 {
        for a in 0..5_000_i64 {
            appender.append_row((a, format!("round {round}"))).unwrap();
        }
    }
    appender.finish().await.unwrap();
    let sql = "SELECT count(*), min(b), max(b) FROM t";
    let row = subject
        .connection
        .query_row(sql, ())
        .await
        .unwrap()
        .unwrap();
    let expected = (5_000, "round 2".to_owned(), "round 2".to_owned());
    assert_eq!(row.to::<(i64, String, String)>().unwrap(), expected);
}

/// What fails while rows are added, and what fails while they are written.
#[tokio::test]
async fn an_appender_that_failed_says_so_with_the_kind_and_reason_of_it() {
    let subject = Subject::new().await;
    for fails_at_once in [true, false] {
        let mut appender = subject.appender();
        let mut failed = None;
        for a in 0..10_000_i64 {
            if fails_at_once && a == 0 {
                fs::write(subject.spills(), "in the way").unwrap();
            }
            if let Err(error) = appender.append_row((a, text(a))) {
                failed = Some(error);
                break;
            }
        }
        if !fails_at_once {
            subject.faults.fail_from(1);
            failed = appender.flush().await.err();
        }
        subject.faults.stop();
        let failed = failed.expect("a failure that nobody was told of");
        let expected = if fails_at_once {
            "no temporary file can be made in"
        } else {
            "injected fault: call 1"
        };
        for later in [
            failed,
            appender.append_row((1_i64, text(1))).unwrap_err(),
            appender.flush().await.unwrap_err(),
            appender.finish().await.unwrap_err(),
        ] {
            assert_eq!(later.kind(), ErrorKind::Unavailable, "{later}");
            assert!(later.to_string().contains(expected), "{later}");
        }
        assert_eq!(subject.count().await, 0);
        subject.check_nothing_is_left();
        let _ = fs::remove_file(subject.spills());
    }
}

#[tokio::test]
async fn adding_waits_for_no_other_writer() {
    let subject = Subject::new().await;
    let mut appender = subject.appender();
    let other = appender.table.writer().lock().acquire().await;
    for a in 0..10_000_i64 {
        appender.append_row((a, text(a))).unwrap();
    }
    assert!(subject.has_spilled());
    assert_eq!(subject.loads(), 0);
    drop(other);
    assert_eq!(appender.finish().await.unwrap(), 10_000);
}
