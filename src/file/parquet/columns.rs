//! The columns of several files: each of a type that its values in all files fit in.
//!
//! The types meet as those of a UNION do: INT and BIGINT in BIGINT, DECIMAL and DOUBLE in DOUBLE, DATE and TIMESTAMP in
//! TIMESTAMP. A text meets no other type: which it was written for, the file does not say.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};

use crate::convert::meet::met;
use crate::datum::upper_type_name;
use crate::error::{Error, Result};

/// The columns of a file with BYTEA as it is in tables: functions do not take its two forms together, as `coalesce`.
pub(super) fn with_plain_bytes(schema: &SchemaRef) -> SchemaRef {
    let plain = |field: &FieldRef| match field.data_type() {
        DataType::BinaryView => {
            let plain = field.as_ref().clone().with_data_type(DataType::Binary);
            Arc::new(plain)
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The columns of files, which are given with their names, in the order in which they first come.
///
/// # Errors
/// `InvalidInput` for a column of which two files have types that do not meet; names both.
pub(super) fn of_all(files: &[(String, SchemaRef)]) -> Result<SchemaRef> {
    let mut columns: Vec<(FieldRef, &str)> = Vec::new();
    for (name, schema) in files {
        for field in schema.fields() {
            match columns
                .iter_mut()
                .find(|(known, _)| known.name() == field.name())
            {
                Some((known, first)) => {
                    let types = [known.data_type(), field.data_type()];
                    let Some(met) = common(types[0], types[1]) else {
                        return Err(apart(known, [first, name], types.map(upper_type_name)));
                    };
                    if met == *field.data_type() {
                        *first = name;
                    }
                    *known = Arc::new(Field::new(field.name(), met, true));
                }
                // Another file may lack it.
                None => columns.push((Arc::new(field.as_ref().clone().with_nullable(true)), name)),
            }
        }
    }
    let fields = columns.into_iter().map(|(field, _)| field);
    Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

/// A column of two files has types that do not meet.
fn apart(column: &Field, files: [&str; 2], types: [String; 2]) -> Error {
    let ([first, second], [left, right]) = (files, types);
    Error::invalid(format!(
        "`{}` is {left} in `{first}`, and {right} in `{second}`: one column cannot be both; read the files one by one, \
         and CAST what they give",
        column.name()
    ))
}

/// The type that values of two types fit in.
fn common(left: &DataType, right: &DataType) -> Option<DataType> {
    if left == right {
        return Some(left.clone());
    }
    let is_text = |it: &DataType| it.is_string();
    match (is_text(left), is_text(right)) {
        (true, false) | (false, true) if !left.is_null() && !right.is_null() => None,
        _ => met(left, right),
    }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
