//! Results: a stream of batches, rows, and values by name.

use std::iter::FusedIterator;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow::array::Array;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::execution::SendableRecordBatchStream;
use futures::{Stream, StreamExt};

use super::value::{FromValue, Value, shown};
use crate::error::{Error, Result};
use crate::run::memory::Memory;

/// The rows of a query as they are read: a stream of record batches, at the snapshot that the query took.
///
/// Nothing is read before it is polled, and reading ends when it is dropped.
pub struct RowStream {
    rows: SendableRecordBatchStream,
    /// What counts the rows that are gathered.
    memory: Option<Arc<Memory>>,
}

impl std::fmt::Debug for RowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RowStream").field(&self.schema()).finish()
    }
}

impl From<SendableRecordBatchStream> for RowStream {
    fn from(rows: SendableRecordBatchStream) -> Self {
        Self { rows, memory: None }
    }
}

impl RowStream {
    /// Rows that count as memory where they are gathered.
    pub(crate) fn within(rows: SendableRecordBatchStream, memory: Arc<Memory>) -> Self {
        Self {
            rows,
            memory: Some(memory),
        }
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    /// All batches.
    ///
    /// # Errors
    /// The first that reading meets.
    pub async fn collect(mut self) -> Result<Vec<RecordBatch>> {
        let memory = self.memory.clone();
        let taken = memory.map(|memory| memory.take("the result", 0));
        let taken = taken.transpose()?;
        let mut batches = Vec::new();
        while let Some(batch) = self.next().await {
            let batch = batch?;
            if let Some(taken) = &taken {
                taken.try_grow(bytes_of(&batch))?;
            }
            batches.push(batch);
        }
        Ok(batches)
    }

    /// All rows, to be read value by value.
    ///
    /// # Errors
    /// The first that reading meets.
    pub async fn rows(self) -> Result<Rows> {
        let schema = self.schema();
        Ok(Rows {
            schema,
            batches: self.collect().await?,
        })
    }

    /// The only row, or `None`. What comes after a second row is not read.
    ///
    /// # Errors
    /// `InvalidInput` where there is more than one; the first that reading meets.
    pub async fn single(mut self) -> Result<Option<Row>> {
        let mut single = Single::default();
        while let Some(batch) = self.next().await {
            single.add(batch?)?;
        }
        Ok(single.row())
    }

    /// The only value: that of the only column in the only row, or `None` where there is no row.
    ///
    /// # Errors
    /// As [`RowStream::single`]; `InvalidInput` where there are several columns, or the value is none of the type.
    pub(crate) async fn scalar<T: for<'row> FromValue<'row>>(self) -> Result<Option<T>> {
        let row = self.single().await?;
        row.as_ref().map(Row::only).transpose()
    }

    /// The same as DataFusion's stream.
    pub fn into_inner(self) -> SendableRecordBatchStream {
        self.rows
    }
}

impl Stream for RowStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let batch = self.rows.as_mut().poll_next(context);
        batch.map(|batch| batch.map(|batch| batch.map_err(Error::from)))
    }
}

/// The only row of a query, as its batches come.
#[derive(Debug, Default)]
pub(crate) struct Single(Option<Row>);

impl Single {
    /// Takes the next batch.
    ///
    /// # Errors
    /// `InvalidInput` where there is more than one row.
    pub(crate) fn add(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() + usize::from(self.0.is_some()) > 1 {
            return Err(Error::invalid(
                "the query gives more than one row: say LIMIT 1, or read them all",
            ));
        }
        if batch.num_rows() == 1 {
            self.0 = Some(Row { batch, index: 0 });
        }
        Ok(())
    }

    /// The row; `None` if none has come.
    pub(crate) fn row(self) -> Option<Row> {
        self.0
    }
}

/// What a batch takes for itself, whatever it shares with others.
fn bytes_of(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    let bytes = columns.map(|column| column.to_data().get_slice_memory_size().unwrap_or_default());
    bytes.sum()
}

