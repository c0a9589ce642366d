//! Statements beyond their memory: the same rows and the same errors as within it, and nothing left on the disk.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use tempfile::TempDir;

use super::cancel::Waiter;
use super::row_label::number_in_file;
use super::tests::{assert_stored, int, stored, text, writer_over, writer_spilling_to};
use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::ErrorKind;
use crate::key::{Argument, Expression, SortOrder};
use crate::row::testing::{batch, definition, of_expression, part, table};
use crate::seed::seed;
use crate::store::wrap::{Call, Failing, Faults, Recording};
use crate::store::{MemoryStore, RocksStore, StoreOptions};

type Row = Vec<Option<Datum>>;

/// Host and day are the key.
fn usage() -> Arc<BoundTable> {
    table(
        &[
            ("host", SqlType::Text),
            ("day", SqlType::Integer),
            ("usage?", SqlType::BigInt),
        ],
        &["host", "-day"],
    )
}

/// All hosts share one bucket, and only it is in the key: rows of one day collide.
fn collided() -> Arc<BoundTable> {
    let arguments = vec![Argument::Integer(1), Argument::Column("host".to_owned())];
    let bucket = of_expression(Expression::new("bucket", arguments), SortOrder::Ascending);
    let columns = [
        ("host", SqlType::Text),
        ("day", SqlType::Integer),
        ("usage?", SqlType::BigInt),
    ];
    BoundTable::new(definition(&columns, vec![bucket, part("day")])).unwrap()
}

fn row(host: &str, day: i64, usage: i64) -> Row {
    vec![text(host), int(day), int(usage)]
}

fn little(memory: usize) -> WriteSettings {
    WriteSettings {
        memory,
        ..WriteSettings::default()
    }
}

fn write(
    writer: &TableWriter,
    change: Change,
    settings: WriteSettings,
    rows: &[Row],
) -> Result<u64> {
    let mut write_set = writer.write_set(change, settings, "row")?;
    for rows in rows.chunks(100) {
        write_set.add(&batch(writer.table(), rows))?;
    }
    write_set.commit(&writer.lock().acquire_blocking())
}

/// A table on disk, and its directory.
fn on_disk(table: &Arc<BoundTable>) -> (TableWriter, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = RocksStore::open(directory.path(), &StoreOptions::default()).unwrap();
    (writer_over(table, Arc::new(store)), directory)
}

/// The names of the files of a directory and those below it, but for RocksDB's log of itself.
fn files(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() {
            names.extend(files(&path));
        }
    }
    names.sort();
    names
}

fn random_rows(rng: &mut Rng, count: usize, days: i64) -> Vec<Row> {
    let mut host = || rng.choice(["a", "b", "a longer name of a host"]).unwrap();
    let hosts: Vec<&str> = (0..count).map(|_| host()).collect();
    hosts
        .into_iter()
        .map(|host| row(host, rng.i64(0..days), rng.i64(0..9)))
        .collect()
}

/// Whatever its memory a statement does the same, and says the same where it fails.
#[test]
fn the_outcome_does_not_depend_on_the_memory() {
    let mut rng = Rng::with_seed(seed());
    for round in 0..12 {
        let table = if round % 2 == 0 { usage() } else { collided() };
        let within = writer_over(&table, Arc::new(MemoryStore::new()));
        let beyond = writer_over(&table, Arc::new(MemoryStore::new()));
        let (disk, _directory) = on_disk(&table);
        let days = rng.choice([60, 3_000, 1_000_000]).unwrap();
        for _ in 0..12 {
            let change = rng
                .choice([
                    Change::Insert,
                    Change::Replace,
                    Change::Replace,
                    Change::Delete,
                ])
                .unwrap();
            let count = rng.usize(0..900);
            let rows = random_rows(&mut rng, count, days);
            let outcome = |writer, settings| {
                write(writer, change, settings, &rows).map_err(|error| error.to_string())
            };
            let expected = outcome(&within, WriteSettings::default());
            let settings = little(rng.choice([0, 500, 5_000, 60_000]).unwrap());
            assert_eq!(outcome(&beyond, settings), expected, "{change:?}");
            assert_eq!(outcome(&disk, settings), expected, "{change:?}");
            assert_eq!(stored(&beyond), stored(&within));
            assert_eq!(stored(&disk), stored(&within));
        }
    }
}

