//! Files: what is read, and what one sees where a file is wrong.

use std::io::Write;

use arrow::array::*;
use arrow::datatypes::{DataType, Int32Type, TimeUnit};
use datafusion::parquet::arrow::ArrowWriter;
use fastrand::Rng;
use tempfile::NamedTempFile;

use super::super::tests::{int, stored, text, writer};
use super::super::{STATEMENT_MEMORY, TableWriter};
use super::lines::Lines;
use super::*;
use crate::datum::{Datum, Precision, SqlType};
use crate::error::ErrorKind;
use crate::row::testing::{batch, seed, table};

fn people() -> TableWriter {
    writer(&table(
        &[
            ("id", SqlType::Integer),
            ("name?", SqlType::Varchar(5)),
            ("size?", SqlType::Double),
        ],
        &["id"],
    ))
}

fn file(extension: &str, bytes: &[u8]) -> NamedTempFile {
    let mut file = tempfile::Builder::new()
        .suffix(extension)
        .tempfile()
        .unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn header() -> CopyOptions {
    CopyOptions {
        header: Some(true),
        ..CopyOptions::default()
    }
}

/// Copies a file and gives errors with `FILE` in place of its path.
fn copy(
    writer: &TableWriter,
    file: &NamedTempFile,
    options: CopyOptions,
) -> Result<u64, (ErrorKind, String)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let path = file.path().to_owned();
    let copied = runtime.block_on(copy_from(
        Arc::new(writer.clone()),
        path.clone(),
        options,
        STATEMENT_MEMORY,
    ));
    copied.map_err(|error| {
        (
            error.kind(),
            error.to_string().replace(&*path.to_string_lossy(), "FILE"),
        )
    })
}

fn copy_csv(
    writer: &TableWriter,
    csv: &str,
    options: CopyOptions,
) -> Result<u64, (ErrorKind, String)> {
    copy(writer, &file(".csv", csv.as_bytes()), options)
}

fn person(id: i64, name: Option<&str>, size: Option<f64>) -> Vec<Option<Datum>> {
    vec![int(id), name.and_then(text), size.map(Datum::double)]
}

#[test]
fn columns_are_found_by_position_or_by_name() {
    let expected = [
        person(1, Some("a"), Some(1.5)),
        person(2, Some("b,\n\"c"), None),
    ];
    let cases = [
        ("1,a,1.5\n2,\"b,\n\"\"c\",\n", CopyOptions::default()),
        ("SIZE,id,name\r\n1.5,1,a\r\n\r\n,2,\"b,\n\"\"c\"", header()),
        (
            "\u{feff}id,name,size\n1,a,1.5\n2,\"b,\n\"\"c\",\n",
            header(),
        ),
        (
            "\u{feff}\"id\",name,size\n1,a,1.5\n2,\"b,\n\"\"c\",\n",
            header(),
        ),
        (
            "1|a|1.5\n2|\"b,\n\"\"c\"|\n",
            CopyOptions {
                delimiter: Some('|'),
                ..CopyOptions::default()
            },
        ),
        (
            "1\ta\t1.5\n2\t\"b,\n\"\"c\"\tNA\n",
            CopyOptions {
                delimiter: Some('\t'),
                null: Some("NA".to_owned()),
                ..CopyOptions::default()
            },
        ),
    ];
    for (csv, options) in cases {
        let writer = people();
        assert_eq!(copy_csv(&writer, csv, options), Ok(2), "{csv}");
        assert_eq!(
            stored(&writer).columns(),
            batch(writer.table(), &expected).columns(),
            "{csv}"
        );
    }
}

/// Without the option an empty field is NULL; with it a field is NULL exactly when it is that text.
#[test]
fn what_is_null() {
    let null = |null: &str| CopyOptions {
        null: Some(null.to_owned()),
        ..CopyOptions::default()
    };
    let cases = [
        ("1,,\n", CopyOptions::default(), person(1, None, None)),
        (
            "1,\"\",\"\"\n",
            CopyOptions::default(),
            person(1, None, None),
        ),
        ("1,,\n", null(""), person(1, None, None)),
        ("1,,NA\n", null("NA"), person(1, Some(""), None)),
        ("1,NA,NA\n", null("NA"), person(1, None, None)),
        ("1,\"NA\",\"NA\"\n", null("NA"), person(1, None, None)),
        ("1,na,2\n", null("NA"), person(1, Some("na"), Some(2.0))),
        ("1, NA,2\n", null("NA"), person(1, Some(" NA"), Some(2.0))),
    ];
    for (csv, options, expected) in cases {
        let writer = people();
        assert_eq!(copy_csv(&writer, csv, options), Ok(1), "{csv}");
        assert_eq!(
            stored(&writer).columns(),
            batch(writer.table(), &[expected]).columns(),
            "{csv}"
        );
    }
    let error = copy_csv(&people(), "1,x,\n", null("NA")).unwrap_err().1;
    assert_eq!(
        error,
        "FILE line 1: table `t`: column `size`: '' is not a DOUBLE"
    );
    let error = copy_csv(&people(), ",x,1\n", CopyOptions::default())
        .unwrap_err()
        .1;
    assert_eq!(
        error,
        "FILE line 1: table `t`: column `id` is NOT NULL and is given NULL"
    );
}

