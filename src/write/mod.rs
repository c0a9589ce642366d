//! Writing to a table: rows become one atomic batch of puts and deletes.
//!
//! # One statement
//!
//! A [`Statement`] gathers the rows of one INSERT, REPLACE, DELETE or COPY as entries. When all are there it takes the
//! table's lock ([`TableLock`]), checks the keys against the newest state of the store and writes: all or nothing. The
//! lock is held over check and write, so that of two concurrent INSERTs of one key exactly one fails. A DELETE takes
//! the lock before it looks for its rows, so that what it deletes is what it found.
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

mod conflict;
pub mod copy;
mod execute;
mod lock;
mod place;
mod statement;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::row::RowWriter;
use crate::schema::BoundTable;
use crate::store::Store;

pub use self::execute::{Refresh, WriteExec};
pub use self::lock::{TableGuard, TableLock, WriteLocks};
pub use self::place::Places;
pub use self::statement::{Change, Statement};

/// What a statement may hold in memory unless it is told otherwise: 1 GiB.
pub const STATEMENT_MEMORY: usize = 1 << 30;

/// What writing to one table needs: the table, its store, the lock that all its writers share.
#[derive(Debug, Clone)]
pub struct TableWriter {
    rows: RowWriter,
    store: Arc<dyn Store>,
    lock: TableLock,
}

impl TableWriter {
    /// The writer of `table`, whose space exists in `store`; `lock` is the one of this table in [`WriteLocks`].
    pub fn new(table: Arc<BoundTable>, store: Arc<dyn Store>, lock: TableLock) -> Self {
        Self {
            rows: RowWriter::new(table),
            store,
            lock,
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        self.rows.table()
    }

    /// The lock of the table's writers.
    pub fn lock(&self) -> &TableLock {
        &self.lock
    }

    /// A statement that holds at most `memory` bytes. `places` says what errors call its rows: `row`, or
    /// `flights.csv line`, before their numbers.
    ///
    /// # Errors
    /// `Unavailable` where the store is read-only.
    pub fn statement(
        &self,
        change: Change,
        memory: usize,
        places: impl Into<Places>,
    ) -> Result<Statement> {
        if self.store.is_read_only() {
            return Err(Error::unavailable(format!(
                "table `{}`: the database is opened read-only",
                self.table().name()
            )));
        }
        Ok(Statement::new(
            self.rows.clone(),
            Arc::clone(&self.store),
            change,
            memory,
            places.into(),
        ))
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
