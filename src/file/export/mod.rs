//! `COPY … TO 'file'`: rows into a file, which is there when it is complete.
//!
//! The rows go to a file of another name beside the target, which takes the target's name when all are written
//! (`part_file`). A statement that fails or is cancelled leaves nothing behind, and what was there before stays. What is
//! no plain file (a pipe, a device) or open already (`/dev/stdout`) is written to as it is: [`open_already`].
//!
//! Each format is one struct behind `Sheet`, made by `begin`. What csv and jsonl spell is in [`text`] and [`json`];
//! the shell's formats use the same. What is written, `COPY … FROM` with the same options reads back as the same values, or
//! it is not written: a text that would read as NULL is an error.

mod arrow_file;
mod csv;
pub mod json;
pub mod open_already;
mod output;
mod parquet;
mod part_file;
mod partitioned;
pub mod text;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;
use tokio::sync::mpsc::{Receiver, channel};

use self::output::Output;
use self::part_file::PartFile;
use crate::error::{Error, Result};
use crate::write::copy::{CopyDirection, CopyOptions, FileFormat, FileKind, delimiter_byte};

/// How many batches may wait to be written.
const WAITING_BATCHES: usize = 2;

/// A file to write, and how.
pub(crate) struct Target {
    path: PathBuf,
    kind: FileKind,
    options: CopyOptions,
    /// The columns whose values are directories; none: it is one file.
    partition_by: Vec<String>,
}

impl Target {
    /// The file with this name.
    ///
    /// # Errors
    /// As [`CopyOptions::kind_of`]; `InvalidInput` for a delimiter that is none.
    pub(crate) fn new(
        name: &str,
        options: &CopyOptions,
        partition_by: Vec<String>,
    ) -> Result<Self> {
        let path = PathBuf::from(name);
        let mut options = options.clone();
        if !partition_by.is_empty() {
            let format = *options.format.get_or_insert(FileFormat::Parquet);
            if format != FileFormat::Parquet {
                return Err(Error::unsupported("PARTITION_BY is for parquet files"));
            }
        }
        let kind = options.kind_of(&path, CopyDirection::To)?;
        // By the name that was given, whatever the file is called while it is written.
        options.delimiter = Some(char::from(delimiter_byte(&options, &path)?));
        Ok(Self {
            path,
            kind,
            options,
            partition_by,
        })
    }
}

/// Rows being written in some format.
trait Sheet {
    /// Writes a batch; `first` is the number of its first row, counted from 1.
    ///
    /// # Errors
    /// `InvalidInput` for a value that the format cannot give back; `Unavailable` where the file cannot be written.
    fn batch(&mut self, batch: &RecordBatch, first: u64) -> Result<()>;

    /// Writes what comes after the last row, and gives the file back.
    ///
    /// # Errors
    /// `Unavailable` where the file cannot be written.
    fn finish(self: Box<Self>) -> Result<Output>;
}

fn begin(target: &Target, schema: &SchemaRef, output: Output) -> Result<Box<dyn Sheet>> {
    Ok(match target.kind.format {
        FileFormat::Csv => Box::new(csv::Csv::begin(&target.options, schema, output)?),
        FileFormat::JsonLines => Box::new(json::JsonLines::begin(schema, output)),
        FileFormat::Arrow => Box::new(arrow_file::Arrow::begin(schema, output)?),
        FileFormat::Parquet => Box::new(parquet::Parquet::begin(
            schema,
            target.kind.compression,
            output,
        )?),
    })
}

/// What the thread that writes is told. Without an end, nothing was complete.
enum Message {
    Batch(RecordBatch),
    End,
}

/// Writes the rows to the file and returns their number.
///
/// # Errors
/// Those of the rows, of [`Sheet`], and `Unavailable` or `InvalidInput` where there can be no such file.
pub(crate) async fn write(target: Target, mut rows: SendableRecordBatchStream) -> Result<u64> {
    let (sender, receiver) = channel(WAITING_BATCHES);
    let schema = rows.schema();
    let write = if target.partition_by.is_empty() {
        write_all
    } else {
        partitioned::write_all
    };
    let writer = SpawnedTask::spawn_blocking(move || write(&target, &schema, receiver));
    loop {
        let message = match rows.try_next().await {
            Ok(Some(batch)) => Message::Batch(batch),
            Ok(None) => Message::End,
            Err(error) => {
                // The writer removes its file, and that is waited for.
                drop(sender);
                let _ = writer.join().await;
                return Err(error.into());
            }
        };
        let is_end = matches!(message, Message::End);
        // If nobody receives, the writer has failed and says why.
        if sender.send(message).await.is_err() || is_end {
            break;
        }
    }
    let written = writer.join().await;
    written.map_err(|error| {
        Error::internal("the thread that writes the file has failed").with_source(error)
    })?
}

fn write_all(target: &Target, schema: &SchemaRef, mut batches: Receiver<Message>) -> Result<u64> {
    let mut file = PartFile::create(&target.path)?;
    let output = Output::new(file.take()?, &target.path, target.kind)?;
    let mut sheet = begin(target, schema, output)?;
    let mut count = 0;
    loop {
        match batches.blocking_recv() {
            Some(Message::Batch(batch)) => {
                sheet.batch(&batch, count + 1)?;
                count += batch.num_rows() as u64;
            }
            Some(Message::End) => break,
            None => return Err(Error::unavailable("the statement was cancelled")),
        }
    }
    file.complete(sheet.finish()?.finish()?)?;
    Ok(count)
}

/// The schema with every column nullable, whatever was declared, and with names that differ: of columns with the same
/// name the second is called `name_2`.
pub fn with_distinct_names(schema: &Schema) -> SchemaRef {
    let mut taken = HashSet::new();
    let fields = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{}_{number}", field.name());
            number += 1;
        }
        Field::new(name, field.data_type().clone(), true)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
