//! What a file states of all its rows: by that aggregates are answered, files passed over, columns taken for constants.
//!
//! The law: what is said here is exact, or it is not said. A number of NULLs is the sum of those of all groups, if each states
//! it. A least or greatest value counts if every group states it and says that some row has it, or has no row that is not
//! NULL; and if it is of the type of the table's column.

use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::{Result, ScalarValue, Statistics};
use datafusion::datasource::physical_plan::parquet::apply_file_schema_type_coercions;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::parquet::arrow::{parquet_column, parquet_to_arrow_schema};
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use datafusion::parquet::file::statistics::Statistics as Stated;

use super::believed::{Bounds, nulls};
#[cfg(test)]
use crate::fault::{Fault, active};

/// What `file` states of its rows, for a table with these columns.
///
/// # Errors
/// Those of metadata that is none.
pub(super) fn counted(file: &ParquetMetaData, table: &SchemaRef) -> Result<Statistics> {
    let mut counted = DFParquetMetadata::statistics_from_parquet_metadata(file, table)?;
    #[cfg(test)]
    if active(Fault::SomeGroupsForAll) {
        return Ok(counted);
    }
    let schema = file.file_metadata().schema_descr();
    let own = parquet_to_arrow_schema(schema, file.file_metadata().key_value_metadata())?;
    let own = apply_file_schema_type_coercions(table, &own).unwrap_or(own);
    let columns = table.fields().iter().zip(&mut counted.column_statistics);
    for (field, told) in columns {
        let stated = stated_of(file, &own, field);
        told.null_count = match stated.nulls {
            Some(nulls) => Precision::Exact(nulls),
            None => Precision::Absent,
        };
        if !stated.has_bounds {
            told.min_value = Precision::Absent;
            told.max_value = Precision::Absent;
        }
        for bound in [&mut told.min_value, &mut told.max_value] {
            if !is_said(bound) {
                *bound = Precision::Absent;
            }
        }
        told.distinct_count = told.distinct_count.to_inexact();
        told.sum_value = Precision::Absent;
    }
    Ok(counted)
}

/// Whether it is a value, and some row has it.
fn is_said(bound: &Precision<ScalarValue>) -> bool {
    matches!(bound, Precision::Exact(value) if !value.is_null())
}

/// What all groups state of a column.
#[derive(Debug, Default, PartialEq, Eq)]
struct StatedOfAll {
    nulls: Option<usize>,
    has_bounds: bool,
}

fn stated_of(file: &ParquetMetaData, own: &Schema, field: &Field) -> StatedOfAll {
    let groups = file.row_groups();
    let Ok(found) = own.field_with_name(field.name()) else {
        // All its values are NULL.
        let rows = groups.iter().map(|group| usize::try_from(group.num_rows()));
        return StatedOfAll {
            nulls: rows.sum::<Result<usize, _>>().ok(),
            has_bounds: false,
        };
    };
    let schema = file.file_metadata().schema_descr();
    let Some((leaf, _)) = parquet_column(schema, own, field.name()) else {
        return StatedOfAll::default();
    };
    let chunks = groups.iter().map(|group| group.columns().get(leaf));
    let Some(chunks) = chunks.collect::<Option<Vec<_>>>() else {
        return StatedOfAll::default();
    };
    let counts = chunks
        .iter()
        .map(|chunk| usize::try_from(nulls(chunk)?).ok());
    let is_exact = |chunk: &&ColumnChunkMetaData| {
        Bounds::of_chunk(file, leaf, chunk) == Bounds::Ordered && is_complete(chunk)
    };
    StatedOfAll {
        nulls: counts.sum(),
        has_bounds: found.data_type() == field.data_type() && chunks.iter().all(is_exact),
    }
}

/// Whether a chunk says of which values its bounds are, if it has any that is not NULL.
fn is_complete(chunk: &ColumnChunkMetaData) -> bool {
    let is_empty = nulls(chunk).is_some_and(|nulls| i64::try_from(nulls) == Ok(chunk.num_values()));
    let are_exact = |stated: &Stated| {
        stated.min_is_exact()
            && stated.max_is_exact()
            && stated.min_bytes_opt().is_some()
            && stated.max_bytes_opt().is_some()
    };
    is_empty || chunk.statistics().is_some_and(are_exact)
}

#[cfg(test)]
#[path = "counted_tests.rs"]
mod tests;
