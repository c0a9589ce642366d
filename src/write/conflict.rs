//! Rows that cannot both stay, because they have the same row key.

use std::sync::Arc;

use arrow::compute::kernels::cmp::distinct;

use super::Change;
use super::row_label::described;
use crate::error::{Error, Result};
use crate::row::RowReader;
use crate::schema::BoundTable;
use crate::store::Chunk;

/// How many keys are looked up, and how many rows compared, at once.
const LOOKUP: usize = 1_000;
/// Fewer are where the statement's rows under them have so many bytes: what is stored there is likely to be as long.
const LOOKUP_BYTES: usize = 4 << 20;

/// Where a row comes from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// It is stored.
    Stored,
    /// The statement inserts it, as the row of this number.
    Given(u64),
    /// It was under this key.
    Moved(Box<[u8]>),
}

/// Two rows that would be under one row key.
#[derive(Debug)]
pub(super) struct Conflict {
    /// Where the one comes from that is there first, and the other one.
    origins: [Origin; 2],
    /// Whether it is a row that was to be dealt out, and each bucket has another one.
    is_everywhere: bool,
    /// Both rows, in this order.
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

/// What must be equal, beside the row key, for two rows to be the same one: the inputs of the parts that hash. Those that
/// the key gives back are equal where keys are, and left out.
pub(super) struct Identity {
    reader: RowReader,
    columns: Vec<usize>,
}

impl Identity {
    /// That of the rows of a table.
    pub(super) fn new(table: &Arc<BoundTable>) -> Self {
        Self {
            reader: RowReader::new(Arc::clone(table)),
            columns: hashed(table),
        }
    }

    /// Whether rows of one key are always the same.
    pub(super) fn is_key(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether two rows of a key are the same.
    ///
    /// # Errors
    /// `Corrupt` where one cannot be read.
    pub(super) fn is_same(&self, key: &[u8], first: &[u8], second: &[u8]) -> Result<bool> {
        Ok(self.differ(&[(key, first, second)])? == [false])
    }

    /// Of each two rows of a key, whether they are different ones.
    ///
    /// # Errors
    /// `Corrupt` where one cannot be read.
    pub(super) fn differ(&self, pairs: &[(&[u8], &[u8], &[u8])]) -> Result<Vec<bool>> {
        let mut differ = vec![false; pairs.len()];
        if self.is_key() || pairs.is_empty() {
            return Ok(differ);
        }
        let firsts: Vec<_> = pairs.iter().map(|(key, first, _)| (*key, *first)).collect();
        let seconds: Vec<_> = pairs
            .iter()
            .map(|(key, _, second)| (*key, *second))
            .collect();
        let firsts = self.reader.read(&chunk(&firsts), &self.columns, None)?;
        let seconds = self.reader.read(&chunk(&seconds), &self.columns, None)?;
        for (first, second) in firsts.columns().iter().zip(seconds.columns()) {
            let unequal = distinct(first, second).map_err(|error| {
                Error::internal("columns that cannot be compared").with_source(error)
            })?;
            for (differs, unequal) in differ.iter_mut().zip(&unequal) {
                *differs |= unequal == Some(true);
            }
        }
        Ok(differ)
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

/// The columns of an [`Identity`].
fn hashed(table: &BoundTable) -> Vec<usize> {
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
    /// That of two rows of a key, the one that is there first in front.
    pub(super) fn new(key: &[u8], rows: [(&[u8], Origin); 2]) -> Self {
        let [(first, first_origin), (second, second_origin)] = rows;
        Self {
            origins: [first_origin, second_origin],
            is_everywhere: false,
            rows: chunk(&[(key, first), (key, second)]),
        }
    }

    /// That of the row of this number for which no bucket is free.
    pub(super) fn in_every_bucket(number: u64, key: &[u8], value: &[u8]) -> Self {
        Self {
            is_everywhere: true,
            ..Self::new(
                key,
                [(value, Origin::Stored), (value, Origin::Given(number))],
            )
        }
    }

    /// The number of the row that cannot be inserted; 0 where it was there before.
    pub(super) fn number(&self) -> u64 {
        match self.origins[1] {
            Origin::Given(number) => number,
            Origin::Stored | Origin::Moved(_) => 0,
        }
    }

    /// The error. `label` says what the row of a number is called.
    ///
    /// # Errors
    /// `Corrupt` where the rows cannot be read.
    pub(super) fn error(
        &self,
        table: &Arc<BoundTable>,
        change: Change,
        label: impl Fn(u64) -> String,
    ) -> Result<Error> {
        let sources = table.key_sources();
        let rows = RowReader::new(Arc::clone(table)).read(&self.rows, sources, None)?;
        let rows = [0, 1].map(|row| described(table, sources, &rows, row));
        let key = self.rows.get(0).map_or(&[][..], |(key, _)| key);
        let readable = table.row_key().readable(key);
        let words = match change {
            Change::Edit(_) => self.of_changed(table, &rows, &readable),
            _ if self.is_everywhere => of_every_bucket(table, &rows[1]),
            _ => self.of_given(&rows, &readable, &label),
        };
        let error = Error::conflict(words)
            .of_table(table.name())
            .of_constraint("PRIMARY KEY");
        Ok(match change {
            Change::Edit(_) => error,
            _ => error.at_row(label(self.number())),
        })
    }

    /// Of rows that are inserted.
    fn of_given(
        &self,
        [old, new]: &[String; 2],
        key: &str,
        label: &impl Fn(u64) -> String,
    ) -> String {
        let other = match self.origins[0] {
            Origin::Given(number) => Some(label(number)),
            Origin::Stored | Origin::Moved(_) => None,
        };
        match other {
            other if old != new => {
                let other = other.unwrap_or_else(|| "a stored row".to_owned());
                format!("{new} and {other} with {old} are different rows under one row key, {key}")
            }
            None => format!("a row with {new} is there already, under the row key {key}"),
            Some(other) => format!("{new} is given twice, first in {other}; its row key is {key}"),
        }
    }

    /// Of rows that are changed.
    fn of_changed(&self, table: &BoundTable, rows: &[String; 2], key: &str) -> String {
        let called = |row: &String, origin: &Origin| match origin {
            Origin::Stored => format!("the stored row {row}"),
            Origin::Given(number) => format!("row {number} of the statement, {row}"),
            Origin::Moved(from) => {
                let from = table.row_key().readable(from);
                format!("the row that was under {from}, now {row}")
            }
        };
        let [first, second] = rows;
        let [one, other] = &self.origins;
        format!(
            "two rows would be under the row key {key}: {} and {}",
            called(first, one),
            called(second, other)
        )
    }
}

/// Of a row that is to be dealt out.
fn of_every_bucket(table: &BoundTable, row: &str) -> String {
    let buckets = table.row_key().dealt_buckets().unwrap_or_default();
    format!(
        "rows with {row} are in all {buckets} buckets of random_salt({buckets}) already, and there is no room for another; \
         one more key part tells such rows apart"
    )
}

#[cfg(test)]
#[path = "conflict_tests.rs"]
mod tests;
