//! Sample queries: what is asked, and what that must read, as their files say.
//!
//! The format of a file stands in `queries/README.md`.

use std::fmt;

use super::File;
use crate::error::{Error, Result};
use crate::scan::ScanTotals;
use crate::session::{Connection, Statement};
use crate::store::ENTRIES_PER_SEEK;

/// A sample query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is asked, in a few words.
    pub title: &'static str,
    /// The table that its SQL names: the data set, which stands for any of its layouts.
    pub table: &'static str,
    /// What it must read, layout by layout.
    pub expectations: Vec<Expectation>,
    /// The layout that is here to show how badly it serves the query.
    pub worst: Option<&'static str>,
    /// The file's text.
    pub sql: &'static str,
}

/// What a query must read under a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The layout: `by_origin`.
    pub layout: &'static str,
    /// How many key ranges are listed; `None`: they are computed by a walk.
    pub ranges: Option<usize>,
    /// How many keys are read, in each size of the data that has a number of its own.
    pub keys_read: Vec<Count>,
}

/// A number of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The size of the generated data that it is for; `None`: any, or the data are a file.
    pub size: Option<usize>,
    /// What the number must be.
    pub bound: Bound,
}

/// What a number must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Just this.
    Exactly(usize),
    /// This or less.
    AtMost(usize),
}

impl Query {
    pub(super) fn read(file: &File) -> Result<Self> {
        let directory = file.path.rsplit('/').nth(1).unwrap_or_default();
        Self::parse(directory, file.text()?)
            .map_err(|wrong| Error::internal(format!("`{}`: {wrong}", file.path)))
    }

    /// Reads the head of a query, which ends at the first line without `-- key: value`. The error is what is wrong.
    fn parse(table: &'static str, sql: &'static str) -> Result<Self, String> {
        let mut query = Self {
            title: "",
            table,
            expectations: Vec::new(),
            worst: None,
            sql,
        };
        let lines = sql.lines().map_while(|line| line.strip_prefix("-- "));
        for line in lines {
            let (key, value) = line
                .split_once(": ")
                .ok_or(format!("`{line}` is no `key: value`"))?;
            match key {
                "title" => query.title = value,
                "worst" => query.worst = Some(value),
                layout => {
                    let expected = Expectation::parse(layout, value);
                    query
                        .expectations
                        .push(expected.ok_or(format!("`{line}` is not understood"))?);
                }
            }
        }
        match (query.title, query.expectations.as_slice()) {
            ("", _) => Err("there is no title".to_owned()),
            (_, []) => Err("there is no layout".to_owned()),
            _ => Ok(query),
        }
    }

    /// The table of a layout: `flights_by_origin`.
    pub fn table_of(&self, layout: &str) -> String {
        format!("{}_{layout}", self.table)
    }

    /// The statement that asks it of a layout.
    ///
    /// A file holds one statement, which reads the data set, or one for each of its layouts, in their order, where their
    /// columns differ.
    ///
    /// # Errors
    /// `Internal` for a file of another number of statements, or a layout that is not there.
    pub fn statement(&self, connection: &Connection, layout: &str) -> Result<Statement> {
        let statements = connection.script(self.sql)?;
        if let [statement] = statements.as_slice() {
            return Ok(statement.with_table(self.table, &self.table_of(layout)));
        }
        let mut layouts = self.expectations.iter();
        let place = layouts.position(|expected| expected.layout == layout);
        let fitting = statements.len() == self.expectations.len();
        let found = place.filter(|_| fitting).and_then(|at| statements.get(at));
        found.cloned().ok_or_else(|| {
            Error::internal(format!(
                "the sample query \"{}\" has no statement for {layout}",
                self.title
            ))
        })
    }
}

