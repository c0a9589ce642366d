//! `box`: a table drawn for people.
//!
//! Types stand under names, numbers on the right, NULL is spelt out. On a terminal a long result shows its head and its
//! tail, wide cells are cut, and where even that does not fit, columns in the middle are left out; the line below says
//! how many there are of each. Elsewhere nothing is left out. A query plan is text of many long lines and is printed as
//! such. Key ranges have a drawing of their own, in [`key_ranges`](super::key_ranges).

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::super::style::Colors;
use super::cells::{self, type_name};
use super::drawing::{Drawing, Heading, Slot, layout, whole_width, widths};
use super::ends::{Ends, read_rows};
use super::key_ranges::{self, KeyRangeSheet};
use super::line::LineSheet;
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
        if key_ranges::are(&schema) {
            return Ok(Box::new(KeyRangeSheet::begin(schema, page, out, &Auto)));
        }
        Ok(Box::new(TableSheet::begin(&schema, page, out)))
    }
}

/// A table where it fits the terminal whole, else a line for each value.
pub struct Auto;

impl Format for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn doc(&self) -> &'static str {
        "box, or line where a row is wider than the terminal"
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
            return Table.sheet(schema, page, out);
        }
        let table = TableSheet::begin(&schema, page, out);
        Ok(Box::new(AutoSheet::Table(table)))
    }
}

enum AutoSheet<'a> {
    Table(TableSheet<'a>),
    Lines(LineSheet<'a>),
    /// While it turns from one into the other.
    Neither,
}

impl AutoSheet<'_> {
    /// Makes lines of a table that does not fit, once enough rows are known.
    fn settle(&mut self) {
        *self = match std::mem::replace(self, Self::Neither) {
            // Of one column, lines would show no more than a table does.
            Self::Table(table) if !table.fits() && table.headings.len() > 1 => {
                Self::Lines(table.into_lines())
            }
            settled => settled,
        };
    }
}

impl Sheet for AutoSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        if let Self::Table(table) = self {
            table.rows.add(batch)?;
            if !table.is_due() {
                return Ok(());
            }
            self.settle();
            return match self {
                Self::Table(table) => table.draw_held(),
                Self::Lines(lines) => lines.draw_held(),
                Self::Neither => Ok(()),
            };
        }
        match self {
            Self::Lines(lines) => lines.batch(batch),
            Self::Table(_) | Self::Neither => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.settle();
        match *self {
            Self::Table(table) => Box::new(table).finish(),
            Self::Lines(lines) => Box::new(lines).finish(),
            Self::Neither => Ok(()),
        }
    }
}

fn heading(field: &Field) -> Heading {
    Heading {
        name: cells::heading(field),
        type_name: type_name(field.data_type()),
        right: field.data_type().is_numeric(),
        whole: field.data_type().is_numeric() || field.data_type().is_temporal(),
    }
}

struct TableSheet<'a> {
    out: &'a mut dyn Write,
    headings: Vec<Heading>,
    /// The columns of the terminal.
    room: usize,
    /// Whether what is wider is cut.
    cuts: bool,
    rows: Ends,
    colors: Colors,
    /// The columns, once rows are drawn as they come.
    slots: Option<Vec<Slot>>,
}

impl<'a> TableSheet<'a> {
    fn begin(schema: &Schema, page: Page, out: &'a mut dyn Write) -> Self {
        Self {
            out,
            headings: schema.fields().iter().map(|field| heading(field)).collect(),
            room: page.width.unwrap_or(usize::MAX),
            cuts: page.width.is_some() && !page.is_paged,
            rows: Ends::new(&page),
            colors: page.colors,
            slots: None,
        }
    }

    /// Whether the rows that are held are to be drawn.
    fn is_due(&self) -> bool {
        self.slots.is_some() || self.rows.are_enough()
    }

    fn into_lines(self) -> LineSheet<'a> {
        let names = self.headings.into_iter().map(|heading| heading.name);
        LineSheet {
            out: self.out,
            names: names.collect(),
            rows: self.rows,
            colors: self.colors,
        }
    }

    /// The columns as wide as the rows need that are held.
    fn layout(&self) -> Vec<Slot> {
        let room = if self.cuts { self.room } else { usize::MAX };
        layout(&widths(&self.headings, self.rows.shown()), room)
    }

    fn drawing(&mut self, slots: Vec<Slot>) -> Drawing<'_> {
        Drawing {
            slots,
            headings: &self.headings,
            colors: self.colors,
            cuts: self.cuts,
            out: self.out,
        }
    }

    /// Draws the rows that are held, below the headings if these are not drawn.
    fn draw_held(&mut self) -> io::Result<()> {
        let is_first = self.slots.is_none();
        let slots = self.slots.take().unwrap_or_else(|| self.layout());
        let rows = self.rows.take();
        let mut drawing = self.drawing(slots.clone());
        if is_first {
            drawing.head()?;
        }
        for row in &rows {
            drawing.row(row)?;
        }
        self.slots = Some(slots);
        Ok(())
    }

    /// Whether nothing need be cut.
    fn fits(&self) -> bool {
        self.slots.is_some() || whole_width(&widths(&self.headings, self.rows.shown())) <= self.room
    }
}

impl Sheet for TableSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.add(batch)?;
        if self.is_due() {
            self.draw_held()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.draw_held()?;
        let slots = self.slots.take().unwrap_or_default();
        let rows = std::mem::replace(&mut self.rows, Ends::new(&Page::default()));
        let shown = slots.iter().filter(|slot| slot.column.is_some()).count();
        let footer = footer(&rows, self.headings.len(), shown);
        let mut drawing = self.drawing(slots);
        if rows.hidden() > 0 {
            drawing.gap()?;
        }
        for row in rows.tail() {
            drawing.row(row)?;
        }
        drawing.end()?;
        writeln!(drawing.out, "{footer}")
    }
}

/// `336,776 rows (40 shown), 19 columns (8 shown)`; of the columns only where some are left out.
fn footer(rows: &Ends, columns: usize, shown_columns: usize) -> String {
    let mut footer = rows.footer();
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
        for row in read_rows(batch, 0..batch.num_rows(), "NULL")? {
            if let [kind, plan] = row.as_slice() {
                writeln!(self.out, "{}:\n{}", kind.text, plan.text.trim_end())?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
