//! What the columns of CSV files are: names by the first line, types by the first rows.
//!
//! A type is what all of these rows can be read as, by the very readers that read the rows then: BIGINT, DOUBLE, BOOLEAN,
//! DATE, TIMESTAMP, else TEXT.

use std::io::BufRead;

use super::csv::{CsvFile, is_null};
use super::field::{FieldReader, spelt_reader};
use super::files::SourceFile;
use super::shape::{ColumnTypes, Shape};
use super::{CopyOptions, Progress, quoted};
use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// How many rows are looked at for their types, in all files together, and how many bytes of them.
const LOOKED_AT: usize = 20_000;
const LOOKED_AT_BYTES: usize = 16 << 20;
/// How many files are looked at.
const LOOKED_AT_FILES: usize = 32;

/// What may stand between fields, where nobody says it.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// The delimiter that stands most often in the first line.
pub(super) fn delimiter_of(source: &SourceFile) -> Result<char> {
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

/// The columns of files, of which the first says their names and their order.
///
/// # Errors
/// `InvalidInput` where the first is no CSV, and for a type of a column that it does not have.
pub(super) fn shape_of(
    files: &[SourceFile],
    options: &CopyOptions,
    has_header: bool,
    types: &ColumnTypes,
) -> Result<Shape> {
    let mut look = Look {
        options,
        has_header,
        names: None,
        guesses: Vec::new(),
        rows: 0,
        bytes: 0,
    };
    for source in files.iter().take(LOOKED_AT_FILES) {
        look.at(source)?;
    }
    let names = look.names.unwrap_or_default();
    look.guesses
        .resize_with(names.len(), || Guess::new(options));
    let guessed = look.guesses.iter().map(|guess| match types.all_text {
        true => SqlType::Text,
        false => guess.sql_type(),
    });
    let mut columns: Vec<(String, SqlType)> = names.into_iter().zip(guessed).collect();
    for (name, sql_type) in &types.given {
        let found = columns
            .iter_mut()
            .find(|column| column.0.eq_ignore_ascii_case(name));
        let Some(column) = found else {
            let names = quoted(columns.iter().map(|column| column.0.as_str()));
            let source = files.first().map(ToString::to_string).unwrap_or_default();
            return Err(Error::invalid(format!(
                "`{source}` has no column `{name}`; its columns are {names}"
            )));
        };
        column.1 = sql_type.clone();
    }
    let owner = String::new();
    Ok(Shape { owner, columns })
}

/// A look at the beginnings of files.
struct Look<'a> {
    options: &'a CopyOptions,
    has_header: bool,
    /// Those of the first file.
    names: Option<Vec<String>>,
    guesses: Vec<Guess>,
    rows: usize,
    bytes: usize,
}

impl Look<'_> {
    fn at(&mut self, source: &SourceFile) -> Result<()> {
        let (none, progress) = (Shape::default(), Progress::default());
        let mut file = CsvFile::open(&none, source, self.options, &[], &progress)?;
        // For each field the place of its column.
        let mut places: Option<Vec<usize>> = None;
        if self.has_header {
            let names = header(&mut file, source)?;
            let known = self.names.get_or_insert_with(|| names.clone());
            places = Some(places_of(&names, known.iter(), source)?);
        }
        while self.rows < LOOKED_AT && self.bytes < LOOKED_AT_BYTES {
            let Some(line) = file.next_record()? else {
                break;
            };
            let texts = file.texts(line)?;
            let names = self
                .names
                .get_or_insert_with(|| distinct(vec![String::new(); texts.len()]));
            let options = self.options;
            self.guesses
                .resize_with(names.len(), || Guess::new(options));
            for (field, text) in texts.iter().enumerate() {
                let column = places.as_ref().map_or(Some(&field), |it| it.get(field));
                let guess = column.and_then(|column| self.guesses.get_mut(*column));
                let is_empty = file.is_quoted_empty(field);
                if let Some(guess) = guess
                    && !is_null(text, options.null.as_deref(), is_empty)
                {
                    guess.look_at(text);
                }
            }
            self.rows += 1;
            self.bytes += texts.iter().map(String::len).sum::<usize>();
        }
        Ok(())
    }
}

/// The names of the columns of a file, from its first line.
///
/// # Errors
/// `InvalidInput` where there is no line.
pub(super) fn header(file: &mut CsvFile<'_>, source: &SourceFile) -> Result<Vec<String>> {
    match file.next_record()? {
        Some(line) => Ok(distinct(file.texts(line)?)),
        None => Err(Error::invalid(format!(
            "`{source}` is empty, a header was expected"
        ))),
    }
}

/// For each column of a file its place among those of the first file.
///
/// # Errors
/// `InvalidInput` where the file has others.
pub(super) fn places_of<'n>(
    names: &[String],
    known: impl IntoIterator<Item = &'n String>,
    source: &SourceFile,
) -> Result<Vec<usize>> {
    let known: Vec<&String> = known.into_iter().collect();
    let other = |wrong: &str, name: &str| {
        Err(Error::invalid(format!(
            "`{source}` {wrong} a column `{}`; those of the first file are {}",
            name.escape_debug(),
            quoted(known.iter().map(|name| name.as_str()))
        )))
    };
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        match known.iter().position(|known| *known == name) {
            Some(place) => places.push(place),
            None => return other("has", name),
        }
    }
    match known.iter().find(|known| !names.contains(known)) {
        Some(missing) => other("lacks", missing),
        None => Ok(places),
    }
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
