//! Files as rows of a query.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::arrow_file::ArrowFile;
use super::csv::CsvFile;
use super::files::{self, SourceFile};
use super::guess::{self, delimiter_of, header, places_of};
use super::json::{JsonFile, Others};
use super::json_guess;
use super::options::FileFormat;
use super::shape::{ColumnTypes, Shape};
use super::{CopyOptions, Progress};
use crate::error::{Error, Result};

/// Files that are read one by one, from their beginning.
pub trait FileRows: fmt::Debug + Send + Sync {
    /// How many files there are.
    fn files(&self) -> usize;

    /// What a file is called.
    fn name(&self, file: usize) -> String;

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
    /// Whether columns are those that were given, in their order, whatever a header says.
    is_given: bool,
    shape: Shape,
}

impl CsvRows {
    /// The rows of the files that patterns name. The first line names the columns, unless `HEADER` is false or the types
    /// say that it is a row.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such file or it is no CSV, and for a type of a column that it does not have.
    pub fn open(
        patterns: &[String],
        mut options: CopyOptions,
        types: &ColumnTypes,
    ) -> Result<Self> {
        options.format = Some(FileFormat::Csv);
        let (files, first) = found(patterns, &options)?;
        if options.delimiter.is_none() {
            options.delimiter = Some(delimiter_of(&first, &options)?);
        }
        let (shape, has_header) = guess::shape_of(&files, &options, types)?;
        Ok(Self {
            files,
            options,
            has_header,
            is_given: types.columns.is_some(),
            shape,
        })
    }
}

impl FileRows for CsvRows {
    fn files(&self) -> usize {
        self.files.len()
    }

    fn name(&self, file: usize) -> String {
        name_of(&self.files, file)
    }

    fn schema(&self) -> SchemaRef {
        schema_of(&self.shape)
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
            if !self.is_given {
                let known = self.shape.columns.iter().map(|column| &column.name);
                file.order_by(places_of(&names, known, source)?);
            }
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

/// The rows of JSON files: columns and types by the first objects. One behind them that cannot be read so, or that names
/// another column, is an error that names its line.
#[derive(Debug)]
pub struct JsonRows {
    files: Vec<SourceFile>,
    options: CopyOptions,
    /// Whether names that are no columns' are nobody's concern.
    is_given: bool,
    shape: Shape,
}

impl JsonRows {
    /// The rows of the files that patterns name.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such file or it is no JSON, and for a type of a column that it does not have.
    pub fn open(
        patterns: &[String],
        mut options: CopyOptions,
        types: &ColumnTypes,
    ) -> Result<Self> {
        options.format = Some(FileFormat::JsonLines);
        let (files, _) = found(patterns, &options)?;
        Ok(Self {
            shape: json_guess::shape_of(&files, &options, types)?,
            files,
            options,
            is_given: types.columns.is_some(),
        })
    }

    /// What is done about a name that no column has, where so many of the columns are read. Whoever reads some of them loses
    /// nothing by it.
    fn others(&self, read: usize) -> Others {
        #[cfg(test)]
        if crate::fault::active(crate::fault::Fault::LateNamePassed) {
            return Others::Passed;
        }
        if self.is_given || read < self.shape.columns.len() {
            Others::Passed
        } else {
            Others::New
        }
    }
}

impl FileRows for JsonRows {
    fn files(&self) -> usize {
        self.files.len()
    }

    fn name(&self, file: usize) -> String {
        name_of(&self.files, file)
    }

    fn schema(&self) -> SchemaRef {
        schema_of(&self.shape)
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
        let mut file = JsonFile::open(&self.shape, source, &self.options, &all, &progress)?;
        file.choose(columns, self.others(columns.len()));
        while let Some((rows, _)) = file.next_batch()? {
            if !wanted(rows) {
                break;
            }
        }
        Ok(())
    }
}

/// The files that patterns name, and the first.
fn found(patterns: &[String], options: &CopyOptions) -> Result<(Vec<SourceFile>, SourceFile)> {
    let files = files::find_all(patterns, options)?;
    match files.first().cloned() {
        Some(first) => Ok((files, first)),
        None => Err(Error::invalid(format!(
            "no file matches `{}`",
            patterns.join("`, `")
        ))),
    }
}

fn name_of(files: &[SourceFile], file: usize) -> String {
    files.get(file).map(ToString::to_string).unwrap_or_default()
}

fn schema_of(shape: &Shape) -> SchemaRef {
    let columns = shape.columns.iter();
    let fields = columns.map(|column| Field::new(&column.name, column.sql_type.arrow(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Files with a last column of their names.
#[derive(Debug)]
pub struct NamedRows<R>(pub R);

/// What the column of names is called.
const NAME: &str = "filename";

impl<R: FileRows> NamedRows<R> {
    /// The rows with the column.
    ///
    /// # Errors
    /// `InvalidInput` where the files have a column of that name.
    pub fn new(rows: R) -> Result<Self> {
        match rows.schema().column_with_name(NAME) {
            None => Ok(Self(rows)),
            Some(_) => Err(Error::invalid(format!(
                "`{}` has a column `{NAME}` itself: leave out filename => true",
                rows.name(0)
            ))),
        }
    }
}

impl<R: FileRows> FileRows for NamedRows<R> {
    fn files(&self) -> usize {
        self.0.files()
    }

    fn name(&self, file: usize) -> String {
        self.0.name(file)
    }

    fn schema(&self) -> SchemaRef {
        let inner = self.0.schema();
        let mut fields: Vec<Arc<Field>> = inner.fields().iter().cloned().collect();
        fields.push(Arc::new(Field::new(NAME, DataType::Utf8, true)));
        Arc::new(Schema::new(fields))
    }

    fn read(
        &self,
        file: usize,
        columns: &[usize],
        wanted: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let wrong = |error: ArrowError| Error::internal("rows with their file").with_source(error);
        let (name, schema) = (self.0.name(file), self.schema().project(columns));
        let schema = Arc::new(schema.map_err(wrong)?);
        let place = self.0.schema().fields().len();
        let inner: Vec<usize> = columns.iter().copied().filter(|it| *it != place).collect();
        let mut failed = None;
        self.0.read(file, &inner, &mut |rows| {
            let mut arrays: Vec<ArrayRef> = rows.columns().to_vec();
            let names = vec![name.as_str(); rows.num_rows()];
            for (at, _) in columns.iter().enumerate().filter(|(_, it)| **it == place) {
                arrays.insert(at, Arc::new(StringArray::from(names.clone())));
            }
            let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
            match RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options) {
                Ok(rows) => wanted(rows),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        })?;
        failed.map_or(Ok(()), |error| Err(wrong(error)))
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

    fn name(&self, file: usize) -> String {
        name_of(&self.files, file)
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
