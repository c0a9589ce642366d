//! Layouts of every kind: buckets, coarser parts, walks, and which of them make columns unique.

use super::*;

/// 3,000 rows of 30 hosts, one a minute.
const METRICS: &str =
    "SELECT 'host ' || (value * 7 % 30), to_timestamp_millis(value * 60000), value / 10.0
    FROM generate_series(0, 2999)";

/// The same with 18,000 rows, one every ten seconds: those of a host lie far apart.
const MANY_METRICS: &str =
    "SELECT 'host ' || (value * 7 % 30), to_timestamp_millis(value * 10000), value / 10.0
    FROM generate_series(0, 17999)";

/// What a walk reads beyond its candidates: now and then it reads on to one instead of seeking it, as far as costs a seek.
const TRIALS: usize = 10 * 32;

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
        let forward = columns.join(", ");
        let backward = reversed(&forward);
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
        .create(
            &metrics_table("date_trunc('hour', ts), host, ts"),
            MANY_METRICS,
        )
        .await;
    let walk = "SELECT ts, usage FROM t WHERE ts >= TIMESTAMP '1970-01-02' AND host = 'host 7'";
    let answer = fixture.check(walk, false).await;
    assert!(answer.plan.contains("ranges=walk"), "{}", answer.plan);
    let totals = answer.totals;
    assert!(!answer.rows.is_empty());
    assert!(
        totals.keys_read <= answer.rows.len() + totals.seeks + TRIALS,
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
    assert!(!answer.plan.contains("SortExec"), "{}", answer.plan);
    assert!(answer.plan.contains("order=backward"), "{}", answer.plan);
    let totals = answer.totals;
    assert!(
        totals.keys_read <= answer.rows.len() + totals.seeks + TRIALS && totals.seeks <= 2 * 26 + 1,
        "{totals:?}"
    );
    for order in ["ts", "ts DESC"] {
        let one = format!("{walk} ORDER BY {order} LIMIT 1");
        let answer = fixture.check(&one, true).await;
        assert!(answer.totals.keys_read <= 3, "{order} {:?}", answer.totals);
    }
}

/// Comments, the newest first, and those of one film: the oldest ones lie at the far end of the walk.
#[tokio::test]
async fn a_walk_is_read_from_its_end() {
    let fixture = Fixture::new(2);
    let ddl = "CREATE TABLE t (film_id INT, ts TIMESTAMP(3), user_id TEXT, PRIMARY KEY (ts DESC, film_id, user_id))";
    let rows = "SELECT value % 150, to_timestamp_millis(value * 1000), 'viewer' || value FROM generate_series(0, 9999)";
    fixture.create(ddl, rows).await;
    for (order, way) in [("ts DESC", "forward"), ("ts", "backward")] {
        let sql = format!("SELECT * FROM t WHERE film_id = 3 ORDER BY {order} LIMIT 1");
        let answer = fixture.check(&sql, true).await;
        for (shown, wanted) in [("SortExec", false), ("ranges=walk", true), (way, true)] {
            assert_eq!(answer.plan.contains(shown), wanted, "{}", answer.plan);
        }
        // The film is met within 150 comments.
        let totals = answer.totals;
        assert!(totals.keys_read <= 170, "{order} {totals:?}");
        let all = format!("SELECT * FROM t WHERE film_id = 3 ORDER BY {order}");
        assert_eq!(fixture.check(&all, true).await.rows.len(), 67);
    }
}

/// Flights by airport, from a day on: the last airport is read from its end.
#[tokio::test]
async fn an_open_first_part_is_read_from_its_end() {
    let fixture = Fixture::new(2);
    let ddl = "CREATE TABLE t (origin TEXT, scheduled TIMESTAMP(0), flight INT, PRIMARY KEY (origin, scheduled, flight))";
    let rows = "SELECT 'A' || (value % 3), to_timestamp_seconds(value * 600), value FROM generate_series(0, 8999)";
    fixture.create(ddl, rows).await;
    let from = "SELECT * FROM t WHERE scheduled >= TIMESTAMP '1970-01-30'";
    for order in [
        "origin, scheduled",
        "origin DESC, scheduled DESC",
        "origin DESC, scheduled DESC, flight DESC",
    ] {
        let sql = format!("{from} ORDER BY {order} LIMIT 3");
        let answer = fixture.check(&sql, true).await;
        assert!(!answer.plan.contains("SortExec"), "{}", answer.plan);
        assert!(answer.plan.contains("ranges=walk"), "{}", answer.plan);
        assert!(answer.totals.keys_read <= 4, "{order} {:?}", answer.totals);
        fixture
            .check(&format!("{from} ORDER BY {order}"), true)
            .await;
    }
}

