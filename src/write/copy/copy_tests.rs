//! Files: what is read, and what one sees where a file is wrong.

use std::io::Write;

use fastrand::Rng;
use tempfile::NamedTempFile;

use super::super::tests::{int, stored, text, writer};
use super::super::{TableWriter, WriteSettings};
use super::dialect::CsvDialect;
use super::lines::Lines;
use super::*;
use crate::datum::{Datum, SqlType};
use crate::error::ErrorKind;
use crate::row::testing::{batch, table};
use crate::seed::seed;

pub(super) fn people() -> TableWriter {
    writer(&table(
        &[
            ("id", SqlType::Integer),
            ("name?", SqlType::Varchar(5)),
            ("size?", SqlType::Double),
        ],
        &["id"],
    ))
}

pub(super) fn file(extension: &str, bytes: &[u8]) -> NamedTempFile {
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
pub(super) fn copy(
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
        path.to_string_lossy().into_owned(),
        options,
        Vec::new(),
        WriteSettings::default(),
        Progress::default(),
    ));
    copied.map(|copied| copied.rows).map_err(|error| {
        (
            error.kind(),
            error.to_string().replace(&*path.to_string_lossy(), "FILE"),
        )
    })
}

pub(super) fn copy_csv(
    writer: &TableWriter,
    csv: &str,
    options: CopyOptions,
) -> Result<u64, (ErrorKind, String)> {
    copy(writer, &file(".csv", csv.as_bytes()), options)
}

pub(super) fn person(id: i64, name: Option<&str>, size: Option<f64>) -> Vec<Option<Datum>> {
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

/// Without the option an empty field is NULL, but for `""` of a text; with it a field is NULL exactly when it is that text.
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
            person(1, Some(""), None),
        ),
        ("1,\"\",", CopyOptions::default(), person(1, Some(""), None)),
        (
            "1,\"\"\"\",1\n",
            CopyOptions::default(),
            person(1, Some("\""), Some(1.0)),
        ),
        ("1,\"\",1\n", null(""), person(1, None, Some(1.0))),
        ("1,\"\",NA\n", null("NA"), person(1, Some(""), None)),
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
            "id,name,Size\n",
            "FILE line 1: table `t`: column `id`: 'id' is not of type INT; the line names columns: say HEADER",
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
        "the format of `FILE` is not known: say (FORMAT csv) or (FORMAT parquet) or (FORMAT jsonl) or (FORMAT arrow)"
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
        "HEADER, DELIMITER and NULL are options of csv files, not of parquet files"
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
        Vec::new(),
        WriteSettings::default(),
        Progress::default(),
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

/// A file that needs many runs: loaded whole; with a mistake near its end not at all.
#[test]
fn a_file_over_the_memory_of_a_statement_is_loaded_or_not_at_all() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lines = |last: &str| {
        let rows: String = (0..20_000).map(|id| format!("{id},a,1\n")).collect();
        file(".csv", format!("{rows}{last}").as_bytes())
    };
    let settings = WriteSettings {
        memory: 100_000,
        ..WriteSettings::default()
    };
    let load = |writer: &TableWriter, file: &NamedTempFile| {
        let progress = Progress::default();
        let copied = runtime.block_on(copy_from(
            Arc::new(writer.clone()),
            file.path().to_string_lossy().into_owned(),
            CopyOptions::default(),
            Vec::new(),
            settings,
            progress.clone(),
        ));
        let path = file.path().to_string_lossy().into_owned();
        let said = copied
            .map(|copied| copied.rows)
            .map_err(|error| error.to_string().replace(&path, "FILE"));
        (said, progress.report())
    };
    let writer = people();
    for (last, error) in [
        (
            "20000,b,x\n",
            "FILE line 20001: table `t`: column `size`: 'x' is not a DOUBLE",
        ),
        (
            "123,b,2\n",
            "FILE line 20001: table `t`: (id = 123) is given twice, first in FILE line 124; its row key is /123",
        ),
        (
            "20000,too long,2\n",
            "FILE line 20001: table `t`: column `name` of type VARCHAR(5) cannot hold 'too long': it has more than 5 \
             characters",
        ),
    ] {
        assert_eq!(load(&writer, &lines(last)).0, Err(error.to_owned()));
        assert_eq!(stored(&writer).num_rows(), 0);
    }
    let whole = lines("");
    let (copied, report) = load(&writer, &whole);
    assert_eq!((copied, stored(&writer).num_rows()), (Ok(20_000), 20_000));
    assert_eq!((report.rows_read, report.rows_written), (20_000, 20_000));
    let bytes = whole.path().metadata().unwrap().len();
    assert_eq!((report.bytes_read, report.bytes_total), (bytes, bytes));
    let (again, _) = load(&writer, &whole);
    let expected =
        "FILE line 1: table `t`: a row with (id = 0) is there already, under the row key /0";
    assert_eq!(again, Err(expected.to_owned()));
}

