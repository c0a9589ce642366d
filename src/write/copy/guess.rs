//! What the columns of CSV files are: names by the first line, types by the first rows.
//!
//! A type is what all of these rows can be read as, by the very readers that read the rows then ([`PlainReader`]): BIGINT, whole
//! numbers that are longer, DOUBLE, BOOLEAN, DATE, TIMESTAMP, else TEXT. The first line names the columns unless the types of the
//! rows behind it say otherwise: it is a row where each of its fields is a value of its column's type, and some column
//! has another type than TEXT.

use std::io::BufRead;

use super::csv::{CsvFile, is_null};
use super::dialect::is_tabbed;
use super::files::SourceFile;
use super::plain::PlainReader;
use super::shape::{ColumnTypes, Shape, ShapeColumn};
use super::{CopyOptions, Progress};
use crate::convert::shown::quoted;
use crate::convert::text::FieldReader;
use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};

/// How many bytes of rows are looked at for their types, in all files together, unless all are wanted.
pub(super) const LOOKED_AT_BYTES: usize = 16 << 20;
/// How many files are looked at.
pub(super) const LOOKED_AT_FILES: usize = 32;
/// How many values a guess keeps.
const KEPT_VALUES: usize = 4_096;

/// What may stand between fields, where nobody says it.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// The delimiter that stands most often in the first line; a tab where the file's name says so and there is one.
pub(super) fn delimiter_of(source: &SourceFile, options: &CopyOptions) -> Result<char> {
    let quote = options.quote.unwrap_or('"');
    let mut bytes = source.unpacked(&Progress::default())?;
    let begun = bytes.fill_buf().map_err(|error| source.unreadable(error))?;
    let mut lines = begun.split_inclusive(|byte| *byte == b'\n');
    let is_no_record = |line: &[u8]| match line.first().copied().map(char::from) {
        Some('\r' | '\n') | None => true,
        Some(first) => options.comment == Some(first),
    };
    let skipped = usize::try_from(options.skipped_lines).unwrap_or(usize::MAX);
    let behind = lines
        .by_ref()
        .skip(skipped)
        .skip_while(|line| is_no_record(line));
    let mut counts = DELIMITERS.map(|delimiter| (0, delimiter));
    let mut is_quoted = false;
    for byte in behind.flatten() {
        match byte {
            byte if char::from(*byte) == quote => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                let found = counts.iter_mut().filter(|it| it.1 == char::from(*byte));
                found.for_each(|it| it.0 += 1);
            }
            _ => {}
        }
    }
    let has_tab = counts
        .iter()
        .any(|(count, delimiter)| *delimiter == '\t' && *count > 0);
    if has_tab && is_tabbed(&source.path) {
        return Ok('\t');
    }
    let mut best = (0, ',');
    for found in counts {
        if found.0 > best.0 {
            best = found;
        }
    }
    Ok(best.1)
}

/// The columns of files, of which the first says their names and their order, and whether its first line is a header.
///
/// # Errors
/// `InvalidInput` where the first is no CSV, and for a type of a column that it does not have.
pub(super) fn shape_of(
    files: &[SourceFile],
    options: &CopyOptions,
    types: &ColumnTypes,
) -> Result<(Shape, bool)> {
    let Some(first) = files.first() else {
        return Ok((Shape::default(), false));
    };
    if let Some(columns) = &types.columns {
        return given_shape(first, options, columns);
    }
    let mut look = Look {
        options,
        guesses: Vec::new(),
        rows: types.looked_at,
        bytes: match types.looked_at {
            usize::MAX => usize::MAX,
            _ => LOOKED_AT_BYTES,
        },
    };
    let (names, has_header) = look.at_first(first)?;
    for source in files.iter().take(LOOKED_AT_FILES).skip(1) {
        look.at(source, has_header.then_some(&names))?;
    }
    look.reach(names.len());
    let guessed = look.guesses.iter().map(Guess::sql_type);
    let columns = names.into_iter().zip(guessed);
    let mut columns: Vec<ShapeColumn> = columns
        .map(|(name, sql_type)| ShapeColumn {
            name,
            sql_type,
            is_guessed: true,
        })
        .collect();
    types
        .apply(&mut columns)
        .map_err(|name| unknown(&name, &columns, first))?;
    let owner = String::new();
    Ok((Shape { owner, columns }, has_header))
}

