//! Values as text: the one spelling that all formats but JSON share.
//!
//! Timestamps and dates are ISO 8601, decimals exact, floating point the shortest text that reads back as the same
//! number, BYTEA `\x` and hex digits. NULL is no text at all; each format has its own sign for it.

use std::fmt::Write;
use std::io;

use arrow::array::RecordBatch;
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, TimeUnit};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::super::text::printable;

/// What becomes of a value that has no text, such as a date beyond the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoText {
    /// The reason is shown in its place: for people.
    Shown,
    /// The result ends with an error: for programs, which would take the reason for a value.
    Refused,
}

/// One column of a batch as text.
pub struct Column<'a> {
    formatter: ArrayFormatter<'a>,
    nulls: Option<NullBuffer>,
    bytes: bool,
}

impl Column<'_> {
    /// Puts the value of a row into `text`, and says whether there is one; for NULL, `text` is empty.
    ///
    /// # Errors
    /// A value without text, if [`NoText::Refused`].
    pub fn read(&self, row: usize, text: &mut String) -> io::Result<bool> {
        text.clear();
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(false);
        }
        if self.bytes {
            text.push_str("\\x");
        }
        let value = self.formatter.value(row);
        // `Display` obeys what was said of values without text; its error says no reason, so the value is asked again.
        if write!(text, "{value}").is_err() {
            text.clear();
            value.write(text).map_err(io_error)?;
        }
        Ok(true)
    }
}

/// The columns of a batch as text.
///
/// # Errors
/// A type that cannot be shown.
pub fn columns(batch: &RecordBatch, no_text: NoText) -> io::Result<Vec<Column<'_>>> {
    let options = FormatOptions::new().with_display_error(no_text == NoText::Shown);
    let mut columns = Vec::with_capacity(batch.num_columns());
    for array in batch.columns() {
        columns.push(Column {
            formatter: ArrayFormatter::try_new(array, &options).map_err(io_error)?,
            nulls: array.logical_nulls(),
            bytes: is_bytes(array.data_type()),
        });
    }
    Ok(columns)
}

fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, value) => is_bytes(value),
        _ => false,
    }
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

/// The writer's own error where there is one, so that a closed pipe is still known as one.
pub fn io_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
