//! Parquet files: which values are taken, and which are refused.

use std::sync::Arc;

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

fn decimals(values: Vec<Option<i128>>, precision: u8, scale: i8) -> ArrayRef {
    let array = Decimal128Array::from(values);
    Arc::new(array.with_precision_and_scale(precision, scale).unwrap())
}

fn decimal(precision: u8, scale: i8) -> SqlType {
    SqlType::Decimal { precision, scale }
}

fn assert_converted(
    sql_type: SqlType,
    array: impl Array + 'static,
    expected: impl Array + 'static,
) {
    let from = array.data_type().clone();
    let expected: ArrayRef = Arc::new(expected);
    let converted = convert(sql_type.clone(), Arc::new(array));
    assert_eq!(converted, Ok(expected), "{from} as {sql_type}");
}

#[test]
fn numbers_are_converted_where_they_stay_the_same() {
    use SqlType::{Boolean, Double, Integer, Real, SmallInt};
    let low = Some(-32_768);
    assert_converted(
        SmallInt,
        Int64Array::from(vec![low, None]),
        Int16Array::from(vec![low.map(|low| low as i16), None]),
    );
    assert_converted(
        Integer,
        Float64Array::from(vec![Some(7.0), None]),
        Int32Array::from(vec![Some(7), None]),
    );
    assert_converted(
        Integer,
        decimals(vec![Some(700)], 5, 2),
        Int32Array::from(vec![7]),
    );
    assert_converted(
        Double,
        Int64Array::from(vec![1 << 53]),
        Float64Array::from(vec![9_007_199_254_740_992.0]),
    );
    assert_converted(
        Real,
        Float64Array::from(vec![0.5, f64::INFINITY]),
        Float32Array::from(vec![0.5, f32::INFINITY]),
    );
    assert_converted(
        decimal(10, 2),
        decimals(vec![Some(15), None], 5, 1),
        decimals(vec![Some(150), None], 10, 2),
    );
    assert_converted(
        decimal(4, 0),
        decimals(vec![Some(1_500)], 5, 2),
        decimals(vec![Some(15)], 4, 0),
    );
    assert_converted(
        decimal(4, 1),
        Int8Array::from(vec![-3]),
        decimals(vec![Some(-30)], 4, 1),
    );
    assert_converted(
        Boolean,
        BooleanArray::from(vec![true]),
        BooleanArray::from(vec![true]),
    );
    assert_converted(Boolean, NullArray::new(1), BooleanArray::from(vec![None]));
}

#[test]
fn text_and_bytes_of_every_form_are_taken() {
    use SqlType::{Bytea, Text, Varchar};
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("x")].into_iter().collect();
    let plain = StringArray::from(vec![Some("x"), None, Some("x")]);
    let bytes = || BinaryArray::from(vec![&b"\0\xff"[..]]);
    let fixed = FixedSizeBinaryArray::try_from_iter([b"\0\xff"].iter()).unwrap();
    assert_converted(Varchar(1), dictionary, plain);
    assert_converted(
        Text,
        LargeStringArray::from(vec!["ü"]),
        StringArray::from(vec!["ü"]),
    );
    assert_converted(Bytea, BinaryViewArray::from(vec![&b"\0\xff"[..]]), bytes());
    assert_converted(Bytea, fixed, bytes());
}

#[test]
fn times_are_converted_where_they_stay_the_same() {
    use Precision::{Millisecond, Second};
    let stamp = |precision, utc| SqlType::Timestamp { precision, utc };
    let millis = |values: Vec<Option<i64>>| TimestampMillisecondArray::from(values);
    let seconds =
        |count: i64, zone: &str| TimestampSecondArray::from(vec![count]).with_timezone(zone);
    assert_converted(
        SqlType::Date,
        Date64Array::from(vec![-86_400_000]),
        Date32Array::from(vec![-1]),
    );
    let days = Date32Array::from(vec![400_000]);
    assert_converted(
        stamp(Millisecond, false),
        days,
        millis(vec![Some(400_000 * 86_400_000)]),
    );
    let whole = TimestampSecondArray::from(vec![Some(-1), None]);
    assert_converted(
        stamp(Second, false),
        millis(vec![Some(-1_000), None]),
        whole,
    );
    assert_converted(
        stamp(Second, true),
        millis(vec![Some(1_000)]),
        seconds(1, "+00:00"),
    );
    assert_converted(
        stamp(Second, true),
        seconds(1, "+02:00"),
        seconds(1, "+00:00"),
    );
}

