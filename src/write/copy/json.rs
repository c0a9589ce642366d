//! JSON files: an object for each row, one on each line or one behind the other, over as many lines as it takes, or all in one
//! array.
//!
//! The names in an object are those of columns; what an object leaves out is NULL, and a name that is no column's is an
//! error. Values are read as the fields of a CSV file are, from the very digits that stand there, so that nothing is
//! rounded: a number may stand in quotes, and a date does.

use std::io::BufRead;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};

use super::files::SourceFile;
use super::objects::Objects;
use super::shape::Shape;
use super::{BATCH_BYTES, BATCH_ROWS, CopyOptions, Feed, Progress, Waiting};
use crate::convert::shown::quoted;
use crate::convert::text::JsonReader;
use crate::datum::{Json, JsonMember, MalformedJson};
use crate::error::{Error, Result};
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
    let shape = Shape::of(feed.table());
    let mut file = JsonFile::open(&shape, source, options, given, feed.progress())?;
    while let Some((rows, lines)) = file.next_batch()? {
        waiting.check()?;
        feed.add_numbered(rows, lines)?;
    }
    Ok(())
}

/// A file that is being read.
pub(super) struct JsonFile<'a> {
    shape: &'a Shape,
    objects: JsonObjects<'a>,
    /// For each column whether objects may name it, and whether its values are read.
    is_given: Vec<bool>,
    is_read: Vec<bool>,
    /// The columns that are handed on, by their positions, in this order.
    chosen: Vec<usize>,
    /// What is done about a name that is no column's.
    others: Others,
    /// The readers of the columns, and the row of which each was read last, counted from 1.
    readers: Vec<Box<dyn JsonReader>>,
    read: Vec<u64>,
    row: u64,
    /// The positions of the columns that the members of the object before were of.
    order: Vec<usize>,
}

/// Names in objects that are no columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// Are an error: these are all columns that are loaded.
    Wrong,
    /// Are an error: no object that was looked at has them.
    New,
    /// Are nobody's concern.
    Passed,
}

impl<'a> JsonFile<'a> {
    /// The file, from its beginning. `given` are the positions of the columns that objects may name.
    pub(super) fn open(
        shape: &'a Shape,
        source: &'a SourceFile,
        options: &CopyOptions,
        given: &[usize],
        progress: &Progress,
    ) -> Result<Self> {
        let all = 0..shape.columns.len();
        let is_given: Vec<bool> = all
            .clone()
            .map(|position| given.contains(&position))
            .collect();
        let readers = shape.columns.iter();
        let readers = readers.map(|column| column.json_reader(&options.spelling));
        Ok(Self {
            shape,
            objects: JsonObjects::open(source, options, progress)?,
            is_read: is_given.clone(),
            is_given,
            chosen: all.collect(),
            others: Others::Wrong,
            readers: readers.collect(),
            read: vec![0; shape.columns.len()],
            row: 0,
            order: Vec::new(),
        })
    }

    /// Reads these columns alone, and gives them in this order.
    pub(super) fn choose(&mut self, columns: &[usize], others: Others) {
        let all = 0..self.shape.columns.len();
        self.is_read = all.map(|position| columns.contains(&position)).collect();
        self.chosen = columns.to_vec();
        self.others = others;
    }

    /// The next rows, and the number of each.
    pub(super) fn next_batch(&mut self) -> Result<Option<(RecordBatch, Vec<u64>)>> {
        let (mut numbers, mut text, mut bytes) = (Vec::new(), Vec::new(), 0);
        while numbers.len() < BATCH_ROWS && bytes < BATCH_BYTES {
            let Some(object) = self.objects.next(&mut text)? else {
                break;
            };
            let members = object.members(self.objects.source)?;
            self.row += 1;
            self.read_row(&members)
                .map_err(|problem| self.objects.at(object.line, &problem))?;
            numbers.push(number_in_file(self.objects.source.index, object.line));
            bytes += object.text.len();
        }
        if numbers.is_empty() {
            Ok(None)
        } else {
            Ok(Some((self.finish(numbers.len())?, numbers)))
        }
    }

