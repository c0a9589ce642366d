//! Parquet files: which values are taken, and which are refused.

use arrow::array::*;
use arrow::datatypes::{DataType, Int32Type, TimeUnit};
use datafusion::parquet::arrow::ArrowWriter;
use tempfile::NamedTempFile;

use super::super::super::tests::{stored, writer};
use super::super::CopyOptions;
use super::super::tests::{copy, file, people, person};
use super::*;
use crate::datum::{Precision, SqlType};
use crate::error::ErrorKind;
use crate::row::testing::{batch, table};

fn parquet(columns: Vec<(&str, ArrayRef)>) -> NamedTempFile {
    let rows = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let rows = rows.unwrap();
    let file = file(".parquet", b"");
    let mut writer = ArrowWriter::try_new(file.reopen().unwrap(), rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    file
}

#[test]
fn parquet_columns_are_found_by_name() {
    let file = parquet(vec![
        ("Size", Arc::new(Float32Array::from(vec![Some(1.5), None]))),
        (
            "name",
            Arc::new(StringViewArray::from(vec![None, Some("b")])),
        ),
        ("id", Arc::new(UInt64Array::from(vec![1, 2]))),
    ]);
    let writer = people();
    assert_eq!(copy(&writer, &file, CopyOptions::default()), Ok(2));
    let expected = [person(1, None, Some(1.5)), person(2, Some("b"), None)];
    assert_eq!(
        stored(&writer).columns(),
        batch(writer.table(), &expected).columns()
    );
    let again = copy(&writer, &file, CopyOptions::default()).unwrap_err();
    assert_eq!(again.0, ErrorKind::Conflict);
    assert!(
        again
            .1
            .starts_with("FILE row 1: table `t`: a row with (id = 1) is there already"),
        "{}",
        again.1
    );
    let lacking = parquet(vec![("id", Arc::new(Int32Array::from(vec![1])))]);
    let error = copy(&writer, &lacking, CopyOptions::default())
        .unwrap_err()
        .1;
    assert_eq!(
        error,
        "FILE: the file lacks columns of table `t`: `name`, `size`"
    );
}

/// Copies one column of a file into a column of a type: what it then holds, or the error.
fn convert(sql_type: SqlType, array: ArrayRef) -> Result<ArrayRef, String> {
    let writer = writer(&table(
        &[("id", SqlType::Integer), ("c?", sql_type)],
        &["id"],
    ));
    let ids: Int32Array = (0..i32::try_from(array.len()).unwrap()).collect();
    let file = parquet(vec![("id", Arc::new(ids)), ("c", array)]);
    copy(&writer, &file, CopyOptions::default()).map_err(|(_, error)| error)?;
    Ok(Arc::clone(stored(&writer).column(1)))
}

#[test]
fn values_are_converted_where_they_stay_the_same() {
    let decimal = |precision, scale| SqlType::Decimal { precision, scale };
    let stamp = |precision, utc| SqlType::Timestamp { precision, utc };
    let decimals = |values: Vec<Option<i128>>, precision, scale| -> ArrayRef {
        Arc::new(
            Decimal128Array::from(values)
                .with_precision_and_scale(precision, scale)
                .unwrap(),
        )
    };
    let seconds = |values: Vec<Option<i64>>, zone: Option<&str>| -> ArrayRef {
        Arc::new(TimestampSecondArray::from(values).with_timezone_opt(zone))
    };
    let millis = |values: Vec<Option<i64>>| -> ArrayRef {
        Arc::new(TimestampMillisecondArray::from(values))
    };
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("x")].into_iter().collect();
    let cases: Vec<(SqlType, ArrayRef, ArrayRef)> = vec![
        (
            SqlType::SmallInt,
            Arc::new(Int64Array::from(vec![Some(-32_768), None])),
            Arc::new(Int16Array::from(vec![Some(-32_768), None])),
        ),
        (
            SqlType::Integer,
            Arc::new(Float64Array::from(vec![Some(7.0), None])),
            Arc::new(Int32Array::from(vec![Some(7), None])),
        ),
        (
            SqlType::Double,
            Arc::new(Int64Array::from(vec![1 << 53])),
            Arc::new(Float64Array::from(vec![9_007_199_254_740_992.0])),
        ),
        (
            SqlType::Real,
            Arc::new(Float64Array::from(vec![0.5, f64::INFINITY])),
            Arc::new(Float32Array::from(vec![0.5, f32::INFINITY])),
        ),
        (
            decimal(10, 2),
            decimals(vec![Some(15), None], 5, 1),
            decimals(vec![Some(150), None], 10, 2),
        ),
        (
            decimal(4, 0),
            decimals(vec![Some(1_500)], 5, 2),
            decimals(vec![Some(15)], 4, 0),
        ),
        (
            decimal(4, 1),
            Arc::new(Int8Array::from(vec![-3])),
            decimals(vec![Some(-30)], 4, 1),
        ),
        (
            SqlType::Text,
            Arc::new(LargeStringArray::from(vec!["ü"])),
            Arc::new(StringArray::from(vec!["ü"])),
        ),
        (
            SqlType::Varchar(1),
            Arc::new(dictionary),
            Arc::new(StringArray::from(vec![Some("x"), None, Some("x")])),
        ),
        (
            SqlType::Bytea,
            Arc::new(BinaryViewArray::from(vec![&b"\0"[..]])),
            Arc::new(BinaryArray::from(vec![&b"\0"[..]])),
        ),
        (
            SqlType::Bytea,
            Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8, 2]].iter()).unwrap()),
            Arc::new(BinaryArray::from(vec![&[1_u8, 2][..]])),
        ),
        (
            SqlType::Date,
            Arc::new(Date64Array::from(vec![-86_400_000])),
            Arc::new(Date32Array::from(vec![-1])),
        ),
        (
            stamp(Precision::Millisecond, false),
            Arc::new(Date32Array::from(vec![400_000])),
            millis(vec![Some(400_000 * 86_400_000)]),
        ),
        (
            stamp(Precision::Second, false),
            millis(vec![Some(-1_000), None]),
            seconds(vec![Some(-1), None], None),
        ),
        (
            stamp(Precision::Second, true),
            millis(vec![Some(1_000)]),
            seconds(vec![Some(1)], Some("+00:00")),
        ),
        (
            stamp(Precision::Second, true),
            seconds(vec![Some(1)], Some("+02:00")),
            seconds(vec![Some(1)], Some("+00:00")),
        ),
        (
            SqlType::Boolean,
            Arc::new(BooleanArray::from(vec![true])),
            Arc::new(BooleanArray::from(vec![true])),
        ),
    ];
    for (sql_type, array, expected) in cases {
        let from = array.data_type().clone();
        assert_eq!(
            convert(sql_type.clone(), array),
            Ok(expected),
            "{from} as {sql_type}"
        );
    }
}

