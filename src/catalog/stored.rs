//! What a store holds of a catalog. Who opens a database and who checks one read it here, so that they agree on what is
//! damaged.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::keyrange::{KeyRange, hex};
use crate::schema::{BoundTable, Sequence, Table, View};
use crate::store::{Changes, Durability, Snapshot, SpaceOptions, Store, WriteBatch, read_chunks};
use crate::write::StoredDefinitions;

/// The space of definitions.
pub(super) const SPACE: &str = "catalog";
/// The space of the numbers of sequences.
pub(super) const NUMBERS: &str = "sequences";
pub(super) const NEXT_KEY: &[u8] = b"next";
const FORMAT_KEY: &[u8] = b"format";
const TABLE_PREFIX: &[u8] = b"table/";
const VIEW_PREFIX: &[u8] = b"view/";
const SEQUENCE_PREFIX: &[u8] = b"sequence/";

/// The newest format of the catalog that this version reads, and the one that it writes.
const FORMAT_VERSION: u8 = 1;

/// A catalog as it stands in a store at one moment.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// The tables whose definitions can be read.
    pub(super) tables: Vec<Arc<BoundTable>>,
    /// The views whose definitions can be read.
    pub(super) views: Vec<Arc<View>>,
    /// The sequences whose definitions can be read.
    pub(super) sequences: Vec<Sequence>,
    /// What is damaged, in words; but for what is in `lost`.
    pub(super) damage: Vec<String>,
    /// The names of those of `tables` whose rows are missing.
    pub(super) lost: BTreeSet<String>,
    has_format: bool,
    next_id: Option<u64>,
    spaces: BTreeSet<String>,
}

