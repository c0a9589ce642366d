//! What is left of what files state.

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{Field, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::data_type::ByteArray;
use datafusion::parquet::file::properties::WriterProperties;

use super::*;
use crate::fault::with;

/// The metadata of a file with one column.
fn file(column: ArrayRef, is_nullable: bool) -> ParquetMetaData {
    let field = Field::new("c", column.data_type().clone(), is_nullable);
    let schema = Arc::new(Schema::new(vec![field]));
    let rows = RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap();
    let properties = WriterProperties::builder()
        .set_bloom_filter_enabled(true)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap()
}

/// The same file, which states this of its column.
fn stating(file: ParquetMetaData, stated: Statistics) -> Arc<ParquetMetaData> {
    let mut builder = ParquetMetaDataBuilder::new_from_metadata(file);
    let mut groups = builder.take_row_groups();
    let chunk = &mut groups[0].columns_mut()[0];
    *chunk = chunk
        .clone()
        .into_builder()
        .set_statistics(stated)
        .build()
        .unwrap();
    Arc::new(builder.set_row_groups(groups).build())
}

fn left(file: &Arc<ParquetMetaData>) -> ColumnChunkMetaData {
    believed(file, &BTreeSet::new())
        .unwrap()
        .row_group(0)
        .column(0)
        .clone()
}

fn doubles(values: &[f64]) -> ParquetMetaData {
    file(Arc::new(Float64Array::from(values.to_vec())), true)
}

fn numbers(values: &[Option<i64>], is_nullable: bool) -> ParquetMetaData {
    file(Arc::new(Int64Array::from(values.to_vec())), is_nullable)
}

#[test]
fn nan_may_be_above_all_that_is_stated() {
    let file = Arc::new(doubles(&[3.0, f64::NAN, 5.0]));
    assert!(file.row_group(0).column(0).bloom_filter_offset().is_some());
    let believing = || {
        let chunk = left(&file);
        let Some(Statistics::Double(stated)) = chunk.statistics().cloned() else {
            panic!("{chunk:?}");
        };
        let is_nan = stated.max_opt().unwrap().is_nan();
        (
            stated.min_opt().copied(),
            is_nan,
            chunk.bloom_filter_offset().is_some(),
        )
    };
    assert_eq!(believing(), (Some(3.0), true, false));
    let believed = believed(&file, &BTreeSet::new()).unwrap();
    let pages = believed.column_index().map(|index| index[0][0].clone());
    assert!(
        matches!(pages, None | Some(ColumnIndexMetaData::NONE)),
        "{pages:?}"
    );
    assert_eq!(believed.row_group(0).column(0).column_index_offset(), None);
    // The mistake that the law's control makes.
    let all = with(Fault::BoundsWithoutNan, believing);
    assert_eq!(all, (Some(3.0), false, true));
}

#[test]
fn bounds_of_numbers_count_where_numbers_are_wanted() {
    let wanted = BTreeSet::from(["c".to_owned()]);
    for (values, bounds, has_pages) in [
        ([3.0, f64::NAN, 5.0], (3.0_f64, 5.0_f64), true),
        ([0.0, f64::NAN, 5.0], (-0.0, 5.0), false),
        ([-3.0, f64::NAN, -0.0], (-3.0, 0.0), false),
    ] {
        let file = Arc::new(doubles(&values));
        let believed = believed(&file, &wanted).unwrap();
        let chunk = believed.row_group(0).column(0);
        let Some(Statistics::Double(stated)) = chunk.statistics() else {
            panic!("{chunk:?}");
        };
        let [least, greatest] =
            [stated.min_opt(), stated.max_opt()].map(|it| it.unwrap().to_bits());
        assert_eq!((least, greatest), (bounds.0.to_bits(), bounds.1.to_bits()));
        assert_eq!(chunk.bloom_filter_offset(), None);
        assert_eq!(pages_of(&believed, 0, 0).is_some(), has_pages, "{values:?}");
        assert_eq!(
            chunk.column_index_offset().is_some(),
            has_pages,
            "{values:?}"
        );
    }
}

#[test]
fn a_bound_that_is_nan_is_none() {
    let stated = Statistics::double(Some(f64::NAN), Some(f64::NAN), None, Some(0), false);
    let chunk = left(&stating(doubles(&[1.0]), stated));
    let stated = chunk.statistics().unwrap();
    assert_eq!(stated.min_bytes_opt(), None);
    assert_eq!(stated.max_bytes_opt(), None);
    assert_eq!(stated.null_count_opt(), Some(0));
}

#[test]
fn nulls_that_are_not_counted_may_be_some_and_not_all() {
    let uncounted = || Statistics::int64(Some(1), Some(3), None, None, false);
    let several = [Some(1), None, Some(3)];
    for (file, expected) in [
        (numbers(&several, true), 1),
        (numbers(&[Some(1)], true), 0),
        (numbers(&[Some(1), Some(3)], false), 0),
    ] {
        let chunk = left(&stating(file, uncounted()));
        let stated = chunk.statistics().unwrap();
        assert_eq!(stated.null_count_opt(), Some(expected));
        assert!(stated.min_bytes_opt().is_some());
    }
    let nothing = Statistics::int64(None, None, None, None, false);
    let chunk = left(&stating(numbers(&several, true), nothing));
    assert_eq!(chunk.statistics(), None);
    let chunk = with(Fault::NullsDenied, || {
        left(&stating(numbers(&several, true), uncounted()))
    });
    assert_eq!(chunk.statistics().unwrap().null_count_opt(), Some(0));
}

#[test]
fn what_contradicts_itself_is_nothing() {
    for nulls in [3, 4] {
        let stated = Statistics::int64(Some(1), Some(3), None, Some(nulls), false);
        let chunk = left(&stating(numbers(&[Some(1), None, Some(3)], true), stated));
        assert_eq!(chunk.statistics(), None, "{nulls} NULLs");
    }
}

#[test]
fn old_bounds_are_those_of_signed_numbers() {
    let numbers_stated = Statistics::int64(Some(1), Some(3), None, Some(0), true);
    let chunk = left(&stating(
        numbers(&[Some(1), Some(3)], true),
        numbers_stated.clone(),
    ));
    assert_eq!(chunk.statistics(), Some(&numbers_stated));
    let texts = file(Arc::new(StringArray::from(vec!["a", "ä"])), true);
    let bound = |text: &str| Some(ByteArray::from(text));
    let stated = Statistics::byte_array(bound("ä"), bound("a"), None, Some(0), true);
    let chunk = left(&stating(texts, stated));
    let stated = chunk.statistics().unwrap();
    assert_eq!(
        (stated.min_bytes_opt(), stated.null_count_opt()),
        (None, Some(0))
    );
}

#[test]
fn all_is_believed_of_what_says_all() {
    for file in [
        numbers(&[Some(1), None], true),
        file(Arc::new(StringArray::from(vec!["a", "ä"])), true),
    ] {
        let file = Arc::new(file);
        assert!(Arc::ptr_eq(
            &believed(&file, &BTreeSet::new()).unwrap(),
            &file
        ));
    }
}

#[test]
fn nothing_is_believed_of_what_is_in_a_list() {
    use arrow::array::ListArray;
    use arrow::datatypes::Int64Type;
    let lists = vec![Some(vec![Some(1), Some(2)]), Some(vec![])];
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(lists);
    let chunk = left(&Arc::new(file(Arc::new(lists), true)));
    assert_eq!(chunk.statistics(), None);
}
