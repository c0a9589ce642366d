//! The options of COPY … FROM: lists of columns, REPLACE, ON_ERROR, and how numbers and times are written.

use arrow::array::AsArray;
use arrow::datatypes::Decimal128Type;

use super::super::TableWriter;
use super::super::tests::{stored, writer};
use super::tests::{copy, copy_csv, file, people, person};
use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::ErrorKind;
use crate::row::testing::{batch, table};

#[test]
fn a_list_says_which_columns_a_file_gives() {
    let listed = |names: &[&str]| CopyOptions {
        columns: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..CopyOptions::default()
    };
    let writer = people();
    let with_header = CopyOptions {
        header: Some(true),
        ..listed(&["id", "size"])
    };
    assert_eq!(
        copy_csv(&writer, "1.5,1\n,2\n", listed(&["size", "id"])),
        Ok(2)
    );
    assert_eq!(
        copy_csv(&writer, "Size,ID\n2.5,3\n", with_header.clone()),
        Ok(1)
    );
    let json = file(".jsonl", b"{\"id\": 4}");
    assert_eq!(copy(&writer, &json, listed(&["id"])), Ok(1));
    let expected = [
        person(1, None, Some(1.5)),
        person(2, None, None),
        person(3, None, Some(2.5)),
        person(4, None, None),
    ];
    assert_eq!(
        stored(&writer).columns(),
        batch(writer.table(), &expected).columns()
    );
    for (csv, options, expected) in [
        (
            "1,2,3\n",
            listed(&["id", "size"]),
            "FILE line 1: 2 columns are listed, the line has 3 fields",
        ),
        (
            "1\n",
            listed(&["id", "age"]),
            "table `t` has no column `age`",
        ),
        ("1\n", listed(&["id", "id"]), "column `id` is named twice"),
        (
            "x\n",
            listed(&["name"]),
            "table `t`: column `id` is not in the list, is NOT NULL and has no DEFAULT",
        ),
        (
            "id,name\n",
            with_header.clone(),
            "FILE line 1: the file has a column `name` that is not in the list; in it are `id`, `size`",
        ),
        (
            "id\n",
            with_header,
            "FILE line 1: the file lacks columns of table `t`: `size`",
        ),
    ] {
        assert_eq!(copy_csv(&writer, csv, options).unwrap_err().1, expected);
    }
}

#[test]
fn rows_take_the_places_of_others_where_that_is_said() {
    let writer = people();
    let replace = CopyOptions {
        replace: true,
        ..CopyOptions::default()
    };
    assert_eq!(
        copy_csv(&writer, "1,a,1\n2,b,2\n", CopyOptions::default()),
        Ok(2)
    );
    assert_eq!(copy_csv(&writer, "2,c,3\n3,d,4\n", replace), Ok(2));
    let expected = [
        person(1, Some("a"), Some(1.0)),
        person(2, Some("c"), Some(3.0)),
        person(3, Some("d"), Some(4.0)),
    ];
    assert_eq!(
        stored(&writer).columns(),
        batch(writer.table(), &expected).columns()
    );
    let again = copy_csv(&writer, "3,e,5\n", CopyOptions::default());
    assert_eq!(again.unwrap_err().0, ErrorKind::Conflict);
}

fn spelt(decimal: Option<char>, date: Option<&str>, timestamp: Option<&str>) -> CopyOptions {
    CopyOptions {
        delimiter: Some(';'),
        spelling: Spelling {
            decimal,
            date: date.map(str::to_owned),
            timestamp: timestamp.map(str::to_owned),
            thousands: None,
        },
        ..CopyOptions::default()
    }
}

fn german() -> CopyOptions {
    spelt(Some(','), Some("%d.%m.%Y"), Some("%d.%m.%Y %H:%M"))
}

/// A table of days, times and prices.
fn priced() -> TableWriter {
    let stamp = SqlType::Timestamp {
        precision: crate::datum::Precision::Second,
        utc: false,
    };
    let price = SqlType::Decimal {
        precision: 6,
        scale: 2,
    };
    let columns = [("d", SqlType::Date), ("ts", stamp), ("p?", price)];
    writer(&table(&columns, &["d"]))
}

#[test]
fn numbers_and_times_are_read_as_they_are_spelt() {
    let writer = priced();
    let copied = copy_csv(
        &writer,
        "31.01.2024;01.02.2024 10:30;12,5\n1.2.2024;2.2.2024 0:00;-3\n",
        german(),
    );
    assert_eq!(copied, Ok(2));
    let row = |day, seconds, price| {
        vec![
            Some(Datum::Date(day)),
            Some(Datum::Timestamp(seconds)),
            Some(Datum::Decimal(price)),
        ]
    };
    let expected = [
        row(19_753, 1_706_783_400, 1_250),
        row(19_754, 1_706_832_000, -300),
    ];
    assert_eq!(
        stored(&writer).columns(),
        batch(writer.table(), &expected).columns()
    );
}