    fn read_row(&mut self, members: &[JsonMember<'_>]) -> Result<(), String> {
        for (place, (name, json)) in members.iter().enumerate() {
            let Some(position) = self.position(place, name) else {
                match self.others {
                    Others::Passed => continue,
                    _ => return Err(self.unknown(name)),
                }
            };
            let Some(read) = self.read.get_mut(position) else {
                continue;
            };
            if std::mem::replace(read, self.row) == self.row {
                return Err(format!("the object names `{}` twice", name.escape_debug()));
            }
            if self.is_read.get(position) == Some(&true) {
                self.push(position, *json)?;
            }
        }
        for (position, reader) in self.readers.iter_mut().enumerate() {
            let is_chosen = self.is_read.get(position) == Some(&true);
            if !is_chosen || self.read.get(position) != Some(&self.row) {
                reader.push_null();
            }
        }
        Ok(())
    }

    fn push(&mut self, position: usize, json: Json<'_>) -> Result<(), String> {
        let (Some(reader), Some(column)) = (
            self.readers.get_mut(position),
            self.shape.columns.get(position),
        ) else {
            return Ok(());
        };
        let pushed = reader.push(json);
        pushed.map_err(|problem| format!("{}column `{}`: {problem}", self.shape.owner, column.name))
    }

    /// The position of the column that a member is of. Most objects have their members in the order of the one before.
    fn position(&mut self, place: usize, name: &str) -> Option<usize> {
        let columns = &self.shape.columns;
        let is_it = |position: usize| {
            let column = columns.get(position);
            column.is_some_and(|column| column.name == name)
        };
        if let Some(position) = self.order.get(place).copied().filter(|it| is_it(*it)) {
            return Some(position);
        }
        let mut all = 0..columns.len();
        let is_given = |position: usize| self.is_given.get(position) == Some(&true);
        let position = all.find(|position| is_given(*position) && is_it(*position))?;
        if self.order.len() <= place {
            self.order.resize(place + 1, position);
        }
        if let Some(known) = self.order.get_mut(place) {
            *known = position;
        }
        Some(position)
    }

    fn unknown(&self, name: &str) -> String {
        let columns = self.shape.columns.iter().zip(&self.is_given);
        let columns = columns.filter(|(_, is_given)| **is_given);
        let columns = quoted(columns.map(|(column, _)| column.name.as_str()));
        let name = name.escape_debug();
        match self.others {
            Others::New => format!(
                "the object names `{name}`, which none does that was looked at for its columns; say \
                 read_json(…, sample_size => -1) to look at all"
            ),
            _ => format!(
                "the object names `{name}`, which is no column that is loaded; these are {columns}"
            ),
        }
    }

    /// The rows that were read, so many.
    fn finish(&mut self, count: usize) -> Result<RecordBatch> {
        let failed = |error| Error::internal("columns of a file as a batch").with_source(error);
        let arrays = self.readers.iter_mut().map(|reader| reader.finish());
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>().map_err(failed)?;
        let chosen = self.chosen.iter();
        let chosen = chosen.filter_map(|position| {
            let column = self.shape.columns.get(*position)?;
            let field = Field::new(&column.name, column.sql_type.arrow(), true);
            Some((field, Arc::clone(arrays.get(*position)?)))
        });
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = chosen.unzip();
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(failed)
    }
}

/// The objects of a file.
pub(super) struct JsonObjects<'a> {
    source: &'a SourceFile,
    objects: Objects<Box<dyn BufRead + Send>>,
}

/// The text of an object, and the line on which it starts.
pub(super) struct JsonObject<'t> {
    line: u64,
    pub(super) text: &'t [u8],
}

impl<'a> JsonObjects<'a> {
    pub(super) fn open(
        source: &'a SourceFile,
        options: &CopyOptions,
        progress: &Progress,
    ) -> Result<Self> {
        let bytes = source.unpacked(progress)?;
        let most = options.row_bytes.unwrap_or(ROW_BYTES);
        let objects = Objects::new(bytes, most);
        Ok(Self { source, objects })
    }

    /// The next object, in `text`.
    pub(super) fn next<'t>(&mut self, text: &'t mut Vec<u8>) -> Result<Option<JsonObject<'t>>> {
        text.clear();
        let found = self.objects.next(text);
        let found = found.map_err(|problem| problem.into_error(self.source))?;
        match found {
            Some(line) => Ok(Some(JsonObject { line, text })),
            None => Ok(None),
        }
    }

    fn at(&self, line: u64, problem: &str) -> Error {
        at(self.source, line, problem)
    }
}

impl<'t> JsonObject<'t> {
    /// Its names and values.
    ///
    /// # Errors
    /// `InvalidInput` with the line where it is no JSON.
    pub(super) fn members(&self, source: &SourceFile) -> Result<Vec<JsonMember<'t>>> {
        let text = std::str::from_utf8(self.text)
            .map_err(|error| self.wrong(source, error.valid_up_to(), "this is not UTF-8"))?;
        match Json::members_of(text) {
            Ok(members) => Ok(members.unwrap_or_default()),
            Err(MalformedJson(place)) => {
                let rest = text.get(place..).unwrap_or_default();
                let problem = match rest.chars().next() {
                    Some(letter) => format!("'{}' is no JSON here", letter.escape_debug()),
                    None => "the object is no JSON: it has no end".to_owned(),
                };
                Err(self.wrong(source, place, &problem))
            }
        }
    }

    /// An error at a place within the object.
    fn wrong(&self, source: &SourceFile, place: usize, problem: &str) -> Error {
        let before = self.text.get(..place).unwrap_or(self.text);
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        at(source, self.line + lines as u64, problem)
    }
}

fn at(source: &SourceFile, line: u64, problem: &str) -> Error {
    Error::invalid(problem).at_row(format_args!("{source} line {line}"))
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
