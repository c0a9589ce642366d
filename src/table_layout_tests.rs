//! Layouts of every kind: buckets, coarser parts, walks, and which of them make columns unique.

use super::*;

/// 3,000 rows of 30 hosts, one a minute.
const METRICS: &str =
    "SELECT 'host ' || (value * 7 % 30), to_timestamp_millis(value * 60000), value / 10.0
    FROM generate_series(0, 2999)";

fn metrics_table(key: &str) -> String {
    format!("CREATE TABLE t (host TEXT, ts TIMESTAMP(3), usage DOUBLE, PRIMARY KEY ({key}))")
}

#[tokio::test]
async fn buckets_are_merged() {
    for (key, partitions) in [
        ("bucket(8, host), host, ts", 3),
        ("salt(16), ts, host", 1),
        ("salt(4), host, ts DESC", 4),
    ] {
        let fixture = Fixture::new(partitions);
        fixture.create(&metrics_table(key), METRICS).await;
        let columns: Vec<&str> = key
            .split(", ")
            .skip(key.starts_with("bucket").into())
            .skip(1)
            .collect();
        let reversed = |column: &str| match column.strip_suffix(" DESC") {
            Some(column) => column.to_owned(),
            None => format!("{column} DESC"),
        };
        let forward = columns.join(", ");
        let backward = columns
            .iter()
            .map(|column| reversed(column))
            .collect::<Vec<_>>()
            .join(", ");
        for order in [&forward, &backward] {
            let answer = fixture
                .check(&format!("SELECT * FROM t ORDER BY {order}"), true)
                .await;
            assert!(!answer.plan.contains("SortExec"), "{}", answer.plan);
            assert_eq!(answer.totals.keys_read, 3000);
            // The columns that show the order may leave; the order stays.
            fixture
                .check(&format!("SELECT usage FROM t ORDER BY {order}"), true)
                .await;
            let answer = fixture
                .check(
                    &format!("SELECT usage FROM t ORDER BY {order} LIMIT 5"),
                    true,
                )
                .await;
            assert!(
                answer.totals.keys_read <= 16 * 5,
                "{key}: {:?}",
                answer.totals
            );
            let range =
                format!("SELECT * FROM t WHERE host >= 'host 2' AND usage < 200 ORDER BY {order}");
            fixture.check(&range, true).await;
        }
    }
}

#[tokio::test]
async fn partitions_of_a_scan_share_one_moment() {
    let fixture = Fixture::new(4);
    fixture
        .create(&metrics_table("salt(8), host, ts"), METRICS)
        .await;
    let answer = fixture.check("SELECT host, ts FROM t", false).await;
    assert_eq!(answer.totals.ranges, 8);
    let snapshots = |calls: Vec<Call>| calls.iter().filter(|call| **call == Call::Snapshot).count();
    assert_eq!(snapshots(fixture.log.take()), 1, "{}", answer.plan);
    // Those of a self-join are of two nodes, which see two moments without a statement around them.
    fixture
        .ask("SELECT count(*) FROM t x JOIN t y ON x.host = y.host AND x.ts = y.ts")
        .await;
    assert_eq!(snapshots(fixture.log.take()), 2);
}

#[tokio::test]
async fn a_known_bucket_is_the_only_one_read() {
    let fixture = Fixture::new(4);
    fixture
        .create(&metrics_table("bucket(8, host), host, ts"), METRICS)
        .await;
    let one = "SELECT ts FROM t WHERE host = 'host 7' ORDER BY ts DESC LIMIT 1";
    let answer = fixture.check(one, true).await;
    assert_eq!(
        (answer.totals.ranges, answer.totals.keys_read),
        (1, 1),
        "{}",
        answer.plan
    );
    assert!(
        answer.plan.contains("buckets=1, order=backward, limit=1"),
        "{}",
        answer.plan
    );
    let two = "SELECT ts FROM t WHERE host IN ('host 7', 'host 8') AND ts < TIMESTAMP '1970-01-02' ORDER BY ts LIMIT 4";
    let answer = fixture.check(two, true).await;
    assert_eq!(answer.totals.ranges, 2);
    let answer = fixture
        .check("SELECT count(*) FROM t WHERE usage < 100", true)
        .await;
    assert_eq!((answer.totals.ranges, answer.totals.keys_read), (8, 3000));
    assert!(
        answer.plan.contains("buckets=8, order=none"),
        "{}",
        answer.plan
    );
}

