//! Data sets in any size, drawn from a seed: the classic row-key layouts need rows to show what they are good for.
//!
//! A data set is one struct that implements [`Generator`], and stands in [`GENERATORS`]. The law of all of them: rows
//! depend on the seed alone, and the first rows of a larger data set are the rows of a smaller one, so that what a query
//! finds on the first day it finds in any size. Rows come in the order in which they would be written.

mod barrage;
mod clock;
mod column;
mod event;
mod mailbox;
mod order_state;
mod phone_call;
mod random;
mod series;
mod server_log;

use std::fs::File;
use std::iter::repeat_with;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::errors::ParquetError;

use self::column::Column;
use crate::error::{Error, Result};

/// The seed of the sample database.
pub const SEED: u64 = 1;

/// Rows of a batch; the last may have less.
const BATCH_ROWS: usize = 8192;

/// A data set that can be made in any size.
pub trait Generator: Sync {
    /// Its name, and that of its file: `event`.
    fn name(&self) -> &'static str;

    /// The data set that its tables are layouts of: its name, but for rows that come in two shapes.
    fn data_set(&self) -> &'static str {
        self.name()
    }

    /// What a row is, in a few words.
    fn about(&self) -> &'static str;

    /// The size that the sample database has.
    fn default_size(&self) -> usize {
        100_000
    }

    /// How many rows a data set of a size has: as many, if a row holds one value of what the size counts.
    fn rows(&self, size: usize) -> usize {
        size
    }

    /// Its columns, in Arrow's types.
    fn schema(&self) -> SchemaRef;

    /// The endless rows of a seed.
    fn source(&self, seed: u64) -> Box<dyn Source>;
}

/// Rows without end.
pub trait Source: Send {
    /// The next rows, as many as are asked for, in columns of the data set's schema.
    ///
    /// # Errors
    /// `Internal` where Arrow refuses the columns.
    fn take(&mut self, rows: usize) -> Result<RecordBatch>;
}

/// A source that draws row by row.
trait Rows: Send {
    /// All that the columns need of a row.
    type Row: 'static;

    /// The data set's columns.
    const COLUMNS: &'static [Column<Self::Row>];

    /// The next row.
    fn next(&mut self) -> Self::Row;
}

impl<R: Rows> Source for R {
    fn take(&mut self, rows: usize) -> Result<RecordBatch> {
        let rows: Vec<R::Row> = repeat_with(|| self.next()).take(rows).collect();
        column::batch(R::COLUMNS, &rows)
    }
}

/// Every data set, by name.
pub static GENERATORS: &[&dyn Generator] = &[
    &barrage::Barrage,
    &event::Event,
    &mailbox::Mailbox,
    &order_state::OrderState,
    &phone_call::PhoneCall,
    &series::Tall,
    &series::Wide,
    &server_log::ServerLog,
];

/// The data set of a name.
pub fn generator(name: &str) -> Option<&'static dyn Generator> {
    let mut all = GENERATORS.iter().copied();
    all.find(|generator| generator.name() == name)
}

/// The size that a data set has in the sample database; `None` where it is no generated one.
pub fn default_size(data_set: &str) -> Option<usize> {
    let mut all = GENERATORS.iter();
    let found = all.find(|generator| generator.data_set() == data_set)?;
    Some(found.default_size())
}

/// A data set of this size, batch by batch.
pub fn batches(
    generator: &dyn Generator,
    size: usize,
    seed: u64,
) -> impl Iterator<Item = Result<RecordBatch>> {
    let mut source = generator.source(seed);
    let mut left = generator.rows(size);
    std::iter::from_fn(move || {
        let rows = left.min(BATCH_ROWS);
        left -= rows;
        (rows > 0).then(|| source.take(rows))
    })
}

/// Writes a data set of this size to a Parquet file. Returns how many rows it has.
///
/// # Errors
/// `Unavailable` where the file cannot be written.
pub fn write_parquet(
    generator: &dyn Generator,
    size: usize,
    seed: u64,
    path: &Path,
) -> Result<usize> {
    let unwritten = || format!("cannot write {}", path.display());
    let failed = |error: ParquetError| Error::unavailable(unwritten()).with_source(error);
    let file =
        File::create(path).map_err(|error| Error::unavailable(unwritten()).with_source(error))?;
    let mut writer = ArrowWriter::try_new(file, generator.schema(), None).map_err(failed)?;
    for batch in batches(generator, size, seed) {
        writer.write(&batch?).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(generator.rows(size))
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
