//! Statements: what is written, what is refused, and that nothing is written then.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt64Type;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use futures::FutureExt;

use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::ErrorKind;
use crate::keyrange::KeyRange;
use crate::row::RowReader;
use crate::row::testing::{batch, table};
use crate::store::wrap::{Hooks, Wrapped};
use crate::store::{Chunk, ChunkLimit, Direction, MemoryStore, ReadRequest, SpaceOptions};

pub(in crate::write) fn text(text: &str) -> Option<Datum> {
    Some(Datum::Text(text.to_owned()))
}

pub(in crate::write) fn int(value: i64) -> Option<Datum> {
    Some(Datum::Integer(value))
}

/// Host and minute are the key, usage is the value.
fn usage() -> Arc<BoundTable> {
    table(
        &[
            ("host", SqlType::Text),
            ("minute", SqlType::Integer),
            ("usage?", SqlType::BigInt),
        ],
        &["host", "-minute"],
    )
}

fn row(host: &str, minute: i64, usage: i64) -> Vec<Option<Datum>> {
    vec![text(host), int(minute), int(usage)]
}

pub(in crate::write) fn writer(table: &Arc<BoundTable>) -> TableWriter {
    writer_over(table, Arc::new(MemoryStore::new()))
}

pub(in crate::write) fn writer_over(table: &Arc<BoundTable>, store: Arc<dyn Store>) -> TableWriter {
    writer_spilling_to(table, store, SpillDirectory::default())
}

pub(in crate::write) fn writer_spilling_to(
    table: &Arc<BoundTable>,
    store: Arc<dyn Store>,
    spills: SpillDirectory,
) -> TableWriter {
    store
        .create_space(table.space(), &SpaceOptions::default())
        .unwrap();
    TableWriter::new(Arc::clone(table), store, TableLock::default(), spills)
}

/// All rows of the table in key order.
pub(in crate::write) fn stored(writer: &TableWriter) -> RecordBatch {
    let table = writer.table();
    let snapshot = writer.store.snapshot().unwrap();
    let request = ReadRequest::range(table.space(), KeyRange::all(), Direction::Forward);
    let mut reader = snapshot.read(request).unwrap();
    let mut chunk = Chunk::new();
    while reader
        .fill(&mut chunk, ChunkLimit::entries(usize::MAX))
        .unwrap()
    {}
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    RowReader::new(Arc::clone(table))
        .read(&chunk, &columns, None)
        .unwrap()
}

pub(in crate::write) fn assert_stored(writer: &TableWriter, rows: &[Vec<Option<Datum>>]) {
    assert_eq!(
        stored(writer).columns(),
        batch(writer.table(), rows).columns()
    );
}

pub(in crate::write) fn write(
    writer: &TableWriter,
    change: Change,
    rows: &[Vec<Option<Datum>>],
) -> Result<u64> {
    let mut write_set = writer.write_set(change, WriteSettings::default(), "row")?;
    // In two batches, so that rows are counted across them.
    let (first, second) = rows.split_at(rows.len() / 2);
    write_set.add(&batch(writer.table(), first))?;
    write_set.add(&batch(writer.table(), second))?;
    write_set.commit(&writer.lock().acquire_blocking())
}

#[test]
fn inserted_rows_are_there_in_key_order() {
    let writer = writer(&usage());
    assert_eq!(
        write(
            &writer,
            Change::Insert,
            &[row("b", 1, 10), row("a", 1, 20), row("a", 2, 30)]
        )
        .unwrap(),
        3
    );
    assert_stored(
        &writer,
        &[row("a", 2, 30), row("a", 1, 20), row("b", 1, 10)],
    );
    assert_eq!(write(&writer, Change::Insert, &[]).unwrap(), 0);
}

#[test]
fn a_key_that_is_there_is_refused_and_nothing_is_written() {
    let writer = writer(&usage());
    write(&writer, Change::Insert, &[row("a", 1, 10), row("c", 1, 11)]).unwrap();
    let error = write(
        &writer,
        Change::Insert,
        &[row("b", 1, 0), row("c", 1, 1), row("a", 1, 2)],
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(
        error.to_string(),
        "row 2: table `t`: a row with (host = 'c', minute = 1) is there already, under the row key /c/1"
    );
    assert_stored(&writer, &[row("a", 1, 10), row("c", 1, 11)]);
}

#[test]
fn a_key_that_is_given_twice_is_refused() {
    let writer = writer(&usage());
    let rows = [
        row("z", 1, 0),
        row("a", 1, 1),
        row("b", 1, 2),
        row("z", 1, 0),
        row("a", 1, 3),
    ];
    let error = write(&writer, Change::Insert, &rows).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(
        error.to_string(),
        "row 4: table `t`: (host = 'z', minute = 1) is given twice, first in row 1; its row key is /z/1"
    );
    assert_stored(&writer, &[]);
}

/// The first row of the statement that cannot be written is named, whatever its key and wherever the other one is.
#[test]
fn the_first_conflict_of_a_statement_is_named() {
    let writer = writer(&usage());
    let many: Vec<_> = (0..5_000).map(|minute| row("m", minute, 0)).collect();
    write(&writer, Change::Insert, &many).unwrap();
    let mut rows: Vec<_> = (0..5_000).map(|minute| row("n", minute, 0)).collect();
    rows[4_000] = row("m", 4_000, 0);
    rows[4_100] = row("m", 10, 0);
    rows[4_200] = row("n", 0, 0);
    let error = write(&writer, Change::Insert, &rows)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("row 4001: table `t`: a row with (host = 'm', minute = 4000)"),
        "{error}"
    );
    rows[3_000] = row("n", 2_999, 0);
    let error = write(&writer, Change::Insert, &rows)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("row 3001: table `t`: (host = 'n', minute = 2999) is given twice"),
        "{error}"
    );
    assert_eq!(stored(&writer).num_rows(), 5_000);
}

