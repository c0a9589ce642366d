use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array,
    Int64Array, ListArray, RecordBatch, StringArray, StringDictionaryBuilder,
    TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Int8Type, Int32Type};

use super::{FORMATS, Format, Page, default_format, named};
use crate::shell::style::Colors;

/// One column of every kind: three rows of ordinary, hostile and absent values.
fn every_kind() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from(vec![1, -20, 300]))),
        (
            "name",
            Arc::new(StringArray::from(vec![Some("JFK"), Some(""), None])),
        ),
        (
            "note",
            Arc::new(StringArray::from(vec![
                "a,b|c",
                "say \"hi\"",
                "two\nlines\tand a tab",
            ])),
        ),
        (
            "price",
            Arc::new(
                Decimal128Array::from(vec![Some(123_450), Some(-5), None])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
        ),
        (
            "ratio",
            Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN), None])),
        ),
        (
            "at",
            Arc::new(TimestampMillisecondArray::from(vec![
                Some(1_357_034_400_000),
                Some(32_535_216_000_123),
                None,
            ])),
        ),
        (
            "instant",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(0), Some(-1), None]).with_timezone("UTC"),
            ),
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![Some(15_706), Some(-1), None])),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from(vec![
                Some(b"\x00\xff".as_slice()),
                Some(b""),
                None,
            ])),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn one_column(name: &str, array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([(name, array)]).unwrap()
}

fn numbers(count: i64) -> RecordBatch {
    one_column("n", Arc::new(Int64Array::from_iter_values(0..count)))
}

fn print_all(format: &dyn Format, page: Page, batches: &[RecordBatch]) -> io::Result<String> {
    let mut out = Vec::new();
    let mut sheet = format.sheet(batches[0].schema(), page, &mut out)?;
    for batch in batches {
        sheet.batch(batch)?;
    }
    sheet.finish()?;
    Ok(String::from_utf8(out).unwrap())
}

fn print(name: &str, batch: &RecordBatch) -> String {
    print_all(
        named(name).unwrap(),
        Page::default(),
        std::slice::from_ref(batch),
    )
    .unwrap()
}

#[test]
fn csv_quotes_what_needs_it_and_tells_null_from_empty() {
    let expected = "\
id,name,note,price,ratio,at,instant,day,bytes,flag
1,JFK,\"a,b|c\",1234.50,0.1,2013-01-01T10:00:00,1970-01-01T00:00:00Z,2013-01-01,\\x00ff,true
-20,\"\",\"say \"\"hi\"\"\",-0.05,NaN,3001-01-01T00:00:00.123,1969-12-31T23:59:59.999999Z,1969-12-31,\\x,false
300,,\"two\nlines\tand a tab\",,,,,,,
";
    assert_eq!(print("csv", &every_kind()), expected);
}

#[test]
fn tsv_quotes_tabs_and_not_commas() {
    let expected = "\
id\tname\tnote\tprice\tratio\tat\tinstant\tday\tbytes\tflag
1\tJFK\ta,b|c\t1234.50\t0.1\t2013-01-01T10:00:00\t1970-01-01T00:00:00Z\t2013-01-01\t\\x00ff\ttrue
-20\t\"\"\t\"say \"\"hi\"\"\"\t-0.05\tNaN\t3001-01-01T00:00:00.123\t1969-12-31T23:59:59.999999Z\t1969-12-31\t\\x\tfalse
300\t\t\"two\nlines\tand a tab\"\t\t\t\t\t\t\t
";
    assert_eq!(print("tsv", &every_kind()), expected);
}

#[test]
fn csv_is_read_back_as_it_was() {
    let text = print("csv", &every_kind());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(&records[0][2], "a,b|c");
    assert_eq!(&records[1][2], "say \"hi\"");
    assert_eq!(&records[2][2], "two\nlines\tand a tab");
}

#[test]
fn json_keeps_digits_and_names_what_is_no_number() {
    let expected = r#"[
  {"id":1,"name":"JFK","note":"a,b|c","price":1234.50,"ratio":0.1,"at":"2013-01-01T10:00:00","instant":"1970-01-01T00:00:00Z","day":"2013-01-01","bytes":"\\x00ff","flag":true},
  {"id":-20,"name":"","note":"say \"hi\"","price":-0.05,"ratio":"NaN","at":"3001-01-01T00:00:00.123","instant":"1969-12-31T23:59:59.999999Z","day":"1969-12-31","bytes":"\\x","flag":false},
  {"id":300,"name":null,"note":"two\nlines\tand a tab","price":null,"ratio":null,"at":null,"instant":null,"day":null,"bytes":null,"flag":null}
]
"#;
    let text = print("json", &every_kind());
    assert_eq!(text, expected);
    let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed[2]["note"], "two\nlines\tand a tab");
}

