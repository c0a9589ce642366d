//! What the store on disk tells of itself, and giving room back.

use super::{RocksStore, Spaces};
use crate::error::{Error, Result};
use crate::store::Fact;

/// The bytes of the files that are not replaced yet.
const FILES: &str = "rocksdb.live-sst-files-size";

/// See [`Store::describe`](crate::store::Store::describe).
pub(super) fn describe(store: &RocksStore) -> Result<Vec<Fact>> {
    let spaces = store.current();
    let database = spaces.borrow_owner();
    let mut bytes = 0;
    for name in spaces.borrow_dependent().keys() {
        bytes += files(&spaces, name)?;
    }
    let access = if database.options.read_only {
        "for reading alone, as it was when it was opened"
    } else {
        "by this process alone; others may read it"
    };
    Ok(vec![
        Fact::new("store", "RocksDB"),
        Fact::new("directory", database.path().display().to_string()),
        Fact::new("open", access),
        Fact::new("bytes of files", bytes.to_string()),
        Fact::new(
            "a statement",
            "is whole or has not been, whatever its size; it reads one moment, however long it takes",
        ),
        Fact::new(
            "what is acknowledged",
            "survives a power cut, with halite.durability = 'buffered' the end of the process",
        ),
        Fact::new(
            "room of deleted rows",
            "of a large DELETE is given back soon after it, else little by little, and by VACUUM at once",
        ),
        Fact::new("a copy", "halite backup, .backup"),
        Fact::new("whether it is whole", "halite check"),
    ])
}

/// Merges the files of spaces, so that what was overwritten and deleted is in none any more.
pub(super) fn vacuum(store: &RocksStore, space: Option<&str>) -> Result<Vec<Fact>> {
    let spaces = store.current();
    let database = spaces.borrow_owner();
    database.refuse_if_read_only()?;
    let names: Vec<&str> = match space {
        Some(space) => vec![space],
        None => spaces
            .borrow_dependent()
            .keys()
            .map(String::as_str)
            .collect(),
    };
    let (mut before, mut after) = (0, 0);
    for name in names {
        before += files(&spaces, name)?;
        let family = &spaces.find(name)?.family;
        let everything: Option<&[u8]> = None;
        database.db.compact_range_cf(family, everything, everything);
        after += files(&spaces, name)?;
    }
    Ok(vec![
        Fact::new("bytes of files before", before.to_string()),
        Fact::new("bytes of files now", after.to_string()),
    ])
}

/// The bytes of the files of a space.
fn files(spaces: &Spaces, space: &str) -> Result<u64> {
    let database = spaces.borrow_owner();
    let family = &spaces.find(space)?.family;
    let bytes = database.db.property_int_value_cf(family, FILES);
    let bytes = bytes.map_err(|error| database.failed("asking how large its files are", error))?;
    bytes.ok_or_else(|| Error::internal("RocksDB does not know how large its files are"))
}
