//! What a database knows of itself: the entries of the column family that carries its format.
//!
//! | key | value |
//! |---|---|
//! | `space/` + name | how the space is kept: `01`, the version of this entry, then its compression (`00` fast, `01` dense, `02` none) |
//! | `switch` | the last change of several spaces that is more than a batch, see [`super::switch`] |
//!
//! Each is written with [`Durability::Sync`]: what they say is never behind what else is there. The entry of a space is on
//! the disk before the space is made, and deleted after it is dropped; one without its space is what a crash left, and
//! goes when the database is next opened for writing. A space of an older database has no entry: its compression stands
//! behind the name of its column family.

use std::collections::HashMap;
use std::sync::Arc;

use ::rocksdb::{BoundColumnFamily, DB, Direction, IteratorMode, WriteBatch};

use super::super::directory::{format_family, space_of_family};
use super::super::{Compression, Durability, SpaceOptions};
use super::Database;
use super::options::compression_options;
use crate::error::{Error, Result};
use crate::keyrange::hex;

const SPACE_PREFIX: &[u8] = b"space/";
const VERSION: u8 = 1;

/// The column family of these entries; every database has it.
pub(super) fn family(db: &DB) -> Result<Arc<BoundColumnFamily<'_>>> {
    let family = db.cf_handle(&format_family());
    family.ok_or_else(|| Error::internal("a database without the mark of its format"))
}

/// The options of all spaces that have an entry.
///
/// # Errors
/// `Corrupt` for an entry that this version does not know.
pub(super) fn options_of_spaces(database: &Database) -> Result<HashMap<String, SpaceOptions>> {
    let family = family(&database.db)?;
    let from = IteratorMode::From(SPACE_PREFIX, Direction::Forward);
    let mut found = HashMap::new();
    for entry in database.db.iterator_cf(&family, from) {
        let (key, value) =
            entry.map_err(|error| database.failed("reading the options of its spaces", error))?;
        let Some(name) = key.strip_prefix(SPACE_PREFIX) else {
            break;
        };
        let name = String::from_utf8_lossy(name).into_owned();
        let options = decode(&value).ok_or_else(|| unknown_options(database, &name, &value))?;
        found.insert(name, options);
    }
    Ok(found)
}

/// Keeps the options of a space that is about to be made.
pub(super) fn put_options(database: &Database, space: &str, options: SpaceOptions) -> Result<()> {
    let doing = format!("making the space {space}");
    put(database, &space_key(space), &encode(options), &doing)
}

/// Keeps an entry, and waits until it is on the disk. `doing` says what it is for.
///
/// # Errors
/// `Unavailable` if the store cannot write now.
pub(super) fn put(database: &Database, key: &[u8], value: &[u8], doing: &str) -> Result<()> {
    let family = family(&database.db)?;
    let mut batch = WriteBatch::default();
    batch.put_cf(&family, key, value);
    let put = database.write(&batch, Durability::Sync);
    put.map_err(|error| database.failed(doing, error))
}

/// Forgets the options of a space that is gone. What cannot be deleted now goes when the database is opened again.
pub(super) fn delete_options(database: &Database, space: &str) {
    if let Ok(family) = family(&database.db) {
        let mut batch = WriteBatch::default();
        batch.delete_cf(&family, space_key(space));
        let _ = database.write(&batch, Durability::Sync);
    }
}

/// Brings the options of every space in force, once the database is open for writing: until then all are open with
/// those that the names of their column families say. Forgets those of spaces that are not there.
///
/// # Errors
/// Those of [`options_of_spaces`], and of RocksDB.
pub(super) fn apply_options(database: &Database) -> Result<()> {
    for (space, options) in options_of_spaces(database)? {
        match database.db.cf_handle(&space) {
            None => delete_options(database, &space),
            Some(_) if options.compression == Compression::default() => {}
            Some(family) => {
                let compression = compression_options(options.compression);
                let set = database.db.set_options_cf(&family, &compression);
                set.map_err(|error| database.failed(format!("opening the space {space}"), error))?;
            }
        }
    }
    Ok(())
}

/// The space of a column family with the options that an entry or the family's name gives it; `None` for a family that
/// is not a space.
pub(super) fn space_and_options<'a>(
    family: &'a str,
    options: &HashMap<String, SpaceOptions>,
) -> Option<(&'a str, SpaceOptions)> {
    let (space, compression) = space_of_family(family)?;
    let named = SpaceOptions { compression };
    Some((space, options.get(space).copied().unwrap_or(named)))
}

fn space_key(space: &str) -> Vec<u8> {
    [SPACE_PREFIX, space.as_bytes()].concat()
}

fn encode(options: SpaceOptions) -> [u8; 2] {
    let compression = match options.compression {
        Compression::Fast => 0,
        Compression::Dense => 1,
        Compression::None => 2,
    };
    [VERSION, compression]
}

fn decode(value: &[u8]) -> Option<SpaceOptions> {
    let compression = match value {
        [VERSION, 0] => Compression::Fast,
        [VERSION, 1] => Compression::Dense,
        [VERSION, 2] => Compression::None,
        _ => return None,
    };
    Some(SpaceOptions { compression })
}

fn unknown_options(database: &Database, space: &str, value: &[u8]) -> Error {
    let (path, value) = (database.path().display(), hex(value));
    Error::corrupt(format!(
        "the database {path}: the options of the space {space} are {value}, which this Halite cannot read: a newer one \
         wrote them, or they are damaged"
    ))
}
