//! `COPY t FROM 'file'`: CSV and Parquet, all or nothing.
//!
//! The name may be a pattern, `'data/*.csv'`: its files are one statement, read in the order of their names. CSV files may
//! be compressed by gzip or Zstandard. Errors name the file and its line, that of the unpacked text.
//!
//! Columns are found by name: those of a Parquet file, and of a CSV file with a header; without one they are the
//! table's, in its order. The file must give every column, each once, and no other. A value that a column cannot hold
//! exactly is an error that names file, line or row, column and value; nothing is rounded, cut or taken for NULL.

pub mod checksum;
mod csv;
mod field;
mod files;
mod lines;
pub(super) mod lossless;
mod options;
mod parquet;
mod time;

use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;

pub use self::field::values_of_texts;
use self::files::SourceFile;
pub use self::files::{check_matches, check_rows, files_matching};
pub use self::options::{
    CopyDirection, CopyOptions, FORMATS, FileCompression, FileFormat, FileKind, FormatDeclaration,
    listed,
};
use super::execute::commit;
use super::feed::Feed;
use super::wanted::{Waiter, Waiting};
use super::{Change, Progress, RowLabels, TableWriter, WriteSet, WriteSettings};
use crate::error::{Error, Result};
use crate::schema::BoundTable;

/// How many rows are handed on at once at most.
const BATCH_ROWS: usize = 8_192;
/// No row is added to those that are handed on at once when they have so many bytes, or about that: several such batches
/// are in memory at a time, whatever [`WriteSettings::memory`] says.
const BATCH_BYTES: usize = 1 << 20;

/// Inserts the rows of the files that a pattern names into a table, all or none of them, and returns their number.
/// `progress` says how far it is.
///
/// # Errors
/// `InvalidInput` that names file, line and column where a file does not fit the table; `Conflict` for a key that is
/// there already; else those of [`WriteSet::commit`].
pub async fn copy_from(
    writer: Arc<TableWriter>,
    pattern: String,
    mut options: CopyOptions,
    settings: WriteSettings,
    progress: Progress,
) -> Result<u64> {
    options.row_bytes.get_or_insert(settings.row_bytes);
    let waiter = Waiter::default();
    let waiting = waiter.waiting();
    let reader = Arc::clone(&writer);
    let read = SpawnedTask::spawn_blocking(move || {
        let files = files::find(&pattern, &options)?;
        let mut write_set = reader.write_set(Change::Insert, settings, row_labels(&files))?;
        files
            .iter()
            .for_each(|file| progress.expect_bytes(file.length()));
        write_set.report_to(progress);
        let feed = Feed::start(write_set)?;
        let read = load(&feed, &files, &options, &waiting);
        feed.finish(read)
    });
    let failed =
        |error| Error::internal("the thread that reads the file has failed").with_source(error);
    let write_set: Result<WriteSet> = read.join().await.map_err(failed)?;
    let write_set = write_set?;
    drop(waiter);
    let guard = writer.lock().acquire().await;
    Ok(commit(write_set, guard).await?)
}

fn load(feed: &Feed, files: &[SourceFile], options: &CopyOptions, waiting: &Waiting) -> Result<()> {
    for file in files {
        match file.kind.format {
            FileFormat::Parquet => parquet::load(feed, file, waiting)?,
            FileFormat::Csv | FileFormat::JsonLines => csv::load(feed, file, options, waiting)?,
        }
    }
    Ok(())
}

/// What errors call the rows of the files.
fn row_labels(files: &[SourceFile]) -> RowLabels {
    let label = |file: &SourceFile| match file.kind.format {
        FileFormat::Parquet => format!("{file} row"),
        FileFormat::Csv | FileFormat::JsonLines => format!("{file} line"),
    };
    RowLabels::of_files(files.iter().map(label).collect())
}

/// For each column of a file its position in the table, found by name, case apart.
///
/// # Errors
/// `InvalidInput` for a column that the table does not have, and for one of the table's that the file does not have or
/// has twice.
fn match_columns(table: &BoundTable, names: &[&str]) -> Result<Vec<usize>> {
    let mut positions: Vec<usize> = Vec::with_capacity(names.len());
    for name in names {
        let mut columns = table.columns().iter();
        let folded = name.to_lowercase();
        let Some(position) = columns.position(|column| column.name.to_lowercase() == folded) else {
            return Err(Error::invalid(format!(
                "the file has a column `{}` that table `{}` does not have; its columns are {}",
                name.escape_debug(),
                table.name(),
                quoted(table.columns().iter().map(|column| column.name.as_str()))
            )));
        };
        if positions.contains(&position) {
            return Err(Error::invalid(format!(
                "the file has the column `{name}` twice"
            )));
        }
        positions.push(position);
    }
    let columns = table.columns().iter().enumerate();
    let missing = columns
        .filter(|(position, _)| !positions.contains(position))
        .map(|(_, column)| column.name.as_str());
    match quoted(missing) {
        missing if missing.is_empty() => Ok(positions),
        missing => Err(Error::invalid(format!(
            "the file lacks columns of table `{}`: {missing}",
            table.name()
        ))),
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
#[path = "copy_tests.rs"]
pub(super) mod tests;
