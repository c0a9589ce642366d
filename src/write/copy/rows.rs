//! CSV files as rows of a query: columns by the first line, types by the first rows.
//!
//! A type is what all of these rows can be read as, by the very readers that read the rows then: BIGINT, DOUBLE, BOOLEAN,
//! DATE, TIMESTAMP, else TEXT. A row behind them that cannot be read so is an error that names its line.

use std::io::BufRead;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::csv::{CsvFile, is_null};
use super::field::{FieldReader, spelt_reader};
use super::files::{self, SourceFile};
use super::options::FileFormat;
use super::shape::Shape;
use super::{CopyOptions, Progress, quoted};
use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// How many rows are looked at for their types, and how many bytes of them.
const LOOKED_AT: usize = 20_000;
const LOOKED_AT_BYTES: usize = 16 << 20;

/// What may stand between fields, where nobody says it.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// What is said of the columns.
#[derive(Debug, Clone, Default)]
pub struct ColumnTypes {
    /// Types by the names of columns.
    pub given: Vec<(String, SqlType)>,
    /// Whether all others are TEXT.
    pub all_text: bool,
}

/// The rows of CSV files.
#[derive(Debug)]
pub struct CsvRows {
    files: Vec<SourceFile>,
    options: CopyOptions,
    has_header: bool,
    shape: Shape,
}

impl CsvRows {
    /// The rows of the files that a pattern names. The first line names the columns, unless `HEADER` is false.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such file or it is no CSV, and for a type of a column that it does not have.
    pub fn open(pattern: &str, mut options: CopyOptions, types: &ColumnTypes) -> Result<Self> {
        options.format = Some(FileFormat::Csv);
        let has_header = options.header.take().unwrap_or(true);
        let files = files::find(pattern, &options)?;
        let Some(first) = files.first() else {
            return Err(Error::invalid(format!("no file matches `{pattern}`")));
        };
        if options.delimiter.is_none() {
            options.delimiter = Some(delimiter_of(first)?);
        }
        let shape = shape_of(first, &options, has_header, types)?;
        Ok(Self {
            files,
            options,
            has_header,
            shape,
        })
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        let columns = self.shape.columns.iter();
        let fields = columns.map(|(name, sql_type)| Field::new(name, sql_type.arrow(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// Reads the rows of a file, as long as `wanted` says of those that it was given that it wants more.
    ///
    /// # Errors
    /// `InvalidInput` that names the file and the line.
    pub fn read(&self, file: usize, mut wanted: impl FnMut(RecordBatch) -> bool) -> Result<()> {
        let Some(source) = self.files.get(file) else {
            return Ok(());
        };
        let given: Vec<usize> = (0..self.shape.columns.len()).collect();
        let progress = Progress::default();
        let mut file = CsvFile::open(&self.shape, source, &self.options, &given, &progress)?;
        if self.has_header {
            file.next_record()?;
        }
        while let Some(batch) = file.next_batch()? {
            if !wanted(batch.rows) {
                break;
            }
        }
        Ok(())
    }
}

/// The delimiter that stands most often in the first line.
fn delimiter_of(source: &SourceFile) -> Result<char> {
    let mut bytes = source.unpacked(&Progress::default())?;
    let begun = bytes.fill_buf().map_err(|error| source.unreadable(error))?;
    let mut counts = DELIMITERS.map(|delimiter| (0, delimiter));
    let mut is_quoted = false;
    for byte in begun {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                let found = counts.iter_mut().filter(|it| it.1 == char::from(*byte));
                found.for_each(|it| it.0 += 1);
            }
            _ => {}
        }
    }
    let mut best = (0, ',');
    for found in counts {
        if found.0 > best.0 {
            best = found;
        }
    }
    Ok(best.1)
}

fn shape_of(
    source: &SourceFile,
    options: &CopyOptions,
    has_header: bool,
    types: &ColumnTypes,
) -> Result<Shape> {
    let (none, progress) = (Shape::default(), Progress::default());
    let mut file = CsvFile::open(&none, source, options, &[], &progress)?;
    let mut names = match has_header {
        true => match file.next_record()? {
            Some(line) => Some(file.texts(line)?),
            None => {
                return Err(Error::invalid(format!(
                    "`{source}` is empty, a header was expected"
                )));
            }
        },
        false => None,
    };
    let mut guesses: Vec<Guess> = Vec::new();
    let (mut rows, mut bytes) = (0, 0);
    while rows < LOOKED_AT && bytes < LOOKED_AT_BYTES {
        let Some(line) = file.next_record()? else {
            break;
        };
        let texts = file.texts(line)?;
        let names = names.get_or_insert_with(|| vec![String::new(); texts.len()]);
        guesses.resize_with(names.len(), || Guess::new(options));
        for ((place, guess), text) in guesses.iter_mut().enumerate().zip(&texts) {
            if !is_null(text, options.null.as_deref(), file.is_quoted_empty(place)) {
                guess.look_at(text);
            }
        }
        rows += 1;
        bytes += texts.iter().map(String::len).sum::<usize>();
    }
    let names = distinct(names.unwrap_or_default());
    guesses.resize_with(names.len(), || Guess::new(options));
    let guessed = guesses.iter().map(|guess| match types.all_text {
        true => SqlType::Text,
        false => guess.sql_type(),
    });
    let mut columns: Vec<(String, SqlType)> = names.into_iter().zip(guessed).collect();
    for (name, sql_type) in &types.given {
        let found = columns
            .iter_mut()
            .find(|column| column.0.eq_ignore_ascii_case(name));
        let Some(column) = found else {
            let names = columns.iter().map(|column| column.0.as_str());
            return Err(Error::invalid(format!(
                "`{source}` has no column `{name}`; its columns are {}",
                quoted(names)
            )));
        };
        column.1 = sql_type.clone();
    }
    let owner = String::new();
    Ok(Shape { owner, columns })
}

/// The names of columns: those without one by their number, and the second of a name with a number behind it.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::with_capacity(names.len());
    for (name, number) in names.into_iter().zip(1..) {
        let name = match name.is_empty() {
            true => format!("column{number}"),
            false => name,
        };
        let others = (2..).map(|number| format!("{name}_{number}"));
        let mut possible = std::iter::once(name.clone()).chain(others);
        taken.extend(possible.find(|name| !taken.contains(name)));
    }
    taken
}

/// The types that the values of a column can still be read as.
struct Guess {
    possible: Vec<(SqlType, Box<dyn FieldReader>)>,
    /// Whether there was a value.
    has_value: bool,
}

impl Guess {
    fn new(options: &CopyOptions) -> Self {
        let stamp = |precision| SqlType::Timestamp {
            precision,
            utc: false,
        };
        let types = [
            SqlType::BigInt,
            SqlType::Double,
            SqlType::Boolean,
            SqlType::Date,
            stamp(Precision::Nanosecond),
            stamp(Precision::Microsecond),
        ];
        let possible = types.map(|sql_type| {
            let reader = spelt_reader(&sql_type, &options.spelling);
            (sql_type, reader)
        });
        Self {
            possible: possible.into(),
            has_value: false,
        }
    }

    fn look_at(&mut self, text: &str) {
        self.has_value = true;
        self.possible
            .retain_mut(|(sql_type, reader)| match sql_type {
                // `t` and `1` are read as one, and are none by themselves.
                SqlType::Boolean => ["true", "false"]
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(text)),
                _ => reader.push(text).is_ok(),
            });
    }

    fn sql_type(&self) -> SqlType {
        let first = self.possible.first().filter(|_| self.has_value);
        first.map_or(SqlType::Text, |(sql_type, _)| sql_type.clone())
    }
}
