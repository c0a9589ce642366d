//! Key spaces: runs of keys that several tables share.
//!
//! The first table of a key space has its space made, the others join it, and the last one that is dropped takes it along.
//! A table that is dropped before has its rows deleted, in the same step as its definition: neither is ever gone without
//! the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::tables::{Catalog, Locked};
use crate::error::{Error, Nameable, Result};
use crate::row::deleting_rows;
use crate::schema::{BoundTable, Table};
use crate::store::Changes;

impl Catalog {
    /// The tables of a key space, in the order of their names.
    pub fn key_space(&self, name: &str) -> Vec<Arc<BoundTable>> {
        let all = self.bound_tables();
        let is_in = |table: &Arc<BoundTable>| {
            let shared = table.table().keyspace.as_ref();
            shared.is_some_and(|shared| shared.name == name)
        };
        all.into_iter().filter(is_in).collect()
    }

    /// As [`Catalog::key_space`], at least one.
    ///
    /// # Errors
    /// `InvalidInput` where there is none, with the key spaces there are.
    pub fn expect_key_space(&self, name: &str) -> Result<Vec<Arc<BoundTable>>> {
        let tables = self.key_space(name);
        if !tables.is_empty() {
            return Ok(tables);
        }
        let all = self.bound_tables();
        let shared = all
            .iter()
            .filter_map(|table| table.table().keyspace.as_ref());
        let names: BTreeSet<String> = shared.map(|shared| shared.name.clone()).collect();
        let known = if names.is_empty() {
            "and no other; CREATE TABLE … WITH (keyspace = 'shop') makes one".to_owned()
        } else {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("there are {}", names.join(", "))
        };
        Err(
            Error::invalid(format!("there is no key space '{name}'; {known}")).of_missing(
                Nameable::KeySpace,
                name,
                names,
            ),
        )
    }

    /// Puts a new table into the key space that it names, if that is there.
    ///
    /// # Errors
    /// `InvalidInput` where its rows could not be told from those of another table.
    pub(super) fn join_key_space(&self, table: &mut Table) -> Result<()> {
        let Some(shared) = &mut table.keyspace else {
            return Ok(());
        };
        let others = self.key_space(&shared.name);
        let known = others
            .iter()
            .find_map(|other| other.table().keyspace.as_ref());
        shared.id = known.map_or(table.id, |known| known.id);
        others
            .iter()
            .filter(|other| other.name() != table.name)
            .try_for_each(|other| table.check_beside(other.table()))
    }

    /// Adds to the change by which tables are dropped that the rows go of those whose space others have still.
    pub(super) fn deleting_shared(
        &self,
        mut changes: Box<dyn Changes>,
        dropped: &[Locked],
    ) -> Result<Box<dyn Changes>> {
        let is_dropped = |name: &str| dropped.iter().any(|(table, _)| table.name() == name);
        let all = self.bound_tables();
        let stays = |space: &str| {
            let mut tables = all.iter();
            tables.any(|table| table.space() == space && !is_dropped(table.name()))
        };
        let mut shared: BTreeMap<String, Vec<Arc<BoundTable>>> = BTreeMap::new();
        for (table, _) in dropped {
            let bound = table.bound();
            if bound.table().keyspace.is_some() && stays(bound.space()) {
                let space = bound.space().to_owned();
                shared.entry(space).or_default().push(Arc::clone(bound));
            }
        }
        for tables in shared.values() {
            changes = deleting_rows(changes, tables)?;
        }
        Ok(changes)
    }

    /// Refuses a table that is filled before it is listed: what a crash leaves of it would lie among the rows of others.
    ///
    /// # Errors
    /// `NotSupported` for a table of a key space.
    pub(super) fn refuse_key_space(&self, table: &Table) -> Result<()> {
        match &table.keyspace {
            None => Ok(()),
            Some(shared) => Err(Error::unsupported(format!(
                "table `{}`: CREATE OR REPLACE TABLE and CREATE TABLE … AS are not implemented in a key space: make the \
                 table WITH (keyspace = '{}'), and INSERT … SELECT",
                table.name, shared.name
            ))),
        }
    }
}
