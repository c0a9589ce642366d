//! Databases and the tables they hold.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use datafusion::catalog::TableProvider;

use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Stop;
use crate::run::deadline;
use crate::run::interrupt::InterruptHandle;
use crate::run::memory::Memory;
use crate::run::resources::Resources;
use crate::run::waiting::on_waiting_thread;
use crate::store::holders::{self, Held, Holders, OPEN_HERE, STATEMENT};
use crate::store::{MemoryStore, Place, Store, StoreOptions};
use crate::write::SpillDirectory;

/// How long it is waited for what holds a database and is ending.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// How long it is waited for who has waited for a statement that was ended.
const LET_GO_WITHIN: Duration = Duration::from_secs(3);

/// How often it is looked whether it has ended.
const LOOKED_AFTER: Duration = Duration::from_millis(5);

/// An open database. Clones share it; it is closed when the last of them and of its connections is dropped, or by
/// [`Database::close`].
#[derive(Debug, Clone)]
pub struct Database {
    resources: Resources,
    ending: Arc<Ending>,
    held: Held,
}

/// What ends the statements of all connections.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// What they are told by.
    pub(crate) stop: Stop,
    /// What those hear who wait for them.
    pub(crate) interrupts: InterruptHandle,
}

/// What was told to end goes on when this is dropped.
struct Told(Arc<Ending>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.stop.take_back();
    }
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
            let begun = Instant::now();
            loop {
                let error = match Self::open_now(&path, &options) {
                    Ok(database) => return Ok(database),
                    Err(error) => error,
                };
                let holders = holders::of(&path).filter(|_| is_open_here(&error));
                match holders {
                    Some(holders) if !holders.are_ending() => {
                        let held = holders.described();
                        return Err(error.followed_by(&format!("; it is held by {held}")));
                    }
                    // A statement that was stopped lets go of it soon.
                    Some(_) if begun.elapsed() < ENDS_WITHIN => thread::sleep(LOOKED_AFTER),
                    _ => return Err(error),
                }
            }
        })
        .await
    }

    fn open_now(path: &Path, options: &StoreOptions) -> Result<Self> {
        let place = Place::of(path);
        let store = place.open(options)?;
        let spills = match place {
            // Who only reads leaves the directory as it is.
            Place::Directory(path) if !options.read_only => {
                SpillDirectory::remove_left_over(path);
                SpillDirectory::of_database(path)
            }
            _ => SpillDirectory::default(),
        };
        let database = Self::of_store_with(store, spills)?;
        if let Place::Directory(path) = place
            && !options.read_only
        {
            holders::remember(path, database.held.holders());
        }
        Ok(database)
    }

    /// Ends the statements of all connections, and closes the database: when this returns, it can be opened again.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("gulls.halite");
    /// use halite::Database;
    ///
    /// let database = Database::open(&path).await?;
    /// database.connect().execute("CREATE TABLE gull (id INT, PRIMARY KEY (id))", ()).await?;
    /// database.close().await?;
    /// let database = Database::open(&path).await?;
    /// # database.close().await
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `Unavailable` that says what of the program holds the database still: connections, prepared statements, streams,
    /// appenders, providers of tables. It is closed when the last of them is dropped.
    pub async fn close(self) -> Result<()> {
        let (holders, ending) = (Arc::clone(self.held.holders()), Arc::clone(&self.ending));
        let open = self.catalog().store().while_open();
        let has_run = holders.have(STATEMENT);
        ending.stop.tell();
        // Whatever is left goes on, also where nobody waits for this any more.
        let told = Told(ending);
        told.0.interrupts.interrupt();
        // The last one writes what is in memory.
        let let_go = move || {
            drop(self);
            Ok(())
        };
        on_waiting_thread("closing the database broke off", let_go).await?;
        let begun = Instant::now();
        let is_open = || open.as_ref().is_some_and(|open| open.strong_count() > 0);
        let is_ending = || {
            if holders.are_ending() {
                holders.have(STATEMENT) || is_open()
            } else {
                // Whoever has waited for a statement hears of its end, and lets go of its connection.
                has_run && begun.elapsed() < LET_GO_WITHIN
            }
        };
        while is_ending() && begun.elapsed() < ENDS_WITHIN {
            deadline::passed((Instant::now() + LOOKED_AFTER).into()).await;
        }
        drop(told);
        match holders.described() {
            held if !held.is_empty() => Err(Error::unavailable(format!(
                "the database is open still: it is held by {held}, and closed when the last of these is dropped"
            ))),
            _ if is_open() => Err(Error::unavailable(
                "the database is open still: something that was read of it is held",
            )),
            _ => Ok(()),
        }
    }

    /// Whether statements of any connection run.
    #[doc(hidden)]
    pub fn has_statements(&self) -> bool {
        self.held.holders().have(STATEMENT)
    }

    /// What says that this holds the database.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// The same database for something that is called so.
    pub(crate) fn held_by(&self, what: &'static str) -> Self {
        Self {
            held: self.held.called(what),
            resources: self.resources.clone(),
            ending: Arc::clone(&self.ending),
        }
    }

    pub(crate) fn ending(&self) -> &Ending {
        &self.ending
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
        Ok(Self {
            resources: Resources::of_store(store, spills)?,
            ending: Arc::default(),
            held: Arc::<Holders>::default().hold("database handle"),
        })
    }

    /// A table as DataFusion's provider, to be registered in any of its sessions.
    ///
    /// It reads at one snapshot per plan node, and gets what DataFusion's own rules leave of a predicate.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table.
    pub fn table_provider(&self, name: &str) -> Result<Arc<dyn TableProvider>> {
        let table = self.catalog().expect_table(name)?;
        Ok(Arc::new(table.held_by(self.held.called("table provider"))))
    }

    /// Shuts statements and the shell off from everything but the tables: no files are read or written, no programs run,
    /// and no settings changed that take more of the machine. It holds for all connections, those that are there
    /// already, too, and is for good. What the program itself does through this library is its own affair.
    ///
    /// `SET halite.external_access = false` does the same.
    pub fn shut_external_access(&self) {
        self.resources.access().shut();
    }

    /// Lets no statement of any connection change a setting any more, as `SET halite.lock_configuration = true` does.
    pub fn lock_configuration(&self) {
        self.resources.access().lock();
    }

    /// Whether files and programs may be used for what a user asks for; `what` says for what.
    ///
    /// # Errors
    /// `NotSupported` where external access is shut.
    pub fn check_external_access(&self, what: &str) -> Result<()> {
        self.resources.access().check(what)
    }

    /// Limits what the statements of all connections may take together, in bytes: half of the machine's memory, or of the
    /// container's, unless it is said otherwise. `SET halite.memory_limit` does the same.
    pub fn limit_memory(&self, bytes: u64) {
        self.resources.limit_memory(bytes);
    }

    /// What the statements of all connections share.
    pub(crate) fn resources(&self) -> &Resources {
        &self.resources
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        self.resources.memory()
    }

    /// The store under the database.
    #[cfg(test)]
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        self.catalog().store()
    }

    pub(crate) fn catalog(&self) -> &Arc<Catalog> {
        self.resources.catalog()
    }
}

/// Whether it is this process that holds what was to be opened.
fn is_open_here(error: &Error) -> bool {
    error.kind() == ErrorKind::Unavailable && error.message().contains(OPEN_HERE)
}

#[cfg(test)]
#[path = "database_tests.rs"]
mod tests;
