//! Columns of text, a value at a time without a copy in between.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder};

use crate::error::{Error, Result};

/// A column of TEXT of what `write` appends for each value; NULL stays NULL.
///
/// # Errors
/// `Internal` where the column is not of text.
pub(super) fn map_texts(array: &ArrayRef, write: impl Fn(&str, &mut String)) -> Result<ArrayRef> {
    let texts = array
        .as_string_opt::<i32>()
        .ok_or_else(|| Error::internal(format!("a column of {} for text", array.data_type())))?;
    let mut mapped = StringBuilder::with_capacity(texts.len(), texts.values().len());
    let mut text = String::new();
    for value in texts {
        match value {
            Some(value) => {
                text.clear();
                write(value, &mut text);
                mapped.append_value(&text);
            }
            None => mapped.append_null(),
        }
    }
    Ok(Arc::new(mapped.finish()))
}
