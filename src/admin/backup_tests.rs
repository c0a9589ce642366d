use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use crate::session::Connection;

async fn database() -> (TempDir, PathBuf, Database) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db");
    let database = Database::open(&path).await.unwrap();
    let connection = database.connect();
    for table in ["first", "second"] {
        let create = format!(
            "CREATE TABLE {table} (w INT, batch BIGINT, row INT, PRIMARY KEY (salt(4), w, batch, row))"
        );
        connection.execute(&create, ()).await.unwrap();
    }
    (directory, path, database)
}

/// How many rows a statement of the stress test writes.
const ROWS: i64 = 10;

/// Writes statements into both tables, one after the other, until it is told to stop; `done` is the last acknowledged.
async fn keep_writing(
    connection: Connection,
    writer: i32,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicI64>,
) {
    let mut batch = 0;
    while !stop.load(Ordering::Relaxed) {
        for table in ["first", "second"] {
            let insert = format!(
                "INSERT INTO {table} SELECT $1, $2, n FROM generate_series(1, {ROWS}) AS s (n)"
            );
            connection.execute(&insert, (writer, batch)).await.unwrap();
        }
        done.store(batch, Ordering::SeqCst);
        batch += 1;
    }
}

/// The batches of a writer in a table: all are whole, and they are the first ones. Gives how many.
async fn whole_batches(connection: &Connection, table: &str, writer: i32) -> i64 {
    let sql = format!(
        "SELECT count(*), count(DISTINCT batch), coalesce(max(batch), -1) FROM {table} WHERE w = $1"
    );
    let row = connection
        .query_row(&sql, (writer,))
        .await
        .unwrap()
        .unwrap();
    let (rows, batches, last): (i64, i64, i64) = row.to().unwrap();
    assert_eq!(
        (rows, last),
        (batches * ROWS, batches - 1),
        "writer {writer} in {table}"
    );
    batches
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_backup_beside_writers_is_one_moment_with_all_that_was_acknowledged() {
    let (directory, _path, database) = database().await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let done = Arc::new(AtomicI64::new(-1));
            let task = keep_writing(
                database.connect(),
                writer,
                Arc::clone(&stop),
                Arc::clone(&done),
            );
            (tokio::spawn(task), done)
        })
        .collect();
    for round in 0..4 {
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        let acknowledged: Vec<i64> = writers
            .iter()
            .map(|(_, done)| done.load(Ordering::SeqCst))
            .collect();
        let copy = directory.path().join(format!("backup-{round}"));
        database.backup(&copy).await.unwrap();
        let report = Database::check_at(&copy).await.unwrap();
        assert!(report.is_sound(), "{report:?}");
        let copied = Database::open_read_only(&copy).await.unwrap().connect();
        for (writer, acknowledged) in (0..).zip(acknowledged) {
            let first = whole_batches(&copied, "first", writer).await;
            let second = whole_batches(&copied, "second", writer).await;
            assert!(
                second > acknowledged,
                "writer {writer}: {second}, {acknowledged} acknowledged"
            );
            // The first table is written first, and nothing in between.
            assert!(
                first == second || first == second + 1,
                "writer {writer}: {first}, {second}"
            );
        }
    }
    stop.store(true, Ordering::Relaxed);
    for (task, _) in writers {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn what_is_restored_is_what_was_backed_up() {
    let (directory, path, database) = database().await;
    let connection = database.connect();
    connection
        .execute("INSERT INTO first VALUES (1, 1, 1), (1, 1, 2)", ())
        .await
        .unwrap();
    // As a shell completes the names of directories: with a slash at the end.
    let (backup, restored) = (
        directory.path().join("deep/backup/"),
        directory.path().join("restored/"),
    );
    database.backup(&backup).await.unwrap();
    connection.execute("DELETE FROM first", ()).await.unwrap();
    connection.execute("DROP TABLE second", ()).await.unwrap();
    for _ in 0..2 {
        Database::restore(&backup, &restored).await.unwrap();
        assert!(Database::check_at(&restored).await.unwrap().is_sound());
        let copied = Database::open(&restored).await.unwrap().connect();
        let rows = copied
            .rows("SELECT row FROM first ORDER BY row", ())
            .await
            .unwrap();
        assert_eq!(rows.to_vec::<(i32,)>().unwrap(), [(1,), (2,)]);
        // What is written there changes nothing here, nor in the backup.
        copied.execute("DELETE FROM first", ()).await.unwrap();
        copied
            .execute("INSERT INTO second VALUES (1, 1, 1)", ())
            .await
            .unwrap();
        drop(copied);
        std::fs::remove_dir_all(&restored).unwrap();
    }
    assert!(!restored.exists());
    drop((connection, database));
    assert!(Database::check_at(&path).await.unwrap().is_sound());
}

async fn refusal(result: impl Future<Output = Result<()>>) -> (ErrorKind, String) {
    let error = result.await.unwrap_err();
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn what_is_in_the_way_is_told() {
    let (directory, path, database) = database().await;
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("taken")).unwrap();
    let (kind, text) = refusal(database.backup(at("taken"))).await;
    assert!(
        kind == ErrorKind::InvalidInput && text.contains("taken is there already"),
        "{text}"
    );
    let memory = Database::in_memory().unwrap();
    let (kind, text) = refusal(memory.backup(at("memory"))).await;
    assert!(
        kind == ErrorKind::NotSupported && text.contains("not on disk"),
        "{text}"
    );
    database.backup(at("backup")).await.unwrap();
    let (kind, text) = refusal(Database::restore(at("backup"), at("taken"))).await;
    assert!(
        kind == ErrorKind::InvalidInput && text.contains("taken is there already"),
        "{text}"
    );
    let (kind, text) = refusal(Database::restore(at("nowhere"), at("new"))).await;
    assert!(
        kind == ErrorKind::InvalidInput && text.contains("no Halite database"),
        "{text}"
    );
    #[cfg(target_os = "linux")]
    {
        let (kind, text) = refusal(Database::restore(&path, at("new"))).await;
        assert!(
            kind == ErrorKind::Unavailable && text.contains("has open"),
            "{text}"
        );
    }
    drop(database);
    let reading = Database::open_read_only(&path).await.unwrap();
    let (kind, text) = refusal(reading.backup(at("reading"))).await;
    assert!(
        kind == ErrorKind::Unavailable && text.contains("read-only"),
        "{text}"
    );
    std::fs::write(at("backup").join("CURRENT"), "MANIFEST-999999\n").unwrap();
    let (_, text) = refusal(Database::restore(at("backup"), at("new"))).await;
    assert!(text.starts_with("the backup: "), "{text}");
    for name in ["new", "new.restoring", "memory", "reading", "reading.tmp"] {
        assert!(!at(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn a_damaged_backup_is_not_restored() {
    let (directory, _path, database) = database().await;
    let at = |name: &str| directory.path().join(name);
    let insert =
        "INSERT INTO first SELECT 1 AS w, 1 AS batch, value AS row FROM generate_series(1, 20000)";
    database.connect().execute(insert, ()).await.unwrap();
    database.backup(at("backup")).await.unwrap();
    let files = std::fs::read_dir(at("backup")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|it| it == "sst"))
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        for part in 1..4 {
            let mut damaged = whole.clone();
            damaged[whole.len() * part / 4] ^= 1;
            std::fs::write(&file, &damaged).unwrap();
            let (kind, text) = refusal(Database::restore(at("backup"), at("new"))).await;
            assert!(
                kind == ErrorKind::Corrupt && text.contains("backup"),
                "{}: {text}",
                file.display()
            );
            assert!(!at("new").exists() && !at("new.restoring").exists());
        }
        std::fs::write(&file, &whole).unwrap();
    }
    Database::restore(at("backup"), at("new")).await.unwrap();
}
