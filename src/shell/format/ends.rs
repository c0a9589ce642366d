//! The first and the last rows of a result: what people are shown of a long one.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;

use super::super::text::{counted, grouped};
use super::Page;
use super::cells::{NoText, columns, spelt};

/// A value as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Its text, safe to print; it may have several lines.
    pub text: String,
    /// Whether it is NULL.
    pub absent: bool,
}

/// The cells of a row, one per column.
pub type Row = Vec<Cell>;

/// Where all rows are shown, so many, or of so many bytes, are looked at before the first is drawn: their widths are those
/// of the columns.
const HELD_ROWS: usize = 10_000;
const HELD_BYTES: usize = 4 << 20;

/// The first and the last rows of a result, as many as are shown, and how many there are.
pub struct Ends {
    head_limit: usize,
    tail_limit: usize,
    head: Vec<Row>,
    tail: VecDeque<Row>,
    count: u64,
    /// How many rows were taken out.
    taken: u64,
    /// The bytes of the texts that are held.
    bytes: usize,
    /// What stands for NULL.
    null: Arc<str>,
}

impl Ends {
    /// Keeps as many rows as the page shows.
    pub fn new(page: &Page) -> Self {
        let limit = page.rows.unwrap_or(usize::MAX);
        Self {
            head_limit: limit - limit / 2,
            tail_limit: limit / 2,
            head: Vec::new(),
            tail: VecDeque::new(),
            count: 0,
            taken: 0,
            bytes: 0,
            null: page.sign_of_null(),
        }
    }

    /// Whether all rows are kept, of which there are enough by now: the others can be drawn as they come.
    pub fn are_enough(&self) -> bool {
        self.are_all() && (self.head.len() > HELD_ROWS || self.bytes > HELD_BYTES)
    }

    /// Whether all rows are kept.
    pub fn are_all(&self) -> bool {
        self.head_limit == usize::MAX - usize::MAX / 2
    }

    /// Takes out the rows that are held so far.
    pub fn take(&mut self) -> Vec<Row> {
        self.taken += self.head.len() as u64;
        self.bytes = 0;
        std::mem::take(&mut self.head)
    }

    /// Takes the next rows.
    ///
    /// # Errors
    /// A type that cannot be shown.
    pub fn add(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let rows = batch.num_rows();
        self.count += rows as u64;
        let for_head = rows.min(self.head_limit - self.head.len());
        let read = read_rows(batch, 0..for_head, &self.null)?;
        let cells = read.iter().flatten().map(|cell| cell.text.len());
        self.bytes += cells.sum::<usize>();
        self.head.extend(read);
        // Only a batch's last rows can stay in the tail; the others need no text.
        let for_tail = for_head.max(rows.saturating_sub(self.tail_limit))..rows;
        for row in read_rows(batch, for_tail, &self.null)? {
            if self.tail.len() == self.tail_limit {
                self.tail.pop_front();
            }
            self.tail.push_back(row);
        }
        Ok(())
    }

    /// The first rows.
    pub fn head(&self) -> &[Row] {
        &self.head
    }

    /// The last rows, where there are more than fit into the head.
    pub fn tail(&self) -> &VecDeque<Row> {
        &self.tail
    }

    /// All rows that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        self.head.iter().chain(&self.tail)
    }

    /// The rows between head and tail, which are not shown.
    pub fn hidden(&self) -> u64 {
        self.count - self.taken - (self.head.len() + self.tail.len()) as u64
    }

    /// How many rows there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// `336,776 rows (40 shown)`.
    pub fn footer(&self) -> String {
        let mut footer = counted(self.count, "row");
        if self.hidden() > 0 {
            let shown = grouped(self.count - self.hidden());
            footer.push_str(&format!(" ({shown} shown)"));
        }
        footer
    }
}

/// Some rows of a batch as text, with a sign for NULL.
///
/// # Errors
/// A type that cannot be shown.
pub fn read_rows(batch: &RecordBatch, rows: Range<usize>, null: &str) -> io::Result<Vec<Row>> {
    let columns = columns(batch, NoText::Shown)?;
    let mut read = Vec::with_capacity(rows.len());
    for row in rows {
        let mut cells = Vec::with_capacity(columns.len());
        for column in &columns {
            let mut text = String::new();
            let present = column.read(row, &mut text)?;
            cells.push(Cell {
                text: spelt(present.then_some(&text), null),
                absent: !present,
            });
        }
        read.push(cells);
    }
    Ok(read)
}
