//! The n-th call of the store fails, for every n: an error that says so, and nothing lost or half done.
//!
//! Each change runs in a fresh database for each n, three times: the n-th call fails; it and all after it fail; it does
//! what it is asked and fails all the same. Afterwards the store works again: the connection is used, the change is made
//! again, and the database is opened anew.

mod others;

use std::sync::Arc;

use halite::error::{Error, ErrorKind, Result};
use halite::session::{Connection, Database};
use halite::store::wrap::{Failing, Faults};
use halite::store::{MemoryStore, Store};
use tempfile::TempDir;

use super::{Contents, contents, execute, open_store, rows, runtime};
use crate::answers::texts;

/// What every database of these tests holds at first.
const SETUP: &[&str] = &[
    "CREATE TABLE salted (k BIGINT, v TEXT, PRIMARY KEY (salt(4), k))",
    "CREATE TABLE hashed (k BIGINT, v TEXT, PRIMARY KEY (hash(k)))",
    "CREATE TABLE walked (a BIGINT, b BIGINT, v TEXT, PRIMARY KEY (a, b))",
    "INSERT INTO salted SELECT value, 'v' || value FROM generate_series(1, 400)",
    "INSERT INTO hashed SELECT k * 2, v FROM salted",
    "INSERT INTO walked SELECT k % 10, k, v FROM salted",
];

/// Calls whose failure a statement may survive: an estimate for the planner, and what is tried again later.
const HARMLESS: [&str; 3] = ["approximate_size", "boundaries", "drop_space"];

/// Over which store, and how, a change is made.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// In one batch, as small changes are.
    Batch,
    /// Spilled and in sorted files, as large ones are.
    Bulk,
    /// The same in RocksDB, whose calls fail as a whole, with files that are written by then.
    BulkInRocks,
}

/// A database whose store can be told to fail.
struct Subject {
    inner: Arc<dyn Store>,
    faults: Faults,
    connection: Connection,
    /// Where RocksDB keeps it.
    directory: Option<TempDir>,
}

impl Subject {
    async fn new(way: Way) -> Self {
        let directory = matches!(way, Way::BulkInRocks).then(|| tempfile::tempdir().unwrap());
        let inner: Arc<dyn Store> = match &directory {
            Some(directory) => open_store(directory.path()),
            None => Arc::new(MemoryStore::new()),
        };
        let faults = Faults::never();
        let failing = Failing::new(Arc::clone(&inner), faults.clone());
        let database = Database::of_store(Arc::new(failing)).unwrap();
        let connection = database.connect();
        for sql in SETUP {
            execute(&connection, sql).await.unwrap();
        }
        if !matches!(way, Way::Batch) {
            let setting = "SET halite.statement_memory = 1";
            execute(&connection, setting).await.unwrap();
        }
        Self {
            inner,
            faults,
            connection,
            directory,
        }
    }

    /// What a new opening finds, and whether every space has its table.
    async fn reopened(&self) -> Contents {
        let database = Database::of_store(Arc::clone(&self.inner)).unwrap();
        let found = contents(&database.connect()).await.unwrap();
        let mut spaces = self.inner.spaces().unwrap();
        spaces.retain(|space| space != "sequences");
        assert_eq!(spaces.len(), found.len() + 1, "{spaces:?}");
        if let Some(directory) = &self.directory {
            let loads = directory.path().join("halite-loads");
            assert!(!loads.exists(), "files of a load are left");
        }
        found
    }
}

