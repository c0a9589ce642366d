//! Tables that are filled before they have a name.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::objects::Dependents;
use super::stored::{NEXT_KEY, SPACE, table_key};
use super::tables::{Catalog, Changed};
use crate::error::{Error, Result};
use crate::schema::Table;
use crate::store::{Durability, WriteBatch};
use crate::table::HaliteTable;

/// A table that no name leads to yet: it can be written to, and is gone when this is dropped, unless it is listed before.
#[derive(Debug)]
pub struct NewTable {
    catalog: Arc<Catalog>,
    table: Arc<HaliteTable>,
    /// Whether it may take the place of another.
    or_replace: bool,
    /// Whether its space is to be dropped with this.
    is_ours: bool,
}

impl Catalog {
    /// Makes a table's space and nothing else, so that it can be filled before anybody sees it; with `or_replace` in the
    /// place of one that has its name. A crash leaves a space that no definition names.
    ///
    /// # Errors
    /// As [`Catalog::create_table`].
    pub fn prepare_table(
        self: &Arc<Self>,
        define: impl Fn(u64) -> Result<Table>,
        or_replace: bool,
    ) -> Result<NewTable> {
        let mut changing = self.changing.lock();
        let mut changes = self.begin(&[], &mut changing)?;
        let table = define(changing.next_id)?;
        self.refuse_key_space(&table)?;
        if !or_replace || self.table(&table.name).is_none() {
            self.is_made(&table, false)?;
        }
        let bound = self.bind(table)?;
        if let Some(definition) = bound.writer().definition() {
            definition.begin_unlisted();
        }
        changing.next_id += 1;
        bound.make_space()?;
        let mut batch = WriteBatch::new();
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        Ok(NewTable {
            catalog: Arc::clone(self),
            table: bound,
            or_replace,
            is_ours: true,
        })
    }
}

impl NewTable {
    /// The table.
    pub fn table(&self) -> &Arc<HaliteTable> {
        &self.table
    }

    /// From now on its name leads to it, and to the rows that it has.
    ///
    /// # Errors
    /// `Conflict` where another table has the name by now; those of the store.
    pub fn list(mut self) -> Result<()> {
        let catalog = Arc::clone(&self.catalog);
        if self.or_replace && catalog.table(self.table.name()).is_some() {
            return self.list_instead(&catalog);
        }
        let mut changing = catalog.changing.lock();
        let changes = catalog.begin(&[], &mut changing)?;
        let definition = self.table.bound().table();
        catalog.is_made(definition, false)?;
        let mut batch = WriteBatch::new();
        let json = definition.to_json()?;
        batch.put(SPACE, &table_key(&definition.name), json.as_bytes());
        let numbers = catalog.number_columns(definition, &[], &mut changing.next_id, &mut batch)?;
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        // Of a write that fails nobody knows whether it is on disk.
        self.is_ours = false;
        let name = definition.name.clone();
        catalog.write(changes, batch, || {
            list(&self.table);
            catalog.change_tables(|tables| drop(tables.insert(name, Arc::clone(&self.table))));
            catalog.add_sequences(numbers);
        })
    }

    /// The same in the place of the table that has the name. Statements that read that one go on reading it.
    fn list_instead(mut self, catalog: &Catalog) -> Result<()> {
        let definition = self.table.bound().table();
        let name = definition.name.as_str();
        let find = || Ok(catalog.table(name).into_iter().collect());
        let Some(Changed {
            mut changing,
            tables,
            changes,
        }) = catalog.lock_tables(find)?
        else {
            return Err(Error::conflict(format!(
                "table `{name}` is not there any more; run the statement again"
            )));
        };
        let mut batch = WriteBatch::new();
        let replaced = BTreeSet::from([name]);
        let needed = catalog.with_dependents(&replaced, Dependents::Refuse, &mut batch);
        needed.map_err(|error| {
            let message =
                format!("table `{name}` cannot be replaced: views read it; drop them first");
            Error::conflict(message).with_source(error)
        })?;
        let old = tables.iter().map(|(table, _)| table.bound().table());
        let old: Vec<String> = old
            .flat_map(|table| catalog.delete_identities(table, &mut batch))
            .collect();
        let numbers =
            catalog.number_columns(definition, &old, &mut changing.next_id, &mut batch)?;
        batch.put(SPACE, NEXT_KEY, &changing.next_id.to_be_bytes());
        batch.put(SPACE, &table_key(name), definition.to_json()?.as_bytes());
        let changes = catalog.deleting_shared(changes, &tables)?;
        let table = Arc::clone(&self.table);
        // Of a write that fails nobody knows whether it is on disk.
        self.is_ours = false;
        let written = catalog.write(changes, batch, || {
            list(&table);
            catalog.change_tables(|tables| drop(tables.insert(name.to_owned(), table)));
            catalog.forget_sequences(&old);
            catalog.add_sequences(numbers);
        });
        catalog.retire(&mut changing, tables);
        written
    }
}

fn list(table: &HaliteTable) {
    if let Some(definition) = table.writer().definition() {
        definition.list();
    }
}

impl Drop for NewTable {
    fn drop(&mut self) {
        if self.is_ours {
            let mut changing = self.catalog.changing.lock();
            let spaces = self.table.bound().spaces().names();
            changing.unused.extend(spaces.map(str::to_owned));
            self.catalog.reclaim(&mut changing);
        }
    }
}
