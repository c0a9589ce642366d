//! Bulk loads into the store on disk: sorted files, taken over at once.
//!
//! A load has a directory of its own, `halite-loads/<n>` in that of the database. Its entries go into RocksDB's sorted
//! files there, of about 64 MiB, made with the options of the space and synced when they are full. `ingest` hands all
//! of them to RocksDB in one call: it links them under names of its own, and one record of its MANIFEST, synced, makes
//! them part of the space.
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

use ::rocksdb::{AsColumnFamilyRef, IngestExternalFileOptions, Options, SstFileWriter};
use self_cell::self_cell;

use super::super::bulk::{Ascending, BulkWriter, Load};
use super::super::directory::space_of_family;
use super::open::family_options;
use super::{Database, RocksStore};
use crate::error::{Error, Result};

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

/// A load that is being written.
pub(super) struct RocksLoad {
    store: Arc<RocksStore>,
    database: Arc<Database>,
    space: String,
    order: Ascending,
    /// Dropped before the directory of its files.
    writer: FileWriter,
    directory: LoadDirectory,
    /// The files begun so far, in key order.
    files: Vec<PathBuf>,
    /// Whether the last of them takes entries.
    is_open: bool,
}

impl RocksLoad {
    pub(super) fn new(store: Arc<RocksStore>, space: &str) -> Result<Self> {
        let spaces = store.current();
        let database = Arc::clone(spaces.borrow_owner());
        database.refuse_if_read_only()?;
        let family = spaces.find(space)?.name();
        let family = String::from_utf8_lossy(&family);
        let compression = space_of_family(&family).map(|(_, compression)| compression);
        let options = family_options(&database.cache, compression.unwrap_or_default());
        Ok(Self {
            directory: LoadDirectory::make(database.path())?,
            writer: FileWriter::new(options, |options| SstFileWriter::create(options)),
            store,
            database,
            space: space.to_owned(),
            order: Ascending::default(),
            files: Vec::new(),
            is_open: false,
        })
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
        self.database
            .failed(format!("loading {}", self.space), error)
    }
}

impl BulkWriter for RocksLoad {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.push(key, Some(value))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.push(key, None)
    }
}

impl Load for RocksLoad {
    fn ingest(mut self: Box<Self>) -> Result<()> {
        self.order.check_unbroken()?;
        if self.is_open {
            self.end_file()?;
        }
        // A drop of the space cannot come between.
        let _unchanged = self.store.changing.read();
        let spaces = self.store.current();
        let family = spaces.find(&self.space)?;
        if self.files.is_empty() {
            return Ok(());
        }
        // While there is a snapshot RocksDB gives the files a sequence number of their own. Without one it might not,
        // and a snapshot taken while it writes its record would see the load come.
        let _view = self.database.db.snapshot();
        let ingested = self.database.db.ingest_external_file_cf_opts(
            family,
            &ingestion_options(),
            self.files.clone(),
        );
        ingested.map_err(|error| self.failed(error))
    }
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

/// The directory of one load, removed with all that is in it when it is dropped.
struct LoadDirectory {
    path: PathBuf,
}

impl LoadDirectory {
    fn make(database: &Path) -> Result<Self> {
        let number = NEXT_LOAD.fetch_add(1, Ordering::Relaxed);
        let path = database.join(LOADS).join(number.to_string());
        fs::create_dir_all(&path).map_err(|error| directory_error(&path, error))?;
        Ok(Self { path })
    }
}

impl Drop for LoadDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the database is opened again.
        let _ = fs::remove_dir_all(&self.path);
        if let Some(loads) = self.path.parent() {
            // Stays while it holds another load.
            let _ = fs::remove_dir(loads);
        }
    }
}

/// Removes what loads have left that were cut short. Called by the one process that has the database open for writing,
/// before it begins a load.
pub(super) fn remove_leftovers(database: &Path) -> Result<()> {
    let loads = database.join(LOADS);
    match fs::remove_dir_all(&loads) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(directory_error(&loads, error)),
    }
}

fn directory_error(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    Error::unavailable(format!("the directory {path} cannot be used: {error}")).with_source(error)
}

#[cfg(test)]
#[path = "bulk_tests.rs"]
mod tests;
