//! `COPY t FROM 'file'`: CSV and Parquet, all or nothing.
//!
//! Columns are found by name: those of a Parquet file, and of a CSV file with a header; without one they are the
//! table's, in its order. The file must give every column, each once, and no other. A value that a column cannot hold
//! exactly is an error that names file, line or row, column and value; nothing is rounded, cut or taken for NULL.

mod csv;
mod field;
mod lines;
mod lossless;
mod parquet;
mod time;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;

use super::execute::commit;
use super::feed::Feed;
use super::place::{Places, number_in_file};
use super::wanted::{Waiter, Waiting};
use super::{Change, Progress, TableWriter, WriteSettings};
use crate::error::{Error, Result};
use crate::schema::BoundTable;

/// The one file of a COPY, among its files.
const FILE: usize = 0;

/// How many rows are handed on at once.
const BATCH_ROWS: usize = 8_192;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values in UTF-8, or separated by another character.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// The options of a COPY; `None` where one is not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyOptions {
    /// `FORMAT`; else the file's extension says it.
    pub format: Option<FileFormat>,
    /// `HEADER`: whether the first line names the columns; else it does not.
    pub header: Option<bool>,
    /// `DELIMITER`: one ASCII character; else a comma.
    pub delimiter: Option<char>,
    /// `NULL`: a field is NULL exactly when it is this text. Else an empty field is NULL.
    pub null: Option<String>,
}

impl CopyOptions {
    /// The format of a file.
    ///
    /// # Errors
    /// `InvalidInput` where neither option nor extension says it, or an option belongs to another format.
    pub fn format_of(&self, path: &Path) -> Result<FileFormat> {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let format = match (self.format, extension.as_deref()) {
            (Some(format), _) => format,
            (None, Some("csv")) => FileFormat::Csv,
            (None, Some("parquet")) => FileFormat::Parquet,
            (None, _) => {
                return Err(Error::invalid(format!(
                    "the format of `{}` is not known: say (FORMAT CSV) or (FORMAT PARQUET)",
                    path.display()
                )));
            }
        };
        let of_csv = self.header.is_some() || self.delimiter.is_some() || self.null.is_some();
        if format == FileFormat::Parquet && of_csv {
            return Err(Error::invalid(
                "HEADER, DELIMITER and NULL are options of CSV files, not of Parquet files",
            ));
        }
        Ok(format)
    }
}

/// Inserts the rows of a file into a table, all or none of them, and returns their number. `progress` says how far it
/// is.
///
/// # Errors
/// `InvalidInput` that names file, line and column where the file does not fit the table; `Conflict` for a key that is
/// there already; else those of [`Statement::commit`](super::Statement::commit).
pub async fn copy_from(
    writer: Arc<TableWriter>,
    path: PathBuf,
    options: CopyOptions,
    settings: WriteSettings,
    progress: Progress,
) -> Result<u64> {
    let format = options.format_of(&path)?;
    let unit = match format {
        FileFormat::Csv => "line",
        FileFormat::Parquet => "row",
    };
    let mut statement = writer.statement(
        Change::Insert,
        settings,
        Places::of_files(vec![format!("{} {unit}", path.display())]),
    )?;
    statement.report_to(progress);
    let waiter = Waiter::default();
    let waiting = waiter.waiting();
    let read = SpawnedTask::spawn_blocking(move || {
        let feed = Feed::start(statement)?;
        let read = match format {
            FileFormat::Csv => csv::load(&feed, &path, &options, &waiting),
            FileFormat::Parquet => parquet::load(&feed, &path, &waiting),
        };
        feed.finish(read)
    });
    let failed =
        |error| Error::internal("the thread that reads the file has failed").with_source(error);
    let statement = read.join().await.map_err(failed)??;
    drop(waiter);
    let guard = writer.lock().acquire().await;
    Ok(commit(statement, guard).await?)
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| {
        Error::invalid(format!("`{}` cannot be opened: {error}", path.display())).with_source(error)
    })
}

/// Bytes that are counted as they are read.
struct Counted<R> {
    inner: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.read_bytes(count as u64);
        Ok(count)
    }
}

/// Opens a file whose bytes are counted, and adds its length to what is expected.
fn open_counted(path: &Path, progress: &Progress) -> Result<Counted<File>> {
    let inner = open(path)?;
    // What has no length, a pipe, is read all the same.
    progress.expect_bytes(inner.metadata().map_or(0, |metadata| metadata.len()));
    let progress = progress.clone();
    Ok(Counted { inner, progress })
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
                listed(table.columns().iter().map(|column| column.name.as_str()))
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
    match listed(missing) {
        missing if missing.is_empty() => Ok(positions),
        missing => Err(Error::invalid(format!(
            "the file lacks columns of table `{}`: {missing}",
            table.name()
        ))),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
#[path = "copy_tests.rs"]
pub(super) mod tests;
