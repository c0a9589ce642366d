//! JSON files: an object for each row, one on each line or one behind the other, or all in one array.
//!
//! The names in an object are those of columns; what an object leaves out is NULL, and a name that is no column's is an
//! error. Values are read as the fields of a CSV file are, from the very digits that stand there, so that nothing is
//! rounded: a number may stand in quotes, and a date does.

use std::io::BufRead;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use super::field::{FieldReader, spelt_reader};
use super::files::SourceFile;
use super::objects::Objects;
use super::{BATCH_BYTES, BATCH_ROWS, CopyOptions, Feed, Progress, Waiting, complaint};
use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::write::ROW_BYTES;
use crate::write::row_label::number_in_file;

/// Feeds the rows of a JSON file to a statement, each numbered by the line on which it starts.
pub(super) fn load(
    feed: &Feed,
    source: &SourceFile,
    options: &CopyOptions,
    given: &[usize],
    waiting: &Waiting,
) -> Result<()> {
    let table = Arc::clone(feed.table());
    let mut file = JsonFile::open(&table, source, options, given, feed.progress())?;
    while let Some((rows, lines)) = file.next_batch()? {
        waiting.check()?;
        feed.add_numbered(rows, lines)?;
    }
    Ok(())
}

struct JsonFile<'a> {
    table: &'a BoundTable,
    source: &'a SourceFile,
    objects: Objects<Box<dyn BufRead + Send>>,
    /// The columns that objects name, as texts.
    schema: SchemaRef,
    /// The positions of these columns in the table.
    given: &'a [usize],
    /// The columns in table order.
    fields: Vec<Box<dyn FieldReader>>,
    /// The texts of some objects, one behind the other.
    texts: Vec<u8>,
}

/// An object: its line, and where its text ends.
type Place = (u64, usize);

impl<'a> JsonFile<'a> {
    fn open(
        table: &'a BoundTable,
        source: &'a SourceFile,
        options: &CopyOptions,
        given: &'a [usize],
        progress: &Progress,
    ) -> Result<Self> {
        let bytes = source.unpacked(progress)?;
        let most = options.row_bytes.unwrap_or(ROW_BYTES);
        let columns = given
            .iter()
            .filter_map(|position| table.columns().get(*position));
        let columns = columns.map(|column| {
            // What holds others is no text.
            let data_type = match column.sql_type.is_nested() {
                true => column.sql_type.arrow(),
                false => DataType::Utf8,
            };
            Field::new(&column.name, data_type, true)
        });
        let readers = table.columns().iter();
        let readers = readers.map(|column| spelt_reader(&column.sql_type, &options.spelling));
        Ok(Self {
            table,
            source,
            objects: Objects::new(bytes, most),
            schema: Arc::new(Schema::new(columns.collect::<Vec<_>>())),
            given,
            fields: readers.collect(),
            texts: Vec::new(),
        })
    }

    /// The next rows, and the line on which each starts.
    fn next_batch(&mut self) -> Result<Option<(RecordBatch, Vec<u64>)>> {
        let mut places: Vec<Place> = Vec::new();
        self.texts.clear();
        while places.len() < BATCH_ROWS && self.texts.len() < BATCH_BYTES {
            let found = self.objects.next(&mut self.texts);
            let Some(line) = found.map_err(|problem| problem.into_error(self.source))? else {
                break;
            };
            places.push((line, self.texts.len()));
        }
        if places.is_empty() {
            return Ok(None);
        }
        let texts = match self.decoded(&self.texts) {
            Ok(texts) => texts,
            Err(error) => return Err(self.first_wrong(&places, &error)),
        };
        let rows = self.rows(&texts, &places)?;
        let lines = places
            .iter()
            .map(|(line, _)| number_in_file(self.source.index, *line));
        Ok(Some((rows, lines.collect())))
    }

