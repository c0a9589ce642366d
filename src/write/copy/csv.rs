//! CSV files.

use std::io::{self, BufRead};
use std::sync::Arc;

use ::csv::{ByteRecord, ReaderBuilder};
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};

use super::dialect::CsvDialect;
use super::files::SourceFile;
use super::lines::{Lines, Stray};
use super::options::OptionWords;
use super::records::Records;
use super::refusals::{Batch, Record, Refusals};
use super::shape::Shape;
use super::text_rows::TextRows;
use super::{BATCH_BYTES, BATCH_ROWS, CopyOptions, Feed, Progress, Waiting, match_columns};
use crate::convert::text::{FieldReader, Spelling, complaint};
use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::write::ROW_BYTES;
use crate::write::row_label::number_in_file;

/// What stands for NULL in PostgreSQL's text format.
const TEXT_NULL: &str = "\\N";
/// The bytes that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Feeds the rows of a CSV file to a statement, each numbered by the line on which it starts.
pub(super) fn load(
    feed: &Feed,
    source: &SourceFile,
    options: &CopyOptions,
    given: &[usize],
    refusals: Option<&mut Refusals>,
    waiting: &Waiting,
) -> Result<()> {
    let table = Arc::clone(feed.table());
    let shape = Shape::of(&table);
    let mut file = CsvFile::open(&shape, source, options, given, feed.progress())?;
    if options.header == Some(true) {
        file.read_header(&table)?;
    }
    file.skips = refusals.is_some();
    let mut refusals = refusals;
    while let Some(batch) = file.next_batch()? {
        waiting.check()?;
        let rows = feed.fill(batch.rows)?;
        let (rows, numbers) = match &mut refusals {
            None => (rows, batch.numbers),
            Some(refusals) => refusals.sort_out(source, Batch { rows, ..batch })?,
        };
        feed.add_filled(rows, numbers)?;
    }
    Ok(())
}

/// A file that is being read.
pub(super) struct CsvFile<'a> {
    shape: &'a Shape,
    source: &'a SourceFile,
    records: Records,
    record: ByteRecord,
    null: Option<&'a str>,
    spelling: &'a Spelling,
    /// The positions of the columns that the file gives.
    given: &'a [usize],
    /// For each field of a record the position of its column in the table.
    columns: Vec<usize>,
    /// The positions of the columns that are NULL.
    absent: Vec<usize>,
    /// The positions of the columns that are read, in the order in which they are given; `None`: all.
    chosen: Option<Vec<usize>>,
    /// The columns in table order.
    fields: Vec<Box<dyn FieldReader>>,
    /// How many fields of the record were read.
    pushed: usize,
    /// What stands between fields.
    delimiter: char,
    /// What no field may have, in the record that was read.
    stray: Option<Stray>,
    /// How errors name an option.
    words: OptionWords,
    /// Whether a record that cannot be read is left out.
    skips: bool,
}

impl<'a> CsvFile<'a> {
    /// The file, from its beginning.
    pub(super) fn open(
        shape: &'a Shape,
        source: &'a SourceFile,
        options: &'a CopyOptions,
        given: &'a [usize],
        progress: &Progress,
    ) -> Result<Self> {
        let dialect = CsvDialect::of(options, &source.path)?;
        let mut bytes = source.unpacked(progress)?;
        let start = bytes.fill_buf().map_err(|error| source.unreadable(error))?;
        if start.starts_with(BYTE_ORDER_MARK) {
            bytes.consume(BYTE_ORDER_MARK.len());
        }
        let skipped = skip_lines(&mut bytes, options.skipped_lines);
        let skipped = skipped.map_err(|error| source.unreadable(error))?;
        let most = options.row_bytes.unwrap_or(ROW_BYTES);
        let line = source.first_line + skipped;
        let records = if options.is_text {
            let null = options.null.as_deref().unwrap_or(TEXT_NULL);
            Records::Text(TextRows::new(bytes, dialect.delimiter, null, line, most))
        } else {
            Records::Csv(Box::new(
                ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .delimiter(dialect.delimiter)
                    .quoting(dialect.quote.is_some())
                    .quote(dialect.quote.unwrap_or(b'"'))
                    .escape(dialect.escape)
                    .comment(dialect.comment)
                    .from_reader(Lines::new(bytes, dialect, line, most)),
            ))
        };
        Ok(Self {
            shape,
            source,
            records,
            record: ByteRecord::new(),
            null: options.null.as_deref().filter(|_| !options.is_text),
            spelling: &options.spelling,
            given,
            columns: given.to_vec(),
            absent: (0..shape.columns.len())
                .filter(|position| !given.contains(position))
                .collect(),
            chosen: None,
            fields: shape
                .columns
                .iter()
                .map(|column| column.reader(&options.spelling))
                .collect(),
            pushed: 0,
            delimiter: char::from(dialect.delimiter),
            stray: None,
            words: options.words,
            skips: false,
        })
    }

