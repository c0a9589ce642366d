//! What becomes a LIST, STRUCT or MAP: `'[1, 2]'::INT[]` and `'{"a": 1}'::MAP(TEXT, INT)` are JSON, which is read as INSERT
//! reads it into such a column; DataFusion makes a list of the one text, or refuses the cast. So are casts of other values
//! to types with members that not every text is a value of, `UUID[]` or `STRUCT<a VARCHAR(2)>`, which Arrow's types do not
//! tell from TEXT: the name of a cast's field, which means nothing else, spells such a type.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, new_empty_array, new_null_array};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field};
use datafusion::common::Result;
use datafusion::logical_expr::ColumnarValue;

use super::bytes::is_text;
use super::function::Conversion;
use super::shown::{shortened, text_at};
use super::stored::stored_type;
use super::text::values_of_texts;
use crate::datum::SqlType;
use crate::error::Error;
use crate::row::as_stored;

/// The field of a cast to a type with members that not every text is a value of; `None` for every other type.
pub fn checked_field(sql_type: &SqlType) -> Option<Field> {
    if !sql_type.is_nested() || !is_checked(sql_type) {
        return None;
    }
    let name = serde_json::to_string(sql_type).ok()?;
    Some(Field::new(name, sql_type.arrow(), true))
}

fn is_checked(sql_type: &SqlType) -> bool {
    let is_bounded = matches!(sql_type, SqlType::Varchar(_) | SqlType::Char(_));
    let is_special = matches!(sql_type, SqlType::Uuid | SqlType::Json);
    is_bounded || is_special || sql_type.members().into_iter().any(is_checked)
}

/// The type that such a field spells.
fn spelt_type(field: &Field) -> Option<SqlType> {
    match field.name().as_str() {
        "" => None,
        name => serde_json::from_str(name).ok(),
    }
}

/// The cast.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct NestedOfValues {
    sql_type: SqlType,
    /// The type of the cast, which has the session's time zone, say.
    target: DataType,
    /// Whether NULL is given for what cannot be read.
    is_lenient: bool,
}

impl Conversion for NestedOfValues {
    fn name(&self) -> &str {
        "read_nested"
    }

    fn target(&self) -> DataType {
        self.target.clone()
    }

    fn convert(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let read = if self.is_lenient {
            self.those_that_are(values)?
        } else {
            self.all(values)?
        };
        Ok(cast(&read, &self.target)?)
    }
}

impl NestedOfValues {
    /// The cast of values of a type to that of a field; `None` where a cast may take them as they are.
    pub fn of(from: &DataType, field: &Field, is_lenient: bool) -> Option<Self> {
        let sql_type = match spelt_type(field) {
            Some(spelt) => spelt,
            None if is_text(from) => stored_type(field.data_type()).ok()?,
            None => return None,
        };
        Some(Self {
            sql_type,
            target: field.data_type().clone(),
            is_lenient,
        })
    }

    /// # Errors
    /// The first value that is none of the type.
    fn all(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let read = if is_text(values.data_type()) {
            let texts = cast(values, &DataType::Utf8)?;
            let given = |row| texts.is_valid(row);
            values_of_texts(&self.sql_type, texts.as_string(), given).map_err(|row| {
                self.wrong(
                    values,
                    row,
                    "it is no JSON of such values, as [1, 2] or {\"a\": 1}",
                )
            })?
        } else {
            let given = ColumnarValue::Array(Arc::clone(values));
            let cast = given.cast_to(&self.sql_type.arrow(), None)?;
            cast.into_array(values.len())?
        };
        let stored = as_stored(&read, &self.sql_type).map_err(|refused| match refused.row {
            Some(row) => self.wrong(values, row, refused.error.message()),
            None => refused.error,
        });
        Ok(stored?)
    }

    /// The values, NULL for those that are none of the type.
    fn those_that_are(&self, values: &ArrayRef) -> Result<ArrayRef> {
        let arrow = self.sql_type.arrow();
        let read = (0..values.len()).map(|row| {
            let read = self.all(&values.slice(row, 1));
            read.unwrap_or_else(|_| new_null_array(&arrow, 1))
        });
        let read: Vec<ArrayRef> = read.collect();
        let read: Vec<&dyn Array> = read.iter().map(AsRef::as_ref).collect();
        if read.is_empty() {
            Ok(new_empty_array(&arrow))
        } else {
            Ok(concat(&read)?)
        }
    }

    fn wrong(&self, values: &ArrayRef, row: usize, reason: &str) -> Error {
        let (text, sql_type) = (shortened(&text_at(values, row)), &self.sql_type);
        Error::invalid(format!("'{text}' cannot be read as {sql_type}: {reason}"))
    }
}

#[cfg(test)]
#[path = "nested_tests.rs"]
mod tests;
