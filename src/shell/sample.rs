//! The sample data with its layouts and queries, compiled into the program so that `halite demo` runs anywhere.
//!
//! [`FILES`] lists them all. The head of a query says what it must read under a layout; the format stands in
//! `queries/README.md`.

use std::fmt;

use crate::error::{Error, Result};
use crate::scan::ScanTotals;

/// A file of the repository.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its path in the repository.
    pub path: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
}

impl File {
    /// What it holds, as text.
    ///
    /// # Errors
    /// `Internal` for a file that is no text.
    pub fn text(&self) -> Result<&'static str> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            Error::internal(format!("`{}` is no text", self.path)).with_source(error)
        })
    }
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(File { path: $path, bytes: include_bytes!(concat!("../../", $path)) }),*]
    };
}

/// Every layout, query and data file.
pub static FILES: &[File] = files![
    "catalog/flights/flights_by_origin.sql",
    "catalog/flights/flights_by_tailnum.sql",
    "catalog/flights/flights_by_time.sql",
    "catalog/flights/weather.sql",
    "data/flights.parquet",
    "data/weather.csv",
    "queries/flights/01-one-flight.sql",
    "queries/flights/02-airport-day.sql",
    "queries/flights/03-newest-flight.sql",
    "queries/flights/04-earlier-flights.sql",
    "queries/flights/05-three-aircraft.sql",
    "queries/flights/06-tailnum-prefix.sql",
    "queries/flights/07-no-tailnum.sql",
    "queries/flights/08-one-hour.sql",
    "queries/flights/09-next-page.sql",
    "queries/flights/10-first-departures.sql",
    "queries/flights/11-late-on-a-day.sql",
    "queries/flights/12-first-long-delays.sql",
    "queries/flights/13-airport-year.sql",
    "queries/flights/14-count.sql",
    "queries/flights/15-two-windows.sql",
    "queries/flights/16-last-day-of-a-fleet.sql",
    "queries/flights/17-carrier-day.sql",
    "queries/flights/18-flights-and-weather.sql",
    "queries/flights/19-rainy-day.sql",
    "queries/flights/20-aircraft-year.sql",
    "queries/flights/21-other-airports.sql",
];

/// The files that declare a table and load it.
pub fn layouts() -> impl Iterator<Item = &'static File> {
    under("catalog/")
}

/// The files that are loaded.
pub fn data() -> impl Iterator<Item = &'static File> {
    under("data/")
}

/// The queries, in order.
///
/// # Errors
/// `Internal` that names the file whose head is not understood.
pub fn queries() -> Result<Vec<Query>> {
    under("queries/").map(Query::read).collect()
}

fn under(directory: &'static str) -> impl Iterator<Item = &'static File> {
    FILES.iter().filter(move |file| file.path.starts_with(directory))
}

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
    /// How many keys are read.
    pub keys_read: Bound,
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
    fn read(file: &File) -> Result<Self> {
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
            let (key, value) = line.split_once(": ").ok_or(format!("`{line}` is no `key: value`"))?;
            match key {
                "title" => query.title = value,
                "worst" => query.worst = Some(value),
                layout if layout.starts_with("by_") => {
                    let expected = Expectation::parse(layout, value);
                    query.expectations.push(expected.ok_or(format!("`{line}` is not understood"))?);
                }
                _ => return Err(format!("`{key}` is not known")),
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
}

impl Expectation {
    fn parse(layout: &'static str, text: &str) -> Option<Self> {
        let (ranges, keys_read) = text.split_once(", ")?;
        let ranges = match ranges.strip_prefix("ranges ") {
            Some(count) => Some(number(count)?),
            None if ranges == "walk" => None,
            None => return None,
        };
        let keys_read = keys_read.strip_prefix("keys_read ")?;
        let keys_read = match keys_read.strip_prefix("<= ") {
            Some(most) => Bound::AtMost(number(most)?),
            None => Bound::Exactly(number(keys_read)?),
        };
        Some(Self {
            layout,
            ranges,
            keys_read,
        })
    }

    /// Whether a query that read so much, with a walk or without, did as expected.
    pub fn is_met(&self, totals: &ScanTotals, walks: bool) -> bool {
        let ranges = match self.ranges {
            Some(ranges) => !walks && totals.ranges == ranges,
            None => walks,
        };
        let keys_read = match self.keys_read {
            Bound::Exactly(count) => totals.keys_read == count,
            Bound::AtMost(most) => totals.keys_read <= most,
        };
        ranges && keys_read
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ranges {
            Some(ranges) => write!(f, "ranges {ranges}, ")?,
            None => write!(f, "walk, ")?,
        }
        match self.keys_read {
            Bound::Exactly(count) => write!(f, "keys_read {count}"),
            Bound::AtMost(most) => write!(f, "keys_read <= {most}"),
        }
    }
}

/// A number as people write it: `1,250`.
fn number(text: &str) -> Option<usize> {
    text.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The paths of all files in a directory and below, other than what explains them.
    fn files_in(directory: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{directory}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.extend(files_in(&path));
            } else if !path.ends_with("/README.md") {
                found.push(path);
            }
        }
        found.sort();
        found
    }

    #[test]
    fn the_list_holds_every_file() {
        let listed: Vec<&str> = FILES.iter().map(|file| file.path).collect();
        let there: Vec<String> = ["catalog", "data", "queries"].into_iter().flat_map(files_in).collect();
        assert_eq!(listed, there);
    }

    #[test]
    fn every_query_is_understood_and_names_layouts_that_exist() {
        let queries = queries().unwrap();
        assert_eq!(queries.len(), under("queries/").count());
        for query in &queries {
            assert_eq!(query.table, "flights");
            let named = query.expectations.iter().map(|expected| expected.layout).chain(query.worst);
            for layout in named {
                let path = format!("catalog/flights/{}.sql", query.table_of(layout));
                assert!(FILES.iter().any(|file| file.path == path), "{}: {path}", query.title);
            }
        }
    }

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
        assert!(!walk.is_met(&totals(8, 10), false) && !walk.is_met(&totals(8, 11), true));
    }
}
