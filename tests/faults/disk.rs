//! A disk that is full: an error, everything acknowledged stays, and with room again the work goes on.
//!
//! The disk is a small tmpfs, which only root can mount. Who cannot is told that these tests were not
//! run ([`not_run`]): what Halite does on a full disk is then unknown.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halite::error::{Error, ErrorKind};
use halite::session::{Connection, Database};
use halite::store::{RocksStore, StoreOptions};
use halite::write::SpillDirectory;
use tempfile::{NamedTempFile, TempDir};

use super::{execute, rows, runtime};
use crate::not_run::not_run;

/// A small disk of its own, unmounted when it is dropped.
struct Disk {
    directory: TempDir,
}

impl Disk {
    /// One of 32 MiB.
    fn mount() -> Option<Self> {
        Self::mount_with(32)
    }

    fn mount_with(mebibytes: usize) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        let size = format!("size={mebibytes}m");
        mount.args(["-t", "tmpfs", "-o", &size, "halite-test"]);
        let why = match mount.arg(directory.path()).output() {
            Ok(output) if output.status.success() => return Some(Self { directory }),
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => format!("mount: {error}"),
        };
        // Of more lines than one, those behind the first give general advice.
        let why = why.lines().next().unwrap_or("mount says nothing");
        let why = why.trim_end_matches('.');
        not_run(
            &format!("no tmpfs can be mounted, so no disk is filled ({why})"),
            "mount(8), and root with CAP_SYS_ADMIN",
        );
        None
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Bytes that are free, which those of a file without a name are not.
    fn free(&self) -> u64 {
        let mut df = Command::new("df");
        let told = df
            .args(["--block-size=1", "--output=avail"])
            .arg(self.path());
        let told = String::from_utf8(told.output().unwrap().stdout).unwrap();
        told.lines().nth(1).unwrap().trim().parse().unwrap()
    }

    /// Nothing is left of a statement that failed: neither a file of a load nor bytes that were free before it.
    fn check_nothing_is_left(&self, free_before: u64) {
        let loads = self.path().join("full.halite").join("halite-loads");
        assert!(!loads.exists(), "files of a load are left");
        let (mut free, log, start) = (self.free(), 256 << 10, Instant::now());
        // A process that another test is starting has our open files until it is another program.
        while free + log < free_before && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
            free = self.free();
        }
        assert!(
            free + log >= free_before,
            "{free} of {free_before} bytes are free"
        );
    }

    /// Takes bytes away; gives them back when the file is removed.
    fn ballast(&self, bytes: usize) -> Ballast {
        let path = self.path().join("ballast");
        fs::write(&path, vec![1; bytes]).unwrap();
        Ballast(path)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount")
            .arg("--lazy")
            .arg(self.path())
            .status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

struct Ballast(std::path::PathBuf);

impl Ballast {
    fn remove(self) {
        fs::remove_file(self.0).unwrap();
    }
}

/// Opens with buffers that are small beside the disk: the store goes on by itself when there is room for one.
fn open(disk: &Disk) -> (Database, Connection) {
    let options = StoreOptions {
        write_buffer_bytes: 8 << 20,
        ..StoreOptions::default()
    };
    let path = disk.path().join("full.halite");
    let store = RocksStore::open(&path, &options).unwrap();
    let spills = SpillDirectory::of_database(&path);
    let database = Database::of_store_with(Arc::new(store), spills).unwrap();
    let connection = database.connect();
    (database, connection)
}

async fn filled(disk: &Disk) -> (Database, Connection) {
    let (database, connection) = open(disk);
    let table = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (k))";
    execute(&connection, table).await.unwrap();
    (database, connection)
}

/// About 1.3 MB that hardly compress.
fn insert(number: i64) -> String {
    let first = number * 10_000;
    let parts: Vec<String> = (0..40)
        .map(|part| format!("md5(concat(value, '/{part}'))"))
        .collect();
    format!(
        "INSERT INTO t SELECT value, concat({}) FROM generate_series({first}, {})",
        parts.join(", "),
        first + 999
    )
}

fn check_full(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let message = error.message().to_lowercase();
    assert!(message.contains("no space left"), "{error}");
}

/// Inserts until it fails; how many statements were acknowledged.
async fn fill(connection: &Connection) -> i64 {
    fill_from(connection, 0).await
}

/// The same, where so many are there already.
async fn fill_from(connection: &Connection, first: i64) -> i64 {
    for number in first..100 {
        if let Err(error) = execute(connection, &insert(number)).await {
            println!("full after {number} statements: {error}");
            check_full(&error);
            assert!(number > 3);
            return number;
        }
    }
    panic!("a small disk holds 100 statements of more than 1 MB");
}

