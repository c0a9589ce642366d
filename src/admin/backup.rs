//! Copies of a database at one moment, and databases from them.
//!
//! A backup is a directory that is itself a database: it can be opened for reading, checked, and restored.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::{READING, check_at};
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::run::waiting::on_waiting_thread;
use crate::session::Database;
use crate::store::{Place, RocksStore, StoreOptions};

impl Database {
    /// Copies the database, as it is at one moment, into the directory `path`, which must not be there yet; it is a
    /// database, too. Reads and writes go on meanwhile. Every statement that has returned is in it, none in part.
    ///
    /// On the same file system the copy shares its files with the database, as links, which takes no time and no room.
    /// Against the loss of a disk, make it on another, or copy the directory there.
    ///
    /// # Errors
    /// `InvalidInput` where something is at `path`; `NotSupported` for a database in memory; `Unavailable` for one that is
    /// open for reading alone, or where the disk fails; `Corrupt` where the copy cannot be opened. Then nothing is left at
    /// `path`.
    pub async fn backup(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = Place::of(path.as_ref()).directory("a backup")?;
        let (catalog, path) = (self.catalog().clone(), named(path));
        on_waiting_thread(READING, move || {
            catalog.checkpoint(&path)?;
            // The end of its log may be in the middle of a write: opened for writing once, it has no log any more.
            open(&path, false).inspect_err(|_| {
                let _ = fs::remove_dir_all(&path);
            })
        })
        .await
    }

    /// Makes a database in the directory `path`, which must not be there yet, from the backup in the directory `backup`,
    /// which stays as it is. It is copied aside and gets its name when it is whole.
    ///
    /// # Errors
    /// `InvalidInput` where something is at `path`, or no database at `backup`; `Unavailable` where a process has `backup`
    /// open for writing, or the disk fails; `Corrupt` where the backup is damaged: all of it is read. Then nothing is left at
    /// `path`.
    pub async fn restore(backup: impl AsRef<Path>, path: impl AsRef<Path>) -> Result<()> {
        let backup = Place::of(backup.as_ref()).directory("restoring a backup")?;
        let path = Place::of(path.as_ref()).directory("restoring a backup")?;
        let (backup, path) = (backup.to_owned(), named(path));
        on_waiting_thread(READING, move || restore(&backup, &path)).await
    }
}

/// Opens a database, definitions included, and closes it.
fn open(path: &Path, read_only: bool) -> Result<()> {
    let options = StoreOptions {
        read_only,
        create_if_missing: false,
        ..StoreOptions::default()
    };
    let store = RocksStore::open(path, &options)?;
    Catalog::open(Arc::new(store)).map(drop)
}

fn restore(backup: &Path, path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        let path = path.display();
        return Err(Error::invalid(format!(
            "{path} is there already: a backup is restored into a directory of its own"
        )));
    }
    if let Some(process) = RocksStore::holder(backup) {
        let backup = backup.display();
        return Err(Error::unavailable(format!(
            "{backup} is a database that process {process} has open: make a backup of it, and restore that"
        )));
    }
    open(backup, true).map_err(|error| error.context("the backup"))?;
    let aside = aside(path);
    let made = copy_files(backup, &aside)
        .map_err(|error| {
            let (backup, path) = (backup.display(), path.display());
            Error::unavailable(format!("copying {backup} to {path}: {error}")).with_source(error)
        })
        .and_then(|()| refuse_damaged(&aside))
        .and_then(|()| rename(&aside, path));
    made.inspect_err(|_| {
        let _ = fs::remove_dir_all(&aside);
    })
}

/// Reads all of a copy before it is given out as a database.
fn refuse_damaged(path: &Path) -> Result<()> {
    let found = check_at(path)?;
    match found.damage.first() {
        None => Ok(()),
        Some(damage) => Err(Error::corrupt(format!(
            "the backup is damaged, and nothing is restored from it: {damage}"
        ))),
    }
}

/// A path that ends with the name of its directory, without a slash behind it: other names are made of this one.
fn named(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Where a database is made before it has its name: beside it, so that it can be renamed.
fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".restoring");
    PathBuf::from(name)
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    // What is there is what another attempt has left.
    if to.symlink_metadata().is_ok() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != "LOCK" {
            let copy = to.join(entry.file_name());
            fs::copy(entry.path(), &copy)?;
            File::open(&copy)?.sync_all()?;
        }
    }
    File::open(to)?.sync_all()
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    let renamed = || {
        fs::rename(from, to)?;
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
    };
    renamed().map_err(|error| {
        Error::unavailable(format!("giving {} its name: {error}", to.display())).with_source(error)
    })
}

#[cfg(test)]
#[path = "backup_tests.rs"]
mod tests;
