//! The sample queries under Halite: loading the layouts, running a query under one of them, and what it read.
//! Everything that depends on Halite's API stands here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use halite::row::Grouped;
use halite::scan::ScanTotals;
use halite::schema::BoundTable;
use halite::session::{Connection, Database, Outcome, Profile, RowStream, Statement};
use halite::shell::sample::{self, generator};
use halite::sql::parse::Buckets;
use halite::store::wrap::{Delayed, Log, Recording};
use halite::store::{MemoryStore, Place, Store as HaliteStore, StoreOptions};
use halite::table::HaliteTable;
use tempfile::TempDir;

use super::{Case, SIZE};
use crate::answers::{KeyRow, texts};

/// Where the layouts are kept.
#[derive(Debug, Clone, Copy)]
pub enum Store<'a> {
    /// In memory.
    Memory,
    /// In memory, several rows to an entry.
    Grouped,
    /// In a directory of its own.
    RocksDb,
    /// On the cluster that this address names.
    Cluster(&'a str),
}

/// How a query is run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Whether predicates become key ranges.
    pub pushdown: bool,
    /// DataFusion's target partitions.
    pub partitions: usize,
}

/// A query's result and what was read for it.
pub struct Run {
    /// The rows, as text.
    pub rows: Vec<String>,
    /// The counters of all scans.
    pub totals: ScanTotals,
}

/// What is planned for a query and what it then did.
pub struct Measured {
    /// `EXPLAIN KEYS`.
    pub keys: Keys,
    /// The run.
    pub run: Run,
}

/// The rows of `EXPLAIN KEYS`.
pub struct Keys {
    /// The rows.
    pub rows: Vec<KeyRow>,
}

impl Keys {
    /// One line per row.
    pub fn text(&self) -> String {
        self.rows.iter().map(|row| format!("{row}\n")).collect()
    }

    /// How many ranges are listed; a walk is one in each bucket.
    pub fn count(&self) -> usize {
        self.rows.iter().filter(|row| row.kind != "empty").count()
    }

    /// Whether what is read of a table is narrowed while the plan runs; of any, where none is named.
    pub fn is_narrowed(&self, table: Option<&str>) -> bool {
        let of_table = |row: &&KeyRow| table.is_none_or(|table| row.table == table);
        let mut rows = self.rows.iter().filter(of_table);
        rows.any(|row| row.kind == "runtime")
    }

    /// Whether a scan is a walk.
    pub fn walks(&self) -> bool {
        self.rows.iter().any(|row| row.kind == "walk")
    }
}

/// A database with every layout of every data set.
pub struct Samples {
    database: Database,
    /// The store, if it is one in memory.
    memory: Option<Arc<dyn HaliteStore>>,
    _directory: Option<TempDir>,
}

impl Samples {
    /// Makes and loads the tables.
    pub async fn load(store: Store<'_>) -> Self {
        let (database, memory, directory) = match store {
            Store::Memory => {
                let store: Arc<dyn HaliteStore> = Arc::new(MemoryStore::new());
                let database = Database::of_store(Arc::clone(&store)).unwrap();
                (database, Some(store), None)
            }
            Store::Grouped => {
                let store = Grouped::new(Arc::new(MemoryStore::new()));
                let database = Database::of_store(Arc::new(store)).unwrap();
                (database, None, None)
            }
            Store::RocksDb => {
                let directory = tempfile::tempdir().unwrap();
                let path = directory.path().join("flights.halite");
                (Database::open(path).await.unwrap(), None, Some(directory))
            }
            Store::Cluster(address) => (Database::open(address).await.unwrap(), None, None),
        };
        let connection = database.connect();
        let files = tempfile::tempdir().unwrap();
        write_data(files.path());
        for file in sample::layouts() {
            for statement in connection.script(file.text().unwrap()).unwrap() {
                connection
                    .run(&statement.with_files_in(files.path()))
                    .await
                    .unwrap();
            }
        }
        Self {
            database,
            memory,
            _directory: directory,
        }
    }

