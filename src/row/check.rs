//! What a value must be before it is written: of the column's type, within its limits, canonical.

use std::sync::Arc;

use arrow::array::builder::StringBuilder;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Decimal128Type, Time64NanosecondType};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::nested;
use super::single::{is_day_time, value_fault};
use crate::datum::{Readable, SqlType, canonical_array, canonical_uuid, datum_at};
use crate::error::Error;
use crate::key::RowError;
use crate::schema::Column;

/// At most so many characters of a value are shown in an error.
const SHOWN_CHARACTERS: usize = 60;

/// The column's values as they are written: floating point values canonical, all else as it is.
///
/// # Errors
/// `InvalidInput` with the row for a NULL or a value that the column cannot hold; `Internal` where the array is not of
/// the column's type.
pub(super) fn checked(column: &Column, array: &ArrayRef) -> Result<ArrayRef, RowError> {
    if array.data_type() != &column.sql_type.arrow() {
        return Err(RowError::from(Error::internal(format!(
            "column `{}` of type {} is given as {}",
            column.name,
            column.sql_type,
            array.data_type()
        ))));
    }
    if !column.nullable && array.null_count() > 0 {
        let row = array
            .nulls()
            .and_then(|nulls| (0..nulls.len()).find(|row| nulls.is_null(*row)));
        let error = Error::invalid(format!(
            "column `{}` is NOT NULL and is given NULL",
            column.name
        ));
        let error = error.of_column(&column.name).of_constraint("NOT NULL");
        return Err(RowError { row, error });
    }
    let sql_type = &column.sql_type;
    let refused = match sql_type {
        SqlType::Varchar(_) | SqlType::Char(_) | SqlType::Json => {
            first_text(array, |text| value_fault(sql_type, text).is_some())
        }
        SqlType::Decimal { precision, .. } => first_overflow(array, *precision),
        SqlType::Time => {
            let times = array.as_primitive_opt::<Time64NanosecondType>();
            times.and_then(|times| {
                let mut times = times.iter();
                times.position(|time| time.is_some_and(|time| !is_day_time(time)))
            })
        }
        SqlType::Real | SqlType::Double => return Ok(canonical_array(array)),
        SqlType::Uuid => match canonical_uuids(array) {
            Ok(canonical) => return Ok(canonical),
            Err(row) => Some(row),
        },
        SqlType::List(_) | SqlType::Struct(_) | SqlType::Map(_) => {
            return checked_nested(column, array);
        }
        SqlType::Boolean
        | SqlType::TinyInt
        | SqlType::SmallInt
        | SqlType::Integer
        | SqlType::BigInt
        | SqlType::UnsignedTinyInt
        | SqlType::UnsignedSmallInt
        | SqlType::UnsignedInteger
        | SqlType::UnsignedBigInt
        | SqlType::Text
        | SqlType::Bytea
        | SqlType::Date
        | SqlType::Timestamp { .. }
        | SqlType::Interval => None,
    };
    match refused {
        None => Ok(Arc::clone(array)),
        Some(row) => {
            let limit = match array.as_string_opt::<i32>() {
                Some(texts) => value_fault(sql_type, texts.value(row)).unwrap_or_default(),
                None if *sql_type == SqlType::Time => "it is beyond the day".to_owned(),
                None => "it has too many digits".to_owned(),
            };
            Err(refusal(column, array, row, &limit))
        }
    }
}

/// Nested values with what is inside them canonical, and nothing where they are NULL.
fn checked_nested(column: &Column, array: &ArrayRef) -> Result<ArrayRef, RowError> {
    let fields = nested::encode(array, &column.sql_type).map_err(|fault| match fault.row {
        Some(row) => refusal(column, array, row, &fault.error.to_string()),
        None => fault,
    })?;
    let fields: Vec<Option<&[u8]>> = fields.as_binary::<i32>().iter().collect();
    let canonical = nested::decode(&fields, &column.sql_type);
    canonical.ok_or_else(|| {
        RowError::from(Error::internal(format!(
            "values of column `{}` that are lost while they are encoded",
            column.name
        )))
    })
}

/// UUIDs in their canonical form.
///
/// # Errors
/// The first row whose text is none.
fn canonical_uuids(array: &ArrayRef) -> Result<ArrayRef, usize> {
    let Some(texts) = array.as_string_opt::<i32>() else {
        return Ok(Arc::clone(array));
    };
    let mut canonical = StringBuilder::new();
    for (row, text) in texts.iter().enumerate() {
        match text.map(canonical_uuid) {
            None => canonical.append_null(),
            Some(Some(text)) => canonical.append_value(text),
            Some(None) => return Err(row),
        }
    }
    Ok(Arc::new(canonical.finish()))
}

fn refusal(column: &Column, array: &ArrayRef, row: usize, limit: &str) -> RowError {
    let error = Error::invalid(format!(
        "column `{}` of type {} cannot hold {}: {limit}",
        column.name,
        column.sql_type,
        shown_at(array, row, &column.sql_type)
    ));
    RowError::at(row, error.of_column(&column.name))
}

/// The value in `row` for people, as errors show it: text in quotes, and cut where it is long.
pub fn shown_at(array: &dyn Array, row: usize, sql_type: &SqlType) -> String {
    let text = match datum_at(array, row, sql_type) {
        Ok(Some(datum)) => Readable(&datum, sql_type).to_string(),
        Ok(None) => return "NULL".to_owned(),
        // What stands in no key is no datum.
        Err(error) => match displayed(array, row) {
            Some(text) => text,
            None => return error.to_string(),
        },
    };
    let mut places = text.char_indices();
    let cut = places.nth(SHOWN_CHARACTERS).map(|(end, _)| end);
    let shown = cut
        .and_then(|end| text.get(..end))
        .unwrap_or(&text)
        .escape_debug()
        .to_string();
    let more = if cut.is_some() { "…" } else { "" };
    if sql_type.is_text() {
        format!("'{shown}{more}'")
    } else {
        format!("{shown}{more}")
    }
}

fn displayed(array: &dyn Array, row: usize) -> Option<String> {
    let options = FormatOptions::default().with_null("NULL");
    let formatter = ArrayFormatter::try_new(array, &options).ok()?;
    (row < array.len()).then(|| formatter.value(row).to_string())
}

/// The first row whose text is `refused`.
fn first_text(array: &ArrayRef, refused: impl Fn(&str) -> bool) -> Option<usize> {
    let texts = array.as_string_opt::<i32>()?;
    texts.iter().position(|text| text.is_some_and(&refused))
}

fn first_overflow(array: &ArrayRef, precision: u8) -> Option<usize> {
    let greatest = 10_i128.pow(u32::from(precision).min(38)) - 1;
    let values = array.as_primitive_opt::<Decimal128Type>()?;
    values
        .iter()
        .position(|value| value.is_some_and(|value| !(-greatest..=greatest).contains(&value)))
}
