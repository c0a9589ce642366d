//! Columns of a file as columns of a table, where no value changes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, new_null_array};
use arrow::compute::cast_with_options;
use arrow::compute::kernels::cmp::distinct;
use arrow::datatypes::DataType;

use super::SAFE;
use super::bytes::is_text;
use super::shown::text_at;
use crate::datum::{SqlType, text_of_uuid};
use crate::error::{Error, Result};
use crate::key::RowError;
use crate::schema::Column;

/// Whether some values of `from` may be taken as values of the column's type.
///
/// # Errors
/// `InvalidInput` that names the column and both types.
pub fn check_type(column: &Column, from: &DataType) -> Result<()> {
    let Some(reason) = obstacle(from, &column.sql_type) else {
        return Ok(());
    };
    Err(Error::invalid(format!(
        "column `{}` is {}, in the file it is {from}: {reason}; INSERT INTO … SELECT CAST(…) FROM the file converts it",
        column.name, column.sql_type
    )))
}

/// Why no value of `from` may be taken as one of the column's type; `None` where some may.
pub fn obstacle(from: &DataType, to: &SqlType) -> Option<&'static str> {
    match possible(from, to) {
        Possible::Yes => None,
        Possible::LosesZone => Some("the time zone would be lost"),
        Possible::No => Some("that is not the same kind of value"),
    }
}

enum Possible {
    Yes,
    LosesZone,
    No,
}

fn possible(from: &DataType, to: &SqlType) -> Possible {
    let possible = match (from, to) {
        (DataType::Dictionary(_, values), to) => return possible_value(values, to),
        (DataType::Timestamp(_, Some(_)), SqlType::Timestamp { utc: false, .. }) => {
            return Possible::LosesZone;
        }
        (DataType::Null, _) => true,
        (DataType::Boolean, SqlType::Boolean) => true,
        (from, to) if to.is_integer() => {
            from.is_integer() || from.is_floating() || from.is_decimal()
        }
        (from, SqlType::Real | SqlType::Double) => from.is_integer() || from.is_floating(),
        (from, SqlType::Decimal { .. }) => from.is_integer() || from.is_decimal(),
        (
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
            SqlType::Text
            | SqlType::Varchar(_)
            | SqlType::Char(_)
            | SqlType::Uuid
            | SqlType::Json
            // As `COPY … TO` writes it to a Parquet file.
            | SqlType::Interval,
        ) => true,
        (DataType::FixedSizeBinary(16), SqlType::Uuid) => true,
        (DataType::Time32(_) | DataType::Time64(_), SqlType::Time) => true,
        (DataType::Interval(_), SqlType::Interval) => true,
        (from, to) if to.is_nested() => return possible_nested(from, to),
        (
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_),
            SqlType::Bytea,
        ) => true,
        (DataType::Date32 | DataType::Date64, SqlType::Date | SqlType::Timestamp { .. }) => true,
        (DataType::Timestamp(_, _), SqlType::Timestamp { .. }) => true,
        _ => false,
    };
    if possible {
        Possible::Yes
    } else {
        Possible::No
    }
}

/// Values inside of values: all of them must be possible.
fn possible_nested(from: &DataType, to: &SqlType) -> Possible {
    let pairs: Vec<(&DataType, &SqlType)> = match (from, to) {
        (
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
            SqlType::List(element),
        ) => vec![(item.data_type(), element)],
        (DataType::Struct(fields), SqlType::Struct(members)) => {
            let names = fields.iter().map(|field| field.name());
            if !names.eq(members.iter().map(|(name, _)| name)) {
                return Possible::No;
            }
            let types = fields.iter().map(|field| field.data_type());
            types
                .zip(members.iter().map(|(_, sql_type)| sql_type))
                .collect()
        }
        (DataType::Map(entries, _), SqlType::Map(entry)) => match entries.data_type() {
            DataType::Struct(fields) => {
                let types = fields.iter().map(|field| field.data_type());
                types.zip([&entry.0, &entry.1]).collect()
            }
            _ => return Possible::No,
        },
        _ => return Possible::No,
    };
    for (from, to) in pairs {
        match possible(from, to) {
            Possible::Yes => {}
            other => return other,
        }
    }
    Possible::Yes
}

fn possible_value(values: &DataType, to: &SqlType) -> Possible {
    match values {
        DataType::Dictionary(_, _) => Possible::No,
        values => possible(values, to),
    }
}

/// The array as values of the column's type, for which [`check_type`] is asked before.
///
/// # Errors
/// `InvalidInput` with the first row whose value is another one in the column's type.
pub fn converted(column: &Column, array: &ArrayRef) -> Result<ArrayRef, RowError> {
    let to = column.sql_type.arrow();
    if array.data_type() == &to {
        return Ok(Arc::clone(array));
    }
    if array.data_type() == &DataType::Null {
        return Ok(new_null_array(&to, array.len()));
    }
    let plain = match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values)?,
        _ => Arc::clone(array),
    };
    if let (DataType::FixedSizeBinary(_), SqlType::Uuid) = (plain.data_type(), &column.sql_type) {
        return Ok(uuids_of_bytes(&plain));
    }
    let values = cast(&plain, &to)?;
    if is_read(plain.data_type(), &column.sql_type) {
        return read(column, &plain, values);
    }
    let back = cast(&values, plain.data_type())?;
    match first_changed(column, &back, &plain)? {
        None => Ok(values),
        Some(row) => Err(RowError {
            row: Some(row),
            error: Error::invalid(format!(
                "column `{}` of type {} cannot hold {} exactly",
                column.name,
                column.sql_type,
                text_at(&plain, row)
            )),
        }),
    }
}

/// Whether values are read from texts that may say them in several ways.
fn is_read(from: &DataType, to: &SqlType) -> bool {
    is_text(from) && matches!(to, SqlType::Interval)
}

/// What was read, if every text says something.
fn read(column: &Column, texts: &ArrayRef, values: ArrayRef) -> Result<ArrayRef, RowError> {
    let is_lost = |row: &usize| values.is_null(*row) && texts.is_valid(*row);
    match (0..texts.len()).find(is_lost) {
        None => Ok(values),
        Some(row) => Err(RowError {
            row: Some(row),
            error: Error::invalid(format!(
                "column `{}` of type {} cannot hold '{}'",
                column.name,
                column.sql_type,
                text_at(texts, row)
            )),
        }),
    }
}

/// The first row in which two arrays of one type differ.
fn first_changed(column: &Column, back: &ArrayRef, plain: &ArrayRef) -> Result<Option<usize>> {
    if plain.data_type().is_nested() {
        let differs = |row: &usize| back.slice(*row, 1) != plain.slice(*row, 1);
        return Ok((0..plain.len()).find(differs));
    }
    let changed = distinct(back, plain).map_err(|error| {
        Error::internal(format!("column `{}` cannot be compared", column.name)).with_source(error)
    })?;
    Ok(changed.iter().position(|changed| changed == Some(true)))
}

/// Sixteen bytes each as the text of a UUID.
fn uuids_of_bytes(array: &ArrayRef) -> ArrayRef {
    let texts = array.as_fixed_size_binary().iter();
    let texts = texts.map(|bytes| bytes.and_then(text_of_uuid));
    Arc::new(texts.collect::<StringArray>())
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast_with_options(array, to, &SAFE).map_err(|error| {
        Error::invalid(format!(
            "{} cannot be converted to {to}: {error}",
            array.data_type()
        ))
        .with_source(error)
    })
}
