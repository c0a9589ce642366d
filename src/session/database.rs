//! Databases and the tables they hold.

use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::execution::disk_manager::DiskManager;

use super::access::Restrictions;
use super::memory::Memory;
use super::rules;
use super::waiting::on_waiting_thread;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::settings::ByteSize;
use crate::store::{MemoryStore, Place, Store, StoreOptions};
use crate::write::SpillDirectory;

/// An open database. Clones share it; it is closed when the last of them and of its connections is dropped.
#[derive(Debug, Clone)]
pub struct Database {
    catalog: Arc<Catalog>,
    access: Arc<Restrictions>,
    memory: Arc<Memory>,
    temporary: Arc<DiskManager>,
}

impl Database {
    /// Opens the database in the directory `path`, or on the cluster whose address it is
    /// (`hbase://zookeeper1,zookeeper2/hbase?namespace=shop`), and makes it where there is none.
    ///
    /// # Errors
    /// `Unavailable` where another process holds it or the cluster cannot be reached, `Corrupt` where it cannot be read or
    /// a newer Halite wrote it, `InvalidInput` where the directory holds something else, that around it is missing, or it is no
    /// such address.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, StoreOptions::default()).await
    }

    /// Opens the database at `path`, as [`Database::open`] does, for reading alone; another process may write to it meanwhile, which
    /// is not seen.
    ///
    /// # Errors
    /// As [`Database::open`], and where there is no database.
    pub async fn open_read_only(path: impl AsRef<Path>) -> Result<Self> {
        let options = StoreOptions {
            read_only: true,
            create_if_missing: false,
            ..StoreOptions::default()
        };
        Self::open_with(path, options).await
    }

    /// As [`Database::open`], with other options than the default: how much memory for reads and writes, whether a new
    /// database is made, whether it is open for reading alone.
    ///
    /// # Errors
    /// As [`Database::open`], and where there is no database and `options` say that none is to be made.
    pub async fn open_with(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self> {
        let path = path.as_ref().to_owned();
        // Opening replays the log, which blocks.
        on_waiting_thread("opening the database broke off", move || {
            let place = Place::of(&path);
            let store = place.open(&options)?;
            let spills = match place {
                // Who only reads leaves the directory as it is.
                Place::Directory(path) if !options.read_only => {
                    SpillDirectory::remove_left_over(path);
                    SpillDirectory::of_database(path)
                }
                _ => SpillDirectory::default(),
            };
            Self::of_store_with(store, spills)
        })
        .await
    }

    /// A new database that is gone when it is dropped.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn in_memory() -> Result<Self> {
        Self::of_store(Arc::new(MemoryStore::new()))
    }

    /// The database in a store of any kind. What statements cannot hold in memory goes where the system keeps temporary
    /// files.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn of_store(store: Arc<dyn Store>) -> Result<Self> {
        Self::of_store_with(store, SpillDirectory::default())
    }

    /// As [`Database::of_store`]; what statements cannot hold in memory goes to `spills`.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn of_store_with(store: Arc<dyn Store>, spills: SpillDirectory) -> Result<Self> {
        let database = Self {
            temporary: spills.disk_manager()?,
            catalog: Arc::new(Catalog::open_with(store, spills, Some(rules::compile))?),
            access: Arc::default(),
            memory: Arc::default(),
        };
        database.limit_cache();
        Ok(database)
    }

    /// A table as DataFusion's provider, to be registered in any of its sessions.
    ///
    /// It reads at one snapshot per plan node, and gets what DataFusion's own rules leave of a predicate.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table.
    pub fn table_provider(&self, name: &str) -> Result<Arc<dyn TableProvider>> {
        Ok(self.catalog.expect_table(name)?)
    }

    /// Shuts statements and the shell off from everything but the tables: no files are read or written, no programs run,
    /// and no settings changed that take more of the machine. It holds for all connections, those that are there
    /// already, too, and is for good. What the program itself does through this library is its own affair.
    ///
    /// `SET halite.external_access = false` does the same.
    pub fn shut_external_access(&self) {
        self.access.shut();
    }

    /// Lets no statement of any connection change a setting any more, as `SET halite.lock_configuration = true` does.
    pub fn lock_configuration(&self) {
        self.access.lock();
    }

    /// Whether files and programs may be used for what a user asks for; `what` says for what.
    ///
    /// # Errors
    /// `NotSupported` where external access is shut.
    pub fn check_external_access(&self, what: &str) -> Result<()> {
        self.access.check(what)
    }

    pub(super) fn access(&self) -> &Arc<Restrictions> {
        &self.access
    }

    /// Limits what the statements of all connections may take together, in bytes: half of the machine's memory, or of the
    /// container's, unless it is said otherwise. `SET halite.memory_limit` does the same.
    pub fn limit_memory(&self, bytes: u64) {
        self.memory.set_limit(ByteSize(bytes));
        self.limit_cache();
    }

    /// The blocks of files in memory are beside the limit.
    fn limit_cache(&self) {
        let limit = self.memory.limit();
        self.catalog.store().limit_cache(cache_share(limit));
    }

    pub(super) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The temporary files of queries.
    pub(super) fn temporary(&self) -> &Arc<DiskManager> {
        &self.temporary
    }

    /// The store under the database.
    #[cfg(test)]
    pub(super) fn store(&self) -> &Arc<dyn Store> {
        self.catalog.store()
    }

    pub(super) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }
}

/// How many bytes of blocks are kept in memory at most: whoever sets a lower limit than the default counts them, too.
fn cache_share(limit: usize) -> usize {
    match limit < ByteSize::half_of_memory().in_memory() {
        true => limit / 8,
        false => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_limit_lowers_the_cache() {
        let half = ByteSize::half_of_memory().in_memory();
        assert_eq!(cache_share(256 << 20), 32 << 20);
        assert_eq!(cache_share(half), usize::MAX);
    }
}
