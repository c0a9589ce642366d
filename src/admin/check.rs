//! Whether a database is whole: `halite check`.
//!
//! Everything is read: the files against their checksums, the definitions of tables, and every row, which is decoded and
//! whose key is computed again from its columns. Nothing is changed, and neither a damaged row nor a damaged place of a
//! file keeps the others from being looked at.

use std::path::Path;
use std::sync::Arc;

use crate::catalog;
use crate::error::{Error, ErrorKind, Result};
use crate::keyrange::{KeyRange, hex};
use crate::row::{RowReader, RowSnapshot, RowWriter, own_rows};
use crate::run::waiting::on_waiting_thread;
use crate::schema::BoundTable;
use crate::session::Database;
use crate::store::{Chunk, Place, RocksStore, Snapshot, Store, StoreOptions};
use crate::write::SpillDirectory;

/// The error where who reads a whole database panics.
pub(crate) const READING: &str = "the thread that reads has failed";
/// How many damaged rows of a table are listed; the others are counted.
const LISTED: u64 = 100;
/// Behind so many places of a table that cannot be read, reading ends: each costs some hundred tries to get behind it.
const PLACES: usize = 1_000;

/// What is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The table, if it is about one.
    pub table: Option<String>,
    /// The row key, readable, if it is about a row; in hex digits where it cannot be read.
    pub row: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.table, &self.row) {
            (Some(table), Some(row)) => write!(f, "table `{table}`, row {row}: {}", self.what),
            (Some(table), None) => write!(f, "table `{table}`: {}", self.what),
            (None, _) => f.write_str(&self.what),
        }
    }
}

/// What was found in one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCheck {
    /// Its name.
    pub table: String,
    /// How many rows could be read from the store, damaged ones included.
    pub rows: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
    /// How many of the rows are damaged.
    pub damaged: u64,
}

/// What [`Database::check`] and [`Database::check_at`] have found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The tables that could be looked at, by name.
    pub tables: Vec<TableCheck>,
    /// What is damaged: files, places of tables whose rows cannot be read, and of each table's damaged rows the first
    /// hundred.
    pub damage: Vec<Damage>,
    /// What is unusual and harmless.
    pub notes: Vec<String>,
}

impl CheckReport {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }

    fn add(&mut self, what: impl Into<String>) {
        self.damage.push(Damage {
            table: None,
            row: None,
            what: what.into(),
        });
    }
}

impl Database {
    /// Reads everything in this database and reports what is damaged.
    ///
    /// # Errors
    /// `Unavailable` where it cannot be read at all; what is damaged is in the report.
    pub async fn check(&self) -> Result<CheckReport> {
        let store = Arc::clone(self.catalog().store());
        on_waiting_thread(READING, move || {
            let mut report = CheckReport::default();
            check_store(&store, &mut report)?;
            Ok(report)
        })
        .await
    }

    /// Reads everything in the database in the directory `path` and reports what is damaged, even if it is too damaged to
    /// be opened. Nothing is changed; another process may have the database open.
    ///
    /// # Errors
    /// `InvalidInput` where there is no database, `Unavailable` where it cannot be read at all; what is damaged is in the
    /// report.
    pub async fn check_at(path: impl AsRef<Path>) -> Result<CheckReport> {
        let path = path.as_ref().to_owned();
        on_waiting_thread(READING, move || check_at(&path)).await
    }
}

/// As [`Database::check_at`], on this thread.
pub(crate) fn check_at(path: &Path) -> Result<CheckReport> {
    let options = StoreOptions {
        read_only: true,
        create_if_missing: false,
        ..StoreOptions::default()
    };
    let mut report = CheckReport::default();
    let place = Place::of(path);
    if let Place::Cluster(_) = place {
        check_store(&place.open(&options)?, &mut report)?;
        return Ok(report);
    }
    match RocksStore::holder(path) {
        Some(_) => report.notes.push(
            "another process has the database open: what it writes now is not looked at".to_owned(),
        ),
        None => note_left_over(path, &mut report),
    }
    check_logs(path, &mut report);
    let store = match RocksStore::open(path, &options) {
        Ok(store) => Arc::new(store) as Arc<dyn Store>,
        Err(error) => return check_unopened(path, error, report),
    };
    check_store(&store, &mut report)?;
    Ok(report)
}

