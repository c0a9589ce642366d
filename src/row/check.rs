//! What a value must be before it is written: of the column's type, within its limits, canonical.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Decimal128Type;

use crate::datum::{Readable, SqlType, canonical_array, datum_at};
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
    let refused = match &column.sql_type {
        SqlType::Varchar(length) => first_text(array, |text| is_longer(text, *length)),
        SqlType::Char(length) => first_text(array, |text| {
            text.len() > *length as usize || text.contains('\0')
        }),
        SqlType::Decimal { precision, .. } => first_overflow(array, *precision),
        SqlType::Real | SqlType::Double => return Ok(canonical_array(array)),
        SqlType::Boolean
        | SqlType::SmallInt
        | SqlType::Integer
        | SqlType::BigInt
        | SqlType::Text
        | SqlType::Bytea
        | SqlType::Date
        | SqlType::Timestamp { .. } => None,
    };
    match refused {
        None => Ok(Arc::clone(array)),
        Some(row) => Err(refusal(column, array, row)),
    }
}

fn refusal(column: &Column, array: &ArrayRef, row: usize) -> RowError {
    let limit = match &column.sql_type {
        SqlType::Varchar(length) => format!("it has more than {length} characters"),
        SqlType::Char(length) => {
            format!("at most {length} bytes of UTF-8 are possible, none of them 00")
        }
        _ => "it has too many digits".to_owned(),
    };
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
    match datum_at(array, row, sql_type) {
        Ok(Some(datum)) => {
            let text = Readable(&datum, sql_type).to_string();
            let cut = text
                .char_indices()
                .nth(SHOWN_CHARACTERS)
                .map(|(end, _)| end);
            let shown = cut
                .and_then(|end| text.get(..end))
                .unwrap_or(&text)
                .escape_debug()
                .to_string();
            let more = if cut.is_some() { "…" } else { "" };
            match sql_type.is_text() {
                true => format!("'{shown}{more}'"),
                false => format!("{shown}{more}"),
            }
        }
        Ok(None) => "NULL".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The first row whose text is `refused`.
fn first_text(array: &ArrayRef, refused: impl Fn(&str) -> bool) -> Option<usize> {
    let texts = array.as_string_opt::<i32>()?;
    texts.iter().position(|text| text.is_some_and(&refused))
}

/// A text has at least a quarter as many characters as bytes and at most as many.
fn is_longer(text: &str, characters: u32) -> bool {
    text.len() > characters as usize && text.chars().nth(characters as usize).is_some()
}

fn first_overflow(array: &ArrayRef, precision: u8) -> Option<usize> {
    let greatest = 10_i128.pow(u32::from(precision).min(38)) - 1;
    let values = array.as_primitive_opt::<Decimal128Type>()?;
    values
        .iter()
        .position(|value| value.is_some_and(|value| !(-greatest..=greatest).contains(&value)))
}
