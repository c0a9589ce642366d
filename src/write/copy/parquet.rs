//! Parquet files.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow::array::{ArrayRef, RecordBatch};
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::files::SourceFile;
use super::lossless::{check_type, converted};
use super::{BATCH_ROWS, Statement, check_wanted, match_columns};
use crate::error::{Error, Result};
use crate::row::RowError;
use crate::schema::BoundTable;
use crate::write::place::number_in_file;

/// Adds the rows of a Parquet file to a statement, counted from 1.
pub(super) fn load(
    statement: &mut Statement,
    source: &SourceFile,
    wanted: &AtomicBool,
) -> Result<()> {
    let table = Arc::clone(statement.table());
    let unreadable =
        |error: String| Error::invalid(format!("`{source}` is no readable Parquet file: {error}"));
    let builder = ParquetRecordBatchReaderBuilder::try_new(source.open()?)
        .map_err(|error| unreadable(error.to_string()))?;
    let sources = sources(&table, &builder).map_err(|error| error.context(source))?;
    let reader = builder
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(|error| unreadable(error.to_string()))?;
    let mut first = 1;
    for batch in reader {
        check_wanted(wanted)?;
        let batch = batch.map_err(|error| unreadable(error.to_string()))?;
        let rows = table_rows(&table, &sources, &batch)
            .map_err(|error| error.at(|row| format!("{source} row {}", first + row as u64)))?;
        let next = first + rows.num_rows() as u64;
        let numbers: Vec<u64> = (first..next)
            .map(|row| number_in_file(source.index, row))
            .collect();
        statement.add_numbered(&rows, &numbers)?;
        first = next;
    }
    Ok(())
}

/// For each column of the table its place in the file.
fn sources(
    table: &BoundTable,
    file: &ParquetRecordBatchReaderBuilder<std::fs::File>,
) -> Result<Vec<usize>> {
    let fields = file.schema().fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let positions = match_columns(table, &names)?;
    let mut sources = vec![0; positions.len()];
    for ((place, position), field) in positions.iter().enumerate().zip(fields) {
        let column = table.column(*position)?;
        check_type(column, field.data_type())
            .map_err(|error| error.context(format!("table `{}`", table.name())))?;
        if let Some(source) = sources.get_mut(*position) {
            *source = place;
        }
    }
    Ok(sources)
}

fn table_rows(
    table: &BoundTable,
    sources: &[usize],
    batch: &RecordBatch,
) -> Result<RecordBatch, RowError> {
    let columns = table.columns().iter().zip(sources);
    let arrays: Result<Vec<(&String, ArrayRef, bool)>, RowError> = columns
        .map(|(column, source)| {
            let array = batch.columns().get(*source);
            let array = array
                .ok_or_else(|| RowError::whole(Error::internal("a column of the file is lost")))?;
            let array = converted(column, array).map_err(|mut error| {
                error.error = error.error.context(format!("table `{}`", table.name()));
                error
            })?;
            Ok((&column.name, array, true))
        })
        .collect();
    RecordBatch::try_from_iter_with_nullable(arrays?).map_err(|error| {
        RowError::whole(Error::internal("columns of a file as a batch").with_source(error))
    })
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
