//! The columns of a data set: each is a name and what a row has there, from which its type, the schema and the arrays
//! come.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int16Array, Int32Array, Int64Array,
    RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::error::{Error, Result};

/// A column without NULL: its name, and the value of a row.
pub(super) type Column<Row> = (&'static str, Value<Row>);

/// What a row has in a column, by the column's type.
pub(super) enum Value<Row> {
    Boolean(fn(&Row) -> bool),
    Int16(fn(&Row) -> i16),
    Int32(fn(&Row) -> i32),
    Int64(fn(&Row) -> i64),
    Double(fn(&Row) -> f64),
    Text(fn(&Row) -> &str),
    /// Days since 1970.
    Date(fn(&Row) -> i32),
    /// Milliseconds since 1970.
    Milliseconds(fn(&Row) -> i64),
}

impl<Row> Value<Row> {
    fn data_type(&self) -> DataType {
        match self {
            Self::Boolean(_) => DataType::Boolean,
            Self::Int16(_) => DataType::Int16,
            Self::Int32(_) => DataType::Int32,
            Self::Int64(_) => DataType::Int64,
            Self::Double(_) => DataType::Float64,
            Self::Text(_) => DataType::Utf8,
            Self::Date(_) => DataType::Date32,
            Self::Milliseconds(_) => DataType::Timestamp(TimeUnit::Millisecond, None),
        }
    }

    fn of_rows(&self, rows: &[Row]) -> ArrayRef {
        let rows = rows.iter();
        match self {
            Self::Boolean(value) => {
                Arc::new(BooleanArray::from_iter(rows.map(|row| Some(value(row)))))
            }
            Self::Int16(value) => Arc::new(Int16Array::from_iter_values(rows.map(value))),
            Self::Int32(value) => Arc::new(Int32Array::from_iter_values(rows.map(value))),
            Self::Int64(value) => Arc::new(Int64Array::from_iter_values(rows.map(value))),
            Self::Double(value) => Arc::new(Float64Array::from_iter_values(rows.map(value))),
            Self::Text(value) => Arc::new(StringArray::from_iter_values(rows.map(value))),
            Self::Date(value) => Arc::new(Date32Array::from_iter_values(rows.map(value))),
            Self::Milliseconds(value) => {
                Arc::new(TimestampMillisecondArray::from_iter_values(rows.map(value)))
            }
        }
    }
}

/// The schema of columns.
pub(super) fn schema<Row>(columns: &[Column<Row>]) -> SchemaRef {
    let fields = columns
        .iter()
        .map(|(name, value)| Field::new(*name, value.data_type(), false));
    Schema::new(fields.collect::<Vec<_>>()).into()
}

/// Rows as a batch of columns.
///
/// # Errors
/// `Internal` where Arrow refuses the columns.
pub(super) fn batch<Row>(columns: &[Column<Row>], rows: &[Row]) -> Result<RecordBatch> {
    let arrays = columns.iter().map(|(_, value)| value.of_rows(rows));
    RecordBatch::try_new(schema(columns), arrays.collect())
        .map_err(|error| Error::internal("columns that are not the schema's").with_source(error))
}
