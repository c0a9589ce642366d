//! The hidden row ids of a table without a declared key: given in the order of insertion, each once.
//!
//! The next one is not stored: it follows the greatest that is. All writers of a table share one counter, which reads
//! that from the store when the first id is wanted. So ids survive reopening, no two statements are given the same, and
//! the ids of a statement that wrote nothing are left out.
//!
//! Rows that are [dealt out](super::random_salt) over buckets have a hidden column, too: they come into the first bucket, where
//! the dealer takes them from.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use parking_lot::Mutex;

use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::keyrange::KeyRange;
use crate::row::RowSnapshot;
use crate::schema::BoundTable;
use crate::store::{Chunk, ChunkLimit, Direction, ReadRequest, Store};

/// The ids of one table that are not given yet. A clone of it gives the same ones.
#[derive(Debug, Clone, Default)]
pub(super) struct RowIds {
    /// The next one; `None` where the store is to be asked.
    next: Arc<Mutex<Option<i64>>>,
}

impl RowIds {
    /// The rows with an id for each behind its declared columns, unless they have ids already or the table has none.
    ///
    /// # Errors
    /// Those of the store; `InvalidInput` when there are no ids any more.
    pub(super) fn complete(
        &self,
        rows: &RecordBatch,
        table: &BoundTable,
        store: &Arc<dyn Store>,
    ) -> Result<Option<RecordBatch>> {
        match (lacks_hidden(rows, table), table.row_id()) {
            (true, Some(_)) => {
                numbered(rows, table, self.take(rows.num_rows(), table, store)?).map(Some)
            }
            (true, None) => in_first_bucket(rows, table).map(Some),
            (false, _) => Ok(None),
        }
    }

    /// Forgets what is known, which another process has made wrong: the store is asked anew.
    pub(super) fn forget(&self) {
        *self.next.lock() = None;
    }

    /// The first of so many ids, which nobody else is given.
    ///
    /// # Errors
    /// As [`RowIds::complete`].
    pub(super) fn take(
        &self,
        count: usize,
        table: &BoundTable,
        store: &Arc<dyn Store>,
    ) -> Result<i64> {
        let mut next = self.next.lock();
        let first = match *next {
            Some(first) => first,
            None => greatest(table, store)?
                .map_or(Some(1), |last| last.checked_add(1))
                .ok_or_else(|| none_left(table))?,
        };
        let count = i64::try_from(count).ok();
        let behind = count.and_then(|count| first.checked_add(count));
        *next = Some(behind.ok_or_else(|| none_left(table))?);
        Ok(first)
    }
}

/// Whether rows of a table with a hidden column come without it.
fn lacks_hidden(rows: &RecordBatch, table: &BoundTable) -> bool {
    table.hidden() == Some(rows.num_columns())
}

/// Rows as they would be stored, but for the value of their hidden column; `None` where they lack none.
///
/// # Errors
/// `Internal` alone.
pub(super) fn completed_somehow(
    rows: &RecordBatch,
    table: &BoundTable,
) -> Result<Option<RecordBatch>> {
    match (lacks_hidden(rows, table), table.row_id()) {
        (true, Some(_)) => numbered(rows, table, 1).map(Some),
        (true, None) => in_first_bucket(rows, table).map(Some),
        (false, _) => Ok(None),
    }
}

/// Rows with ids that begin with `first`.
fn numbered(rows: &RecordBatch, table: &BoundTable, first: i64) -> Result<RecordBatch> {
    let ids = Int64Array::from_iter_values((first..).take(rows.num_rows()));
    with_hidden(rows, table, Arc::new(ids))
}

/// Rows in the first bucket.
fn in_first_bucket(rows: &RecordBatch, table: &BoundTable) -> Result<RecordBatch> {
    let buckets = Int32Array::from(vec![0; rows.num_rows()]);
    with_hidden(rows, table, Arc::new(buckets))
}

fn with_hidden(rows: &RecordBatch, table: &BoundTable, hidden: ArrayRef) -> Result<RecordBatch> {
    let columns = rows.columns().iter().cloned();
    let columns = columns.chain([hidden]);
    let named = table.all_columns().iter().zip(columns);
    // Whether a NULL may be is asked when the rows are encoded.
    let named = named.map(|(column, array)| (&column.name, array, true));
    let failed = |error| Error::internal("rows with their hidden column").with_source(error);
    RecordBatch::try_from_iter_with_nullable(named).map_err(failed)
}

fn none_left(table: &BoundTable) -> Error {
    Error::invalid(format!("table `{}` has no row ids left", table.name()))
}

/// The greatest id that is stored.
fn greatest(table: &BoundTable, store: &Arc<dyn Store>) -> Result<Option<i64>> {
    let rows = RowSnapshot::of(store.snapshot()?, table.spaces());
    let request = ReadRequest::range(table.space(), KeyRange::all(), Direction::Backward);
    let mut reader = rows.read(request.with_fetch(1))?;
    let mut chunk = Chunk::new();
    let one = ChunkLimit {
        entries: 1,
        bytes: usize::MAX,
    };
    reader.fill(&mut chunk, one)?;
    let Some((key, _)) = chunk.get(0) else {
        return Ok(None);
    };
    match table.row_key().decode(key)?.as_slice() {
        [Some(Datum::Integer(id))] => Ok(Some(*id)),
        _ => Err(Error::internal(format!(
            "table `{}`: a row key that is no row id",
            table.name()
        ))),
    }
}
