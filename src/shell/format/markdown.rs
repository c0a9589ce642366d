//! A Markdown table, to paste into a document.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::super::text::printable;
use super::cells::{NoText, columns, spelt};
use super::{Format, Page, Sheet};

/// A Markdown table.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn doc(&self) -> &'static str {
        "a Markdown table"
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        let (mut names, mut rule) = ("|".to_owned(), "|".to_owned());
        for field in schema.fields() {
            push_cell(&mut names, &printable(field.name()));
            let right = field.data_type().is_numeric();
            rule.push_str(if right { " ---: |" } else { " --- |" });
        }
        writeln!(out, "{names}\n{rule}")?;
        Ok(Box::new(MarkdownSheet {
            out,
            null: page.sign_of_null(),
        }))
    }
}

struct MarkdownSheet<'a> {
    out: &'a mut dyn Write,
    null: Arc<str>,
}

impl Sheet for MarkdownSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = columns(batch, NoText::Shown)?;
        let (mut line, mut text) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            line.clear();
            line.push('|');
            for column in &columns {
                let present = column.read(row, &mut text)?;
                push_cell(&mut line, &spelt(present.then_some(&text), &self.null));
            }
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Appends a cell; what would end it or break its line is written so that Markdown shows it.
fn push_cell(line: &mut String, text: &str) {
    let text = text.replace('|', "\\|").replace('\n', "<br>");
    line.push(' ');
    line.push_str(&text);
    line.push_str(" |");
}
