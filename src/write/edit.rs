//! Rows that are changed by what is there: those of UPDATE, of MERGE, of INSERT … ON CONFLICT.
//!
//! A row of the input of such a statement says what becomes of it ([`Action`]): which row is changed or deleted, by the
//! columns that its row key is computed from, and all columns of the row that is to be there instead. Where both have the
//! same row key the row is written over; else it leaves its key and arrives at another one. What meets under one key is
//! [settled](super::settle) once all are there, so that the order in which rows were found does not matter:
//! `SET k = k + 1` moves every row to the key of its neighbour.

use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Field, Int8Type, Int64Type, Schema};

use super::changes::EncodedChange;
use super::row_label::{NUMBER_BITS, described};
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::row::{EncodedRow, RowWriter};
use crate::schema::BoundTable;

/// Which statement it is, and so what happens where changes meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    /// `UPDATE`: a row is changed once.
    Update,
    /// `DELETE` of rows that may be found several times.
    Delete,
    /// `MERGE`: a row is changed or deleted once.
    Merge,
    /// `INSERT … ON CONFLICT DO NOTHING`: of rows of one key the first is inserted.
    InsertNew,
    /// `INSERT … ON CONFLICT DO UPDATE`: a row is inserted or changed once.
    Upsert,
}

impl Edit {
    /// The word that it begins with.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Merge => "MERGE",
            Self::InsertNew | Self::Upsert => "INSERT",
        }
    }

    /// The name of its operator.
    pub fn operator(self) -> &'static str {
        match self {
            Self::Update => "UpdateExec",
            Self::Delete => "DeleteExec",
            Self::Merge => "MergeExec",
            Self::InsertNew | Self::Upsert => "UpsertExec",
        }
    }

    /// Whether rows that are inserted were looked for in the table already.
    pub(super) fn looks_first(self) -> bool {
        matches!(self, Self::InsertNew | Self::Upsert)
    }
}

/// What becomes of a row of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// The new row is inserted.
    Insert,
    /// The old row becomes the new one.
    Update,
    /// The old row is deleted.
    Delete,
}

impl Action {
    /// As a column has it.
    pub fn code(self) -> i8 {
        match self {
            Self::Nothing => 0,
            Self::Insert => 1,
            Self::Update => 2,
            Self::Delete => 3,
        }
    }

    fn of(code: Option<i8>) -> Result<Self> {
        match code {
            Some(0) | None => Ok(Self::Nothing),
            Some(1) => Ok(Self::Insert),
            Some(2) => Ok(Self::Update),
            Some(3) => Ok(Self::Delete),
            Some(other) => Err(Error::internal(format!("action {other} of a change"))),
        }
    }

    fn has_old(self) -> bool {
        matches!(self, Self::Update | Self::Delete)
    }

    fn has_new(self) -> bool {
        matches!(self, Self::Update | Self::Insert)
    }

    fn is_any(self) -> bool {
        self != Self::Nothing
    }
}

/// The columns of the input, from the left: the action, the columns that the key of the old row is computed from, the
/// new row, what is given back of each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// What becomes of every row; `None`: a column says it, by [`Action::code`].
    pub action: Option<Action>,
    /// Whether there are old rows.
    pub old: bool,
    /// Whether there are new rows.
    pub new: bool,
    /// How many columns are given back.
    pub returned: usize,
}

impl Layout {
    fn actions(self, batch: &RecordBatch) -> Result<Vec<Action>> {
        let Some(action) = self.action else {
            let codes = batch.columns().first();
            let codes = codes.and_then(|codes| codes.as_primitive_opt::<Int8Type>());
            let codes = codes.ok_or_else(|| Error::internal("a change without its actions"))?;
            return codes.iter().map(Action::of).collect();
        };
        Ok(vec![action; batch.num_rows()])
    }

    /// Where the old rows begin, the new ones, and what is given back.
    fn starts(self, table: &BoundTable) -> [usize; 3] {
        let old = usize::from(self.action.is_none());
        let new = old
            + if self.old {
                table.key_sources().len()
            } else {
                0
            };
        // A row that was there keeps its hidden row id; one that is inserted is given one.
        let columns = if self.old {
            table.all_columns()
        } else {
            table.columns()
        };
        let returned = new + if self.new { columns.len() } else { 0 };
        [old, new, returned]
    }