#[tokio::test]
async fn a_coarser_part_before_its_column_keeps_the_order() {
    for (key, queries) in [
        (
            "date_trunc('hour', ts), ts, host",
            ["ts", "ts DESC", "ts, host", "ts DESC, host DESC"],
        ),
        (
            "date_trunc('hour', ts) DESC, ts DESC, host",
            ["ts DESC", "ts", "ts DESC, host", "ts, host DESC"],
        ),
        (
            "left(host, 6), host, ts",
            ["host", "host DESC", "host, ts", "host DESC, ts DESC"],
        ),
        (
            "salt(4), CAST(ts AS DATE), date_trunc('hour', ts), ts, host",
            ["ts", "ts DESC", "ts, host", "ts DESC, host DESC"],
        ),
    ] {
        let fixture = Fixture::new(2);
        fixture.create(&metrics_table(key), METRICS).await;
        for order in queries {
            let answer = fixture
                .ask(&format!("SELECT ts, host FROM t ORDER BY {order} LIMIT 50"))
                .await;
            assert!(
                !answer.plan.contains("SortExec"),
                "{key} by {order}\n{}",
                answer.plan
            );
            let sorted = fixture
                .ask(&format!(
                    "SELECT ts, host FROM m_t ORDER BY {order}, ts, host LIMIT 50"
                ))
                .await;
            let column = |rows: &[String]| -> Vec<String> {
                let which = if order.starts_with("ts") { 0 } else { 1 };
                let words = |row: &String| {
                    row.split_whitespace()
                        .skip(2 * which)
                        .take(2 - which)
                        .collect()
                };
                rows.iter().map(words).collect()
            };
            assert_eq!(column(&answer.rows).len(), 50);
            if order.starts_with("ts") {
                assert_eq!(
                    column(&answer.rows),
                    column(&sorted.rows),
                    "{key} by {order}"
                );
            }
            if order.contains(", ") {
                assert_eq!(answer.rows, sorted.rows, "{key} by {order}");
            }
        }
    }
    let fixture = Fixture::new(2);
    fixture
        .create(&metrics_table("date_trunc('hour', ts), host, ts"), METRICS)
        .await;
    let answer = fixture
        .check("SELECT ts FROM t ORDER BY ts LIMIT 50", true)
        .await;
    assert!(answer.plan.contains("SortExec"), "{}", answer.plan);
    let pinned = "SELECT ts FROM t WHERE host = 'host 7' AND ts BETWEEN TIMESTAMP '1970-01-01 06:30:00' AND TIMESTAMP '1970-01-01 09:00:00' ORDER BY ts DESC LIMIT 2";
    let answer = fixture.check(pinned, true).await;
    assert!(!answer.plan.contains("SortExec"), "{}", answer.plan);
    assert_eq!(answer.totals.keys_read, 2);
}

#[tokio::test]
async fn walks_seek_from_candidate_to_candidate() {
    let fixture = Fixture::new(2);
    fixture
        .create(&metrics_table("date_trunc('hour', ts), host, ts"), METRICS)
        .await;
    let walk = "SELECT ts, usage FROM t WHERE ts >= TIMESTAMP '1970-01-02' AND host = 'host 7'";
    let answer = fixture.check(walk, false).await;
    assert!(answer.plan.contains("ranges=walk"), "{}", answer.plan);
    let totals = answer.totals;
    assert!(!answer.rows.is_empty());
    assert!(
        // One try is made whether the next candidate is near.
        totals.keys_read <= answer.rows.len() + totals.seeks + 8,
        "{totals:?}"
    );
    assert_eq!(totals.ranges, 1);
    // 26 hours are left, in each of which some rows of the host lie side by side.
    assert!(totals.seeks <= 2 * 26 + 1, "{totals:?}");
    let answer = fixture.check(&format!("{walk} ORDER BY ts"), true).await;
    assert!(!answer.plan.contains("SortExec"), "{}", answer.plan);
    let answer = fixture
        .check(&format!("{walk} ORDER BY ts DESC"), true)
        .await;
    assert!(
        answer.plan.contains("SortExec"),
        "a walk goes forward only\n{}",
        answer.plan
    );
    let answer = fixture
        .check(&format!("{walk} ORDER BY ts LIMIT 1"), true)
        .await;
    assert!(answer.totals.keys_read <= 3, "{:?}", answer.totals);
}

#[tokio::test]
async fn a_walk_reads_on_where_seeks_do_not_pay() {
    let fixture = Fixture::new(1);
    let ddl = "CREATE TABLE t (a INT, b INT, v INT, PRIMARY KEY (a, b))";
    let rows = |per: usize| {
        format!("SELECT value / {per}, value % {per}, value FROM generate_series(0, 5999)")
    };
    fixture.create(ddl, &rows(5)).await;
    // Each a has five rows, of which one is wanted: the next one is never farther than four keys.
    let near = fixture.check("SELECT v FROM t WHERE b = 3", false).await;
    assert!(near.plan.contains("ranges=walk"), "{}", near.plan);
    assert_eq!(near.rows.len(), 1200);
    assert!(
        near.totals.seeks < 40 && near.totals.keys_read <= 6000,
        "{:?}",
        near.totals
    );

    // Each a has a hundred rows: no try succeeds, and there are few of them.
    let fixture = Fixture::new(1);
    fixture.create(ddl, &rows(100)).await;
    let far = fixture.check("SELECT v FROM t WHERE b = 50", false).await;
    assert_eq!(far.rows.len(), 60);
    assert!(far.totals.seeks >= 60, "{:?}", far.totals);
    assert!(far.totals.keys_read <= 3 * 60 + 3 * 8, "{:?}", far.totals);
}
