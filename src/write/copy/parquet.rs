//! Parquet files.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use datafusion::parquet::arrow::arrow_reader::{
    ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use super::checksum;
use super::files::SourceFile;
use super::table_rows::TableRows;
use super::{BATCH_BYTES, BATCH_ROWS, Feed, Progress, Waiting};
use crate::error::{Error, Result};

/// Feeds the rows of a Parquet file to a statement, counted from 1.
///
/// # Errors
/// Those of the file; of one that is damaged so that its reader breaks off, that.
pub(super) fn load(
    feed: &Feed,
    source: &SourceFile,
    given: &[usize],
    waiting: &Waiting,
) -> Result<()> {
    let load = AssertUnwindSafe(|| load_rows(feed, source, given, waiting));
    catch_unwind(load).unwrap_or_else(|_| {
        let message = format!("`{source}` is no readable Parquet file: it is damaged");
        Err(Error::invalid(message))
    })
}

fn load_rows(feed: &Feed, source: &SourceFile, given: &[usize], waiting: &Waiting) -> Result<()> {
    let unreadable =
        |error: String| Error::invalid(format!("`{source}` is no readable Parquet file: {error}"));
    let file = source.open()?;
    checksum::check(&source.path)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| unreadable(error.to_string()))?;
    let mut rows = TableRows::new(feed, source, given, builder.schema())?;
    let mut bytes = Bytes::of(&builder, source, feed.progress());
    let batches = batches(builder).map_err(|error| unreadable(error.to_string()))?;
    for batch in batches {
        waiting.check()?;
        let batch = batch.map_err(|error| unreadable(error.to_string()))?;
        bytes.count(batch.num_rows());
        rows.feed(&batch)?;
    }
    Ok(())
}

/// The rows of a file, so many at once as take about [`BATCH_BYTES`].
fn batches(
    builder: ParquetRecordBatchReaderBuilder<File>,
) -> Result<ParquetRecordBatchReader, ParquetError> {
    let groups = builder.metadata().row_groups().iter();
    let row_bytes = groups.map(row_bytes).max().unwrap_or_default();
    let rows = BATCH_BYTES / row_bytes.max(1);
    builder.with_batch_size(rows.clamp(1, BATCH_ROWS)).build()
}

/// The bytes of a row of the group, on average.
fn row_bytes(group: &RowGroupMetaData) -> usize {
    let all: i64 = group.columns().iter().map(column_bytes).sum();
    let row = all / group.num_rows().max(1);
    usize::try_from(row).unwrap_or_default()
}

/// The bytes of a column's values. Of text that is repeated in the rows a file may hold less, in a dictionary; what it is
/// then, the file says if its writer did.
fn column_bytes(column: &ColumnChunkMetaData) -> i64 {
    let unencoded = column.unencoded_byte_array_data_bytes();
    unencoded
        .unwrap_or_default()
        .max(column.uncompressed_size())
}

/// The bytes of a file, counted by its rows: a reader goes to and fro in it.
struct Bytes {
    progress: Progress,
    all: u64,
    rows: u64,
    rows_read: u64,
}

impl Bytes {
    fn of(
        file: &ParquetRecordBatchReaderBuilder<File>,
        source: &SourceFile,
        progress: &Progress,
    ) -> Self {
        let rows = file.metadata().file_metadata().num_rows();
        Self {
            progress: progress.clone(),
            all: source.length(),
            rows: u64::try_from(rows).unwrap_or_default(),
            rows_read: 0,
        }
    }

    fn count(&mut self, rows: usize) {
        let before = self.read();
        self.rows_read += rows as u64;
        self.progress.read_bytes(self.read() - before);
    }

    fn read(&self) -> u64 {
        let part = u128::from(self.all) * u128::from(self.rows_read);
        let read = part / u128::from(self.rows.max(1));
        u64::try_from(read).map_or(self.all, |read| read.min(self.all))
    }
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
