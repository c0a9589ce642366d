//! Rows that cannot both stay, because they have the same row key.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::kernels::cmp::distinct;

use crate::error::{Error, Result};
use crate::keyrange::hex;
use crate::row::{RowReader, shown_at};
use crate::schema::BoundTable;
use crate::store::{Chunk, Snapshot, Store, WriteBatch};

/// How many keys are looked up at once.
const LOOKUP: usize = 1_000;

/// A row that is about to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending<'a> {
    pub(super) key: &'a [u8],
    value: &'a [u8],
    /// Its place among the statement's operations.
    index: usize,
}

/// The operations of a batch by key, those of one key in the order in which they were added.
pub(super) fn sorted(batch: &WriteBatch) -> Vec<Pending<'_>> {
    let operations = batch.iter().enumerate();
    let mut pending: Vec<Pending<'_>> = operations
        .map(|(index, operation)| Pending {
            key: operation.key,
            value: operation.value.unwrap_or_default(),
            index,
        })
        .collect();
    pending.sort_unstable_by_key(|row| (row.key, row.index));
    pending
}

/// A row that cannot be written because of another one.
#[derive(Debug)]
pub(super) struct Conflict {
    /// Its place among the statement's operations.
    pub(super) index: usize,
    /// The other one's, if it belongs to the statement too; else it is in the store.
    pub(super) other: Option<usize>,
    /// The other one's entry, then this one's.
    entries: Chunk,
}

/// The first conflict in the order of the statement. With `every_key` each key that is there already is one, else only
/// where the rows' [`identity`] differs.
///
/// # Errors
/// Those of the store; `Corrupt` where a stored row cannot be read.
pub(super) fn find(
    table: &Arc<BoundTable>,
    store: &dyn Store,
    pending: &[Pending<'_>],
    every_key: bool,
) -> Result<Option<Conflict>> {
    let compared = match every_key {
        true => Vec::new(),
        false => identity(table),
    };
    if !every_key && compared.is_empty() {
        return Ok(None);
    }
    let search = Search {
        reader: RowReader::new(Arc::clone(table)),
        compared,
    };
    let twins: Vec<_> = pending.windows(2).filter_map(twin).collect();
    let mut first = None;
    for twins in twins.chunks(LOOKUP) {
        search.among(twins, &mut first)?;
    }
    let snapshot = store.snapshot()?;
    // One row of each key stands for all: the others of the key were compared with it already.
    let distinct: Vec<Pending<'_>> = pending
        .chunk_by(|left, right| left.key == right.key)
        .filter_map(|rows| rows.first().copied())
        .collect();
    for rows in distinct.chunks(LOOKUP) {
        let stored = search.stored(snapshot.as_ref(), rows)?;
        let met: Vec<_> = rows
            .iter()
            .zip(&stored)
            .filter_map(|(row, value)| {
                value.as_deref().map(|value| Meeting {
                    row: *row,
                    value,
                    other: None,
                })
            })
            .collect();
        search.among(&met, &mut first)?;
    }
    Ok(first)
}

/// Two rows with one key.
struct Meeting<'a> {
    row: Pending<'a>,
    /// The value of the other row.
    value: &'a [u8],
    /// The other row's place among the statement's operations; `None`: it is in the store.
    other: Option<usize>,
}

/// The meeting of two neighbours, if they have the same key.
fn twin<'a>(rows: &[Pending<'a>]) -> Option<Meeting<'a>> {
    match rows {
        [other, row] if other.key == row.key => Some(Meeting {
            row: *row,
            value: other.value,
            other: Some(other.index),
        }),
        _ => None,
    }
}

struct Search {
    reader: RowReader,
    /// The columns whose values must be equal; none: two rows of one key are always a conflict.
    compared: Vec<usize>,
}