impl Expectation {
    fn parse(layout: &'static str, text: &str) -> Option<Self> {
        // A number has commas, too, but no spaces behind them.
        let (ranges, keys_read) = text.split_once(", ")?;
        let ranges = match ranges.strip_prefix("ranges ") {
            Some(count) => Some(number(count)?),
            None if ranges == "walk" => None,
            None => return None,
        };
        let counts = keys_read.strip_prefix("keys_read ")?.split(", ");
        let keys_read: Option<Vec<Count>> = counts.map(Count::parse).collect();
        Some(Self {
            layout,
            ranges,
            keys_read: keys_read?,
        })
    }

    /// What it says of data of a size; of `None` where the data are a file.
    pub fn in_size(&self, size: Option<usize>) -> Self {
        let mut counts = self.keys_read.iter();
        let fitting = counts.find(|count| count.size.is_none() || count.size == size);
        Self {
            keys_read: fitting.copied().into_iter().collect(),
            ..*self
        }
    }

    /// Whether a query that read so much, with a walk or without, did as expected. Where no number is stated for the
    /// size of the data, any will do. A walk may read more keys than it must, as many as are read in the time of the seeks
    /// that it saves so.
    pub fn is_met(&self, totals: &ScanTotals, walks: bool) -> bool {
        let ranges = match self.ranges {
            Some(ranges) => !walks && totals.ranges == ranges,
            None => walks,
        };
        let is_stated = |count: &Count| match count.bound {
            Bound::Exactly(count) => totals.keys_read == count,
            Bound::AtMost(most) => {
                let saved = usize::from(walks) * most.saturating_sub(totals.seeks);
                totals.keys_read <= most + saved * ENTRIES_PER_SEEK
            }
        };
        let keys_read = self.keys_read.is_empty() || self.keys_read.iter().any(is_stated);
        ranges && keys_read
    }

    /// As [`Expectation::is_met`], of a store that is far away: a walk there reads on as long as that takes less time than
    /// a message, and a scan that is narrowed while it runs reads once more what was on its way, so how many keys they read
    /// is not stated.
    pub fn is_met_far_away(&self, totals: &ScanTotals, walks: bool, is_narrowed: bool) -> bool {
        let is_stated = |ranges| !walks && totals.ranges == ranges;
        self.is_met(totals, walks)
            || self
                .ranges
                .map_or(walks, |ranges| is_narrowed && is_stated(ranges))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ranges {
            Some(ranges) => write!(f, "ranges {ranges}, ")?,
            None => write!(f, "walk, ")?,
        }
        let texts: Vec<String> = self.keys_read.iter().map(Count::to_string).collect();
        write!(f, "keys_read {}", texts.join(", "))
    }
}

impl Count {
    /// Reads `5`, `<= 5` or `5 of 10,000`.
    fn parse(text: &str) -> Option<Self> {
        let (count, size) = match text.split_once(" of ") {
            Some((count, size)) => (count, Some(number(size)?)),
            None => (text, None),
        };
        let bound = match count.strip_prefix("<= ") {
            Some(most) => Bound::AtMost(number(most)?),
            None => Bound::Exactly(number(count)?),
        };
        Some(Self { size, bound })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::Exactly(count) => write!(f, "{count}")?,
            Bound::AtMost(most) => write!(f, "<= {most}")?,
        }
        match self.size {
            Some(size) => write!(f, " of {size}"),
            None => Ok(()),
        }
    }
}

