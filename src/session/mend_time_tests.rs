//! Times, zones and years, as `mend_tests` shows the other wrong answers of the layers below.

use super::mend_tests::{agreed, sessions, shown};
use super::testing::{optimized, plain_rows, rows};

#[tokio::test]
async fn w6_a_time_finer_than_the_column_is_not_rounded() {
    shown("s3 = TIMESTAMP '2024-01-01 00:00:00.0005'", &[], Ok(&["1"])).await;
    shown(
        "s3 <> TIMESTAMP '2024-01-01 00:00:00.0005'",
        &["1", "2", "3"],
        Ok(&["2", "3"]),
    )
    .await;
    shown(
        "s3 >= TIMESTAMP '2024-01-01 00:00:00.0005'",
        &["2", "3"],
        Ok(&["1", "2", "3"]),
    )
    .await;
    shown("s3 < TIMESTAMP '2024-01-01 00:00:00.0005'", &["1"], Ok(&[])).await;
    shown("TIMESTAMP '2024-01-01 00:00:00.0005' > s3", &["1"], Ok(&[])).await;
    shown("s3 < '2024-01-01 00:00:00.0005'", &["1"], Ok(&[])).await;
    shown(
        "s0 IN (TIMESTAMP '2024-01-01 00:00:00.5', TIMESTAMP '2024-01-01 00:00:01')",
        &["2"],
        Ok(&["1", "2"]),
    )
    .await;
    shown(
        "s3 NOT IN ('2024-01-01 00:00:00.0005')",
        &["1", "2", "3"],
        Ok(&["2", "3"]),
    )
    .await;
    let between = "s3 BETWEEN '2024-01-01 00:00:00.0005' AND '2024-01-01 00:00:00.0015'";
    shown(between, &["2"], Ok(&["1", "2"])).await;
    let distinct = "s3 IS DISTINCT FROM TIMESTAMP '2024-01-01 00:00:00.0005'";
    shown(distinct, &["1", "2", "3", "4"], Ok(&["2", "3", "4"])).await;
}

#[tokio::test]
async fn w6_times_beyond_2262_compare() {
    let planning = Err("simplify_expressions");
    shown("s3 > TIMESTAMP '3001-01-01 00:00:00'", &["3"], planning).await;
    shown("s3 >= '3001-01-01'", &["3"], planning).await;
    shown("s3 < '3001-01-01'", &["1", "2"], planning).await;
    shown("s9 < TIMESTAMP '3001-01-01'", &["1"], planning).await;
    shown("day > TIMESTAMP '3001-01-01 12:00:00'", &["3"], planning).await;
    shown(
        "s3 > CAST(TIMESTAMP '3001-01-01' AS TIMESTAMP(3))",
        &["3"],
        planning,
    )
    .await;
    let running = Err("Cannot cast Date32 value");
    shown(
        "day > TIMESTAMP '2024-01-01 12:00:00'",
        &["2", "3"],
        running,
    )
    .await;
    shown("day = TIMESTAMP '2024-01-01 12:00:00'", &[], running).await;
}

#[tokio::test]
async fn years_that_nanoseconds_do_not_reach_compare() {
    let none: Result<&[&str], &str> = Ok(&[]);
    shown("date_part('year', s9) <> 1", &["1"], none).await;
    shown("extract(year FROM s9) > 1", &["1"], none).await;
    shown("date_part('years', s9) <= 2262", &["1"], none).await;
    shown("date_part('year', s9) BETWEEN 0 AND 3000", &["1"], none).await;
    shown("date_part('year', s9) NOT IN (1, 3000)", &["1"], none).await;
    agreed("date_part('year', s9) = 3000", &[]).await;
    agreed("date_part('year', s9) > 3000", &[]).await;
    agreed("date_part('year', s3) > 3000", &["3"]).await;
    let (halite, _) = sessions().await;
    let years =
        "(VALUES (TIMESTAMP '1677-09-22'), (TIMESTAMP '1678-01-01'), (TIMESTAMP '2261-12-31'),
        (TIMESTAMP '2262-04-11'), (NULL)) v(x)";
    for (predicate, right) in [
        ("= 1677", "1677"),
        ("= 2262", "2262"),
        ("<> 2262", "1677 1678 2261"),
        ("<> 1677", "1678 2261 2262"),
        ("< 2262", "1677 1678 2261"),
        ("> 1677", "1678 2261 2262"),
        ("<= 1677", "1677"),
        (">= 2262", "2262"),
        (">= 1677", "1677 1678 2261 2262"),
        ("IN (1, 1677, 1678, 2262, 9999)", "1677 1678 2262"),
        ("NOT IN (1677, 2262, 2261)", "1678"),
        ("IS NOT DISTINCT FROM 2262", "2262"),
        ("IS DISTINCT FROM 1677", "1678 2261 2262 NULL"),
    ] {
        let sql = format!(
            "SELECT date_part('year', x) FROM {years} WHERE date_part('year', x) {predicate}"
        );
        assert_eq!(rows(&halite, &sql).await.join(" "), right, "{predicate}");
    }
}

