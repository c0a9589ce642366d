//! What is read for the first rows of groups, and that the answers are those of reading all.

use crate::session::testing::read;
use crate::session::{Connection, Database};
use crate::store::ENTRIES_PER_SEEK;

pub(crate) const ROWS: usize = 16_000;
pub(crate) const GROUPS: usize = 8;

/// A table under a key: `a` has eight values, `b` sixteen for each, `ts` a value of its own in each row, `n` is NULL in
/// every third, `v` is in no key.
pub(crate) async fn connection(key: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = format!(
        "CREATE TABLE t (a INT, b TEXT, ts TIMESTAMP(3), n INT NULL, d DOUBLE, v INT, PRIMARY KEY ({key}));
         INSERT INTO t SELECT value % {GROUPS}, 'b' || (value / {GROUPS} % 16), to_timestamp_seconds(1704067200 + value * 60),
             CASE WHEN value % 3 > 0 THEN value END, value * 0.5e0, value % 50
         FROM generate_series(0, {ROWS} - 1);"
    );
    connection.execute_script(&script).await.unwrap();
    connection
}

/// Asserts that the queries are answered as by reading all, and read so many keys at most, by one thread and by several.
pub(crate) async fn assert_read(key: &str, queries: &[(&str, usize)]) {
    assert_read_in(&[1, 2, 4], key, queries).await;
}

/// The same in so many partitions. Several get their rows dealt out, although there are few.
pub(crate) async fn assert_read_in(partitions: &[usize], key: &str, queries: &[(&str, usize)]) {
    let connection = connection(key).await;
    let all = connection.database().connect();
    all.execute("SET halite.pushdown = false", ())
        .await
        .unwrap();
    for partitions in partitions {
        let set = format!(
            "SET datafusion.execution.target_partitions = {partitions};
             SET datafusion.execution.use_row_number_estimates_to_optimize_partitioning = {};",
            *partitions == 1
        );
        connection.execute_script(&set).await.unwrap();
        for (sql, most) in queries {
            let (rows, keys) = read(&connection, sql).await;
            let (expected, _) = read(&all, sql).await;
            assert_eq!(rows, expected, "{key}: {sql}");
            assert!(
                keys <= *most,
                "{key}, {partitions} partitions: {sql} reads {keys} keys, not {most}"
            );
        }
    }
}

/// Queries by `a`, and what they may read under a key that has `a` before `ts`, in so many buckets.
fn by_group(buckets: usize) -> Vec<(&'static str, usize)> {
    // One group is read on, to see whether it is short.
    let each = GROUPS * (buckets + 1) + 3 * ENTRIES_PER_SEEK;
    let one = buckets + 1;
    vec![
        ("SELECT DISTINCT a FROM t", each),
        ("SELECT a FROM t GROUP BY a", each),
        ("SELECT count(DISTINCT a) FROM t", each),
        ("SELECT a + 1 AS x FROM t GROUP BY x", each),
        ("SELECT a, max(ts) FROM t GROUP BY a", each),
        ("SELECT a, min(ts) FROM t GROUP BY a", each),
        (
            "SELECT a, max(ts) AS m, max(a) FROM t WHERE a > 3 GROUP BY a",
            each,
        ),
        (
            "SELECT DISTINCT ON (a) a, ts, v FROM t ORDER BY a, ts DESC",
            each,
        ),
        (
            "SELECT DISTINCT ON (a) a, ts, v FROM t ORDER BY a, ts",
            each,
        ),
        ("SELECT a, max(ts) FROM t GROUP BY a ORDER BY a", each),
        ("SELECT a, min(ts) FROM t GROUP BY a ORDER BY a DESC", each),
        (
            "SELECT a, first_value(v ORDER BY ts) FROM t GROUP BY a",
            each,
        ),
        (
            "SELECT a, last_value(v ORDER BY ts) FROM t GROUP BY a",
            each,
        ),
        ("SELECT max(ts) FROM t WHERE a = 3", one),
        ("SELECT min(ts) FROM t WHERE a = 3", one),
        ("SELECT min(ts), max(ts) FROM t WHERE a = 3", 2 * one),
        (
            "SELECT max(ts) FROM t WHERE a = 3 AND ts < TIMESTAMP '2024-01-02'",
            one,
        ),
        ("SELECT max(ts) FROM t WHERE a = 300", 0),
    ]
}

#[tokio::test]
async fn one_key_is_read_of_each_group() {
    for (key, buckets) in [
        ("a, ts", 1),
        ("a DESC, ts DESC", 1),
        ("a, ts DESC, b", 1),
        ("hash(a), a, ts", 1),
        ("'t', a, date_trunc('day', ts), ts", 1),
        ("salt(4), a, ts", 4),
        ("bucket(16, ts), a DESC, ts", 16),
    ] {
        assert_read(key, &by_group(buckets)).await;
    }
}

