//! `insert`: a statement for each row, which Halite reads back as the same values.
//!
//! The rows go into the table that [`Page::table`] names, else into one called `table`. A DOUBLE has an exponent, since
//! a number without one is a DECIMAL, and a REAL is written as the DOUBLE that it is. Dates and timestamps are texts,
//! which each column reads in its own unit, and so are the doubles that are no numbers; BYTEA is hex digits, and a LIST,
//! STRUCT or MAP the text of its JSON. Of columns
//! with the same name the second is called `name_2`, so that no statement names one column twice.

use std::fmt::Write as _;
use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};

use super::cells::{NoText, columns, io_error};
use super::{Format, Page, Sheet};
use crate::datum::{identifier, is_bytes};
use crate::file::export::json::with_texts_of_nested;
use crate::file::export::with_distinct_names;

/// The table that rows go into where none is named.
const TABLE: &str = "table";

/// An INSERT for each row.
pub struct Insert;

impl Format for Insert {
    fn name(&self) -> &'static str {
        "insert"
    }

    fn doc(&self) -> &'static str {
        "an INSERT for each row; .mode insert TABLE names the table"
    }

    fn names_a_table(&self) -> bool {
        true
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        let table = page.table.as_deref().unwrap_or(TABLE);
        let named = with_distinct_names(&schema);
        let names = named.fields().iter();
        let names: Vec<_> = names.map(|field| identifier(field.name())).collect();
        let fields = schema.fields().iter();
        Ok(Box::new(InsertSheet {
            out,
            beginning: format!(
                "INSERT INTO {} ({}) VALUES (",
                identifier(table),
                names.join(", ")
            ),
            spellings: fields
                .map(|field| Spelling::of(field.data_type()))
                .collect(),
        }))
    }
}

/// How SQL spells the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As they are: whole numbers, decimals, truth values.
    Bare,
    /// With an exponent.
    Double,
    /// With an exponent and as many digits as the DOUBLE of the same value has.
    Real,
    /// As hex digits.
    Bytes,
    /// In quotes.
    Text,
}

impl Spelling {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Dictionary(_, value) => Self::of(value),
            DataType::Float64 => Self::Double,
            DataType::Float16 | DataType::Float32 => Self::Real,
            DataType::Boolean => Self::Bare,
            number if number.is_numeric() => Self::Bare,
            bytes if is_bytes(bytes) => Self::Bytes,
            _ => Self::Text,
        }
    }

    /// Appends a value that is not NULL.
    fn push(self, line: &mut String, text: &str) {
        let number = match self {
            Self::Bare => return line.push_str(text),
            Self::Bytes => return push_bytes(line, text),
            Self::Text => None,
            Self::Double => text.parse().ok(),
            Self::Real => text.parse::<f32>().ok().map(f64::from),
        };
        let written = match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => write!(line, "{number:e}"),
            None => write!(line, "'{}'", text.replace('\'', "''")),
        };
        debug_assert!(written.is_ok(), "a text takes whatever is written");
    }
}

/// `\x00ff` as `X'00ff'`.
fn push_bytes(line: &mut String, text: &str) {
    line.push_str("X'");
    line.push_str(text.trim_start_matches("\\x"));
    line.push('\'');
}

struct InsertSheet<'a> {
    out: &'a mut dyn Write,
    /// All of a statement up to its values.
    beginning: String,
    spellings: Vec<Spelling>,
}

impl Sheet for InsertSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let flat = with_texts_of_nested(batch).map_err(io_error)?;
        let columns = columns(&flat, NoText::Refused)?;
        let (mut line, mut text) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            line.clear();
            line.push_str(&self.beginning);
            for (place, (column, spelling)) in columns.iter().zip(&self.spellings).enumerate() {
                if place > 0 {
                    line.push_str(", ");
                }
                if column.read(row, &mut text)? {
                    spelling.push(&mut line, &text)
                } else {
                    line.push_str("NULL")
                }
            }
            line.push_str(");\n");
            self.out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "insert_tests.rs"]
mod tests;
