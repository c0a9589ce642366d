//! What the runs have read: a few lines for one, a table for all.

use std::fmt;
use std::time::Duration;

use super::super::text::{counted, fit, grouped};
use crate::scan::ScanTotals;

/// The columns that the name of a query gets in the table.
const QUERY: usize = 46;

/// One query under one layout.
pub struct QueryLine {
    /// The data set that it asks.
    pub data_set: &'static str,
    /// Its number and title.
    pub query: String,
    /// The layout: `by_origin`.
    pub layout: &'static str,
    /// Whether the layout is here to show how badly it serves the query.
    pub is_worst: bool,
    /// Whether a table is walked.
    pub walks: bool,
    /// Whether it read what was expected.
    pub is_met: bool,
    /// Whether the rows are those that come without pushdown and under the other layouts.
    pub is_same: bool,
    /// Rows of the result.
    pub rows: usize,
    /// What was read, and how long that took.
    pub usual: (ScanTotals, Duration),
    /// The same without pushdown.
    pub plain: (ScanTotals, Duration),
}

impl QueryLine {
    /// Whether all went as it should.
    pub fn is_good(&self) -> bool {
        self.is_met && self.is_same
    }

    fn mark(&self) -> &'static str {
        match (self.is_good(), self.is_worst) {
            (false, _) => " ✗",
            (true, true) => " worst",
            (true, false) => "",
        }
    }
}

/// ```text
///   read               1 range       331 keys    331 rows     4.1 ms
///   without pushdown   1 range   336,776 keys    331 rows   402.0 ms
/// ```
impl fmt::Display for QueryLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.walks { "walk" } else { "range" };
        let mut measured = |name: &str, noun: &str, (totals, elapsed): (ScanTotals, Duration)| {
            writeln!(
                f,
                "  {name:<17}{:>9}{:>15}{:>13}{:>12}",
                counted(totals.ranges as u64, noun),
                counted(totals.keys_read as u64, "key"),
                counted(self.rows as u64, "row"),
                milliseconds(elapsed) + " ms"
            )
        };
        measured("read", noun, self.usual)?;
        measured("without pushdown", "range", self.plain)
    }
}

fn milliseconds(elapsed: Duration) -> String {
    let tenths = (elapsed.as_micros() + 50) / 100;
    let whole = u64::try_from(tenths / 10).unwrap_or(u64::MAX);
    format!("{}.{}", grouped(whole), tenths % 10)
}

/// The table of all runs, data set by data set.
pub fn summary(lines: &[QueryLine]) -> String {
    let mut text = String::new();
    let mut row = |query: &str, layout: &str, cells: [&str; 6], mark: &str| {
        let sizes = [8, 10, 8, 10, 11, 10];
        let cells: String = cells
            .iter()
            .zip(sizes)
            .map(|(cell, size)| fit(cell, size, true))
            .collect();
        let line = format!(
            "{} {}{cells}{mark}",
            fit(query, QUERY, false),
            fit(layout, 13, false)
        );
        text.push_str(line.trim_end());
        text.push('\n');
    };
    row("", "", ["", "", "", "", "without", "pushdown"], "");
    let heads = ["ranges", "keys read", "rows", "ms", "keys read", "ms"];
    row("query", "layout", heads, "");
    let mut data_set = "";
    for line in lines {
        if line.data_set != data_set {
            data_set = line.data_set;
            row(data_set, "", [""; 6], "");
        }
        let ranges = if line.walks {
            "walk".to_owned()
        } else {
            grouped(line.usual.0.ranges as u64)
        };
        let keys_read = |totals: &ScanTotals| grouped(totals.keys_read as u64);
        let cells = [
            ranges,
            keys_read(&line.usual.0),
            grouped(line.rows as u64),
            milliseconds(line.usual.1),
            keys_read(&line.plain.0),
            milliseconds(line.plain.1),
        ];
        row(
            &line.query,
            line.layout,
            cells.each_ref().map(String::as_str),
            line.mark(),
        );
    }
    text
}
