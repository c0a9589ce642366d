//! Integers out of range, beside what DataFusion makes of them.

use crate::session::testing::{mended, plain, plain_rows, rows, try_rows};

/// Queries whose result is out of range.
const OUT_OF_RANGE: [&str; 8] = [
    "SELECT 9223372036854775807 + 1",
    "SELECT -9223372036854775807 - 2",
    "SELECT 3000000000 * 4000000000",
    "SELECT x + 1 FROM (VALUES (9223372036854775807), (1)) t (x)",
    "SELECT arrow_cast(100, 'Int16') * arrow_cast(1000, 'Int16')",
    "SELECT sum(x) FROM (VALUES (9223372036854775807), (1)) t (x)",
    "SELECT x, sum(x) OVER (ORDER BY x) FROM (VALUES (9223372036854775807), (9223372036854775806)) t (x)",
    "SELECT y, sum(x) FROM (VALUES (9223372036854775807, 1), (1, 1)) t (x, y) GROUP BY y",
];

#[tokio::test]
async fn integers_out_of_range_are_an_error() {
    let session = mended();
    for sql in OUT_OF_RANGE {
        let error = try_rows(&session, sql).await.expect_err(sql);
        assert!(error.contains("out of range for"), "{sql}\n{error}");
    }
}

#[tokio::test]
async fn integers_in_range_are_what_they_were() {
    let session = mended();
    for (sql, expected) in [
        (
            "SELECT 9223372036854775806 + 1, -9223372036854775807 - 1",
            "9223372036854775807|-9223372036854775808",
        ),
        (
            "SELECT sum(x), sum(DISTINCT x) FROM (VALUES (9223372036854775807), (1), (-1), (-1)) t (x)",
            "9223372036854775806|9223372036854775807",
        ),
        (
            "SELECT sum(x) FROM (VALUES (1), (NULL)) t (x) WHERE x > 1",
            "NULL",
        ),
        ("SELECT x * 2 + 1, -x FROM (VALUES (5)) t (x)", "11|-5"),
        (
            "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM (VALUES (9223372036854775807), (-3), (-4)) t (x) ORDER BY s DESC LIMIT 1",
            "9223372036854775804",
        ),
        ("SELECT sum(x + 1) FROM (VALUES (1), (2)) t (x)", "5"),
    ] {
        assert_eq!(rows(&session, sql).await, [expected], "{sql}");
    }
}

#[tokio::test]
async fn a_checked_operator_is_shown_as_it_is_written() {
    let frame = mended()
        .sql("SELECT x + 1, - x FROM (VALUES (5)) t (x)")
        .await
        .unwrap();
    let names: Vec<String> = frame
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let plan = frame.create_physical_plan().await.unwrap();
    let planned: Vec<String> = plan
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert_eq!(planned, names);
}

/// Fails as soon as DataFusion checks one of them: then that part of the mend can go.
#[tokio::test]
async fn canary() {
    for sql in OUT_OF_RANGE {
        assert!(plain_rows(&plain(), sql).await.is_ok(), "{sql}");
    }
}
