//! Databases that cannot be used as they are, seen through the program: it says why, and what can be done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use halite::store::{Claim, Durability, Store, WriteBatch};
use tempfile::TempDir;

use super::{database, execute, open_store, runtime};
use crate::program::halite;

fn run(path: &Path, arguments: &[&str]) -> Output {
    halite().arg(path).args(arguments).output().unwrap()
}

/// What the program says when it fails, as it must.
fn complaint(path: &Path, arguments: &[&str]) -> String {
    let output = run(path, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn answer(path: &Path, arguments: &[&str]) -> String {
    let output = run(path, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const COUNT: [&str; 2] = ["-c", "SELECT count(*), sum(length(v)) FROM t"];

/// A closed database with a table of 5,000 rows.
fn made() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let database = database(&open_store(directory.path()));
    runtime().block_on(async {
        let connection = database.connect();
        let table = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (k))";
        execute(&connection, table).await.unwrap();
        let rows =
            "INSERT INTO t SELECT value, md5(CAST(value AS TEXT)) FROM generate_series(1, 5000)";
        execute(&connection, rows).await.unwrap();
    });
    directory
}

/// The largest file whose name begins or ends so.
fn file(path: &Path, begin: &str, end: &str) -> PathBuf {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    let named = entries.filter(|entry| {
        let name = entry.file_name().into_string().unwrap();
        name.starts_with(begin) && name.ends_with(end)
    });
    let largest = named.max_by_key(|entry| entry.metadata().unwrap().len());
    largest.unwrap().path()
}

#[test]
fn a_database_that_another_process_holds_can_be_read() {
    let directory = made();
    let holder = open_store(directory.path());
    let complaint = complaint(directory.path(), &COUNT);
    for part in [
        directory.path().display().to_string(),
        format!("open in another process (process {})", std::process::id()),
        "close it there, or open it read-only".to_owned(),
    ] {
        assert!(complaint.contains(&part), "{complaint}");
    }
    let readonly = [&["--readonly"], &COUNT[..]].concat();
    assert_eq!(
        answer(directory.path(), &readonly),
        "count(*),sum(length(v))\n5000,160000\n"
    );
    drop(holder);
    answer(directory.path(), &COUNT);
}

#[test]
fn a_database_of_a_newer_halite_is_told_from_a_damaged_one() {
    let directory = made();
    let store = open_store(directory.path());
    let mut batch = WriteBatch::new();
    batch.put("catalog", b"format", &[2]);
    let mut changes = store.begin(&[Claim::exclusive("catalog")]).unwrap();
    changes.write(batch).unwrap();
    changes.commit(Durability::Sync).unwrap();
    for arguments in [&COUNT[..], &["--readonly", COUNT[0], COUNT[1]]] {
        let complaint = complaint(directory.path(), arguments);
        for part in ["format 2", "reads formats up to 1", "newer"] {
            assert!(complaint.contains(part), "{complaint}");
        }
    }
}

#[test]
fn a_flipped_bit_in_a_file_of_rows_is_an_error_that_names_it() {
    let directory = made();
    let table = file(directory.path(), "", ".sst");
    let mut bytes = fs::read(&table).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 8;
    fs::write(&table, bytes).unwrap();
    let complaint = complaint(directory.path(), &COUNT);
    assert!(complaint.contains(table.to_str().unwrap()), "{complaint}");
}

#[test]
fn a_list_of_files_that_was_cut_short_is_an_error_that_names_it() {
    let directory = made();
    let manifest = file(directory.path(), "MANIFEST", "");
    let length = fs::metadata(&manifest).unwrap().len();
    for kept in [length - 1, length / 2, length / 4, 0] {
        let file = fs::File::options().write(true).open(&manifest).unwrap();
        file.set_len(kept).unwrap();
        let complaint = complaint(directory.path(), &COUNT);
        assert!(
            complaint.contains(manifest.to_str().unwrap()),
            "{complaint}"
        );
        assert!(complaint.contains("damaged"), "{complaint}");
    }
}

#[test]
fn a_flipped_bit_in_the_log_of_a_killed_process_is_an_error_that_names_it() {
    let directory = made();
    let store = open_store(directory.path());
    let connection = database(&store).connect();
    runtime().block_on(async {
        for key in 6000..6100 {
            let sql = format!("INSERT INTO t VALUES ({key}, 'logged')");
            execute(&connection, &sql).await.unwrap();
        }
    });
    // The files as a kill would leave them now.
    let image = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(directory.path()).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), image.path().join(entry.file_name())).unwrap();
    }
    let log = file(image.path(), "", ".log");
    let whole = fs::read(&log).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() / 2] ^= 1;
    fs::write(&log, bytes).unwrap();
    let complaint = complaint(image.path(), &COUNT);
    assert!(
        complaint.contains(log.file_name().unwrap().to_str().unwrap()),
        "{complaint}"
    );
    fs::write(&log, whole).unwrap();
    assert!(answer(image.path(), &COUNT).contains("5100,"));
}