#[test]
fn json_lines_are_the_same_objects() {
    let lines = print("jsonl", &every_kind());
    let array: Vec<serde_json::Value> =
        serde_json::from_str(&print("json", &every_kind())).unwrap();
    let objects: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects, array);
}

#[test]
fn json_of_every_double() {
    let values = vec![1.0, 1e300, -0.0, 1e-7, f64::INFINITY, f64::NEG_INFINITY];
    let batch = one_column("x", Arc::new(Float64Array::from(values)));
    let expected = "\
{\"x\":1.0}
{\"x\":1e300}
{\"x\":-0.0}
{\"x\":1e-7}
{\"x\":\"Infinity\"}
{\"x\":\"-Infinity\"}
";
    assert_eq!(print("jsonl", &batch), expected);
}

#[test]
fn where_names_must_differ_they_are_numbered() {
    let column = || -> ArrayRef { Arc::new(Int32Array::from(vec![7])) };
    let schema = arrow::datatypes::Schema::new(vec![
        arrow::datatypes::Field::new("x", arrow::datatypes::DataType::Int32, false),
        arrow::datatypes::Field::new("x", arrow::datatypes::DataType::Int32, false),
    ]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![column(), column()]).unwrap();
    assert_eq!(print("jsonl", &batch), "{\"x\":7,\"x_2\":7}\n");
    assert!(print("insert", &batch).contains("(x, x_2) VALUES (7, 7)"));
    assert_eq!(print("csv", &batch), "x,x\n7,7\n");
}

#[test]
fn markdown_escapes_what_would_end_a_cell() {
    let expected = "\
| id | name | note | price | ratio | at | instant | day | bytes | flag |
| ---: | --- | --- | ---: | ---: | --- | --- | --- | --- | --- |
| 1 | JFK | a,b\\|c | 1234.50 | 0.1 | 2013-01-01T10:00:00 | 1970-01-01T00:00:00Z | 2013-01-01 | \\x00ff | true |
| -20 |  | say \"hi\" | -0.05 | NaN | 3001-01-01T00:00:00.123 | 1969-12-31T23:59:59.999999Z | 1969-12-31 | \\x | false |
| 300 | NULL | two<br>lines\\tand a tab | NULL | NULL | NULL | NULL | NULL | NULL | NULL |
";
    assert_eq!(print("markdown", &every_kind()), expected);
}

#[test]
fn a_box_shows_types_aligns_numbers_and_spells_null() {
    let batch = every_kind().project(&[0, 1, 2, 3, 8]).unwrap();
    let expected = "\
┌─────┬──────┬──────────────────┬───────────────┬────────┐
│  id │ name │ note             │         price │ bytes  │
│ int │ text │ text             │ decimal(10,2) │ bytea  │
├─────┼──────┼──────────────────┼───────────────┼────────┤
│   1 │ JFK  │ a,b|c            │       1234.50 │ \\x00ff │
│ -20 │      │ say \"hi\"         │         -0.05 │ \\x     │
│ 300 │ NULL │ two              │          NULL │ NULL   │
│     │      │ lines\\tand a tab │               │        │
└─────┴──────┴──────────────────┴───────────────┴────────┘
3 rows
";
    assert_eq!(print("box", &batch), expected);
}

#[test]
fn a_box_shows_the_head_and_the_tail_of_a_long_result() {
    let expected = "\
┌────────┐
│      n │
│ bigint │
├────────┤
│      0 │
│      1 │
│      2 │
│      · │
│   1998 │
│   1999 │
└────────┘
2,000 rows (5 shown)
";
    let page = Page {
        width: None,
        rows: Some(5),
        ..Page::default()
    };
    let table = named("box").unwrap();
    let whole = numbers(2000);
    // However the rows come in.
    for size in [1, 2, 3, 7, 999, 1999, 2000] {
        let batches: Vec<_> = (0..2000)
            .step_by(size)
            .map(|start| whole.slice(start, size.min(2000 - start)))
            .collect();
        assert_eq!(
            print_all(table, page.clone(), &batches).unwrap(),
            expected,
            "{size}"
        );
    }
    let all = print_all(table, page, &[numbers(5)]).unwrap();
    assert!(!all.contains('·') && all.ends_with("5 rows\n"), "{all}");
}

#[test]
fn a_box_is_not_wider_than_the_terminal() {
    let page = Page {
        width: Some(40),
        rows: None,
        ..Page::default()
    };
    let expected = "\
┌─────┬──────┬───┬────────┬─────────┐
│  id │ name │ … │ bytes  │ flag    │
│ int │ text │ … │ bytea  │ boolean │
├─────┼──────┼───┼────────┼─────────┤
│   1 │ JFK  │ … │ \\x00ff │ true    │
│ -20 │      │ … │ \\x     │ false   │
│ 300 │ NULL │ … │ NULL   │ NULL    │
└─────┴──────┴───┴────────┴─────────┘
3 rows, 10 columns (4 shown)
";
    let table = named("box").unwrap();
    assert_eq!(
        print_all(table, page.clone(), &[every_kind()]).unwrap(),
        expected
    );
    let wide = one_column("t", Arc::new(StringArray::from(vec!["x".repeat(100)])));
    let text = print_all(table, page, &[wide]).unwrap();
    let cut = format!("│ {}… │", "x".repeat(35));
    assert!(text.lines().any(|line| line == cut), "{text}");
}

#[test]
fn an_empty_result_still_has_its_heading() {
    let none = numbers(0);
    let texts = FORMATS.iter().map(|format| print(format.name(), &none));
    let expected = [
        "┌────────┐\n│      n │\n│ bigint │\n├────────┤\n└────────┘\n0 rows\n",
        "n\n",
        "n\n",
        "[\n]\n",
        "",
        "| n |\n| ---: |\n",
        "0 rows\n",
        "",
        "┌────────┐\n│      n │\n│ bigint │\n├────────┤\n└────────┘\n0 rows\n",
    ];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
}

#[test]
fn a_plan_is_printed_as_text() {
    let batch = RecordBatch::try_from_iter([
        (
            "plan_type",
            Arc::new(StringArray::from(vec!["logical_plan", "physical_plan"])) as ArrayRef,
        ),
        (
            "plan",
            Arc::new(StringArray::from(vec!["A\n  B", "C\n  D\n"])),
        ),
    ])
    .unwrap();
    assert_eq!(
        print("box", &batch),
        "logical_plan:\nA\n  B\nphysical_plan:\nC\n  D\n"
    );
}

/// Inside of a list NULL is told from nothing, and from the text.
#[test]
fn null_inside_of_a_list_is_shown() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None, Some(3)])]);
    let batch = RecordBatch::try_from_iter([("list", Arc::new(list) as ArrayRef)]).unwrap();
    for (format, shown) in [
        ("box", "[1, NULL, 3]"),
        ("auto", "[1, NULL, 3]"),
        ("line", "[1, NULL, 3]"),
        ("markdown", "[1, NULL, 3]"),
        ("csv", "[1, NULL, 3]"),
        ("tsv", "[1, NULL, 3]"),
        ("json", "[1,null,3]"),
        ("jsonl", "[1,null,3]"),
    ] {
        let text = print(format, &batch);
        assert!(text.contains(shown), "{format}: {text}");
    }
}

