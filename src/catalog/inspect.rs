//! The catalog of a database that may be damaged: what can be read of it, and what is wrong with the rest.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tables::{FORMAT_KEY, FORMAT_VERSION, NEXT_KEY, SPACE, TABLE_PREFIX};
use crate::error::Result;
use crate::keyrange::{KeyRange, hex};
use crate::schema::{BoundTable, Table};
use crate::store::{Chunk, ChunkLimit, Direction, Store};

/// What a catalog holds.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The tables whose definitions can be read and whose spaces are there.
    pub tables: Vec<Arc<BoundTable>>,
    /// What is damaged, in words.
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
    let mut found = Inspection::default();
    let spaces: BTreeSet<String> = store.spaces()?.into_iter().collect();
    if !spaces.contains(SPACE) {
        if !spaces.is_empty() {
            found
                .damage
                .push("the catalog is missing, and there are tables".to_owned());
        }
        return Ok(found);
    }
    let (mut has_format, mut next) = (false, None);
    for (key, value) in entries(store)? {
        match key.as_slice() {
            FORMAT_KEY => {
                has_format = true;
                if value != [FORMAT_VERSION] {
                    let value = hex(&value);
                    found.damage.push(format!(
                        "the catalog's format is {value}, which this Halite cannot read"
                    ));
                }
            }
            NEXT_KEY => {
                next = <[u8; 8]>::try_from(value.as_slice())
                    .ok()
                    .map(u64::from_be_bytes)
            }
            key => match key.strip_prefix(TABLE_PREFIX) {
                Some(name) => found.table(name, &value, &spaces),
                None => {
                    let key = key.escape_ascii();
                    found.damage.push(format!(
                        "the catalog has an entry {key}, which it does not know"
                    ));
                }
            },
        }
    }
    if !has_format {
        found.damage.push("the catalog has no format".to_owned());
    }
    found.check_ids(next);
    found.find_orphans(&spaces);
    Ok(found)
}

fn entries(store: &dyn Store) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let all = KeyRange::all();
    let mut cursor = store.snapshot()?.cursor(SPACE, &all, Direction::Forward)?;
    cursor.seek(&all)?;
    let (mut chunk, mut entries) = (Chunk::default(), Vec::new());
    loop {
        chunk.clear();
        let more = cursor.fill(&mut chunk, ChunkLimit::default())?;
        entries.extend(
            chunk
                .iter()
                .map(|(key, value)| (key.to_vec(), value.to_vec())),
        );
        if !more {
            return Ok(entries);
        }
    }
}

impl Inspection {
    fn table(&mut self, name: &[u8], definition: &[u8], spaces: &BTreeSet<String>) {
        let name = String::from_utf8_lossy(name);
        let mut wrong = |what: String| self.damage.push(format!("table `{name}`: {what}"));
        let Ok(text) = std::str::from_utf8(definition) else {
            return wrong("its definition is no text".to_owned());
        };
        let table = match Table::from_json(text).and_then(BoundTable::new) {
            Ok(table) => table,
            Err(error) => return wrong(error.to_string()),
        };
        if table.name() != name {
            wrong(format!("its definition is that of `{}`", table.name()));
        } else if !spaces.contains(table.space()) {
            wrong("its rows are missing".to_owned());
        } else {
            self.tables.push(table);
        }
    }

    fn check_ids(&mut self, next: Option<u64>) {
        let Some(next) = next else {
            self.damage
                .push("the catalog has no next table id".to_owned());
            return;
        };
        let mut seen = BTreeSet::new();
        for table in &self.tables {
            let (id, name) = (table.table().id, table.name());
            if id >= next {
                let wrong =
                    format!("table `{name}`: its id {id} is not given yet, the next is {next}");
                self.damage.push(wrong);
            }
            if !seen.insert(id) {
                let wrong = format!("table `{name}`: its rows are those of another table, too");
                self.damage.push(wrong);
            }
        }
    }

    fn find_orphans(&mut self, spaces: &BTreeSet<String>) {
        // Of a table whose definition is damaged it is not known which space is its own.
        if !self.damage.is_empty() {
            return;
        }
        let used: BTreeSet<&str> = self.tables.iter().map(|table| table.space()).collect();
        let orphans = spaces
            .iter()
            .filter(|space| *space != SPACE && !used.contains(space.as_str()));
        self.orphans = orphans.cloned().collect();
    }
}