impl Stored {
    /// Reads the catalog entry by entry.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn read(store: &dyn Store) -> Result<Self> {
        let mut found = Self {
            spaces: store.spaces()?.into_iter().collect(),
            ..Self::default()
        };
        // Whether a table's rows are there is asked of the same moment as its definition: others make and drop tables.
        let snapshot = store.snapshot()?;
        let entries = if snapshot.has_space(SPACE) {
            entries(Arc::clone(&snapshot))?
        } else {
            Vec::new()
        };
        for (key, value) in &entries {
            found.take(key, value, snapshot.as_ref());
        }
        if entries.is_empty() {
            found.check_nothing_is_lost()
        } else {
            found.check_entries()
        }
        Ok(found)
    }

    fn take(&mut self, key: &[u8], value: &[u8], snapshot: &dyn Snapshot) {
        match key {
            FORMAT_KEY => {
                self.has_format = true;
                if value != [FORMAT_VERSION] {
                    self.damage.push(other_format(value));
                }
            }
            NEXT_KEY => self.next_id = decode_id(value),
            key => {
                if let Some(name) = key.strip_prefix(TABLE_PREFIX) {
                    self.take_table(name, value, snapshot);
                } else if let Some(name) = key.strip_prefix(VIEW_PREFIX) {
                    self.take_view(name, value);
                } else if let Some(name) = key.strip_prefix(SEQUENCE_PREFIX) {
                    self.take_sequence(name, value);
                } else {
                    let key = key.escape_ascii();
                    let wrong = format!("the catalog has an entry {key}, which it does not know");
                    self.damage.push(wrong);
                }
            }
        }
    }

    fn take_view(&mut self, name: &[u8], definition: &[u8]) {
        let name = String::from_utf8_lossy(name);
        let mut wrong = |what: String| self.damage.push(format!("view `{name}`: {what}"));
        let Ok(text) = std::str::from_utf8(definition) else {
            return wrong("its definition is no text".to_owned());
        };
        match View::from_json(text) {
            Ok(view) if view.name == name => self.views.push(Arc::new(view)),
            Ok(view) => wrong(format!("its definition is that of `{}`", view.name)),
            Err(error) => wrong(error.to_string()),
        }
    }

    fn take_table(&mut self, name: &[u8], definition: &[u8], snapshot: &dyn Snapshot) {
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
            return wrong(format!("its definition is that of `{}`", table.name()));
        }
        if !table
            .table()
            .spaces()
            .names()
            .all(|space| snapshot.has_space(space))
        {
            self.lost.insert(table.name().to_owned());
        }
        self.tables.push(table);
    }

    fn take_sequence(&mut self, name: &[u8], definition: &[u8]) {
        let name = String::from_utf8_lossy(name);
        let mut wrong = |what: String| self.damage.push(format!("sequence `{name}`: {what}"));
        let Ok(text) = std::str::from_utf8(definition) else {
            return wrong("its definition is no text".to_owned());
        };
        match Sequence::from_json(text) {
            Ok(sequence) if sequence.name == name => self.sequences.push(sequence),
            Ok(sequence) => wrong(format!("its definition is that of `{}`", sequence.name)),
            Err(error) => wrong(error.to_string()),
        }
    }

    /// A store without entries is new, or a crash came before the first ones: then it has no tables either.
    fn check_nothing_is_lost(&mut self) {
        if self.spaces.iter().any(|space| table_id(space).is_some()) {
            let wrong = "the catalog is missing, and there are tables";
            self.damage.push(wrong.to_owned());
        }
    }

    fn check_entries(&mut self) {
        if !self.has_format {
            self.damage.push("the catalog has no format".to_owned());
        }
        let Some(next) = self.next_id else {
            let wrong = "the catalog has no next table id";
            return self.damage.push(wrong.to_owned());
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
        self.check_key_spaces();
    }

    /// Tables whose rows lie together can be told apart.
    fn check_key_spaces(&mut self) {
        let shared: Vec<&Arc<BoundTable>> = self
            .tables
            .iter()
            .filter(|table| table.table().keyspace.is_some())
            .collect();
        let mut wrong = Vec::new();
        for (place, table) in shared.iter().enumerate() {
            let others = shared.iter().skip(place + 1);
            let beside = others.filter(|other| other.space() == table.space());
            let unlike = beside.filter_map(|other| table.table().check_beside(other.table()).err());
            wrong.extend(unlike.map(|error| error.to_string()));
        }
        self.damage.extend(wrong);
    }

    /// For who is about to work with the tables. Beside a process that has just made one a reader may know its
    /// definition and not its space; who can write is alone, and would drop spaces that seem to be of no table.
    ///
    /// # Errors
    /// `Corrupt` that says what is damaged.
    pub(super) fn check(&self, is_read_only: bool) -> Result<()> {
        let lost = self.lost_in_words().filter(|_| !is_read_only);
        let damage: Vec<String> = self.damage.iter().cloned().chain(lost).collect();
        if damage.is_empty() {
            Ok(())
        } else {
            Err(Error::corrupt(damage.join("; ")))
        }
    }

    pub(super) fn lost_in_words(&self) -> impl Iterator<Item = String> {
        let lost = self.lost.iter();
        lost.map(|name| format!("table `{name}`: its rows are missing"))
    }

    /// The spaces of tables that no definition names: what a crash leaves when a table is made or dropped. Of a table
    /// whose definition is damaged it is not known which space is its own; then there are none.
    pub(super) fn orphans(&self) -> Vec<String> {
        if self.check(false).is_err() {
            return Vec::new();
        }
        let tables = self.tables.iter();
        let used: BTreeSet<&str> = tables.flat_map(|table| table.spaces().names()).collect();
        let is_orphan =
            |space: &&String| table_id(space).is_some() && !used.contains(space.as_str());
        self.spaces.iter().filter(is_orphan).cloned().collect()
    }

    /// An id beyond those of all tables, and of all spaces.
    pub(super) fn next_id(&self) -> u64 {
        let used = self.spaces.iter().filter_map(|space| table_id(space)).max();
        let beyond = used.map_or(1, |id| id + 1);
        self.next_id.unwrap_or(1).max(beyond)
    }

    /// Writes the first entries, unless they are there. That ends the claim of `changes`, and of a store that had none
    /// there is nothing to reclaim; else it goes on.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn begin(
        &self,
        store: &dyn Store,
        mut changes: Box<dyn Changes>,
    ) -> Result<Option<Box<dyn Changes>>> {
        if self.has_format {
            return Ok(Some(changes));
        }
        if !self.spaces.contains(SPACE) {
            store.create_space(SPACE, &SpaceOptions::default())?;
        }
        let mut batch = WriteBatch::new();
        batch.put(SPACE, FORMAT_KEY, &[FORMAT_VERSION]);
        batch.put(SPACE, NEXT_KEY, &1_u64.to_be_bytes());
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        Ok(None)
    }
}

