//! `COPY t FROM 'file'`: CSV, JSON, Parquet and Arrow, all or nothing.
//!
//! The name may be a pattern, `'data/*.csv'`: its files are one statement, read in the order of their names. CSV files may
//! be compressed by gzip or Zstandard. Errors name the file and its line, that of the unpacked text.
//!
//! Columns are found by name: those of a Parquet or an Arrow file, of a CSV file with a header, of JSON objects; without a header they
//! are the table's, in its order. The file must give every column, each once, and no other; or those of a list, and the
//! others have their DEFAULT. A value that a column cannot hold exactly is an error that names file, line or row, column and value;
//! nothing is rounded, cut or taken for NULL.

mod arrow_file;
pub mod checksum;
mod csv;
mod dialect;
mod files;
mod guess;
mod json;
mod json_guess;
mod lines;
mod objects;
mod options;
mod parquet;
mod plain;
mod records;
mod refusals;
mod rows;
mod shape;
mod table_rows;
mod text_rows;

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;

pub use self::dialect::delimiter_byte;
use self::files::SourceFile;
pub use self::files::{check_matches, files_matching, files_within, keep_standard_input};
pub use self::options::{
    CopyDirection, CopyOptions, FORMATS, FileCompression, FileFormat, FileKind, FormatDeclaration,
    InlineRows, OptionWords, Reads, STANDARD, listed,
};
use self::refusals::Refusals;
pub use self::refusals::Refused;
pub use self::rows::{ArrowRows, CsvRows, FileRows, JsonRows, NamedRows};
pub use self::shape::ColumnTypes;
use super::cancel::{Waiter, Waiting};
use super::execute::commit;
use super::feed::Feed;
use super::filled::Filled;
use super::{Change, Progress, RowLabels, TableWriter, WriteSet, WriteSettings};
use crate::convert::shown::quoted;
pub use crate::convert::text::Spelling;
use crate::error::{Error, Nameable, Result};
use crate::schema::{BoundTable, Column};

/// How many rows are handed on at once at most.
const BATCH_ROWS: usize = 8_192;
/// No row is added to those that are handed on at once when they have so many bytes, or about that: several such batches
/// are in memory at a time, whatever [`WriteSettings::memory`] says.
const BATCH_BYTES: usize = 1 << 20;

/// Inserts the rows of the files that a pattern names into a table: all or none of them, or all that can be read.
/// `filled` are columns that no file gives, and that are not NULL all the same.
/// `progress` says how far it is.
///
/// # Errors
/// `InvalidInput` that names file, line and column where a file does not fit the table; `Conflict` for a key that is
/// there already; else those of [`WriteSet::commit`].
pub async fn copy_from(
    writer: Arc<TableWriter>,
    pattern: String,
    mut options: CopyOptions,
    filled: Vec<Filled>,
    settings: WriteSettings,
    progress: Progress,
) -> Result<Copied> {
    options.row_bytes.get_or_insert(settings.row_bytes);
    let waiter = Waiter::default();
    let waiting = waiter.waiting();
    let reader = Arc::clone(&writer);
    let read = SpawnedTask::spawn_blocking(move || {
        let files = files::find(&pattern, &options)?;
        let given = given_columns(reader.table(), options.columns.as_deref())?;
        let change = if options.replace {
            Change::Replace
        } else {
            Change::Insert
        };
        let mut write_set = reader.write_set(change, settings, row_labels(&files))?;
        files
            .iter()
            .for_each(|file| progress.expect_bytes(file.length()));
        write_set.report_to(progress);
        let feed = Feed::start(write_set, filled)?;
        let mut refusals = refusals(&feed, &files, &options)?;
        let read = load(&feed, &files, &options, &given, refusals.as_mut(), &waiting);
        let write_set = feed.finish(read)?;
        let refused = refusals.map(Refusals::finish).transpose()?.flatten();
        Ok((write_set, refused))
    });
    let failed =
        |error| Error::internal("the thread that reads the file has failed").with_source(error);
    let read: Result<(WriteSet, Option<Refused>)> = read.join().await.map_err(failed)?;
    let (write_set, refused) = read?;
    drop(waiter);
    let guard = writer.lock().acquire().await;
    let rows = commit(write_set, guard).await?;
    Ok(Copied { rows, refused })
}

/// What a COPY … FROM has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many rows were written.
    pub rows: u64,
    /// What was left out, where that was asked for.
    pub refused: Option<Refused>,
}

/// Where rows go that are left out, if they are.
fn refusals(feed: &Feed, files: &[SourceFile], options: &CopyOptions) -> Result<Option<Refusals>> {
    if !options.skip {
        return Ok(None);
    }
    if let Some(other) = files
        .iter()
        .find(|file| file.kind.format != FileFormat::Csv)
    {
        return Err(Error::unsupported(format!(
            "ON_ERROR skip is for csv files, and `{other}` is none"
        )));
    }
    let beside = match (&options.rejects, files.first()) {
        (Some(path), _) => PathBuf::from(path),
        (None, Some(file)) if !file.is_standard() => PathBuf::from(format!("{file}.rejected.csv")),
        _ => {
            return Err(Error::invalid(
                "ON_ERROR skip of STDIN needs REJECTS 'file', which takes the rows that are left out",
            ));
        }
    };
    Refusals::new(&beside, feed.rows().clone()).map(Some)
}

