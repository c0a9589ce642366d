//! `halite copy` from outside: what comes over, what it prints, and what a kill leaves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use halite::error::Error;
use halite::keyrange::KeyRange;
use halite::store::{Place, Store, StoreOptions, read_chunks};

use super::program::halite;

/// Every way in which tables are kept.
const SCRIPT: &str = "
    CREATE SEQUENCE ids START WITH 5;
    CREATE TABLE event (kind SMALLINT, day DATE, n BIGINT, note TEXT, PRIMARY KEY (salt(16), kind, day, n DESC));
    INSERT INTO event SELECT k % 5, DATE '2024-01-01', k, 'note ' || k FROM generate_series(1, 3000) AS s (k);
    CREATE TABLE state (id TEXT, ts TIMESTAMP(3), state TEXT, PRIMARY KEY (reverse(id), ts DESC));
    INSERT INTO state SELECT 'order ' || k, TIMESTAMP '2024-01-01', 'new' FROM generate_series(1, 500) AS s (k);
    CREATE TABLE customer (c INT, name TEXT, PRIMARY KEY (c, 'C')) WITH (keyspace = 'shop');
    CREATE TABLE orders (c INT, o INT, state TEXT, PRIMARY KEY (c, 'O', o)) WITH (keyspace = 'shop');
    INSERT INTO customer SELECT k, 'name ' || k FROM generate_series(1, 300) AS s (k);
    INSERT INTO orders SELECT k % 310, k, 'new' FROM generate_series(1, 2000) AS s (k);
    CREATE TABLE host (h TEXT, n INT, cpu DOUBLE, mem DOUBLE, raw TEXT, PRIMARY KEY (h, n)) WITH (families = 'm(cpu, mem) raw(raw)');
    INSERT INTO host SELECT 'h' || (k % 7), k, k, k / 2, 'raw ' || k FROM generate_series(1, 1000) AS s (k);
    CREATE TABLE log (host TEXT, kind TEXT, n INT, line TEXT, PRIMARY KEY (dict(host), dict(kind), n));
    INSERT INTO log SELECT 'host ' || (k % 90), 'kind ' || (k % 4), k, 'line' FROM generate_series(1, 1500) AS s (k);
    CREATE TABLE altered (a INT PRIMARY KEY, gone TEXT, old TEXT);
    INSERT INTO altered VALUES (1, 'x', 'y'), (2, NULL, 'z');
    ALTER TABLE altered DROP COLUMN gone;
    ALTER TABLE altered ADD COLUMN late INT DEFAULT 7;
    ALTER TABLE altered RENAME COLUMN old TO renamed;
    INSERT INTO altered VALUES (3, 'w', 8);
    CREATE TABLE made (a INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b INT CHECK (b > 0), twice INT GENERATED ALWAYS AS (b * 2)
        STORED, id BIGINT DEFAULT nextval('ids'));
    INSERT INTO made (b) SELECT k FROM generate_series(1, 700) AS s (k);
    CREATE TABLE dealt (line TEXT, PRIMARY KEY (random_salt(4), line));
    INSERT INTO dealt SELECT 'line ' || (k % 3) FROM generate_series(1, 12) AS s (k);
    CREATE TABLE keyless (a INT, b TEXT);
    INSERT INTO keyless SELECT k, 'x' FROM generate_series(1, 900) AS s (k);
    CREATE VIEW few AS SELECT kind, n FROM event WHERE n > 2990;
    CREATE VIEW fewer AS SELECT n FROM few WHERE kind = 1;";

/// The tables and views of the script.
const NAMES: [&str; 12] = [
    "altered", "customer", "dealt", "event", "few", "fewer", "host", "keyless", "log", "made",
    "orders", "state",
];

/// Standard output, standard error, and the exit status.
fn run(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = halite().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code(),
    )
}

/// The output of a run that must succeed, and complain of nothing; it may warn.
fn done(arguments: &[&str]) -> String {
    let (out, log, code) = run(arguments);
    let is_warning =
        |line: &str| line.starts_with("warning: ") || line.starts_with("made a new database, ");
    let complains = !log.lines().all(is_warning) || code != Some(0);
    assert!(!complains, "{arguments:?}: {out}\n{log}");
    out
}

/// A database with the tables of the script.
pub(crate) fn filled(directory: &Path) -> String {
    let path = directory.join("from.halite").display().to_string();
    done(&[&path, "-c", SCRIPT]);
    path
}

