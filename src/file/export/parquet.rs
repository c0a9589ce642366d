//! Parquet files.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use arrow::util::display::FormatOptions;
use datafusion::parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterProperties;

use super::output::{Output, failed};
use super::{Sheet, with_distinct_names};
use crate::error::{Error, Result};
use crate::file::parquet::RowGroups;
use crate::write::copy::{FileCompression, checksum};

/// The bytes of a row group of a file that is written alone.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// A value that does not fit is an error, and not NULL.
const STRICT: CastOptions<'static> = CastOptions {
    safe: false,
    format_options: FormatOptions::new(),
};

pub(super) struct Parquet {
    groups: RowGroups<Output>,
    schema: SchemaRef,
    path: std::path::PathBuf,
    /// Rows are gathered until they take so many bytes, or are a million; then a row group is written.
    row_group_bytes: usize,
}

impl Parquet {
    pub(super) fn begin(
        schema: &SchemaRef,
        compression: FileCompression,
        output: Output,
    ) -> Result<Self> {
        let schema = of_parquet(&with_distinct_names(schema));
        let path = output.path().to_owned();
        let properties = WriterProperties::builder().set_compression(codec(compression));
        let groups = RowGroups::begin(output, &schema, properties);
        let groups = groups.map_err(|error| unwritable(&path, error))?;
        Ok(Self {
            groups,
            schema,
            path,
            row_group_bytes: ROW_GROUP_BYTES,
        })
    }

    /// The same with row groups of another size.
    pub(super) fn with_row_groups_of(self, row_group_bytes: usize) -> Self {
        Self {
            row_group_bytes,
            ..self
        }
    }

    /// The batch with the file's types.
    fn converted(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(array, field)| {
            cast_with_options(array, field.data_type(), &STRICT).map_err(|error| {
                Error::invalid(format!("column `{}`: {error}", field.name())).with_source(error)
            })
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Error::internal("rows of a query as a batch").with_source(error))
    }
}

impl Sheet for Parquet {
    fn batch(&mut self, batch: &RecordBatch, first: u64) -> Result<()> {
        let batch = self.converted(batch).map_err(|error| {
            let last = first + (batch.num_rows() as u64).saturating_sub(1);
            error.context(format!("rows {first} to {last}"))
        })?;
        let mut written = self.groups.write(&batch);
        if written.is_ok() && self.groups.bytes_begun() > self.row_group_bytes {
            written = self.groups.flush();
        }
        written.map_err(|error| unwritable(&self.path, error))
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        let value = checksum::placeholder();
        let checksum = KeyValue::new(checksum::KEY.to_owned(), value);
        let finished = self.groups.finish(checksum);
        finished.map_err(|error| unwritable(&self.path, error))
    }
}

fn codec(compression: FileCompression) -> Codec {
    match compression {
        // The last two compress whole files, and are refused for Parquet.
        FileCompression::None | FileCompression::Bzip2 | FileCompression::Xz => Codec::UNCOMPRESSED,
        FileCompression::Gzip => Codec::GZIP(GzipLevel::default()),
        FileCompression::Zstd => Codec::ZSTD(ZstdLevel::default()),
        FileCompression::Snappy => Codec::SNAPPY,
        FileCompression::Lz4 => Codec::LZ4_RAW,
    }
}

/// The columns as Parquet has them.
fn of_parquet(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let data_type = type_of(field.data_type());
        if data_type == *field.data_type() {
            Arc::clone(field)
        } else {
            Arc::new(Field::new(field.name(), data_type, true))
        }
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Parquet has no timestamps that count seconds, and other readers would see bare numbers: they become milliseconds. Its
/// intervals know no nanoseconds, and few read them: they become texts.
fn type_of(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Interval(_) | DataType::Duration(_) => DataType::Utf8,
        DataType::List(item) => {
            let data_type = type_of(item.data_type());
            DataType::List(Arc::new(item.as_ref().clone().with_data_type(data_type)))
        }
        DataType::Struct(members) => {
            let members = members.iter().map(|member| {
                let data_type = type_of(member.data_type());
                member.as_ref().clone().with_data_type(data_type)
            });
            DataType::Struct(members.collect())
        }
        other => other.clone(),
    }
}

fn unwritable(path: &std::path::Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(_) | ParquetError::EOF(_) => failed(path, error),
        other => Error::invalid(format!("`{}` cannot be written: {other}", path.display()))
            .with_source(other),
    }
}
