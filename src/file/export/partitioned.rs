//! `COPY … TO 'sales' (PARTITION_BY (year))`: a directory of Parquet files, one for each value of the columns, which is
//! there when all of them are complete.
//!
//! The rows of 2024 are in `sales/year=2024/rows.parquet`, without the column; `FROM 'sales/'` reads them with it. The
//! directory is made under another name beside its own, which it takes at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;

use super::output::{Output, failed};
use super::parquet::Parquet;
use super::{Message, Sheet, Target};
use crate::error::{Error, Result};
use crate::file::partitions::OF_NULL;
use crate::store::check_outside;

/// How many partitions may be written at once: each holds a file open, and some of its rows.
const MOST_PARTITIONS: usize = 256;
/// How many bytes of rows each of them holds.
const ROW_GROUP_BYTES: usize = 2 << 20;

/// The directory that is being written.
struct Directory<'a> {
    target: &'a Target,
    /// Where it is made; removed if it does not come to its end.
    made_in: TempDir,
    /// The places of the columns that the names of directories say.
    columns: Vec<usize>,
    /// The places of all others.
    others: Vec<usize>,
    sheets: BTreeMap<String, Sheets>,
}

/// The rows of one partition.
struct Sheets {
    sheet: Parquet,
    rows: u64,
}

/// Writes the rows, and returns their number.
///
/// # Errors
/// As [`write`](super::write); `InvalidInput` for columns that are not there, or whose values make no names.
pub(super) fn write_all(
    target: &Target,
    schema: &SchemaRef,
    mut batches: Receiver<Message>,
) -> Result<u64> {
    let mut directory = Directory::new(target, schema)?;
    let mut count = 0;
    loop {
        match batches.blocking_recv() {
            Some(Message::Batch(batch)) => {
                directory.add(&batch, count)?;
                count += batch.num_rows() as u64;
            }
            Some(Message::End) => break,
            None => return Err(Error::unavailable("the statement was cancelled")),
        }
    }
    directory.complete()?;
    Ok(count)
}

impl<'a> Directory<'a> {
    fn new(target: &'a Target, schema: &SchemaRef) -> Result<Self> {
        let path = target.path.as_path();
        check_outside(path)?;
        refuse_other(path)?;
        let mut columns = Vec::new();
        for name in &target.partition_by {
            let column = schema.index_of(name).map_err(|_| {
                Error::invalid(format!(
                    "PARTITION_BY: there is no column `{name}` to write"
                ))
            })?;
            if encoded(name) != *name {
                return Err(Error::unsupported(format!(
                    "PARTITION_BY: `{name}` is no name of directories; write AS with letters, digits and _"
                )));
            }
            let data_type = schema.field(column).data_type();
            if !is_name(data_type) {
                return Err(Error::unsupported(format!(
                    "PARTITION_BY: values of column `{name}` of type {data_type} are no names of directories; write \
                     COPY (SELECT …, CAST({name} AS TEXT) AS {name} …) TO …"
                )));
            }
            if columns.contains(&column) {
                return Err(Error::invalid(format!(
                    "PARTITION_BY: `{name}` is named twice"
                )));
            }
            columns.push(column);
        }
        let others: Vec<usize> = (0..schema.fields().len())
            .filter(|place| !columns.contains(place))
            .collect();
        if others.is_empty() {
            return Err(Error::invalid(
                "PARTITION_BY: no column is left for the files themselves",
            ));
        }
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let made_in = tempfile::Builder::new()
            .prefix(".halite-")
            .tempdir_in(parent.unwrap_or(Path::new(".")))
            .map_err(|error| failed(path, error))?;
        fs::create_dir(made_in.path().join("rows")).map_err(|error| failed(path, error))?;
        Ok(Self {
            target,
            made_in,
            columns,
            others,
            sheets: BTreeMap::new(),
        })
    }