/// What can be said of a database that cannot be opened.
fn check_unopened(path: &Path, error: Error, mut report: CheckReport) -> Result<CheckReport> {
    if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Internal) {
        add_files(&mut report, RocksStore::damaged_files(path))?;
    }
    // One whose manifest is cut short may look like no database of Halite's.
    if error.kind() != ErrorKind::Corrupt && report.is_sound() {
        return Err(error);
    }
    report.add(format!("it cannot be opened: {error}"));
    Ok(report)
}

fn add_files(report: &mut CheckReport, damage: Result<Vec<Error>>) -> Result<()> {
    for error in note(report, damage)?.unwrap_or_default() {
        report.add(error.to_string());
    }
    Ok(())
}

/// Tells of files that nobody needs any more.
fn note_left_over(path: &Path, report: &mut CheckReport) {
    let mut left = RocksStore::left_over(path);
    left.extend(SpillDirectory::left_over(path));
    left.sort_unstable();
    if !left.is_empty() {
        let left: Vec<String> = left.iter().map(|it| it.display().to_string()).collect();
        report.notes.push(format!(
            "a process that was killed has left {}: it goes when the database is opened for writing",
            left.join(", ")
        ));
    }
}

fn check_logs(path: &Path, report: &mut CheckReport) {
    match RocksStore::first_torn(path) {
        Ok(None) => {}
        Ok(Some((log, at))) => report.add(format!(
            "the file {} ends inside of the record that begins at its byte {at}: its end is lost, or a crash cut off a \
             write that was not acknowledged",
            log.display()
        )),
        Err(error) => report.add(error.to_string()),
    }
}

