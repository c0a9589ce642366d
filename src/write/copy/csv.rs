//! CSV files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use csv::{ByteRecord, Reader, ReaderBuilder};

use super::field::{FieldReader, field_reader};
use super::lines::Lines;
use super::{
    BATCH_ROWS, CopyOptions, Counted, FILE, Feed, Progress, Waiting, match_columns, number_in_file,
    open_counted,
};
use crate::error::{Error, Result};
use crate::schema::BoundTable;

/// The bytes that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// At most so many characters of a field are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// Feeds the rows of a CSV file to a statement, each numbered by the line on which it starts.
pub(super) fn load(
    feed: &Feed,
    path: &Path,
    options: &CopyOptions,
    waiting: &Waiting,
) -> Result<()> {
    let table = Arc::clone(feed.table());
    let mut file = CsvFile::open(&table, path, options, feed.progress())?;
    while let Some((rows, lines)) = file.next_batch()? {
        waiting.check()?;
        feed.add_numbered(rows, lines)?;
    }
    Ok(())
}

struct CsvFile<'a> {
    table: &'a BoundTable,
    path: &'a Path,
    reader: Reader<Lines<BufReader<Counted<File>>>>,
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
        path: &'a Path,
        options: &'a CopyOptions,
        progress: &Progress,
    ) -> Result<Self> {
        let delimiter = delimiter(options)?;
        let mut bytes = BufReader::with_capacity(1 << 16, open_counted(path, progress)?);
        let start = bytes.fill_buf().map_err(|error| unreadable(path, error))?;
        if start.starts_with(BYTE_ORDER_MARK) {
            bytes.consume(BYTE_ORDER_MARK.len());
        }
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(Lines::new(bytes, delimiter));
        let mut file = Self {
            table,
            path,
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
                self.path.display()
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
        if !found.map_err(|error| unreadable(self.path, error))? {
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
        let mut lines = Vec::new();
        while lines.len() < BATCH_ROWS {
            let Some(line) = self.next_record()? else {
                break;
            };
            if let Err(problem) = self.read_fields() {
                return Err(self.at(line, &format!("{problem}{}", self.header_hint())));
            }
            lines.push(number_in_file(FILE, line));
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
        for (position, bytes) in self.columns.iter().zip(&self.record) {
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
            if is_null(text, self.null) {
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
        format!("{} line {line}", self.path.display())
    }

    fn at(&self, line: u64, problem: &str) -> Error {
        Error::invalid(problem).context(self.place(line))
    }
}

/// A field is NULL exactly when it is the NULL string; without one, when it is empty.
fn is_null(text: &str, null: Option<&str>) -> bool {
    text == null.unwrap_or_default()
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

fn delimiter(options: &CopyOptions) -> Result<u8> {
    let delimiter = options.delimiter.unwrap_or(',');
    let possible = delimiter.is_ascii() && !matches!(delimiter, '"' | '\n' | '\r' | '\0');
    match u8::try_from(delimiter) {
        Ok(byte) if possible => Ok(byte),
        _ => Err(Error::invalid(format!(
            "DELIMITER {delimiter:?} is not possible: one ASCII character is, other than a quote and an end of line"
        ))),
    }
}

fn unreadable(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::unavailable(format!("`{}` cannot be read: {error}", path.display())).with_source(error)
}
