//! Entries → record batches.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};

use super::failure::Failure;
use super::families::of_family;
use super::restored::KeyColumns;
use super::stored::{Located, locate};
use crate::error::{Error, Result};
use crate::schema::{BoundTable, FamilySet};
use crate::store::Chunk;

/// Reads rows of one table out of chunks of entries.
#[derive(Debug, Clone)]
pub struct RowReader {
    table: Arc<BoundTable>,
}

impl RowReader {
    /// The reader of a table's rows.
    pub fn new(table: Arc<BoundTable>) -> Self {
        Self { table }
    }

    /// The table.
    pub fn table(&self) -> &Arc<BoundTable> {
        &self.table
    }

    /// The rows of a chunk, of which nothing is decoded yet.
    pub fn open<'a>(&'a self, chunk: &'a Chunk) -> Entries<'a> {
        Entries {
            table: &self.table,
            chunk,
            located: Vec::new(),
        }
    }

    /// The `columns` (positions in the table) of a chunk's rows, or of the rows in `selection` (indexes of rows, in
    /// the order in which they are wanted). No columns: a batch that has only a number of rows.
    ///
    /// # Errors
    /// `Corrupt`, naming table, row key and column, where the entries are no rows of the table.
    pub fn read(
        &self,
        chunk: &Chunk,
        columns: &[usize],
        selection: Option<&[u32]>,
    ) -> Result<RecordBatch> {
        self.open(chunk).read(columns, selection)
    }
}

/// Who takes rows out of chunks of entries.
pub trait ReadRows: fmt::Debug + Send + Sync {
    /// The rows of a chunk, of which nothing is decoded yet.
    fn open_rows<'a>(&'a self, chunk: &'a Chunk) -> Box<dyn Rows + 'a>;
}

impl ReadRows for RowReader {
    fn open_rows<'a>(&'a self, chunk: &'a Chunk) -> Box<dyn Rows + 'a> {
        Box::new(self.open(chunk))
    }
}

/// Rows of a table in the form in which a store gave them. Columns can be decoded in several steps: those of a filter first,
/// the others for the rows that are left.
///
/// It is all that a scan knows of that form, so that another one can hand out its columns as they lie there.
pub trait Rows {
    /// The table.
    fn table(&self) -> &Arc<BoundTable>;

    /// How many rows there are.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row key of the row at this place; empty where there is none.
    fn key(&self, row: usize) -> Cow<'_, [u8]>;

    /// The arrays of [`RowReader::read`], without a batch around them.
    ///
    /// # Errors
    /// As [`RowReader::read`].
    fn columns(&mut self, columns: &[usize], selection: Option<&[u32]>) -> Result<Vec<ArrayRef>>;

    /// As [`RowReader::read`].
    fn read(&mut self, columns: &[usize], selection: Option<&[u32]>) -> Result<RecordBatch> {
        let arrays = self.columns(columns, selection)?;
        let schema = self.table().full_schema().project(columns);
        let schema = schema.map_err(|error| {
            Error::internal("a projection of columns that are not there").with_source(error)
        })?;
        let options = RecordBatchOptions::new()
            .with_row_count(Some(selection.map_or(self.len(), <[u32]>::len)));
        RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options).map_err(|error| {
            Error::internal("decoded columns do not make a batch").with_source(error)
        })
    }
}

/// Rows that are an entry each.
#[derive(Debug)]
pub struct Entries<'a> {
    table: &'a Arc<BoundTable>,
    chunk: &'a Chunk,
    /// By family, worked out when the first column that is stored in it is wanted.
    located: Vec<Option<Located<'a>>>,
}

impl Rows for Entries<'_> {
    fn table(&self) -> &Arc<BoundTable> {
        self.table
    }

    fn len(&self) -> usize {
        self.chunk.len()
    }

    fn key(&self, row: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.chunk.get(row).map_or(&[], |(key, _)| key))
    }

    fn columns(&mut self, columns: &[usize], selection: Option<&[u32]>) -> Result<Vec<ArrayRef>> {
        let (table, chunk) = (self.table, self.chunk);
        let decoded = self.decode(columns, selection);
        decoded.map_err(|error| match error {
            Failure::Row(index, reason) => corrupt_row(table, chunk, index, &reason),
            Failure::Whole(error) => error.context(format!("table `{}`", table.name())),
        })
    }
}

impl Entries<'_> {
    fn decode(
        &mut self,
        columns: &[usize],
        selection: Option<&[u32]>,
    ) -> Result<Vec<ArrayRef>, Failure> {
        let keys = KeyColumns::decode(self.table, self.chunk, columns, selection)?;
        let decoded: Vec<Option<ArrayRef>> =
            columns.iter().map(|column| keys.get(*column)).collect();
        if decoded.iter().all(Option::is_some) {
            return Ok(decoded.into_iter().flatten().collect());
        }
        let wanted = columns.iter().zip(&decoded);
        let wanted = wanted.filter(|(_, decoded)| decoded.is_none());
        let mut families = FamilySet::default();
        for (position, _) in wanted {
            families = families.with(self.table.family(*position));
        }
        let count = self.table.family_count();
        self.located.resize_with(count, || None);
        let mut selected = vec![None; count];
        for (family, (located, selected)) in self.located.iter_mut().zip(&mut selected).enumerate()
        {
            if !families.has(family) {
                continue;
            }
            let located = match located.take() {
                Some(known) => located.insert(known),
                None => located.insert(locate_family(self.chunk, family, count)?),
            };
            *selected = selection
                .map(|selection| located.select(selection))
                .transpose()?;
        }
        let columns = columns.iter().zip(decoded);
        columns
            .map(|(position, decoded)| match decoded {
                Some(array) => Ok(array),
                None => {
                    let family = self.table.family(*position);
                    let located = self.located.get(family).and_then(Option::as_ref);
                    let located =
                        located.ok_or_else(|| Failure::internal("a family that is not located"))?;
                    let selected = selected.get(family).and_then(Option::as_deref);
                    let rows = selected.unwrap_or(&located.rows);
                    located.decode(self.table.column(*position)?, rows)
                }
            })
            .collect()
    }
}

/// The values of a chunk's rows in a family, of so many.
fn locate_family(chunk: &Chunk, family: usize, count: usize) -> Result<Located<'_>, Failure> {
    match count {
        1 => locate(chunk.values().map(Some)),
        _ => locate(chunk.values().map(|value| of_family(value, family))),
    }
}

fn corrupt_row(table: &BoundTable, chunk: &Chunk, index: usize, reason: &str) -> Error {
    let key = chunk.get(index).map_or(&[][..], |(key, _)| key);
    let readable = table.row_key().readable(key);
    Error::corrupt(format!(
        "table `{}`, row {readable}: {reason}",
        table.name()
    ))
}
