//! What a catalog takes over from that of another database: definitions as they are there, under ids of its own, and what
//! is stored beside rows. Rows that come after them are right as they are stored, since columns keep their ids and the
//! texts of dictionaries theirs.

use std::sync::Arc;

use super::dictionaries;
use super::tables::Catalog;
use crate::error::{Error, Result};
use crate::schema::{self, BoundTable, Table};
use crate::store::Snapshot;
use crate::table::HaliteTable;

impl Catalog {
    /// Makes a table that is another database's, without its rows.
    ///
    /// # Errors
    /// As [`Catalog::create_table`].
    pub fn adopt_table(&self, definition: &Table) -> Result<Arc<HaliteTable>> {
        let define = |id| {
            Ok(Table {
                id,
                ..definition.clone()
            })
        };
        let made = self.create_table(define, false)?;
        made.ok_or_else(|| Error::internal("a new table that was there already"))
    }

    /// Makes a sequence that is another database's, or gives the one that is there its definition. Its numbers go on behind
    /// `last`, the last one that may have been handed out there, unless they are beyond it: no number is given twice.
    ///
    /// # Errors
    /// As [`Catalog::create_sequence`].
    pub fn adopt_sequence(&self, definition: &schema::Sequence, last: Option<i64>) -> Result<()> {
        let define = |id| {
            Ok(schema::Sequence {
                id,
                ..definition.clone()
            })
        };
        let name = definition.name.as_str();
        if !self.create_sequence(define, true)? {
            self.redefine_sequence(name, |known| schema::Sequence {
                id: known.id,
                ..definition.clone()
            })?;
        }
        let sequence = self.expect_sequence(name)?;
        let advanced = sequence.advance(last);
        advanced.map_err(|error| error.context(format!("sequence `{name}`")))
    }

    /// Gives the dictionaries of a table the texts that those of another database's table have, under the same ids.
    ///
    /// # Errors
    /// `Conflict` where a text or an id is another one's here; then nothing is changed. Those of the stores.
    pub fn adopt_dictionaries(
        &self,
        from: &BoundTable,
        snapshot: &Arc<dyn Snapshot>,
        to: &BoundTable,
    ) -> Result<()> {
        dictionaries::adopt(from, snapshot, to, self.store())
    }

    /// Whether [`Catalog::adopt_dictionaries`] is possible.
    ///
    /// # Errors
    /// As [`Catalog::adopt_dictionaries`].
    pub fn check_dictionaries(
        &self,
        from: &BoundTable,
        snapshot: &Arc<dyn Snapshot>,
        to: &BoundTable,
    ) -> Result<()> {
        dictionaries::missing(from, snapshot, to, &self.store().snapshot()?).map(drop)
    }

    /// Whether `table` is still the one of its name at the moment of `snapshot`.
    ///
    /// # Errors
    /// `Conflict` where it is not; those of the store.
    pub fn expect_unchanged(&self, table: &BoundTable, snapshot: &dyn Snapshot) -> Result<()> {
        self.follow(snapshot)?;
        let found = self.table(table.name());
        if found.is_some_and(|found| found.bound().table() == table.table()) {
            Ok(())
        } else {
            Err(Error::conflict(
                "it was dropped, emptied or altered by another statement while it was copied",
            ))
        }
    }
}