#[test]
fn errors_name_line_column_and_value() {
    let cases = [
        (
            "1,a,1\n2,b,x\n",
            "FILE line 2: table `t`: column `size`: 'x' is not a DOUBLE",
        ),
        (
            "1,a,1\n\n\n2x,b,1\n",
            "FILE line 4: table `t`: column `id`: '2x' is not of type INT",
        ),
        (
            "1,a,1\r\n\r\n2x,b,1\r\n",
            "FILE line 3: table `t`: column `id`: '2x' is not of type INT",
        ),
        (
            "1,\"a\nb\",1\n2,b,NA\n",
            "FILE line 3: table `t`: column `size`: 'NA' is not a DOUBLE; say NULL '…' where a text stands for NULL",
        ),
        (
            "1,a,1\n3000000000,b,1",
            "FILE line 2: table `t`: column `id`: '3000000000' is out of the range of INT",
        ),
        (
            "1,a,1\n2,abcdef,1\n",
            "FILE line 2: table `t`: column `name` of type VARCHAR(5) cannot hold 'abcdef': it has more than 5 characters",
        ),
        (
            "1,a,1\n2,b\n",
            "FILE line 2: table `t` has 3 columns, the line has 2 fields",
        ),
        (
            "1,a,1\n2,b,1,\n",
            "FILE line 2: table `t` has 3 columns, the line has 4 fields",
        ),
        (
            "1,a,1\n2,\"b,1\n3,c,1\n",
            "FILE line 2: a quote is opened and never closed",
        ),
        (
            "1,a,1\n2,b,1\n1,c,1\n",
            "FILE line 3: table `t`: (id = 1) is given twice, first in FILE line 1; its row key is /1",
        ),
        (
            "7,a,1\n",
            "FILE line 1: table `t`: a row with (id = 7) is there already, under the row key /7",
        ),
    ];
    let writer = people();
    copy_csv(&writer, "7,x,7\n", CopyOptions::default()).unwrap();
    for (csv, expected) in cases {
        let (kind, error) = copy_csv(&writer, csv, CopyOptions::default()).unwrap_err();
        assert_eq!(error, expected, "{csv}");
        assert!(matches!(
            kind,
            ErrorKind::InvalidInput | ErrorKind::Conflict
        ));
        assert_eq!(stored(&writer).num_rows(), 1, "{csv}");
    }
    let latin = file(".csv", b"1,a,1\n2,\xe9,1\n");
    let error = copy(&writer, &latin, CopyOptions::default()).unwrap_err().1;
    assert_eq!(
        error,
        "FILE line 2: table `t`: column `name`: the field is not UTF-8"
    );
}

