//! CSV and TSV: a heading, one line per row.
//!
//! A field is quoted where it holds the delimiter, a quote or a line break, and where it is an empty text: NULL is the
//! empty field without quotes, so the two differ, and `COPY … FROM` reads back what was written. Where another sign was
//! chosen for NULL, a text that looks like it is quoted.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::cells::{NoText, columns};
use super::{Format, Page, Sheet};
use crate::file::export::text::{end_line, push_field};

/// A format of delimited fields.
pub struct Delimited {
    name: &'static str,
    doc: &'static str,
    delimiter: char,
}

/// Comma-separated values.
pub static CSV: Delimited = Delimited {
    name: "csv",
    doc: "comma-separated values with a heading (the default where output is no terminal)",
    delimiter: ',',
};

/// Tab-separated values.
pub static TSV: Delimited = Delimited {
    name: "tsv",
    doc: "tab-separated values with a heading, quoted as in CSV",
    delimiter: '\t',
};

impl Format for Delimited {
    fn name(&self) -> &'static str {
        self.name
    }

    fn doc(&self) -> &'static str {
        self.doc
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        let mut line = String::new();
        for field in schema.fields() {
            push_field(&mut line, field.name(), self.delimiter);
        }
        end_line(&mut line);
        out.write_all(line.as_bytes())?;
        Ok(Box::new(DelimitedSheet {
            out,
            delimiter: self.delimiter,
            null: page.null,
        }))
    }
}

struct DelimitedSheet<'a> {
    out: &'a mut dyn Write,
    delimiter: char,
    /// What stands for NULL, if anything does.
    null: Option<Arc<str>>,
}

impl Sheet for DelimitedSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = columns(batch, NoText::Refused)?;
        let (mut line, mut text) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            line.clear();
            for column in &columns {
                match (column.read(row, &mut text)?, self.null.as_deref()) {
                    (true, Some(null)) if text == null => {
                        push_quoted(&mut line, &text, self.delimiter)
                    }
                    (true, _) => push_field(&mut line, &text, self.delimiter),
                    (false, None | Some("")) => line.push(self.delimiter),
                    (false, Some(null)) => push_field(&mut line, null, self.delimiter),
                }
            }
            end_line(&mut line);
            self.out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Appends a field that stands in quotes, although nothing in it asks for them.
fn push_quoted(line: &mut String, text: &str, delimiter: char) {
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
    line.push(delimiter);
}
