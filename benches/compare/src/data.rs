//! The rows that every side has. A row is drawn from its number alone: any part of the data can be made again, and a
//! query's constants are known to hit.
//!
//! Numbers count in the order of time: 125 hosts report every ten seconds. Usages are eighths, so that their sums are
//! exact in any order, and every side must come to the same one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};
use arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::compute::{SortColumn, concat_batches, lexsort_to_indices, take_record_batch};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Hosts, each of which has as many rows as there are steps.
pub const HOSTS: usize = 125;
/// Different values of `kind`.
pub const KINDS: u64 = 40;
/// Different values of `user_id`.
pub const USERS: u64 = 200_000;
/// Rows of the table that is joined.
pub const WANTED: usize = 1_000;
/// Steps of a range of 1,250 rows of one host; a tenth of its rows are one step of ten hosts.
pub const RANGE: usize = 1_250;
/// The fewest rows with which every workload has what it asks for.
pub const LEAST_ROWS: usize = 200_000;

/// 2024-01-01, in milliseconds.
const FIRST_STAMP: i64 = 1_704_067_200_000;
/// Milliseconds between two rows of a host.
const STEP: i64 = 10_000;
/// A prime, by whose multiples rows are put out of order.
const STRIDE: usize = 7_368_787;
/// Rows of a batch.
const BATCH: usize = 8_192;

/// How many rows there are.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Rows of the large table; a multiple of [`HOSTS`].
    pub rows: usize,
}

impl Size {
    pub fn new(rows: usize) -> Result<Self> {
        ensure!(rows >= LEAST_ROWS, "ROWS must be {LEAST_ROWS} or more");
        Ok(Self {
            rows: rows.next_multiple_of(HOSTS),
        })
    }

    /// Rows of each host.
    pub fn steps(self) -> usize {
        self.rows / HOSTS
    }

    /// The rows that are loaded in each round.
    pub fn part(self) -> Self {
        Self {
            rows: (self.rows / 5).next_multiple_of(HOSTS),
        }
    }

    /// The `index`-th row of a walk through all of them that goes far with each step.
    pub fn row(self, index: usize) -> usize {
        index.wrapping_mul(STRIDE) % self.rows
    }
}

/// The host of a row.
pub fn host(row: usize) -> String {
    format!("host-{:03}", row % HOSTS)
}

/// The time of a step, of which every host has a row.
pub fn stamp(step: usize) -> i64 {
    FIRST_STAMP + step as i64 * STEP
}

/// The time of a row.
pub fn stamp_of(row: usize) -> i64 {
    stamp(row / HOSTS)
}

