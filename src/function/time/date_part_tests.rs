//! Years beside constants, of times that have one and of those that have none.

use crate::session::testing::{mended, plain, plain_rows, rows};

/// The last day of the calendar, the first beyond it, and the same before the year 0.
const DAYS: &str = "(VALUES (1, 95026236), (2, 95026237), (3, -96465292), (4, -96465293), (5, 0), (6, NULL)) v (id, day)";

fn dates() -> String {
    format!("(SELECT id, arrow_cast(CAST(day AS INT), 'Date32') AS d FROM {DAYS}) t")
}

/// A condition, of which rows it is true, and of which it is NULL.
const CASES: &[(&str, &str, &str)] = &[
    ("date_part('year', d) <= -32768", "3", "2 4 6"),
    ("date_part('year', d) > -32768", "1 5", "2 4 6"),
    ("extract(year FROM d) <> 1970", "1 3", "2 4 6"),
    ("extract(year FROM d) = 1970", "5", "2 4 6"),
    ("1970 >= datepart('year', d)", "3 5", "2 4 6"),
    (
        "date_part('year', d) BETWEEN 1970 AND 262143",
        "1 5",
        "2 4 6",
    ),
    ("date_part('year', d) NOT IN (1970, 1971)", "1 3", "2 4 6"),
    (
        "date_part('year', d) IS DISTINCT FROM 1970",
        "1 2 3 4 6",
        "",
    ),
];

#[tokio::test]
async fn a_year_that_there_is_not_is_null_beside_a_constant() {
    let session = mended();
    let ids = async |condition: &str| {
        let sql = format!("SELECT id FROM {} WHERE {condition}", dates());
        rows(&session, &sql).await.join(" ")
    };
    for (condition, is_true, is_null) in CASES {
        assert_eq!(ids(condition).await, *is_true, "{condition}");
        let unknown = format!("({condition}) IS NULL");
        assert_eq!(ids(&unknown).await, *is_null, "{unknown}");
        let sql = format!("SELECT id, {condition} FROM {}", dates());
        let shown = rows(&session, &sql).await;
        let of = |value: &str| {
            let rows = shown.iter().filter_map(|row| row.strip_suffix(value));
            rows.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("|true"), *is_true, "{sql}");
        assert_eq!(of("|NULL"), *is_null, "{sql}");
    }
}

/// That a column is NOT NULL says nothing of its years.
#[tokio::test]
async fn a_year_may_be_null_where_the_time_may_not() {
    let session = mended();
    let seconds = "(SELECT arrow_cast(s, 'Timestamp(Second, None)') AS ts FROM (VALUES (0), (9000000000000000)) v (s)) t";
    for (year, expected) in [
        ("date_part('year', ts) < 3000000000", ["NULL", "true"]),
        ("extract(year FROM ts) IS NULL", ["false", "true"]),
    ] {
        let sql = format!("SELECT {year} FROM {seconds}");
        assert_eq!(rows(&session, &sql).await, expected, "{sql}");
    }
}

/// Fails as soon as DataFusion's answer is NULL as well: then the function can go.
#[tokio::test]
async fn canary() {
    let sql = format!(
        "SELECT id FROM {} WHERE (date_part('year', d) <= -32768) IS NULL",
        dates()
    );
    assert_eq!(rows(&mended(), &sql).await, ["2", "4", "6"]);
    let seen = plain_rows(&plain(), &sql).await;
    assert_eq!(seen.expect("an answer"), ["6"]);
}