#[test]
fn nested_and_dictionary_values_have_text() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None]);
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    words.append_value("a");
    words.append_null();
    let batch = RecordBatch::try_from_iter([
        ("list", Arc::new(list) as ArrayRef),
        ("word", Arc::new(words.finish())),
    ])
    .unwrap();
    assert_eq!(print("csv", &batch), "list,word\n\"[1, NULL]\",a\n,\n");
    assert_eq!(
        print("jsonl", &batch),
        "{\"list\":[1,null],\"word\":\"a\"}\n{\"list\":null,\"word\":null}\n"
    );
    let table = print("box", &batch);
    assert!(table.contains("int[]") && table.contains("text"), "{table}");
}

#[test]
fn a_date_beyond_the_calendar_is_shown_to_people_and_refused_to_programs() {
    let batch = one_column("d", Arc::new(Date32Array::from(vec![i32::MAX])));
    for format in FORMATS {
        let printed = print_all(*format, Page::default(), std::slice::from_ref(&batch));
        let for_reading = ["box", "markdown", "line", "auto"].contains(&format.name());
        let name = format.name();
        assert_eq!(printed.is_ok(), for_reading, "{name}: {printed:?}");
        // A shell tells by its kind that this is no error of its output.
        let kind = printed.err().map(|error| error.kind());
        assert!(
            kind.is_none_or(|kind| kind == io::ErrorKind::InvalidData),
            "{name}"
        );
    }
}

/// A pipe whose reader has gone after so many bytes.
struct ClosedPipe(usize);

impl Write for ClosedPipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_known_as_one_in_every_format() {
    let write = |format: &dyn Format| {
        let mut pipe = ClosedPipe(40);
        let batch = numbers(5000);
        let mut sheet = format.sheet(batch.schema(), Page::default(), &mut pipe)?;
        sheet.batch(&batch)?;
        sheet.finish()
    };
    for format in FORMATS {
        let error = write(*format).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe, "{}", format.name());
    }
}