#[test]
fn a_header_must_name_every_column_once() {
    let cases = [
        ("", "`FILE` is empty, a header was expected"),
        (
            "id,name\n",
            "FILE line 1: the file lacks columns of table `t`: `size`",
        ),
        (
            "\nid,name,size,x\n",
            "FILE line 2: the file has a column `x` that table `t` does not have; its columns are `id`, `name`, `size`",
        ),
        (
            "id,name,Name,size\n",
            "FILE line 1: the file has the column `Name` twice",
        ),
        (
            "id;name;size\n",
            "FILE line 1: the file has a column `id;name;size` that table `t` does not have; its columns are `id`, `name`, `size`",
        ),
    ];
    for (csv, expected) in cases {
        assert_eq!(
            copy_csv(&people(), csv, header()).unwrap_err(),
            (ErrorKind::InvalidInput, expected.to_owned())
        );
    }
    assert_eq!(copy_csv(&people(), "id,name,size\n", header()), Ok(0));
    assert_eq!(copy_csv(&people(), "", CopyOptions::default()), Ok(0));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let writer = people();
    let unknown = file(".txt", b"1,a,1\n");
    let error = copy(&writer, &unknown, CopyOptions::default())
        .unwrap_err()
        .1;
    assert_eq!(
        error,
        "the format of `FILE` is not known: say (FORMAT CSV) or (FORMAT PARQUET)"
    );
    let csv = CopyOptions {
        format: Some(FileFormat::Csv),
        ..CopyOptions::default()
    };
    assert_eq!(copy(&writer, &unknown, csv), Ok(1));
    let parquet = CopyOptions {
        format: Some(FileFormat::Parquet),
        ..CopyOptions::default()
    };
    let error = copy(&writer, &unknown, parquet.clone()).unwrap_err().1;
    assert!(
        error.starts_with("`FILE` is no readable Parquet file: "),
        "{error}"
    );
    let error = copy(
        &writer,
        &unknown,
        CopyOptions {
            header: Some(false),
            ..parquet
        },
    )
    .unwrap_err()
    .1;
    assert_eq!(
        error,
        "HEADER, DELIMITER and NULL are options of CSV files, not of Parquet files"
    );
    for delimiter in ['"', '\n', 'ü'] {
        let options = CopyOptions {
            delimiter: Some(delimiter),
            ..CopyOptions::default()
        };
        let (kind, error) = copy_csv(&writer, "", options).unwrap_err();
        assert_eq!(kind, ErrorKind::InvalidInput);
        assert!(error.starts_with("DELIMITER"), "{error}");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let missing = copy_from(
        Arc::new(writer),
        "no/such.csv".into(),
        CopyOptions::default(),
        STATEMENT_MEMORY,
    );
    let error = runtime.block_on(missing).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(
        error
            .to_string()
            .starts_with("`no/such.csv` cannot be opened: "),
        "{error}"
    );
}

#[test]
fn a_file_over_the_memory_of_a_statement_is_refused() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let csv: String = (0..20_000).map(|id| format!("{id},a,1\n")).collect();
    let (writer, file) = (people(), file(".csv", csv.as_bytes()));
    let copied = copy_from(
        Arc::new(writer.clone()),
        file.path().to_owned(),
        CopyOptions::default(),
        1 << 20,
    );
    let error = runtime.block_on(copied).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSupported);
    assert_eq!(stored(&writer).num_rows(), 0);
    assert_eq!(copy(&writer, &file, CopyOptions::default()), Ok(20_000));
    assert_eq!(stored(&writer).num_rows(), 20_000);
}

/// The lines are those on which the reader's own records start, whatever the file.
#[test]
fn lines_and_records_go_together() {
    let mut rng = Rng::with_seed(seed());
    let pieces = ["a", ",", "\"", "\"\"", "\n", "\r", "\r\n", " ", "xyz"];
    for _ in 0..20_000 {
        let bytes: String = (0..rng.usize(0..14))
            .map(|_| pieces[rng.usize(0..pieces.len())])
            .collect();
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(rng.usize(1..9))
            .from_reader(Lines::new(bytes.as_bytes(), b','));
        let mut record = ::csv::ByteRecord::new();
        let (mut newest, mut open) = (0, None);
        while reader.read_byte_record(&mut record).unwrap() {
            let line = reader.get_mut().next_start();
            assert!(line > newest, "{bytes:?}: line {line} after {newest}");
            newest = line;
            open = reader.get_ref().open_quote();
            // Where the reader stood before it skipped ends of lines is not after the record.
            assert!(record.position().unwrap().line() <= line, "{bytes:?}");
        }
        let left = reader.get_mut();
        let line = left.next_start();
        let lines = bytes
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .matches('\n')
            .count() as u64
            + 1;
        assert_eq!(line, lines, "{bytes:?}: a line is left over");
        assert_eq!(open.is_some(), ends_in_quotes(&bytes), "{bytes:?}");
    }
}

/// Whether the text ends inside of a quoted field, found by cutting it into fields.
fn ends_in_quotes(mut text: &str) -> bool {
    loop {
        let Some(quoted) = text.strip_prefix('"') else {
            match text.find([',', '\n', '\r']) {
                Some(end) => text = &text[end + 1..],
                None => return false,
            }
            continue;
        };
        // The closing quote is the first that is not one of two.
        let unescaped = quoted.replace("\"\"", "__");
        let Some(end) = unescaped.find('"') else {
            return true;
        };
        let rest = &quoted[end + 1..];
        match rest.find([',', '\n', '\r']) {
            Some(end) => text = &rest[end + 1..],
            None => return false,
        }
    }
}

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
