//! The tables of a database, kept in its store.
//!
//! # What a crash leaves
//!
//! A table is its definition, one entry of the space `catalog`; its rows are in a space of their own, named by the
//! table's id. The definition decides: a table is made when its definition is written, after its space, and gone when
//! the definition is deleted, before its space. Both writes reach the disk before the statement is acknowledged. A
//! table's space that no definition names belongs to a table that was never made, or is gone: it is dropped when the
//! database is next opened for writing, or sooner, unless the catalog is damaged. After a write that failed nobody knows whether it is on disk, so its space is
//! left for the next opening too. An id is never used twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard, RwLock};

use super::alter::{Altered, check_rows};
use super::dictionaries::{self, Followed};
use super::objects::{Dependents, Sequences, Views};
use super::stored::{DEFINITIONS, NEXT_KEY, SPACE, Stored, next_id, table_key};
use crate::error::{Error, Nameable, Result};
use crate::row::deleting_rows;
use crate::schema::{BoundTable, Table, View};
use crate::store::{Changes, Claim, Durability, Snapshot, Store, WriteBatch};
use crate::table::HaliteTable;
use crate::write::{CompileRules, Definition, SpillDirectory, TableGuard};

/// All tables of a database.
#[derive(Debug)]
pub struct Catalog {
    store: Arc<dyn Store>,
    /// Where writers put what does not fit into memory.
    spills: SpillDirectory,
    /// What the rules of tables mean.
    compile: Option<CompileRules>,
    tables: RwLock<BTreeMap<String, Arc<HaliteTable>>>,
    pub(super) views: Views,
    pub(super) sequences: Sequences,
    dictionaries: Followed,
    /// Grows with each change of what has a name.
    version: AtomicU64,
    /// The stamp of the definitions when they were last looked up.
    seen: AtomicU64,
    /// Held while `tables` are brought in line with the store: what is looked up there is not older than what is known.
    aligning: Mutex<()>,
    /// Held while tables are made, replaced or dropped; taken after the locks of tables.
    pub(super) changing: Mutex<Changing>,
}

/// What a change of the tables needs.
#[derive(Debug)]
pub(super) struct Changing {
    pub(super) next_id: u64,
    /// Spaces that no definition names, and that could not be dropped yet.
    pub(super) unused: Vec<String>,
}

/// A table that no statement writes to.
pub(super) type Locked = (Arc<HaliteTable>, TableGuard);

/// Tables that are being changed, by one alone.
pub(super) struct Changed<'a> {
    pub(super) changing: MutexGuard<'a, Changing>,
    pub(super) tables: Vec<Locked>,
    pub(super) changes: Box<dyn Changes>,
}

impl Catalog {
    /// The tables that a store holds; an empty store becomes a database.
    ///
    /// # Errors
    /// `Corrupt` where the catalog is damaged or a newer Halite wrote it; those of the store.
    pub fn open(store: Arc<dyn Store>) -> Result<Self> {
        Self::open_with(store, SpillDirectory::default(), None)
    }

