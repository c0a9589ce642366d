//! The columns that row keys give back.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray};

use super::failure::Failure;
use crate::key::RowError;
use crate::schema::BoundTable;
use crate::store::Chunk;

/// The columns that come from the row keys.
pub(super) struct KeyColumns {
    positions: Vec<usize>,
    arrays: Vec<ArrayRef>,
}

impl KeyColumns {
    /// Those of `columns` that row keys give back, of all rows of a chunk or of the rows in `selection`.
    pub(super) fn decode(
        table: &BoundTable,
        chunk: &Chunk,
        columns: &[usize],
        selection: Option<&[u32]>,
    ) -> Result<Self, Failure> {
        let row_key = table.row_key();
        let restored = |column: &usize| row_key.restoring_part(*column).is_some();
        let mut positions: Vec<usize> = columns.iter().copied().filter(restored).collect();
        positions.sort_unstable();
        positions.dedup();
        let whole = table.whole_key().filter(|whole| columns.contains(whole));
        if positions.is_empty() && whole.is_none() {
            let arrays = Vec::new();
            return Ok(Self { positions, arrays });
        }
        let keys = selected_keys(chunk, selection)?;
        let arrays = row_key.restore_columns(&keys, &positions);
        let mut arrays = arrays.map_err(|error| failure(error, selection))?;
        if let Some(whole) = whole {
            // It stands behind all others.
            positions.push(whole);
            arrays.push(Arc::new(BinaryArray::from_iter_values(&keys)));
        }
        Ok(Self { positions, arrays })
    }

    /// The column at this position of the table, if it is one of these.
    pub(super) fn get(&self, column: usize) -> Option<ArrayRef> {
        let place = self.positions.binary_search(&column).ok()?;
        self.arrays.get(place).map(Arc::clone)
    }
}

fn selected_keys<'a>(
    chunk: &'a Chunk,
    selection: Option<&[u32]>,
) -> Result<Vec<&'a [u8]>, Failure> {
    let Some(selection) = selection else {
        return Ok(chunk.keys().collect());
    };
    let keys = selection
        .iter()
        .map(|index| chunk.get(*index as usize).map(|(key, _)| key));
    keys.collect::<Option<_>>()
        .ok_or_else(|| Failure::internal("a selected row that is not there"))
}

/// The error of a key, under its row's index in the chunk.
fn failure(error: RowError, selection: Option<&[u32]>) -> Failure {
    let index = error.row.and_then(|row| match selection {
        None => Some(row),
        Some(selection) => selection.get(row).map(|index| *index as usize),
    });
    match index {
        Some(index) => Failure::Row(index, error.error.to_string()),
        None => Failure::Whole(error.error),
    }
}
