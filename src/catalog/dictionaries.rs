//! The dictionaries of tables whose keys have a part `dict(c)`, kept in the store.
//!
//! # What is kept
//!
//! Beside the spaces of its rows such a table has one more, as `t17_d`. An entry is an id and its text: its key is the
//! position of the part in the row key, a byte, and the id, 4 bytes, big-endian; its value the text. It is on the disk
//! before a row has the id. Ids without rows, of a statement that failed, stay, and so do texts that are in no row any
//! more; TRUNCATE begins anew.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use crate::error::{Error, Result};
use crate::key::{Dictionary, DictionaryKeeper};
use crate::keyrange::KeyRange;
use crate::schema::BoundTable;
use crate::store::{Claim, Durability, Snapshot, Store, WriteBatch, read_chunks};
use crate::table::HaliteTable;

/// The entries of one dictionary.
#[derive(Debug)]
struct Kept {
    store: Arc<dyn Store>,
    entries: Entries,
}

/// Where the entries of a dictionary are.
#[derive(Debug)]
struct Entries {
    table: String,
    space: Arc<str>,
    /// The position of the part.
    part: u8,
}

/// From now on the dictionaries of a table are kept in the store, and have what is there.
///
/// # Errors
/// `Corrupt` for an entry that is none; those of the store.
pub(super) fn keep(table: &BoundTable, store: &Arc<dyn Store>) -> Result<()> {
    let all = all_of(table)?;
    if !all.is_empty() {
        let snapshot = store.snapshot()?;
        for (entries, dictionary) in all {
            entries.read_on(dictionary, &snapshot)?;
            let store = Arc::clone(store);
            dictionary.keep_by(Arc::new(Kept { store, entries }));
        }
    }
    Ok(())
}

/// The dictionaries of a table as they are at a moment, for who only looks at it.
///
/// # Errors
/// As [`keep`].
pub(super) fn read(table: &BoundTable, snapshot: &Arc<dyn Snapshot>) -> Result<()> {
    let mut all = all_of(table)?.into_iter();
    all.try_for_each(|(entries, dictionary)| entries.read_on(dictionary, snapshot))
}

/// Adds to the dictionaries of a table what those of another store's table have.
///
/// # Errors
/// As [`missing`]; then nothing is changed.
pub(super) fn adopt(
    from: &BoundTable,
    snapshot: &Arc<dyn Snapshot>,
    to: &BoundTable,
    store: &Arc<dyn Store>,
) -> Result<()> {
    let Some(space) = to.spaces().dictionary() else {
        return Ok(());
    };
    let mut changes = Arc::clone(store).begin(&[Claim::exclusive(space)])?;
    let missing = missing(from, snapshot, to, &changes.snapshot()?)?;
    if missing.is_empty() {
        return Ok(());
    }
    let mut bulk = changes.bulk(space)?;
    for (key, text) in &missing {
        bulk.put(key, text)?;
    }
    drop(bulk);
    changes.commit(Durability::Sync)
}

/// The entries of `from`'s dictionaries, at a moment of its store, that those of `to` do not have at one of its own. They
/// are the same table in two databases, and each fits into memory, as dictionaries do.
///
/// # Errors
/// `Conflict` where `to` has an entry that is not the same in `from`; those of the stores.
pub(super) fn missing(
    from: &BoundTable,
    snapshot: &Arc<dyn Snapshot>,
    to: &BoundTable,
    other: &Arc<dyn Snapshot>,
) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let mut missing = stored(from, snapshot)?;
    for (key, text) in stored(to, other)? {
        if missing.remove(&key).as_ref() != Some(&text) {
            let text = String::from_utf8_lossy(&text);
            return Err(Error::conflict(format!(
                "its dictionary has '{text}' under a number that means something else where the table is copied from: drop the \
                 table here, and copy it again"
            )));
        }
    }
    Ok(missing)
}

/// All entries of a table's dictionaries, as they are stored.
fn stored(table: &BoundTable, snapshot: &Arc<dyn Snapshot>) -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let mut entries = BTreeMap::new();
    let space = table.spaces().dictionary();
    let space = space.filter(|space| snapshot.has_space(space));
    if let Some(space) = space {
        read_chunks(Arc::clone(snapshot), space, &KeyRange::all(), |chunk| {
            let read = chunk.iter();
            entries.extend(read.map(|(key, text)| (key.to_vec(), text.to_vec())));
            Ok::<_, Error>(true)
        })?;
    }
    Ok(entries)
}

fn all_of(table: &BoundTable) -> Result<Vec<(Entries, &Arc<Dictionary>)>> {
    let Some(space) = table.spaces().dictionary() else {
        return Ok(Vec::new());
    };
    let too_many = |_| {
        Error::unsupported(format!(
            "table `{}`: dict(c) behind 256 other key parts",
            table.name()
        ))
    };
    let mut all = Vec::new();
    for (position, dictionary) in table.row_key().dictionaries() {
        let entries = Entries {
            table: table.name().to_owned(),
            space: Arc::clone(space),
            part: u8::try_from(*position).map_err(too_many)?,
        };
        all.push((entries, dictionary));
    }
    Ok(all)
}

