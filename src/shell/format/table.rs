//! `box`: a table drawn for people.
//!
//! Types stand under names, numbers on the right, NULL is spelt out. On a terminal a long result shows its head and its
//! tail, wide cells are cut, and where even that does not fit, columns in the middle are left out; the line below says
//! how many there are of each. Elsewhere nothing is left out. A query plan is text of many long lines and is printed as
//! such.

use std::collections::VecDeque;
use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::super::text::{counted, grouped, printable};
use super::cells::{Column, NoText, columns, type_name};
use super::drawing::{Drawing, Heading, Row, layout, natural_widths};
use super::{Format, Page, Sheet};

/// A table drawn with lines.
pub struct Table;

impl Format for Table {
    fn name(&self) -> &'static str {
        "box"
    }

    fn doc(&self) -> &'static str {
        "a table for people, fitted to the terminal (the default there)"
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
        if is_plan(&schema) {
            return Ok(Box::new(PlanSheet { out }));
        }
        Ok(Box::new(TableSheet {
            out,
            headings: schema.fields().iter().map(|field| heading(field)).collect(),
            room: page.width.unwrap_or(usize::MAX),
            rows: Ends::new(page.rows.unwrap_or(usize::MAX)),
        }))
    }
}

fn heading(field: &Field) -> Heading {
    Heading {
        name: printable(field.name()).replace('\n', "\\n"),
        type_name: type_name(field.data_type()),
        right: field.data_type().is_numeric(),
    }
}

/// The first and the last rows of a result, as many as are shown, and how many there are.
struct Ends {
    head_limit: usize,
    tail_limit: usize,
    head: Vec<Row>,
    tail: VecDeque<Row>,
    count: u64,
}

impl Ends {
    fn new(limit: usize) -> Self {
        Self {
            head_limit: limit - limit / 2,
            tail_limit: limit / 2,
            head: Vec::new(),
            tail: VecDeque::new(),
            count: 0,
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = columns(batch, NoText::Shown)?;
        let rows = batch.num_rows();
        self.count += rows as u64;
        let for_head = rows.min(self.head_limit - self.head.len());
        for row in 0..for_head {
            self.head.push(read_row(&columns, row)?);
        }
        // Only a batch's last rows can stay in the tail; the others need no text.
        for row in for_head.max(rows.saturating_sub(self.tail_limit))..rows {
            if self.tail.len() == self.tail_limit {
                self.tail.pop_front();
            }
            self.tail.push_back(read_row(&columns, row)?);
        }
        Ok(())
    }

    fn shown(&self) -> impl Iterator<Item = &Row> {
        self.head.iter().chain(&self.tail)
    }

    /// The rows that are not shown.
    fn hidden(&self) -> u64 {
        self.count - (self.head.len() + self.tail.len()) as u64
    }
}

fn read_row(columns: &[Column<'_>], row: usize) -> io::Result<Row> {
    let mut cells = Vec::with_capacity(columns.len());
    for column in columns {
        let mut text = String::new();
        let present = column.read(row, &mut text)?;
        cells.push(if present {
            printable(&text)
        } else {
            "NULL".to_owned()
        });
    }
    Ok(cells)
}

struct TableSheet<'a> {
    out: &'a mut dyn Write,
    headings: Vec<Heading>,
    room: usize,
    rows: Ends,
}

impl Sheet for TableSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.add(batch)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let natural = natural_widths(&self.headings, self.rows.shown());
        let mut drawing = Drawing {
            slots: layout(&natural, self.room),
            headings: &self.headings,
            out: self.out,
        };
        drawing.head()?;
        for row in &self.rows.head {
            drawing.row(row)?;
        }
        if self.rows.hidden() > 0 {
            drawing.gap()?;
        }
        for row in &self.rows.tail {
            drawing.row(row)?;
        }
        drawing.end()?;
        let columns = drawing.slots.iter().filter(|slot| slot.column.is_some());
        let footer = footer(&self.rows, self.headings.len(), columns.count());
        writeln!(drawing.out, "{footer}")
    }
}

/// `336,776 rows (40 shown), 19 columns (8 shown)`; of the columns only where some are left out.
fn footer(rows: &Ends, columns: usize, shown_columns: usize) -> String {
    let mut footer = counted(rows.count, "row");
    if rows.hidden() > 0 {
        let shown = grouped(rows.count - rows.hidden());
        footer.push_str(&format!(" ({shown} shown)"));
    }
    if shown_columns < columns {
        footer.push_str(&format!(", {columns} columns ({shown_columns} shown)"));
    }
    footer
}

/// Whether this is what EXPLAIN returns.
fn is_plan(schema: &Schema) -> bool {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    names.eq(["plan_type", "plan"])
}

/// Prints plans: the kind of plan on a line, the plan below it.
struct PlanSheet<'a> {
    out: &'a mut dyn Write,
}

impl Sheet for PlanSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = columns(batch, NoText::Shown)?;
        for row in 0..batch.num_rows() {
            if let [kind, plan] = read_row(&columns, row)?.as_slice() {
                writeln!(self.out, "{kind}:\n{}", plan.trim_end())?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