/// Walks over every kind of part, in buckets or not, give the same rows in both directions, and are not sorted.
#[tokio::test]
async fn walks_go_both_ways_over_every_kind_of_part() {
    let rows = "SELECT value % 6, CASE WHEN value % 7 = 0 THEN NULL ELSE value % 7 END,
            decode(lpad(to_hex((value * 37) % 256), 2, '0') || CASE WHEN value % 2 = 0 THEN '00ff' ELSE 'ff' END, 'hex'),
            value FROM generate_series(0, 2999)";
    let mut walks = 0;
    for (key, order) in [
        ("a, n, x, v", "a, n, x, v"),
        ("a DESC, n DESC, x DESC, v", "a DESC, n DESC, x DESC, v"),
        (
            "a, n ASC NULLS FIRST, x DESC, v DESC",
            "a, n NULLS FIRST, x DESC, v DESC",
        ),
        (
            "a DESC, n DESC NULLS LAST, x, v",
            "a DESC, n DESC NULLS LAST, x, v",
        ),
        ("x, n, a, v", "x, n, a, v"),
        ("x DESC, n, a, v", "x DESC, n, a, v"),
        ("salt(4), a, n, x, v", "a, n, x, v"),
        ("bucket(3, a), a, x, n DESC, v", "a, x, n DESC, v"),
        ("v / 100, v, a, n, x", "v, a, n, x"),
        ("v / 100 DESC, v DESC, n, x", "v DESC, n, x"),
    ] {
        let fixture = Fixture::new(2);
        let ddl = format!(
            "CREATE TABLE t (a INT, n INT NULL, x BYTEA, v INT NOT NULL, PRIMARY KEY ({key}))"
        );
        fixture.create(&ddl, rows).await;
        for condition in [
            "n = 3",
            "n IS NULL",
            "n IS NULL OR n > 4",
            "n > 2 AND x > decode('80', 'hex')",
            "x = decode('25ff', 'hex')",
            "x IN (decode('ffff', 'hex'), decode('0000ff', 'hex')) AND n IS NOT NULL",
            "(a = 2 OR n = 5) AND x < decode('40', 'hex')",
            "a IN (1, 4) AND v > 1500 AND n < 5",
        ] {
            for order in [order.to_owned(), reversed(order)] {
                let sql = format!("SELECT * FROM t WHERE {condition} ORDER BY {order}");
                let answer = fixture.check(&sql, true).await;
                assert!(!answer.rows.is_empty(), "{key}: {sql}");
                let plan = &answer.plan;
                assert!(!plan.contains("SortExec"), "{key}: {sql}\n{plan}");
                walks += usize::from(plan.contains("ranges=walk"));
                fixture.check(&format!("{sql} LIMIT 7"), true).await;
                fixture
                    .check(&format!("{sql} LIMIT 3 OFFSET 20"), true)
                    .await;
            }
        }
    }
    assert!(walks > 80, "{walks} of 160 are walks");
}

/// An ORDER BY the other way round.
fn reversed(order: &str) -> String {
    let reversed = order.split(", ").map(|column| {
        let (name, rest) = column.split_once(' ').unwrap_or((column, ""));
        let is_descending = rest.starts_with("DESC");
        let nulls_first = match rest {
            rest if rest.ends_with("FIRST") => true,
            rest if rest.ends_with("LAST") => false,
            _ => is_descending,
        };
        let way = if is_descending { "ASC" } else { "DESC" };
        let nulls = if nulls_first { "LAST" } else { "FIRST" };
        format!("{name} {way} NULLS {nulls}")
    });
    reversed.collect::<Vec<_>>().join(", ")
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
    let back = "SELECT v FROM t WHERE b = 3 ORDER BY a DESC, b DESC";
    let back = fixture.check(back, true).await;
    assert!(!back.plan.contains("SortExec"), "{}", back.plan);
    for totals in [near.totals, back.totals] {
        assert!(totals.seeks < 40 && totals.keys_read <= 6000, "{totals:?}");
    }

    // Each a has a hundred rows: no trial succeeds, and there are few of them.
    let fixture = Fixture::new(1);
    fixture.create(ddl, &rows(100)).await;
    for order in ["", " ORDER BY a DESC"] {
        let sql = format!("SELECT v FROM t WHERE b = 50{order}");
        let far = fixture.check(&sql, !order.is_empty()).await;
        assert_eq!(far.rows.len(), 60);
        assert!(far.totals.seeks >= 60, "{:?}", far.totals);
        assert!(far.totals.keys_read <= 3 * 60 + TRIALS, "{:?}", far.totals);
    }
}
