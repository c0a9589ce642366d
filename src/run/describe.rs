//! `DESCRIBE <select>` and `DESCRIBE 'file.csv'`: the columns of what is no table of the catalog, and their types.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, StringArray};
use arrow::datatypes::{DataType, Schema};

use super::outcome::{Outcome, rows};
use crate::datum::upper_type_name;
use crate::error::Result;

/// The answer to a DESCRIBE of rows with this schema: its columns, their types, and whether they may be NULL.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn describe(schema: &Schema) -> Result<Outcome> {
    let fields = schema.fields().iter();
    let nullable = fields.clone().map(|field| Some(field.is_nullable()));
    let nullable: ArrayRef = Arc::new(nullable.collect::<BooleanArray>());
    let described = fields.map(|field| (field.name().clone(), field.data_type().clone()));
    let mut shown = names_and_types(&described.collect::<Vec<_>>());
    shown.push(("null", nullable));
    rows(shown)
}

/// The columns of an answer that has a row for each column.
pub(crate) fn names_and_types(described: &[(String, DataType)]) -> Vec<(&'static str, ArrayRef)> {
    let names = described.iter().map(|(name, _)| Some(name.clone()));
    let types = described.iter().map(|(_, of)| Some(upper_type_name(of)));
    vec![
        ("column", Arc::new(names.collect::<StringArray>())),
        ("type", Arc::new(types.collect::<StringArray>())),
    ]
}
