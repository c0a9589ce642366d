//! Rows that cannot both stay, because they have the same row key.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::kernels::cmp::distinct;

use super::changes::{EncodedChange, EncodedChanges};
use super::stored::StoredRows;
use crate::error::{Error, Result};
use crate::row::{RowChanges, RowReader, shown_at};
use crate::schema::BoundTable;
use crate::store::Chunk;

/// How many keys are looked up, and how many rows compared, at once.
const LOOKUP: usize = 1_000;
/// Fewer are where the statement's rows under them have so many bytes: what is stored there is likely to be as long.
const LOOKUP_BYTES: usize = 4 << 20;

/// A row that cannot be written because of another one.
#[derive(Debug)]
pub(super) struct Conflict {
    /// The number of the row.
    pub(super) number: u64,
    /// The other one's, if it belongs to the statement too; else it is in the store.
    pub(super) other: Option<u64>,
    /// Whether it is a row that was to be dealt out, and each bucket has another one.
    is_everywhere: bool,
    /// The other one, then this one.
    rows: Chunk,
}

/// Why nothing was written.
pub(super) enum Refusal {
    Conflict(Box<Conflict>),
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Looks for rows of a statement that cannot both stay, or not beside what is stored.
pub(super) struct Search {
    reader: RowReader,
    stored: StoredRows,
    /// The columns whose values must be equal; none: two rows of one key are always a conflict.
    compared: Vec<usize>,
}

/// Two rows with one key.
struct Meeting<'a> {
    row: EncodedChange<'a>,
    /// The value of the other row.
    value: &'a [u8],
    /// The number of the other row; `None`: it is in the store.
    other: Option<u64>,
}

/// The meeting of two neighbours, if they have the same key.
fn twin<'a>(other: EncodedChange<'a>, row: EncodedChange<'a>) -> Option<Meeting<'a>> {
    (other.key == row.key).then(|| Meeting {
        row,
        value: other.value.unwrap_or_default(),
        other: Some(other.number),
    })
}