#[test]
fn replace_writes_over_and_the_later_row_stays() {
    let writer = writer(&usage());
    write(&writer, Change::Insert, &[row("a", 1, 10), row("b", 1, 11)]).unwrap();
    let rows = [
        row("a", 1, 12),
        row("c", 1, 13),
        row("c", 1, 14),
        row("c", 1, 15),
    ];
    assert_eq!(write(&writer, Change::Replace, &rows).unwrap(), 4);
    assert_stored(
        &writer,
        &[row("a", 1, 12), row("b", 1, 11), row("c", 1, 15)],
    );
}

#[test]
fn delete_needs_the_key_columns_and_counts_each_row_once() {
    let writer = writer(&usage());
    write(
        &writer,
        Change::Insert,
        &[row("a", 1, 10), row("b", 1, 11), row("b", 2, 12)],
    )
    .unwrap();
    let keys = batch(
        writer.table(),
        &[row("b", 1, 0), row("a", 1, 0), row("b", 1, 0)],
    )
    .project(&[1, 0])
    .unwrap();
    let mut write_set = writer
        .write_set(Change::Delete, WriteSettings::default(), "row")
        .unwrap();
    write_set.add(&keys).unwrap();
    assert_eq!(
        write_set.commit(&writer.lock().acquire_blocking()).unwrap(),
        2
    );
    assert_stored(&writer, &[row("b", 2, 12)]);
}

