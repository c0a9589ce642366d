//! `SET halite.durability`: what each statement asks of the disk.

use std::sync::Arc;

use halite::store::wrap::{Call, Recording};
use halite::store::{Durability, MemoryStore};

use super::{database, execute, log_syncs, open_counting, rows, runtime};

const CHANGES: [&str; 5] = [
    "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
    "REPLACE INTO t VALUES (1, 'c')",
    "INSERT INTO t SELECT k + 10, v FROM t",
    "DELETE FROM t WHERE k = 1",
    "COPY t FROM '{file}'",
];

const TABLES: [&str; 3] = [
    "CREATE TABLE u (k BIGINT, PRIMARY KEY (k))",
    "TRUNCATE TABLE u",
    "DROP TABLE u",
];

/// The statements that change rows; the file that one of them loads is kept.
fn changes(file: &tempfile::NamedTempFile) -> Vec<String> {
    std::fs::write(file.path(), "100,x\n101,y\n").unwrap();
    let path = file.path().display().to_string();
    CHANGES
        .iter()
        .map(|sql| sql.replace("{file}", &path))
        .collect()
}

fn csv() -> tempfile::NamedTempFile {
    tempfile::Builder::new().suffix(".csv").tempfile().unwrap()
}

#[test]
fn each_acknowledged_statement_has_synced_the_log_and_none_that_is_buffered() {
    let (directory, file) = (tempfile::tempdir().unwrap(), csv());
    let store = open_counting(directory.path());
    let connection = database(&store).connect();
    runtime().block_on(async {
        let table = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (k))";
        execute(&connection, table).await.unwrap();
        for (durability, syncs) in [
            (None, true),
            (Some("buffered"), false),
            (Some("sync"), true),
        ] {
            if let Some(durability) = durability {
                let setting = format!("SET halite.durability = '{durability}'");
                execute(&connection, &setting).await.unwrap();
            }
            for sql in changes(&file) {
                let before = log_syncs(&store);
                assert!(execute(&connection, &sql).await.unwrap() > 0);
                assert_eq!(log_syncs(&store) > before, syncs, "{durability:?}: {sql}");
            }
            for sql in TABLES {
                let before = log_syncs(&store);
                execute(&connection, sql).await.unwrap();
                assert!(log_syncs(&store) > before, "{durability:?}: {sql}");
            }
            let before = log_syncs(&store);
            rows(&connection, "SELECT * FROM t").await.unwrap();
            assert_eq!(log_syncs(&store), before, "a query writes nothing");
            execute(&connection, "DELETE FROM t").await.unwrap();
        }
    });
}

#[test]
fn the_setting_reaches_every_write_of_rows_and_none_of_tables() {
    let recording = Recording::new(Arc::new(MemoryStore::new()));
    let log = recording.log();
    let connection = database(&Arc::new(recording)).connect();
    let file = csv();
    let written = |sql: &str| {
        let durability = |call| match call {
            Call::Write(_, durability) => Some(durability),
            _ => None,
        };
        let found: Vec<_> = log.take().into_iter().filter_map(durability).collect();
        assert!(!found.is_empty(), "{sql} wrote nothing");
        found
    };
    runtime().block_on(async {
        let table = "CREATE TABLE t (k BIGINT, v TEXT, PRIMARY KEY (k))";
        execute(&connection, table).await.unwrap();
        for (setting, expected) in [
            ("SET halite.pushdown = true", Durability::Sync),
            ("SET halite.durability = 'buffered'", Durability::Buffered),
            ("SET halite.durability = sync", Durability::Sync),
            ("SET halite.durability TO 'BUFFERED'", Durability::Buffered),
        ] {
            execute(&connection, setting).await.unwrap();
            for sql in changes(&file) {
                log.take();
                execute(&connection, &sql).await.unwrap();
                assert_eq!(written(&sql), [expected], "{setting}: {sql}");
            }
            for sql in TABLES {
                execute(&connection, sql).await.unwrap();
                assert!(written(sql).iter().all(|found| *found == Durability::Sync));
            }
            execute(&connection, "DELETE FROM t").await.unwrap();
        }
    });
}

#[test]
fn a_durability_that_is_none_is_refused_with_those_there_are() {
    let connection = database(&Arc::new(MemoryStore::new())).connect();
    runtime().block_on(async {
        let refused = execute(&connection, "SET halite.durability = 'fast'").await;
        let message = refused.unwrap_err().to_string();
        for word in ["'fast'", "'sync'", "'buffered'"] {
            assert!(message.contains(word), "{message}");
        }
    });
}
