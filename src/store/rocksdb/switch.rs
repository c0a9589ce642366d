//! Several bulk loads that become visible in one step.
//!
//! RocksDB ingests files into one column family at a time. So a step of several loads is written down first, and then
//! taken load by load:
//!
//! 1. The files of all loads are complete and on the disk, with the directories that they are in.
//! 2. The entry `switch` of [`own`] lists them: pending. It is synced. From here on the step is taken, whatever happens.
//! 3. The loads are ingested, one after the other.
//! 4. The entry says: done. It keeps its number, one more than that of the step before.
//!
//! **In this process** nobody sees a part: nothing else is written meanwhile, and whoever asks for a snapshot gets the one
//! from before the step, without waiting. Where the first load cannot be ingested, nothing is in, and the step is given
//! up. Should a later one fail, all see that snapshot from then on, and every change is refused until the database is
//! opened again.
//!
//! **After a crash** the next opening for writing takes the rest of a pending step. A load of which a file is not in its
//! directory any more has been ingested whole, for RocksDB unlinks its files when its list that names all of them is on
//! the disk; one that has been ingested and is still there whole is ingested again, which changes nothing: nobody has
//! written since.
//!
//! **Another process** that opens the database to read refuses a pending step, and asks again as long as a living writer
//! takes for one. It reads the list of files before the log that holds the entry, so a whole step may come between the
//! two; where there has ever been a step, it opens twice, and has what is whole when no step has come between.

use std::path::{Path, PathBuf};

use ::rocksdb::DB;

use super::bulk::Files;
use super::errors::{OpenError, store_error};
use super::{Database, own};
use crate::error::{Error, Result};

const KEY: &[u8] = b"switch";
const PENDING: u8 = 1;
const DONE: u8 = 0;

/// The last step of several loads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Switch {
    /// Counts the steps; 0 before the first one.
    pub(super) number: u64,
    /// What a pending step ingests; nothing once it is done.
    pub(super) loads: Vec<Files>,
}

impl Switch {
    /// The last step of a database.
    ///
    /// # Errors
    /// `Corrupt` for an entry that this version does not know.
    pub(super) fn read(path: &Path, db: &DB) -> Result<Self> {
        let family = own::family(db)?;
        let value = db.get_cf(&family, KEY).map_err(|error| {
            store_error(format!("{}: reading its last step", path.display()), error)
        })?;
        match value {
            None => Ok(Self::default()),
            Some(value) => decode(&value).ok_or_else(|| {
                Error::corrupt(format!(
                    "the database {}: its entry `switch` cannot be read: a newer Halite wrote it, or it is damaged",
                    path.display()
                ))
            }),
        }
    }

    /// Whether some of its loads may be in, and some not.
    fn is_pending(&self) -> bool {
        !self.loads.is_empty()
    }

    /// Writes it down, and waits until it is on the disk.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot write now.
    fn write(&self, database: &Database) -> Result<()> {
        let doing = "writing down a step of several loads";
        own::put(database, KEY, &encode(self), doing)
    }

    /// Takes the step from its beginning.
    ///
    /// # Errors
    /// Those of [`Switch::write`], and of RocksDB.
    pub(super) fn run(&self, database: &Database) -> Result<(), CutShort> {
        let is_for_later = |error| CutShort {
            error,
            is_over: false,
        };
        self.write(database).map_err(is_for_later)?;
        if let Some(Err(error)) = self.loads.first().map(|load| load.ingest(database)) {
            let is_over = self.done().write(database).is_ok();
            return Err(CutShort { error, is_over });
        }
        self.complete(database).map_err(is_for_later)
    }

    /// Ingests those of its files that are not in yet, and says that it is done.
    fn complete(&self, database: &Database) -> Result<()> {
        for load in &self.loads {
            load.ingest(database)?;
        }
        self.done().write(database)
    }

    fn done(&self) -> Self {
        Self {
            number: self.number,
            loads: Vec::new(),
        }
    }
}

/// Why a step was not taken.
#[derive(Debug)]
pub(super) struct CutShort {
    pub(super) error: Error,
    /// Whether nothing of it will ever be seen. Else it is written down, or may be, and the next opening completes it.
    pub(super) is_over: bool,
}

/// Takes the rest of a step that a crash cut short. For who has just opened the database for writing.
///
/// # Errors
/// Those of [`Switch::read`], and of RocksDB.
pub(super) fn complete(database: &Database) -> Result<()> {
    let switch = Switch::read(database.path(), &database.db)?;
    if switch.is_pending() {
        switch.complete(database)
    } else {
        Ok(())
    }
}

/// Whether what was opened to read is whole; `seen` is the last step that the opening before this one found.
///
/// # Errors
/// [`OpenError::Passing`] where it is to be opened again.
pub(super) fn check_whole(path: &Path, db: &DB, seen: &mut u64) -> Result<(), OpenError> {
    let switch = Switch::read(path, db)?;
    let before = std::mem::replace(seen, switch.number);
    let shown = path.display();
    if switch.is_pending() {
        return Err(OpenError::Passing(Error::unavailable(format!(
            "the database {shown} is in the middle of a step of several loads: if nobody is writing to it, open it for \
             writing once, which completes the step"
        ))));
    }
    if switch.number == 0 || switch.number == before {
        Ok(())
    } else {
        Err(OpenError::Passing(Error::unavailable(format!(
            "the database {shown} is being loaded: open it again"
        ))))
    }
}

/// Number, state and, of a pending step, each load: its column family and its files. Numbers are big-endian; a text is
/// its length in two bytes and its bytes.
fn encode(switch: &Switch) -> Vec<u8> {
    let mut bytes = switch.number.to_be_bytes().to_vec();
    bytes.push(if switch.is_pending() { PENDING } else { DONE });
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
    };
    for Files { family, paths } in &switch.loads {
        text(&mut bytes, family);
        bytes.extend((paths.len() as u32).to_be_bytes());
        for path in paths {
            text(&mut bytes, &path.to_string_lossy());
        }
    }
    bytes
}

fn decode(mut bytes: &[u8]) -> Option<Switch> {
    let bytes = &mut bytes;
    let number = u64::from_be_bytes(take(bytes)?);
    let [state] = take(bytes)?;
    let mut loads = Vec::new();
    while !bytes.is_empty() {
        let family = text(bytes)?;
        let count = u32::from_be_bytes(take(bytes)?);
        let paths: Option<Vec<PathBuf>> =
            (0..count).map(|_| text(bytes).map(PathBuf::from)).collect();
        let paths = paths?;
        loads.push(Files { family, paths });
    }
    let is_known = state == if loads.is_empty() { DONE } else { PENDING };
    is_known.then_some(Switch { number, loads })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

fn text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::from(u16::from_be_bytes(take(bytes)?));
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
#[path = "switch_tests.rs"]
mod tests;
