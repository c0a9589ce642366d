//! `line`: a line for each value, for rows that are too wide to stand side by side.
//!
//! Values are whole, however long. On a terminal a long result shows its head and its tail, as a box does.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::super::style::{Colors, Role};
use super::super::text::{counted, fit, grouped, width};
use super::cells::heading;
use super::ends::{Ends, Row};
use super::{Format, Page, Sheet};

/// A line for each value.
pub struct Line;

impl Format for Line {
    fn name(&self) -> &'static str {
        "line"
    }

    fn doc(&self) -> &'static str {
        "a line for each value; \\x changes between this and box"
    }

    fn for_people(&self) -> bool {
        true
    }

    fn sheet<'a>(
        &self,
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
    ) -> io::Result<Box<dyn Sheet + 'a>> {
        let names = schema.fields().iter().map(|field| heading(field));
        Ok(Box::new(LineSheet {
            out,
            names: names.collect(),
            rows: Ends::new(&page),
            colors: page.colors,
        }))
    }
}

/// The rows of a result, and what they are written with.
pub struct LineSheet<'a> {
    /// Where to.
    pub out: &'a mut dyn Write,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Ends,
    /// Colours of the output.
    pub colors: Colors,
}

impl Sheet for LineSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.add(batch)?;
        // Where all are shown, they are as they come.
        if self.rows.are_all() {
            self.draw_held()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let rows = std::mem::replace(&mut self.rows, Ends::new(&Page::default()));
        for (number, row) in (1..).zip(rows.head()) {
            self.row(number, row)?;
        }
        if rows.hidden() > 0 {
            let hidden = format!("· {} not shown", counted(rows.hidden(), "row"));
            writeln!(self.out, "{}", self.colors.paint(Role::Quiet, &hidden))?;
        }
        let first_of_tail = rows.count() - rows.tail().len() as u64 + 1;
        for (number, row) in (first_of_tail..).zip(rows.tail()) {
            self.row(number, row)?;
        }
        writeln!(self.out, "{}", rows.footer())
    }
}

impl LineSheet<'_> {
    /// Draws the rows that are held.
    pub fn draw_held(&mut self) -> io::Result<()> {
        let rows = self.rows.take();
        let first = self.rows.count() - rows.len() as u64 + 1;
        for (number, row) in (first..).zip(&rows) {
            self.row(number, row)?;
        }
        Ok(())
    }

    fn row(&mut self, number: u64, row: &Row) -> io::Result<()> {
        let widest = self.names.iter().map(|name| width(name)).max().unwrap_or(0);
        let title = format!("─ row {} ", grouped(number));
        let rule = "─".repeat((widest + 3).saturating_sub(width(&title)));
        let title = self.colors.paint(Role::Quiet, (title + &rule).trim_end());
        writeln!(self.out, "{title}")?;
        for (name, cell) in self.names.iter().zip(row) {
            let mut name = fit(name, widest, false);
            for line in cell.text.split('\n') {
                let heading = self.colors.paint(Role::Heading, &name);
                let value = if cell.absent {
                    self.colors.paint(Role::Absent, line)
                } else {
                    line.to_owned()
                };
                writeln!(self.out, "{heading} │ {value}")?;
                name = " ".repeat(widest);
            }
        }
        Ok(())
    }
}