fn assert_refused(sql_type: SqlType, array: impl Array + 'static, expected: &str) {
    let error = convert(sql_type, Arc::new(array)).unwrap_err();
    assert_eq!(error, format!("FILE row {expected}"));
}

#[test]
fn values_that_would_change_are_refused_with_their_row() {
    use Precision::{Nanosecond, Second};
    use SqlType::{BigInt, Char, Date, Double, Integer, Real, SmallInt};
    let stamp = |precision| SqlType::Timestamp {
        precision,
        utc: false,
    };
    let refused = |sql_type: SqlType, array: ArrayRef, row: usize, value: &str| {
        let expected =
            format!("{row}: table `t`: column `c` of type {sql_type} cannot hold {value} exactly");
        assert_refused(sql_type, array, &expected);
    };
    refused(
        SmallInt,
        Arc::new(Int32Array::from(vec![1, 40_000])),
        2,
        "40000",
    );
    refused(Integer, Arc::new(Float64Array::from(vec![7.5])), 1, "7.5");
    refused(
        BigInt,
        Arc::new(UInt64Array::from(vec![u64::MAX])),
        1,
        "18446744073709551615",
    );
    refused(
        Double,
        Arc::new(Int64Array::from(vec![(1 << 53) + 1])),
        1,
        "9007199254740993",
    );
    refused(Real, Arc::new(Float64Array::from(vec![0.1])), 1, "0.1");
    refused(
        decimal(4, 1),
        Arc::new(Int32Array::from(vec![1_000])),
        1,
        "1000",
    );
    refused(decimal(4, 1), decimals(vec![Some(15)], 5, 2), 1, "0.15");
    refused(
        Date,
        Arc::new(Date64Array::from(vec![1])),
        1,
        "1970-01-01T00:00:00.001",
    );
    let half = TimestampMillisecondArray::from(vec![1_500]);
    refused(stamp(Second), Arc::new(half), 1, "1970-01-01T00:00:01.500");
    let late = TimestampSecondArray::from(vec![40_000_000_000]);
    refused(stamp(Nanosecond), Arc::new(late), 1, "3237-07-19T23:06:40");
    refused(
        stamp(Nanosecond),
        Arc::new(Date32Array::from(vec![400_000])),
        1,
        "3065-03-01",
    );
    assert_refused(
        Char(2),
        StringArray::from(vec!["ab", "abc"]),
        "2: table `t`: column `c` of type CHAR(2) cannot hold 'abc': at most 2 bytes of UTF-8 are possible, none of \
         them 00",
    );
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

/// The bytes of the texts of each batch that a file of `id` and `name` is read in.
fn text_bytes(names: &StringArray) -> Vec<usize> {
    let ids: Int32Array = (0..i32::try_from(names.len()).unwrap()).collect();
    let file = parquet(vec![
        ("id", Arc::new(ids)),
        ("name", Arc::new(names.clone())),
    ]);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file.reopen().unwrap()).unwrap();
    let mut bytes = Vec::new();
    for batch in batches(builder).unwrap() {
        let batch = batch.unwrap();
        let names = batch.column(1).as_any().downcast_ref::<StringArray>();
        bytes.push(names.unwrap().iter().flatten().map(str::len).sum());
    }
    bytes
}

/// Rows that are long come in batches of few, also where the file holds their texts once, for all rows that have them.
#[test]
fn a_batch_of_long_rows_has_few_of_them() {
    let mut random = fastrand::Rng::with_seed(7);
    let distinct: StringArray = (0..200)
        .map(|_| {
            Some(
                (0..20_000)
                    .map(|_| random.alphanumeric())
                    .collect::<String>(),
            )
        })
        .collect();
    let text = "the same in every row ".repeat(1_000);
    let repeated: StringArray = (0..1_000).map(|_| Some(text.clone())).collect();
    for names in [distinct, repeated] {
        let bytes = text_bytes(&names);
        assert_eq!(bytes.iter().sum::<usize>(), names.value_data().len());
        assert!(bytes.iter().all(|bytes| *bytes <= BATCH_BYTES), "{bytes:?}");
        assert!(bytes.len() < 40, "{bytes:?}");
    }
    let short: StringArray = (0..20_000).map(|_| Some("a name")).collect();
    assert_eq!(text_bytes(&short).len(), 3);
}
