//! `docs/row-keys.md` shows what its statements print.
//!
//! Behind each block of SQL that gives rows stands a block of text, what the statements gave when the page was written.
//! This runs them again over the layouts of the sample data. `HALITE_REWRITE=1` writes the blocks anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use arrow::util::pretty::pretty_format_batches;
use halite::session::{Connection, Outcome, RowStream};

use super::in_memory;
use crate::answers::KeyRow;
use crate::golden::assert_golden;

/// The counters of a scan that are the same on every machine.
const COUNTERS: [&str; 4] = ["ranges", "keys_read", "rows_out", "bytes_read"];

/// The page with what its statements print now.
async fn renewed(page: &str, connection: &Connection) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```sql\n") {
        let (sql, after) = after.split_once("```\n").unwrap();
        let printed = printed(connection, sql).await;
        let _ = write!(text, "{before}```sql\n{sql}```\n");
        if !printed.is_empty() {
            let _ = write!(text, "\n```text\n{printed}```\n");
        }
        rest = match after.strip_prefix("\n```text\n") {
            Some(old) => old.split_once("```\n").unwrap().1,
            None => after,
        };
    }
    text + rest
}

async fn printed(connection: &Connection, sql: &str) -> String {
    let mut text = String::new();
    for statement in connection.script(sql).unwrap() {
        let outcome = connection.run(&statement).await;
        let stream = match outcome.unwrap_or_else(|error| panic!("{sql}\n{error}")) {
            Outcome::Rows(stream) => stream,
            // Settings, tables and changes are no answers.
            _ => continue,
        };
        let rows = RowStream::from(stream).rows().await.unwrap();
        let only = |column: &str| {
            let row = rows.get(0)?;
            row.get::<String>(column).ok()
        };
        text += &if KeyRow::are(&rows) {
            KeyRow::all(&rows).iter().map(range).collect()
        } else if let Some(plan) = only("plan") {
            counters(&plan)
        } else if let Some(statement) = only("statement") {
            format!("{statement}\n")
        } else {
            format!("{}\n", pretty_format_batches(&rows.into_batches()).unwrap())
        };
    }
    text
}

/// A range that is scanned, on a line.
fn range(row: &KeyRow) -> String {
    format!("{} {}\n", row.kind, row.range(" to "))
}

/// The counters of the scans in a plan that was run, summed up.
fn counters(plan: &str) -> String {
    let scans: Vec<&str> = plan
        .lines()
        .filter(|line| line.contains("ScanExec"))
        .collect();
    let count = |scan: &str, name: &str| -> u64 {
        let metrics = scan.split_once("metrics=[").unwrap().1;
        let mut pairs = metrics.trim_end_matches(']').split(", ");
        let found = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let count = found.unwrap_or_else(|| panic!("no {name}: {plan}"));
        count.parse().unwrap()
    };
    let sum = |name: &str| {
        let counts = scans.iter().map(|scan| count(scan, name));
        format!("{name} {}", counts.sum::<u64>())
    };
    let counters = COUNTERS.map(sum).join(", ");
    match scans.len() {
        0 => panic!("no scan: {plan}"),
        1 => format!("{counters}\n"),
        scans => format!("scans {scans}, {counters}\n"),
    }
}

/// The numbers of a text, those of ten and more, without the commas in them.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !(letter.is_ascii_digit() || letter == ','));
    let numbers = words.map(|word| word.replace(',', ""));
    numbers.filter(|number| number.len() > 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_what_its_statements_print() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/row-keys.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let connection = in_memory().await.connection();
    // As on a machine of four processors: that its numbers are those of one is for the page to say.
    let four = "SET datafusion.execution.target_partitions = 4";
    connection.execute(four, vec![]).await.unwrap();
    let renewed = renewed(&page, &connection).await;
    assert_golden(&path, &renewed);
}

/// A figure in the page's own words stands in a statement, or in what one printed.
#[test]
fn the_figures_in_the_page_are_printed_by_its_statements() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/row-keys.md");
    let page = std::fs::read_to_string(path).unwrap();
    // Outside of blocks and code.
    let prose = page.split("```").step_by(2);
    let prose = prose.flat_map(|text| text.split('`').step_by(2));
    let blocks = page.split("```").skip(1).step_by(2);
    let known: BTreeSet<String> = blocks.flat_map(numbers).collect();
    let unknown: Vec<String> = prose
        .flat_map(numbers)
        .filter(|figure| !known.contains(figure))
        .collect();
    assert!(unknown.is_empty(), "no statement prints {unknown:?}");
}