impl Search {
    /// A search among the rows that `changes` find in the table. With `every_key` each key that is there already is a
    /// conflict, else only one whose rows differ in their [`identity`]; `None` where they cannot differ.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn new(
        table: &Arc<BoundTable>,
        changes: &RowChanges,
        every_key: bool,
    ) -> Result<Option<Self>> {
        let compared = if every_key {
            Vec::new()
        } else {
            identity(table)
        };
        if !every_key && compared.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            reader: RowReader::new(Arc::clone(table)),
            stored: StoredRows::new(changes.rows()?),
            compared,
        }))
    }

    /// Of the conflicts of these sorted rows the one that comes first in the statement.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` where a stored row cannot be read.
    pub(super) fn find(&mut self, sorted: &EncodedChanges) -> Result<Option<Conflict>> {
        let mut first = None;
        let followers = sorted.iter().skip(1);
        let twins: Vec<_> = sorted
            .iter()
            .zip(followers)
            .filter_map(|(other, row)| twin(other, row))
            .collect();
        for twins in stretches(&twins, |twin| twin.value.len()) {
            self.among(twins, &mut first)?;
        }
        drop(twins);
        // One row of each key stands for all: the others of the key were compared with it already.
        let mut distinct: Vec<EncodedChange<'_>> = sorted.iter().collect();
        distinct.dedup_by_key(|row| row.key);
        for rows in stretches(&distinct, |row| row.value.map_or(0, <[u8]>::len)) {
            let keys: Vec<&[u8]> = rows.iter().map(|row| row.key).collect();
            let stored = self.stored.get_sorted(&keys)?;
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
            self.among(&met, &mut first)?;
        }
        Ok(first)
    }

    /// Replaces `first` by a conflict among `meetings` whose row comes before it.
    fn among(&self, meetings: &[Meeting<'_>], first: &mut Option<Conflict>) -> Result<()> {
        let differing = self.differing(meetings)?;
        let conflicts = meetings
            .iter()
            .zip(differing)
            .filter(|(_, differs)| *differs);
        let Some((meeting, _)) = conflicts.min_by_key(|(meeting, _)| meeting.row.number) else {
            return Ok(());
        };
        if first
            .as_ref()
            .is_none_or(|first| meeting.row.number < first.number)
        {
            *first = Some(Conflict {
                number: meeting.row.number,
                other: meeting.other,
                is_everywhere: false,
                rows: chunk(&[
                    (meeting.row.key, meeting.value),
                    (meeting.row.key, meeting.row.value.unwrap_or_default()),
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
            .map(|meeting| (meeting.row.key, meeting.row.value.unwrap_or_default()))
            .collect();
        let others = self.reader.read(&chunk(&others), &self.compared, None)?;
        let rows = self.reader.read(&chunk(&rows), &self.compared, None)?;
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

/// As many rows at once as are looked up together.
pub(super) fn stretches<T>(
    mut rows: &[T],
    bytes: impl Fn(&T) -> usize,
) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let mut held = 0;
        let together = rows.iter().take(LOOKUP).take_while(|row| {
            let is_room = held < LOOKUP_BYTES;
            held += bytes(row);
            is_room
        });
        let (taken, rest) = rows.split_at(together.count());
        rows = rest;
        (!taken.is_empty()).then_some(taken)
    })
}

fn chunk(rows: &[(&[u8], &[u8])]) -> Chunk {
    let mut chunk = Chunk::new();
    rows.iter().for_each(|(key, value)| chunk.push(key, value));
    chunk
}

/// The columns that must be equal, beside the row key, for two rows to be the same one: the inputs of the parts that
/// hash. Those that the key gives back are equal where keys are, and left out.
pub(super) fn identity(table: &BoundTable) -> Vec<usize> {
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
    /// That of a row with the stored one under its key.
    pub(super) fn with_stored(number: u64, key: &[u8], stored: &[u8], value: &[u8]) -> Self {
        Self {
            number,
            other: None,
            is_everywhere: false,
            rows: chunk(&[(key, stored), (key, value)]),
        }
    }

    /// That of a row for which no bucket is free.
    pub(super) fn in_every_bucket(number: u64, key: &[u8], value: &[u8]) -> Self {
        Self {
            is_everywhere: true,
            ..Self::with_stored(number, key, value, value)
        }
    }

    /// The error: a key that is there already, or two rows that are different and have the same one. `other` is the
    /// place of the other row, if it belongs to the statement.
    ///
    /// # Errors
    /// `Corrupt` where the rows cannot be read.
    pub(super) fn error(&self, table: &Arc<BoundTable>, other: Option<&str>) -> Result<Error> {
        let sources = table.key_sources();
        let rows = RowReader::new(Arc::clone(table)).read(&self.rows, sources, None)?;
        let (old, new) = (
            described(table, sources, &rows, 0),
            described(table, sources, &rows, 1),
        );
        let key = self.rows.get(0).map_or(&[][..], |(key, _)| key);
        let readable = table.row_key().readable(key);
        let error = Error::conflict(match other {
            _ if self.is_everywhere => {
                let buckets = table.row_key().dealt_buckets().unwrap_or_default();
                format!(
                    "rows with {new} are in all {buckets} buckets of random_salt({buckets}) already, and there is no room \
                     for another; one more key part tells such rows apart"
                )
            }
            _ if old != new => {
                let other = other.unwrap_or("a stored row");
                format!(
                    "{new} and {other} with {old} are different rows under one row key, {readable}"
                )
            }
            None => format!("a row with {new} is there already, under the row key {readable}"),
            Some(other) => {
                format!("{new} is given twice, first in {other}; its row key is {readable}")
            }
        });
        Ok(error.of_table(table.name()).of_constraint("PRIMARY KEY"))
    }
}

/// The columns of one of the rows as `(host = 'a', day = 2024-01-31)`.
pub(super) fn described(
    table: &BoundTable,
    columns: &[usize],
    rows: &RecordBatch,
    row: usize,
) -> String {
    let fields = columns
        .iter()
        .zip(rows.columns())
        .filter(|(position, _)| table.row_id().is_some() || table.hidden() != Some(**position))
        .filter_map(|(position, array)| {
            let column = table.column(*position).ok()?;
            Some(format!(
                "{} = {}",
                column.name,
                shown_at(array, row, &column.sql_type)
            ))
        });
    format!("({})", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
