//! The tables of a database, kept in its store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::schema::{BoundTable, Table};
use crate::store::{Chunk, ChunkLimit, Direction, Durability, SpaceOptions, Store, WriteBatch};
use crate::table::HaliteTable;

/// The space of definitions.
pub(super) const SPACE: &str = "catalog";
pub(super) const FORMAT_KEY: &[u8] = b"format";
pub(super) const NEXT_KEY: &[u8] = b"next";
pub(super) const TABLE_PREFIX: &[u8] = b"table/";

/// The newest format of the catalog that this version reads, and the one that it writes.
pub(super) const FORMAT_VERSION: u8 = 1;

/// All tables of a database.
#[derive(Debug)]
pub struct Catalog {
    store: Arc<dyn Store>,
    tables: RwLock<BTreeMap<String, Arc<HaliteTable>>>,
    /// The next id; held while tables are made, replaced or dropped.
    next: Mutex<u64>,
}

impl Catalog {
    /// The tables that a store holds; an empty store becomes a database.
    ///
    /// # Errors
    /// `Corrupt` where definitions cannot be read or a newer Halite wrote them; those of the store.
    pub fn open(store: Arc<dyn Store>) -> Result<Self> {
        let spaces = store.spaces()?;
        if !spaces.iter().any(|space| space == SPACE) {
            return Self::create(store);
        }
        let snapshot = store.snapshot()?;
        match snapshot.get(SPACE, FORMAT_KEY)?.as_deref() {
            Some([FORMAT_VERSION]) => {}
            Some([newer]) => {
                return Err(Error::corrupt(format!(
                    "the catalog has format {newer}, this Halite reads up to {FORMAT_VERSION}: upgrade Halite"
                )));
            }
            // A crash came between the making of the space and its first entry.
            None if !store.is_read_only() => write_first(store.as_ref())?,
            _ => return Err(Error::corrupt("the catalog has no format")),
        }
        let catalog = Self {
            next: Mutex::new(next_id(store.as_ref())?),
            tables: RwLock::new(BTreeMap::new()),
            store,
        };
        catalog.load()?;
        if !catalog.store.is_read_only() {
            catalog.drop_orphans(&spaces)?;
        }
        Ok(catalog)
    }

    fn create(store: Arc<dyn Store>) -> Result<Self> {
        if !store.is_read_only() {
            store.create_space(SPACE, &SpaceOptions::default())?;
            write_first(store.as_ref())?;
        }
        Ok(Self {
            store,
            tables: RwLock::new(BTreeMap::new()),
            next: Mutex::new(1),
        })
    }

