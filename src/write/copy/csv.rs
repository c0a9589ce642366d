//! CSV files.

use std::io::{self, BufRead};
use std::sync::Arc;

use ::csv::{ByteRecord, Reader, ReaderBuilder};
use arrow::array::{ArrayRef, RecordBatch};

use super::field::{FieldReader, field_reader};
use super::files::SourceFile;
use super::lines::Lines;
use super::{BATCH_BYTES, BATCH_ROWS, CopyOptions, Feed, Progress, Waiting, match_columns};
use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::write::ROW_BYTES;
use crate::write::row_label::number_in_file;

/// The bytes that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// At most so many characters of a field are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// Feeds the rows of a CSV file to a statement, each numbered by the line on which it starts.
pub(super) fn load(
    feed: &Feed,
    source: &SourceFile,
    options: &CopyOptions,
    waiting: &Waiting,
) -> Result<()> {
    let table = Arc::clone(feed.table());
    let mut file = CsvFile::open(&table, source, options, feed.progress())?;
    while let Some((rows, lines)) = file.next_batch()? {
        waiting.check()?;
        feed.add_numbered(rows, lines)?;
    }
    Ok(())
}

struct CsvFile<'a> {
    table: &'a BoundTable,
    source: &'a SourceFile,
    reader: Reader<Lines<Box<dyn BufRead + Send>>>,
    record: ByteRecord,
    null: Option<&'a str>,
    /// For each field of a record the position of its column in the table.
    columns: Vec<usize>,
    /// The columns in table order.
    fields: Vec<Box<dyn FieldReader>>,
}

impl<'a> CsvFile<'a> {
    fn open(
        table: &'a BoundTable,
        source: &'a SourceFile,
        options: &'a CopyOptions,
        progress: &Progress,
    ) -> Result<Self> {
        let delimiter = options.delimiter_byte()?;
        let mut bytes = source.unpacked(progress)?;
        let start = bytes.fill_buf().map_err(|error| source.unreadable(error))?;
        if start.starts_with(BYTE_ORDER_MARK) {
            bytes.consume(BYTE_ORDER_MARK.len());
        }
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(Lines::new(
                bytes,
                delimiter,
                options.row_bytes.unwrap_or(ROW_BYTES),
            ));
        let mut file = Self {
            table,
            source,
            reader,
            record: ByteRecord::new(),
            null: options.null.as_deref(),
            columns: (0..table.columns().len()).collect(),
            fields: table
                .columns()
                .iter()
                .map(|column| field_reader(&column.sql_type))
                .collect(),
        };
        if options.header == Some(true) {
            file.read_header()?;
        }
        Ok(file)
    }

    fn read_header(&mut self) -> Result<()> {
        let Some(line) = self.next_record()? else {
            return Err(Error::invalid(format!(
                "`{}` is empty, a header was expected",
                self.source
            )));
        };
        let names: Result<Vec<&str>, _> = self.record.iter().map(std::str::from_utf8).collect();
        let names = names.map_err(|_| self.at(line, "the header is not UTF-8"))?;
        let columns = match_columns(self.table, &names);
        self.columns = columns.map_err(|error| error.context(self.place(line)))?;
        Ok(())
    }

    /// Reads the next record and says on which line it starts.
    fn next_record(&mut self) -> Result<Option<u64>> {
        let found = self.reader.read_byte_record(&mut self.record);
        if !found.map_err(|error| self.source.unreadable(reason(error)))? {
            return Ok(None);
        }
        let lines = self.reader.get_mut();
        let line = lines.next_start();
        match lines.open_quote() {
            None => Ok(Some(line)),
            Some(quote) => Err(self.at(quote, "a quote is opened and never closed")),
        }
    }

    /// The next rows, and the line on which each starts.
    fn next_batch(&mut self) -> Result<Option<(RecordBatch, Vec<u64>)>> {
        let (mut lines, mut text_bytes) = (Vec::new(), 0);
        while lines.len() < BATCH_ROWS && text_bytes < BATCH_BYTES {
            let Some(line) = self.next_record()? else {
                break;
            };
            if let Err(problem) = self.read_fields() {
                return Err(self.at(line, &format!("{problem}{}", self.header_hint())));
            }
            lines.push(number_in_file(self.source.index, line));
            text_bytes += self.record.as_slice().len();
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let arrays: Vec<ArrayRef> = self.fields.iter_mut().map(|field| field.finish()).collect();
        let batch = RecordBatch::try_from_iter_with_nullable(
            self.table
                .columns()
                .iter()
                .zip(arrays)
                .map(|(column, array)| (&column.name, array, true)),
        );
        let batch = batch
            .map_err(|error| Error::internal("columns of a file as a batch").with_source(error))?;
        Ok(Some((batch, lines)))
    }

    fn read_fields(&mut self) -> Result<(), String> {
        if self.record.len() != self.columns.len() {
            return Err(format!(
                "table `{}` has {} columns, the line has {} fields",
                self.table.name(),
                self.columns.len(),
                self.record.len()
            ));
        }
        for ((place, position), bytes) in self.columns.iter().enumerate().zip(&self.record) {
            let (Some(column), Some(field)) = (
                self.table.columns().get(*position),
                self.fields.get_mut(*position),
            ) else {
                continue;
            };
            let context = |problem: &str| {
                format!(
                    "table `{}`: column `{}`: {problem}",
                    self.table.name(),
                    column.name
                )
            };
            let text = std::str::from_utf8(bytes).map_err(|_| context("the field is not UTF-8"))?;
            let empty_text =
                column.sql_type.is_text() && self.reader.get_mut().is_quoted_empty(place);
            if is_null(text, self.null, empty_text) {
                field.push_null();
            } else {
                field
                    .push(text)
                    .map_err(|problem| context(&complaint(text, &problem)))?;
            }
        }
        Ok(())
    }

    /// What to say of a record that cannot be read because it holds the names of columns.
    fn header_hint(&self) -> &'static str {
        let is_name = |field: &[u8]| {
            let mut columns = self.table.columns().iter();
            columns.any(|column| column.name.as_bytes().eq_ignore_ascii_case(field))
        };
        match self.record.iter().all(is_name) {
            true => "; the line names columns: say HEADER",
            false => "",
        }
    }

    fn place(&self, line: u64) -> String {
        format!("{} line {line}", self.source)
    }

    fn at(&self, line: u64, problem: &str) -> Error {
        Error::invalid(problem).context(self.place(line))
    }
}

/// A field is NULL exactly when it is the NULL string; without one, when it is empty and no `""` of a text column.
fn is_null(text: &str, null: Option<&str>, empty_text: bool) -> bool {
    match null {
        Some(null) => text == null,
        None => text.is_empty() && !empty_text,
    }
}

fn complaint(text: &str, problem: &str) -> String {
    let cut = text
        .char_indices()
        .nth(SHOWN_CHARACTERS)
        .map(|(end, _)| end);
    let shown = cut
        .and_then(|end| text.get(..end))
        .unwrap_or(text)
        .escape_debug();
    let more = if cut.is_some() { "…" } else { "" };
    let hint = match text {
        "NULL" | "null" | "NA" | "\\N" => "; say NULL '…' where a text stands for NULL",
        _ => "",
    };
    format!("'{shown}{more}' {problem}{hint}")
}

/// What was wrong with the bytes beneath the reader, which knows nothing else to be wrong.
fn reason(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
