//! The records of a file: those of CSV, or PostgreSQL's text format.

use std::io::{self, BufRead};

use ::csv::{ByteRecord, Reader};

use super::lines::{Lines, Stray};
use super::text_rows::TextRows;

/// The records of a file that is being read.
pub(super) enum Records {
    Csv(Box<Reader<Lines<Box<dyn BufRead + Send>>>>),
    Text(TextRows),
}

impl Records {
    /// Reads the next record; false behind the last.
    pub(super) fn read(&mut self, record: &mut ByteRecord) -> io::Result<bool> {
        match self {
            Self::Csv(reader) => reader.read_byte_record(record).map_err(reason),
            Self::Text(rows) => rows.read(record),
        }
    }

    /// The line on which the record starts that was read; asked once for each.
    pub(super) fn line(&mut self) -> u64 {
        match self {
            Self::Csv(reader) => reader.get_mut().next_start(),
            Self::Text(rows) => rows.line(),
        }
    }

    /// The first byte of the record which no field may have.
    pub(super) fn stray(&mut self) -> Option<Stray> {
        match self {
            Self::Csv(reader) => reader.get_mut().stray(),
            Self::Text(_) => None,
        }
    }

    /// The line of a quote that is open at the end of the file.
    pub(super) fn open_quote(&self) -> Option<u64> {
        match self {
            Self::Csv(reader) => reader.get_ref().open_quote(),
            Self::Text(_) => None,
        }
    }

    /// Whether an empty field of the record is a text and not NULL; asked for its fields from left to right.
    pub(super) fn is_empty_text(&mut self, place: usize) -> bool {
        match self {
            Self::Csv(reader) => reader.get_mut().is_quoted_empty(place),
            Self::Text(rows) => rows.is_text(place),
        }
    }
}

/// What was wrong with the bytes beneath the reader, which knows nothing else to be wrong.
fn reason(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
