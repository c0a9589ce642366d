//! Batches of a file as rows of a table: columns found by their names, values unchanged.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, new_null_array};
use arrow::datatypes::Schema;

use super::files::SourceFile;
use super::{Feed, match_columns};
use crate::convert::lossless::{check_type, converted};
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::schema::BoundTable;
use crate::write::row_label::number_in_file;

/// The rows of a file on their way to a statement, counted from 1.
pub(super) struct TableRows<'a> {
    feed: &'a Feed,
    source: &'a SourceFile,
    table: Arc<BoundTable>,
    /// For each column of the table its place in the file, if the file gives it.
    places: Vec<Option<usize>>,
    next: u64,
}

impl<'a> TableRows<'a> {
    /// Those of a file with these columns, of which it gives the ones at these positions of the table.
    ///
    /// # Errors
    /// `InvalidInput` where the file has other columns, or a column of another kind.
    pub(super) fn new(
        feed: &'a Feed,
        source: &'a SourceFile,
        given: &[usize],
        columns: &Schema,
    ) -> Result<Self> {
        let table = Arc::clone(feed.table());
        let places = places(&table, given, columns).map_err(|error| error.context(source))?;
        Ok(Self {
            feed,
            source,
            table,
            places,
            next: 1,
        })
    }

    /// The next rows of the file.
    ///
    /// # Errors
    /// `InvalidInput` that names the row and the column where a value would change.
    pub(super) fn feed(&mut self, batch: &RecordBatch) -> Result<()> {
        let place = |row: usize| format!("{} row {}", self.source, self.next + row as u64);
        let rows = self.of_table(batch);
        let rows = rows.map_err(|error| error.placed(place))?;
        let next = self.next + rows.num_rows() as u64;
        let numbers = (self.next..next).map(|row| number_in_file(self.source.index, row));
        self.feed.add_numbered(rows, numbers.collect())?;
        self.next = next;
        Ok(())
    }

    fn of_table(&self, batch: &RecordBatch) -> Result<RecordBatch, RowError> {
        let columns = self.table.columns().iter().zip(&self.places);
        let arrays: Result<Vec<(&String, ArrayRef, bool)>, RowError> = columns
            .map(|(column, place)| {
                let Some(place) = place else {
                    let nulls = new_null_array(&column.sql_type.arrow(), batch.num_rows());
                    return Ok((&column.name, nulls, true));
                };
                let array = batch.columns().get(*place);
                let array = array.ok_or_else(|| {
                    RowError::from(Error::internal("a column of the file is lost"))
                })?;
                let array =
                    converted(column, array).map_err(|error| error.of_table(self.table.name()))?;
                Ok((&column.name, array, true))
            })
            .collect();
        RecordBatch::try_from_iter_with_nullable(arrays?).map_err(|error| {
            RowError::from(Error::internal("columns of a file as a batch").with_source(error))
        })
    }
}

fn places(table: &BoundTable, given: &[usize], columns: &Schema) -> Result<Vec<Option<usize>>> {
    let fields = columns.fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let positions = match_columns(table, given, &names)?;
    let mut places = vec![None; table.columns().len()];
    for ((place, position), field) in positions.iter().enumerate().zip(fields) {
        let column = table.column(*position)?;
        check_type(column, field.data_type()).map_err(|error| error.of_table(table.name()))?;
        if let Some(of_column) = places.get_mut(*position) {
            *of_column = Some(place);
        }
    }
    Ok(places)
}
