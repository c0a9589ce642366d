//! Answers as the tests compare them: rows as text, and the rows of `EXPLAIN KEYS`.

use std::fmt;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use halite::session::{Row, Rows};

/// Rows as text, the values of each joined by `|`.
pub fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::new().with_null("NULL");
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch.columns().iter();
        let columns: Vec<ArrayFormatter<'_>> = columns
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let values = columns.iter().map(|column| column.value(row).to_string());
            rows.push(values.collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

/// A row of `EXPLAIN KEYS`.
pub struct KeyRow {
    /// The table that is read.
    pub table: String,
    /// What the query calls it, if that is something else.
    pub alias: Option<String>,
    /// `range`, `walk` …
    pub kind: String,
    /// The bucket, where the table has some; or several, in words.
    pub bucket: Option<String>,
    /// The first key and the last, as people read them; the last is empty where the first says all.
    pub bounds: [String; 2],
    /// The first key and the first one after the last, in hex; both empty where the row is that of several ranges.
    pub ends: [String; 2],
    /// Whether it is that of several.
    pub is_several: bool,
    /// Whether nothing is left to be asked of the rows.
    pub tight: bool,
    /// What is.
    pub residual: String,
}

impl KeyRow {
    /// Whether rows are those of `EXPLAIN KEYS`.
    pub fn are(rows: &Rows) -> bool {
        rows.schema().column_with_name("start_hex").is_some()
    }

    /// The rows of `EXPLAIN KEYS`.
    pub fn all(rows: &Rows) -> Vec<Self> {
        rows.iter().map(|row| Self::read(&row)).collect()
    }

    fn read(row: &Row) -> Self {
        let text = |column| {
            let text: Option<String> = row.get(column).unwrap();
            text.unwrap_or_default()
        };
        Self {
            table: text("table"),
            alias: row.get("alias").unwrap(),
            kind: text("kind"),
            bucket: row.get("bucket").unwrap(),
            bounds: [text("start"), text("stop")],
            ends: [text("start_hex"), text("stop_hex")],
            is_several: row.get::<Option<String>>("start_hex").unwrap().is_none(),
            tight: row.get("tight").unwrap(),
            residual: text("residual"),
        }
    }

    /// `start`, or both bounds where they are not the same.
    pub fn range(&self, between: &str) -> String {
        match &self.bounds {
            [start, stop] if stop.is_empty() || start == stop => start.clone(),
            [start, stop] => format!("{start}{between}{stop}"),
        }
    }
}

/// `table AS alias kind [bucket] start .. stop  hex..hex  tight`, or the residual.
impl fmt::Display for KeyRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {alias}")?;
        }
        write!(f, " {}", self.kind)?;
        if let Some(bucket) = &self.bucket {
            write!(f, " [{bucket}]")?;
        }
        write!(f, " {}  ", self.range(" .. "))?;
        if !self.is_several {
            let [first, behind] = &self.ends;
            write!(f, "{first}..{behind}  ")?;
        }
        if self.tight {
            write!(f, "tight")
        } else {
            write!(f, "residual: {}", self.residual)
        }
    }
}