/// The rows of so many statements are there, and no other.
async fn check(connection: &Connection, statements: i64) {
    let sql = "SELECT k / 10000 AS statement, count(*), count(DISTINCT k), min(length(v)) FROM t GROUP BY k / 10000";
    let mut expected: Vec<_> = (0..statements)
        .map(|number| format!("{number}|1000|1000|1280"))
        .collect();
    expected.sort();
    assert_eq!(rows(connection, sql).await.unwrap(), expected);
}

/// Runs a statement until the store has noticed that there is room.
async fn execute_soon(connection: &Connection, sql: &str) {
    let start = Instant::now();
    loop {
        match execute(connection, sql).await {
            Ok(_) => break,
            Err(error) if start.elapsed() > Duration::from_secs(30) => panic!("{error}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("written again after {:?}", start.elapsed());
}

#[test]
fn with_room_again_a_database_works_on() {
    let Some(disk) = Disk::mount() else { return };
    runtime().block_on(async {
        let ballast = disk.ballast(12 << 20);
        let (database, connection) = filled(&disk).await;
        let statements = fill(&connection).await;
        check(&connection, statements).await;
        ballast.remove();
        execute_soon(&connection, &insert(statements)).await;
        check(&connection, statements + 1).await;
        drop((database, connection));
        let (database, connection) = open(&disk);
        check(&connection, statements + 1).await;
        execute(
            &connection,
            "CREATE TABLE later (k BIGINT, PRIMARY KEY (k))",
        )
        .await
        .unwrap();
        drop((database, connection));
    });
}

#[test]
fn a_database_that_filled_its_disk_is_opened_when_there_is_room() {
    let Some(disk) = Disk::mount() else { return };
    runtime().block_on(async {
        let ballast = disk.ballast(12 << 20);
        let (database, connection) = filled(&disk).await;
        let statements = fill(&connection).await;
        drop((database, connection));
        // It opens, or says why not.
        let opened = Database::open(disk.path().join("full.halite")).await;
        match opened {
            Ok(database) => check(&database.connect(), statements).await,
            Err(error) => check_full(&error),
        }
        ballast.remove();
        let (_database, connection) = open(&disk);
        check(&connection, statements).await;
        execute(&connection, &insert(statements)).await.unwrap();
        check(&connection, statements + 1).await;
    });
}

/// A CSV file of 40 MB, in no order, that hardly compress.
fn too_much() -> NamedTempFile {
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let mut keys: Vec<i64> = (0..40_000).map(|key| -1 - key).collect();
    random.shuffle(&mut keys);
    let lines: String = keys
        .into_iter()
        .map(|key| {
            let value: String = (0..1_024).map(|_| random.alphanumeric()).collect();
            format!("{key},{value}\n")
        })
        .collect();
    fs::write(file.path(), lines).unwrap();
    file
}

/// Sorted files that the store was to take over fill the disk.
#[test]
fn a_load_that_does_not_fit_leaves_nothing() {
    let Some(disk) = Disk::mount() else { return };
    let file = too_much();
    let copy = format!("COPY t FROM '{}'", file.path().display());
    runtime().block_on(async {
        // What was written of the load stays in the log until the store goes on, for which it needs room.
        let ballast = disk.ballast(8 << 20);
        let (_database, connection) = filled(&disk).await;
        execute(&connection, &insert(0)).await.unwrap();
        let free = disk.free();
        let error = execute(&connection, &copy).await.unwrap_err();
        println!("{error}");
        check_full(&error);
        disk.check_nothing_is_left(free);
        check(&connection, 1).await;
        ballast.remove();
        execute_soon(&connection, &insert(1)).await;
        check(&connection, 2).await;
    });
    runtime().block_on(async {
        let (_database, connection) = open(&disk);
        check(&connection, 2).await;
    });
}

/// What a statement has to hold aside fills the disk, before the store is asked to take anything.
#[test]
fn a_statement_that_spills_too_much_leaves_nothing() {
    let Some(disk) = Disk::mount() else { return };
    let file = too_much();
    let statements = [
        format!("COPY t FROM '{}'", file.path().display()),
        "INSERT INTO t SELECT -value, repeat(md5(concat(value, '')), 32) FROM generate_series(1, 40000)".to_owned(),
    ];
    runtime().block_on(async {
        let (_database, connection) = filled(&disk).await;
        execute(&connection, "SET halite.statement_memory = 2000000")
            .await
            .unwrap();
        execute(&connection, &insert(0)).await.unwrap();
        for (sql, done) in statements.iter().zip(1..) {
            let free = disk.free();
            let error = execute(&connection, sql).await.unwrap_err();
            check_full(&error);
            let expected = "the temporary file of a statement cannot be written";
            assert!(error.message().contains(expected), "{error}");
            disk.check_nothing_is_left(free);
            check(&connection, done).await;
            // The store has not met the full disk.
            execute(&connection, &insert(done)).await.unwrap();
            check(&connection, done + 1).await;
        }
    });
}

#[test]
fn tables_are_made_and_dropped_whole_on_a_full_disk() {
    let Some(disk) = Disk::mount() else { return };
    runtime().block_on(async {
        let ballast = disk.ballast(12 << 20);
        let (database, connection) = filled(&disk).await;
        let statements = fill(&connection).await;
        // The last bytes too.
        let _ = fs::write(disk.path().join("rest"), vec![1; 4 << 20]);
        let made = execute(&connection, "CREATE TABLE u (k BIGINT, PRIMARY KEY (k))").await;
        println!("{made:?}");
        let tables = rows(&connection, "SHOW TABLES").await.unwrap();
        assert_eq!(tables.contains(&"u".to_owned()), made.is_ok());
        check(&connection, statements).await;
        ballast.remove();
        fs::remove_file(disk.path().join("rest")).unwrap();
        if made.is_err() {
            execute_soon(&connection, "CREATE TABLE u (k BIGINT, PRIMARY KEY (k))").await;
        }
        execute_soon(&connection, "INSERT INTO u VALUES (1)").await;
        drop((database, connection));
        let (_database, connection) = open(&disk);
        assert_eq!(rows(&connection, "SHOW TABLES").await.unwrap(), ["t", "u"]);
        check(&connection, statements).await;
    });
}

const RESERVE: &str = "full.halite/halite-reserve";

/// A disk for a database with a reserve.
fn mount_for_reserve() -> Option<Disk> {
    Disk::mount_with(64)
}

/// Statements that are three files of rows: enough for the whole reserve, and one fewer than what RocksDB begins to
/// compact, which would take the reserve for itself once the disk is full.
const FOR_RESERVE: i64 = 17;

/// A database that is large enough for a reserve of all that it holds in memory, and how many statements are in it.
async fn with_reserve(disk: &Disk) -> (Database, Connection, i64) {
    let (database, connection) = filled(disk).await;
    for number in 0..FOR_RESERVE {
        execute(&connection, &insert(number)).await.unwrap();
    }
    drop((database, connection));
    let (database, connection) = open(disk);
    let reserve = fs::metadata(disk.path().join(RESERVE)).unwrap();
    assert_eq!(reserve.len(), 12 << 20);
    (database, connection, FOR_RESERVE)
}

/// Deletes all but the rows of the first statement, and goes on.
async fn delete_and_go_on(connection: &Connection) {
    execute_soon(connection, "DELETE FROM t WHERE k >= 10000").await;
    check(connection, 1).await;
    execute_soon(connection, &insert(1)).await;
    check(connection, 2).await;
}

#[test]
fn rows_of_a_full_disk_are_deleted() {
    let Some(disk) = mount_for_reserve() else {
        return;
    };
    runtime().block_on(async {
        let (database, connection, there) = with_reserve(&disk).await;
        let statements = fill_from(&connection, there).await;
        check(&connection, statements).await;
        assert!(!disk.path().join(RESERVE).exists());
        delete_and_go_on(&connection).await;
        drop((database, connection));
        let (_database, connection) = open(&disk);
        check(&connection, 2).await;
    });
}

/// Others have filled the disk to its last byte while the database was closed, as a kill leaves it.
#[test]
fn a_database_on_a_full_disk_is_opened_to_delete() {
    let Some(disk) = mount_for_reserve() else {
        return;
    };
    runtime().block_on(async {
        let (database, connection, there) = with_reserve(&disk).await;
        drop((database, connection));
        let mut rest = fs::File::create(disk.path().join("rest")).unwrap();
        let full = std::io::copy(&mut std::io::repeat(1), &mut rest);
        assert_eq!(full.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(disk.free(), 0);
        let (database, connection) = open(&disk);
        assert!(!disk.path().join(RESERVE).exists());
        check(&connection, there).await;
        delete_and_go_on(&connection).await;
        drop((database, connection));
        let (_database, connection) = open(&disk);
        check(&connection, 2).await;
    });
}

/// Runs a test of this file once more where `mount` is not to be found; whether it passed, and its standard error.
fn without_mount(run_all: &str) -> (bool, String) {
    let nothing = tempfile::tempdir().unwrap();
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args([
        "--exact",
        "faults::disk::with_room_again_a_database_works_on",
    ]);
    tests
        .env("PATH", nothing.path())
        .env("HALITE_RUN_ALL", run_all);
    let output = tests.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), told)
}

#[test]
fn where_no_disk_can_be_mounted_everyone_is_told() {
    let (passed, told) = without_mount("0");
    let line =
        "NOT RUN: faults::disk::with_room_again_a_database_works_on: no tmpfs can be mounted";
    assert!(passed && told.contains(line), "{told}");
    assert!(told.contains("CAP_SYS_ADMIN"), "{told}");
    let (passed, _) = without_mount("1");
    assert!(!passed, "a disk was to be filled, and none was");
}
