//! Values as errors show them.

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// At most so many characters of a value are shown.
const SHOWN_CHARACTERS: usize = 60;

/// A text as far as it is shown.
pub fn shortened(text: &str) -> String {
    let cut = text.char_indices().nth(SHOWN_CHARACTERS);
    match cut.and_then(|(end, _)| text.get(..end)) {
        Some(kept) => format!("{kept}…"),
        None => text.to_owned(),
    }
}

/// A value as text.
pub fn text_at(values: &ArrayRef, row: usize) -> String {
    let options = FormatOptions::new().with_null("NULL");
    match ArrayFormatter::try_new(values, &options) {
        Ok(formatter) => formatter.value(row).to_string(),
        Err(error) => error.to_string(),
    }
}

/// A value, text in quotes, and cut where it is long.
pub fn shown(values: &ArrayRef, row: usize) -> String {
    let text = shortened(&text_at(values, row));
    if values.data_type().is_numeric() || *values.data_type() == DataType::Boolean {
        text
    } else {
        format!("'{}'", text.escape_debug())
    }
}

pub fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