/// A name, and what makes the n-th call fail so.
type Manner = (&'static str, fn(&Faults, u64));

const MANNERS: [Manner; 3] = [
    ("once", Faults::fail_once),
    ("for good", Faults::fail_from),
    ("with its answer lost", Faults::lose_answer),
];

fn check_error(error: &Error, sql: &str, faults: &Faults) {
    let failed = faults.failed();
    assert!(!failed.is_empty(), "{sql}: {error}");
    let message = error.to_string();
    assert!(
        message.contains("injected fault: call "),
        "{sql}: {message}"
    );
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{sql}: {message}");
}

/// Runs a statement that changes rows or tables for every n in every manner.
fn sweep_change(sql: &str) {
    sweep(Way::Batch, sql, async |connection| {
        execute(connection, sql).await
    });
}

/// As [`sweep_change`], for a change that is written in bulk.
fn sweep_bulk(sql: &str) {
    for way in [Way::Bulk, Way::BulkInRocks] {
        sweep(way, sql, async |connection| execute(connection, sql).await);
    }
}

/// Makes a change, which is called `name`, for every n in every manner.
fn sweep(way: Way, name: &str, change: impl AsyncFn(&Connection) -> Result<u64>) {
    runtime().block_on(async {
        let subject = Subject::new(way).await;
        let before = contents(&subject.connection).await.unwrap();
        change(&subject.connection).await.unwrap();
        let after = contents(&subject.connection).await.unwrap();
        assert_eq!(after, subject.reopened().await);
        for (manner, fail) in MANNERS {
            let mut call = 1;
            while change_once(
                way,
                name,
                &change,
                manner,
                |faults| fail(faults, call),
                &before,
                &after,
            )
            .await
            {
                call += 1;
            }
            assert!(call > 2, "{name} makes no call");
            println!("{manner}: {} calls of {name}, {way:?}", call - 1);
        }
    });
}

/// Makes a change once; returns whether a call failed.
async fn change_once(
    way: Way,
    name: &str,
    change: &impl AsyncFn(&Connection) -> Result<u64>,
    manner: &str,
    fail: impl Fn(&Faults),
    before: &Contents,
    after: &Contents,
) -> bool {
    let subject = Subject::new(way).await;
    fail(&subject.faults);
    let outcome = change(&subject.connection).await;
    let (failed, calls) = (subject.faults.failed(), subject.faults.calls());
    if let Err(error) = &outcome {
        check_error(error, name, &subject.faults);
    } else if let Some(call) = failed.iter().find(|call| !HARMLESS.contains(call)) {
        panic!("{name}: {call} failed, and nobody was told");
    }
    subject.faults.stop();
    let place = format!("{name}: call {calls} failed {manner}: {failed:?}");
    let now = contents(&subject.connection).await.unwrap();
    let is_lost = manner == "with its answer lost";
    let reopened = subject.reopened().await;
    match &outcome {
        Ok(_) => assert!(&now == after && &reopened == after, "{place}"),
        Err(_) => {
            assert!(
                &now == before || is_lost && &now == after,
                "{place}: half done"
            );
            assert!(
                &reopened == before || is_lost && &reopened == after,
                "{place}: half done"
            );
        }
    }
    if outcome.is_err() && &now == before && !is_lost {
        let again = change(&subject.connection).await;
        again.unwrap_or_else(|error| panic!("{place}, and again: {error}"));
        assert!(
            &contents(&subject.connection).await.unwrap() == after,
            "{place}"
        );
        assert!(&subject.reopened().await == after, "{place}");
    }
    !failed.is_empty()
}

/// A file of new rows of `salted`.
fn file(extension: &str) -> tempfile::NamedTempFile {
    let suffix = format!(".{extension}");
    tempfile::Builder::new().suffix(&suffix).tempfile().unwrap()
}

#[test]
fn a_failing_call_of_an_insert() {
    sweep_change("INSERT INTO salted VALUES (-1, 'a'), (-2, 'b'), (-3, 'c')");
    sweep_change("INSERT INTO salted SELECT k + 100000, v FROM hashed WHERE k < 300");
}

/// The sequence of an identity comes and goes with its table.
#[test]
fn a_failing_call_of_a_table_that_numbers_rows() {
    sweep_change("CREATE TABLE numbered (a INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b INT)");
}

#[test]
fn a_failing_call_of_a_replace() {
    sweep_change("REPLACE INTO salted VALUES (1, 'new'), (-1, 'a')");
    sweep_change("REPLACE INTO hashed VALUES (2, 'new'), (-1, 'a')");
}

#[test]
fn a_failing_call_of_a_delete() {
    sweep_change("DELETE FROM salted WHERE k < 100");
    sweep_change("DELETE FROM salted WHERE k IN (SELECT k FROM hashed WHERE k < 500)");
    sweep_change("DELETE FROM walked WHERE b = 17 OR a = 3");
}

#[test]
fn a_failing_call_of_a_change_of_rows() {
    sweep_change("UPDATE salted SET v = 'changed' WHERE k < 100");
    sweep_change(
        "UPDATE salted SET k = salted.k + 1000, v = h.v FROM hashed AS h WHERE h.k = salted.k",
    );
    sweep_change(
        "INSERT INTO hashed VALUES (2, 'a'), (-1, 'b') ON CONFLICT DO UPDATE SET v = v || excluded.v",
    );
    sweep_change(
        "MERGE INTO walked USING hashed AS h ON h.k = walked.b WHEN MATCHED AND h.k < 200 THEN DELETE \
         WHEN MATCHED THEN UPDATE SET v = 'met' WHEN NOT MATCHED THEN INSERT VALUES (77, h.k, h.v)",
    );
}

#[test]
fn a_failing_call_of_a_load() {
    let csv = file("csv");
    let lines: String = (10_000..19_000)
        .map(|key| format!("{key},loaded\n"))
        .collect();
    std::fs::write(csv.path(), lines).unwrap();
    sweep_change(&format!("COPY salted FROM '{}'", csv.path().display()));
    let parquet = file("parquet");
    let copied = format!(
        "COPY (SELECT value AS k, 'loaded' AS v FROM generate_series(10000, 10500)) TO '{}' STORED AS PARQUET",
        parquet.path().display()
    );
    let database = Database::in_memory().unwrap();
    runtime()
        .block_on(execute(&database.connect(), &copied))
        .unwrap();
    sweep_change(&format!("COPY salted FROM '{}'", parquet.path().display()));
}

#[test]
fn a_failing_call_of_a_change_in_bulk() {
    sweep_bulk("INSERT INTO salted SELECT k + 100000, v FROM hashed WHERE k < 24");
    sweep_bulk("REPLACE INTO hashed VALUES (2, 'new'), (-1, 'a'), (2, 'newer')");
    sweep_bulk("DELETE FROM walked WHERE b < 8 OR b = 17");
    sweep_bulk("UPDATE walked SET b = b + 1, v = 'moved' WHERE b < 24");
    sweep_bulk(
        "INSERT INTO hashed SELECT k, 'new' FROM salted WHERE k < 12 ON CONFLICT DO NOTHING",
    );
    let csv = file("csv");
    let lines: String = (10_000..10_012)
        .map(|key| format!("{key},loaded\n"))
        .collect();
    std::fs::write(csv.path(), lines).unwrap();
    sweep_bulk(&format!("COPY salted FROM '{}'", csv.path().display()));
}

#[test]
fn a_failing_call_of_a_change_of_tables() {
    sweep_change("CREATE TABLE made (k BIGINT, PRIMARY KEY (k))");
    sweep_change("DROP TABLE salted");
    sweep_change("DROP TABLE salted, walked, hashed");
    sweep_change("TRUNCATE TABLE hashed");
}

/// As [`sweep_read`], for a query.
async fn sweep_query(subject: &Subject, sql: &str) {
    sweep_read(subject, sql, async || rows(&subject.connection, sql).await).await;
}

/// Reads for every n what is called `sql`. It makes no changes, so one database does for all.
async fn sweep_read(subject: &Subject, sql: &str, read: impl AsyncFn() -> Result<Vec<String>>) {
    let expected = read().await.unwrap();
    assert!(!expected.is_empty(), "{sql}");
    for (manner, fail) in &MANNERS[..2] {
        let mut call = 1;
        loop {
            fail(&subject.faults, call);
            let outcome = read().await;
            let failed = subject.faults.failed();
            match outcome {
                Err(error) => check_error(&error, sql, &subject.faults),
                Ok(found) => {
                    assert_eq!(found, expected, "{sql}: {failed:?}");
                    let severe = failed.iter().find(|call| !HARMLESS.contains(call));
                    assert_eq!(severe, None, "{sql}: nobody was told of call {call}");
                }
            }
            subject.faults.stop();
            let again = read().await.unwrap();
            assert_eq!(again, expected, "{sql}: after {failed:?}");
            if failed.is_empty() {
                break;
            }
            call += 1;
        }
        assert!(call > 2, "{sql} makes no call");
        println!("{manner}: {} calls of {sql}", call - 1);
    }
}

#[test]
fn a_failing_call_of_a_query() {
    runtime().block_on(async {
        let subject = Subject::new(Way::Batch).await;
        for sql in [
            "SELECT v FROM salted WHERE k = 17",
            "SELECT v FROM hashed WHERE k IN (2, 4, 6)",
            "SELECT count(*), min(v) FROM salted",
            "SELECT * FROM salted WHERE k BETWEEN 10 AND 20 OR k > 390",
            "SELECT * FROM salted WHERE v LIKE '%99'",
            "SELECT * FROM walked WHERE b = 17",
            "SELECT * FROM walked WHERE a IN (3, 5, 7) AND b < 200",
            "SELECT * FROM walked ORDER BY a DESC, b DESC",
            "SELECT s.v, h.v FROM salted s JOIN hashed h ON s.k = h.k WHERE s.k < 400",
            "SELECT a, count(*) FROM walked GROUP BY a",
            "SELECT count(*) FROM salted WHERE k IN (SELECT a FROM walked)",
            "SELECT v FROM salted UNION ALL SELECT v FROM hashed",
            "SELECT row_key FROM keys('walked')",
        ] {
            sweep_query(&subject, sql).await;
        }
    });
}

/// Opening reads the catalog and drops what is left over: an error, or a database that is whole.
#[test]
fn a_failing_call_of_an_opening() {
    runtime().block_on(async {
        let subject = Subject::new(Way::Batch).await;
        let expected = contents(&subject.connection).await.unwrap();
        for (manner, fail) in MANNERS {
            for call in 1.. {
                // A table that was never made, as a crash leaves it.
                let _ = subject.inner.create_space("t900", &Default::default());
                let faults = Faults::never();
                let failing = Failing::new(Arc::clone(&subject.inner), faults.clone());
                fail(&faults, call);
                let opened = Database::of_store(Arc::new(failing));
                let failed = faults.failed();
                faults.stop();
                match opened {
                    Err(error) => check_error_of(&error, &failed),
                    Ok(database) => {
                        let connection = database.connect();
                        assert_eq!(contents(&connection).await.unwrap(), expected);
                        let table = "CREATE TABLE made (k BIGINT, PRIMARY KEY (k))";
                        execute(&connection, table).await.unwrap();
                        execute(&connection, "DROP TABLE made").await.unwrap();
                    }
                }
                assert_eq!(subject.reopened().await, expected, "{manner}, {failed:?}");
                if failed.is_empty() {
                    assert!(call > 4);
                    break;
                }
            }
        }
    });
}

fn check_error_of(error: &Error, failed: &[&str]) {
    assert!(error.message().contains("injected fault"), "{error}");
    assert!(!failed.is_empty());
}
