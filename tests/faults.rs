//! What goes wrong outside of Halite: a process that is killed, a power cut, a store that fails, a full disk, damaged
//! files, other writers. Whatever it is: what was acknowledged stays, nothing is half done, and the database works on.
//!
//! Random tests print `HALITE_SEED`, which replays them. `HALITE_KILLS` and `HALITE_CUTS` set the number of kills and of
//! power cuts; `make test-long` asks for many.

mod cluster;
mod damage;
mod dictionaries;
mod disk;
mod durability;
mod kill;
mod lossy;
mod power;
mod race;
#[path = "../src/seed.rs"]
mod seed;
mod sequences;
mod servers;
mod sweep;
mod tally;
mod workload;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use halite::error::Result;
use halite::session::{Connection, Database};
use halite::store::{RocksStore, Store, StoreOptions};
use tokio::runtime::Runtime;

use crate::answers::texts;
use seed::seed;

fn runtime() -> Runtime {
    Runtime::new().unwrap()
}

/// Runs one statement; its number of rows.
async fn execute(connection: &Connection, sql: &str) -> Result<u64> {
    connection.execute(sql, vec![]).await
}

/// The rows of a query, sorted, the values of each joined by `|`.
async fn rows(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let batches = connection.query(sql, vec![]).await?;
    let mut rows = texts(&batches);
    rows.sort();
    Ok(rows)
}

/// The rows of every table.
type Contents = BTreeMap<String, Vec<String>>;

async fn contents(connection: &Connection) -> Result<Contents> {
    let mut contents = Contents::new();
    for table in rows(connection, "SHOW TABLES").await? {
        let found = rows(connection, &format!("SELECT * FROM {table}")).await?;
        contents.insert(table, found);
    }
    Ok(contents)
}

fn open_store(path: &Path) -> Arc<RocksStore> {
    Arc::new(RocksStore::open(path, &StoreOptions::default()).unwrap())
}

/// As [`open_store`], and it counts how often its log is synced.
fn open_counting(path: &Path) -> Arc<RocksStore> {
    let options = StoreOptions {
        count_syncs: true,
        ..StoreOptions::default()
    };
    Arc::new(RocksStore::open(path, &options).unwrap())
}

fn log_syncs(store: &RocksStore) -> u64 {
    store.log_syncs().expect("a store that counts")
}

/// A database in a store that the test keeps hold of.
fn database(store: &Arc<impl Store + 'static>) -> Database {
    Database::of_store(Arc::clone(store) as Arc<dyn Store>).unwrap()
}