fn load(
    feed: &Feed,
    files: &[SourceFile],
    options: &CopyOptions,
    given: &[usize],
    mut refusals: Option<&mut Refusals>,
    waiting: &Waiting,
) -> Result<()> {
    for file in files {
        match file.kind.format {
            FileFormat::Parquet => parquet::load(feed, file, given, waiting)?,
            FileFormat::Arrow => arrow_file::load(feed, file, given, waiting)?,
            FileFormat::Csv => {
                csv::load(feed, file, options, given, refusals.as_deref_mut(), waiting)?
            }
            FileFormat::JsonLines => json::load(feed, file, options, given, waiting)?,
        }
    }
    Ok(())
}

/// What errors call the rows of the files.
fn row_labels(files: &[SourceFile]) -> RowLabels {
    let label = |file: &SourceFile| match file.kind.format {
        FileFormat::Parquet | FileFormat::Arrow => format!("{file} row"),
        FileFormat::Csv | FileFormat::JsonLines => format!("{file} line"),
    };
    RowLabels::of_files(files.iter().map(label).collect())
}

/// The positions of the columns that the files give: those of the list, or all. The others have their DEFAULT, or NULL.
///
/// # Errors
/// `InvalidInput` for a column that the table does not have, or that stands twice in the list, and for one that is left
/// out, cannot be NULL and has no DEFAULT.
fn given_columns(table: &BoundTable, list: Option<&[String]>) -> Result<Vec<usize>> {
    let Some(list) = list else {
        let given = table.columns().iter().enumerate();
        let given = given.filter(|(_, column)| column.generated.is_none());
        return Ok(given.map(|(position, _)| position).collect());
    };
    let mut given = Vec::with_capacity(list.len());
    for name in list {
        let position = table.table().column_position(name).ok_or_else(|| {
            Error::invalid(format!("table `{}` has no column `{name}`", table.name()))
        })?;
        table.refuse_generated(position)?;
        if given.contains(&position) {
            return Err(Error::invalid(format!("column `{name}` is named twice")));
        }
        given.push(position);
    }
    let columns = table.columns().iter().enumerate();
    let mut left_out = columns.filter(|(position, _)| !given.contains(position));
    let has_nothing = |column: &Column| {
        !column.nullable && column.default_text().is_none() && column.generated.is_none()
    };
    match left_out.find(|(_, column)| has_nothing(column)) {
        None => Ok(given),
        Some((_, column)) => Err(Error::invalid(format!(
            "table `{}`: column `{}` is not in the list, is NOT NULL and has no DEFAULT",
            table.name(),
            column.name
        ))),
    }
}

/// For each column of a file its position in the table, found by name, case apart, among those that are given.
///
/// # Errors
/// `InvalidInput` for a column that is not given, and for one that the file does not have or has twice.
fn match_columns(table: &BoundTable, given: &[usize], names: &[&str]) -> Result<Vec<usize>> {
    let columns = given
        .iter()
        .filter_map(|position| table.columns().get(*position));
    let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    let mut positions: Vec<usize> = Vec::with_capacity(names.len());
    for name in names {
        let folded = name.to_lowercase();
        let place = columns
            .iter()
            .position(|column| column.to_lowercase() == folded);
        let Some(position) = place.and_then(|place| given.get(place)) else {
            let mut all = table.columns().iter();
            let at = all.position(|column| column.name.to_lowercase() == folded);
            if let Some(position) = at {
                table.refuse_generated(position)?;
            }
            let has = if given.len() == table.columns().len() {
                format!(
                    "that table `{}` does not have; its columns are",
                    table.name()
                )
            } else {
                "that is not in the list; in it are".to_owned()
            };
            let name = name.escape_debug().to_string();
            let others = columns.iter().map(|column| (*column).to_owned());
            return Err(Error::invalid(format!(
                "the file has a column `{name}` {has} {}",
                quoted(columns.iter().copied())
            ))
            .of_missing(Nameable::Column, &name, others));
        };
        if positions.contains(position) {
            return Err(Error::invalid(format!(
                "the file has the column `{name}` twice"
            )));
        }
        positions.push(*position);
    }
    let missing = given.iter().zip(&columns);
    let missing = missing.filter(|(position, _)| !positions.contains(position));
    match quoted(missing.map(|(_, name)| *name)) {
        missing if missing.is_empty() => Ok(positions),
        missing => Err(Error::invalid(format!(
            "the file lacks columns of table `{}`: {missing}",
            table.name()
        ))),
    }
}

#[cfg(test)]
mod law;
#[cfg(test)]
mod option_tests;
#[cfg(test)]
#[path = "copy_tests.rs"]
pub(super) mod tests;
