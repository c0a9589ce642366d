//! A table with what follows from its definition.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::{Column, Table};
use crate::error::{Error, Result};
use crate::key::RowKey;

/// A validated table with its row key, Arrow schema and stored columns worked out: what everything above works with.
///
/// It never changes; ALTER TABLE makes a new one.
#[derive(Clone)]
pub struct BoundTable {
    table: Table,
    row_key: Arc<RowKey>,
    schema: SchemaRef,
    space: Arc<str>,
    sources: Vec<usize>,
    stored: Vec<usize>,
}

impl BoundTable {
    /// The table, once it is found valid.
    ///
    /// # Errors
    /// As [`Table::validate`].
    pub fn new(table: Table) -> Result<Arc<Self>> {
        let row_key = table.checked_row_key()?;
        let parts = row_key.parts().iter();
        let sources: BTreeSet<usize> = parts.flat_map(|part| part.sources()).copied().collect();
        Ok(Arc::new(Self {
            stored: (0..table.columns.len())
                .filter(|column| row_key.restoring_part(*column).is_none())
                .collect(),
            sources: sources.into_iter().collect(),
            row_key: Arc::new(row_key),
            schema: table.arrow_schema(),
            space: table.space().into(),
            table,
        }))
    }

    /// The definition.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// The columns in table order.
    pub fn columns(&self) -> &[Column] {
        &self.table.columns
    }

    /// The column at `position`.
    ///
    /// # Errors
    /// `Internal` where there is none.
    pub fn column(&self, position: usize) -> Result<&Column> {
        self.table.columns.get(position).ok_or_else(|| {
            Error::internal(format!(
                "table `{}` has no column at {position}",
                self.name()
            ))
        })
    }

    /// The layout of the row key.
    pub fn row_key(&self) -> &Arc<RowKey> {
        &self.row_key
    }

    /// The Arrow schema of whole rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The name of the table's space in the store.
    pub fn space(&self) -> &str {
        &self.space
    }

    /// The same, for requests that keep it.
    pub fn shared_space(&self) -> Arc<str> {
        Arc::clone(&self.space)
    }

    /// The columns that the row key is computed from, by position, ascending: what a DELETE must know of its rows.
    pub fn key_sources(&self) -> &[usize] {
        &self.sources
    }

    /// The positions of the columns that the value holds, because the key cannot give them back.
    pub fn stored_columns(&self) -> &[usize] {
        &self.stored
    }
}

impl fmt::Debug for BoundTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}