#[test]
fn a_row_that_cannot_be_stored_is_named_across_batches() {
    let writer = writer(&usage());
    let error = write(
        &writer,
        Change::Insert,
        &[
            row("a", 1, 1),
            row("b", 1, 1),
            vec![text("c"), None, int(1)],
        ],
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "row 3: table `t`: column `minute` is NOT NULL and is given NULL"
    );
    let long = "x".repeat(40_000);
    let error = write(&writer, Change::Insert, &[row("a", 1, 1), row(&long, 1, 1)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(
        error.to_string().starts_with("row 2: table `t`: "),
        "{error}"
    );
    assert!(error.to_string().contains("32767"), "{error}");
    assert_stored(&writer, &[]);
}

/// What makes a store take its time between the check of a writer and its write.
#[derive(Debug, Clone)]
struct SlowCommit;

impl Hooks for SlowCommit {
    fn call<T>(&self, what: &'static str, call: impl FnOnce() -> Result<T>) -> Result<T> {
        if what == "commit" {
            std::thread::sleep(Duration::from_millis(20));
        }
        call()
    }
}

#[test]
fn of_concurrent_inserts_of_one_key_exactly_one_succeeds() {
    let slow = Wrapped::around(Arc::new(MemoryStore::new()), SlowCommit);
    let writer = writer_over(&usage(), Arc::new(slow));
    let results: Vec<Result<u64>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|usage| {
                let writer = writer.clone();
                scope.spawn(move || {
                    write(
                        &writer,
                        Change::Insert,
                        &[row("own", usage, 0), row("same", 1, usage)],
                    )
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let failed: Vec<_> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    assert_eq!(failed.len(), 7);
    assert!(
        failed
            .iter()
            .all(|error| error.kind() == ErrorKind::Conflict)
    );
    assert_eq!(stored(&writer).num_rows(), 2);
}

#[test]
fn a_table_has_one_lock() {
    let lock = TableLock::default();
    let (same, other) = (lock.clone(), TableLock::default());
    let guard = lock.acquire_blocking();
    drop(other.acquire_blocking());
    let waiting = std::thread::spawn(move || drop(same.acquire_blocking()));
    std::thread::sleep(Duration::from_millis(20));
    assert!(!waiting.is_finished());
    drop(guard);
    waiting.join().unwrap();
}

fn input(batches: &[RecordBatch]) -> Arc<dyn ExecutionPlan> {
    let schema = batches[0].schema();
    MemorySourceConfig::try_new_exec(&[batches.to_vec()], schema, None).unwrap()
}

/// The rows of all partitions are deleted; INSERT leaves it to the planner to merge them.
#[test]
fn no_partition_of_the_input_is_lost() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let writer = Arc::new(writer(&usage()));
    let rows: Vec<_> = (0..40).map(|minute| row("a", minute, 0)).collect();
    write(&writer, Change::Insert, &rows).unwrap();
    let partitions: Vec<Vec<RecordBatch>> = rows
        .chunks(10)
        .map(|rows| vec![batch(writer.table(), rows)])
        .collect();
    let schema = partitions[0][0].schema();
    let input = MemorySourceConfig::try_new_exec(&partitions[..3], schema, None).unwrap();
    let settings = WriteSettings::default();
    let refresh: Refresh = Arc::new(|_| Ok(Arc::default()));
    let input: Arc<dyn ExecutionPlan> = input;
    let plan = deletion(&writer, Arc::clone(&input), refresh);
    assert_eq!(runtime.block_on(run(plan)).unwrap(), 30);
    assert_eq!(stored(&writer).num_rows(), 10);
    let plan = WriteExec::insert(Arc::clone(&writer), input, InsertOp::Append, settings).unwrap();
    assert_eq!(runtime.block_on(run(plan)).unwrap(), 30);
    assert_eq!(stored(&writer).num_rows(), 40);
}

async fn run(plan: WriteExec) -> Result<u64> {
    let rows = collect(Arc::new(plan), Arc::new(TaskContext::default())).await?;
    assert_eq!((rows.len(), rows[0].num_rows()), (1, 1));
    Ok(rows[0]
        .column_by_name("count")
        .unwrap()
        .as_primitive::<UInt64Type>()
        .value(0))
}

#[tokio::test]
async fn the_operator_inserts_replaces_and_deletes() {
    let writer = Arc::new(writer(&usage()));
    let settings = WriteSettings::default();
    let rows = |rows: &[Vec<Option<Datum>>]| {
        input(&[
            batch(writer.table(), rows),
            batch(writer.table(), rows).slice(0, 0),
        ])
    };
    let insert =
        |input, operation| WriteExec::insert(Arc::clone(&writer), input, operation, settings);
    let plan = insert(rows(&[row("a", 1, 1), row("b", 1, 2)]), InsertOp::Append).unwrap();
    assert!(
        displayable(&plan)
            .indent(false)
            .to_string()
            .starts_with("InsertExec: table=t\n")
    );
    assert_eq!(run(plan).await.unwrap(), 2);
    let error = run(insert(rows(&[row("a", 1, 3)]), InsertOp::Append).unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(
        error
            .to_string()
            .starts_with("row 1: table `t`: a row with"),
        "{error}"
    );
    assert_eq!(
        run(insert(rows(&[row("a", 1, 3)]), InsertOp::Replace).unwrap())
            .await
            .unwrap(),
        1
    );
    let error = insert(rows(&[row("a", 1, 3)]), InsertOp::Overwrite).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSupported);
    let keys = batch(writer.table(), &[row("b", 1, 0)])
        .project(&[0, 1])
        .unwrap();
    // The context is asked for under the lock.
    let lock = writer.lock().clone();
    let refresh: Refresh = Arc::new(move |_| {
        assert!(lock.acquire().now_or_never().is_none());
        Ok(Arc::default())
    });
    let plan = deletion(&writer, input(&[keys]), Arc::clone(&refresh));
    assert_eq!(run(plan).await.unwrap(), 1);
    assert_stored(&writer, &[row("a", 1, 3)]);
    let lacking = batch(writer.table(), &[row("b", 1, 0)])
        .project(&[0])
        .unwrap();
    let error = run(deletion(&writer, input(&[lacking]), refresh))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

/// A DELETE of rows whose first columns are those of the key.
fn deletion(
    writer: &Arc<TableWriter>,
    input: Arc<dyn ExecutionPlan>,
    refresh: Refresh,
) -> WriteExec {
    let layout = Layout {
        action: Some(Action::Delete),
        old: true,
        new: false,
        returned: 0,
    };
    let (writer, settings) = (Arc::clone(writer), WriteSettings::default());
    WriteExec::change(
        writer,
        input,
        (Change::Delete, layout),
        None,
        settings,
        Some(refresh),
    )
}

/// An input that fails after its first rows leaves nothing behind.
#[tokio::test]
async fn a_failed_input_writes_nothing() {
    let writer = Arc::new(writer(&usage()));
    let rows = batch(
        writer.table(),
        &[row("a", 1, 1), vec![None, int(1), int(1)]],
    );
    let parts = [rows.slice(0, 1), rows.slice(1, 1)];
    let plan = WriteExec::insert(
        Arc::clone(&writer),
        input(&parts),
        InsertOp::Append,
        WriteSettings::default(),
    )
    .unwrap();
    let error = run(plan).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 2: table `t`: column `host` is NOT NULL and is given NULL"
    );
    assert_stored(&writer, &[]);
}
