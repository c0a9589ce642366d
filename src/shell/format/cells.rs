//! Values as text, as files have them, and types as headings.

use arrow::datatypes::{DataType, Field, TimeUnit};

use super::super::text::printable;
use crate::session::export::text::is_bytes;
pub use crate::session::export::text::{NoText, columns, io_error};

/// The name of a column as a heading: safe to print, on one line.
pub fn heading(field: &Field) -> String {
    printable(field.name()).replace('\n', "\\n")
}

/// A value as people see it, safe to print. NULL is `NULL`; a text that would look the same stands in quotes, as SQL
/// writes it.
pub fn spelt(value: Option<&str>) -> String {
    match value {
        None => "NULL".to_owned(),
        Some(text) if text.trim_matches('\'') == "NULL" => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Some(text) => printable(text),
    }
}

/// The type as a heading: SQL's name where there is one, in lower case.
pub fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Int16 => "smallint".to_owned(),
        DataType::Int32 => "int".to_owned(),
        DataType::Int64 => "bigint".to_owned(),
        DataType::Float32 => "real".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".to_owned(),
        DataType::Date32 => "date".to_owned(),
        DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
            format!("decimal({precision},{scale})")
        }
        DataType::Timestamp(unit, zone) => {
            let name = if zone.is_some() {
                "timestamptz"
            } else {
                "timestamp"
            };
            format!("{name}({})", digits(unit))
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => {
            format!("{}[]", type_name(item.data_type()))
        }
        DataType::Dictionary(_, value) => type_name(value),
        DataType::Struct(_) => "struct".to_owned(),
        other if is_bytes(other) => "bytea".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

fn digits(unit: &TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}
