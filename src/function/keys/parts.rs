//! Keys as the values of their parts, and whole.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray};

use super::exec::Shown;
use crate::datum::{Datum, to_array};
use crate::error::Result;
use crate::key::KeyPart;
use crate::schema::BoundTable;
use crate::store::Chunk;

/// The keys of a table: a column for each part, and behind the last one the whole key.
#[derive(Debug)]
pub(super) struct Parts(pub(super) Arc<BoundTable>);

impl Shown for Parts {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn table(&self) -> &Arc<BoundTable> {
        &self.0
    }

    fn columns(&self, chunk: &Chunk, projection: &[usize]) -> Result<Vec<ArrayRef>> {
        let parts = self.0.row_key().parts();
        let decoded = decoded(parts, chunk, projection)?;
        let column = |position: &usize| {
            Ok(match (parts.get(*position), decoded.get(*position)) {
                (Some(part), Some(values)) => to_array(values, part.transform().value_type())?,
                _ => Arc::new(BinaryArray::from_iter_values(chunk.keys())) as ArrayRef,
            })
        };
        projection.iter().map(column).collect()
    }
}

/// For each part up to the last one that is wanted its values, or none where it is not wanted itself.
pub(super) fn decoded(
    parts: &[KeyPart],
    chunk: &Chunk,
    wanted: &[usize],
) -> Result<Vec<Vec<Option<Datum>>>> {
    let is_wanted = |position: &usize| wanted.contains(position);
    let count = (0..parts.len()).rev().find(is_wanted);
    let count = count.map_or(0, |last| last + 1);
    let mut columns: Vec<Vec<Option<Datum>>> = vec![Vec::new(); count];
    for key in chunk.keys() {
        let mut rest = key;
        for (position, (part, column)) in parts.iter().zip(&mut columns).enumerate() {
            let length = if is_wanted(&position) {
                let (value, length) = part.decode(rest)?;
                column.push(value);
                length
            } else {
                part.length(rest)?
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    Ok(columns)
}
