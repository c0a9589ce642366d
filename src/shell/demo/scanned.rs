//! What a query scans, for people: the rows of `EXPLAIN KEYS`, table by table.

use std::fmt;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::UInt32Type;
use datafusion::physical_plan::common::collect;

use super::super::names::Names;
use super::super::text::{grouped, width};
use crate::error::{Error, Result};
use crate::session::{Connection, Outcome, Statement};

/// Ranges of a table that are shown.
const SHOWN: usize = 4;
/// The columns that a range may take on one line.
const ROOM: usize = 100;

/// The tables of a query, each with what is scanned of it.
pub struct Scanned {
    tables: Vec<Table>,
}

struct Table {
    name: String,
    /// The parts of its row key: `origin, scheduled`.
    key: String,
    ranges: Vec<Range>,
    residual: String,
}

struct Range {
    kind: String,
    bucket: Option<u32>,
    start: String,
    stop: String,
}

impl Scanned {
    /// What `query` scans.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub async fn of(connection: &Connection, query: &Statement) -> Result<Self> {
        let mut tables: Vec<Table> = Vec::new();
        let names = Names::new(connection.clone());
        let key = |name: &str| names.definition(name).map(|table| table.key_clause());
        for batch in rows(connection, &query.explain_keys()?).await? {
            for row in 0..batch.num_rows() {
                let name = text(&batch, "table", row)?;
                if tables.last().is_none_or(|table| table.name != name) {
                    tables.push(Table {
                        key: key(&name).unwrap_or_default(),
                        residual: text(&batch, "residual", row)?,
                        ranges: Vec::new(),
                        name,
                    });
                }
                if let Some(table) = tables.last_mut() {
                    table.ranges.push(Range::read(&batch, row)?);
                }
            }
        }
        Ok(Self { tables })
    }

    /// Whether any table is walked.
    pub fn walks(&self) -> bool {
        let mut ranges = self.tables.iter().flat_map(|table| &table.ranges);
        ranges.any(|range| range.kind == "walk")
    }
}

impl Range {
    fn read(batch: &RecordBatch, row: usize) -> Result<Self> {
        let buckets = column(batch, "bucket")?.as_primitive_opt::<UInt32Type>();
        let bucket = buckets
            .filter(|buckets| buckets.is_valid(row))
            .map(|buckets| buckets.value(row));
        Ok(Self {
            kind: text(batch, "kind", row)?,
            bucket,
            start: text(batch, "start", row)?,
            stop: text(batch, "stop", row)?,
        })
    }
}

impl fmt::Display for Scanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            writeln!(f, "{}  PRIMARY KEY ({})", table.name, table.key)?;
            for range in table.ranges.iter().take(SHOWN) {
                writeln!(f, "  {range}")?;
            }
            if table.ranges.len() > SHOWN {
                writeln!(f, "  … {} in all", grouped(table.ranges.len() as u64))?;
            }
            if !table.residual.is_empty() {
                writeln!(f, "  then asked of each row: {}", table.residual)?;
            }
        }
        Ok(())
    }
}

/// `range, bucket 3: /3/N14228/* to /3/N14228/*`; the end on a line of its own where it gets too long.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bucket = self.bucket.map(|bucket| format!(", bucket {bucket}"));
        let head = format!("{}{}: ", self.kind, bucket.unwrap_or_default());
        write!(f, "{head}{}", self.start)?;
        if self.stop.is_empty() || self.stop == self.start {
            return Ok(());
        }
        if width(&head) + width(&self.start) + width(&self.stop) > ROOM {
            return write!(f, "\n  {:>1$} {2}", "to", head.len() - 1, self.stop);
        }
        write!(f, " to {}", self.stop)
    }
}

async fn rows(connection: &Connection, statement: &Statement) -> Result<Vec<RecordBatch>> {
    match connection.run(statement).await? {
        Outcome::Rows(stream) => Ok(collect(stream).await?),
        _ => Err(Error::internal(format!(
            "`{}` gives no rows",
            statement.text()
        ))),
    }
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a dyn Array> {
    let column = batch.column_by_name(name).map(AsRef::as_ref);
    column.ok_or_else(|| Error::internal(format!("a result lacks its column `{name}`")))
}

/// The text in a row of a column; empty for NULL.
fn text(batch: &RecordBatch, name: &str, row: usize) -> Result<String> {
    let texts = column(batch, name)?.as_string_opt::<i32>();
    let texts = texts.ok_or_else(|| Error::internal(format!("the column `{name}` is no text")))?;
    let there = row < texts.len() && texts.is_valid(row);
    Ok(if there {
        texts.value(row).to_owned()
    } else {
        String::new()
    })
}