/// Notes damage, and hands on what has kept from looking.
fn note<T>(report: &mut CheckReport, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::Corrupt => {
            report.add(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn check_store(store: &Arc<dyn Store>, report: &mut CheckReport) -> Result<()> {
    match store.verify() {
        // The rows are looked at all the same.
        Err(others) if others.kind() == ErrorKind::NotSupported => {
            report.notes.push(others.message().to_owned());
        }
        damage => add_files(report, damage)?,
    }
    let inspected = catalog::inspect(store.as_ref());
    let Some(inspection) = note(report, inspected)? else {
        return Ok(());
    };
    for what in inspection.damage {
        report.add(what);
    }
    if !inspection.orphans.is_empty() {
        report.notes.push(format!(
            "spaces of no table, which a crash has left: {}; they go when the database is opened for writing",
            inspection.orphans.join(", ")
        ));
    }
    let all = inspection.tables.clone();
    for table in inspection.tables {
        let snapshot = store.snapshot()?;
        if !table
            .table()
            .spaces()
            .names()
            .all(|space| snapshot.has_space(space))
        {
            // Dropped or emptied meanwhile.
            continue;
        }
        let mut check = TableReader::new(table, &all);
        check.read(&snapshot)?;
        report.damage.extend(check.damage);
        report.tables.push(check.found);
    }
    Ok(())
}

/// Looks at the rows of one table.
struct TableReader {
    reader: RowReader,
    writer: RowWriter,
    columns: Vec<usize>,
    found: TableCheck,
    damage: Vec<Damage>,
    /// The key that was read last.
    last: Option<Vec<u8>>,
    /// All tables of its key space, if it is the first of them: it looks for rows that are of none.
    beside: Vec<Arc<BoundTable>>,
}

impl TableReader {
    fn new(table: Arc<BoundTable>, all: &[Arc<BoundTable>]) -> Self {
        let beside = all.iter().filter(|other| other.space() == table.space());
        let beside: Vec<Arc<BoundTable>> = beside.cloned().collect();
        let is_first = beside
            .first()
            .is_some_and(|first| first.name() == table.name());
        Self {
            beside: if is_first { beside } else { Vec::new() },
            columns: (0..table.all_columns().len()).collect(),
            found: TableCheck {
                table: table.name().to_owned(),
                rows: 0,
                bytes: 0,
                damaged: 0,
            },
            writer: RowWriter::new(Arc::clone(&table)),
            reader: RowReader::new(table),
            damage: Vec::new(),
            last: None,
        }
    }

    /// Reads all rows, and behind a place that cannot be read goes on with the first that can.
    fn read(&mut self, snapshot: &Arc<dyn Snapshot>) -> Result<()> {
        let spaces = self.reader.table().spaces();
        let rows = RowSnapshot::of(Arc::clone(snapshot), spaces);
        let mut rest = KeyRange::all();
        for _ in 0..PLACES {
            let read: Result<()> = rows.read_chunks(&rest, |chunk| {
                self.check(chunk);
                Ok(true)
            });
            let error = match read {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Corrupt => error,
                Err(error) => return Err(error),
            };
            let behind = self.last.as_deref().unwrap_or_default();
            let next = rows.first_readable(behind)?;
            self.add_place(next.as_deref(), &error);
            match next.and_then(|next| KeyRange::new(next, None)) {
                Some(behind) => rest = behind,
                None => return Ok(()),
            }
        }
        self.add_damage(format!(
            "reading ends at the {PLACES}th place that cannot be read"
        ));
        Ok(())
    }

    /// Notes that from the last row on, up to `next`, nothing can be read.
    fn add_place(&mut self, next: Option<&[u8]>, error: &Error) {
        let last = self.last.as_deref().map(|key| self.readable(key));
        let next = next.map(|key| self.readable(key));
        let rows = match (last, next) {
            (Some(last), Some(next)) => format!("between row {last} and row {next}"),
            (Some(last), None) => format!("behind row {last}"),
            (None, Some(next)) => format!("before row {next}"),
            (None, None) => "of the table".to_owned(),
        };
        self.add_damage(format!("the rows {rows} cannot be read: {error}"));
    }

    fn add_damage(&mut self, what: String) {
        self.damage.push(Damage {
            table: Some(self.found.table.clone()),
            row: None,
            what,
        });
    }

    fn check(&mut self, chunk: &Chunk) {
        if let Some((key, _)) = chunk.last() {
            self.last = Some(key.to_vec());
        }
        self.look_for_strangers(chunk);
        let table = Arc::clone(self.reader.table());
        let chunk = &*own_rows(&table, chunk);
        self.found.rows += chunk.len() as u64;
        self.found.bytes += chunk
            .iter()
            .map(|(key, value)| (key.len() + value.len()) as u64)
            .sum::<u64>();
        if self.is_whole(chunk).is_ok() {
            return;
        }
        for (key, value) in chunk.iter() {
            let mut row = Chunk::default();
            row.push(key, value);
            if let Err(error) = self.is_whole(&row) {
                self.add(key, &error);
            }
        }
    }

    /// Notes rows of a key space that are of none of its tables.
    fn look_for_strangers(&mut self, chunk: &Chunk) {
        if self.beside.is_empty() {
            return;
        }
        let is_own = |key: &&[u8]| self.beside.iter().any(|table| table.row_key().is_own(key));
        let strange = chunk.keys().filter(|key| !is_own(key)).map(hex);
        let strange: Vec<String> = strange.collect();
        for key in strange {
            self.add_damage(format!("the row x'{key}' is of no table of the key space"));
        }
    }

    /// Whether the rows can be read, and have the keys that their columns give.
    fn is_whole(&self, chunk: &Chunk) -> Result<()> {
        let rows = self.reader.read(chunk, &self.columns, None)?;
        let entries = self.writer.encode(&rows)?;
        for ((key, _), entry) in chunk.iter().zip(entries.iter()) {
            if key != entry.key {
                return Err(Error::corrupt(format!(
                    "its columns give another row key, {}",
                    self.readable(entry.key)
                )));
            }
        }
        Ok(())
    }

    fn readable(&self, key: &[u8]) -> String {
        self.reader.table().row_key().readable(key)
    }

    fn add(&mut self, key: &[u8], error: &Error) {
        self.found.damaged += 1;
        if self.found.damaged > LISTED {
            return;
        }
        let (table, row) = (self.found.table.clone(), self.readable(key));
        let what = error.to_string();
        // Messages of the reader say where, too, and those of the writer count a row that is alone.
        let what = what
            .strip_prefix(&format!("table `{table}`, row {row}: "))
            .unwrap_or(&what);
        let what = what.strip_prefix("row 1: ").unwrap_or(what);
        let what = what
            .strip_prefix(&format!("table `{table}`: "))
            .unwrap_or(what);
        self.damage.push(Damage {
            what: what.to_owned(),
            table: Some(table),
            row: Some(row),
        });
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
