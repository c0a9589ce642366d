//! Values as text: the one spelling that every format but JSON shares, in files and in the shell.
//!
//! Timestamps and dates are ISO 8601, decimals exact, floating point the shortest text that reads back as the same
//! number, BYTEA `\x` and hex digits. NULL is no text at all; each format has its own sign for it. Inside of a list, a
//! struct or a map it is `NULL`.

use std::fmt::Write;
use std::io;

use arrow::array::RecordBatch;
use arrow::buffer::NullBuffer;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::datum::is_bytes;

/// At the start of a file it would be taken for the mark of its encoding; in quotes it is not.
const BYTE_ORDER_MARK: char = '\u{feff}';

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
    /// A value without text, if [`NoText::Refused`]: [`io::ErrorKind::InvalidData`].
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
/// A type that cannot be shown: [`io::ErrorKind::InvalidData`].
pub fn columns(batch: &RecordBatch, no_text: NoText) -> io::Result<Vec<Column<'_>>> {
    let options = FormatOptions::new().with_null("NULL");
    let options = options.with_display_error(no_text == NoText::Shown);
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

/// Appends a field of delimited text and a delimiter behind it. An empty text is `""`, so that it differs from NULL.
pub fn push_field(line: &mut String, text: &str, delimiter: char) {
    let special =
        |letter: char| letter == delimiter || matches!(letter, '"' | '\n' | '\r' | BYTE_ORDER_MARK);
    if text.is_empty() || text.contains(special) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
    line.push(delimiter);
}

/// Makes the last delimiter of a line its end.
pub fn end_line(line: &mut String) {
    line.pop();
    line.push('\n');
}

/// The writer's own error where there is one, so that a closed pipe is still known as one; else the error is about a
/// value, and of the kind [`io::ErrorKind::InvalidData`], which no writer gives.
pub fn io_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