/// All rows of a query.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let connection = halite::Database::in_memory()?.connect();
/// let rows = connection.rows("SELECT * FROM (VALUES ('a', 1), ('b', NULL)) AS t (name, n)", ()).await?;
/// for row in &rows {
///     println!("{}: {:?}", row.get::<&str>("name")?, row.get::<Option<i64>>("n")?);
/// }
/// let pairs: Vec<(String, Option<i64>)> = rows.to_vec()?;
/// assert_eq!(pairs, [("a".to_owned(), Some(1)), ("b".to_owned(), None)]);
/// # Ok::<(), halite::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Rows {
    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows in order.
    pub fn iter(&self) -> RowIterator<'_> {
        RowIterator {
            batches: &self.batches,
            next: 0,
        }
    }

    /// The row at a place.
    pub fn get(&self, index: usize) -> Option<Row> {
        self.iter().nth(index)
    }

    /// The rows as tuples, each of as many values as there are columns.
    ///
    /// # Errors
    /// `InvalidInput` where the number of columns or a value is another.
    pub fn to_vec<T: FromRow>(&self) -> Result<Vec<T>> {
        self.iter().map(|row| row.to()).collect()
    }

    /// The batches that the rows are in.
    pub fn into_batches(self) -> Vec<RecordBatch> {
        self.batches
    }
}

impl<'a> IntoIterator for &'a Rows {
    type Item = Row;
    type IntoIter = RowIterator<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Rows {
    type Item = Row;
    type IntoIter = IntoRows;

    fn into_iter(self) -> IntoRows {
        let mut batches = self.batches.into_iter();
        IntoRows {
            batch: batches.next(),
            batches,
            next: 0,
        }
    }
}

/// Gives the rows of [`Rows`], one after the other.
#[derive(Debug, Clone)]
pub struct IntoRows {
    batch: Option<RecordBatch>,
    batches: std::vec::IntoIter<RecordBatch>,
    /// In the batch.
    next: usize,
}

impl Iterator for IntoRows {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let batch = self.batch.as_ref()?;
            if self.next < batch.num_rows() {
                self.next += 1;
                return Some(Row {
                    batch: batch.clone(),
                    index: self.next - 1,
                });
            }
            (self.batch, self.next) = (self.batches.next(), 0);
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let later: usize = self
            .batches
            .as_slice()
            .iter()
            .map(RecordBatch::num_rows)
            .sum();
        let here = self.batch.as_ref().map_or(0, RecordBatch::num_rows);
        let left = here.saturating_sub(self.next) + later;
        (left, Some(left))
    }
}

impl ExactSizeIterator for IntoRows {}
impl FusedIterator for IntoRows {}

/// Walks over [`Rows`].
#[derive(Debug, Clone)]
pub struct RowIterator<'a> {
    batches: &'a [RecordBatch],
    next: usize,
}

impl Iterator for RowIterator<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let (batch, rest) = self.batches.split_first()?;
            if self.next < batch.num_rows() {
                self.next += 1;
                return Some(Row {
                    batch: batch.clone(),
                    index: self.next - 1,
                });
            }
            (self.batches, self.next) = (rest, 0);
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let all: usize = self.batches.iter().map(RecordBatch::num_rows).sum();
        (all - self.next, Some(all - self.next))
    }
}

impl ExactSizeIterator for RowIterator<'_> {}
impl FusedIterator for RowIterator<'_> {}

/// One row of a result.
#[derive(Debug, Clone)]
pub struct Row {
    batch: RecordBatch,
    index: usize,
}

impl Row {
    /// The value of a column, by its name or its place: `row.get::<f64>("usage")?`, `row.get::<&str>(0)?`. A column that
    /// may be NULL is read as an `Option`.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such column, several have the name, or the value is none of the type.
    pub fn get<'row, T: FromValue<'row>>(&'row self, column: impl ColumnIndex) -> Result<T> {
        self.read(column.of(&self.batch)?)
    }

    fn read<'row, T: FromValue<'row>>(&'row self, position: usize) -> Result<T> {
        let array = self.array(position)?;
        let value = Value::at(array, self.index);
        if let Some(read) = value.and_then(T::from_value) {
            return Ok(read);
        }
        let name = self.name(position);
        Err(Error::invalid(match value {
            Some(Value::Null) => {
                let wanted = T::NAME;
                format!("column `{name}` is NULL in this row: read it as Option<{wanted}>")
            }
            Some(_) => format!(
                "column `{name}` of type {} holds {}, which is no {}",
                array.data_type(),
                shown(array, self.index),
                T::NAME
            ),
            None => format!(
                "column `{name}` is of type {}: take it as a scalar, or from the batch",
                array.data_type()
            ),
        }))
    }

