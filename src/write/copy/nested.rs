//! LIST, STRUCT and MAP in files of text: JSON, `[1, 2]` and `{"a": 1}`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, new_empty_array, new_null_array};
use arrow::compute::concat;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use super::reader::FieldReader;
use crate::datum::{SqlType, json_fault};

/// Gathers the values of one column, each of which is a JSON text.
pub(super) struct Nested {
    data_type: DataType,
    schema: SchemaRef,
    values: Vec<ArrayRef>,
}

impl Nested {
    pub(super) fn of(sql_type: &SqlType) -> Self {
        let data_type = sql_type.arrow();
        let field = Field::new("value", data_type.clone(), true);
        Self {
            data_type,
            schema: Arc::new(Schema::new(vec![field])),
            values: Vec::new(),
        }
    }

    /// The value of a text that is JSON.
    fn value(&self, text: &str) -> Result<Option<ArrayRef>, ArrowError> {
        let mut decoder = ReaderBuilder::new(Arc::clone(&self.schema))
            .with_strict_mode(true)
            .build_decoder()?;
        decoder.decode(format!("{{\"value\":{text}}}").as_bytes())?;
        let rows = decoder.flush()?;
        Ok(rows.as_ref().and_then(only_column))
    }
}

fn only_column(rows: &RecordBatch) -> Option<ArrayRef> {
    let column = rows.columns().first()?;
    (column.len() == 1).then(|| Arc::clone(column))
}

impl FieldReader for Nested {
    fn push(&mut self, text: &str) -> Result<(), String> {
        if let Some(fault) = json_fault(text) {
            return Err(format!("is no JSON: {fault}"));
        }
        match self.value(text) {
            Ok(Some(value)) => self.values.push(value),
            Ok(None) => return Err("is no value".to_owned()),
            Err(error) => return Err(format!("is another value: {error}")),
        }
        Ok(())
    }

    fn push_null(&mut self) {
        self.values.push(new_null_array(&self.data_type, 1));
    }

    fn finish(&mut self) -> ArrayRef {
        let values = std::mem::take(&mut self.values);
        let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        // There is nothing to join only where there is nothing.
        concat(&values).unwrap_or_else(|_| new_empty_array(&self.data_type))
    }
}
