//! Writes row groups, with bounds that others may prune by: none where a value is NaN.
//!
//! A writer leaves NaN out of the least and the greatest value of a column. DuckDB, DataFusion and others take these for the
//! bounds of all values, and do not find NaN. What is NULL is stated all the same. The file says that it was written so, and its
//! bounds are [believed](super::believed) more than those of others.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayData, RecordBatch};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use datafusion::parquet::errors::Result;
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterPropertiesBuilder;
use datafusion::parquet::file::writer::SerializedFileWriter;

use super::believed::{NO_BOUNDS_BESIDE_NAN, WRITER, without_bounds};
#[cfg(test)]
use crate::fault::{Fault, active};

/// As many rows as a group has at most.
const ROWS: usize = 1 << 20;

/// A file that is written, a row group at a time.
pub(crate) struct RowGroups<W: Write + Send> {
    file: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    begun: Option<RowGroup>,
}

/// A group whose rows are gathered.
struct RowGroup {
    columns: Vec<ArrowColumnWriter>,
    /// Of each of the columns, whether a value is NaN.
    has_nan: Vec<bool>,
    rows: usize,
}

impl<W: Write + Send> RowGroups<W> {
    /// A file without rows.
    ///
    /// # Errors
    /// Those of writing, and of columns that Parquet does not have.
    pub(crate) fn begin(
        output: W,
        schema: &SchemaRef,
        properties: WriterPropertiesBuilder,
    ) -> Result<Self> {
        let name = format!("{WRITER}{}", env!("CARGO_PKG_VERSION"));
        let properties = properties.set_created_by(name).build();
        let writer = ArrowWriter::try_new(output, Arc::clone(schema), Some(properties))?;
        let (file, factory) = writer.into_serialized_writer()?;
        Ok(Self {
            file,
            factory,
            schema: Arc::clone(schema),
            begun: None,
        })
    }

    /// About how many bytes the group will have whose rows are gathered.
    pub(crate) fn bytes_begun(&self) -> usize {
        let columns = self.begun.iter().flat_map(|group| &group.columns);
        columns
            .map(ArrowColumnWriter::get_estimated_total_bytes)
            .sum()
    }

    /// Takes the rows of a batch; a group that is full is written.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut rest = batch.clone();
        while rest.num_rows() > 0 {
            let mut group = match self.begun.take() {
                Some(group) => group,
                None => self.new_group()?,
            };
            let taken = rest.num_rows().min(ROWS - group.rows);
            group.write(&rest.slice(0, taken), &self.schema)?;
            let is_full = group.rows == ROWS;
            self.begun = Some(group);
            if is_full {
                self.flush()?;
            }
            rest = rest.slice(taken, rest.num_rows() - taken);
        }
        Ok(())
    }

    fn new_group(&self) -> Result<RowGroup> {
        let number = self.file.flushed_row_groups().len();
        let columns = self.factory.create_column_writers(number)?;
        Ok(RowGroup {
            has_nan: vec![false; columns.len()],
            columns,
            rows: 0,
        })
    }

    /// Writes the rows that are gathered as a group, if there are any.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let Some(group) = self.begun.take() else {
            return Ok(());
        };
        let mut written = self.file.next_row_group()?;
        for (column, has_nan) in group.columns.into_iter().zip(group.has_nan) {
            let mut chunk = column.close()?;
            if has_nan {
                leave_bounds_out(&mut chunk)?;
            }
            chunk.append_to_row_group(&mut written)?;
        }
        written.close()?;
        Ok(())
    }

    /// Ends the file, with this in its metadata.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn finish(mut self, metadata: KeyValue) -> Result<W> {
        self.flush()?;
        let says = KeyValue::new(NO_BOUNDS_BESIDE_NAN.to_owned(), "true".to_owned());
        self.file.append_key_value_metadata(says);
        self.file.append_key_value_metadata(metadata);
        self.file.into_inner()
    }
}

impl RowGroup {
    fn write(&mut self, batch: &RecordBatch, schema: &SchemaRef) -> Result<()> {
        let mut writers = self.columns.iter_mut();
        let mut marks = self.has_nan.iter_mut();
        for (array, field) in batch.columns().iter().zip(schema.fields()) {
            mark_nan(&array.to_data(), &mut marks);
            for (leaf, writer) in compute_leaves(field, array)?.iter().zip(&mut writers) {
                writer.write(leaf)?;
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }
}

/// States of a column what is NULL, and no more.
fn leave_bounds_out(chunk: &mut ArrowColumnChunk) -> Result<()> {
    #[cfg(test)]
    if active(Fault::BoundsBesideNan) {
        return Ok(());
    }
    let close = chunk.close_mut();
    close.column_index = None;
    let metadata = close.metadata.clone();
    let nulls = metadata
        .statistics()
        .and_then(|it| Some((it.clone(), it.null_count_opt()?)));
    let metadata = metadata.into_builder();
    let metadata = match nulls {
        Some((stated, nulls)) => metadata.set_statistics(without_bounds(&stated, nulls)),
        None => metadata.clear_statistics(),
    };
    close.metadata = metadata.build()?;
    Ok(())
}

/// Marks the leaves of an array, in their order, in which a value is NaN. What a NULL hides, or a slice leaves out, may
/// count.
fn mark_nan<'m>(array: &ArrayData, marks: &mut impl Iterator<Item = &'m mut bool>) {
    match array.data_type() {
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Map(..) => {
            for child in array.child_data() {
                mark_nan(child, marks);
            }
        }
        _ => {
            if let Some(mark) = marks.next() {
                *mark |= has_nan(array);
            }
        }
    }
}

fn has_nan(array: &ArrayData) -> bool {
    match array.data_type() {
        DataType::Float64 => array.buffers().first().is_some_and(|values| {
            let values = values.typed_data::<f64>().iter().skip(array.offset());
            values.take(array.len()).any(|value| value.is_nan())
        }),
        DataType::Float32 => array.buffers().first().is_some_and(|values| {
            let values = values.typed_data::<f32>().iter().skip(array.offset());
            values.take(array.len()).any(|value| value.is_nan())
        }),
        // Not looked at.
        DataType::Float16 => true,
        DataType::Dictionary(..) => array.child_data().first().is_some_and(has_nan),
        _ => false,
    }
}

#[cfg(test)]
#[path = "row_groups_tests.rs"]
mod tests;
