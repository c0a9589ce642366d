use std::fmt::Write as _;

use arrow::array::StringArray;

use super::super::options::{FileCompression, FileFormat, FileKind, OptionWords};
use super::super::tests::file;
use super::*;
use crate::datum::SqlType;
use crate::row::testing::table;

/// The batches of a CSV file of `id` and `name`: their texts, and the line on which each row starts.
fn batches(csv: &str) -> Vec<(Vec<String>, Vec<u64>)> {
    let table = table(
        &[("id", SqlType::Integer), ("name?", SqlType::Text)],
        &["id"],
    );
    let written = file(".csv", csv.as_bytes());
    let source = SourceFile {
        path: written.path().to_owned(),
        index: 0,
        kind: FileKind {
            format: FileFormat::Csv,
            compression: FileCompression::None,
        },
        words: OptionWords::Copy,
        first_line: 1,
        shown: None,
    };
    let options = CopyOptions::default();
    let shape = Shape::of(&table);
    let mut opened =
        CsvFile::open(&shape, &source, &options, &[0, 1], &Progress::default()).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = opened.next_batch().unwrap() {
        let names = batch.rows.column(1).as_any().downcast_ref::<StringArray>();
        let names = names.unwrap().iter().flatten().map(str::to_owned);
        batches.push((names.collect(), batch.numbers));
    }
    batches
}

/// Rows that are long end a batch early: their bytes are bounded, and not only their number.
#[test]
fn a_batch_ends_where_its_text_is_long() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut csv, mut expected, mut line) = (String::new(), Vec::new(), 1);
    for id in 0..400 {
        let mut length = || random.usize(0..30_000);
        // Over two lines each.
        let name = format!("{}\n{}", "x".repeat(length()), "y".repeat(length()));
        writeln!(csv, "{id},\"{name}\"").unwrap();
        expected.push((name, line));
        line += 2;
    }
    let batches = batches(&csv);
    assert!(batches.len() > 5, "{}", batches.len());
    for (names, _) in &batches {
        let bytes: usize = names.iter().map(String::len).sum();
        assert!(bytes < BATCH_BYTES + 60_000, "{bytes}");
    }
    let read = batches.into_iter().flat_map(|(names, lines)| {
        assert_eq!(names.len(), lines.len());
        names.into_iter().zip(lines)
    });
    assert!(read.eq(expected), "a row is lost, or its line is another");
}

#[test]
fn a_batch_of_short_rows_is_full_when_it_has_many() {
    let csv: String = (0..20_000).map(|id| format!("{id},a name\n")).collect();
    let batches = batches(&csv);
    let rows: Vec<usize> = batches.iter().map(|(names, _)| names.len()).collect();
    assert_eq!(rows, [BATCH_ROWS, BATCH_ROWS, 20_000 - 2 * BATCH_ROWS]);
}