/// The error of a type for a column that a file does not have.
pub(super) fn unknown(name: &str, columns: &[ShapeColumn], source: &SourceFile) -> Error {
    let names = quoted(columns.iter().map(|column| column.name.as_str()));
    Error::invalid(format!(
        "`{source}` has no column `{name}`; its columns are {names}"
    ))
}

/// The columns that were said to be those of a file, and whether its first line is a header.
///
/// # Errors
/// `InvalidInput` where the line neither names the columns nor has values of their types, and nobody says what it is.
fn given_shape(
    source: &SourceFile,
    options: &CopyOptions,
    columns: &[(String, SqlType)],
) -> Result<(Shape, bool)> {
    let columns = columns.iter();
    let columns: Vec<ShapeColumn> = columns
        .map(|(name, sql_type)| ShapeColumn::given(name, sql_type))
        .collect();
    let owner = String::new();
    let shape = Shape { owner, columns };
    if let Some(has_header) = options.header {
        return Ok((shape, has_header));
    }
    let (none, progress) = (Shape::default(), Progress::default());
    let mut file = CsvFile::open(&none, source, options, &[], &progress)?;
    let Some(first) = Fields::next(&mut file, options)? else {
        return Ok((shape, false));
    };
    let mut pairs = first.texts.iter().zip(&shape.columns);
    if first.texts.len() == shape.columns.len()
        && pairs.all(|(text, column)| text.eq_ignore_ascii_case(&column.name))
    {
        return Ok((shape, true));
    }
    let is_value = |(place, column): (usize, &ShapeColumn)| {
        let text = first.value(place);
        text.is_none_or(|text| column.reader(&options.spelling).push(text).is_ok())
    };
    if shape.columns.iter().enumerate().all(is_value) {
        Ok((shape, false))
    } else {
        Err(Error::invalid(
            "the line neither names the columns that are given nor has values of their types: say whether it is a header, \
             header => true or header => false",
        )
        .at_row(format_args!("{source} line {}", first.line)))
    }
}

/// The fields of a record.
struct Fields {
    line: u64,
    texts: Vec<String>,
    /// Which are NULL.
    nulls: Vec<bool>,
}

impl Fields {
    fn next(file: &mut CsvFile<'_>, options: &CopyOptions) -> Result<Option<Self>> {
        let Some(line) = file.next_record()? else {
            return Ok(None);
        };
        let texts = file.texts(line)?;
        // `""` tells nothing: it is an empty text where the column is TEXT, and NULL where it is not.
        let nulls = texts
            .iter()
            .map(|text| is_null(text, options.null.as_deref(), false));
        let nulls = nulls.collect();
        Ok(Some(Self { line, texts, nulls }))
    }

    fn value(&self, place: usize) -> Option<&str> {
        let is_null = self.nulls.get(place).copied().unwrap_or(true);
        self.texts
            .get(place)
            .filter(|_| !is_null)
            .map(String::as_str)
    }
}

/// A look at the beginnings of files.
struct Look<'a> {
    options: &'a CopyOptions,
    guesses: Vec<Guess>,
    /// How many rows, and bytes of them, are looked at yet.
    rows: usize,
    bytes: usize,
}

