//! Bulk loads into the store on disk: sorted files, taken over at once.
//!
//! A load has a directory of its own, `halite-loads/<n>` in that of the database. Its entries go into RocksDB's sorted
//! files there, of about 64 MiB, made with the options of the space and synced when they are full. [`ingest_files`] hands
//! all of them to RocksDB in one call: it links them under names of its own, and one record of its MANIFEST, synced,
//! makes them part of the space. Several loads that belong together are a [`switch`](super::switch).
//!
//! A load that is dropped removes its directory. The end of the process or of the machine
//!
//! * while files are written: nothing refers to them; the next opening for writing removes `halite-loads`;
//! * during the ingestion, before the record is on the disk: as before, and RocksDB removes at its next opening the
//!   links that no record names;
//! * after it: the load is complete; what remains in `halite-loads` are second names of the files, removed as above.
//!
//! A database that is opened read-only removes nothing: the files may be those of the process that is writing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::rocksdb::{IngestExternalFileOptions, Options, SstFileWriter};
use self_cell::self_cell;

use super::super::bulk::{Ascending, BulkWriter};
use super::super::directory::file_names;
use super::super::no_such_space;
use super::clearing::{Deletions, Stretch};
use super::options::family_options;
use super::{Database, RocksStore, Spaces, stop_of};
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;

/// What fails where a load does.
const LOADING: &str = "writing the rows of a large statement";
/// The directory of all loads, in that of the database.
pub(super) const LOADS: &str = "halite-loads";
/// A file is ended when it has so many bytes. In tests each block is nearly a file, so that loads have several.
const FILE_BYTES: u64 = if cfg!(test) { 20 << 10 } else { 64 << 20 };

/// Numbers the loads of this process.
static NEXT_LOAD: AtomicU64 = AtomicU64::new(0);

self_cell! {
    /// Writes one file after the other, with these options.
    struct FileWriter {
        owner: Options,
        #[covariant]
        dependent: SstFileWriter,
    }
}

/// The files of one load, in key order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Files {
    pub(super) family: String,
    /// As seen from the directory of the database.
    pub(super) paths: Vec<PathBuf>,
}

/// A load that is being written.
pub(in crate::store) struct RocksLoad {
    database: Arc<Database>,
    space: String,
    family: String,
    order: Ascending,
    deletions: Deletions,
    /// Dropped before the directory of its files.
    writer: FileWriter,
    directory: LoadDirectory,
    /// Those of loads that were joined to this one.
    joined: Vec<LoadDirectory>,
    /// The files begun so far, in key order.
    files: Vec<PathBuf>,
    /// Whether the last of them takes entries.
    is_open: bool,
}

impl RocksLoad {
    pub(super) fn new(store: &RocksStore, space: &str) -> Result<Self> {
        let spaces = store.current();
        let database = Arc::clone(spaces.borrow_owner());
        database.refuse_if_read_only()?;
        let found = spaces.find(space)?;
        let options = family_options(&database.cache, found.options.compression);
        Ok(Self {
            directory: LoadDirectory::make(database.path())?,
            joined: Vec::new(),
            writer: FileWriter::new(options, |options| SstFileWriter::create(options)),
            database,
            space: space.to_owned(),
            family: found.family_name(),
            order: Ascending::default(),
            deletions: Deletions::default(),
            files: Vec::new(),
            is_open: false,
        })
    }

    /// Deletes ranges, in a file of their own: RocksDB takes a file as later than those before it, and what this load puts
    /// into a range stays.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot write now.
    pub(super) fn delete_ranges(&mut self, spaces: &Spaces, ranges: &[&KeyRange]) -> Result<()> {
        for range in ranges {
            let Some(stop) = stop_of(spaces, &self.space, range)? else {
                continue;
            };
            let start = range.start();
            if !self.is_open {
                self.begin_file()?;
            }
            let deleted = self
                .writer
                .with_dependent_mut(|_, writer| writer.delete_range(start, &stop));
            deleted.map_err(|error| self.failed(error))?;
            self.deletions.add_range(&self.space, start, &stop);
        }
        if self.is_open {
            self.end_file()?;
        }
        Ok(())
    }

