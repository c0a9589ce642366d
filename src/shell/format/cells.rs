//! Values as text, as files have them, and types as headings.

use arrow::datatypes::Field;

use super::super::text::printable;
pub use crate::datum::type_name;
pub use crate::file::export::text::{NoText, columns, io_error};

/// The name of a column as a heading: safe to print, on one line.
pub fn heading(field: &Field) -> String {
    printable(field.name()).replace('\n', "\\n")
}

/// A value as people see it, safe to print. For NULL stands `null`; a text that would look the same stands in quotes, as
/// SQL writes it.
pub fn spelt(value: Option<&str>, null: &str) -> String {
    match value {
        None => printable(null),
        Some(text) if text.trim_matches('\'') == null => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Some(text) => printable(text),
    }
}
