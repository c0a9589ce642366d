//! What files answer, and what DataFusion would.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::compute_leaves;
use datafusion::prelude::{SessionConfig, SessionContext};
use tempfile::TempDir;

use crate::fault::{self, Fault};
use crate::session::testing::{plain_rows, rows_of, run, with};

/// A file whose column `k` has 3, NULL, 3, and does not say how many NULLs.
const UNCOUNTED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/files/uncounted_nulls.parquet"
);

/// What DataFusion alone says of files.
async fn theirs(sql: &str) -> Result<Vec<String>, String> {
    let session = SessionContext::new_with_config(SessionConfig::new()).enable_url_table();
    plain_rows(&session, sql).await
}

async fn ours(sql: &str) -> Vec<String> {
    let mut rows = rows_of(&with(&[]).await, sql).await;
    rows.sort();
    rows
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Writes a file of one group for each batch, as others do.
fn write(path: &Path, groups: &[RecordBatch]) {
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, groups[0].schema(), None).unwrap();
    for group in groups {
        writer.write(group).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

fn place(directory: &TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

/// `id` 1, 2, 3 and `x` 3, NaN, 3.
fn with_nan(directory: &TempDir) -> String {
    let file = place(directory, "nan.parquet");
    let x = Float64Array::from(vec![3.0, f64::NAN, 3.0]);
    let ids = Int64Array::from(vec![1, 2, 3]);
    write(
        Path::new(&file),
        &[batch(vec![("id", Arc::new(ids)), ("x", Arc::new(x))])],
    );
    file
}

#[tokio::test]
async fn nan_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let file = with_nan(&directory);
    for (query, expected) in [
        (format!("SELECT x FROM '{file}'"), vec!["3.0", "3.0", "NaN"]),
        (format!("SELECT id FROM '{file}' WHERE x > 1000"), vec!["2"]),
        (
            format!("SELECT id FROM '{file}' WHERE x = CAST('NaN' AS DOUBLE)"),
            vec!["2"],
        ),
        (
            format!("SELECT min(x), max(x) FROM '{file}'"),
            vec!["3.0|NaN"],
        ),
        (
            format!("SELECT id FROM read_parquet('{file}') WHERE x > 1000"),
            vec!["2"],
        ),
    ] {
        assert_eq!(ours(&query).await, expected, "{query}");
    }
}

/// What COPY writes others read rightly, too.
#[tokio::test]
async fn nan_is_found_by_others_in_what_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = place(&directory, "n.parquet");
    let connection = with(&[]).await;
    let copy = format!(
        "COPY (SELECT 1 AS id, 3.0e0 AS x UNION ALL SELECT 2, 'NaN'::DOUBLE UNION ALL SELECT 3, 3.0e0) TO '{file}'"
    );
    run(&connection, &copy).await.unwrap();
    let query = format!("SELECT id FROM '{file}' WHERE x > 1000");
    assert_eq!(theirs(&query).await.unwrap(), ["2"]);
    assert_eq!(
        theirs(&format!("SELECT x FROM '{file}'")).await.unwrap(),
        ["3.0", "3.0", "NaN"]
    );
    let made = format!("CREATE TABLE t AS SELECT x FROM '{file}'");
    run(&connection, &made).await.unwrap();
    assert_eq!(
        rows_of(&connection, "SELECT count(*) FROM t WHERE x = 3").await,
        ["2"]
    );
}

/// Fails as soon as DataFusion does not take NaN for a number within bounds.
#[tokio::test]
async fn canary_of_nan() {
    let directory = tempfile::tempdir().unwrap();
    let file = with_nan(&directory);
    assert_eq!(
        theirs(&format!("SELECT x FROM '{file}'")).await.unwrap(),
        ["3.0"; 3]
    );
    let query = format!("SELECT id FROM '{file}' WHERE x > 1000");
    assert_eq!(theirs(&query).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn nulls_that_are_not_counted_are_found() {
    for (query, expected) in [
        (
            format!("SELECT k FROM '{UNCOUNTED}'"),
            vec!["3", "3", "NULL"],
        ),
        (
            format!("SELECT count(*) FROM '{UNCOUNTED}' WHERE k IS NULL"),
            vec!["1"],
        ),
        (format!("SELECT count(k) FROM '{UNCOUNTED}'"), vec!["2"]),
    ] {
        assert_eq!(ours(&query).await, expected, "{query}");
    }
}

/// Fails as soon as DataFusion asks how many NULLs there are where a file does not say it.
#[tokio::test]
async fn canary_of_nulls() {
    let query = format!("SELECT k FROM '{UNCOUNTED}' WHERE k IS NULL");
    assert_eq!(theirs(&query).await.unwrap(), Vec::<String>::new());
}

/// Two groups with 5 and 9 in `n`; the second states nothing.
fn stated_by_some(directory: &TempDir) -> String {
    let path = place(directory, "some.parquet");
    let group = |value: i32| batch(vec![("n", Arc::new(Int32Array::from(vec![value, value])))]);
    let schema = group(5).schema();
    let writer = ArrowWriter::try_new(File::create(&path).unwrap(), Arc::clone(&schema), None);
    let (mut file, factory) = writer.unwrap().into_serialized_writer().unwrap();
    for (number, value) in [5, 9].into_iter().enumerate() {
        let mut columns = factory.create_column_writers(number).unwrap();
        let leaves = compute_leaves(schema.field(0), group(value).column(0)).unwrap();
        columns[0].write(&leaves[0]).unwrap();
        let mut chunk = columns.remove(0).close().unwrap();
        if value == 9 {
            let close = chunk.close_mut();
            let metadata = close.metadata.clone().into_builder().clear_statistics();
            close.metadata = metadata.build().unwrap();
            close.column_index = None;
        }
        let mut written = file.next_row_group().unwrap();
        chunk.append_to_row_group(&mut written).unwrap();
        written.close().unwrap();
    }
    file.close().unwrap();
    path
}

#[tokio::test]
async fn what_some_groups_state_is_not_taken_for_what_all_do() {
    let directory = tempfile::tempdir().unwrap();
    let file = stated_by_some(&directory);
    for (query, expected) in [
        (format!("SELECT max(n) FROM '{file}'"), "9"),
        (format!("SELECT count(*) FROM '{file}' WHERE n = 9"), "2"),
        (format!("SELECT count(n) FROM '{file}'"), "4"),
    ] {
        assert_eq!(ours(&query).await, [expected], "{query}");
    }
}

/// Fails as soon as DataFusion asks all row groups.
#[tokio::test]
async fn canary_of_some_groups() {
    let directory = tempfile::tempdir().unwrap();
    let file = stated_by_some(&directory);
    assert_eq!(
        theirs(&format!("SELECT max(n) FROM '{file}'"))
            .await
            .unwrap(),
        ["5"]
    );
}

fn with_zeros(directory: &TempDir) -> String {
    let file = place(directory, "zeros.parquet");
    let x = Float64Array::from(vec![-0.0, 0.0, 1.0]);
    write(Path::new(&file), &[batch(vec![("x", Arc::new(x))])]);
    file
}

#[tokio::test]
async fn both_zeros_are_one() {
    let directory = tempfile::tempdir().unwrap();
    let file = with_zeros(&directory);
    for (query, expected) in [
        (
            format!("SELECT x FROM '{file}' WHERE x = 0"),
            vec!["0.0", "0.0"],
        ),
        (format!("SELECT x FROM '{file}' WHERE x < 0.0"), vec![]),
        (
            format!("SELECT x, count(*) FROM '{file}' GROUP BY x"),
            vec!["0.0|2", "1.0|1"],
        ),
    ] {
        assert_eq!(ours(&query).await, expected, "{query}");
    }
}

/// Fails as soon as DataFusion reads both zeros as one.
#[tokio::test]
async fn canary_of_zero() {
    let directory = tempfile::tempdir().unwrap();
    let file = with_zeros(&directory);
    let query = format!("SELECT x FROM '{file}'");
    assert_eq!(theirs(&query).await.unwrap(), ["-0.0", "0.0", "1.0"]);
}

#[tokio::test]
async fn a_directory_without_a_value_passes_no_comparison() {
    let directory = tempfile::tempdir().unwrap();
    let at = place(&directory, "h");
    let connection = with(&[]).await;
    let copy = format!(
        "COPY (SELECT 1 AS id, NULL::TEXT AS c UNION ALL SELECT 2, 'a' UNION ALL SELECT 3, 'x') TO '{at}' \
         (FORMAT parquet, PARTITION_BY (c))"
    );
    run(&connection, &copy).await.unwrap();
    for (condition, expected) in [
        ("c <> 'x'", vec!["2"]),
        ("NOT (c = 'x')", vec!["2"]),
        ("c NOT IN ('a')", vec!["3"]),
        ("c IS NULL", vec!["1"]),
        ("c IS DISTINCT FROM 'x'", vec!["1", "2"]),
        ("c = 'a' OR id = 1", vec!["1", "2"]),
        ("length(c) = 1", vec!["2", "3"]),
        ("c NOT LIKE 'x%'", vec!["2"]),
    ] {
        let query = format!("SELECT id FROM '{at}/' WHERE {condition}");
        assert_eq!(ours(&query).await, expected, "{query}");
    }
}

/// Fails as soon as DataFusion does not take NULL for true there; the control is what it does.
#[test]
fn canary_of_directories() {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let at = place(&directory, "h");
    runtime.block_on(async {
        let copy = format!(
            "COPY (SELECT 1 AS id, NULL::TEXT AS c UNION ALL SELECT 2, 'a') TO '{at}' (FORMAT parquet, PARTITION_BY (c))"
        );
        run(&with(&[]).await, &copy).await.unwrap();
    });
    let query = format!("SELECT id FROM '{at}/' WHERE c <> 'x'");
    let found = || runtime.block_on(ours(&query));
    assert_eq!(found(), ["2"]);
    assert_eq!(fault::with(Fault::DirectoriesDecide, found), ["1", "2"]);
}

/// Two files in a directory, with these in their columns `n`.
fn directory_of(first: ArrayRef, second: ArrayRef) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, column) in [("a.parquet", first), ("b.parquet", second)] {
        write(&directory.path().join(name), &[batch(vec![("n", column)])]);
    }
    directory
}

#[tokio::test]
async fn columns_of_several_files_are_of_a_type_that_both_fit_in() {
    let narrow = Arc::new(Int32Array::from(vec![1, 2]));
    let wide = Arc::new(Int64Array::from(vec![Some(1 << 40), None]));
    let directory = directory_of(narrow.clone(), wide);
    let at = directory.path().display();
    for source in [
        format!("'{at}/'"),
        format!("'{at}/*.parquet'"),
        format!("read_parquet('{at}/*.parquet')"),
    ] {
        for (query, expected) in [
            (
                format!("SELECT n FROM {source}"),
                vec!["1", "1099511627776", "2", "NULL"],
            ),
            (
                format!("SELECT min(n), max(n), count(n), sum(n) FROM {source}"),
                vec!["1|1099511627776|3|1099511627779"],
            ),
            (
                format!("SELECT n FROM {source} WHERE n > 1"),
                vec!["1099511627776", "2"],
            ),
            (format!("SELECT n FROM {source} WHERE n < 2"), vec!["1"]),
            (
                format!("SELECT DISTINCT typeof(n) FROM {source}"),
                vec!["BIGINT"],
            ),
        ] {
            assert_eq!(ours(&query).await, expected, "{query}");
        }
    }
    let directory = directory_of(narrow, Arc::new(StringArray::from(vec!["x"])));
    let at = directory.path().display();
    let connection = with(&[]).await;
    let error = run(
        &connection,
        &format!("CREATE TABLE t AS SELECT * FROM '{at}/'"),
    )
    .await;
    let error = error.unwrap_err();
    let expected = format!("`n` is INT in `{at}/a.parquet`, and TEXT in `{at}/b.parquet`");
    assert!(error.contains(&expected), "{error}");
}

/// Fails as soon as DataFusion finds a type for both.
#[tokio::test]
async fn canary_of_types() {
    let directory = directory_of(
        Arc::new(Int32Array::from(vec![1])),
        Arc::new(Int64Array::from(vec![2])),
    );
    let error = theirs(&format!("SELECT n FROM '{}/'", directory.path().display())).await;
    assert!(
        error.as_ref().unwrap_err().contains("merge schema"),
        "{error:?}"
    );
}
