//! The catalog of a database that may be damaged: what can be read of it, and what is wrong with the rest.

use std::sync::Arc;

use super::dictionaries;
use super::stored::Stored;
use crate::error::{ErrorKind, Result};
use crate::schema::BoundTable;
use crate::store::Store;

/// What a catalog holds.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The tables whose definitions can be read and whose spaces are there.
    pub tables: Vec<Arc<BoundTable>>,
    /// What is damaged, in words: with any of it the database cannot be opened for writing.
    pub damage: Vec<String>,
    /// Spaces of no table: what a crash leaves when a table is made or dropped. They go when the database is opened for
    /// writing.
    pub orphans: Vec<String>,
}

/// Reads the catalog of a store entry by entry.
///
/// # Errors
/// Those of the store.
pub fn inspect(store: &dyn Store) -> Result<Inspection> {
    let stored = Stored::read(store)?;
    let (orphans, lost) = (stored.orphans(), stored.lost_in_words());
    let mut damage: Vec<String> = stored.damage.iter().cloned().chain(lost).collect();
    let is_there = |table: &&Arc<BoundTable>| !stored.lost.contains(table.name());
    let tables: Vec<Arc<BoundTable>> = stored.tables.iter().filter(is_there).cloned().collect();
    let snapshot = store.snapshot()?;
    for table in &tables {
        match dictionaries::read(table, &snapshot) {
            Err(error) if error.kind() == ErrorKind::Corrupt => damage.push(error.to_string()),
            read => read?,
        }
    }
    Ok(Inspection {
        tables,
        damage,
        orphans,
    })
}