/// A number as people write it: `1,250`.
fn number(text: &str) -> Option<usize> {
    text.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read() {
        let sql = "-- title: One\n-- by_a: ranges 1, keys_read 1,250\n-- by_b: walk, keys_read <= 40\n\
                   -- worst: by_b\n--\n-- Note: a note.\nSELECT 1";
        let query = Query::parse("t", sql).unwrap();
        assert_eq!((query.title, query.worst), ("One", Some("by_b")));
        let texts: Vec<String> = query.expectations.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["ranges 1, keys_read 1250", "walk, keys_read <= 40"]);
        for wrong in [
            "SELECT 1",
            "-- title: One\nSELECT 1",
            "-- title: One\n-- by_a: ranges one, keys_read 1",
            "-- title: One\n-- by_a: ranges 1",
            "-- title: One\n-- by_a: ranges 1, keys_read 1\n-- wurst: by_a",
            "-- title: One\n-- by_a: ranges 1, keys_read 1\n-- a note",
        ] {
            Query::parse("t", wrong).unwrap_err();
        }
    }

    #[test]
    fn expectations_hold_or_not() {
        let totals = |ranges, keys_read| ScanTotals {
            ranges,
            keys_read,
            ..ScanTotals::default()
        };
        let listed = Expectation::parse("by_a", "ranges 2, keys_read 10").unwrap();
        assert!(listed.is_met(&totals(2, 10), false));
        assert!(!listed.is_met(&totals(2, 10), true));
        assert!(!listed.is_met(&totals(1, 10), false));
        assert!(!listed.is_met(&totals(2, 9), false));
        let walk = Expectation::parse("by_a", "walk, keys_read <= 10").unwrap();
        assert!(walk.is_met(&totals(8, 10), true) && walk.is_met(&totals(1, 0), true));
        assert!(!walk.is_met(&totals(8, 10), false));
        // In place of two seeks it may read on.
        let saves_two = |keys_read| ScanTotals {
            seeks: 8,
            ..totals(1, keys_read)
        };
        let most = 10 + 2 * ENTRIES_PER_SEEK;
        assert!(walk.is_met(&saves_two(most), true) && !walk.is_met(&saves_two(most + 1), true));
    }

    #[test]
    fn a_size_may_have_a_number_of_its_own() {
        let text = "ranges 1, keys_read <= 1,250 of 10,000, 9 of 1,000,000";
        let expected = Expectation::parse("by_a", text).unwrap();
        let told = |size| expected.in_size(size).to_string();
        assert_eq!(told(Some(10_000)), "ranges 1, keys_read <= 1250 of 10000");
        assert_eq!(told(Some(1_000_000)), "ranges 1, keys_read 9 of 1000000");
        let totals = ScanTotals {
            ranges: 1,
            keys_read: 10,
            ..ScanTotals::default()
        };
        assert!(expected.in_size(Some(10_000)).is_met(&totals, false));
        assert!(!expected.in_size(Some(1_000_000)).is_met(&totals, false));
        // Nothing is stated of this size.
        assert!(expected.in_size(Some(5)).is_met(&totals, false));
        assert!(!expected.in_size(Some(5)).is_met(&totals, true));
        let totals = ScanTotals {
            keys_read: 9,
            ..totals
        };
        let everywhere = Expectation::parse("by_a", "ranges 1, keys_read 9").unwrap();
        assert!(everywhere.in_size(Some(5)).is_met(&totals, false));
        assert!(everywhere.in_size(None).is_met(&totals, false));
        assert_eq!(Expectation::parse("by_a", "ranges 1, keys_read 9 of"), None);
    }

    #[test]
    fn a_layout_has_its_statement() {
        let head =
            "-- title: One\n-- tall: ranges 1, keys_read 1\n-- wide: ranges 1, keys_read 1\n";
        let connection = crate::session::Database::in_memory().unwrap().connect();
        let text = |body: &str, layout| -> Result<String> {
            let sql: &'static str = format!("{head}{body}").leak();
            let query = Query::parse("t", sql).unwrap();
            let statement = query.statement(&connection, layout)?;
            Ok(statement.text().to_owned())
        };
        assert_eq!(text("SELECT 1; SELECT 2", "wide").unwrap(), "SELECT 2");
        assert!(text("SELECT 1; SELECT 2", "other").is_err());
        assert!(text("SELECT 1; SELECT 2; SELECT 3", "wide").is_err());
        assert!(text("", "wide").is_err());
        assert_eq!(text("SELECT a FROM t", "wide").unwrap(), "SELECT a FROM t");
    }
}
