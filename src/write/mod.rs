//! Writing to a table: rows become puts and deletes that are visible all at once.
//!
//! # One statement, one write set
//!
//! A [`WriteSet`] gathers the rows of one INSERT, REPLACE, DELETE or COPY, encoded. When all are there it claims the
//! table in the store ([`RowChanges::begin`]), checks the keys against what is there then, and writes: all or nothing. The
//! claim is held over check and write, so that of two concurrent INSERTs of one key exactly one fails. A DELETE claims
//! the table before it looks for its rows, so that what it deletes is what it found.
//!
//! Writers of one process queue up before they claim ([`TableLock`]): a claim would block a thread, and could not be
//! given up. Those in the queue can be cancelled, and learn there that the table was dropped. What another process has made
//! of the table they learn once they have claimed it ([`Definition`]); either way the statement is planned again.
//!
//! # Rows that are changed
//!
//! `UPDATE`, `MERGE`, `INSERT … ON CONFLICT` change rows by what is there. They claim the table before they look, as a
//! DELETE does: so of two statements that change the same rows neither change is lost. What they do to each row is told
//! by the columns of their input ([`Layout`]) and becomes changes in the same write set. Where changes meet under one
//! key, what leaves it goes before what comes (`settle`).
//!
//! # Many rows
//!
//! A write set holds at most [`WriteSettings::memory`] bytes of rows, or about that. When they are more it sorts them
//! and writes them to a temporary file ([`SpillDirectory`]) as a spill run; in the end it merges the runs. Sorted rows are
//! checked a stretch at a time: rows of one key are neighbours, and stored keys are found by a merge. A small statement is
//! then written as one batch, a great one through [`RowChanges::bulk`]. Each row carries the file and line that it comes
//! from, so that an error can name them; the first conflict found is reported, which in a great statement is the first in
//! key order. After an error nothing is written, and nothing left on the disk.
//!
//! [`RowChanges::begin`]: crate::row::RowChanges::begin
//! [`RowChanges::bulk`]: crate::row::RowChanges::bulk
//!
//! # Rows that are dealt out
//!
//! In a table with `random_salt(n)` the key of a row is not known before it is inserted: when all rows of the statement
//! are there, each is given a bucket in which its key is free (`deal`). From then on the bucket is a column of the row,
//! a hidden one, and UPDATE and DELETE find the row by it.
//!
//! # Two rows under one key
//!
//! | | rows of equal key columns | other rows, the values of all key parts equal | a hash that collides |
//! |---|---|---|---|
//! | INSERT | error | error that names both | error that names both |
//! | REPLACE | the later one stays | the later one stays | error that names both |
//!
//! The middle column: two stamps in one hour, where the key holds the hour. A part that hashes (`hash`, `md5`, and the
//! buckets of `salt` and `bucket`) counts as its inputs: a row is never replaced because two hashes happen to agree.

mod append;
mod apply;
mod cancel;
mod change;
mod changes;
mod conflict;
pub mod copy;
mod definition;
mod edit;
mod execute;
mod feed;
mod filled;
mod inline;
mod lock;
mod lookup;
mod operator_spill;
mod progress;
mod random_salt;
mod returning;
mod row_ids;
mod row_label;
mod rules;
mod settle;
mod sorter;
mod spill;
mod spill_run;
mod stored;
mod write_set;

use std::sync::Arc;

use self::random_salt::NextBucket;
use self::row_ids::RowIds;
use self::rules::Rules;
use crate::error::{Error, Result};
use crate::row::RowWriter;
use crate::schema::BoundTable;
use crate::store::{Durability, Store};

pub use self::append::RowBuffer;
pub use self::change::Change;
pub use self::definition::{Definition, StoredDefinitions, is_outdated};
pub use self::edit::{Action, Edit, Layout};
pub use self::execute::{Refresh, WriteExec, commit};
pub use self::filled::Filled;
pub use self::inline::{BriefChange, BriefOutcome, BriefWork};
pub use self::lock::{TableGuard, TableLock};
pub use self::lookup::{ClaimedRows, Lookup, LookupExec, Sought};
pub use self::progress::{Phase, Progress, ProgressReport};
pub use self::row_label::RowLabels;
pub use self::rules::CompileRules;
pub use self::spill::SpillDirectory;
pub use self::write_set::WriteSet;

