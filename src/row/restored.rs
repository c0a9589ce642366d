//! The columns that row keys give back.

use std::sync::Arc;

use arrow::array::ArrayRef;

use super::reader::Failure;
use crate::datum::{Datum, to_array};
use crate::error::Result;
use crate::schema::BoundTable;
use crate::store::Chunk;

/// The columns that come from the row keys.
pub(super) struct KeyColumns {
    arrays: Vec<(usize, ArrayRef)>,
}

impl KeyColumns {
    pub(super) fn decode(
        table: &BoundTable,
        chunk: &Chunk,
        columns: &[usize],
        restored: &[Option<usize>],
        selection: Option<&[u32]>,
    ) -> Result<Self, Failure> {
        let wanted: Vec<(usize, usize)> = columns
            .iter()
            .zip(restored)
            .filter_map(|(column, part)| part.map(|part| (*column, part)))
            .collect();
        if wanted.is_empty() {
            return Ok(Self { arrays: Vec::new() });
        }
        let mut data: Vec<Vec<Option<Datum>>> = vec![Vec::new(); wanted.len()];
        let indexes: Vec<usize> = match selection {
            Some(selection) => selection.iter().map(|index| *index as usize).collect(),
            None => (0..chunk.len()).collect(),
        };
        for index in indexes {
            let (key, _) = chunk
                .get(index)
                .ok_or_else(|| Failure::internal("a selected row that is not there"))?;
            let values = table
                .row_key()
                .decode(key)
                .map_err(|error| Failure::Row(index, error.to_string()))?;
            for ((_, part), data) in wanted.iter().zip(&mut data) {
                let transform = table
                    .row_key()
                    .parts()
                    .get(*part)
                    .map(|part| part.transform());
                let value = values.get(*part).cloned().flatten();
                data.push(
                    value.and_then(|value| {
                        transform.and_then(|transform| transform.inverse(&value))
                    }),
                );
            }
        }
        let arrays = wanted.iter().zip(&data).map(|((column, _), data)| {
            let sql_type = &table.column(*column)?.sql_type;
            Ok((*column, to_array(data, sql_type)?))
        });
        Ok(Self {
            arrays: arrays.collect::<Result<_>>()?,
        })
    }

    pub(super) fn take(&mut self, column: usize) -> Option<ArrayRef> {
        let place = self
            .arrays
            .iter()
            .position(|(position, _)| *position == column)?;
        self.arrays.get(place).map(|(_, array)| Arc::clone(array))
    }
}