/// Copies all of a database, without a complaint.
pub(crate) fn copy(from: &str, to: &str) -> String {
    done(&["copy", from, to])
}

/// Definitions and rows, as the program shows them.
fn shown(database: &str) -> String {
    let mut script = "SHOW TABLES;\n".to_owned();
    for name in NAMES {
        let show = if name.starts_with("few") {
            "VIEW"
        } else {
            "TABLE"
        };
        script += &format!("SHOW CREATE {show} {name};\nSELECT * FROM {name} ORDER BY ALL;\n");
    }
    done(&[database, "--format", "csv", "-c", &script])
}

/// An entry of a store: key, value.
type Entry = (Vec<u8>, Vec<u8>);

/// The entries of all spaces of rows and dictionaries, whatever the spaces are called: each database has numbers of its
/// own.
fn entries(database: &str) -> Vec<Vec<Entry>> {
    let options = StoreOptions {
        read_only: true,
        create_if_missing: false,
        ..StoreOptions::default()
    };
    let store: Arc<dyn Store> = Place::of(Path::new(database)).open(&options).unwrap();
    let spaces = store.spaces().unwrap().into_iter();
    let spaces = spaces.filter(|space| !["catalog", "sequences"].contains(&space.as_str()));
    let mut all: Vec<Vec<Entry>> = spaces
        .map(|space| {
            let mut entries = Vec::new();
            read_chunks::<Error>(
                store.snapshot().unwrap(),
                &space,
                &KeyRange::all(),
                |chunk| {
                    let read = chunk.iter();
                    entries.extend(read.map(|(key, value)| (key.to_vec(), value.to_vec())));
                    Ok(true)
                },
            )
            .unwrap();
            entries
        })
        .collect();
    all.sort();
    all
}

/// Both databases have the same definitions, rows, keys and values.
pub(crate) fn assert_same(one: &str, other: &str) {
    let (shown, others) = (shown(one), shown(other));
    let mut pairs = shown.lines().zip(others.lines());
    let differs = pairs.find(|(one, other)| one != other);
    assert!(shown == others, "{differs:?}");
    let (entries, others) = (entries(one), entries(other));
    // Eight tables of their own, one of them in three families, one with a dictionary, and a key space.
    assert_eq!(entries.len(), 8 + 2 + 1 + 1);
    assert!(entries.iter().all(|space| !space.is_empty()));
    assert!(entries == others, "other bytes");
}

/// How many rows of each table a copy says that there were before.
fn there_before(out: &str) -> BTreeMap<String, u64> {
    let tables = out.lines().filter_map(|line| {
        let (table, rest) = line.strip_prefix("table `")?.split_once("`: ")?;
        let (rows, rest) = rest.split_once(" rows, ")?;
        let before = rest.split_once(" on both sides").unwrap().1;
        let before = before
            .strip_prefix(", ")
            .and_then(|it| it.strip_suffix(" there before"));
        let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
        assert!(number(rows) > 0, "{line}");
        Some((table.to_owned(), before.map_or(0, number)))
    });
    tables.collect()
}

#[test]
fn a_copy_has_the_same_definitions_rows_and_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let from = filled(directory.path());
    let to = directory.path().join("to.halite").display().to_string();
    let out = done(&["copy", &from, &to]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1 + NAMES.len(), "{out}");
    assert!(
        lines[0].starts_with("sequence `ids`: numbers behind "),
        "{out}"
    );
    assert!(lines[4].starts_with("table `event`: 3,000 rows, "), "{out}");
    assert_eq!(lines[11..], ["view `few`", "view `fewer`"], "{out}");
    assert!(
        there_before(&out).values().all(|before| *before == 0),
        "{out}"
    );
    assert_same(&from, &to);
    // Again: all is there.
    let again = done(&["copy", &from, &to]);
    let before = there_before(&again);
    assert_eq!((before["event"], before["orders"]), (3000, 2000), "{again}");
    // Numbers go on, and do not begin again.
    let more = "INSERT INTO made (b) VALUES (1001)";
    let shown = "SELECT a > 700 AND id > 704 AS goes_on FROM made WHERE b = 1001";
    assert_eq!(done(&[&to, "-c", more, "-c", shown]), "goes_on\ntrue\n");
    assert_eq!(
        done(&["check", &to]).lines().last().unwrap(),
        format!("the database {to} is sound")
    );
}