fn entries(snapshot: Arc<dyn Snapshot>) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut entries = Vec::new();
    read_chunks(snapshot, SPACE, &KeyRange::all(), |chunk| {
        let read = chunk.iter();
        entries.extend(read.map(|(key, value)| (key.to_vec(), value.to_vec())));
        Ok::<_, Error>(true)
    })?;
    Ok(entries)
}

fn other_format(value: &[u8]) -> String {
    let shown = hex(value);
    match value {
        [newer] if *newer > FORMAT_VERSION => format!(
            "the catalog's format is {shown}, written by a newer Halite: it is format {newer}, and this one reads formats \
             up to {FORMAT_VERSION}"
        ),
        _ => format!("the catalog's format is {shown}, which this Halite cannot read"),
    }
}

fn decode_id(value: &[u8]) -> Option<u64> {
    <[u8; 8]>::try_from(value).ok().map(u64::from_be_bytes)
}

/// The next id that a store has for a table; 0 where it has none.
///
/// # Errors
/// Those of the store.
pub(super) fn next_id(snapshot: &dyn Snapshot) -> Result<u64> {
    let stored = snapshot.get(SPACE, NEXT_KEY)?;
    Ok(stored
        .and_then(|value| decode_id(&value))
        .unwrap_or_default())
}

/// What a store has under a sequence's key.
///
/// # Errors
/// Those of the store.
pub(super) fn stored_numbers(snapshot: &dyn Snapshot, key: &[u8]) -> Result<Option<Vec<u8>>> {
    if snapshot.has_space(NUMBERS) {
        snapshot.get(NUMBERS, key)
    } else {
        Ok(None)
    }
}

/// How writers ask whether a table's definition is still the stored one.
pub(super) const DEFINITIONS: StoredDefinitions = StoredDefinitions {
    stamp: |snapshot| snapshot.stamp(SPACE),
    holds: is_stored,
};

/// Whether a table is defined, at some moment, as it is here.
///
/// # Errors
/// `Corrupt` where its definition cannot be read; those of the store.
fn is_stored(table: &BoundTable, snapshot: &dyn Snapshot) -> Result<bool> {
    let stored = snapshot.get(SPACE, &table_key(table.name()))?;
    let text = stored
        .as_deref()
        .and_then(|text| std::str::from_utf8(text).ok());
    let stored = text.map(Table::from_json).transpose()?;
    Ok(stored.as_ref() == Some(table.table()))
}

/// The key of a table's definition.
pub(super) fn table_key(name: &str) -> Vec<u8> {
    [TABLE_PREFIX, name.as_bytes()].concat()
}

/// The key of a view's definition.
pub(super) fn view_key(name: &str) -> Vec<u8> {
    [VIEW_PREFIX, name.as_bytes()].concat()
}

/// The key of a sequence's definition.
pub(super) fn sequence_key(name: &str) -> Vec<u8> {
    [SEQUENCE_PREFIX, name.as_bytes()].concat()
}

/// The id of the table whose rows are in `space`; `None` for spaces of other kinds.
fn table_id(space: &str) -> Option<u64> {
    let (id, _) = space.split_once('_').unwrap_or((space, ""));
    let number: u64 = id.strip_prefix('t')?.parse().ok()?;
    (format!("t{number}") == id).then_some(number)
}
