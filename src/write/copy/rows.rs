//! Files as rows of a query.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::arrow_file::ArrowFile;
use super::csv::CsvFile;
use super::files::{self, SourceFile};
use super::guess::{delimiter_of, header, places_of, shape_of};
use super::options::FileFormat;
use super::shape::{ColumnTypes, Shape};
use super::{CopyOptions, Progress};
use crate::error::{Error, Result};

/// Files that are read one by one, from their beginning.
pub trait FileRows: fmt::Debug + Send + Sync {
    /// How many files there are.
    fn files(&self) -> usize;

    /// The columns.
    fn schema(&self) -> SchemaRef;

    /// Reads these columns of a file, by their places, as long as `wanted` says of the rows that it was given that it
    /// wants more.
    ///
    /// # Errors
    /// `InvalidInput` that names the file and the line.
    fn read(
        &self,
        file: usize,
        columns: &[usize],
        wanted: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()>;
}

/// The rows of CSV files: columns by the first line, types by the first rows. A row behind them that cannot be read so is an
/// error that names its line.
#[derive(Debug)]
pub struct CsvRows {
    files: Vec<SourceFile>,
    options: CopyOptions,
    has_header: bool,
    shape: Shape,
}

impl CsvRows {
    /// The rows of the files that a pattern names. The first line names the columns, unless `HEADER` is false.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such file or it is no CSV, and for a type of a column that it does not have.
    pub fn open(pattern: &str, mut options: CopyOptions, types: &ColumnTypes) -> Result<Self> {
        options.format = Some(FileFormat::Csv);
        let has_header = options.header.take().unwrap_or(true);
        let files = files::find(pattern, &options)?;
        let Some(first) = files.first() else {
            return Err(Error::invalid(format!("no file matches `{pattern}`")));
        };
        if options.delimiter.is_none() {
            options.delimiter = Some(delimiter_of(first)?);
        }
        let shape = shape_of(&files, &options, has_header, types)?;
        Ok(Self {
            files,
            options,
            has_header,
            shape,
        })
    }
}

impl FileRows for CsvRows {
    fn files(&self) -> usize {
        self.files.len()
    }

    fn schema(&self) -> SchemaRef {
        let columns = self.shape.columns.iter();
        let fields = columns.map(|(name, sql_type)| Field::new(name, sql_type.arrow(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    fn read(
        &self,
        file: usize,
        columns: &[usize],
        wanted: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let Some(source) = self.files.get(file) else {
            return Ok(());
        };
        let all: Vec<usize> = (0..self.shape.columns.len()).collect();
        let progress = Progress::default();
        let mut file = CsvFile::open(&self.shape, source, &self.options, &all, &progress)?;
        if self.has_header {
            let names = header(&mut file, source)?;
            let known = self.shape.columns.iter().map(|(name, _)| name);
            file.order_by(places_of(&names, known, source)?);
        }
        file.choose(columns);
        while let Some(batch) = file.next_batch()? {
            if !wanted(batch.rows) {
                break;
            }
        }
        Ok(())
    }
}

/// The rows of Arrow files, of which all have the columns of the first.
#[derive(Debug)]
pub struct ArrowRows {
    files: Vec<SourceFile>,
    schema: SchemaRef,
}

impl ArrowRows {
    /// The rows of the files that a pattern names.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such file, or the first is none of Arrow's.
    pub fn open(pattern: &str) -> Result<Self> {
        let options = CopyOptions {
            format: Some(FileFormat::Arrow),
            ..CopyOptions::default()
        };
        let files = files::find(pattern, &options)?;
        let Some(first) = files.first() else {
            return Err(Error::invalid(format!("no file matches `{pattern}`")));
        };
        let schema = ArrowFile::open(first, &Progress::default())?.schema();
        Ok(Self { files, schema })
    }
}

impl FileRows for ArrowRows {
    fn files(&self) -> usize {
        self.files.len()
    }

    fn schema(&self) -> SchemaRef {
        // Whatever one file says, another one may have NULLs.
        let fields = self.schema.fields().iter();
        let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    fn read(
        &self,
        file: usize,
        columns: &[usize],
        wanted: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let Some(source) = self.files.get(file) else {
            return Ok(());
        };
        let mut file = ArrowFile::open(source, &Progress::default())?;
        let (found, expected) = (file.schema(), self.schema());
        let is_alike = |(found, expected): (&Arc<Field>, &Arc<Field>)| {
            found.name() == expected.name() && found.data_type() == expected.data_type()
        };
        let mut pairs = found.fields().iter().zip(expected.fields());
        if found.fields().len() != expected.fields().len() || !pairs.all(is_alike) {
            return Err(Error::invalid(format!(
                "`{source}` has other columns than the first file"
            )));
        }
        let fields = columns
            .iter()
            .filter_map(|place| expected.fields().get(*place).cloned());
        let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        while let Some(batch) = file.next_batch()? {
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let columns = columns
                .iter()
                .filter_map(|place| batch.columns().get(*place).cloned());
            let schema = Arc::clone(&schema);
            let rows = RecordBatch::try_new_with_options(schema, columns.collect(), &options);
            let rows =
                rows.map_err(|error| Error::internal("columns of a file").with_source(error))?;
            if !wanted(rows) {
                break;
            }
        }
        Ok(())
    }
}