#[test]
fn values_that_would_change_are_refused_with_their_row() {
    let decimal = SqlType::Decimal {
        precision: 4,
        scale: 1,
    };
    let stamp = |precision| SqlType::Timestamp {
        precision,
        utc: false,
    };
    let cases: Vec<(SqlType, ArrayRef, &str)> = vec![
        (
            SqlType::SmallInt,
            Arc::new(Int32Array::from(vec![1, 40_000])),
            "FILE row 2: table `t`: column `c` of type SMALLINT cannot hold 40000 exactly",
        ),
        (
            SqlType::Integer,
            Arc::new(Float64Array::from(vec![7.5])),
            "FILE row 1: table `t`: column `c` of type INT cannot hold 7.5 exactly",
        ),
        (
            SqlType::BigInt,
            Arc::new(UInt64Array::from(vec![u64::MAX])),
            "cannot hold 18446744073709551615 exactly",
        ),
        (
            SqlType::Double,
            Arc::new(Int64Array::from(vec![(1 << 53) + 1])),
            "cannot hold 9007199254740993 exactly",
        ),
        (
            SqlType::Real,
            Arc::new(Float64Array::from(vec![0.1])),
            "of type REAL cannot hold 0.1 exactly",
        ),
        (
            decimal.clone(),
            Arc::new(Int32Array::from(vec![1_000])),
            "of type DECIMAL(4, 1) cannot hold 1000 exactly",
        ),
        (
            decimal,
            Arc::new(
                Decimal128Array::from(vec![15])
                    .with_precision_and_scale(5, 2)
                    .unwrap(),
            ),
            "cannot hold 0.15 exactly",
        ),
        (
            SqlType::Date,
            Arc::new(Date64Array::from(vec![1])),
            "of type DATE cannot hold",
        ),
        (
            stamp(Precision::Second),
            Arc::new(TimestampMillisecondArray::from(vec![1_500])),
            "of type TIMESTAMP(0) cannot hold 1970-01-01T00:00:01.500 exactly",
        ),
        (
            stamp(Precision::Nanosecond),
            Arc::new(TimestampSecondArray::from(vec![i64::MAX / 1_000])),
            "of type TIMESTAMP(9) cannot hold",
        ),
        (
            stamp(Precision::Nanosecond),
            Arc::new(Date32Array::from(vec![400_000])),
            "of type TIMESTAMP(9) cannot hold 3065-",
        ),
        (
            SqlType::Char(2),
            Arc::new(StringArray::from(vec!["ab", "abc"])),
            "FILE row 2: table `t`: column `c` of type CHAR(2) cannot hold 'abc'",
        ),
    ];
    for (sql_type, array, expected) in cases {
        let error = convert(sql_type, array).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(error.starts_with("FILE row "), "{error}");
    }
}

#[test]
fn types_of_another_kind_are_refused() {
    let zoned = DataType::Timestamp(TimeUnit::Second, Some("+02:00".into()));
    let zoned = new_null_array(&zoned, 1);
    let stamp = SqlType::Timestamp {
        precision: Precision::Second,
        utc: false,
    };
    let cases: Vec<(SqlType, ArrayRef, &str)> = vec![
        (stamp, zoned, "the time zone would be lost"),
        (
            SqlType::Integer,
            Arc::new(StringArray::from(vec!["1"])),
            "column `c` is INT, in the file it is Utf8: that is not the same kind of value",
        ),
        (
            SqlType::Text,
            Arc::new(Int32Array::from(vec![1])),
            "column `c` is TEXT, in the file it is Int32",
        ),
        (
            SqlType::Boolean,
            Arc::new(Int32Array::from(vec![1])),
            "column `c` is BOOLEAN, in the file it is Int32",
        ),
        (
            SqlType::Date,
            Arc::new(TimestampSecondArray::from(vec![0])),
            "column `c` is DATE",
        ),
    ];
    for (sql_type, array, expected) in cases {
        let error = convert(sql_type, array).unwrap_err();
        assert!(
            error.starts_with("FILE: table `t`: column `c` is "),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
    }
}