    /// Loads, each of another space: those of one are one, in their order.
    pub(super) fn joined(loads: Vec<Self>) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::with_capacity(loads.len());
        for load in loads {
            match joined.iter_mut().find(|first| first.space == load.space) {
                Some(first) => first.join(load),
                None => joined.push(load),
            }
        }
        joined
    }

    fn join(&mut self, later: Self) {
        self.files.extend(later.files);
        self.deletions.join(later.deletions);
        self.joined.push(later.directory);
        self.joined.extend(later.joined);
    }

    fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        self.order.admit(key)?;
        let pushed = self.push_ordered(key, value);
        if pushed.is_err() {
            self.order.set_broken();
        }
        pushed
    }

    fn push_ordered(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        if !self.is_open {
            self.begin_file()?;
        }
        let (pushed, size) = self.writer.with_dependent_mut(|_, writer| {
            let pushed = match value {
                Some(value) => writer.put(key, value),
                None => writer.delete(key),
            };
            (pushed, writer.file_size())
        });
        pushed.map_err(|error| self.failed(error))?;
        if size >= FILE_BYTES {
            self.end_file()?;
        }
        Ok(())
    }

    fn begin_file(&mut self) -> Result<()> {
        let path = self
            .directory
            .path
            .join(format!("{:06}.sst", self.files.len() + 1));
        let begun = self
            .writer
            .with_dependent_mut(|_, writer| writer.open(&path));
        begun.map_err(|error| self.failed(error))?;
        self.files.push(path);
        self.is_open = true;
        Ok(())
    }

    /// Ends the open file, which syncs it.
    fn end_file(&mut self) -> Result<()> {
        self.is_open = false;
        let ended = self.writer.with_dependent_mut(|_, writer| writer.finish());
        ended.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: ::rocksdb::Error) -> Error {
        self.database.failed(LOADING, error)
    }

    pub(super) fn space(&self) -> &str {
        &self.space
    }

    /// Whether nothing came.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Ends the last file. What it holds is complete and synced then.
    ///
    /// # Errors
    /// `Internal` where something went wrong before; `Unavailable` if the disk fails.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.order.check_unbroken()?;
        if self.is_open {
            self.end_file()
        } else {
            Ok(())
        }
    }

    /// Where it deletes much.
    pub(super) fn take_deletions(&mut self) -> Vec<Stretch> {
        self.deletions.take_full()
    }

    /// Applies it.
    ///
    /// # Errors
    /// Those of [`ingest_files`].
    pub(super) fn ingest(self) -> Result<()> {
        ingest_files(&self.database, &self.family, self.files)
    }

    /// Its files, once their names are on the disk, too: they are found after a crash.
    ///
    /// # Errors
    /// `Unavailable` if the disk fails.
    pub(super) fn secure(&self) -> Result<Files> {
        let database = self.database.path();
        let own = std::iter::once(&self.directory).chain(&self.joined);
        for directory in own.flat_map(|directory| directory.path.ancestors().take(3)) {
            let synced = fs::File::open(directory).and_then(|directory| directory.sync_all());
            synced.map_err(|error| directory_error(directory, error))?;
        }
        let relative = |file: &PathBuf| file.strip_prefix(database).unwrap_or(file).to_owned();
        Ok(Files {
            family: self.family.clone(),
            paths: self.files.iter().map(relative).collect(),
        })
    }

    /// Leaves its files where they are.
    pub(super) fn keep(mut self) {
        self.directory.is_kept = true;
        for joined in &mut self.joined {
            joined.is_kept = true;
        }
    }
}

impl BulkWriter for RocksLoad {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.push(key, Some(value))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.push(key, None)?;
        self.deletions.add(&self.space, key);
        Ok(())
    }
}

impl Files {
    /// Ingests them, if they are not in yet. RocksDB takes all of them in one step and unlinks them behind it, so that one
    /// that is missing says that all are in: then none must come again, as a file that deletes a range would take what the
    /// others have put there.
    ///
    /// # Errors
    /// Those of [`ingest_files`].
    pub(super) fn ingest(&self, database: &Database) -> Result<()> {
        let full = self.paths.iter().map(|path| database.path().join(path));
        let full: Vec<PathBuf> = full.collect();
        if !full.is_empty() && full.iter().all(|path| path.exists()) {
            ingest_files(database, &self.family, full)
        } else {
            Ok(())
        }
    }
}

/// Makes files part of a column family, in one step.
///
/// # Errors
/// `Internal` if it does not exist; those of RocksDB.
fn ingest_files(database: &Database, family: &str, files: Vec<PathBuf>) -> Result<()> {
    let found = database.db.cf_handle(family);
    let found = found.ok_or_else(|| no_such_space(family))?;
    // While there is a snapshot RocksDB gives the files a sequence number of their own. Without one it might not,
    // and a snapshot taken while it writes its record would see the load come.
    let _view = database.db.snapshot();
    let ingested = database
        .db
        .ingest_external_file_cf_opts(&found, &ingestion_options(), files);
    ingested.map_err(|error| database.failed(LOADING, error))
}

fn ingestion_options() -> IngestExternalFileOptions {
    let mut options = IngestExternalFileOptions::default();
    options.set_move_files(true);
    options.set_failed_move_fall_back_to_copy(true);
    options.set_snapshot_consistency(true);
    options.set_allow_global_seqno(true);
    options.set_allow_blocking_flush(true);
    options.set_fill_cache(false);
    options
}

/// The directory of one load, removed with all that is in it when it is dropped, unless it is kept.
struct LoadDirectory {
    path: PathBuf,
    is_kept: bool,
}

impl LoadDirectory {
    fn make(database: &Path) -> Result<Self> {
        let number = NEXT_LOAD.fetch_add(1, Ordering::Relaxed);
        let path = database.join(LOADS).join(number.to_string());
        fs::create_dir_all(&path).map_err(|error| directory_error(&path, error))?;
        let is_kept = false;
        Ok(Self { path, is_kept })
    }
}

impl Drop for LoadDirectory {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // What cannot be removed now is removed when the database is opened again.
        let _ = fs::remove_dir_all(&self.path);
        if let Some(loads) = self.path.parent() {
            // Stays while it holds another load.
            let _ = fs::remove_dir(loads);
        }
    }
}

/// What loads have left that were cut short, and RocksDB itself, if no process has the database open for writing: it writes
/// a file of its own under another name before it gives it its own, and never looks for what a kill has left.
pub(super) fn left_over(database: &Path) -> Vec<PathBuf> {
    let names = file_names(database).unwrap_or_default().into_iter();
    let left = names.filter(|name| name == LOADS || name.ends_with(".dbtmp"));
    left.map(|name| database.join(name)).collect()
}

/// Removes it. Called by the one process that has the database open for writing, before it begins a load.
pub(super) fn remove_left_over(database: &Path) -> Result<()> {
    for left in left_over(database) {
        if left.is_dir() {
            fs::remove_dir_all(&left).map_err(|error| directory_error(&left, error))?
        } else {
            // It takes room, and nothing else.
            drop(fs::remove_file(&left))
        }
    }
    Ok(())
}

fn directory_error(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    Error::unavailable(format!("the directory {path} cannot be used: {error}")).with_source(error)
}

#[cfg(test)]
#[path = "bulk_tests.rs"]
mod tests;