impl Search {
    fn stored(
        &self,
        snapshot: &dyn Snapshot,
        rows: &[Pending<'_>],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let keys: Vec<&[u8]> = rows.iter().map(|row| row.key).collect();
        snapshot.multi_get(self.reader.table().space(), &keys)
    }

    /// Replaces `first` by a conflict among `meetings` whose row comes before it.
    fn among(&self, meetings: &[Meeting<'_>], first: &mut Option<Conflict>) -> Result<()> {
        let differing = self.differing(meetings)?;
        let conflicts = meetings
            .iter()
            .zip(differing)
            .filter(|(_, differs)| *differs);
        let Some((meeting, _)) = conflicts.min_by_key(|(meeting, _)| meeting.row.index) else {
            return Ok(());
        };
        if first
            .as_ref()
            .is_none_or(|first| meeting.row.index < first.index)
        {
            *first = Some(Conflict {
                index: meeting.row.index,
                other: meeting.other,
                entries: entries(&[
                    (meeting.row.key, meeting.value),
                    (meeting.row.key, meeting.row.value),
                ]),
            });
        }
        Ok(())
    }

    /// Of each meeting, whether the rows are a conflict.
    fn differing(&self, meetings: &[Meeting<'_>]) -> Result<Vec<bool>> {
        let mut differing = vec![self.compared.is_empty(); meetings.len()];
        if self.compared.is_empty() || meetings.is_empty() {
            return Ok(differing);
        }
        let others: Vec<_> = meetings
            .iter()
            .map(|meeting| (meeting.row.key, meeting.value))
            .collect();
        let rows: Vec<_> = meetings
            .iter()
            .map(|meeting| (meeting.row.key, meeting.row.value))
            .collect();
        let others = self.reader.read(&entries(&others), &self.compared, None)?;
        let rows = self.reader.read(&entries(&rows), &self.compared, None)?;
        for (other, row) in others.columns().iter().zip(rows.columns()) {
            let unequal = distinct(other, row).map_err(|error| {
                Error::internal("columns that cannot be compared").with_source(error)
            })?;
            for (differs, unequal) in differing.iter_mut().zip(&unequal) {
                *differs |= unequal == Some(true);
            }
        }
        Ok(differing)
    }
}

fn entries(entries: &[(&[u8], &[u8])]) -> Chunk {
    let mut chunk = Chunk::new();
    entries
        .iter()
        .for_each(|(key, value)| chunk.push(key, value));
    chunk
}

/// The columns that must be equal, beside the row key, for two rows to be the same one: the inputs of the parts that
/// hash. Those that the key gives back are equal where keys are, and left out.
fn identity(table: &BoundTable) -> Vec<usize> {
    let hashing = table
        .row_key()
        .parts()
        .iter()
        .filter(|part| part.transform().is_hash());
    let mut columns: Vec<usize> = hashing
        .flat_map(|part| part.sources().iter().copied())
        .collect();
    columns.sort_unstable();
    columns.dedup();
    columns.retain(|column| table.stored_columns().contains(column));
    columns
}

impl Conflict {
    /// The error: a key that is there already, or two rows that are different and have the same one. `other` is the
    /// place of the other row, if it belongs to the statement.
    ///
    /// # Errors
    /// `Corrupt` where the rows cannot be read.
    pub(super) fn error(&self, table: &Arc<BoundTable>, other: Option<&str>) -> Result<Error> {
        let mut sources: Vec<usize> = table
            .row_key()
            .parts()
            .iter()
            .flat_map(|part| part.sources().iter().copied())
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let rows = RowReader::new(Arc::clone(table)).read(&self.entries, &sources, None)?;
        let (old, new) = (
            self.describe(table, &sources, &rows, 0),
            self.describe(table, &sources, &rows, 1),
        );
        let key = self.entries.get(0).map_or(&[][..], |(key, _)| key);
        let readable = table.row_key().format(key).unwrap_or_else(|_| hex(key));
        let name = table.name();
        Ok(Error::conflict(match other {
            _ if old != new => {
                let other = other.unwrap_or("a stored row");
                format!(
                    "table `{name}`: {new} and {other} with {old} are different rows under one row key, {readable}"
                )
            }
            None => format!(
                "table `{name}`: a row with {new} is there already, under the row key {readable}"
            ),
            Some(other) => format!(
                "table `{name}`: {new} is given twice, first in {other}; its row key is {readable}"
            ),
        }))
    }

    /// The columns of one of the rows as `(host = 'a', day = 2024-01-31)`.
    fn describe(
        &self,
        table: &BoundTable,
        columns: &[usize],
        rows: &RecordBatch,
        row: usize,
    ) -> String {
        let fields = columns
            .iter()
            .zip(rows.columns())
            .filter_map(|(position, array)| {
                let column = table.columns().get(*position)?;
                Some(format!(
                    "{} = {}",
                    column.name,
                    shown_at(array, row, &column.sql_type)
                ))
            });
        format!("({})", fields.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