/// The tables of a catalog that have dictionaries.
#[derive(Debug, Default)]
pub(super) struct Followed(RwLock<Arc<[Worded]>>);

/// A table with a dictionary, and the stamp of its entries when they were last read.
#[derive(Debug)]
struct Worded {
    table: Arc<HaliteTable>,
    space: Arc<str>,
    seen: AtomicU64,
}

/// No stamp that a snapshot gives.
const UNSEEN: u64 = u64::MAX;

impl Followed {
    /// From now on these are the tables.
    pub(super) fn set<'a>(&self, tables: impl Iterator<Item = &'a Arc<HaliteTable>>) {
        let worded = tables.filter_map(|table| {
            Some(Worded {
                space: Arc::clone(table.bound().spaces().dictionary()?),
                table: Arc::clone(table),
                seen: AtomicU64::new(UNSEEN),
            })
        });
        let worded = worded.collect();
        *self.0.write() = worded;
    }

    /// Takes in what others, perhaps another process, have added to dictionaries until the moment of `snapshot`.
    ///
    /// # Errors
    /// As [`keep`].
    pub(super) fn follow(&self, snapshot: &dyn Snapshot, store: &Arc<dyn Store>) -> Result<()> {
        let followed = Arc::clone(&self.0.read());
        for Worded { table, space, seen } in followed.iter() {
            let stamp = snapshot.stamp(space);
            if seen.load(Ordering::SeqCst) != stamp {
                // What the stamp stands for may be missing in the snapshot that gave it.
                read(table.bound(), &store.snapshot()?)?;
                seen.store(stamp, Ordering::SeqCst);
            }
        }
        Ok(())
    }
}

impl Entries {
    fn key(&self, id: u32) -> Vec<u8> {
        [&[self.part][..], &id.to_be_bytes()].concat()
    }

    /// Takes in the entries behind those that the dictionary has.
    fn read_on(&self, dictionary: &Dictionary, snapshot: &Arc<dyn Snapshot>) -> Result<()> {
        // The space of a table that is being made is not there yet.
        if !snapshot.has_space(&self.space) {
            return Ok(());
        }
        let first = dictionary.entries().last().saturating_add(1);
        let stop = self.part.checked_add(1).map(|next| vec![next]);
        let Some(range) = KeyRange::new(self.key(first), stop) else {
            return Ok(());
        };
        read_chunks(Arc::clone(snapshot), &self.space, &range, |chunk| {
            for (key, value) in chunk.iter() {
                let (id, text) = self.entry(key, value)?;
                dictionary
                    .extend(id, [text])
                    .map_err(|error| self.of_table(error))?;
            }
            Ok::<_, Error>(true)
        })
    }

    fn entry(&self, key: &[u8], value: &[u8]) -> Result<(u32, Arc<str>)> {
        let id = key.strip_prefix(&[self.part]);
        let id = id.and_then(|id| <[u8; 4]>::try_from(id).ok());
        match (id, std::str::from_utf8(value)) {
            (Some(id), Ok(text)) => Ok((u32::from_be_bytes(id), Arc::from(text))),
            _ => Err(self.of_table(Error::corrupt("an entry of a dictionary cannot be read"))),
        }
    }

    fn of_table(&self, error: Error) -> Error {
        error.context(format!("table `{}`", self.table))
    }
}

impl DictionaryKeeper for Kept {
    fn add(&self, dictionary: &Dictionary, texts: &[Arc<str>]) -> Result<()> {
        let added = self.try_add(dictionary, texts);
        if self.store.snapshot()?.has_space(&self.entries.space) {
            added
        } else {
            Err(Error::conflict(format!(
                "table `{}` was dropped or emptied by another statement while this one ran: nothing was written, run it again",
                self.entries.table
            )))
        }
    }

    fn follow(&self, dictionary: &Dictionary) -> Result<()> {
        self.entries.read_on(dictionary, &self.store.snapshot()?)
    }
}

impl Kept {
    fn try_add(&self, dictionary: &Dictionary, texts: &[Arc<str>]) -> Result<()> {
        let (entries, space) = (&self.entries, &*self.entries.space);
        let mut changes = Arc::clone(&self.store).begin(&[Claim::exclusive(space)])?;
        let snapshot = changes.snapshot()?;
        // Others may have given ids to the same texts.
        entries.read_on(dictionary, &snapshot)?;
        let unknown = dictionary.unknown(texts);
        let first = dictionary.entries().last().checked_add(1);
        let last = first.and_then(|first| first.checked_add(u32::try_from(unknown.len()).ok()?));
        let (Some(first), Some(_)) = (first, last) else {
            let full = Error::invalid("the dictionary is full: it has four billion texts");
            return Err(entries.of_table(full));
        };
        let mut batch = WriteBatch::new();
        for (id, text) in (first..).zip(&unknown) {
            batch.put(space, &entries.key(id), text.as_bytes());
        }
        changes.write(batch)?;
        changes.commit(Durability::Sync)?;
        dictionary.extend(first, unknown)
    }
}