#[test]
fn formats_have_distinct_names_and_docs() {
    let mut names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
    assert_eq!(
        names,
        [
            "box", "csv", "tsv", "json", "jsonl", "markdown", "line", "insert", "auto"
        ]
    );
    let listed = format!("# {}\n", names.join(", "));
    assert!(
        include_str!("../../../README.md").contains(&listed),
        "{listed}"
    );
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FORMATS.len());
    assert!(FORMATS.iter().all(|format| !format.doc().is_empty()));
    assert!(named("xml").is_none());
    assert_eq!(default_format(true).name(), "box");
    assert_eq!(default_format(false).name(), "csv");
}

/// A text column of NULL, of what looks like it, and of other texts.
fn nulls() -> RecordBatch {
    let texts = vec![None, Some("NULL"), Some("null"), Some("'NULL'"), Some("")];
    one_column("t", Arc::new(StringArray::from(texts)))
}

#[test]
fn null_is_told_from_the_text_null() {
    let expected = "\
┌────────────┐
│ t          │
│ text       │
├────────────┤
│ NULL       │
│ 'NULL'     │
│ null       │
│ '''NULL''' │
│            │
└────────────┘
5 rows
";
    assert_eq!(print("box", &nulls()), expected);
    let markdown = print("markdown", &nulls());
    assert!(
        markdown.contains("| NULL |\n| 'NULL' |\n| null |\n"),
        "{markdown}"
    );
}

#[test]
fn colours_are_around_the_text_and_do_not_count() {
    let page = Page {
        colors: Colors::new(true),
        width: Some(14),
        ..Page::default()
    };
    let text = print_all(named("box").unwrap(), page, &[nulls()]).unwrap();
    let null = "│ \u{1b}[90mNULL      \u{1b}[0m │\n│ 'NULL'     │\n";
    assert!(text.contains(null), "{text}");
    assert!(text.contains("│ \u{1b}[1mt         \u{1b}[0m │"), "{text}");
}

#[test]
fn a_line_for_each_value_shows_them_whole() {
    let batch = every_kind().project(&[0, 2, 3]).unwrap();
    let expected = "\
─ row 1
id    │ 1
note  │ a,b|c
price │ 1234.50
─ row 2
id    │ -20
note  │ say \"hi\"
price │ -0.05
─ row 3
id    │ 300
note  │ two
      │ lines\\tand a tab
price │ NULL
3 rows
";
    assert_eq!(print("line", &batch), expected);
    let page = Page {
        rows: Some(3),
        width: Some(10),
        ..Page::default()
    };
    let long = print_all(named("line").unwrap(), page, &[numbers(2000)]).unwrap();
    let expected = "\
─ row 1
n │ 0
─ row 2
n │ 1
· 1,997 rows not shown
─ row 2,000
n │ 1999
2,000 rows (3 shown)
";
    assert_eq!(long, expected);
}

#[test]
fn a_date_is_not_cut() {
    let batch = every_kind().project(&[2, 5]).unwrap();
    let page = Page {
        width: Some(40),
        ..Page::default()
    };
    let text = print_all(named("box").unwrap(), page, &[batch]).unwrap();
    assert!(text.contains("│ 2013-01-01T10:00:00     │"), "{text}");
}

/// What has been written while somebody else writes.
#[derive(Clone, Default)]
struct Seen(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl std::io::Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_result_is_drawn_as_it_comes() {
    let numbers = |first: i64| {
        let values = arrow::array::Int64Array::from_iter_values(first..first + 1000);
        let array: arrow::array::ArrayRef = std::sync::Arc::new(values);
        arrow::array::RecordBatch::try_from_iter([("number", array)]).unwrap()
    };
    for name in ["box", "auto", "line"] {
        let mut out = Seen::default();
        let seen = out.clone();
        let schema = numbers(0).schema();
        let format = super::named(name).unwrap();
        let mut sheet = format.sheet(schema, Page::default(), &mut out).unwrap();
        let mut largest = 0;
        for batch in 0..30 {
            let before = seen.0.borrow().len();
            sheet.batch(&numbers(batch * 1000)).unwrap();
            largest = largest.max(seen.0.borrow().len() - before);
        }
        assert!(largest > 0, "{name} holds all rows back");
        sheet.finish().unwrap();
        let text = String::from_utf8(seen.0.borrow().clone()).unwrap();
        assert!(text.ends_with("30,000 rows\n"), "{name}");
        for number in [0, 9_999, 10_001, 29_999] {
            assert_eq!(
                text.matches(&format!(" {number} ")).count()
                    + text.matches(&format!("│ {number}\n")).count(),
                1,
                "{name}: {number}"
            );
        }
    }
}