impl Look<'_> {
    /// Looks at the first file: the names of the columns, and whether its first line has them.
    fn at_first(&mut self, source: &SourceFile) -> Result<(Vec<String>, bool)> {
        let (none, progress) = (Shape::default(), Progress::default());
        let mut file = CsvFile::open(&none, source, self.options, &[], &progress)?;
        let first = Fields::next(&mut file, self.options)?;
        let first = match (first, self.options.header) {
            (Some(first), _) => first,
            (None, Some(false)) => return Ok((Vec::new(), false)),
            (None, _) => return Err(empty(source)),
        };
        self.reach(first.texts.len());
        let rows = self.rows_of(&mut file, None)?;
        let has_header = match self.options.header {
            Some(has_header) => has_header,
            None => !self.is_row(&first, rows == 0),
        };
        if has_header {
            return Ok((distinct(first.texts), true));
        }
        self.add(&first, None);
        Ok((distinct(vec![String::new(); first.texts.len()]), false))
    }

    /// Looks at another file, which has these columns, each once, if its first line names them.
    fn at(&mut self, source: &SourceFile, known: Option<&Vec<String>>) -> Result<()> {
        let (none, progress) = (Shape::default(), Progress::default());
        let mut file = CsvFile::open(&none, source, self.options, &[], &progress)?;
        let places = match known {
            Some(known) => Some(places_of(&header(&mut file, source)?, known, source)?),
            None => None,
        };
        self.rows_of(&mut file, places.as_deref()).map(drop)
    }

    /// Looks at the rows of a file, whose fields are of the columns at these places, and says how many there were.
    fn rows_of(&mut self, file: &mut CsvFile<'_>, places: Option<&[usize]>) -> Result<usize> {
        let mut rows = 0;
        while self.rows > 0 && self.bytes > 0 {
            let Some(fields) = Fields::next(file, self.options)? else {
                break;
            };
            self.add(&fields, places);
            rows += 1;
            self.rows -= 1;
            let bytes = fields.texts.iter().map(String::len).sum();
            self.bytes = self.bytes.saturating_sub(bytes);
        }
        Ok(rows)
    }

    fn add(&mut self, fields: &Fields, places: Option<&[usize]>) {
        for field in 0..fields.texts.len() {
            let column = places.map_or(Some(&field), |it| it.get(field));
            let guess = column.and_then(|column| self.guesses.get_mut(*column));
            if let (Some(guess), Some(text)) = (guess, fields.value(field)) {
                guess.look_at(text);
            }
        }
    }

    /// Whether the first line is a row, by the types of the others; of a line that is alone, by its own.
    fn is_row(&mut self, first: &Fields, is_alone: bool) -> bool {
        #[cfg(test)]
        if crate::fault::active(crate::fault::Fault::HeaderTakenForGranted) {
            return false;
        }
        let mut tells = false;
        for (place, guess) in self.guesses.iter_mut().enumerate() {
            let Some(text) = first.value(place) else {
                continue;
            };
            if is_alone {
                guess.look_at(text);
                tells |= guess.sql_type() != SqlType::Text;
            } else if guess.sql_type() != SqlType::Text {
                if !guess.could_be(text) {
                    return false;
                }
                tells = true;
            }
        }
        tells
    }

    /// A guess for each of so many columns.
    fn reach(&mut self, columns: usize) {
        let options = self.options;
        self.guesses.resize_with(columns, || Guess::new(options));
    }
}

fn empty(source: &SourceFile) -> Error {
    Error::invalid(format!("`{source}` is empty, a header was expected"))
}

/// The names of the columns of a file, from its first line.
///
/// # Errors
/// `InvalidInput` where there is no line.
pub(super) fn header(file: &mut CsvFile<'_>, source: &SourceFile) -> Result<Vec<String>> {
    match file.next_record()? {
        Some(line) => Ok(distinct(file.texts(line)?)),
        None => Err(empty(source)),
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
        let name = if name.is_empty() {
            format!("column{number}")
        } else {
            name
        };
        let others = (2..).map(|number| format!("{name}_{number}"));
        let mut possible = std::iter::once(name.clone()).chain(others);
        taken.extend(possible.find(|name| !taken.contains(name)));
    }
    taken
}

/// The types that the values of a column can still be read as.
struct Guess {
    possible: Vec<(SqlType, PlainReader)>,
    /// How many values there were.
    values: usize,
}

impl Guess {
    fn new(options: &CopyOptions) -> Self {
        let stamp = |precision| SqlType::Timestamp {
            precision,
            utc: false,
        };
        let types = [
            SqlType::BigInt,
            SqlType::Decimal {
                precision: 38,
                scale: 0,
            },
            SqlType::Double,
            SqlType::Boolean,
            SqlType::Date,
            stamp(Precision::Nanosecond),
            stamp(Precision::Microsecond),
        ];
        let possible = types.map(|sql_type| {
            let reader = PlainReader::new(&sql_type, &options.spelling);
            (sql_type, reader)
        });
        Self {
            possible: possible.into(),
            values: 0,
        }
    }

    fn look_at(&mut self, text: &str) {
        self.values += 1;
        self.possible
            .retain_mut(|(_, reader)| reader.push(text).is_ok());
        if self.values.is_multiple_of(KEPT_VALUES) {
            self.possible.iter_mut().for_each(|(_, reader)| {
                reader.finish();
            });
        }
    }

    /// Whether there is a type that the text can be read as, too.
    fn could_be(&mut self, text: &str) -> bool {
        let mut possible = self.possible.iter_mut();
        possible.any(|(_, reader)| reader.push(text).is_ok())
    }

    fn sql_type(&self) -> SqlType {
        let first = self.possible.first().filter(|_| self.values > 0);
        first.map_or(SqlType::Text, |(sql_type, _)| sql_type.clone())
    }
}
