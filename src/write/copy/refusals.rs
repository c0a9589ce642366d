//! Rows that a COPY with `ON_ERROR skip` leaves out: each goes to a file, with its line, the reason and its text.
//!
//! What is wrong with a row by itself is a reason: a field that cannot be read, a NULL where none may be, a text that is
//! too long, a key that cannot be. That another row has its key is none: such a row is an error as always, or REPLACE.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;

use super::super::row_ids::completed_somehow;
use super::files::SourceFile;
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::row::RowWriter;
use crate::store::check_outside;

/// The names of the file's columns, by which one that was written before is known.
const HEADER: [&str; 4] = ["file", "line", "reason", "text"];

/// What was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// How many rows.
    pub rows: u64,
    /// The file that has them.
    pub file: PathBuf,
}

/// Rows of a file, some of which may be wrong.
pub(super) struct Batch {
    pub(super) rows: RecordBatch,
    /// What errors call each row.
    pub(super) numbers: Vec<u64>,
    /// The line on which each starts, its text, and what is wrong with it.
    pub(super) records: Vec<Record>,
}

/// A row as the file has it.
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) problem: Option<String>,
}

/// The file of the rows that are left out. It is made when there is one.
pub(super) struct Refusals {
    path: PathBuf,
    writer: RowWriter,
    file: Option<::csv::Writer<File>>,
    rows: u64,
}

impl Refusals {
    /// Those of rows that `writer` encodes. A file of an earlier COPY is removed.
    ///
    /// # Errors
    /// `InvalidInput` where there is another file of that name, or there can be none.
    pub(super) fn new(path: &Path, writer: RowWriter) -> Result<Self> {
        check_outside(path)?;
        if let Ok(text) = fs::read(path) {
            let header = HEADER.join(",");
            if !text.starts_with(header.as_bytes()) {
                return Err(Error::invalid(format!(
                    "`{}`, which is to take the rows that are left out, is there already: name another by REJECTS",
                    path.display()
                )));
            }
            fs::remove_file(path).map_err(|error| unwritable(path, error))?;
        }
        Ok(Self {
            path: path.to_owned(),
            writer,
            file: None,
            rows: 0,
        })
    }

    /// The rows of a batch that can be written, and what errors call them; the others go to the file.
    ///
    /// # Errors
    /// `Unavailable` where the file cannot be written.
    pub(super) fn sort_out(
        &mut self,
        source: &SourceFile,
        mut batch: Batch,
    ) -> Result<(RecordBatch, Vec<u64>)> {
        let read = kept(&batch.records);
        if self.try_encode(&filtered(&batch.rows, &read)?).is_err() {
            for (row, record) in batch.records.iter_mut().enumerate() {
                if record.problem.is_none()
                    && let Err(problem) = self.try_encode(&batch.rows.slice(row, 1))
                {
                    record.problem = Some(problem.error.to_string());
                }
            }
        }
        for record in &batch.records {
            if let Some(problem) = &record.problem {
                self.add(source, record, problem)?;
            }
        }
        let kept = kept(&batch.records);
        let numbers = batch.numbers.into_iter().zip(kept.values().iter());
        let numbers = numbers.filter_map(|(number, is_kept)| is_kept.then_some(number));
        Ok((filtered(&batch.rows, &kept)?, numbers.collect()))
    }

    /// Encodes rows for nothing but what is wrong with them; a hidden column is never wrong.
    fn try_encode(&self, rows: &RecordBatch) -> Result<(), RowError> {
        let completed = completed_somehow(rows, self.writer.table())?;
        let rows = completed.as_ref().unwrap_or(rows);
        self.writer.encode(rows).map(drop)
    }

    fn add(&mut self, source: &SourceFile, record: &Record, problem: &str) -> Result<()> {
        let path = &self.path;
        let failed = |error| unwritable(path, error);
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = File::create_new(path).map_err(|error| unwritable(path, error))?;
                let file = none.insert(::csv::Writer::from_writer(file));
                file.write_record(HEADER).map_err(failed)?;
                file
            }
        };
        let line = record.line.to_string();
        let source = source.to_string();
        let fields = [source.as_str(), &line, problem, &record.text];
        file.write_record(fields).map_err(failed)?;
        self.rows += 1;
        Ok(())
    }

    /// What was left out, if anything was.
    ///
    /// # Errors
    /// `Unavailable` where the file cannot be written.
    pub(super) fn finish(self) -> Result<Option<Refused>> {
        let Some(mut file) = self.file else {
            return Ok(None);
        };
        file.flush()
            .map_err(|error| unwritable(&self.path, error))?;
        Ok(Some(Refused {
            rows: self.rows,
            file: self.path,
        }))
    }
}

fn unwritable(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::unavailable(format!("`{}` cannot be written: {error}", path.display()))
        .with_source(error)
}

fn kept(records: &[Record]) -> BooleanArray {
    let kept = records.iter().map(|record| record.problem.is_none());
    BooleanArray::from(kept.collect::<Vec<bool>>())
}

fn filtered(rows: &RecordBatch, kept: &BooleanArray) -> Result<RecordBatch> {
    filter_record_batch(rows, kept)
        .map_err(|error| Error::internal("rows of a file, some left out").with_source(error))
}
