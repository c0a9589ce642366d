//! Writes rows as a Parquet file, at random: row groups, pages, encodings, and what is stated of them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::{ArrowColumnChunk, compute_leaves};
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};

use crate::file::parquet::RowGroups;
use crate::plan::law::random::Random;

/// Writes the rows.
pub(super) fn write(random: &mut Random, rows: &RecordBatch, path: &Path) {
    let file = File::create(path).expect("file");
    let properties = properties(random, rows);
    if random.percent(20) {
        as_halite(random, rows, file, properties)
    } else {
        as_others(random, rows, file, properties)
    }
}

/// As a COPY does.
fn as_halite(
    random: &mut Random,
    rows: &RecordBatch,
    file: File,
    properties: WriterPropertiesBuilder,
) {
    let mut groups = RowGroups::begin(file, &rows.schema(), properties).expect("columns");
    for group in cut(random, rows) {
        groups.write(&group).expect("rows");
        if random.percent(70) {
            groups.flush().expect("a group");
        }
    }
    let metadata = datafusion::parquet::file::metadata::KeyValue::new("k".to_owned(), None);
    groups.finish(metadata).expect("an end");
}

/// With statistics left out here and there.
fn as_others(
    random: &mut Random,
    rows: &RecordBatch,
    file: File,
    properties: WriterPropertiesBuilder,
) {
    let schema = rows.schema();
    let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties.build()));
    let writer = writer.expect("columns");
    let (mut writer, factory) = writer.into_serialized_writer().expect("a file");
    let left_out = *random.pick(&[0, 0, 20, 50]);
    for (number, group) in cut(random, rows).into_iter().enumerate() {
        let mut columns = factory.create_column_writers(number).expect("columns");
        let mut leaves = columns.iter_mut();
        for (array, field) in group.columns().iter().zip(schema.fields()) {
            for leaf in compute_leaves(field, array).expect("leaves") {
                leaves.next().expect("a leaf").write(&leaf).expect("values");
            }
        }
        let mut written = writer.next_row_group().expect("a group");
        for column in columns {
            let mut chunk = column.close().expect("a column");
            if random.percent(left_out) {
                leave_out(random, &mut chunk);
            }
            chunk.append_to_row_group(&mut written).expect("a column");
        }
        written.close().expect("a group");
    }
    writer.close().expect("an end");
}

fn cut(random: &mut Random, rows: &RecordBatch) -> Vec<RecordBatch> {
    let most = *random.pick(&[1, 7, 40, 200]);
    let mut groups = Vec::new();
    let mut begin = 0;
    while begin < rows.num_rows() {
        let count = random.between(1, most).min(rows.num_rows() - begin);
        groups.push(rows.slice(begin, count));
        begin += count;
    }
    groups
}

/// Leaves some of what is stated of a column in a group out: all of it, the bounds, one of them, how many NULLs there are, that
/// bounds are exact, or the pages.
fn leave_out(random: &mut Random, chunk: &mut ArrowColumnChunk) {
    let close = chunk.close_mut();
    let stated = close.metadata.statistics().cloned();
    let builder = close.metadata.clone().into_builder();
    let what = random.between(0, 5);
    let builder = match (what, stated) {
        (0, _) | (_, None) => builder.clear_statistics(),
        (1..=4, Some(stated)) => builder.set_statistics(less(&stated, what)),
        _ => builder,
    };
    close.metadata = builder.build().expect("a column");
    if random.percent(50) {
        close.column_index = None;
    }
}

fn less(stated: &Statistics, what: usize) -> Statistics {
    match stated {
        Statistics::Boolean(it) => Statistics::Boolean(less_of(it, what)),
        Statistics::Int32(it) => Statistics::Int32(less_of(it, what)),
        Statistics::Int64(it) => Statistics::Int64(less_of(it, what)),
        Statistics::Int96(it) => Statistics::Int96(less_of(it, what)),
        Statistics::Float(it) => Statistics::Float(less_of(it, what)),
        Statistics::Double(it) => Statistics::Double(less_of(it, what)),
        Statistics::ByteArray(it) => Statistics::ByteArray(less_of(it, what)),
        Statistics::FixedLenByteArray(it) => Statistics::FixedLenByteArray(less_of(it, what)),
    }
}

fn less_of<T: Clone>(stated: &ValueStatistics<T>, what: usize) -> ValueStatistics<T> {
    let (least, greatest) = (stated.min_opt().cloned(), stated.max_opt().cloned());
    let nulls = stated.null_count_opt();
    let (exact_least, exact_greatest) = (stated.min_is_exact(), stated.max_is_exact());
    match what {
        1 => ValueStatistics::new(None, None, None, nulls, false),
        2 => ValueStatistics::new(least, None, None, nulls, false).with_min_is_exact(exact_least),
        3 => ValueStatistics::new(least, greatest, None, None, false)
            .with_min_is_exact(exact_least)
            .with_max_is_exact(exact_greatest),
        _ => ValueStatistics::new(least, greatest, None, nulls, false)
            .with_min_is_exact(false)
            .with_max_is_exact(false),
    }
}

fn properties(random: &mut Random, rows: &RecordBatch) -> WriterPropertiesBuilder {
    let states = [
        EnabledStatistics::None,
        EnabledStatistics::Chunk,
        EnabledStatistics::Page,
    ];
    let cuts = [None, Some(1), Some(8), Some(64)];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    let mut builder = WriterProperties::builder()
        .set_writer_version(*random.pick(&versions))
        .set_compression(*random.pick(&codecs))
        .set_data_page_row_count_limit(*random.pick(&[1, 5, 20, 1_000]))
        .set_write_batch_size(*random.pick(&[1, 4, 1_024]))
        .set_dictionary_enabled(random.percent(60))
        .set_bloom_filter_enabled(random.percent(30))
        .set_statistics_enabled(*random.pick(&[EnabledStatistics::Page, EnabledStatistics::Chunk]))
        .set_statistics_truncate_length(*random.pick(&cuts))
        .set_column_index_truncate_length(*random.pick(&cuts))
        .set_write_page_header_statistics(random.percent(30));
    for field in rows.schema().fields() {
        let column = || datafusion::parquet::schema::types::ColumnPath::from(field.name().as_str());
        if random.percent(30) {
            builder = builder.set_column_statistics_enabled(column(), *random.pick(&states));
        }
        if random.percent(30) && !field.data_type().is_nested() && field.data_type().is_floating() {
            builder = builder.set_column_encoding(column(), Encoding::BYTE_STREAM_SPLIT);
        }
    }
    builder
}