/// A number that looks drawn at random (splitmix64).
pub fn drawn(row: usize, salt: u64) -> u64 {
    let mut bits = (row as u64).wrapping_mul(4).wrapping_add(salt);
    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Rows with these numbers, in this order.
fn batch(rows: &[usize]) -> Result<RecordBatch> {
    let rows = || rows.iter().copied();
    let hosts = StringArray::from_iter_values(rows().map(host));
    let stamps = TimestampMillisecondArray::from_iter_values(rows().map(stamp_of));
    let kinds = rows().map(|row| format!("kind-{:02}", drawn(row, 0) % KINDS));
    let users = rows().map(|row| (drawn(row, 1) % USERS).cast_signed());
    let usages = rows().map(|row| (drawn(row, 2) % 8_000) as f64 / 8.0);
    let notes = rows().map(|row| format!("{:016x} as {} reported", drawn(row, 3), host(row)));
    let columns: [(&str, ArrayRef); 6] = [
        ("host", Arc::new(hosts)),
        ("ts", Arc::new(stamps)),
        ("kind", Arc::new(StringArray::from_iter_values(kinds))),
        ("user_id", Arc::new(Int64Array::from_iter_values(users))),
        ("usage", Arc::new(Float64Array::from_iter_values(usages))),
        ("note", Arc::new(StringArray::from_iter_values(notes))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// The keys that are joined, numbered.
fn wanted(size: Size) -> Result<RecordBatch> {
    let rows = || (0..WANTED).map(|index| size.row(index));
    let ids = Int64Array::from_iter_values(0..WANTED as i64);
    let hosts = StringArray::from_iter_values(rows().map(host));
    let stamps = TimestampMillisecondArray::from_iter_values(rows().map(stamp_of));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(ids)),
        ("host", Arc::new(hosts)),
        ("ts", Arc::new(stamps)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

/// The files that every side loads from; their rows are in no order.
#[derive(Debug, Clone)]
pub struct Files {
    /// All rows.
    pub all: PathBuf,
    /// Those that are loaded in each round.
    pub part: PathBuf,
    /// The keys that are joined.
    pub wanted: PathBuf,
}

impl Files {
    /// Writes them into a directory.
    pub fn write(directory: &Path, size: Size) -> Result<Self> {
        let files = Self {
            all: directory.join("all.parquet"),
            part: directory.join("part.parquet"),
            wanted: directory.join("wanted.parquet"),
        };
        write_rows(&files.all, size)?;
        write_rows(&files.part, size.part())?;
        let wanted = wanted(size)?;
        let file = File::create(&files.wanted)?;
        let mut writer = ArrowWriter::try_new(file, wanted.schema(), None)?;
        writer.write(&wanted)?;
        writer.close()?;
        Ok(files)
    }
}

fn write_rows(path: &Path, size: Size) -> Result<()> {
    ensure!(!size.rows.is_multiple_of(STRIDE), "rows would come twice");
    let numbers: Vec<usize> = (0..size.rows).map(|index| size.row(index)).collect();
    let file = File::create(path)?;
    let mut writer = ArrowWriter::try_new(file, batch(&[])?.schema(), None)?;
    for numbers in numbers.chunks(BATCH) {
        writer.write(&batch(numbers)?)?;
    }
    writer.close()?;
    Ok(())
}

/// All rows of a file.
pub fn read(path: &Path) -> Result<RecordBatch> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder
        .with_batch_size(BATCH)
        .build()?
        .collect::<Result<_, _>>()?;
    Ok(concat_batches(&schema, &batches)?)
}

/// Rows in the order of these columns.
pub fn sorted(rows: &RecordBatch, columns: &[&str]) -> Result<RecordBatch> {
    let schema = rows.schema();
    let columns = columns.iter().map(|name| {
        Ok(SortColumn {
            values: Arc::clone(rows.column(schema.index_of(name)?)),
            options: None,
        })
    });
    let columns: Vec<SortColumn> = columns.collect::<Result<_>>()?;
    let indices = lexsort_to_indices(&columns, None)?;
    Ok(take_record_batch(rows, &indices)?)
}

/// Rows as batches of a usual size.
pub fn batches(rows: &RecordBatch) -> Vec<RecordBatch> {
    let starts = (0..rows.num_rows()).step_by(BATCH);
    starts
        .map(|start| rows.slice(start, BATCH.min(rows.num_rows() - start)))
        .collect()
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::TimestampMillisecondType;

    use super::*;

    #[test]
    fn a_file_has_every_row_once_and_out_of_order() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let size = Size { rows: 20_000 };
        let path = directory.path().join("rows.parquet");
        write_rows(&path, size)?;
        let rows = read(&path)?;
        let numbers: Vec<usize> = (0..size.rows).collect();
        let in_order = batch(&numbers)?;
        assert_ne!(rows, in_order);
        assert_eq!(sorted(&rows, &["ts", "host"])?, in_order);
        let by_host = sorted(&rows, &["host", "ts"])?;
        let stamps = by_host.column(1).as_primitive::<TimestampMillisecondType>();
        assert_eq!((stamps.value(0), stamps.value(1)), (stamp(0), stamp(1)));
        assert_eq!(batches(&rows).len(), 3);
        Ok(())
    }

    #[test]
    fn too_few_rows_are_refused() {
        assert!(Size::new(LEAST_ROWS - 1).is_err());
        assert_eq!(
            Size::new(LEAST_ROWS + 1).map(|size| size.rows % HOSTS).ok(),
            Some(0)
        );
    }
}