    /// Takes the fields of a record for these columns of the shape, by their positions.
    pub(super) fn order_by(&mut self, columns: Vec<usize>) {
        self.columns = columns;
    }

    /// Reads these columns alone, and gives them in this order.
    pub(super) fn choose(&mut self, columns: &[usize]) {
        self.chosen = Some(columns.to_vec());
    }

    fn read_header(&mut self, table: &BoundTable) -> Result<()> {
        let Some(line) = self.next_record()? else {
            return Err(Error::invalid(format!(
                "`{}` is empty, a header was expected",
                self.source
            )));
        };
        self.refuse_stray()?;
        let names: Result<Vec<&str>, _> = self.record.iter().map(std::str::from_utf8).collect();
        let names = names.map_err(|_| self.at(line, "the header is not UTF-8"))?;
        let columns = match_columns(table, self.given, &names);
        self.columns = columns.map_err(|error| error.at_row(self.place(line)))?;
        Ok(())
    }

    /// Reads the next record and says on which line it starts.
    pub(super) fn next_record(&mut self) -> Result<Option<u64>> {
        let found = self.records.read(&mut self.record);
        if !found.map_err(|error| self.source.unreadable(error))? {
            return Ok(None);
        }
        let line = self.records.line();
        self.stray = self.records.stray();
        #[cfg(test)]
        if crate::fault::active(crate::fault::Fault::BrokenQuotesTaken) {
            self.stray = None;
        }
        match self.records.open_quote() {
            None => Ok(Some(line)),
            Some(quote) => Err(self.at(quote, "a quote is opened and never closed")),
        }
    }

    /// Refuses a record with a byte that no field may have.
    fn refuse_stray(&self) -> Result<()> {
        match self.stray {
            None => Ok(()),
            Some(stray) => Err(self.at(stray.line, &stray.to_string())),
        }
    }

