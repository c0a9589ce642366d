//! What is read where a filter leaves the first of numbered rows, and that the answers are those of reading all.

use crate::key::testing::with_seed;
use crate::plan::rule::scan::first_rows::tests::{
    GROUPS, ROWS, assert_read, assert_read_in, connection,
};
use crate::session::Database;
use crate::session::testing::read;
use crate::store::ENTRIES_PER_SEEK;

const NEWEST: &str = "row_number() OVER (PARTITION BY a ORDER BY ts DESC)";

/// The rows of `t` that a condition on a number leaves, as a subquery and by QUALIFY.
fn left(number: &str, condition: &str, filter: &str) -> [String; 2] {
    [
        format!(
            "SELECT a, ts, v FROM (SELECT *, {number} AS place FROM t {filter}) q WHERE place {condition}"
        ),
        format!("SELECT a, ts, v FROM t {filter} QUALIFY {number} {condition}"),
    ]
}

async fn assert_left(key: &str, queries: &[(&str, &str, &str, usize)]) {
    let texts = queries
        .iter()
        .flat_map(|(number, condition, filter, most)| {
            left(number, condition, filter).map(|sql| (sql, *most))
        });
    let texts: Vec<(String, usize)> = texts.collect();
    let texts = texts.iter().map(|(sql, most)| (sql.as_str(), *most));
    assert_read_in(&[1, 4], key, &texts.collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn one_key_is_read_of_each_group() {
    let oldest = NEWEST.replace("DESC", "ASC");
    let by_more = NEWEST.replace("DESC", "DESC, v, a");
    let ranked = NEWEST.replace("row_number", "rank");
    let densely = NEWEST.replace("row_number", "dense_rank");
    for (key, buckets) in [
        ("a, ts", 1),
        ("a DESC, ts DESC", 1),
        ("hash(a), a, ts", 1),
        ("'t', a, date_trunc('day', ts), ts", 1),
        ("salt(4), a, ts", 4),
        ("bucket(16, ts), a DESC, ts", 16),
    ] {
        let each = GROUPS * (buckets + 1) + 3 * ENTRIES_PER_SEEK;
        assert_left(
            key,
            &[
                (NEWEST, "= 1", "", each),
                (NEWEST, "<= 1", "WHERE a > 3", each),
                (NEWEST, "< 2", "", each),
                (&oldest, "= 1", "", each),
                (&by_more, "= 1", "", each),
                (&ranked, "= 1", "", each),
                (&densely, "= 1", "", each),
                (NEWEST, "<= 3", "", GROUPS * buckets * 4 + buckets),
                (NEWEST, "= 2", "", GROUPS * buckets * 3 + buckets),
                (NEWEST, "= 1", "WHERE a = 3", buckets + 1),
                (
                    NEWEST,
                    "= 1",
                    "WHERE a = 3 AND ts < TIMESTAMP '2024-01-02'",
                    buckets + 1,
                ),
                (
                    "row_number() OVER (ORDER BY ts DESC)",
                    "= 1",
                    "WHERE a = 3",
                    buckets + 1,
                ),
                // One row of two passes, one of fifty.
                (NEWEST, "= 1", "WHERE v > 24", ROWS / 4),
                (NEWEST, "= 1", "WHERE a = 3 AND v = 11", ROWS / 4),
            ],
        )
        .await;
    }
}

/// What stands around the window changes nothing about the rows that it needs.
#[tokio::test]
async fn the_rest_of_the_query_does_not_matter() {
    let each = GROUPS * 5;
    for key in ["a, ts", "salt(4), a, ts", "salt(4), a, ts DESC"] {
        assert_read(
            key,
            &[
                (
                    "SELECT a + 1 AS x, n FROM (SELECT ts AS t, a, row_number() OVER (PARTITION BY a ORDER BY ts DESC) AS n, \
                     rank() OVER (PARTITION BY a ORDER BY ts DESC) AS r FROM t) q WHERE n = 1 AND r = 1 ORDER BY x LIMIT 3",
                    each,
                ),
                (
                    "SELECT count(*), max(ts) FROM (SELECT ts, row_number() OVER (PARTITION BY a ORDER BY ts) AS n FROM t) q \
                     WHERE 1 >= n",
                    each,
                ),
                (
                    "SELECT q.a, u.v FROM (SELECT a, ts FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY ts) = 1) q \
                     JOIN t u ON u.a = q.a AND u.ts = q.ts",
                    ROWS + each,
                ),
                (
                    "SELECT a, b FROM (SELECT a, b, ts FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY ts) = 1) q \
                     WHERE b = 'b0' OR a = 4",
                    each,
                ),
            ],
        )
        .await;
    }
}

/// Other functions beside the number need all rows, and so do ranks of rows that are equal, other conditions, orders that
/// the key does not give.
#[tokio::test]
async fn what_needs_all_rows_reads_them() {
    for key in ["a, b, n, ts", "salt(4), a, b DESC, n, ts"] {
        assert_read(
            key,
            &[
                ("SELECT a, b, ts FROM t QUALIFY rank() OVER (PARTITION BY a ORDER BY b) = 1", ROWS),
                ("SELECT a, b, ts FROM t QUALIFY dense_rank() OVER (PARTITION BY a ORDER BY b DESC) <= 2", ROWS),
                ("SELECT a, ts FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY ts) = 1", ROWS),
                ("SELECT a, ts FROM t QUALIFY row_number() OVER (PARTITION BY a, b ORDER BY n, ts) > 30", ROWS),
                ("SELECT a, ts FROM t QUALIFY row_number() OVER (PARTITION BY a, b ORDER BY n DESC, ts) = 1", ROWS),
                ("SELECT a, ts FROM t QUALIFY row_number() OVER (PARTITION BY a, b ORDER BY n, ts) = 1 OR v = 3", ROWS),
                (
                    "SELECT a, s FROM (SELECT a, row_number() OVER (PARTITION BY a ORDER BY b, n, ts) AS r, \
                     sum(v) OVER (PARTITION BY a) AS s FROM t) q WHERE r = 1",
                    ROWS,
                ),
                (
                    "SELECT a, s FROM (SELECT a, row_number() OVER (PARTITION BY a ORDER BY b, n, ts) AS r, \
                     lead(v) OVER (PARTITION BY a ORDER BY b, n, ts) AS s FROM t) q WHERE r = 1",
                    ROWS,
                ),
                (
                    "SELECT a, r FROM (SELECT a, b, ts, row_number() OVER (PARTITION BY a ORDER BY b, n, ts) AS r, \
                     row_number() OVER (PARTITION BY b ORDER BY ts, a) AS s FROM t) q WHERE r = 1 AND s > 0",
                    ROWS,
                ),
                (
                    "SELECT a, ts FROM (SELECT a, ts FROM t ORDER BY ts LIMIT 100) q \
                     QUALIFY row_number() OVER (PARTITION BY a ORDER BY ts DESC) = 1",
                    ROWS,
                ),
            ],
        )
        .await;
    }
}

/// Of rows that are equal in the order one is taken, whichever it is.
#[tokio::test]
async fn one_of_equal_rows_is_enough() {
    for (key, buckets) in [("a, b, ts", 1), ("salt(4), a, b, ts", 4)] {
        let connection = connection(key).await;
        let (rows, keys) = read(
            &connection,
            "SELECT a, b FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1",
        )
        .await;
        let expected: Vec<String> = (0..GROUPS).map(|group| format!("{group}|b0")).collect();
        assert_eq!(rows, expected);
        assert!(keys <= GROUPS * (buckets + 1), "{key} reads {keys} keys");
    }
}

#[tokio::test]
async fn the_plan_says_how_many_rows_of_each_group_are_read() {
    let connection = connection("salt(4), a, ts DESC").await;
    for (condition, shown) in [
        ("= 1", "first of=(salt(4), a)"),
        ("< 4", "first 3 of=(salt(4), a)"),
    ] {
        let sql = format!("EXPLAIN SELECT a FROM t QUALIFY {NEWEST} {condition}");
        let (plan, _) = read(&connection, &sql).await;
        let plan = plan.join("");
        assert!(plan.contains(shown), "{plan}");
    }
    let all = format!("EXPLAIN SELECT a FROM t QUALIFY {NEWEST} > 1");
    let (plan, _) = read(&connection, &all).await;
    assert!(!plan.join("").contains("of=("), "{plan:?}");
}

/// Random first rows over random keys, batches and partitions, beside the same by reading all.
#[test]
fn first_rows_are_those_of_all() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    with_seed(|rng| {
        for _ in 0..6 {
            let key = KEYS[rng.usize(..KEYS.len())];
            let connection = Database::in_memory().unwrap().connect();
            let run = |sql: &str| runtime.block_on(connection.execute_script(sql)).expect(sql);
            let (spread, rows) = (rng.i64(1..60), rng.i64(1..5000));
            run(&format!(
                "CREATE TABLE t (a INT, b TEXT NULL, c BIGINT, v INT, PRIMARY KEY ({key}));
                 INSERT INTO t SELECT value % {spread}, CASE WHEN value % 11 > 0 THEN 'k' || (value % 7) END, value, value % 13
                 FROM generate_series(0, {rows});
                 SET datafusion.execution.target_partitions = {};
                 SET datafusion.execution.batch_size = {}",
                rng.usize(1..5),
                [7, 100, 8192][rng.usize(..3)]
            ));
            let plain = connection.database().connect();
            let off = "SET halite.pushdown = false";
            runtime.block_on(plain.execute_script(off)).unwrap();
            for _ in 0..12 {
                let sql = random_query(rng);
                let answers =
                    [&connection, &plain].map(|asked| runtime.block_on(read(asked, &sql)));
                assert_eq!(answers[0].0, answers[1].0, "{key}: {sql}");
            }
        }
    });
}

const KEYS: [&str; 9] = [
    "a, c, b",
    "a DESC, b, c DESC",
    "b NULLS FIRST, a, c",
    "salt(3), a, b, c",
    "salt(5), b DESC, c DESC",
    "bucket(4, c), a, c",
    "'x', salt(2), b, a DESC, c",
    "a, salt(3), c",
    "hash(b), b, a, c",
];

fn random_query(rng: &mut fastrand::Rng) -> String {
    let groups = ["a", "b", "a, b", "b, a"][rng.usize(..4)];
    let order = [
        "c",
        "c DESC",
        "b, c",
        "b DESC NULLS LAST, c DESC",
        "a DESC, b, c",
    ][rng.usize(..5)];
    let filter = [
        "",
        "WHERE v < 9",
        "WHERE v = 4",
        "WHERE a > 2",
        "WHERE b IN ('k1', 'k5')",
    ][rng.usize(..5)];
    let function = ["row_number", "rank", "dense_rank"][rng.usize(..3)];
    let condition = ["= 1", "<= 1", "< 3", "<= 4", "= 2"][rng.usize(..5)];
    let direction = ["", "DESC"][rng.usize(..2)];
    match rng.usize(..4) {
        0 => format!(
            "SELECT DISTINCT {groups} FROM t {filter} ORDER BY {groups} {direction} LIMIT {}",
            rng.usize(1..20)
        ),
        1 => format!(
            "SELECT {groups}, max(c) FROM t {filter} GROUP BY {groups} ORDER BY {groups} {direction} LIMIT {}",
            rng.usize(1..20)
        ),
        2 => format!("SELECT {groups}, min(c), max(c) FROM t {filter} GROUP BY {groups}"),
        _ => format!(
            "SELECT a, b, c, v FROM t {filter} QUALIFY {function}() OVER (PARTITION BY {groups} ORDER BY {order}) {condition}"
        ),
    }
}
