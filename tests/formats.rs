//! Databases of every format that Halite has written, kept as they were written: `tests/formats`.
//!
//! Each is opened for reading and for writing, and shows what its golden text says: definitions, rows, and the bytes of
//! row keys. Then every row is deleted and inserted again, by the code of today, under the same bytes.
//!
//! `HALITE_REWRITE=1` writes the golden text anew, for when the way changes in which values are shown. The databases are
//! never made again: bytes of a row key that change in the text are a fault.

use std::fs;
use std::path::{Path, PathBuf};

use halite::session::{Connection, Database};
use halite::{ErrorKind, Result};
use tempfile::TempDir;

use super::answers::texts;
use super::scripts;

/// A format, by the directory of what is kept of it.
struct Format {
    directory: PathBuf,
}

impl Format {
    /// All of them, the oldest first: 1, 2 and so on.
    fn all() -> Vec<Self> {
        let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
        let directories = (1..).map(|number: u32| formats.join(number.to_string()));
        let found: Vec<Self> = directories
            .take_while(|directory| directory.exists())
            .map(|directory| Self { directory })
            .collect();
        assert!(!found.is_empty());
        found
    }

    /// A copy of the database, to be opened: even a reader may leave files in it.
    fn database(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(self.directory.join("database")).unwrap() {
            let file = entry.unwrap();
            fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
        copy
    }

    /// That a database shows what the golden text says, block by block: statements, `---`, and what they print.
    async fn assert_shown(&self, connection: &Connection) {
        let golden = fs::read_to_string(self.golden()).unwrap();
        let shown = shown(connection, &golden).await;
        for (block, expected) in shown.split("\n\n").zip(golden.split("\n\n")) {
            let file = self.golden();
            assert!(
                block == expected,
                "{}:\n{expected}\nand now\n{block}",
                file.display()
            );
        }
        assert!(shown == golden, "a block more or less");
    }

    fn golden(&self) -> PathBuf {
        self.directory.join("shown.txt")
    }
}

/// What the statements of a golden text show.
async fn shown(connection: &Connection, golden: &str) -> String {
    let mut blocks = Vec::new();
    for block in golden.trim_end().split("\n\n") {
        let statements = block.split("\n---").next().unwrap();
        let printed = scripts::run_block(connection, statements, &mut |error| {
            format!("error: {error}")
        })
        .await;
        blocks.push(format!("{statements}\n---\n{printed}"));
    }
    blocks.join("\n")
}

async fn tables(connection: &Connection) -> Vec<String> {
    let select = "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'";
    let names = connection.query(select, ()).await.unwrap();
    let names = texts(&names);
    assert!(names.len() > 5, "{names:?}");
    names
}

/// How a table is made.
async fn definition(connection: &Connection, table: &str) -> String {
    let show = format!("SHOW CREATE TABLE {table}");
    texts(&connection.query(&show, ()).await.unwrap()).join("\n")
}

/// Whether a table's rows are found by a key that was declared, and that a statement may give.
fn has_given_key(definition: &str) -> bool {
    definition.contains("PRIMARY KEY") && !definition.contains("GENERATED ALWAYS")
}

/// A name as SQL quotes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Deletes the rows of a table and inserts them again.
async fn rewrite(connection: &Connection, name: &str) -> Result<()> {
    let table = quoted(name);
    let rows = connection
        .query(&format!("SELECT * FROM {table}"), ())
        .await?;
    let count: usize = rows.iter().map(|batch| batch.num_rows()).sum();
    let definition = definition(connection, &table).await;
    // Rows that are dealt out anew come to lie elsewhere.
    if definition.contains("random_salt(") {
        return Ok(());
    }
    if has_given_key(&definition) {
        let insert = format!("INSERT INTO {table} SELECT * FROM {table}");
        match connection.execute(&insert, ()).await {
            // The row that is stored is met under the key that is computed of it.
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{table}: {error}"),
            Ok(inserted) => assert_eq!((inserted, count), (0, 0), "{table}"),
        }
    }
    let deleted = connection
        .execute(&format!("DELETE FROM {table}"), ())
        .await?;
    assert_eq!(deleted, count as u64, "{table}");
    let mut appender = connection.appender(name)?;
    for batch in &rows {
        appender.append_batch(batch)?;
    }
    assert_eq!(appender.finish().await?, count as u64, "{table}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_is_sound_and_read() {
    for format in Format::all() {
        let copy = format.database();
        let report = Database::check_at(copy.path()).await.unwrap();
        assert!(report.is_sound(), "{:?}", report.damage);
        let database = Database::open_read_only(copy.path()).await.unwrap();
        let connection = database.connect();
        if std::env::var_os("HALITE_REWRITE").is_some() {
            let golden = fs::read_to_string(format.golden()).unwrap();
            fs::write(format.golden(), shown(&connection, &golden).await).unwrap();
        }
        format.assert_shown(&connection).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_is_written_and_keeps_its_keys() {
    for format in Format::all() {
        let copy = format.database();
        let database = Database::open(copy.path()).await.unwrap();
        let connection = database.connect();
        format.assert_shown(&connection).await;
        for table in tables(&connection).await {
            rewrite(&connection, &table).await.unwrap();
        }
        format.assert_shown(&connection).await;
        let insert = "INSERT INTO \"empty\" VALUES (1, 'one'), (2, 'two')";
        assert_eq!(connection.execute(insert, ()).await.unwrap(), 2);
        drop((connection, database));

        let database = Database::open(copy.path()).await.unwrap();
        let connection = database.connect();
        let left = connection
            .query("SELECT b FROM \"empty\" WHERE a = 2", ())
            .await
            .unwrap();
        assert_eq!(texts(&left), ["two"]);
        let deleted = connection
            .execute("DELETE FROM \"empty\"", ())
            .await
            .unwrap();
        assert_eq!(deleted, 2);
        format.assert_shown(&connection).await;
        let report = database.check().await.unwrap();
        assert!(report.is_sound(), "{:?}", report.damage);
    }
}