    fn load(&self) -> Result<()> {
        let range = KeyRange::prefix(TABLE_PREFIX);
        let mut cursor = self
            .store
            .snapshot()?
            .cursor(SPACE, &range, Direction::Forward)?;
        cursor.seek(&range)?;
        let mut tables = self.tables.write();
        let mut chunk = Chunk::default();
        loop {
            chunk.clear();
            let more = cursor.fill(&mut chunk, ChunkLimit::default())?;
            for (_, definition) in chunk.iter() {
                let text = std::str::from_utf8(definition).map_err(|error| {
                    Error::corrupt("a table's definition is not text").with_source(error)
                })?;
                let table = self.bind(Table::from_json(text)?)?;
                tables.insert(table.name().to_owned(), table);
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn bind(&self, table: Table) -> Result<Arc<HaliteTable>> {
        Ok(Arc::new(HaliteTable::new(
            Arc::clone(&self.store),
            BoundTable::new(table)?,
        )))
    }

    fn drop_orphans(&self, spaces: &[String]) -> Result<()> {
        let used: Vec<String> = self
            .tables
            .read()
            .values()
            .map(|table| table.bound().table().space())
            .collect();
        let is_table = |space: &str| {
            space
                .strip_prefix('t')
                .is_some_and(|id| id.parse::<u64>().is_ok())
        };
        for space in spaces
            .iter()
            .filter(|space| is_table(space) && !used.contains(space))
        {
            self.store.drop_space(space)?;
        }
        Ok(())
    }

    /// Makes a database of its own, as this one is at one moment, in the directory `path`. Rows are read and written
    /// meanwhile; tables that are made or dropped wait.
    ///
    /// # Errors
    /// Those of [`Store::checkpoint`].
    pub fn checkpoint(&self, path: &Path) -> Result<()> {
        let _making = self.next.lock();
        self.store.checkpoint(path)
    }

    /// The store behind the tables.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The table called `name`.
    pub fn table(&self, name: &str) -> Option<Arc<HaliteTable>> {
        self.tables.read().get(name).cloned()
    }

    /// The table called `name`.
    ///
    /// # Errors
    /// `InvalidInput` where there is none, with those there are.
    pub fn expect_table(&self, name: &str) -> Result<Arc<HaliteTable>> {
        self.table(name)
            .ok_or_else(|| match self.names().as_slice() {
                [] => Error::invalid(format!("there is no table `{name}`, and no other")),
                names => Error::invalid(format!(
                    "there is no table `{name}`; there are {}",
                    names.join(", ")
                )),
            })
    }

    /// The names of all tables, sorted.
    pub fn names(&self) -> Vec<String> {
        self.tables.read().keys().cloned().collect()
    }

    /// Makes the table that `define` gives for its id.
    ///
    /// # Errors
    /// `Conflict` where a table has the name; those of `define` and of the store.
    pub fn create_table(
        &self,
        define: impl FnOnce(u64) -> Result<Table>,
    ) -> Result<Arc<HaliteTable>> {
        let mut next = self.next.lock();
        let table = define(*next)?;
        if self.table(&table.name).is_some() {
            return Err(Error::conflict(format!(
                "table `{}` exists already",
                table.name
            )));
        }
        let bound = self.bind(table.clone())?;
        self.install(&table, &mut next)?;
        self.tables.write().insert(table.name, Arc::clone(&bound));
        Ok(bound)
    }

    /// Makes the table's space, then writes its definition and the next id.
    fn install(&self, table: &Table, next: &mut u64) -> Result<()> {
        self.store
            .create_space(&table.space(), &SpaceOptions::default())?;
        let mut batch = WriteBatch::new();
        batch.put(SPACE, &table_key(&table.name), table.to_json()?.as_bytes());
        batch.put(SPACE, NEXT_KEY, &(*next + 1).to_be_bytes());
        if let Err(error) = self.store.write(batch, Durability::Sync) {
            // The definition decides; what cannot be dropped now is dropped when the database is opened again.
            let _ = self.store.drop_space(&table.space());
            return Err(error);
        }
        *next += 1;
        Ok(())
    }

    /// Drops a table and its rows. Statements that read it go on reading it.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table; those of the store.
    pub fn drop_table(&self, name: &str) -> Result<()> {
        let _making = self.next.lock();
        let table = self.expect_table(name)?;
        let _writing = table.lock_writes();
        let mut batch = WriteBatch::new();
        batch.delete(SPACE, &table_key(name));
        self.store.write(batch, Durability::Sync)?;
        self.tables.write().remove(name);
        self.store.drop_space(&table.bound().table().space())
    }

    /// Removes all rows: the table gets a new, empty space.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table; those of the store.
    pub fn truncate(&self, name: &str) -> Result<()> {
        let mut next = self.next.lock();
        let table = self.expect_table(name)?;
        let _writing = table.lock_writes();
        let mut definition = table.bound().table().clone();
        definition.id = *next;
        let bound = self.bind(definition.clone())?;
        self.install(&definition, &mut next)?;
        self.tables.write().insert(name.to_owned(), bound);
        self.store.drop_space(&table.bound().table().space())
    }
}

fn write_first(store: &dyn Store) -> Result<()> {
    let mut batch = WriteBatch::new();
    batch.put(SPACE, FORMAT_KEY, &[FORMAT_VERSION]);
    batch.put(SPACE, NEXT_KEY, &1_u64.to_be_bytes());
    store.write(batch, Durability::Sync)
}

fn next_id(store: &dyn Store) -> Result<u64> {
    let stored = store.snapshot()?.get(SPACE, NEXT_KEY)?;
    let bytes = stored
        .as_deref()
        .and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
    bytes
        .map(u64::from_be_bytes)
        .ok_or_else(|| Error::corrupt("the catalog has no next table id"))
}

fn table_key(name: &str) -> Vec<u8> {
    [TABLE_PREFIX, name.as_bytes()].concat()
}