/// What a statement may hold in memory unless it is told otherwise: 128 MiB. More makes loads no faster.
pub const STATEMENT_MEMORY: usize = 128 << 20;

/// What a row may have unless it is told otherwise: 64 MiB.
pub const ROW_BYTES: usize = 64 << 20;

/// What a connection asks of the statements that it writes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteSettings {
    /// How many bytes of changes a statement may hold in memory; more of them go through a temporary file.
    pub memory: usize,
    /// How many bytes a row may have, its key included.
    pub row_bytes: usize,
    /// What a statement survives once it is acknowledged.
    pub durability: Durability,
}

impl Default for WriteSettings {
    fn default() -> Self {
        Self {
            memory: STATEMENT_MEMORY,
            row_bytes: ROW_BYTES,
            durability: Durability::default(),
        }
    }
}

/// What writing to one table needs: the table, its store, the lock that all its writers share, and where they put what
/// does not fit into memory.
#[derive(Debug, Clone)]
pub struct TableWriter {
    rows: RowWriter,
    store: Arc<dyn Store>,
    lock: TableLock,
    spills: SpillDirectory,
    row_ids: RowIds,
    next_bucket: NextBucket,
    rules: Rules,
    definition: Option<Arc<Definition>>,
}

impl TableWriter {
    /// The writer of `table`, whose space exists in `store`; all its writers have clones of one `lock`.
    pub fn new(
        table: Arc<BoundTable>,
        store: Arc<dyn Store>,
        lock: TableLock,
        spills: SpillDirectory,
    ) -> Self {
        Self {
            rows: RowWriter::new(table),
            store,
            lock,
            spills,
            row_ids: RowIds::default(),
            next_bucket: NextBucket::default(),
            rules: Rules::default(),
            definition: None,
        }
    }

    /// The same, which writes only while its table's definition is the stored one.
    #[must_use]
    pub fn with_definition(self, definition: Definition) -> Self {
        Self {
            definition: Some(Arc::new(definition)),
            ..self
        }
    }

    /// What is known of the stored definition, if the table has one.
    pub fn definition(&self) -> Option<&Definition> {
        self.definition.as_deref()
    }

    /// The same, which knows what the table's rules mean; without this nothing is written to a table that has some.
    #[must_use]
    pub fn with_rules(self, compile: CompileRules) -> Self {
        Self {
            rules: Rules::compiled_by(compile),
            ..self
        }
    }

    /// Encodes rows under the table's rules.
    ///
    /// # Errors
    /// Why its rules cannot be computed.
    pub fn rows(&self) -> Result<RowWriter> {
        let rules = self.rules.of(self.table())?;
        Ok(self.rows.clone().with_rules(rules))
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        self.rows.table()
    }

    /// The lock of the table's writers.
    pub fn lock(&self) -> &TableLock {
        &self.lock
    }

    /// An empty write set under `settings`. `labels` is what errors write before the number of a row: `row`, or
    /// `flights.csv line`.
    ///
    /// # Errors
    /// `Unavailable` where the store is read-only; those of [`TableWriter::rows`] and [`Change::check`].
    pub fn write_set(
        &self,
        change: Change,
        settings: WriteSettings,
        labels: impl Into<RowLabels>,
    ) -> Result<WriteSet> {
        change.check(self.table())?;
        if self.store.is_read_only() {
            return Err(Error::unavailable(format!(
                "table `{}`: the database is opened read-only",
                self.table().name()
            )));
        }
        Ok(WriteSet::new(
            self.rows()?,
            (self.row_ids.clone(), self.next_bucket.clone()),
            Arc::clone(&self.store),
            self.spills.clone(),
            change,
            settings,
            labels.into(),
        )
        .for_definition(self.definition.clone()))
    }
}

#[cfg(test)]
pub(crate) use self::spill_run::read_spill_run;

#[cfg(test)]
mod bulk_tests;
#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
