//! Files from elsewhere, damaged: a query and a COPY give an error that names the file, or the rows that it holds.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use tempfile::TempDir;

use super::{Connection, Database};
use crate::error::Error;
use crate::seed::seed;

/// The kinds of files, and whether each tells of every flipped bit: what is written as plain text does not.
const KINDS: &[(&str, bool)] = &[
    ("csv", false),
    ("jsonl", false),
    ("csv.gz", true),
    ("csv.zst", true),
    ("parquet", true),
];

const TABLE: &str = "(a INT, b TEXT, c DOUBLE, d DATE, PRIMARY KEY (a))";

async fn made() -> (Connection, TempDir) {
    let connection = Database::in_memory().unwrap().connect();
    let directory = tempfile::tempdir().unwrap();
    let run = async |sql: &str| connection.execute(sql, ()).await.unwrap();
    run(&format!("CREATE TABLE t {TABLE}")).await;
    run("INSERT INTO t SELECT value, concat('text ', CAST(value * value AS TEXT)), value / 7.0, CAST(to_timestamp_seconds(value * 86400) AS DATE) \
         FROM generate_series(1, 3000)")
    .await;
    for (kind, _) in KINDS {
        let file = directory.path().join(format!("whole.{kind}"));
        let header = if kind.starts_with("csv") {
            " (HEADER)"
        } else {
            ""
        };
        run(&format!("COPY t TO '{}'{header}", file.display())).await;
    }
    (connection, directory)
}

/// Damages bytes at a random place, and says how.
fn damage(bytes: &mut Vec<u8>, random: &mut Rng) -> String {
    let at = random.usize(..bytes.len());
    let count = random.usize(1..64).min(bytes.len() - at);
    match random.u8(0..5) {
        0 | 1 => {
            let bit = random.u8(0..8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} flipped")
        }
        2 => {
            bytes[at..at + count].fill(0);
            format!("{count} bytes at {at} zero")
        }
        3 => {
            bytes.truncate(at);
            format!("cut to {at} bytes")
        }
        _ => {
            bytes.drain(at..at + count);
            format!("{count} bytes at {at} gone")
        }
    }
}

const SUMS: &str =
    "count(*) AS n, sum(CAST(a AS BIGINT)) AS a, count(DISTINCT b) AS b, sum(c) AS c, max(d) AS d";

async fn selected(connection: &Connection, source: &str) -> Result<String, Error> {
    let batches = connection
        .query(&format!("SELECT {SUMS} FROM {source}"), ())
        .await?;
    let text = arrow::util::pretty::pretty_format_batches(&batches);
    // What only differs in the types that a reader guesses is the same.
    Ok(text
        .map_err(|error| Error::invalid(error.to_string()))?
        .to_string())
}

async fn copied(connection: &Connection, file: &Path) -> Result<String, Error> {
    connection
        .execute("DROP TABLE IF EXISTS copied", ())
        .await?;
    connection
        .execute(&format!("CREATE TABLE copied {TABLE}"), ())
        .await?;
    let header = if file.extension().is_some_and(|it| it == "parquet") {
        ""
    } else {
        " (HEADER)"
    };
    let copy = format!("COPY copied FROM '{}'{header}", file.display());
    connection.execute(&copy, ()).await?;
    selected(connection, "copied").await
}

fn judge(what: &str, found: Result<String, Error>, expected: &str, tells_all: bool) -> bool {
    match found {
        Ok(rows) => {
            assert!(!tells_all || rows == expected, "{what}: other rows\n{rows}");
            false
        }
        Err(error) => {
            let message = error.message();
            // A file that cannot tell is read with other types, and these are what the query is about.
            let is_of_types = !tells_all
                && ["No function matches", "Cannot cast"]
                    .iter()
                    .any(|words| message.contains(words));
            assert!(
                is_of_types || message.contains("damaged."),
                "{what}: {error}"
            );
            assert!(
                !message.contains("panic") && !message.contains("inside of Halite"),
                "{what}: {error}"
            );
            true
        }
    }
}

/// `HALITE_DAMAGES` says how many files.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_files_are_errors_or_their_rows() {
    let count: usize = std::env::var("HALITE_DAMAGES").map_or(200, |it| it.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let (connection, directory) = made().await;
    let mut table = vec![(0, 0); KINDS.len()];
    let mut right = Vec::new();
    for (kind, _) in KINDS {
        let whole = directory.path().join(format!("whole.{kind}"));
        let selected = selected(&connection, &format!("'{}'", whole.display())).await;
        let copied = match *kind {
            "jsonl" => String::new(),
            _ => copied(&connection, &whole).await.unwrap(),
        };
        right.push((selected.unwrap(), copied));
    }
    for round in 0..count {
        let (kind, tells_all) = KINDS[round % KINDS.len()];
        let whole = directory.path().join(format!("whole.{kind}"));
        let file = directory.path().join(format!("damaged.{kind}"));
        let mut bytes = fs::read(&whole).unwrap();
        let done = damage(&mut bytes, &mut random);
        fs::write(&file, &bytes).unwrap();
        let what = format!("{kind}, {done}");
        let (rows, rows_copied) = &right[round % KINDS.len()];
        let found = selected(&connection, &format!("'{}'", file.display())).await;
        let told = judge(&format!("SELECT of {what}"), found, rows, tells_all);
        let counts = &mut table[round % KINDS.len()];
        counts.0 += usize::from(told);
        counts.1 += usize::from(!told);
        if kind != "jsonl" {
            let found = copied(&connection, &file).await;
            judge(&format!("COPY of {what}"), found, rows_copied, tells_all);
        }
    }
    for ((kind, _), (told, rows)) in KINDS.iter().zip(table) {
        println!("{kind:8} {told:5} told {rows:5} rows");
        assert!(told > 0, "{kind}");
    }
}

/// Objects of 100 bytes, behind one of so many, in 5,000 bytes.
fn lines(first: usize) -> String {
    let rest = (5_000 - first) / 100;
    let line = |bytes: usize| format!("{{\"a\":\"{}\"}}\n", "x".repeat(bytes - 9));
    line(first) + &line(100).repeat(rest)
}

#[tokio::test]
async fn a_row_that_is_too_long_is_told_whenever_a_file_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.jsonl");
    let connection = Database::in_memory().unwrap().connect();
    let select = format!("SELECT count(*) FROM '{}'", path.display());
    let limited = async |most: usize| {
        let limit = format!("SET halite.row_bytes = {most}");
        connection.execute(&limit, ()).await.unwrap();
        let row = connection.query_row(&select, ()).await;
        row.map(|row| row.unwrap().get::<i64>(0).unwrap())
    };
    fs::write(&path, lines(100)).unwrap();
    assert_eq!(limited(1_000).await.unwrap(), 50);
    fs::write(&path, lines(2_000)).unwrap();
    let is_too_long = |found: Result<i64, Error>| {
        let error = found.unwrap_err();
        assert!(error.message().contains("a row of more than"), "{error}");
    };
    is_too_long(limited(1_000).await);
    assert_eq!(limited(2_000).await.unwrap(), 31);
}