#[tokio::test]
async fn the_first_that_passes_all_filters_is_looked_for() {
    for key in ["a, ts", "a DESC, ts DESC", "salt(4), a, ts DESC"] {
        // One row of fifty passes, one of two.
        assert_read(
            key,
            &[
                ("SELECT max(ts) FROM t WHERE a = 3 AND v = 11", ROWS / 4),
                (
                    "SELECT a, max(ts) FROM t WHERE v > 24 GROUP BY a",
                    ROWS / 10,
                ),
                ("SELECT DISTINCT a FROM t WHERE v = 7", ROWS),
                (
                    "SELECT a, min(ts), count(v) FROM t WHERE v > 24 GROUP BY a",
                    ROWS,
                ),
                (
                    "SELECT a, max(ts) FILTER (WHERE v > 24) FROM t GROUP BY a",
                    ROWS,
                ),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn a_leading_column_has_its_extremes_at_the_ends() {
    for (key, ends) in [("ts", 1), ("ts DESC, a", 1), ("salt(8), ts", 8)] {
        assert_read(key, &[
            ("SELECT max(ts) FROM t", ends),
            ("SELECT min(ts) FROM t", ends),
            ("SELECT min(ts) AS x, max(ts) AS y, max(ts) AS z FROM t", 2 * ends),
            ("SELECT max(ts) FROM t WHERE v = 49", 100 * ends),
            ("SELECT max(ts) FROM (SELECT ts FROM t WHERE ts < TIMESTAMP '2024-01-02' OFFSET 0)", ROWS),
        ])
        .await;
    }
}

/// NULLs at the wrong end, doubles, columns that the key does not tell, and limits below: all is read, and right.
#[tokio::test]
async fn what_the_key_does_not_tell_is_read() {
    for key in [
        "n, ts",
        "n NULLS LAST, ts",
        "n DESC, ts",
        "d, n",
        "salt(4), n DESC NULLS LAST, ts",
        "b, a, n, ts",
    ] {
        assert_read(
            key,
            &[
                ("SELECT max(n) FROM t", ROWS),
                ("SELECT min(n) FROM t", ROWS),
                ("SELECT min(d), max(d) FROM t", ROWS),
                ("SELECT n, max(v) FROM t GROUP BY n", ROWS),
                ("SELECT b, min(n), max(n) FROM t GROUP BY b", ROWS),
                ("SELECT b, max(ts), count(*) FROM t GROUP BY b", ROWS),
                ("SELECT DISTINCT n, v FROM t", ROWS),
                ("SELECT b, a, max(v) FROM t GROUP BY ROLLUP (b, a)", ROWS),
                (
                    "SELECT max(n) FROM (SELECT n FROM t ORDER BY ts LIMIT 10)",
                    ROWS,
                ),
                ("SELECT first_value(n IGNORE NULLS ORDER BY n) FROM t", ROWS),
            ],
        )
        .await;
    }
}

/// What has another value in each row is a group of its own there.
#[tokio::test]
async fn random_groups_are_those_of_all_rows() {
    for key in ["a, ts", "salt(4), a, ts"] {
        assert_read(
            key,
            &[
                (
                    "SELECT count(*) FROM (SELECT random() AS r FROM t GROUP BY r)",
                    ROWS,
                ),
                (
                    "SELECT count(*) FROM (SELECT DISTINCT a, random() AS r FROM t)",
                    ROWS,
                ),
                ("SELECT count(DISTINCT random()) FROM t WHERE a = 3", ROWS),
            ],
        )
        .await;
    }
}

/// Buckets that are merged pass over a group together, and a limit of groups ends the scan soon: of 50 groups.
#[tokio::test]
async fn merged_buckets_pass_over_groups() {
    // Batches of 1, 2, 4 groups, and the next one is read meanwhile.
    let few = |buckets: usize| 16 * (buckets + 1);
    for (key, buckets) in [
        ("salt(4), v, ts DESC", 4),
        ("bucket(8, ts), v, ts DESC", 8),
        ("'t', salt(4), v, ts DESC, b", 4),
    ] {
        assert_read_in(
            &[1],
            key,
            &[
                ("SELECT DISTINCT v FROM t ORDER BY v LIMIT 3", few(buckets)),
                (
                    "SELECT v FROM t GROUP BY v ORDER BY v DESC LIMIT 2",
                    few(buckets),
                ),
                (
                    "SELECT v, max(ts) FROM t GROUP BY v ORDER BY v LIMIT 3",
                    few(buckets),
                ),
                (
                    "SELECT v, min(ts) FROM t GROUP BY v ORDER BY v DESC LIMIT 3",
                    few(buckets),
                ),
                (
                    "SELECT v, max(ts) FROM t WHERE v IN (2, 3, 7) GROUP BY v ORDER BY v LIMIT 8",
                    4 * (buckets + 1),
                ),
                // One row of three passes.
                (
                    "SELECT v, max(ts) FROM t WHERE n IS NULL GROUP BY v ORDER BY v LIMIT 3",
                    8 * few(buckets),
                ),
                // The order of the rows is not that of the groups.
                (
                    "SELECT v, min(ts) FROM t GROUP BY v ORDER BY v LIMIT 3",
                    ROWS,
                ),
                // A run has ten or twenty rows of a group.
                ("SELECT DISTINCT v FROM t", ROWS),
            ],
        )
        .await;
    }
}

/// Where groups are short, it is as quick to read on.
#[tokio::test]
async fn short_groups_are_read_on() {
    let connection = connection("v, a, ts").await;
    let plan = "EXPLAIN SELECT v, a, max(ts) FROM t GROUP BY v, a";
    let (shown, _) = read(&connection, plan).await;
    assert!(shown.join("").contains("first of=(v, a)"), "{shown:?}");
    let (rows, keys) = read(&connection, "SELECT v, a, max(ts) FROM t GROUP BY v, a").await;
    // Of 64 seeks, and of 64 more, one was a trial.
    assert_eq!((rows.len(), keys), (200, 390));
    let seeks = |analyzed: &[String]| {
        let analyzed = analyzed.join("");
        let (_, seeks) = analyzed.split_once("seeks=").unwrap();
        seeks
            .split([',', ']'])
            .next()
            .unwrap()
            .parse::<usize>()
            .unwrap()
    };
    let short = "EXPLAIN ANALYZE SELECT v, a, ts / 100000000 FROM (SELECT v, a, CAST(ts AS BIGINT) AS ts FROM t) q GROUP BY 1, 2, 3";
    let (analyzed, _) = read(&connection, short).await;
    assert!(seeks(&analyzed) < 10, "{analyzed:?}");
}