    /// As [`Catalog::open`]; what statements cannot hold in memory goes to `spills`, and `compile` knows what the rules of
    /// tables mean.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn open_with(
        store: Arc<dyn Store>,
        spills: SpillDirectory,
        compile: Option<CompileRules>,
    ) -> Result<Self> {
        // Who makes a table elsewhere has its space before its definition: that is no space to reclaim.
        let claim = [Claim::exclusive(SPACE)];
        let claimed = if store.is_read_only() {
            None
        } else {
            Some(Arc::clone(&store).begin(&claim)?)
        };
        let seen = store.snapshot()?.stamp(SPACE);
        let stored = Stored::read(store.as_ref())?;
        stored.check(store.is_read_only())?;
        let claimed = match claimed {
            Some(changes) => stored.begin(store.as_ref(), changes)?,
            None => None,
        };
        let changing = Changing {
            next_id: stored.next_id(),
            unused: stored.orphans(),
        };
        let catalog = Self {
            store,
            spills,
            compile,
            tables: RwLock::new(BTreeMap::new()),
            views: Views::default(),
            sequences: Sequences::default(),
            dictionaries: Followed::default(),
            version: AtomicU64::new(0),
            seen: AtomicU64::new(seen),
            aligning: Mutex::new(()),
            changing: Mutex::new(changing),
        };
        catalog.set_tables(stored.tables)?;
        catalog.confirm_tables(seen);
        catalog.set_views(stored.views);
        catalog.set_sequences(stored.sequences);
        catalog.reclaim(&mut catalog.changing.lock());
        drop(claimed);
        Ok(catalog)
    }

    /// From now on these are the tables. Those that are known already, and are the same, stay the same.
    fn set_tables(&self, bound: Vec<Arc<BoundTable>>) -> Result<()> {
        let tables = bound.into_iter().map(|bound| {
            let known = self.table(bound.name());
            let known = known.filter(|known| known.bound().table() == bound.table());
            let table = known.map_or_else(|| self.with_store(bound), Ok)?;
            Ok((table.name().to_owned(), table))
        });
        let found: BTreeMap<_, _> = tables.collect::<Result<_>>()?;
        let is_same = {
            let known = self.tables.read();
            let mut pairs = known.values().zip(found.values());
            known.len() == found.len() && pairs.all(|(known, found)| Arc::ptr_eq(known, found))
        };
        if !is_same {
            self.change_tables(|tables| *tables = found);
        }
        Ok(())
    }

    /// Tells the tables that the store held them as they are, after its catalog had this stamp.
    fn confirm_tables(&self, stamp: u64) {
        let tables = self.tables.read();
        let writers = tables.values().map(|table| table.writer());
        writers.for_each(|writer| {
            if let Some(definition) = writer.definition() {
                definition.confirm(stamp);
            }
        });
    }

    /// The tables that the store holds now. Only for who holds `aligning`.
    fn load(&self) -> Result<()> {
        let stored = Stored::read(self.store.as_ref())?;
        stored.check(self.store.is_read_only())?;
        self.set_tables(stored.tables)?;
        self.set_views(stored.views);
        self.set_sequences(stored.sequences);
        Ok(())
    }

    /// A snapshot for a statement. The tables are those of its moment, or of a later one: what others have changed of
    /// them, perhaps another process, is looked up first.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` as [`Catalog::open`].
    pub fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let snapshot = self.store.snapshot()?;
        self.follow(snapshot.as_ref())?;
        Ok(snapshot)
    }

    /// A snapshot for a statement that reads a few keys: see [`Store::supposed`]. The tables are those that are known, which
    /// it tells with the rest whether they are those of now.
    ///
    /// # Errors
    /// As [`Catalog::snapshot`].
    pub fn supposed(&self) -> Result<Option<Arc<dyn Snapshot>>> {
        let Some(snapshot) = self.store.supposed() else {
            return Ok(None);
        };
        if snapshot.stamp(SPACE) != self.seen.load(Ordering::SeqCst) {
            return Ok(None);
        }
        self.dictionaries.follow(snapshot.as_ref(), &self.store)?;
        Ok(Some(snapshot))
    }

    /// Looks the tables up again if they may have changed, at the moment of `snapshot`, since that was done.
    ///
    /// # Errors
    /// As [`Catalog::snapshot`].
    pub fn follow(&self, snapshot: &dyn Snapshot) -> Result<()> {
        let stamp = snapshot.stamp(SPACE);
        if stamp != self.seen.load(Ordering::SeqCst) {
            let _aligning = self.aligning.lock();
            self.load()?;
            self.confirm_tables(stamp);
            self.seen.store(stamp, Ordering::SeqCst);
        }
        self.dictionaries.follow(snapshot, &self.store)
    }

    /// Begins a change of these tables' definitions, which nobody else changes until it is committed: the tables, and
    /// the next id, are those of the store from here on.
    pub(super) fn begin(
        &self,
        tables: &[Arc<HaliteTable>],
        changing: &mut Changing,
    ) -> Result<Box<dyn Changes>> {
        let spaces: BTreeSet<&str> = tables.iter().map(|table| table.bound().space()).collect();
        let claims: Vec<Claim<'_>> = [SPACE]
            .into_iter()
            .chain(spaces)
            .map(Claim::exclusive)
            .collect();
        let changes = Arc::clone(&self.store).begin(&claims)?;
        let snapshot = changes.snapshot()?;
        self.follow(snapshot.as_ref())?;
        changing.next_id = changing.next_id.max(next_id(snapshot.as_ref())?);
        Ok(changes)
    }

    /// Writes definitions, and changes the tables accordingly. Where that fails the store is asked what holds now: the
    /// write may have been made all the same, and rows must not go where the next opening does not look for them.
    fn commit(
        &self,
        changes: Box<dyn Changes>,
        batch: WriteBatch,
        change: impl FnOnce(&mut BTreeMap<String, Arc<HaliteTable>>),
    ) -> Result<()> {
        self.write(changes, batch, || self.change_tables(change))
    }

    /// As [`Catalog::commit`], for definitions of any kind; `change` makes what is known the same.
    pub(super) fn write(
        &self,
        mut changes: Box<dyn Changes>,
        batch: WriteBatch,
        change: impl FnOnce(),
    ) -> Result<()> {
        let _aligning = self.aligning.lock();
        let written = changes
            .write(batch)
            .and_then(|()| changes.commit(Durability::Sync));
        match &written {
            Ok(()) => change(),
            // Where the store cannot be read either, it has not been written to.
            Err(_) => drop(self.load()),
        }
        written
    }

    /// Whether `table` is the one that has its name.
    fn is_current(&self, table: &Arc<HaliteTable>) -> bool {
        let found = self.table(table.name());
        found.is_some_and(|found| Arc::ptr_eq(&found, table))
    }

    pub(super) fn bind(&self, table: Table) -> Result<Arc<HaliteTable>> {
        self.with_store(BoundTable::new(table)?)
    }

    fn with_store(&self, table: Arc<BoundTable>) -> Result<Arc<HaliteTable>> {
        dictionaries::keep(&table, &self.store)?;
        let (store, spills) = (Arc::clone(&self.store), self.spills.clone());
        let table = HaliteTable::new(store, table, spills);
        let table = table.with_definition(Definition::new(DEFINITIONS));
        Ok(Arc::new(match self.compile {
            Some(compile) => table.with_rules(compile),
            None => table,
        }))
    }

    /// Drops the spaces that no definition names. It is no part of what a statement promises: what cannot be dropped
    /// now is tried again by the next change, and when the database is next opened.
    pub(super) fn reclaim(&self, changing: &mut Changing) {
        if !self.store.is_read_only() {
            let unused = &mut changing.unused;
            unused.retain(|space| self.store.drop_space(space).is_err());
        }
    }

    /// Makes a database of its own, as this one is at one moment, in the directory `path`. Rows are read and written
    /// meanwhile; tables that are made or dropped wait.
    ///
    /// # Errors
    /// Those of [`Store::checkpoint`].
    pub fn checkpoint(&self, path: &Path) -> Result<()> {
        let _changing = self.changing.lock();
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
        self.table(name).ok_or_else(|| match self.view(name) {
            Some(view) => not_a_table(&view),
            None => {
                let names = self.names();
                let others = match names.as_slice() {
                    [] => ", and no other".to_owned(),
                    names => format!("; there are {}", names.join(", ")),
                };
                Error::invalid(format!("there is no table `{name}`{others}")).of_missing(
                    Nameable::Table,
                    name,
                    names,
                )
            }
        })
    }

    /// The tables with these names, each once, in the order of the names; with `if_exists` those that there are.
    fn named(&self, names: &[String], if_exists: bool) -> Result<Vec<Arc<HaliteTable>>> {
        let names: BTreeSet<&String> = names.iter().collect();
        if if_exists {
            let named = names.iter().filter_map(|name| match self.table(name) {
                Some(table) => Some(Ok(table)),
                None if self.is_no_table(name) => Some(self.expect_table(name)),
                // One that is dropped at this moment is not there either.
                None => None,
            });
            named.collect()
        } else {
            names.iter().map(|name| self.expect_table(name)).collect()
        }
    }

    fn is_no_table(&self, name: &str) -> bool {
        self.view(name).is_some() || self.sequence(name).is_some()
    }

    /// The definitions of all tables, sorted by their names.
    pub(super) fn bound_tables(&self) -> Vec<Arc<BoundTable>> {
        let tables = self.tables.read();
        let bound = tables.values().map(|table| Arc::clone(table.bound()));
        bound.collect()
    }

    /// The names of all tables, sorted.
    pub fn names(&self) -> Vec<String> {
        self.tables.read().keys().cloned().collect()
    }

    /// How often tables, views and sequences were made, replaced or dropped so far. What is found by name between two equal answers, and a
    /// snapshot of the store taken between them, belong together.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    pub(super) fn change_tables(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, Arc<HaliteTable>>),
    ) {
        let mut tables = self.tables.write();
        change(&mut tables);
        self.dictionaries.set(tables.values());
        // Before anyone can see the change.
        self.changed();
    }

    /// What is planned from now on is planned for other tables or views.
    pub(super) fn changed(&self) {
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// Begins a change of definitions that are no tables, as [`Catalog::begin`] does; it is over when both are dropped.
    pub(super) fn begin_others(&self) -> Result<(MutexGuard<'_, Changing>, Box<dyn Changes>)> {
        let mut changing = self.changing.lock();
        let changes = self.begin(&[], &mut changing)?;
        Ok((changing, changes))
    }

    /// Makes the table that `define` gives for its id. Where a table has the name already and `if_not_exists` is said,
    /// nothing is made; the definition must be one all the same.
    ///
    /// # Errors
    /// `Conflict` where a table has the name; those of `define` and of the store.
    pub fn create_table(
        &self,
        define: impl Fn(u64) -> Result<Table>,
        if_not_exists: bool,
    ) -> Result<Option<Arc<HaliteTable>>> {
        let mut changing = self.changing.lock();
        if let Some(made) = self.is_made(&define(changing.next_id)?, if_not_exists)? {
            return Ok(made);
        }
        let making = |name: &str, error: Error| error.context(format!("making table `{name}`"));
        let changes = self.begin(&[], &mut changing);
        let mut table = define(changing.next_id)?;
        let changes = changes.map_err(|error| making(&table.name, error))?;
        self.join_key_space(&mut table)?;
        if let Some(made) = self.is_made(&table, if_not_exists)? {
            return Ok(made);
        }
        let installed = self.install(&table, true, &mut changing, changes);
        let bound = installed.map_err(|error| making(&table.name, error))?;
        self.reclaim(&mut changing);
        Ok(Some(bound))
    }

    /// What [`Catalog::create_table`] gives where a table has the name already.
    pub(super) fn is_made(
        &self,
        table: &Table,
        if_not_exists: bool,
    ) -> Result<Option<Option<Arc<HaliteTable>>>> {
        match self.table(&table.name) {
            None => self.expect_free_for_table(&table.name).map(|()| None),
            Some(_) if if_not_exists => Ok(Some(None)),
            Some(_) => {
                let name = &table.name;
                Err(Error::conflict(format!("table `{name}` exists already")))
            }
        }
    }

    /// Makes the table's space, then writes its definition and the next id. From then on the name is the table's.
    fn install(
        &self,
        table: &Table,
        is_new: bool,
        changing: &mut Changing,
        changes: Box<dyn Changes>,
    ) -> Result<Arc<HaliteTable>> {
        let bound = self.bind(table.clone())?;
        changing.next_id += 1;
        if !self.is_used(bound.bound().space()) {
            bound.make_space()?;
        }
        let mut batch = WriteBatch::new();
        let numbers = if is_new {
            self.number_columns(table, &[], &mut changing.next_id, &mut batch)?
        } else {
            Vec::new()
        };
        batch.put(SPACE, &table_key(&table.name), table.to_json()?.as_bytes());
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        self.write(changes, batch, || {
            self.change_tables(|tables| {
                tables.insert(table.name.clone(), Arc::clone(&bound));
            });
            self.add_sequences(numbers);
        })?;
        Ok(bound)
    }

    /// Drops tables and their rows, all of them or none; with `if_exists` those that there are. Statements that read them
    /// go on reading them.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table; `Conflict` where views need one, unless these go, too; those of the
    /// store.
    pub fn drop_tables(
        &self,
        names: &[String],
        if_exists: bool,
        dependents: Dependents,
    ) -> Result<()> {
        let locked = self.lock_tables(|| self.named(names, if_exists))?;
        let Some(Changed {
            mut changing,
            tables,
            changes,
        }) = locked
        else {
            return Ok(());
        };
        let mut batch = WriteBatch::new();
        let mut numbers = Vec::new();
        for (table, _) in &tables {
            batch.delete(SPACE, &table_key(table.name()));
            numbers.extend(self.delete_identities(table.bound().table(), &mut batch));
        }
        let dropped: BTreeSet<&str> = tables.iter().map(|(table, _)| table.name()).collect();
        let views = self.with_dependents(&dropped, dependents, &mut batch)?;
        let changes = self.deleting_shared(changes, &tables)?;
        let written = self.write(changes, batch, || {
            self.change_tables(|tables| tables.retain(|name, _| !dropped.contains(name.as_str())));
            self.forget_views(&views);
            self.forget_sequences(&numbers);
        });
        self.retire(&mut changing, tables);
        written
    }

    /// Removes all rows: the table gets a new, empty space.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table; those of the store.
    pub fn truncate(&self, name: &str) -> Result<()> {
        let find = || Ok(vec![self.expect_table(name)?]);
        let Some(Changed {
            mut changing,
            tables,
            changes,
        }) = self.lock_tables(find)?
        else {
            return Ok(());
        };
        let mut definition = self.expect_table(name)?.bound().table().clone();
        if definition.keyspace.is_some() {
            let table = Arc::clone(self.expect_table(name)?.bound());
            return deleting_rows(changes, &[table])
                .and_then(|changes| changes.commit(Durability::Sync))
                .map_err(|error| error.context(format!("emptying table `{name}`")));
        }
        definition.id = changing.next_id;
        let installed = self.install(&definition, false, &mut changing, changes);
        self.retire(&mut changing, tables);
        installed
            .map(drop)
            .map_err(|error| error.context(format!("emptying table `{name}`")))
    }

    /// Changes the definition of a table whose rows stay as they are. Statements that began before go on reading as they
    /// did; those that write are turned away.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such table, or a row does not satisfy what the new definition asks; `Conflict`
    /// where another table has its new name; those of `change` and of the store.
    pub fn alter_table(
        &self,
        name: &str,
        change: impl FnOnce(&Table) -> Result<Altered>,
    ) -> Result<()> {
        let find = || Ok(vec![self.expect_table(name)?]);
        let Some(Changed {
            changing: _changing,
            tables,
            changes,
        }) = self.lock_tables(find)?
        else {
            return Ok(());
        };
        let altered = change(self.expect_table(name)?.bound().table())?;
        let is_renamed = altered.table.name != name;
        if is_renamed {
            self.is_made(&altered.table, false)?;
        }
        let table = self.bind(altered.table)?;
        if altered.asks_rows {
            check_rows(table.bound(), self.compile, changes.snapshot()?)
                .map_err(|error| error.context(format!("table `{name}`")))?;
        }
        let mut batch = WriteBatch::new();
        if is_renamed {
            batch.delete(SPACE, &table_key(name));
        }
        let definition = table.bound().table().to_json()?;
        batch.put(SPACE, &table_key(table.name()), definition.as_bytes());
        let written = self.commit(changes, batch, |tables| {
            tables.remove(name);
            tables.insert(table.name().to_owned(), Arc::clone(&table));
        });
        for (table, mut writing) in tables {
            if !self.is_current(&table) {
                writing.retire();
            }
        }
        written
    }

    /// Waits until no statement writes to the tables that `find` gives, in the order of their names, and then until no
    /// other changes tables: so a long statement keeps those waiting alone who change its own table. `None` where there
    /// is none.
    pub(super) fn lock_tables(
        &self,
        find: impl Fn() -> Result<Vec<Arc<HaliteTable>>>,
    ) -> Result<Option<Changed<'_>>> {
        self.snapshot()?;
        loop {
            let found = find()?;
            if found.is_empty() {
                return Ok(None);
            }
            let tables: Vec<Locked> = found
                .iter()
                .map(|table| (Arc::clone(table), table.lock_writes()))
                .collect();
            let mut changing = self.changing.lock();
            let changes = self.begin(&found, &mut changing)?;
            let current = find()?;
            let is_same =
                |(left, right): (&Arc<HaliteTable>, &Arc<HaliteTable>)| Arc::ptr_eq(left, right);
            if current.len() == found.len() && current.iter().zip(&found).all(is_same) {
                return Ok(Some(Changed {
                    changing,
                    tables,
                    changes,
                }));
            }
        }
    }

    /// Turns the writers of these tables away, and drops their rows, unless they are still what they were.
    pub(super) fn retire(&self, changing: &mut Changing, tables: Vec<Locked>) {
        for (table, mut writing) in tables {
            if !self.is_current(&table) {
                writing.retire();
                if !self.is_used(table.bound().space()) {
                    let spaces = table.bound().spaces().names();
                    changing.unused.extend(spaces.map(str::to_owned));
                }
            }
        }
        self.reclaim(changing);
    }

    /// Whether the rows of some table are in a space.
    fn is_used(&self, space: &str) -> bool {
        let tables = self.tables.read();
        tables.values().any(|table| table.bound().space() == space)
    }
}

fn not_a_table(view: &View) -> Error {
    Error::invalid(format!(
        "`{}` is a view, not a table: rows are changed in what it reads, {}; DROP VIEW drops it",
        view.name,
        view.reads_in_words()
    ))
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
