//! The changes of one statement, from its rows to the write.

use std::sync::Arc;

use arrow::array::RecordBatch;

use super::conflict;
use super::lock::TableGuard;
use super::place::Places;
use crate::error::{Error, Result};
use crate::row::RowWriter;
use crate::schema::BoundTable;
use crate::store::{Durability, Store, WriteBatch};

/// What a statement does with its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Adds them; a key that is there already is an error.
    Insert,
    /// Adds them over rows of the same key.
    Replace,
    /// Removes them; of each row only the columns that the key is computed from are given, by name.
    Delete,
}

/// What checking and writing need for each row beside its entry, in bytes.
const BYTES_PER_ROW: usize = 80;

/// The changes of one statement. Nothing is written before [`Statement::commit`].
#[derive(Debug)]
pub struct Statement {
    rows: RowWriter,
    store: Arc<dyn Store>,
    change: Change,
    memory: usize,
    places: Places,
    batch: WriteBatch,
    /// Of each operation: the number of the row that it belongs to, as errors call it.
    numbers: Vec<u64>,
    count: u64,
}

impl Statement {
    pub(super) fn new(
        rows: RowWriter,
        store: Arc<dyn Store>,
        change: Change,
        memory: usize,
        places: Places,
    ) -> Self {
        Self {
            rows,
            store,
            change,
            memory,
            places,
            batch: WriteBatch::new(),
            numbers: Vec::new(),
            count: 0,
        }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        self.rows.table()
    }

    /// How many rows were added so far.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether no row was added.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds rows, which errors count on from those before.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored; `NotSupported` where the statement holds more than its memory
    /// allows. The statement is then to be dropped.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<()> {
        let first = self.count + 1;
        self.add_with(rows, |row| first + row as u64)
    }

    /// As [`Statement::add`], where `numbers` says what errors call each row: the lines of a file.
    pub fn add_numbered(&mut self, rows: &RecordBatch, numbers: &[u64]) -> Result<()> {
        self.add_with(rows, |row| numbers.get(row).copied().unwrap_or_default())
    }

    fn add_with(&mut self, rows: &RecordBatch, number: impl Fn(usize) -> u64) -> Result<()> {
        let encoded = match self.change {
            Change::Insert | Change::Replace => self.rows.encode(rows),
            Change::Delete => self.rows.encode_keys_of(rows),
        };
        let entries = encoded.map_err(|error| error.at(|row| self.place(number(row))))?;
        let table = Arc::clone(self.rows.table());
        for entry in entries.iter() {
            match self.change {
                Change::Insert | Change::Replace => {
                    self.batch.put(table.space(), entry.key, entry.value)
                }
                Change::Delete => self.batch.delete(table.space(), entry.key),
            }
            self.numbers.push(number(entry.row));
        }
        self.count += rows.num_rows() as u64;
        self.check_memory()
    }

    fn check_memory(&self) -> Result<()> {
        let needed = self.batch.size_in_bytes() + self.numbers.len() * BYTES_PER_ROW;
        if needed <= self.memory {
            return Ok(());
        }
        Err(Error::unsupported(format!(
            "table `{}`: after {} rows the statement holds more than {} bytes of changes, which is its limit \
             (halite.statement_memory); raise the limit, or write in several statements",
            self.table().name(),
            self.count,
            self.memory
        )))
    }

    /// What an error calls the row with this number.
    fn place(&self, number: u64) -> String {
        self.places.of(number)
    }

    /// Checks the keys and writes everything at once; returns how many rows were added or deleted. It blocks. `guard` is
    /// that of the table's lock; for a DELETE it was held since its rows were looked for.
    ///
    /// # Errors
    /// `Conflict` that names table, row and key, where two rows cannot both stay; then nothing is written. Else the
    /// errors of [`Store::write`].
    pub fn commit(self, guard: &TableGuard) -> Result<u64> {
        let _held = guard;
        if self.batch.is_empty() {
            return Ok(0);
        }
        let count = match self.change {
            Change::Insert | Change::Replace => {
                self.check_conflicts()?;
                self.count
            }
            Change::Delete => self.distinct_keys(),
        };
        self.store.write(self.batch, Durability::Sync)?;
        Ok(count)
    }

    fn check_conflicts(&self) -> Result<()> {
        let pending = conflict::sorted(&self.batch);
        let every_key = self.change == Change::Insert;
        let Some(conflict) =
            conflict::find(self.table(), self.store.as_ref(), &pending, every_key)?
        else {
            return Ok(());
        };
        let number = |index: usize| self.numbers.get(index).copied().unwrap_or_default();
        let place = self.place(number(conflict.index));
        let other = conflict.other.map(|index| self.place(number(index)));
        Err(conflict
            .error(self.table(), other.as_deref())?
            .context(place))
    }

    /// How many rows a DELETE names, each once.
    fn distinct_keys(&self) -> u64 {
        let pending = conflict::sorted(&self.batch);
        pending
            .chunk_by(|left, right| left.key == right.key)
            .count() as u64
    }
}
