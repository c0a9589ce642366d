//! Output formats. Each is one struct that implements [`Format`]; [`FORMATS`] lists them, and the program's arguments,
//! the shell's help and the tests walk that list.
//!
//! A result is written to a [`Sheet`], batch by batch, so that only `box` on a terminal, which must know its widths,
//! holds rows back, and of these only the ones it shows.

mod cells;
mod delimited;
mod drawing;
mod ends;
mod insert;
mod json;
mod key_ranges;
mod line;
mod markdown;
mod table;

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::style::Colors;

pub use self::cells::type_name;

/// What a format is told of where a result goes: the room that it has, to which only formats for people keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Columns of the terminal; `None`: as wide as need be.
    pub width: Option<usize>,
    /// The most rows to show; `None`: all.
    pub rows: Option<usize>,
    /// Colours of the output.
    pub colors: Colors,
    /// Whether what is wider than the terminal, or longer, is read in a pager: then nothing is cut or left out.
    pub is_paged: bool,
    /// The table that statements are about, where results are statements.
    pub table: Option<Arc<str>>,
    /// What stands for NULL, where it is not the format's own sign.
    pub null: Option<Arc<str>>,
    /// Whether key ranges are drawn with their bytes.
    pub shows_bytes: bool,
}

impl Page {
    /// What people see for NULL.
    fn sign_of_null(&self) -> Arc<str> {
        self.null.clone().unwrap_or_else(|| Arc::from("NULL"))
    }
}

/// An output format.
pub trait Format: Sync {
    /// The name that `--format` and `.mode` take.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn doc(&self) -> &'static str;

    /// Whether the format is read by people, who also want to see what a statement without rows did.
    fn for_people(&self) -> bool {
        false
    }

    /// Whether results are statements about a table, which [`Page::table`] names.
    fn names_a_table(&self) -> bool {
        false
    }

    /// Begins a result with these columns. Whoever calls it writes every batch and then finishes the sheet, also where
    /// there are no rows: an empty result has a heading, too.
    ///
    /// # Errors
    /// Those of `out`, as they are; a caller tells a closed pipe by [`io::ErrorKind::BrokenPipe`].
    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>>;
}

/// A result that is being written.
pub trait Sheet {
    /// Writes the rows of a batch, whose schema is the one that the sheet was begun with.
    ///
    /// # Errors
    /// Those of the writer, and values that have no text, such as a date beyond the calendar.
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes what comes after the last row.
    ///
    /// # Errors
    /// Those of the writer.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Every output format; the first is the default on a terminal.
pub static FORMATS: &[&dyn Format] = &[
    &table::Table,
    &delimited::CSV,
    &delimited::TSV,
    &json::Json,
    &json::JsonLines,
    &markdown::Markdown,
    &line::Line,
    &insert::Insert,
    &table::Auto,
];

/// The format of that name.
pub fn named(name: &str) -> Option<&'static dyn Format> {
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| format.name() == name)
}

/// The format when none is asked for: the first of the list on a terminal, else CSV.
pub fn default_format(terminal: bool) -> &'static dyn Format {
    if terminal {
        &table::Table
    } else {
        &delimited::CSV
    }
}
#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
