//! `halite check`, `halite backup`, `halite restore`.

use std::io::{self, Write};
use std::path::Path;

use super::failure::Failure;
use super::text::counted;
use crate::admin::check::CheckReport;
use crate::session::Database;
use crate::store::{Place, RocksStore};

/// Reads everything in a database and writes what is in it, and what is damaged, to `out`.
///
/// # Errors
/// A report where something is damaged, also if `out` takes no more, or the database cannot be read.
pub async fn check(path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let found = Database::check_at(path).await?;
    let written = write_findings(path, &found, out);
    if found.is_sound() {
        return Ok(written?);
    }
    Err(Failure::Statement(format!(
        "error: the database {} is damaged",
        path.display()
    )))
}

fn write_findings(path: &Path, found: &CheckReport, out: &mut dyn Write) -> io::Result<()> {
    for table in &found.tables {
        let state = match table.damaged {
            0 => String::new(),
            damaged => format!(", {} damaged", counted(damaged, "row")),
        };
        let (rows, bytes) = (counted(table.rows, "row"), counted(table.bytes, "byte"));
        writeln!(out, "table `{}`: {rows}, {bytes}{state}", table.table)?;
    }
    for note in &found.notes {
        writeln!(out, "note: {note}")?;
    }
    for damage in &found.damage {
        writeln!(out, "damage: {damage}")?;
    }
    let unlisted: u64 = found.tables.iter().map(|table| table.damaged).sum::<u64>();
    let listed = found
        .damage
        .iter()
        .filter(|damage| damage.row.is_some())
        .count() as u64;
    if unlisted > listed {
        writeln!(out, "damage: {} more", counted(unlisted - listed, "row"))?;
    }
    if found.is_sound() {
        writeln!(out, "the database {} is sound", path.display())?;
    }
    out.flush()
}

/// Copies a database that no process has open for writing.
///
/// # Errors
/// A report that says what is in the way.
pub async fn backup(path: &Path, to: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let path = Place::of(path).directory("halite backup")?;
    let to = Place::of(to).directory("halite backup")?;
    if let Some(process) = RocksStore::holder(path) {
        return Err(Failure::Statement(format!(
            "error: the database {} is open in process {process}, and only the process that writes to it can copy it: \
             have it run .backup {}, call Database::backup, or close it there",
            path.display(),
            to.display()
        )));
    }
    let options = crate::store::StoreOptions {
        create_if_missing: false,
        ..Default::default()
    };
    let database = Database::open_with(path, options).await?;
    database.backup(to).await?;
    writeln!(out, "{} is a backup of {}", to.display(), path.display())?;
    Ok(out.flush()?)
}

/// Makes a database from a backup.
///
/// # Errors
/// A report that says what is in the way.
pub async fn restore(backup: &Path, path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    Database::restore(backup, path).await?;
    writeln!(
        out,
        "{} is restored from {}",
        path.display(),
        backup.display()
    )?;
    Ok(out.flush()?)
}