    /// The values of objects as texts.
    fn decoded(&self, objects: &[u8]) -> Result<RecordBatch, ArrowError> {
        let mut decoder = ReaderBuilder::new(Arc::clone(&self.schema))
            .with_coerce_primitive(true)
            .with_strict_mode(true)
            .with_batch_size(BATCH_ROWS)
            .build_decoder()?;
        decoder.decode(objects)?;
        let rows = decoder.flush()?;
        Ok(rows.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(&self.schema))))
    }

    /// The error of the first object that cannot be read.
    fn first_wrong(&self, places: &[Place], error: &ArrowError) -> Error {
        let mut start = 0;
        for (line, end) in places {
            let text = self.texts.get(start..*end).unwrap_or_default();
            if let Err(error) = self.decoded(text) {
                return self.at(*line, &self.worded(&error));
            }
            start = *end;
        }
        Error::invalid(format!("`{}`: {}", self.source, self.worded(error)))
    }

    /// What Arrow says is wrong with an object, in words that help.
    fn worded(&self, error: &ArrowError) -> String {
        let text = match error {
            ArrowError::JsonError(text) => text.clone(),
            other => other.to_string(),
        };
        let unknown = text.split_once("column '").and_then(|(_, rest)| {
            let (name, behind) = rest.split_once('\'')?;
            behind.contains("missing from schema").then_some(name)
        });
        match unknown {
            Some(name) => {
                let columns = self
                    .schema
                    .fields()
                    .iter()
                    .map(|field| field.name().as_str());
                format!(
                    "the object names `{}`, which is no column that is loaded; these are {}",
                    name.escape_debug(),
                    super::quoted(columns)
                )
            }
            None => text,
        }
    }

    /// The rows of the table.
    fn rows(&mut self, texts: &RecordBatch, places: &[Place]) -> Result<RecordBatch> {
        for (row, (line, _)) in places.iter().enumerate() {
            if let Err(problem) = self.read_row(texts, row) {
                return Err(self.at(*line, &problem));
            }
        }
        let fields = self.fields.iter_mut().enumerate();
        let arrays: Vec<ArrayRef> = fields
            .map(|(position, field)| {
                let read = field.finish();
                self.table
                    .columns()
                    .get(position)
                    .filter(|column| column.sql_type.is_nested())
                    .and_then(|_| column_at(texts, self.given, position))
                    .map_or(read, Arc::clone)
            })
            .collect();
        let columns = self.table.columns().iter().zip(arrays);
        let rows = columns.map(|(column, array)| (&column.name, array, true));
        RecordBatch::try_from_iter_with_nullable(rows)
            .map_err(|error| Error::internal("columns of a file as a batch").with_source(error))
    }

    fn read_row(&mut self, texts: &RecordBatch, row: usize) -> Result<(), String> {
        let columns = self.table.columns().iter().zip(&mut self.fields);
        for (position, (column, field)) in columns.enumerate() {
            if column.sql_type.is_nested() {
                field.push_null();
                continue;
            }
            let array = column_at(texts, self.given, position);
            let text = array.and_then(|array| {
                let array = array.as_string::<i32>();
                arrow::array::Array::is_valid(array, row).then(|| array.value(row))
            });
            let Some(text) = text else {
                field.push_null();
                continue;
            };
            field.push(text).map_err(|problem| {
                let (table, column) = (self.table.name(), &column.name);
                format!(
                    "table `{table}`: column `{column}`: {}",
                    complaint(text, &problem)
                )
            })?;
        }
        Ok(())
    }

    fn at(&self, line: u64, problem: &str) -> Error {
        Error::invalid(problem).at_row(format_args!("{} line {line}", self.source))
    }
}

/// What was read of the table's column at a position.
fn column_at<'b>(read: &'b RecordBatch, given: &[usize], position: usize) -> Option<&'b ArrayRef> {
    let place = given.iter().position(|given| *given == position)?;
    read.columns().get(place)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
