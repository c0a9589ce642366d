//! What a query scans, for people: the rows of `EXPLAIN KEYS`, table by table.

use std::collections::HashMap;
use std::fmt;

use super::super::names::Names;
use super::super::text::{grouped, width};
use crate::error::{Error, Result};
use crate::run::outcome::Outcome;
use crate::session::{Connection, Row, RowStream, Rows, Statement};
use crate::sql::parse::Buckets;

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
    /// What the query calls it, where it reads the table more than once.
    alias: Option<String>,
    /// The parts of its row key: `origin, scheduled`.
    key: String,
    ranges: Vec<Range>,
    residual: String,
}

struct Range {
    kind: String,
    bucket: Option<String>,
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
        for row in &rows(connection, &query.explain_keys(Buckets::Together)?).await? {
            let name = text(&row, "table")?;
            let alias = row.get::<Option<String>>("alias")?;
            let is_same = |table: &Table| table.name == name && table.alias == alias;
            if !tables.last().is_some_and(is_same) {
                tables.push(Table {
                    key: key(&name).unwrap_or_default(),
                    residual: text(&row, "residual")?,
                    ranges: Vec::new(),
                    name,
                    alias,
                });
            }
            if let Some(table) = tables.last_mut() {
                table.ranges.push(Range::read(&row)?);
            }
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for table in &tables {
            *seen.entry(table.name.clone()).or_default() += 1;
        }
        // The layouts stand in the place of a data set, whose name is their alias.
        for table in &mut tables {
            if seen.get(&table.name) == Some(&1) {
                table.alias = None;
            }
        }
        Ok(Self { tables })
    }

    /// Whether any table is walked.
    pub fn walks(&self) -> bool {
        self.is_any("walk")
    }

    /// Whether any scan is narrowed while it runs.
    pub fn is_narrowed(&self) -> bool {
        self.is_any("runtime")
    }

    fn is_any(&self, kind: &str) -> bool {
        let mut ranges = self.tables.iter().flat_map(|table| &table.ranges);
        ranges.any(|range| range.kind == kind)
    }
}

impl Range {
    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            kind: text(row, "kind")?,
            bucket: row.get("bucket")?,
            start: text(row, "start")?,
            stop: text(row, "stop")?,
        })
    }
}

impl fmt::Display for Scanned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            let alias = table.alias.as_ref().map(|alias| format!(" AS {alias}"));
            let alias = alias.unwrap_or_default();
            writeln!(f, "{}{alias}  PRIMARY KEY ({})", table.name, table.key)?;
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
        let bucket = self
            .bucket
            .as_ref()
            .map(|bucket| format!(", bucket {bucket}"));
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

async fn rows(connection: &Connection, statement: &Statement) -> Result<Rows> {
    match connection.run(statement).await? {
        Outcome::Rows(stream) => RowStream::from(stream).rows().await,
        _ => Err(Error::internal(format!(
            "`{}` gives no rows",
            statement.text()
        ))),
    }
}

/// The text of a column; empty for NULL.
fn text(row: &Row, column: &str) -> Result<String> {
    Ok(row.get::<Option<String>>(column)?.unwrap_or_default())
}
