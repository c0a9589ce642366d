//! Answers, and what two of them have in common.

use std::collections::HashMap;
use std::fmt;

use arrow::array::RecordBatch;
use arrow::compute::{SortOptions, concat_batches};
use arrow::datatypes::SchemaRef;
use arrow::row::{RowConverter, SortField};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::query::{Query, SortBy};

/// A row as text.
type Text = Vec<String>;

/// What Halite answers.
#[derive(Debug)]
pub(super) struct Answer {
    pub names: Vec<String>,
    pub rows: Vec<Text>,
}

impl Answer {
    pub fn new(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Self, String> {
        let names = schema.fields().iter().map(|field| field.name().clone());
        Ok(Self {
            names: names.collect(),
            rows: texts(batches, schema.fields().len())?,
        })
    }
}

/// What is right: all rows without the outermost page, in their order, each with the bytes that it is ordered by.
#[derive(Debug)]
pub(super) struct Right {
    rows: Vec<(Vec<u8>, Text)>,
}

impl Right {
    /// From the oracle's columns: those of the query, behind them the keys of its order that are none of these.
    pub fn new(schema: &SchemaRef, batches: &[RecordBatch], query: &Query) -> Result<Self, String> {
        let visible = query.body.first().items.len();
        let values = texts(batches, visible)?;
        let keys = keys(schema, batches, query, visible)?;
        let mut rows: Vec<_> = keys.into_iter().zip(values).collect();
        rows.sort();
        Ok(Self { rows })
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How an answer differs. Rows that tie may come in any order, and any of them may be on the page.
    pub fn difference(&self, query: &Query, answer: &Answer) -> Option<Difference> {
        let behind = self.rows.get(query.offset..).unwrap_or_default();
        let page = &behind[..query.limit.unwrap_or(usize::MAX).min(behind.len())];
        if let Some(name) = wrong_name(query, answer) {
            return Some(Difference::Name(name));
        }
        let wrong_rows = || {
            Some(Difference::Rows {
                right: page.iter().map(|(_, row)| row.clone()).collect(),
                seen: answer.rows.clone(),
            })
        };
        if answer.rows.len() != page.len() {
            return wrong_rows();
        }
        let mut left: HashMap<(&[u8], &Text), usize> = HashMap::new();
        for (key, row) in &self.rows {
            *left.entry((key, row)).or_default() += 1;
        }
        for (row, (key, _)) in answer.rows.iter().zip(page) {
            match left.get_mut(&(key.as_slice(), row)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => return wrong_rows(),
            }
        }
        None
    }
}

/// The first column that has another name than the query gives it.
fn wrong_name(query: &Query, answer: &Answer) -> Option<String> {
    let items = query.body.first().items.iter();
    let mut pairs = items.zip(&answer.names);
    pairs.find_map(|(item, seen)| {
        let wanted = item.alias.as_ref()?;
        (wanted != seen).then(|| format!("{seen} for {wanted}"))
    })
}

fn texts(batches: &[RecordBatch], columns: usize) -> Result<Vec<Text>, String> {
    let options = FormatOptions::default().with_null("∅");
    let mut rows = Vec::new();
    for batch in batches {
        let formatters = batch.columns()[..columns].iter();
        let formatters = formatters.map(|column| ArrayFormatter::try_new(column, &options));
        let formatters: Result<Vec<_>, _> = formatters.collect();
        let formatters = formatters.map_err(|error| error.to_string())?;
        for row in 0..batch.num_rows() {
            let values = formatters.iter().map(|one| one.value(row).to_string());
            rows.push(values.collect());
        }
    }
    Ok(rows)
}

/// What each row is ordered by, as bytes in that order.
fn keys(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    query: &Query,
    visible: usize,
) -> Result<Vec<Vec<u8>>, String> {
    let all = concat_batches(schema, batches).map_err(|error| error.to_string())?;
    let mut next = visible;
    let mut columns = Vec::new();
    let mut fields = Vec::new();
    for key in &query.order {
        let position = match &key.by {
            SortBy::Item(item) => *item,
            SortBy::Expr(_) => {
                next += 1;
                next - 1
            }
        };
        let options = SortOptions {
            descending: key.descending,
            nulls_first: key.nulls_first.unwrap_or(key.descending),
        };
        let column = all.column(position);
        fields.push(SortField::new_with_options(
            column.data_type().clone(),
            options,
        ));
        columns.push(column.clone());
    }
    if columns.is_empty() {
        return Ok(vec![Vec::new(); all.num_rows()]);
    }
    let converter = RowConverter::new(fields).map_err(|error| error.to_string())?;
    let rows = converter.convert_columns(&columns);
    let rows = rows.map_err(|error| error.to_string())?;
    Ok(rows.iter().map(|row| row.as_ref().to_vec()).collect())
}

/// How an answer differs from the right one.
#[derive(Debug, Clone)]
pub(super) enum Difference {
    Name(String),
    Rows {
        right: Vec<Text>,
        seen: Vec<Text>,
    },
    /// There is an answer, and Halite gives an error.
    Error(String),
    /// An integer overflows, and Halite gives an answer.
    Wrapped(String),
    /// Halite panics.
    Panic(String),
    /// Halite does not come to an end.
    Endless,
}

impl Difference {
    /// What it has in common with others of its kind.
    pub fn kind(&self) -> String {
        match self {
            Self::Name(_) => "name".to_owned(),
            Self::Rows { right, seen } if right.len() == seen.len() => {
                let sorted = |rows: &[Text]| {
                    let mut rows = rows.to_vec();
                    rows.sort();
                    rows
                };
                if sorted(right) == sorted(seen) {
                    "order".to_owned()
                } else {
                    "values".to_owned()
                }
            }
            Self::Rows { right, seen } if right.len() < seen.len() => "more rows".to_owned(),
            Self::Rows { .. } => "fewer rows".to_owned(),
            Self::Error(error) => format!("error: {}", without_details(error)),
            Self::Wrapped(_) => "wrapped".to_owned(),
            Self::Panic(message) => format!("panic: {}", without_details(message)),
            Self::Endless => "endless".to_owned(),
        }
    }
}

/// An error's first words, without names and numbers.
fn without_details(error: &str) -> String {
    let words = error.split(|letter: char| !letter.is_alphabetic());
    let words = words.filter(|word| word.len() > 2);
    words.take(9).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |rows: &[Text]| {
            let rows = rows.iter().map(|row| row.join("|"));
            rows.collect::<Vec<_>>().join("; ")
        };
        match self {
            Self::Name(names) => write!(f, "a column has another name: {names}"),
            Self::Rows { right, seen } => {
                writeln!(f, "right ({}): {}", right.len(), shown(right))?;
                write!(f, "seen ({}): {}", seen.len(), shown(seen))
            }
            Self::Error(error) => write!(f, "there is an answer, but: {error}"),
            Self::Wrapped(error) => write!(f, "an answer, though {error}"),
            Self::Panic(message) => write!(f, "panic: {message}"),
            Self::Endless => f.write_str("no end"),
        }
    }
}