    /// The next rows, with the line on which each starts.
    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        let (mut numbers, mut records, mut text_bytes) = (Vec::new(), Vec::new(), 0);
        while numbers.len() < BATCH_ROWS && text_bytes < BATCH_BYTES {
            let Some(line) = self.next_record()? else {
                break;
            };
            if !self.skips {
                self.refuse_stray()?;
            }
            let problem = self.read_fields().err();
            if let Some(problem) = problem.as_ref().filter(|_| !self.skips) {
                return Err(self.at(line, &format!("{problem}{}", self.header_hint())));
            }
            if problem.is_some() {
                self.push_rest();
            }
            if self.skips {
                let text = self.text();
                records.push(Record {
                    line,
                    text,
                    problem,
                });
            }
            numbers.push(number_in_file(self.source.index, line));
            text_bytes += self.record.as_slice().len();
        }
        if numbers.is_empty() {
            return Ok(None);
        }
        Ok(Some(Batch {
            rows: self.finish(numbers.len())?,
            numbers,
            records,
        }))
    }

    /// The rows that were read, so many.
    fn finish(&mut self, count: usize) -> Result<RecordBatch> {
        let all: Vec<usize> = (0..self.shape.columns.len()).collect();
        let (mut fields, mut arrays) = (Vec::new(), Vec::<ArrayRef>::new());
        for position in self.chosen.as_ref().unwrap_or(&all) {
            if let (Some(column), Some(field)) = (
                self.shape.columns.get(*position),
                self.fields.get_mut(*position),
            ) {
                fields.push(Field::new(&column.name, column.sql_type.arrow(), true));
                arrays.push(field.finish());
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(|error| Error::internal("columns of a file as a batch").with_source(error))
    }

    /// The fields of the record, which starts on this line.
    ///
    /// # Errors
    /// `InvalidInput` for one that is not UTF-8, or that goes on behind its closing quote.
    pub(super) fn texts(&self, line: u64) -> Result<Vec<String>> {
        self.refuse_stray()?;
        let texts = self
            .record
            .iter()
            .map(|field| std::str::from_utf8(field).map(str::to_owned));
        let texts: Result<Vec<String>, _> = texts.collect();
        texts.map_err(|_| self.at(line, "a field is not UTF-8"))
    }

    /// NULL for the fields of a record that were not read.
    fn push_rest(&mut self) {
        let unread = self.columns.iter().skip(self.pushed);
        for position in unread.chain(&self.absent) {
            if let Some(field) = self.fields.get_mut(*position) {
                field.push_null();
            }
        }
    }

    /// The record as the file has it, or nearly so.
    fn text(&self) -> String {
        let fields = self.record.iter().map(String::from_utf8_lossy);
        let quoted = fields.map(|field| {
            if field.contains(['"', '\n', '\r', ',', ';', '\t']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field.into_owned()
            }
        });
        quoted.collect::<Vec<_>>().join(&self.delimiter.to_string())
    }

    fn read_fields(&mut self) -> Result<(), String> {
        self.pushed = 0;
        if let Some(stray) = self.stray {
            return Err(stray.to_string());
        }
        if self.record.len() != self.columns.len() {
            let (given, fields) = (self.columns.len(), self.record.len());
            let owner = self.shape.owner.trim_end_matches(": ");
            return Err(match (owner, self.absent.is_empty()) {
                ("", _) => format!("there are {given} columns, the line has {fields} fields"),
                (table, true) => {
                    format!("{table} has {given} columns, the line has {fields} fields")
                }
                (_, false) => format!("{given} columns are listed, the line has {fields} fields"),
            });
        }
        for ((place, position), bytes) in self.columns.iter().enumerate().zip(&self.record) {
            let (Some(column), Some(field)) = (
                self.shape.columns.get(*position),
                self.fields.get_mut(*position),
            ) else {
                continue;
            };
            if self
                .chosen
                .as_ref()
                .is_some_and(|it| !it.contains(position))
            {
                continue;
            }
            let context =
                |problem: &str| format!("{}column `{}`: {problem}", self.shape.owner, column.name);
            let text = std::str::from_utf8(bytes).map_err(|_| context("the field is not UTF-8"))?;
            let empty_text = column.sql_type.is_text() && self.records.is_empty_text(place);
            if is_null(text, self.null, empty_text) {
                field.push_null();
            } else {
                field
                    .push(text)
                    .map_err(|problem| context(&said(text, &problem, self.spelling, self.words)))?;
            }
            self.pushed = place + 1;
        }
        for position in &self.absent {
            if let Some(field) = self.fields.get_mut(*position) {
                field.push_null();
            }
        }
        Ok(())
    }

    /// What to say of a record that cannot be read because it holds the names of columns.
    fn header_hint(&self) -> &'static str {
        let is_name = |field: &[u8]| {
            let mut columns = self.shape.columns.iter();
            columns.any(|column| column.name.as_bytes().eq_ignore_ascii_case(field))
        };
        if self.record.iter().all(is_name) {
            "; the line names columns: say HEADER"
        } else {
            ""
        }
    }

    fn place(&self, line: u64) -> String {
        format!("{} line {line}", self.source)
    }

    fn at(&self, line: u64, problem: &str) -> Error {
        Error::invalid(problem).at_row(self.place(line))
    }
}

/// Passes so many lines, or all that there are, and says how many there were.
fn skip_lines(bytes: &mut (impl BufRead + ?Sized), count: u64) -> io::Result<u64> {
    let mut skipped = 0;
    while skipped < count {
        let begun = bytes.fill_buf()?;
        if begun.is_empty() {
            break;
        }
        let end = begun.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(begun.len(), |end| end + 1);
        bytes.consume(taken);
        skipped += u64::from(end.is_some());
    }
    Ok(skipped)
}

/// A field is NULL exactly when it is the NULL string; without one, when it is empty and no `""` of a text column.
pub(super) fn is_null(text: &str, null: Option<&str>, empty_text: bool) -> bool {
    match null {
        Some(null) => text == null,
        None => text.is_empty() && !empty_text,
    }
}

/// What is wrong with a field, with what may have been meant.
fn said(text: &str, problem: &str, spelling: &Spelling, words: OptionWords) -> String {
    let hint = match text {
        "NULL" | "null" | "NA" | "\\N" => {
            let option = words.option("NULL", "'…'");
            format!("; say {option} where a text stands for NULL")
        }
        _ if is_with_comma(text) && spelling.decimal.is_none() => {
            let option = words.option("DECIMAL", "','");
            format!("; say {option} where numbers have a comma")
        }
        _ => String::new(),
    };
    format!("{}{hint}", complaint(text, problem))
}

/// Whether a text is a number but for its comma.
fn is_with_comma(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = digits.split_once(',');
    parts.is_some_and(|(whole, rest)| {
        !whole.is_empty() && !rest.is_empty() && is_number(whole) && is_number(rest)
    })
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