#[test]
fn a_key_that_stands_twice_is_found_across_runs() {
    let (writer, directory) = on_disk(&usage());
    let before = files(directory.path());
    let mut rows: Vec<Row> = (0..10_000).map(|day| row("a", day, 0)).collect();
    rows[9_012] = row("a", 16, 1);
    let error = write(&writer, Change::Insert, little(10_000), &rows).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(
        error.to_string(),
        "row 9013: table `t`: (host = 'a', day = 16) is given twice, first in row 17; its row key is /a/16"
    );
    assert_eq!(stored(&writer).num_rows(), 0);
    assert_eq!(files(directory.path()), before);
}

#[test]
fn a_key_that_is_stored_is_found_among_many() {
    for memory in [10_000, 1 << 30] {
        let (writer, directory) = on_disk(&usage());
        write(
            &writer,
            Change::Insert,
            little(1 << 20),
            &[row("a", 70_000, 5)],
        )
        .unwrap();
        let before = files(directory.path());
        let rows: Vec<Row> = (0..90_000).rev().map(|day| row("a", day, 0)).collect();
        let error = write(&writer, Change::Insert, little(memory), &rows).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 20000: table `t`: a row with (host = 'a', day = 70000) is there already, under the row key /a/70000"
        );
        assert_eq!(stored(&writer).num_rows(), 1);
        assert_eq!(files(directory.path()), before);
    }
}

#[test]
fn of_many_rows_of_one_key_replace_keeps_the_last() {
    let (writer, _directory) = on_disk(&usage());
    let mut rows: Vec<Row> = (0..20_000).map(|usage| row("a", 1, usage)).collect();
    rows.insert(15_000, row("b", 1, 0));
    let count = write(&writer, Change::Replace, little(10_000), &rows).unwrap();
    assert_eq!(count, 20_001);
    let expected = [row("a", 1, 19_999), row("b", 1, 0)];
    assert_stored(&writer, &expected);
    let error = write(&writer, Change::Insert, little(10_000), &rows).unwrap_err();
    assert!(error.to_string().starts_with("row 1: table `t`"), "{error}");
}

#[test]
fn a_delete_beyond_its_memory_counts_each_row_once() {
    let (writer, directory) = on_disk(&usage());
    let rows: Vec<Row> = (0..12_000).map(|day| row("a", day, 0)).collect();
    write(&writer, Change::Insert, WriteSettings::default(), &rows).unwrap();
    let twice = [&rows[1_000..], &rows[2_000..3_000]].concat();
    let deleted = write(&writer, Change::Delete, little(10_000), &twice).unwrap();
    assert_eq!(deleted, 11_000);
    let mut kept = rows[..1_000].to_vec();
    kept.reverse();
    assert_stored(&writer, &kept);
    assert!(!directory.path().join("halite-loads").exists());
}

#[test]
fn rows_are_named_by_the_source_that_they_come_from() {
    let (writer, _directory) = on_disk(&usage());
    let labels = ["one.csv line", "two.csv line"].map(str::to_owned);
    let labels = RowLabels::of_files(labels.to_vec());
    let mut write_set = writer
        .write_set(Change::Insert, little(1_000), labels)
        .unwrap();
    let mut add = |file: usize, lines: Range<u64>, first_day: i64| {
        let days = (first_day..).take(lines.clone().count());
        let rows: Vec<Row> = days.map(|day| row("a", day, 0)).collect();
        let numbers: Vec<u64> = lines.map(|line| number_in_file(file, line)).collect();
        write_set
            .add_numbered(&batch(writer.table(), &rows), &numbers)
            .unwrap();
    };
    add(0, 1..51, 0);
    add(1, 1..31, 50);
    add(1, 31..32, 20);
    let error = write_set
        .commit(&writer.lock().acquire_blocking())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "two.csv line 31: table `t`: (host = 'a', day = 20) is given twice, first in one.csv line 21; its row key is \
         /a/20"
    );
}

