use super::*;
use crate::session::Database;
use crate::session::testing::texts;

/// What an expression is; an error by its words.
async fn value(expr: &str) -> String {
    let connection = Database::in_memory().unwrap().connect();
    let rows = connection.query(&format!("SELECT {expr}"), ()).await;
    match rows {
        Ok(batches) => texts(&batches).join("\n"),
        Err(error) => format!("error: {error}"),
    }
}

pub(super) async fn check(cases: &[(&str, &str)]) {
    for (expr, expected) in cases {
        let found = value(expr).await;
        match expected.strip_prefix("error: ") {
            Some(words) => assert!(
                found.starts_with("error: ") && found.contains(words),
                "{expr}: {found}"
            ),
            None => assert_eq!(found, *expected, "{expr}"),
        }
    }
}

#[test]
fn names_are_given_once() {
    let mut names: Vec<&str> = declarations().map(|one| one.name).collect();
    names.extend(declarations().flat_map(|one| one.aliases));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// What Python's `strftime` gives, and DuckDB's where it differs.
#[tokio::test]
async fn strftime_writes_a_moment() {
    const AT: &str = "TIMESTAMP '2024-02-03 04:05:06.789012345'";
    let cases = [
        ("%a %A %w %u", "Sat Saturday 6 6"),
        ("%d %-d %e", "03 3  3"),
        ("%b %B %h %m %-m", "Feb February Feb 02 2"),
        ("%y %-y %Y %G", "24 24 2024 2024"),
        ("%H %-H %I %-I %p", "04 4 04 4 AM"),
        ("%M %-M %S %-S", "05 5 06 6"),
        ("%g %f %n", "789 789012 789012345"),
        ("%j %-j %U %W %V", "034 34 04 05 05"),
        (
            "%c | %x | %X",
            "2024-02-03 04:05:06 | 2024-02-03 | 04:05:06",
        ),
        ("%F %T %R %D", "2024-02-03 04:05:06 04:05 02/03/24"),
        ("%s", "1706933106"),
        ("%z%Z", "+00"),
        ("100%% (ü)", "100% (ü)"),
    ];
    for (format, expected) in cases {
        let expr = format!("strftime({AT}, '{format}')");
        assert_eq!(value(&expr).await, expected, "{format}");
    }
    check(&[
        (
            "strftime(DATE '2021-01-03', '%U %W %V %G')",
            "01 00 53 2020",
        ),
        ("strftime('2024-02-03 10:20', '%H:%M')", "10:20"),
        ("strftime(NULL, '%Y')", "NULL"),
        ("strftime(DATE '2024-01-01', NULL)", "NULL"),
        (
            "strftime(TIMESTAMP(3) '3000-01-02 00:00:00', '%Y-%m-%d')",
            "3000-01-02",
        ),
        (
            "strftime(TIMESTAMP '2024-07-01 12:00:00' AT TIME ZONE 'Europe/Berlin', '%H %z %Z')",
            "12 +02 Europe/Berlin",
        ),
        (
            "strftime(DATE '2024-01-01', '%Q')",
            "error: %Q stands for nothing",
        ),
        (
            "strftime(DATE '2024-01-01', '%')",
            "error: is no format of strftime",
        ),
        ("strftime(7, '%Y')", "error: takes a DATE or a TIMESTAMP"),
        ("strftime(DATE '2024-01-01')", "error: takes 2 arguments"),
        ("dayname(DATE '2024-02-29')", "Thursday"),
        ("monthname(DATE '2024-02-29')", "February"),
    ])
    .await;
}

/// What PostgreSQL 16 gives.
#[tokio::test]
async fn to_char_takes_the_templates_of_postgres() {
    const AT: &str = "TIMESTAMP '2024-02-03 16:05:06.789012'";
    let cases = [
        ("DD.MM.YYYY", "03.02.2024"),
        ("YYYY-MM-DD HH24:MI:SS", "2024-02-03 16:05:06"),
        ("hh12:mi:ss am", "04:05:06 pm"),
        ("HH:MI P.M.", "04:05 P.M."),
        ("FMDD/FMMM/YY", "3/2/24"),
        ("Day, DDth Mon", "Saturday , 03rd Feb"),
        ("FMMonth FMDDTH", "February 3RD"),
        ("MONTH|month|MON|mon", "FEBRUARY |february |FEB|feb"),
        ("DAY|FMday|DY|dy", "SATURDAY |saturday|SAT|sat"),
        ("DDD D ID IW WW W Q CC", "034 7 6 05 05 1 1 21"),
        ("IYYY-IDDD Y,YYY YYY Y", "2024-034 2,024 024 4"),
        ("MS US FF1 FF3 SSSS", "789 789012 7 789 57906"),
        ("J RM AD", "2460344 II   AD"),
        ("\"Year\" YYYY \"of MM\"", "Year 2024 of MM"),
        ("%d/%m", "03/02"),
    ];
    for (template, expected) in cases {
        let expr = format!("to_char({AT}, '{template}')");
        assert_eq!(value(&expr).await, expected, "{template}");
    }
    check(&[
        ("to_char(DATE '2024-11-12', 'FMDDth')", "12th"),
        ("to_char(CAST(NULL AS DATE), 'YYYY')", "NULL"),
        (
            "to_char(DATE '2024-01-01', 'TMMonth')",
            "error: are not implemented",
        ),
        ("to_char(DATE '2024-01-01', '\"a')", "error: never closed"),
        ("to_char(12.5, '99.9')", " 12.5"),
        (
            "to_char(TIMESTAMP '2024-07-01 12:00:00' AT TIME ZONE 'Asia/Kolkata', 'TZH:TZM OF')",
            "+05:30 +05:30",
        ),
    ])
    .await;
}

/// What DuckDB gives.
#[tokio::test]
async fn differences_of_times() {
    check(&[
        (
            "date_diff('month', DATE '1992-09-15', DATE '1992-11-14')",
            "2",
        ),
        (
            "date_sub('month', DATE '1992-09-15', DATE '1992-11-14')",
            "1",
        ),
        (
            "datediff('year', DATE '2023-12-31', DATE '2024-01-01')",
            "1",
        ),
        (
            "date_sub('year', DATE '2023-12-31', DATE '2024-01-01')",
            "0",
        ),
        (
            "date_diff('week', DATE '2024-01-07', DATE '2024-01-08')",
            "1",
        ),
        (
            "date_sub('week', DATE '2024-01-07', DATE '2024-01-13')",
            "0",
        ),
        (
            "date_diff('day', TIMESTAMP '2024-01-01 23:00:00', TIMESTAMP '2024-01-02 01:00:00')",
            "1",
        ),
        (
            "date_sub('day', TIMESTAMP '2024-01-01 23:00:00', TIMESTAMP '2024-01-02 01:00:00')",
            "0",
        ),
        (
            "date_diff('hour', TIMESTAMP '2024-01-02 01:00:00', TIMESTAMP '2024-01-01 23:59:59')",
            "-2",
        ),
        (
            "date_sub('hour', TIMESTAMP '2024-01-02 01:00:00', TIMESTAMP '2024-01-01 23:59:59')",
            "-1",
        ),
        (
            "date_diff('quarter', DATE '2024-03-31', DATE '2024-04-01')",
            "1",
        ),
        (
            "date_sub('month', DATE '2024-01-31', DATE '2024-02-29')",
            "1",
        ),
        (
            "date_diff('second', DATE '1969-12-31', DATE '1970-01-01')",
            "86400",
        ),
        ("date_diff('day', NULL, DATE '1970-01-01')", "NULL"),
        ("datediff('2024-03-01', '2024-02-01')", "29"),
        (
            "date_diff('fortnight', DATE '2024-01-01', DATE '2024-01-02')",
            "error: 'fortnight' is no unit",
        ),
    ])
    .await;
}

/// What PostgreSQL 16 gives.
#[tokio::test]
async fn age_is_counted_in_months_days_and_time() {
    check(&[
        ("age(DATE '2001-04-10', DATE '1957-06-13') = INTERVAL '43 years 9 months 27 days'", "true"),
        ("age(DATE '2024-03-01', DATE '2024-01-31') = INTERVAL '1 month 1 day'", "true"),
        ("age(TIMESTAMP '2024-01-02 00:00:00', TIMESTAMP '2024-01-01 12:00:00') = INTERVAL '12 hours'", "true"),
        ("age(DATE '2024-01-01', DATE '2024-01-02') = INTERVAL '-1 day'", "true"),
        ("age(NULL, DATE '2024-01-02')", "NULL"),
    ])
    .await;
}

/// What PostgreSQL 16 gives.
#[tokio::test]
async fn intervals_are_multiplied_and_divided() {
    check(&[
        ("INTERVAL '1 day' * 3 = INTERVAL '3 days'", "true"),
        (
            "2 * INTERVAL '1 month 2 days' = INTERVAL '2 months 4 days'",
            "true",
        ),
        ("INTERVAL '1 day' * 1.5 = INTERVAL '1 day 12 hours'", "true"),
        ("INTERVAL '1 month' * 0.5 = INTERVAL '15 days'", "true"),
        ("INTERVAL '1 month' / 3 = INTERVAL '10 days'", "true"),
        ("INTERVAL '1 hour' / 4 = INTERVAL '15 minutes'", "true"),
        ("INTERVAL '1 day' * -2 = INTERVAL '-2 days'", "true"),
        ("DATE '2024-01-01' + INTERVAL '1 day' * 3", "2024-01-04"),
        ("INTERVAL '1 day' * CAST(NULL AS INT)", "NULL"),
        ("INTERVAL '1 day' / 0", "error: divided by zero"),
        ("INTERVAL '1 month' * 3000000000", "error: out of range"),
        ("INTERVAL '1 month' * 3000000000.5", "error: out of range"),
    ])
    .await;
}

#[tokio::test]
async fn quotients_without_a_fraction() {
    check(&[
        ("7 // 2", "3"),
        ("-7 // 2", "-3"),
        ("7.5 // 2 = 3", "true"),
        ("CAST(7.5 AS DOUBLE) // 2", "3.0"),
        ("1 + 7 // 2 * 2", "7"),
        ("7 // 0", "error: ivide by zero"),
    ])
    .await;
}

#[tokio::test]
async fn the_version_is_that_of_halite() {
    let version = value("version()").await;
    assert!(version.starts_with("Halite "), "{version}");
}
