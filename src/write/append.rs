//! Rows that a program gives one at a time or as batches of its own: made into batches of the table's columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, new_null_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;

use super::filled::{Filled, fill};
use super::write_set::check_length;
use crate::convert::lossless::{converted, obstacle};
use crate::convert::text::values_of_texts;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{PartDefinition, RowError};
use crate::row::RowWriter;
use crate::schema::{BoundTable, Column};

/// How many rows make a batch.
const ROWS: usize = 1_024;
/// Fewer rows do when their values take so many bytes.
const BYTES: usize = 4 << 20;
/// A row whose values take no more than this has a key and a length that may be, whatever they are.
const SHORT: usize = 4 << 10;

/// Rows of one table, value by value, until they are a batch.
#[derive(Debug)]
pub struct RowBuffer {
    table: Arc<BoundTable>,
    /// Whether it takes more than a look at NULLs to know whether a row may be written.
    is_checked: bool,
    /// When a row is encoded as soon as it is there.
    encodes: Encodes,
    /// The values of each column, of its type.
    columns: Vec<Vec<ScalarValue>>,
    rows: usize,
    /// What the values take in memory.
    bytes: usize,
}

/// Which rows are encoded to know whether they may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encodes {
    /// All: a part of the key may refuse a value.
    All,
    /// Those that are long.
    Long,
    /// None, for that needs more than the row: an id of a dictionary, a row id.
    None,
}

impl Encodes {
    fn of(table: &BoundTable) -> Self {
        let (key, columns) = (&table.table().key, table.columns());
        let is_made = table.all_columns().len() != columns.len();
        if is_made || key.iter().any(|part| part.expression.has_dictionary()) {
            return Self::None;
        }
        let takes_all = |part: &PartDefinition| {
            let function = part.expression.function.as_str();
            matches!(function, "column" | "literal" | "salt" | "bucket" | "hash")
        };
        let is_padded = |column: &Column| matches!(column.sql_type, SqlType::Char(_));
        if key.iter().all(takes_all) && !columns.iter().any(is_padded) {
            Self::Long
        } else {
            Self::All
        }
    }
}

