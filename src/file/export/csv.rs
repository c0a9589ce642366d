//! CSV files, as `COPY … FROM` reads them back.
//!
//! | value | without NULL option | NULL 'NA' |
//! |---|---|---|
//! | NULL | an empty field | `NA` |
//! | the text '' | `""` | an empty field in quotes, which is '' |
//! | the text 'NA' | `NA` | refused: it would be read as NULL |
//!
//! A LIST, STRUCT or MAP is a JSON text. A field is quoted where it holds the delimiter, a quote or a line break, and where it is empty without being NULL.

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::Sheet;
use super::json::with_texts_of_nested;
use super::output::{Output, failed};
use super::text::{NoText, columns, end_line, push_field};
use crate::error::{Error, Result};
use crate::write::copy::{CopyOptions, delimiter_byte};

pub(super) struct Csv {
    output: Output,
    delimiter: char,
    null: Option<String>,
    names: Vec<String>,
}

impl Csv {
    pub(super) fn begin(
        options: &CopyOptions,
        schema: &SchemaRef,
        mut output: Output,
    ) -> Result<Self> {
        let delimiter = char::from(delimiter_byte(options, output.path())?);
        let names: Vec<String> = schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        if options.header == Some(true) {
            let mut line = String::new();
            names
                .iter()
                .for_each(|name| push_field(&mut line, name, delimiter));
            end_line(&mut line);
            write(&mut output, &line)?;
        }
        Ok(Self {
            output,
            delimiter,
            null: options.null.clone(),
            names,
        })
    }

    fn push_null(&self, line: &mut String) -> Result<(), String> {
        match self.null.as_deref().unwrap_or_default() {
            // The only field of a line: the line would be empty, and no row.
            "" if self.names.len() == 1 => Err(
                "is NULL, which alone on a line is no row: say NULL '…' with a text for it"
                    .to_owned(),
            ),
            "" => {
                line.push(self.delimiter);
                Ok(())
            }
            null => {
                push_field(line, null, self.delimiter);
                Ok(())
            }
        }
    }

    fn push_text(&self, line: &mut String, text: &str) -> Result<(), String> {
        if self.null.as_deref() == Some(text) {
            return Err(format!(
                "holds '{}', which would be read as NULL: say NULL '…' with another text",
                text.escape_debug()
            ));
        }
        push_field(line, text, self.delimiter);
        Ok(())
    }
}

impl Sheet for Csv {
    fn batch(&mut self, batch: &RecordBatch, first: u64) -> Result<()> {
        let unreadable =
            |error: std::io::Error| Error::invalid(error.to_string()).with_source(error);
        let flat = with_texts_of_nested(batch);
        let flat = flat.map_err(|error| Error::invalid(error.to_string()).with_source(error))?;
        let columns = columns(&flat, NoText::Refused).map_err(unreadable)?;
        let (mut line, mut text) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            line.clear();
            for (column, name) in columns.iter().zip(&self.names) {
                let place = || format!("row {}: column `{name}`", first + row as u64);
                let read = column.read(row, &mut text);
                let is_some = read.map_err(|error| unreadable(error).context(place()))?;
                let pushed = if is_some {
                    self.push_text(&mut line, &text)
                } else {
                    self.push_null(&mut line)
                };
                pushed.map_err(|problem| Error::invalid(format!("{} {problem}", place())))?;
            }
            end_line(&mut line);
            write(&mut self.output, &line)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        Ok(self.output)
    }
}

fn write(output: &mut Output, line: &str) -> Result<()> {
    let written = output.write_all(line.as_bytes());
    written.map_err(|error| failed(output.path(), error))
}
