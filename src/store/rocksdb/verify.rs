//! Whether the files of entries are whole.
//!
//! RocksDB compares all files of a database with their checksums in one call, which ends at the first that is damaged.
//! A file alone it compares before it takes it over from outside. So each is offered to a database that is made for
//! this, empty, in a directory for temporary files; and a file that is not there with it, for which both are refused.
//! The reason is the damage where there is some, else the missing file. Nothing is changed.

use std::path::{Path, PathBuf};

use ::rocksdb::{DB, IngestExternalFileOptions, Options};
use tempfile::TempDir;

use super::super::directory::file_names;
use super::{Database, RocksStore, store_error};
use crate::error::{Error, ErrorKind, Result};

impl RocksStore {
    /// The damage of each damaged file of entries in the directory `path`: of a database that cannot be opened. A file
    /// that is no part of it any more counts, too.
    ///
    /// # Errors
    /// `Unavailable` where they cannot be read.
    pub fn damaged_files(path: &Path) -> Result<Vec<Error>> {
        let mut names = file_names(path).map_err(|error| {
            let shown = path.display();
            Error::unavailable(format!("the directory {shown} cannot be read: {error}"))
                .with_source(error)
        })?;
        names.retain(|name| name.ends_with(".sst"));
        names.sort_unstable();
        damage_of(names.into_iter().map(|name| path.join(name)))
    }
}

/// See [`Store::verify`](super::Store::verify). A file that is gone when its turn comes has been compacted into others.
pub(super) fn verify(database: &Database) -> Result<Vec<Error>> {
    let files = database.db.live_files();
    let files = files.map_err(|error| database.failed("listing its files", error))?;
    let paths = files.into_iter().map(|file| {
        let name = file.name.trim_start_matches('/');
        Path::new(&file.directory).join(name)
    });
    damage_of(paths)
}

fn damage_of(files: impl Iterator<Item = PathBuf>) -> Result<Vec<Error>> {
    let verifier = Verifier::new()?;
    let damage = files.map(|file| verifier.damage(&file));
    damage.filter_map(Result::transpose).collect()
}

/// Compares files with their checksums.
struct Verifier {
    /// Dropped before its directory.
    database: DB,
    options: IngestExternalFileOptions,
    missing: PathBuf,
    _directory: TempDir,
}

impl Verifier {
    fn new() -> Result<Self> {
        let unusable = |error: &dyn std::fmt::Display| {
            Error::unavailable(format!(
                "files are verified by means of a directory for temporary files, and there can be none: {error}"
            ))
        };
        let directory = tempfile::Builder::new().prefix("halite-verify").tempdir();
        let directory = directory.map_err(|error| unusable(&error).with_source(error))?;
        let mut database = Options::default();
        database.create_if_missing(true);
        let database = DB::open(&database, directory.path().join("database"));
        let mut options = IngestExternalFileOptions::default();
        options.set_verify_checksums_before_ingest(true);
        // Else RocksDB takes files alone that it was not itself to write.
        options.set_allow_db_generated_files(true);
        options.set_fill_cache(false);
        Ok(Self {
            database: database.map_err(|error| unusable(&error).with_source(error))?,
            options,
            missing: directory.path().join("missing.sst"),
            _directory: directory,
        })
    }

    /// What is damaged in a file; `None` where nothing is, or the file is gone.
    ///
    /// Errors: `Unavailable` where it cannot be read.
    fn damage(&self, file: &Path) -> Result<Option<Error>> {
        let offered = vec![file, self.missing.as_path()];
        let taken = self
            .database
            .ingest_external_file_opts(&self.options, offered);
        let Err(refusal) = taken else {
            return Err(Error::internal("a missing file was taken over"));
        };
        let (shown, reason) = (file.display(), refusal.to_string());
        let is_for_missing = reason.contains(&*self.missing.to_string_lossy());
        if is_for_missing || !file.exists() {
            return Ok(None);
        }
        let error = store_error(format!("comparing {shown} with its checksums"), refusal);
        match error.kind() {
            ErrorKind::Unavailable => Err(error),
            _ => Ok(Some(
                Error::corrupt(format!("the file {shown} is damaged: {reason}")).with_source(error),
            )),
        }
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
