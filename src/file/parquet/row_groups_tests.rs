//! What is stated of what is written.

use arrow::array::{ArrayRef, Float32Array, Float64Array, Int64Array, ListArray, StructArray};
use arrow::datatypes::{Field, Float64Type, Schema};
use datafusion::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::statistics::Statistics;

use super::*;
use crate::fault::with;

fn written(columns: Vec<(&str, ArrayRef)>) -> ParquetMetaData {
    let fields = columns
        .iter()
        .map(|(name, it)| Field::new(*name, it.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let rows = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut groups = RowGroups::begin(Vec::new(), &schema, WriterProperties::builder()).unwrap();
    groups.write(&rows).unwrap();
    let file = groups
        .finish(KeyValue::new("key".to_owned(), None))
        .unwrap();
    let reader = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(file));
    reader.unwrap()
}

/// Of each leaf, whether bounds are stated, and how many NULLs.
fn stated(file: &ParquetMetaData) -> Vec<(bool, Option<u64>)> {
    let columns = file.row_group(0).columns().iter();
    let columns = columns.map(|chunk| {
        let stated = chunk.statistics();
        let has_bounds = stated.and_then(Statistics::min_bytes_opt).is_some();
        assert_eq!(has_bounds, chunk.column_index_offset().is_some());
        (has_bounds, stated.and_then(Statistics::null_count_opt))
    });
    columns.collect()
}

#[test]
fn bounds_are_left_out_where_a_value_is_nan() {
    let columns = || -> Vec<(&str, ArrayRef)> {
        let lists = |value| {
            let lists = vec![
                Some(vec![Some(1.0), Some(value)]),
                Some(vec![]),
                Some(vec![]),
            ];
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists)) as ArrayRef
        };
        let nan = Float64Array::from(vec![Some(3.0), None, Some(f64::NAN)]);
        let none = Float64Array::from(vec![Some(3.0), None, Some(4.0)]);
        let both: Vec<(Arc<Field>, ArrayRef)> = vec![
            (
                Arc::new(Field::new("x", DataType::Float64, true)),
                Arc::new(none.clone()),
            ),
            (
                Arc::new(Field::new("y", DataType::Float64, true)),
                Arc::new(nan.clone()),
            ),
        ];
        vec![
            ("nan", Arc::new(nan)),
            ("none", Arc::new(none)),
            (
                "real",
                Arc::new(Float32Array::from(vec![1.0, -f32::NAN, 2.0])),
            ),
            ("id", Arc::new(Int64Array::from(vec![1, 2, 3]))),
            ("lists", lists(2.0)),
            ("nan_lists", lists(f64::NAN)),
            ("both", Arc::new(StructArray::from(both))),
        ]
    };
    let bounds = |file: &ParquetMetaData| -> Vec<bool> {
        stated(file)
            .into_iter()
            .map(|(has_bounds, _)| has_bounds)
            .collect()
    };
    let file = written(columns());
    assert_eq!(
        bounds(&file),
        [false, true, false, true, true, false, true, false]
    );
    assert_eq!(stated(&file)[0], (false, Some(1)));
    assert_eq!(stated(&file)[2], (false, Some(0)));
    let file = with(Fault::BoundsBesideNan, || written(columns()));
    assert_eq!(bounds(&file), [true; 8]);
}

#[test]
fn a_group_that_is_full_is_written() {
    let ids = Int64Array::from_iter_values(0..ROWS as i64 + 5);
    let file = written(vec![("id", Arc::new(ids))]);
    let rows: Vec<i64> = file
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect();
    assert_eq!(rows, [ROWS as i64, 5]);
}