#[test]
fn a_statement_that_nobody_waits_for_writes_nothing() {
    for memory in [1_000, 1 << 20] {
        let (writer, directory) = on_disk(&usage());
        let before = files(directory.path());
        let rows: Vec<Row> = (0..500).map(|day| row("a", day, 0)).collect();
        let mut write_set = writer
            .write_set(Change::Insert, little(memory), "row")
            .unwrap();
        write_set.add(&batch(writer.table(), &rows)).unwrap();
        let waiter = Waiter::default();
        write_set.stop_with(waiter.waiting());
        drop(waiter);
        let error = write_set
            .commit(&writer.lock().acquire_blocking())
            .unwrap_err();
        assert!(error.to_string().contains("cancelled"), "{error}");
        assert_eq!(stored(&writer).num_rows(), 0);
        assert_eq!(files(directory.path()), before);
    }
}

/// Every call of the store fails once: an error, and nothing written; in the end the same statement succeeds.
#[test]
fn a_store_that_fails_leaves_nothing_of_a_statement() {
    let table = usage();
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let plain = writer_over(&table, Arc::clone(&inner));
    write(
        &plain,
        Change::Insert,
        WriteSettings::default(),
        &[row("z", 1, 1)],
    )
    .unwrap();
    let rows: Vec<Row> = (0..40).map(|day| row("a", day, 0)).collect();
    for call in 1.. {
        let store = Failing::new(Arc::clone(&inner), Faults::once(call));
        let (lock, spills) = (plain.lock().clone(), SpillDirectory::default());
        let writer = TableWriter::new(Arc::clone(&table), Arc::new(store), lock, spills);
        match write(&writer, Change::Insert, little(100), &rows) {
            Err(error) => {
                assert!(error.to_string().contains("injected fault"), "{error}");
                assert_eq!(stored(&plain).num_rows(), 1);
            }
            Ok(count) => {
                assert_eq!((count, stored(&plain).num_rows()), (40, 41));
                // The rows, their start and end, and what the check asks.
                assert!(call > 44, "{call} calls");
                break;
            }
        }
    }
}

/// Great statements go in by bulk loads, small ones as a batch.
#[test]
fn what_is_beyond_a_batch_is_loaded_in_bulk() {
    let table = usage();
    let recording = Arc::new(Recording::new(Arc::new(MemoryStore::new())));
    let directory = tempfile::tempdir().unwrap();
    let writer = writer_spilling_to(
        &table,
        Arc::clone(&recording) as Arc<dyn Store>,
        SpillDirectory::of_database(directory.path()),
    );
    let log = recording.log();
    let ways = |memory: usize, rows: &[Row]| {
        log.take();
        write(&writer, Change::Replace, little(memory), rows).unwrap();
        // It is made for the first file, and goes where no file is in it.
        let has_spilled = fs::remove_dir(directory.path().join("halite-spills")).is_ok();
        let calls = log.take().into_iter();
        let ways = calls.filter_map(|call| match call {
            Call::Write(batch, _) => Some(("write", batch.len())),
            Call::Ingest(_, changes) => Some(("ingest", changes)),
            _ => None,
        });
        (has_spilled, ways.collect::<Vec<_>>())
    };
    let rows: Vec<Row> = (0..1_000).map(|day| row("a", day, 0)).collect();
    assert_eq!(ways(1 << 20, &rows), (false, vec![("write", 1_000)]));
    assert_eq!(ways(1_000, &rows), (true, vec![("ingest", 1_000)]));
    let long = "x".repeat(20_000);
    let rows: Vec<Row> = (0..1_000).map(|day| row(&long, day, 0)).collect();
    assert_eq!(ways(1 << 30, &rows), (false, vec![("ingest", 1_000)]));
}

#[test]
fn a_statement_that_has_nowhere_to_spill_to_changes_nothing() {
    let (table, nowhere) = (usage(), tempfile::NamedTempFile::new().unwrap());
    let spills = SpillDirectory::of_database(nowhere.path());
    let writer = writer_spilling_to(&table, Arc::new(MemoryStore::new()), spills);
    let rows: Vec<Row> = (0..40).map(|day| row("a", day, 0)).collect();
    let error = write(&writer, Change::Insert, little(100), &rows).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_stored(&writer, &[]);
    let within = WriteSettings::default();
    assert_eq!(write(&writer, Change::Insert, within, &rows).unwrap(), 40);
}