    /// The value of the only column.
    ///
    /// # Errors
    /// As [`Row::get`]; `InvalidInput` where there are several columns.
    pub(crate) fn only<T: for<'row> FromValue<'row>>(&self) -> Result<T> {
        match self.len() {
            1 => self.read(0),
            columns => Err(Error::invalid(format!(
                "the query gives {columns} columns where one value is asked for"
            ))),
        }
    }

    /// The row as a tuple of as many values as it has columns.
    ///
    /// # Errors
    /// `InvalidInput` where the number of columns or a value is another.
    pub fn to<T: FromRow>(&self) -> Result<T> {
        T::from_row(self)
    }

    /// The value of a column whatever its type.
    ///
    /// # Errors
    /// As [`Row::get`].
    pub fn scalar(&self, column: impl ColumnIndex) -> Result<ScalarValue> {
        let array = self.batch.columns().get(column.of(&self.batch)?);
        let array = array.ok_or_else(|| Error::internal("a column that is not there"))?;
        Ok(ScalarValue::try_from_array(array, self.index)?)
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.batch.schema()
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.batch.num_columns()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn array(&self, position: usize) -> Result<&dyn Array> {
        let array = self.batch.columns().get(position);
        array
            .map(|array| array.as_ref() as &dyn Array)
            .ok_or_else(|| Error::internal("a column that is not there"))
    }

    fn name(&self, position: usize) -> String {
        let schema = self.batch.schema();
        schema
            .fields()
            .get(position)
            .map_or_else(String::new, |field| field.name().clone())
    }
}

/// How a column of a [`Row`] is named: by its name in the result, as a `&str`, or its place from 0, as a `usize`.
pub trait ColumnIndex {
    /// The column's place.
    ///
    /// # Errors
    /// `InvalidInput` where there is no such column, or several have the name.
    fn of(&self, batch: &RecordBatch) -> Result<usize>;
}

impl ColumnIndex for usize {
    fn of(&self, batch: &RecordBatch) -> Result<usize> {
        if *self < batch.num_columns() {
            return Ok(*self);
        }
        let count = batch.num_columns();
        Err(Error::invalid(format!(
            "there is no column {self}: the result has {count}, counted from 0"
        )))
    }
}

impl ColumnIndex for &str {
    fn of(&self, batch: &RecordBatch) -> Result<usize> {
        let schema = batch.schema_ref();
        let mut named = schema
            .fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| field.name() == self);
        match (named.next(), named.next()) {
            (Some((position, _)), None) => Ok(position),
            (Some(_), Some(_)) => Err(Error::invalid(format!(
                "the result has several columns `{self}`: give them names with AS, or say their places"
            ))),
            (None, _) => {
                let names: Vec<&str> = schema
                    .fields()
                    .iter()
                    .map(|field| field.name().as_str())
                    .collect();
                Err(Error::invalid(format!(
                    "the result has no column `{self}`; it has {}",
                    names.join(", ")
                )))
            }
        }
    }
}

impl ColumnIndex for &String {
    fn of(&self, batch: &RecordBatch) -> Result<usize> {
        self.as_str().of(batch)
    }
}

/// What a whole row can be read as: a tuple of values that own what they hold, of as many as there are columns.
pub trait FromRow: Sized {
    /// The row as this type.
    ///
    /// # Errors
    /// `InvalidInput` where the number of columns or a value is another.
    fn from_row(row: &Row) -> Result<Self>;
}

pub(crate) fn expect_columns(row: &Row, wanted: usize) -> Result<()> {
    if row.len() == wanted {
        return Ok(());
    }
    let found = row.len();
    Err(Error::invalid(format!(
        "the rows have {found} columns, and are read as {wanted}"
    )))
}

macro_rules! tuples {
    ($($name:ident $position:literal)+) => {
        impl<$($name: for<'row> FromValue<'row>),+> FromRow for ($($name,)+) {
            fn from_row(row: &Row) -> Result<Self> {
                expect_columns(row, [$($position),+].len())?;
                Ok(($(row.read::<$name>($position)?,)+))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