impl RowBuffer {
    /// Without rows.
    pub fn new(table: Arc<BoundTable>) -> Self {
        let columns = vec![Vec::new(); table.columns().len()];
        let mut types = table.columns().iter().map(|column| &column.sql_type);
        Self {
            is_checked: table.has_rules() || types.any(has_bounds),
            encodes: Encodes::of(&table),
            table,
            columns,
            rows: 0,
            bytes: 0,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether the rows should be taken.
    pub fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    /// Adds a row: a value for each column, in the table's order. `rows` is what encodes it later, to at most so many bytes.
    ///
    /// # Errors
    /// `InvalidInput` that names the table and the column, or the rule that the row does not satisfy; it is left out then.
    pub fn push(
        &mut self,
        values: Vec<ScalarValue>,
        rows: &RowWriter,
        most_bytes: usize,
    ) -> Result<()> {
        let name = self.table.name();
        let columns = self.table.columns();
        if values.len() != columns.len() {
            let (given, wanted) = (values.len(), columns.len());
            return Err(Error::invalid(format!(
                "table `{name}`: {given} values are given for {wanted} columns"
            )));
        }
        let pairs = columns.iter().zip(values);
        let values: Result<Vec<_>> = pairs
            .map(|(column, value)| of_column(column, value))
            .collect();
        let values = values.map_err(|error| error.of_table(name))?;
        let bytes = values.iter().map(ScalarValue::size).sum();
        self.check(&values, bytes, rows, most_bytes)?;
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.bytes += bytes;
        self.rows += 1;
        Ok(())
    }

    /// Whether the row, whose values take so many bytes, may be written.
    fn check(
        &self,
        values: &[ScalarValue],
        bytes: usize,
        rows: &RowWriter,
        most_bytes: usize,
    ) -> Result<()> {
        let is_encoded = match self.encodes {
            Encodes::All => true,
            Encodes::Long => bytes > SHORT,
            Encodes::None => false,
        };
        let columns = self.table.columns().iter().zip(values);
        let mut columns =
            columns.map(|(column, value)| value.is_null() && !column.nullable && !is_made(column));
        if !is_encoded && !self.is_checked && !columns.any(|is_missing| is_missing) {
            return Ok(());
        }
        let arrays = values.iter().map(ScalarValue::to_array);
        let arrays = arrays.collect::<Result<_, _>>()?;
        let row = batch(&self.table, arrays)?;
        if !is_encoded {
            return rows.check(&row).map_err(|error| error.error);
        }
        let encoded = rows.encode(&row).map_err(|error| error.error)?;
        encoded
            .iter()
            .try_for_each(|row| check_length(&self.table, row.bytes(), most_bytes))
    }

    /// The rows, as a batch of the table's columns. The buffer is empty after it.
    ///
    /// # Errors
    /// `Internal` alone.
    pub fn take(&mut self) -> Result<RecordBatch> {
        (self.rows, self.bytes) = (0, 0);
        let arrays = self.columns.iter_mut().map(|column| {
            let array = ScalarValue::iter_to_array(column.drain(..));
            array.map_err(|error| Error::internal("values of a column").with_source(error))
        });
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        batch(&self.table, arrays)
    }

    /// A batch with the table's columns in their order and of their types, found by their names; those that it lacks are
    /// `filled`, or NULL.
    ///
    /// # Errors
    /// `InvalidInput` that names the table and the column, and the row where it is about one.
    pub fn conform(&self, rows: &RecordBatch, filled: &[Filled]) -> Result<RecordBatch, RowError> {
        let conformed = self.conform_columns(rows, filled);
        let conformed = conformed.map_err(|error| error.of_table(self.table.name()))?;
        let conformed = batch(&self.table, conformed)?;
        fill(conformed, filled).map_err(RowError::from)
    }

    fn conform_columns(
        &self,
        rows: &RecordBatch,
        filled: &[Filled],
    ) -> Result<Vec<ArrayRef>, RowError> {
        let schema = rows.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        for (position, name) in names.iter().enumerate() {
            if self.table.table().column_position(name).is_none() {
                let wrong = format!("there is no column `{name}`, which the batch has");
                return Err(RowError::from(Error::invalid(wrong)));
            }
            if names.iter().take(position).any(|other| other == name) {
                let wrong = format!("the batch has column `{name}` twice");
                return Err(RowError::from(Error::invalid(wrong)));
            }
        }
        let is_filled = |position| filled.iter().any(|filled| filled.column == position);
        let columns = self.table.columns().iter().enumerate();
        columns
            .map(
                |(position, column)| match rows.column_by_name(&column.name) {
                    Some(array) => {
                        check_type(column, array.data_type()).map_err(RowError::from)?;
                        converted(column, array)
                    }
                    None if is_made(column) || column.nullable || is_filled(position) => {
                        Ok(new_null_array(&column.sql_type.arrow(), rows.num_rows()))
                    }
                    None => {
                        let lacks = format!("the batch lacks column `{}`", column.name);
                        let lacks = Error::invalid(lacks).of_column(&column.name);
                        Err(RowError::from(lacks))
                    }
                },
            )
            .collect()
    }
}

/// Whether the values of a column are computed of the others.
fn is_made(column: &Column) -> bool {
    column.generated.is_some()
}

/// Whether a value of the type in memory may be none that a column can hold.
fn has_bounds(sql_type: &SqlType) -> bool {
    match sql_type {
        SqlType::Varchar(_)
        | SqlType::Char(_)
        | SqlType::Json
        | SqlType::Uuid
        | SqlType::Decimal { .. }
        | SqlType::Time
        | SqlType::List(_)
        | SqlType::Struct(_)
        | SqlType::Map(_) => true,
        SqlType::Boolean
        | SqlType::TinyInt
        | SqlType::SmallInt
        | SqlType::Integer
        | SqlType::BigInt
        | SqlType::UnsignedTinyInt
        | SqlType::UnsignedSmallInt
        | SqlType::UnsignedInteger
        | SqlType::UnsignedBigInt
        | SqlType::Real
        | SqlType::Double
        | SqlType::Text
        | SqlType::Bytea
        | SqlType::Date
        | SqlType::Timestamp { .. }
        | SqlType::Interval => false,
    }
}

fn batch(table: &BoundTable, arrays: Vec<ArrayRef>) -> Result<RecordBatch> {
    let columns = table.columns().iter().zip(arrays);
    let batch = RecordBatch::try_from_iter_with_nullable(
        // Whether a NULL may be is asked when the rows are encoded, with their numbers.
        columns.map(|(column, array)| (&column.name, array, true)),
    );
    batch.map_err(|error| Error::internal("columns that make no batch").with_source(error))
}

fn check_type(column: &Column, given: &DataType) -> Result<()> {
    match obstacle(given, &column.sql_type) {
        None => Ok(()),
        Some(reason) => Err(Error::invalid(format!(
            "column `{}` is {}, and is given {given}: {reason}",
            column.name, column.sql_type
        ))),
    }
}

/// The value as one of the column's type.
fn of_column(column: &Column, value: ScalarValue) -> Result<ScalarValue> {
    let wanted = column.sql_type.arrow();
    if value.data_type() == wanted {
        return Ok(value);
    }
    if value.is_null() {
        return Ok(ScalarValue::try_from(&wanted)?);
    }
    let mut array = value.to_array()?;
    if let (DataType::Utf8, SqlType::Date | SqlType::Timestamp { .. }) =
        (array.data_type(), &column.sql_type)
    {
        array = time(column, &array)?;
    }
    check_type(column, array.data_type())?;
    let array = converted(column, &array).map_err(|error| error.error)?;
    Ok(ScalarValue::try_from_array(&array, 0)?)
}

/// Text as the date or time that it says, as fine as it says it.
fn time(column: &Column, text: &ArrayRef) -> Result<ArrayRef> {
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let wanted = column.sql_type.arrow();
    let kinds = match &wanted {
        // Years beyond 2262 have no nanoseconds.
        DataType::Timestamp(_, zone) => vec![
            DataType::Timestamp(TimeUnit::Nanosecond, zone.clone()),
            DataType::Timestamp(TimeUnit::Microsecond, zone.clone()),
        ],
        other => vec![other.clone()],
    };
    let mut failure = None;
    for kind in &kinds {
        match cast_with_options(text, kind, &strict) {
            Ok(time) => return Ok(time),
            Err(error) => failure = Some(error),
        }
    }
    // Years of more than four digits.
    if let Ok(time) = values_of_texts(&column.sql_type, text.as_string(), |_| true) {
        return Ok(time);
    }
    let shown = ScalarValue::try_from_array(text, 0)?;
    let wrong = Error::invalid(format!(
        "column `{}` of type {} cannot hold '{shown}'",
        column.name, column.sql_type
    ));
    Err(match failure {
        Some(cause) => wrong.with_source(cause),
        None => wrong,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::testing::table;

    /// How many rows with this text are taken at once.
    fn rows_at_once(text: &str) -> usize {
        let table = table(&[("a", SqlType::BigInt), ("b", SqlType::Text)], &["a"]);
        let rows = RowWriter::new(Arc::clone(&table));
        let mut buffer = RowBuffer::new(table);
        let mut taken = || {
            while !buffer.is_full() {
                let values = vec![ScalarValue::from(1_i64), ScalarValue::from(text)];
                buffer.push(values, &rows, usize::MAX).unwrap();
            }
            let rows = buffer.take().unwrap().num_rows();
            assert!(buffer.is_empty() && !buffer.is_full());
            rows
        };
        let rows = taken();
        assert_eq!(taken(), rows, "the second time");
        rows
    }

    #[test]
    fn long_rows_are_taken_when_they_are_few() {
        assert_eq!(rows_at_once("a name"), ROWS);
        let rows = rows_at_once(&"x".repeat(100_000));
        assert!((30..=BYTES / 100_000 + 1).contains(&rows), "{rows}");
    }
}
