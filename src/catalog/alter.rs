//! Definitions that change while rows stay as they are.

use std::sync::Arc;

use arrow::array::Array;

use crate::error::{Error, Result};
use crate::key::RowError;
use crate::row::{RowReader, RowSnapshot, own_rows};
use crate::schema::{BoundTable, Column, Table};
use crate::store::{Chunk, Snapshot};
use crate::write::CompileRules;

/// A definition in place of another one, over the same rows.
#[derive(Debug, Clone)]
pub struct Altered {
    /// The definition.
    pub table: Table,
    /// Whether it asks something of rows that the other one did not.
    pub asks_rows: bool,
}

/// Whether the rows that a table has satisfy a definition that asks more of them than the one they were written under.
///
/// # Errors
/// `InvalidInput` that names the first row which does not, and the column or constraint; those of the store.
pub(super) fn check_rows(
    table: &Arc<BoundTable>,
    compile: Option<CompileRules>,
    snapshot: Arc<dyn Snapshot>,
) -> Result<()> {
    let rules = match compile {
        Some(compile) if table.has_rules() => Some(compile(table)?),
        _ => None,
    };
    let reader = RowReader::new(relaxed(table)?);
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    let rows = RowSnapshot::of(snapshot, table.spaces());
    rows.read_chunks(&table.row_key().own_range(), |chunk| {
        let chunk = &*own_rows(table, chunk);
        let batch = reader.read(chunk, &columns, None)?;
        for (column, values) in table.columns().iter().zip(batch.columns()) {
            let null = (!column.nullable).then(|| first_null(values)).flatten();
            if let Some(row) = null {
                let wrong = format!("column `{}` would be NOT NULL and is NULL", column.name);
                return Err(refused(
                    table,
                    chunk,
                    RowError::at(row, Error::invalid(wrong)),
                ));
            }
        }
        if let Some(rules) = &rules {
            let checked = rules.check(&batch);
            checked.map_err(|error| refused(table, chunk, error))?;
        }
        Ok(true)
    })
}

/// The table with NULL allowed in every column that the key does not hold, so that all rows can be read.
fn relaxed(table: &BoundTable) -> Result<Arc<BoundTable>> {
    let stored = table.stored_columns();
    let columns = table.columns().iter().enumerate();
    let columns = columns.map(|(position, column)| Column {
        nullable: column.nullable || stored.contains(&position),
        ..column.clone()
    });
    let definition = Table {
        columns: columns.collect(),
        ..table.table().clone()
    };
    BoundTable::new(definition)
}

fn first_null(values: &dyn Array) -> Option<usize> {
    let nulls = values.nulls()?;
    (0..nulls.len()).find(|row| nulls.is_null(*row))
}

/// The error about a row of a chunk, which is named by its key.
fn refused(table: &BoundTable, chunk: &Chunk, error: RowError) -> Error {
    let key = error.row.and_then(|row| chunk.get(row));
    match key {
        Some((key, _)) => {
            let row = table.row_key().readable(key);
            error.error.context(format!("row {row}"))
        }
        None => error.error,
    }
}