/// Batches are read ahead of those that are added: a later mistake that is met earlier is not the one that is told.
#[test]
fn the_first_mistake_of_a_file_is_told() {
    for bad in [10, 9_000, 50_000] {
        let row = |id: u64| match id {
            id if id == bad => format!("{id},too long,1\n"),
            id if id == bad + 9_000 => format!("{id},a,x\n"),
            id => format!("{id},a,1\n"),
        };
        let csv: String = (1..60_000).map(row).collect();
        let error = copy_csv(&people(), &csv, CopyOptions::default()).unwrap_err();
        let expected = format!("FILE line {bad}: table `t`: column `name` of type VARCHAR(5)");
        assert!(error.1.starts_with(&expected), "{error:?}");
    }
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
            .from_reader(Lines::new(
                bytes.as_bytes(),
                CsvDialect::default(),
                1,
                usize::MAX,
            ));
        let mut record = ::csv::ByteRecord::new();
        let (mut newest, mut open) = (0, None);
        let mut quoted_empty = Vec::new();
        while reader.read_byte_record(&mut record).unwrap() {
            let line = reader.get_mut().next_start();
            assert!(line > newest, "{bytes:?}: line {line} after {newest}");
            newest = line;
            open = reader.get_ref().open_quote();
            let fields = (0..record.len()).filter(|field| reader.get_mut().is_quoted_empty(*field));
            quoted_empty.push(fields.collect::<Vec<_>>());
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
        if open.is_none() {
            let is_empty = |field: &(usize, &str)| field.1 == "\"\"";
            let expected = raw_records(&bytes).into_iter().map(|fields| {
                let fields = fields.into_iter().enumerate().filter(is_empty);
                fields.map(|(place, _)| place).collect::<Vec<_>>()
            });
            assert_eq!(quoted_empty, expected.collect::<Vec<_>>(), "{bytes:?}");
        }
    }
}

/// With escapes and comments the lines are still those of the reader's records.
#[test]
fn lines_and_records_go_together_in_other_dialects() {
    let mut rng = Rng::with_seed(seed());
    let pieces = [
        "a", ";", "'", "''", "\\'", "\\\\", "\n", "\r\n", "#", "\"", "#x,'\n",
    ];
    let dialect = CsvDialect {
        delimiter: b';',
        quote: Some(b'\''),
        escape: Some(b'\\'),
        comment: Some(b'#'),
    };
    for _ in 0..20_000 {
        let bytes: String = (0..rng.usize(0..14))
            .map(|_| pieces[rng.usize(0..pieces.len())])
            .collect();
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(b';')
            .quote(b'\'')
            .escape(Some(b'\\'))
            .comment(Some(b'#'))
            .buffer_capacity(rng.usize(1..9))
            .from_reader(Lines::new(bytes.as_bytes(), dialect, 1, usize::MAX));
        let mut record = ::csv::ByteRecord::new();
        let (mut newest, mut records) = (0, 0);
        while reader.read_byte_record(&mut record).unwrap() {
            let line = reader.get_mut().next_start();
            assert!(line > newest, "{bytes:?}: line {line} after {newest}");
            (newest, records) = (line, records + 1);
            reader.get_mut().stray();
        }
        // Nothing is left over: the next would start behind the last line.
        let lines = bytes.matches('\n').count() as u64 + 1;
        let left = reader.get_mut();
        assert_eq!(left.next_start(), lines, "{bytes:?}: {records}");
        assert_eq!(left.stray(), None, "{bytes:?}");
    }
}

#[test]
fn what_no_field_may_have_is_told_with_its_line() {
    for (text, expected) in [
        (
            "id,name\n1,\"a\"b\"\n",
            "FILE line 2: 'b' stands behind the closing quote of a field",
        ),
        (
            "id,name\n1,\"a\nb\" \n",
            "FILE line 3: ' ' stands behind the closing quote",
        ),
        (
            "id,\"na\"me\n",
            "FILE line 1: 'm' stands behind the closing quote",
        ),
        (
            "id,name\n1,\"a\"é\n",
            "FILE line 2: a letter stands behind the closing quote",
        ),
    ] {
        let error = copy_csv(&people(), text, list_of(&["id", "name"]))
            .unwrap_err()
            .1;
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let escaped = || CopyOptions {
        quote: Some('\''),
        escape: Some('\\'),
        ..list_of(&["id", "name"])
    };
    let writer = people();
    let copied = copy_csv(&writer, "id,name\n1,'a\\'b'\n2,'a''b'\n3,a\"b\n", escaped());
    assert_eq!(copied, Ok(3));
    let wrong = copy_csv(&people(), "id,name\n1,'a\\n'\n", escaped())
        .unwrap_err()
        .1;
    assert!(
        wrong.starts_with("FILE line 2: 'n' stands behind the escape"),
        "{wrong}"
    );
}

fn list_of(columns: &[&str]) -> CopyOptions {
    CopyOptions {
        columns: Some(columns.iter().map(|name| (*name).to_owned()).collect()),
        ..header()
    }
}

/// The fields of each record as they are written, quotes included; for text whose quotes are closed.
fn raw_records(mut text: &str) -> Vec<Vec<&str>> {
    let mut records = vec![Vec::new()];
    loop {
        // The closing quote is the first that is not one of two.
        let quoted = text.strip_prefix('"').map(|quoted| {
            let end = quoted.replace("\"\"", "__").find('"').unwrap();
            end + 2
        });
        let closed = quoted.unwrap_or(0);
        let end = text[closed..].find([',', '\n', '\r']);
        let end = end.map_or(text.len(), |end| closed + end);
        records.last_mut().unwrap().push(&text[..end]);
        if end == text.len() {
            break;
        }
        if !text[end..].starts_with(',') {
            records.push(Vec::new());
        }
        text = &text[end + 1..];
    }
    records.retain(|record| *record != [""]);
    records
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