#[test]
fn tables_are_copied_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let from = filled(directory.path());
    let to = directory.path().join("to.halite").display().to_string();
    let out = done(&["copy", &from, &to, "orders", "EVENT", "few"]);
    assert_eq!(out.lines().count(), 3, "{out}");
    assert_eq!(done(&[&to, "-c", "SHOW TABLES"]).lines().count(), 1 + 3);
    let (out, log, code) = run(&["copy", &from, &to, "fewer", "state", "nobody"]);
    assert_eq!((out.as_str(), code), ("", Some(1)));
    assert!(
        log.contains("there is no table `nobody`; there are altered, "),
        "{log}"
    );
    assert_eq!(done(&[&to, "-c", "SHOW TABLES"]).lines().count(), 1 + 3);
}

#[test]
fn what_is_wrong_is_told_and_nothing_written() {
    let directory = tempfile::tempdir().unwrap();
    let from = filled(directory.path());
    let at = |name: &str| directory.path().join(name).display().to_string();
    let (to, none) = (at("to.halite"), at("none.halite"));
    let wrong = |from: &str, to: &str, expected: &str| {
        let (out, log, code) = run(&["copy", from, to]);
        assert_eq!((out.as_str(), code), ("", Some(1)), "{log}");
        assert!(
            log.starts_with("error: ") && log.contains(expected),
            "{log}"
        );
    };
    wrong(&none, &to, "there is no Halite database");
    wrong(&from, &from, "cannot be copied into itself");
    assert!(!Path::new(&to).exists() && !Path::new(&none).exists());
    done(&[&to, "-c", "CREATE TABLE state (id TEXT PRIMARY KEY)"]);
    wrong(&from, &to, "table `state`: ");
    wrong(&from, &to, "In ");
    wrong(&from, &to, "    ts TIMESTAMP(3) NOT NULL,\n");
    assert_eq!(done(&[&to, "-c", "SHOW TABLES"]).lines().count(), 1 + 1);
    done(&[&to, "-c", "DROP TABLE state"]);
    done(&[
        &to,
        "-c",
        "CREATE TABLE keyless (a INT, b TEXT); INSERT INTO keyless VALUES (1, 'y')",
    ]);
    wrong(&from, &to, "table `keyless`: ");
    wrong(&from, &to, "has other values in");
    assert_eq!(done(&[&to, "-c", "SHOW TABLES"]).lines().count(), 1 + 1);
}

#[test]
fn a_table_that_differs_ends_with_status_1() {
    let directory = tempfile::tempdir().unwrap();
    let from = filled(directory.path());
    let to = directory.path().join("to.halite").display().to_string();
    done(&["copy", &from, &to, "state", "made"]);
    done(&[&to, "-c", "DELETE FROM made WHERE a = 5"]);
    let (out, log, code) = run(&["copy", &from, &to, "state", "made"]);
    assert_eq!(code, Some(1));
    let expected = format!(
        "table `made`: NOT THE SAME: row /5 is in {from} and not in {to}\n  {from}: 700 rows, "
    );
    assert!(
        out.contains(&expected) && out.contains(&format!("\n  {to}: 699 rows, ")),
        "{out}"
    );
    assert!(
        out.contains("\ntable `state`: 500 rows, ") && out.contains("500 there before"),
        "{out}"
    );
    let told = format!(
        "error: 1 table is not the same in {from} and in {to}: drop what differs in {to}, and copy it again\n"
    );
    assert_eq!(log, told);
    done(&[&to, "-c", "DROP TABLE made"]);
    done(&["copy", &from, &to, "made"]);
}

/// Copies a little at a time, and is killed after so long; whether it was.
fn killed_after(wait: Duration, from: &str, to: &str) -> bool {
    let mut child = halite()
        .args(["copy", from, to, "--chunk-bytes", "1000"])
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

#[test]
fn a_copy_that_is_killed_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let from = filled(directory.path());
    let to: PathBuf = directory.path().join("to.halite");
    let to = to.display().to_string();
    let mut kills = 0;
    // A machine may be slow: then a copy is given more and more time.
    for round in 1..40 {
        if killed_after(Duration::from_millis(60 * round), &from, &to) {
            kills += 1
        } else {
            break;
        }
    }
    let (out, log, code) = run(&["copy", &from, &to]);
    assert_eq!((log.as_str(), code), ("", Some(0)), "{out}");
    assert!(kills >= 3, "{kills}");
    assert!(there_before(&out).values().sum::<u64>() > 0, "{out}");
    assert_same(&from, &to);
}