    fn add(&mut self, batch: &RecordBatch, before: u64) -> Result<()> {
        let names = self.names(batch, before)?;
        let mut rows: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (row, name) in (0..).zip(names) {
            rows.entry(name).or_default().push(row);
        }
        let internal = |error| Error::internal("rows of a query as a batch").with_source(error);
        let others = batch.project(&self.others).map_err(internal)?;
        for (name, rows) in rows {
            let rows = take_record_batch(&others, &UInt32Array::from(rows)).map_err(internal)?;
            let sheets = self.sheets(name, &rows.schema())?;
            sheets.sheet.batch(&rows, sheets.rows + 1)?;
            sheets.rows += rows.num_rows() as u64;
        }
        Ok(())
    }

    /// For each row the name of its directory, from the outermost on.
    fn names(&self, batch: &RecordBatch, before: u64) -> Result<Vec<String>> {
        let mut names = vec![String::new(); batch.num_rows()];
        for (column, name) in self.columns.iter().zip(&self.target.partition_by) {
            let Some(values) = batch.columns().get(*column) else {
                return Err(Error::internal("a column that is not there"));
            };
            for (row, directory) in names.iter_mut().enumerate() {
                if !directory.is_empty() {
                    directory.push('/');
                }
                let value = value_at(values, row)?;
                if value.as_deref() == Some(OF_NULL) {
                    let row = before + row as u64 + 1;
                    return Err(Error::invalid(format!(
                        "row {row}: column `{name}` holds '{OF_NULL}', which would be read as NULL"
                    )));
                }
                let value = value.as_deref().map_or(OF_NULL.to_owned(), encoded);
                let _ = write!(directory, "{name}={value}");
            }
        }
        Ok(names)
    }

    fn sheets(&mut self, name: String, schema: &SchemaRef) -> Result<&mut Sheets> {
        let count = self.sheets.len();
        match self.sheets.entry(name) {
            std::collections::btree_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::btree_map::Entry::Vacant(_) if count >= MOST_PARTITIONS => {
                Err(Error::unsupported(format!(
                    "PARTITION_BY makes more than {MOST_PARTITIONS} directories; write them by several statements"
                )))
            }
            std::collections::btree_map::Entry::Vacant(new) => {
                let path = self.target.path.as_path();
                let directory = self.made_in.path().join("rows").join(new.key());
                let file = fs::create_dir_all(&directory)
                    .and_then(|()| File::create(directory.join("rows.parquet")))
                    .map_err(|error| failed(path, error))?;
                let output = Output::new(file, path, self.target.kind)?;
                let compression = self.target.kind.compression;
                let sheet = Parquet::begin(schema, compression, output)?;
                Ok(new.insert(Sheets {
                    sheet: sheet.with_row_groups_of(ROW_GROUP_BYTES),
                    rows: 0,
                }))
            }
        }
    }

    /// The directory takes its name.
    fn complete(self) -> Result<()> {
        let path = self.target.path.as_path();
        let unwritable = |error: io::Error| failed(path, error);
        let rows = self.made_in.path().join("rows");
        for (name, sheets) in self.sheets {
            let file = Box::new(sheets.sheet).finish()?.finish()?;
            file.sync_all().map_err(unwritable)?;
            File::open(rows.join(name))
                .and_then(|directory| directory.sync_all())
                .map_err(unwritable)?;
        }
        refuse_other(path)?;
        fs::rename(&rows, path).map_err(unwritable)
    }
}

/// What is there stays, but for an empty directory.
fn refuse_other(path: &Path) -> Result<()> {
    let is_free = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "`{}` is there already: PARTITION_BY writes a new directory; remove it, or name another",
            path.display()
        )))
    }
}

fn is_name(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Boolean
                | DataType::Date32
        )
}

fn value_at(values: &ArrayRef, row: usize) -> Result<Option<String>> {
    if values.is_null(row) {
        return Ok(None);
    }
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(values, &options)?;
    Ok(Some(formatter.value(row).to_string()))
}

/// The text as a part of the name of a directory: what might mean something else stands as `%2F`.
fn encoded(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                name.push(char::from(byte));
            }
            other => {
                let _ = write!(name, "%{other:02X}");
            }
        }
    }
    name
}