    /// Closes the database and opens its store, for reading alone, which is in the directory or at the address.
    pub fn into_store(self, address: &str) -> (Arc<dyn HaliteStore>, Option<TempDir>) {
        let Self {
            database,
            _directory: directory,
            ..
        } = self;
        drop(database);
        let path = match &directory {
            Some(directory) => directory.path().join("flights.halite"),
            None => address.into(),
        };
        let options = StoreOptions {
            read_only: true,
            ..StoreOptions::default()
        };
        let store = Place::of(&path).open(&options).unwrap();
        (store, directory)
    }

    /// A connection with the usual settings.
    pub fn connection(&self) -> Connection {
        self.database.connect()
    }

    /// A table as it is declared.
    pub fn table(&self, name: &str) -> Arc<BoundTable> {
        let provider = self.database.table_provider(name).unwrap();
        let table = provider.downcast_ref::<HaliteTable>().unwrap();
        Arc::clone(table.bound())
    }

    /// The same tables over a store that records what it is asked, and its log; of samples in memory.
    pub fn recorded(&self) -> (Self, Log, Arc<dyn HaliteStore>) {
        let store = self.memory.clone().expect("samples in memory");
        let recording = Recording::new(Arc::clone(&store));
        let log = recording.log();
        (Self::over(recording), log, store)
    }

    /// The same tables over a store that is far away, though not very far; of samples in memory.
    pub fn far(&self) -> Self {
        let store = self.memory.clone().expect("samples in memory");
        Self::over(Delayed::new(store, Duration::from_micros(100)))
    }

    fn over(store: impl HaliteStore + 'static) -> Self {
        Self {
            database: Database::of_store(Arc::new(store)).unwrap(),
            memory: None,
            _directory: None,
        }
    }

    /// Runs a query under a layout and gives its plan.
    pub async fn profile(&self, case: &Case, settings: Settings) -> Profile {
        let connection = self.connect(settings).await;
        let profile = connection.profile(&statement(&connection, case)).await;
        profile.unwrap_or_else(|error| panic!("{}: {error}", case.name()))
    }

    /// Runs a query under a layout.
    pub async fn run(&self, case: &Case, settings: Settings) -> Run {
        let profile = self.profile(case, settings).await;
        Run {
            rows: texts(&profile.batches),
            totals: profile.totals,
        }
    }

    /// What `EXPLAIN KEYS` says of a query under a layout.
    pub async fn explain_keys(&self, case: &Case) -> Keys {
        let connection = self.database.connect();
        let explain = statement(&connection, case)
            .explain_keys(Buckets::Each)
            .unwrap();
        let Outcome::Rows(stream) = connection.run(&explain).await.unwrap() else {
            panic!("EXPLAIN KEYS gives rows");
        };
        let rows = RowStream::from(stream).rows().await.unwrap();
        let mut rows = KeyRow::all(&rows);
        // The layout stands in the place of the data set.
        for row in &mut rows {
            row.alias = row.alias.take().filter(|alias| alias != case.query.table);
        }
        Keys { rows }
    }

    async fn connect(&self, settings: Settings) -> Connection {
        let connection = self.database.connect();
        let Settings {
            pushdown,
            partitions,
        } = settings;
        let set = [
            format!("SET halite.pushdown = {pushdown}"),
            format!("SET datafusion.execution.target_partitions = {partitions}"),
        ];
        for statement in set {
            connection.execute(&statement, vec![]).await.unwrap();
        }
        connection
    }
}

fn statement(connection: &Connection, case: &Case) -> Statement {
    case.query.statement(connection, case.layout.name).unwrap()
}

/// The files that the layouts are loaded from, the generated ones in the size of the tests.
fn write_data(directory: &Path) {
    std::fs::create_dir(directory.join("data")).unwrap();
    for file in sample::data() {
        std::fs::write(directory.join(file.path), file.bytes).unwrap();
    }
    for set in generator::GENERATORS {
        let path = directory.join(format!("data/{}.parquet", set.name()));
        generator::write_parquet(*set, SIZE, generator::SEED, &path).unwrap();
    }
}