    /// The columns of the old rows, named as those of the table.
    ///
    /// # Errors
    /// `Internal` where the batch has too few columns.
    pub(super) fn old_rows(self, batch: &RecordBatch, table: &BoundTable) -> Result<RecordBatch> {
        let [start, end, _] = self.starts(table);
        let sources = table.key_sources().iter().take(end - start);
        let fields = sources.map(|source| {
            let column = table.column(*source)?;
            Ok(Field::new(&column.name, column.sql_type.arrow(), true))
        });
        let schema = Schema::new(fields.collect::<Result<Vec<_>>>()?);
        let columns = batch.columns().get(start..end).unwrap_or_default();
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.into(), columns.to_vec(), &rows).map_err(mismatch)
    }

    /// The new rows.
    ///
    /// # Errors
    /// `Internal` where the batch has too few columns.
    pub(super) fn new_rows(self, batch: &RecordBatch, table: &BoundTable) -> Result<RecordBatch> {
        let [_, start, end] = self.starts(table);
        let columns: Vec<usize> = (start..end).collect();
        batch.project(&columns).map_err(mismatch)
    }

    /// The batch with ids in the hidden column of the rows that are inserted, of which `take` gives the first of so many;
    /// `None` where none is to be given.
    ///
    /// # Errors
    /// Those of `take`; `Internal` where the batch has too few columns.
    pub(super) fn with_row_ids(
        self,
        batch: &RecordBatch,
        table: &BoundTable,
        take: impl FnOnce(usize) -> Result<i64>,
    ) -> Result<Option<RecordBatch>> {
        let (Some(row_id), true, true) = (table.row_id(), self.old, self.new) else {
            return Ok(None);
        };
        let actions = self.actions(batch)?;
        let is_inserted = |action: &&Action| **action == Action::Insert;
        let inserted = actions.iter().filter(is_inserted).count();
        if inserted == 0 {
            return Ok(None);
        }
        let [_, new, _] = self.starts(table);
        let mut columns = batch.columns().to_vec();
        let place = columns.get_mut(new + row_id);
        let place = place.ok_or_else(|| Error::internal("a change without its row ids"))?;
        let known = place.as_primitive_opt::<Int64Type>();
        let known = known.ok_or_else(|| Error::internal("row ids of another type"))?;
        let mut next = take(inserted)?;
        let ids = known.iter().zip(&actions).map(|(known, action)| {
            if *action != Action::Insert {
                return known;
            }
            next += 1;
            Some(next - 1)
        });
        *place = Arc::new(ids.collect::<Int64Array>());
        let fields = batch.schema_ref().fields().iter();
        let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
        let schema = Schema::new(fields.collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), columns)
            .map(Some)
            .map_err(mismatch)
    }

    /// What is given back, and the numbers of these rows, of which the first of the batch is `first`.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(super) fn returned(
        self,
        batch: &RecordBatch,
        table: &BoundTable,
        first: u64,
    ) -> Result<(RecordBatch, Vec<u64>)> {
        let [.., start] = self.starts(table);
        let columns: Vec<usize> = (start..start + self.returned).collect();
        let given = batch.project(&columns).map_err(mismatch)?;
        let actions = self.actions(batch)?;
        let (given, places) = chosen(&given, &actions, Action::is_any)?;
        let numbers = places.into_iter().map(|place| first + place as u64);
        Ok((given, numbers.collect()))
    }
}

fn mismatch(error: arrow::error::ArrowError) -> Error {
    Error::internal("the input of a change has other columns than the table").with_source(error)
}

/// What a change does under its row key. It stands in the upper bits of the change's number: so changes are sorted and
/// spilled as those of an INSERT are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The row is inserted.
    Insert,
    /// The row stays under its key, with another value.
    Stay,
    /// A row comes from another key, which stands behind its value with its length in two bytes.
    Arrive,
    /// The row goes to another key.
    Leave,
    /// The row is deleted.
    Delete,
}

impl Kind {
    /// A number that says which kind of change its row makes.
    pub(super) fn tag(self, number: u64) -> u64 {
        debug_assert_eq!(number >> NUMBER_BITS, 0);
        let kind = match self {
            Self::Insert => 0,
            Self::Stay => 1,
            Self::Arrive => 2,
            Self::Leave => 3,
            Self::Delete => 4,
        };
        (kind << NUMBER_BITS) | number
    }

    /// The kind of a change, and the number of its row.
    ///
    /// # Errors
    /// `Internal` for a number that has no kind.
    pub(super) fn of(tagged: u64) -> Result<(Self, u64)> {
        let kind = match tagged >> NUMBER_BITS {
            0 => Self::Insert,
            1 => Self::Stay,
            2 => Self::Arrive,
            3 => Self::Leave,
            4 => Self::Delete,
            other => return Err(Error::internal(format!("a change of kind {other}"))),
        };
        Ok((kind, tagged & ((1 << NUMBER_BITS) - 1)))
    }
}

/// A value with the key behind it that its row comes from.
fn with_origin(value: &[u8], key: &[u8]) -> Result<Vec<u8>> {
    let length = u16::try_from(key.len())
        .map_err(|error| Error::internal("a row key that is too long").with_source(error))?;
    Ok([value, key, &length.to_be_bytes()].concat())
}

/// How many bytes of a value of [`Kind::Arrive`] are the row's own, and the key that the row comes from.
pub(super) fn origin(value: &[u8]) -> Option<(usize, &[u8])> {
    let (rest, length) = value.split_last_chunk::<2>()?;
    let own = rest
        .len()
        .checked_sub(usize::from(u16::from_be_bytes(*length)))?;
    Some((own, rest.get(own..)?))
}