#[tokio::test]
async fn what_time_it_is_compares_by_value_too() {
    let (halite, _) = sessions().await;
    // now() has nanoseconds: a column of seconds is later only from the next second on.
    let text = optimized(&halite, "SELECT id FROM t WHERE s0 > now()").await;
    assert!(text.contains("t.s0 >= TimestampSecond("), "{text}");
}

#[tokio::test]
async fn a_time_at_a_zone_is_an_instant() {
    let there = |rest: &str| format!("s3 AT TIME ZONE 'America/New_York' {rest}");
    let five = there("= '2024-01-01 05:00:00+00'");
    shown(&five, &["1"], Ok(&[])).await;
    shown(&there("= '2024-01-01 00:00:00+00'"), &[], Ok(&["1"])).await;
    shown(&there("< '2024-01-01 03:00:00+00'"), &[], Ok(&["1", "2"])).await;
    let list = there("IN ('2024-01-01 05:00:00+00', '2024-01-01 00:00:00.001+00')");
    shown(&list, &["1"], Ok(&["2"])).await;
    let between = there("BETWEEN '2024-01-01 04:00:00+00' AND '2024-01-01 06:00:00+00'");
    shown(&between, &["1", "2"], Ok(&[])).await;
    // Year 3002 in a TIMESTAMP(3) does not fail.
    let later = there("> '2024-01-01 05:00:00+00'");
    shown(&later, &["2", "3"], Ok(&["3"])).await;
    agreed(
        "extract(year FROM s3 AT TIME ZONE 'America/New_York') > 2100",
        &["3"],
    )
    .await;
    let year = "extract(year FROM s9 AT TIME ZONE 'Asia/Tokyo') IS DISTINCT FROM 2024";
    agreed(year, &["2", "3", "4"]).await;
    let year = "extract(year FROM s9 AT TIME ZONE 'America/New_York') = 2024";
    shown(year, &["1"], Ok(&[])).await;
    let day = "date_trunc('day', s9 AT TIME ZONE 'America/New_York') = '2024-01-01 05:00:00+00'";
    agreed(day, &["1"]).await;
    agreed("s3 AT TIME ZONE 'UTC' = '2024-01-01 00:00:00+00'", &["1"]).await;
}

#[tokio::test]
async fn a_time_of_the_session_is_compared_in_its_zone() {
    let (halite, plain) = sessions().await;
    let zone = "SET datafusion.execution.time_zone = 'Europe/Berlin'";
    rows(&halite, zone).await;
    plain_rows(&plain, zone).await.expect("setting");
    let sql = "SELECT id FROM t WHERE s3 > TIMESTAMPTZ '2023-12-31 23:30:00+00'";
    assert_eq!(rows(&halite, sql).await, ["3"]);
    let wrong = ["1", "2", "3"].map(str::to_string).to_vec();
    assert_eq!(plain_rows(&plain, sql).await, Ok(wrong));
}

/// The canary of `to_timestamp`.
#[tokio::test]
async fn a_number_is_an_instant_whatever_the_zone_of_the_session() {
    let (halite, plain) = sessions().await;
    let zone = "SET datafusion.execution.time_zone = 'Europe/Berlin'";
    rows(&halite, zone).await;
    plain_rows(&plain, zone).await.expect("setting");
    let sql = "SELECT extract(epoch FROM to_timestamp(0))";
    assert_eq!(rows(&halite, sql).await, ["0.0"]);
    assert_eq!(
        plain_rows(&plain, sql).await,
        Ok(vec!["-3600.0".to_owned()])
    );
    let sql = "SELECT to_timestamp(id) = to_timestamp_seconds(id), to_timestamp(id) = to_timestamp(id + 0.0) FROM t";
    assert_eq!(rows(&halite, sql).await, ["true|true"; 4]);
    let sql = "SELECT to_timestamp('2024-07-01 00:00:00'), to_timestamp(1719784800), to_timestamp(CAST(NULL AS INT))";
    let time = "2024-07-01T00:00:00+02:00";
    assert_eq!(rows(&halite, sql).await, [format!("{time}|{time}|NULL")]);
}