#[test]
fn thousands_are_grouped() {
    let grouped = |decimal, thousands| {
        let mut options = spelt(decimal, None, None);
        options.spelling.thousands = Some(thousands);
        options
    };
    let read = |text: &str, options: CopyOptions| {
        let writer = priced();
        let csv = format!("2024-01-31;2024-01-31 00:00:00;{text}\n");
        copy_csv(&writer, &csv, options).map(|_| {
            let prices = stored(&writer).column(2).clone();
            prices.as_primitive::<Decimal128Type>().value(0)
        })
    };
    for (text, price) in [
        ("1.234,56", 123_456),
        ("-1.234", -123_400),
        ("999,5", 99_950),
        ("1234,5", 123_450),
        ("0,5", 50),
    ] {
        assert_eq!(read(text, grouped(Some(','), '.')), Ok(price), "{text}");
    }
    assert_eq!(read("1'234.5", grouped(None, '\'')), Ok(123_450));
    assert_eq!(read("1 234", grouped(None, ' ')), Ok(123_400));
    for text in [
        "1.23,5", "12.34", "1,234.5", "1.234.56", ".234", "1234.567", "1..234",
    ] {
        let error = read(text, grouped(Some(','), '.')).unwrap_err().1;
        assert!(error.contains("between thousands"), "{text}: {error}");
    }
    let error = read("1", grouped(None, '.')).unwrap_err().1;
    assert!(error.contains("both between thousands"), "{error}");
}

#[test]
fn what_is_spelt_otherwise_is_an_error() {
    let writer = priced();
    for (csv, options, expected) in [
        (
            "1.1.2023;1.1.2023 0:00;1.234,5",
            german(),
            "column `p`: '1.234,5' has a point, and ',' stands",
        ),
        (
            "2023-01-01;1.1.2023 0:00;1",
            german(),
            "column `d`: '2023-01-01' is not a DATE written as %d.%m.%Y",
        ),
        (
            "1.1.2023;2023-01-01;1",
            german(),
            "column `ts`: '2023-01-01' is not a TIMESTAMP written as",
        ),
        (
            "2023-01-01;2023-01-01;1,5",
            spelt(None, None, None),
            "'1,5' is not a DECIMAL(6, 2); say DECIMAL ','",
        ),
        (
            "",
            spelt(None, Some("%Q"), None),
            "'%Q' is no format of dates and times",
        ),
        (
            "",
            spelt(None, Some("DD.MM.YYYY"), None),
            "'DD.MM.YYYY' is no format of dates and times",
        ),
    ] {
        let error = copy_csv(&writer, csv, options).unwrap_err().1;
        assert!(error.contains(expected), "{csv}: {error}");
    }
}

/// What is wrong by itself is left out; what is wrong because of other rows is an error.
#[test]
fn rows_that_cannot_be_read_are_left_out_where_that_is_said() {
    let writer = people();
    let skip = || CopyOptions {
        skip: true,
        ..CopyOptions::default()
    };
    let csv = file(
        ".csv",
        b"1,a,1\n2,b\nx,c,3\n4,\"d,\"\"\",4.5\n,e,5\n6,toolong,6\n7,\xff,7\n8,h,eight\n9,i,\n",
    );
    assert_eq!(copy(&writer, &csv, skip()), Ok(3));
    let expected = [
        person(1, Some("a"), Some(1.0)),
        person(4, Some("d,\""), Some(4.5)),
        person(9, Some("i"), None),
    ];
    let stored = || stored(&writer);
    assert_eq!(
        stored().columns(),
        batch(writer.table(), &expected).columns()
    );
    let beside = format!("{}.rejected.csv", csv.path().display());
    let refused = std::fs::read_to_string(&beside).unwrap();
    let lines: Vec<&str> = refused.lines().collect();
    let path = csv.path().display();
    assert_eq!(lines[0], "file,line,reason,text");
    for (line, begin, end) in [
        (
            1,
            "2,\"table `t` has 3 columns, the line has 2 fields\",",
            "\"2,b\"",
        ),
        (
            2,
            "3,table `t`: column `id`: 'x' is not of type INT",
            ",\"x,c,3\"",
        ),
        (3, "5,", ",\",e,5\""),
        (4, "6,", ",\"6,toolong,6\""),
        (
            5,
            "7,table `t`: column `name`: the field is not UTF-8,",
            "7\"",
        ),
        (
            6,
            "8,table `t`: column `size`: 'eight' is not a DOUBLE",
            ",\"8,h,eight\"",
        ),
    ] {
        let rest = lines[line].strip_prefix(&format!("{path},")).unwrap();
        assert!(rest.starts_with(begin) && rest.ends_with(end), "{rest}");
    }
    assert_eq!(lines.len(), 7, "{refused}");
    // The next COPY leaves nothing out, and no old file behind.
    let good = std::fs::write(csv.path(), "10,j,10\n");
    assert!(good.is_ok() && copy(&writer, &csv, skip()) == Ok(1));
    assert!(!std::path::Path::new(&beside).exists());
    // A row that is there already is none of these.
    assert_eq!(
        copy(&writer, &csv, skip()).unwrap_err().0,
        ErrorKind::Conflict
    );
    std::fs::write(&beside, "mine").unwrap();
    let error = copy(&writer, &csv, skip()).unwrap_err().1;
    assert!(
        error.contains("is there already: name another by REJECTS"),
        "{error}"
    );
    std::fs::remove_file(&beside).unwrap();
    let json = file(".jsonl", b"{}");
    let error = copy(&writer, &json, skip()).unwrap_err().1;
    assert_eq!(error, "ON_ERROR skip is for csv files, and `FILE` is none");
}