/// Encodes what the rows of one batch change.
pub(super) struct Encoder<'a> {
    pub(super) rows: &'a RowWriter,
    pub(super) layout: Layout,
    /// The number of the first row.
    pub(super) first: u64,
}

impl Encoder<'_> {
    /// Gives the changes of a batch to `take`, in the order of its rows.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored; those of `take`.
    pub(super) fn encode(
        &self,
        batch: &RecordBatch,
        mut take: impl FnMut(EncodedChange<'_>) -> Result<()>,
    ) -> Result<()> {
        let (table, layout) = (self.rows.table(), self.layout);
        let actions = layout.actions(batch)?;
        let before = layout.old_rows(batch, table)?;
        let (old, new) = (Action::has_old, Action::has_new);
        let (old, places) = chosen(&before, &actions, old)?;
        let place = |row: usize| places.get(row).copied().unwrap_or(row);
        let old =
            if layout.old {
                Some(self.rows.encode_keys_of(&old).map_err(|error| {
                    error.placed(|row| self.label(&actions, &before, place(row)))
                })?)
            } else {
                None
            };
        let (new, places) = chosen(&layout.new_rows(batch, table)?, &actions, new)?;
        let place = |row: usize| places.get(row).copied().unwrap_or(row);
        let new = if layout.new {
            Some(self.rows.encode(&new).map_err(|error: RowError| {
                error.placed(|row| self.label(&actions, &before, place(row)))
            })?)
        } else {
            None
        };
        let mut old = old.iter().flat_map(|rows| rows.iter());
        let mut new = new.iter().flat_map(|rows| rows.iter());
        for (action, number) in actions.iter().zip(self.first..) {
            let old = action.has_old().then(|| next(&mut old)).transpose()?;
            let new = action.has_new().then(|| next(&mut new)).transpose()?;
            change(old, new, number, &mut take)?;
        }
        Ok(())
    }

    /// What an error calls the row at this place of the batch.
    fn label(&self, actions: &[Action], before: &RecordBatch, place: usize) -> String {
        match actions.get(place) {
            Some(action) if action.has_old() => {
                let table = self.rows.table();
                let row = described(table, table.key_sources(), before, place);
                format!("the row {row}")
            }
            _ => format!("row {}", self.first + place as u64),
        }
    }
}

fn next<'a>(rows: &mut impl Iterator<Item = EncodedRow<'a>>) -> Result<EncodedRow<'a>> {
    rows.next()
        .ok_or_else(|| Error::internal("a change without its row"))
}

/// The changes of one row.
fn change(
    old: Option<EncodedRow<'_>>,
    new: Option<EncodedRow<'_>>,
    number: u64,
    take: &mut impl FnMut(EncodedChange<'_>) -> Result<()>,
) -> Result<()> {
    let mut add = |kind: Kind, key, value| {
        let number = kind.tag(number);
        take(EncodedChange { key, value, number })
    };
    match (old, new) {
        (None, None) => Ok(()),
        (None, Some(new)) => add(Kind::Insert, new.key, Some(new.value)),
        (Some(old), None) => add(Kind::Delete, old.key, None),
        (Some(old), Some(new)) if old.key == new.key => add(Kind::Stay, new.key, Some(new.value)),
        (Some(old), Some(new)) => {
            add(Kind::Leave, old.key, None)?;
            let moved = with_origin(new.value, old.key)?;
            add(Kind::Arrive, new.key, Some(&moved))
        }
    }
}

/// The rows whose actions are wanted, and their places in the batch.
fn chosen(
    batch: &RecordBatch,
    actions: &[Action],
    is_wanted: fn(Action) -> bool,
) -> Result<(RecordBatch, Vec<usize>)> {
    let places = actions.iter().enumerate();
    let places = places.filter(|(_, action)| is_wanted(**action));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    if places.len() == batch.num_rows() {
        return Ok((batch.clone(), places));
    }
    let wanted = actions.iter().map(|action| Some(is_wanted(*action)));
    let wanted: BooleanArray = wanted.collect();
    let rows = filter_record_batch(batch, &wanted).map_err(mismatch)?;
    Ok((rows, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_origins_come_back() {
        let kinds = [
            Kind::Insert,
            Kind::Stay,
            Kind::Arrive,
            Kind::Leave,
            Kind::Delete,
        ];
        for kind in kinds {
            for number in [0, 1, (1 << NUMBER_BITS) - 1] {
                assert_eq!(Kind::of(kind.tag(number)).unwrap(), (kind, number));
            }
        }
        for (value, key) in [(&b""[..], &b""[..]), (b"value", b"key"), (b"\0\x01", b"")] {
            let moved = with_origin(value, key).unwrap();
            assert_eq!(origin(&moved), Some((value.len(), key)));
        }
        assert_eq!(origin(b"\xff\xff"), None);
    }
}
