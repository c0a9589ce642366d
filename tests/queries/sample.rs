//! The files of `catalog/flights` and `queries/flights`, read strictly: a line that is nearly an expectation fails.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::run::Run;

/// A query with what its file states.
#[derive(Debug, Clone)]
pub struct Query {
    /// The file's name without `.sql`.
    pub name: String,
    /// What is asked.
    pub title: String,
    /// What is read, by layout.
    pub expectations: BTreeMap<String, Expectation>,
    /// The layout that serves it worst, if it is there to show that.
    pub worst: Option<String>,
    /// The query over `flights` and `weather`.
    pub sql: String,
}

/// What a query reads under a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// How many ranges; `None` for a walk.
    pub ranges: Option<usize>,
    /// How many keys.
    pub keys_read: usize,
    /// Whether fewer keys are as good.
    pub at_most: bool,
}

/// A table of flights.
pub struct Layout {
    /// Its name in the queries' files: `by_origin`.
    pub name: String,
    /// The table's name: `flights_by_origin`.
    pub table: String,
    /// The statements that make it and load it.
    pub script: String,
}

impl Expectation {
    /// How a run missed it; empty if it did not.
    pub fn missed_by(&self, run: &Run) -> String {
        let (ranges, keys_read) = (run.totals.ranges, run.totals.keys_read);
        let keys_fit = if self.at_most {
            keys_read <= self.keys_read
        } else {
            keys_read == self.keys_read
        };
        if self.ranges.is_none_or(|wanted| ranges == wanted) && keys_fit {
            return String::new();
        }
        format!("ranges {ranges}, keys_read {keys_read}, expected {self:?}")
    }

    /// `ranges 1, keys_read 1,250` or `walk, keys_read <= 1,250`.
    fn parse(text: &str) -> Option<Self> {
        let (kind, keys) = text.split_once(", keys_read ")?;
        let ranges = match kind.strip_prefix("ranges ") {
            Some(count) => Some(number(count)?),
            None => (kind == "walk").then_some(None)?,
        };
        let (at_most, keys) = match keys.strip_prefix("<= ") {
            Some(keys) => (true, keys),
            None => (false, keys),
        };
        Some(Self {
            ranges,
            keys_read: number(keys)?,
            at_most,
        })
    }
}

fn number(text: &str) -> Option<usize> {
    text.replace(',', "").parse().ok()
}

/// All queries, in the order of their numbers.
pub fn queries() -> Vec<Query> {
    files("queries/flights")
        .iter()
        .map(|(name, text)| query(name, text))
        .collect()
}

/// The layouts of `flights`; `weather`'s file is not one.
pub fn layouts() -> Vec<Layout> {
    let layouts = files("catalog/flights")
        .into_iter()
        .filter_map(|(table, script)| {
            let name = table.strip_prefix("flights_")?.to_owned();
            Some(Layout {
                name,
                table,
                script,
            })
        });
    layouts.collect()
}

/// The statements that make and load `weather`.
pub fn weather_script() -> String {
    std::fs::read_to_string(root().join("catalog/flights/weather.sql")).unwrap()
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The `.sql` files of a directory by name, with their text.
fn files(directory: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(directory)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

fn query(name: &str, text: &str) -> Query {
    let mut query = Query {
        name: name.to_owned(),
        title: String::new(),
        expectations: BTreeMap::new(),
        worst: None,
        sql: text.trim().trim_end_matches(';').to_owned(),
    };
    for line in text.lines().map_while(|line| line.strip_prefix("-- ")) {
        let Some((label, value)) = line.split_once(": ") else {
            panic!("{name}: `{line}` is no head line");
        };
        match label {
            "title" => query.title = value.to_owned(),
            "worst" => query.worst = Some(value.to_owned()),
            layout => {
                let expected = Expectation::parse(value)
                    .unwrap_or_else(|| panic!("{name}: `{line}` states nothing"));
                assert!(
                    query
                        .expectations
                        .insert(layout.to_owned(), expected)
                        .is_none(),
                    "{name}: {layout} twice"
                );
            }
        }
    }
    assert!(!query.title.is_empty(), "{name} has no title");
    query
}

#[test]
fn an_expectation_says_ranges_or_walk_and_keys() {
    let parsed = |text| Expectation::parse(text);
    let exact = Expectation {
        ranges: Some(1),
        keys_read: 1250,
        at_most: false,
    };
    assert_eq!(parsed("ranges 1, keys_read 1,250"), Some(exact));
    assert_eq!(
        parsed("walk, keys_read <= 40"),
        Some(Expectation {
            ranges: None,
            keys_read: 40,
            at_most: true
        })
    );
    for text in [
        "range 1, keys_read 2",
        "ranges 1",
        "ranges x, keys_read 1",
        "walk, keys_read < 4",
    ] {
        assert_eq!(parsed(text), None, "{text}");
    }
}
