//! Key ranges, as `EXPLAIN KEYS` gives them, drawn so that they fit a terminal.
//!
//! What is NULL or an empty text in all rows, and the bounds as bytes, are left out of the drawing; `.hex on` draws the bytes, and every
//! other format has all columns. What is still evaluated on rows is long and the same for all ranges of a table: where it
//! makes the box too wide it stands below, once, and where that is not enough both bounds stand in one column. They are
//! there to be read and pasted, and are not cut: where even they do not fit, each has a line.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::cells::io_error;
use super::ends::{Row, read_rows};
use super::{Format, Page, Sheet};

/// The bounds for people.
const BOUNDS: [&str; 2] = ["start", "stop"];
/// The bounds as bytes.
const BYTES: [&str; 2] = ["start_hex", "stop_hex"];
/// What may stand below the box.
const BELOW: [&str; 3] = ["table", "alias", "residual"];

/// Whether this is what `EXPLAIN KEYS` returns.
pub fn are(schema: &Schema) -> bool {
    let mut bounds = BOUNDS.iter().chain(&BYTES);
    bounds.all(|name| schema.column_with_name(name).is_some())
}

/// Draws the rows of `EXPLAIN KEYS`, which come all at once.
pub struct KeyRangeSheet<'a> {
    schema: SchemaRef,
    page: Page,
    rows: Vec<RecordBatch>,
    /// A box, or lines where it would be too wide.
    drawn: &'static dyn Format,
    out: &'a mut dyn Write,
}

impl<'a> KeyRangeSheet<'a> {
    /// Begins the drawing, which is made by a format that draws boxes, or lines where a box would be too wide.
    pub fn begin(
        schema: SchemaRef,
        page: Page,
        out: &'a mut dyn Write,
        drawn: &'static dyn Format,
    ) -> Self {
        Self {
            schema,
            page,
            rows: Vec::new(),
            drawn,
            out,
        }
    }

    /// The columns that are drawn.
    fn shown(&self, rows: &RecordBatch) -> io::Result<RecordBatch> {
        let is_shown = |position: &usize| {
            let name = self.schema.field(*position).name().as_str();
            let is_unwanted = BYTES.contains(&name) && !self.page.shows_bytes;
            let column = rows.columns().get(*position);
            let is_absent = column.is_some_and(says_nothing);
            !is_unwanted && (!is_absent || rows.num_rows() == 0)
        };
        let columns: Vec<usize> = (0..rows.num_columns()).filter(is_shown).collect();
        rows.project(&columns).map_err(io_error)
    }

    fn draw(&mut self, rows: &RecordBatch) -> io::Result<()> {
        let mut sheet = self
            .drawn
            .sheet(rows.schema(), self.page.clone(), self.out)?;
        sheet.batch(rows)?;
        sheet.finish()
    }

    /// Whether a box of these rows is no wider than the page.
    fn fits(&self, rows: &RecordBatch) -> io::Result<bool> {
        let mut text = Vec::new();
        let mut sheet = self
            .drawn
            .sheet(rows.schema(), self.page.clone(), &mut text)?;
        sheet.batch(rows)?;
        sheet.finish()?;
        Ok(text.starts_with("┌".as_bytes()))
    }
}

impl Sheet for KeyRangeSheet<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows.push(batch.clone());
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let rows = concat_batches(&self.schema, &self.rows).map_err(io_error)?;
        let shown = self.shown(&rows)?;
        if self.fits(&shown)? {
            return self.draw(&shown);
        }
        let narrow = without(&shown, &["residual"])?;
        // A bound that says nothing in any row is not there.
        let has_both = BOUNDS
            .iter()
            .all(|name| narrow.column_by_name(name).is_some());
        let stacked = has_both.then(|| stacked(&narrow)).transpose()?;
        for narrower in std::iter::once(narrow).chain(stacked) {
            if self.fits(&narrower)? {
                self.draw(&narrower)?;
                return residuals(&rows)?
                    .iter()
                    .try_for_each(|line| writeln!(self.out, "{line}"));
            }
        }
        self.draw(&shown)
    }
}

/// Whether all values are NULL or empty texts.
fn says_nothing(column: &ArrayRef) -> bool {
    match column.as_any().downcast_ref::<StringArray>() {
        Some(texts) => texts.iter().all(|text| text.is_none_or(str::is_empty)),
        None => column.null_count() == column.len(),
    }
}

/// The rows without some columns.
fn without(rows: &RecordBatch, names: &[&str]) -> io::Result<RecordBatch> {
    let schema = rows.schema();
    let is_kept = |position: &usize| !names.contains(&schema.field(*position).name().as_str());
    let others: Vec<usize> = (0..rows.num_columns()).filter(is_kept).collect();
    rows.project(&others).map_err(io_error)
}

/// The rows with each range in one column, its bounds one below the other; one bound, where both are the same.
fn stacked(rows: &RecordBatch) -> io::Result<RecordBatch> {
    let bounds = read_rows(&chosen(rows, &BOUNDS)?, 0..rows.num_rows(), "")?;
    let stacked = |bounds: &Row| match bounds.as_slice() {
        [start, stop] if start.text == stop.text || stop.text.is_empty() => start.text.clone(),
        [start, stop] => format!("{}\n{}", start.text, stop.text),
        _ => String::new(),
    };
    let ranges: StringArray = bounds.iter().map(|bounds| Some(stacked(bounds))).collect();
    let others = without(rows, &BOUNDS)?;
    let mut fields = others.schema().fields().to_vec();
    fields.push(Arc::new(Field::new("range", DataType::Utf8, true)));
    let mut columns = others.columns().to_vec();
    columns.push(Arc::new(ranges));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(io_error)
}

/// The columns with these names.
fn chosen(rows: &RecordBatch, names: &[&str]) -> io::Result<RecordBatch> {
    let schema = rows.schema();
    let positions = names.iter().map(|name| schema.index_of(name));
    let positions = positions.collect::<Result<Vec<_>, _>>().map_err(io_error)?;
    rows.project(&positions).map_err(io_error)
}

/// What is still evaluated on the rows of each table; of a table whose ranges are tight nothing is.
fn residuals(rows: &RecordBatch) -> io::Result<BTreeSet<String>> {
    let rows = chosen(rows, &BELOW)?;
    let mut lines = BTreeSet::new();
    let is_none = |name, place| {
        let texts = rows.column_by_name(name);
        texts.is_none_or(|texts| says_nothing(&texts.slice(place, 1)))
    };
    for (place, row) in (0..).zip(read_rows(&rows, 0..rows.num_rows(), "")?) {
        if let [table, alias, residual] = row.as_slice()
            && !is_none("residual", place)
        {
            let alias = if is_none("alias", place) {
                String::new()
            } else {
                format!(" AS {}", alias.text)
            };
            lines.insert(format!(
                "on rows of {}{alias}: {}",
                table.text, residual.text
            ));
        }
    }
    Ok(lines)
}
