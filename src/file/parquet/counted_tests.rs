//! What files state of all their rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::DataType;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::metadata::ParquetMetaDataBuilder;

use super::*;
use crate::fault::with;

/// The metadata of a file of two groups with the columns `i`, `x` and `s`.
fn file() -> ParquetMetaData {
    let group = |numbers: Vec<Option<i32>>, x: f64, texts: Vec<&str>| {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("i", Arc::new(Int32Array::from(numbers))),
            ("x", Arc::new(Float64Array::from(vec![x, x]))),
            ("s", Arc::new(StringArray::from(texts))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap()
    };
    let first = group(vec![Some(7), None], 1.0, vec!["a", "b"]);
    let second = group(vec![Some(3), Some(9)], f64::NAN, vec!["c", "d"]);
    let mut writer = ArrowWriter::try_new(Vec::new(), first.schema(), None).unwrap();
    for batch in [first, second] {
        writer.write(&batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap()
}

/// The same file, of which the second group does not state this column.
fn without(leaf: usize) -> ParquetMetaData {
    let mut builder = ParquetMetaDataBuilder::new_from_metadata(file());
    let mut groups = builder.take_row_groups();
    let chunk = &mut groups[1].columns_mut()[leaf];
    *chunk = chunk
        .clone()
        .into_builder()
        .clear_statistics()
        .build()
        .unwrap();
    builder.set_row_groups(groups).build()
}

fn table(columns: &[(&str, DataType)]) -> SchemaRef {
    let fields = columns
        .iter()
        .map(|(name, of)| Field::new(*name, of.clone(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn told(file: &ParquetMetaData, column: &str, of: DataType) -> [String; 3] {
    let counted = counted(file, &table(&[(column, of)])).unwrap();
    assert_eq!(counted.num_rows, Precision::Exact(4));
    let told = &counted.column_statistics[0];
    [
        told.null_count.to_string(),
        told.min_value.to_string(),
        told.max_value.to_string(),
    ]
}

#[test]
fn what_all_groups_state_is_told() {
    assert_eq!(
        told(&file(), "i", DataType::Int32),
        ["Exact(1)", "Exact(Int32(3))", "Exact(Int32(9))"]
    );
    assert_eq!(
        told(&file(), "s", DataType::Utf8),
        ["Exact(0)", r#"Exact(Utf8("a"))"#, r#"Exact(Utf8("d"))"#]
    );
}

#[test]
fn what_one_group_does_not_state_is_not_told() {
    let file = without(0);
    assert_eq!(told(&file, "i", DataType::Int32), ["Absent"; 3]);
    assert_ne!(
        with(Fault::SomeGroupsForAll, || told(
            &file,
            "i",
            DataType::Int32
        )),
        ["Absent"; 3]
    );
}

#[test]
fn bounds_beside_which_nan_may_be_are_not_told() {
    assert_eq!(
        told(&file(), "x", DataType::Float64),
        ["Exact(0)", "Absent", "Absent"]
    );
}

#[test]
fn bounds_of_another_type_are_not_told() {
    assert_eq!(
        told(&file(), "i", DataType::Int64),
        ["Exact(1)", "Absent", "Absent"]
    );
}

#[test]
fn a_column_that_the_file_lacks_is_null() {
    assert_eq!(
        told(&file(), "other", DataType::Int64),
        ["Exact(4)", "Absent", "Absent"]
    );
}
