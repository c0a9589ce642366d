//! Whether a table is still what its writers know of it, asked once they have claimed its rows.
//!
//! A statement is for the definition that it was planned with, and another process may have altered the table since: its
//! rows would be written under rules that do not hold any more. Who changes a definition claims the table's space as
//! writers do. So a definition that is the stored one at a moment of a claim is that until the claim is given back, and
//! one comparison is enough.
//!
//! The catalog's stamp tells, without a message to the store, whether any definition can have changed since a table's was
//! last seen; only where it is another one the definition is read.

use std::error::Error as StdError;
use std::fmt;

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::store::Snapshot;

/// How definitions are stored, which the catalog knows.
#[derive(Debug, Clone, Copy)]
pub struct StoredDefinitions {
    /// The stamp of the space that holds them.
    pub stamp: fn(&dyn Snapshot) -> u64,
    /// Whether a table's definition is stored as it is.
    pub holds: fn(&BoundTable, &dyn Snapshot) -> Result<bool>,
}

/// What is known of a table's stored definition. All writers of the table share it.
#[derive(Debug)]
pub struct Definition {
    stored: StoredDefinitions,
    known: Mutex<Known>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is not stored yet: nobody but its maker knows the table.
    Unlisted,
    /// Nothing.
    Nothing,
    /// It was the stored one after the catalog had this stamp, the latest.
    At(u64),
}

impl Definition {
    /// Of a table that nobody has looked up yet.
    pub fn new(stored: StoredDefinitions) -> Self {
        Self {
            stored,
            known: Mutex::new(Known::Nothing),
        }
    }

    /// The table is filled before its definition is stored: until [`Definition::list`] there is nothing to compare.
    pub fn begin_unlisted(&self) {
        *self.known.lock() = Known::Unlisted;
    }

    /// The definition is stored from now on.
    pub fn list(&self) {
        *self.known.lock() = Known::Nothing;
    }

    /// From now on it is known that the definition is the table's, by a reading that was made after the catalog had this
    /// stamp.
    pub fn confirm(&self, stamp: u64) {
        *self.known.lock() = Known::At(stamp);
    }

    /// Whether the stored definition is the table's, at a moment of a claim of its rows.
    ///
    /// # Errors
    /// [`outdated`] where it is not; those of the store.
    pub(super) fn check(&self, table: &BoundTable, claimed: &dyn Snapshot) -> Result<()> {
        let stamp = (self.stored.stamp)(claimed);
        let known = *self.known.lock();
        if known == Known::Unlisted || known == Known::At(stamp) {
            return Ok(());
        }
        if !(self.stored.holds)(table, claimed)? {
            return Err(outdated(table.name()));
        }
        self.confirm(stamp);
        Ok(())
    }
}

/// The cause of the error of a statement whose table is another one by now.
#[derive(Debug)]
struct Outdated;

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the table is not the one that the statement was planned for")
    }
}

impl StdError for Outdated {}

/// The error of a statement whose table is another one by now: nothing was written, and planned again it may be right.
pub(super) fn outdated(table: &str) -> Error {
    Error::conflict(format!(
        "table `{table}` was dropped, emptied or altered by another statement while this one ran: nothing was written, run \
         it again"
    ))
    .with_source(Outdated)
}

/// Whether a statement failed because its table is another one by now, so that it is to be planned again.
pub fn is_outdated(error: &Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(found) = cause {
        if found.is::<Outdated>() {
            return true;
        }
        cause = found.source();
    }
    false
}
