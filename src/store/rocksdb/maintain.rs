//! A copy of a database while it is written, and whether its logs are whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ::rocksdb::checkpoint::Checkpoint;

use super::super::{directory, records};
use super::{Database, RocksStore, bulk};
use crate::error::{Error, Result};

impl RocksStore {
    /// The process that has the database at `path` open for writing, where the system tells.
    pub fn holder(path: &Path) -> Option<u32> {
        directory::lock_holder(path)
    }

    /// What a process that was killed has left in the directory of the database at `path`, and the next opening for writing
    /// removes. None while a process has it open, whose work this may be.
    pub fn left_over(path: &Path) -> Vec<PathBuf> {
        match Self::holder(path) {
            Some(_) => Vec::new(),
            None => bulk::left_over(path),
        }
    }

    /// The first log of the database at `path` that ends inside of a record, and where in it that record begins. RocksDB
    /// forgives one, as it must after a crash. Not asked of a database that is open for writing, for whoever has it open
    /// may be in the middle of a record; and none where there is no database.
    ///
    /// # Errors
    /// `Unavailable` where the logs cannot be read.
    pub fn first_torn(path: &Path) -> Result<Option<(PathBuf, u64)>> {
        if Self::holder(path).is_some() {
            return Ok(None);
        }
        records::first_torn(path).map_err(|error| {
            let shown = path.display();
            Error::unavailable(format!("the logs of {shown} cannot be read: {error}"))
                .with_source(error)
        })
    }
}

/// See [`Store::checkpoint`](super::Store::checkpoint). Files that never change are linked where the file system can,
/// else copied.
pub(super) fn checkpoint(database: &Database, path: &Path) -> Result<()> {
    let shown = path.display();
    if database.options.read_only {
        return Err(Error::unavailable(format!(
            "the database {} is open read-only, and cannot be backed up: open it for writing",
            database.path().display()
        )));
    }
    if path.symlink_metadata().is_ok() {
        return Err(Error::invalid(format!(
            "{shown} is there already: a backup makes a directory of its own"
        )));
    }
    let failed = |error: io::Error| {
        Error::unavailable(format!("the directory of {shown} cannot be used: {error}"))
            .with_source(error)
    };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let made = Checkpoint::new(&database.db).and_then(|made| made.create_checkpoint(path));
    // It is as closed to others as the database.
    if made.is_ok() {
        let permissions = fs::metadata(database.path()).map(|it| it.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(path, permissions))
            .map_err(failed)?;
    }
    made.map_err(|error| {
        let _ = fs::remove_dir_all(path);
        let _ = fs::remove_dir_all(unfinished(path));
        database.failed(format!("copying it to {shown}"), error)
    })
}

/// Where RocksDB makes a checkpoint, before it has its name.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}
