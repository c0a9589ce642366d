//! Where the key gives the order nothing is sorted, and a limit reaches the scan: layouts and the orders they give.

use super::*;

/// 240 rows: a and b from 0 to 9, n NULL in every fourth, s one of 24 texts; (a, b, c) is unique.
const ROWS: &str =
    "SELECT a, b, c, CASE WHEN (a + b + c) % 4 = 0 THEN NULL ELSE (a * 31 + b * 17 + c) % 50 END,
        'text ' || ((a * 7 + b * 3 + c) % 24), to_timestamp_millis((a * 100 + b) * 600000 + c)
    FROM (SELECT value AS a FROM generate_series(0, 9))
    CROSS JOIN (SELECT value AS b FROM generate_series(0, 7))
    CROSS JOIN (SELECT value AS c FROM generate_series(0, 2))";

fn table(key: &str) -> String {
    format!(
        "CREATE TABLE t (a INT, b INT, c INT, n INT NULL, s TEXT, ts TIMESTAMP(3), PRIMARY KEY ({key}))"
    )
}

/// A row key, and what a query may ask of it without a sort: its WHERE (or nothing) and its ORDER BY.
struct Layout {
    key: &'static str,
    given: &'static [(&'static str, &'static str)],
    /// Orders that the key does not give.
    sorted: &'static [(&'static str, &'static str)],
}

const LAYOUTS: &[Layout] = &[
    Layout {
        key: "a, b, c",
        given: &[
            ("", "a"),
            ("", "a, b"),
            ("", "a, b, c"),
            ("", "a DESC, b DESC, c DESC"),
            ("", "a NULLS FIRST, b"),
            ("a = 3", "b, c"),
            ("a = 3", "b DESC, c DESC"),
            ("a = 3", "a DESC, b, c"),
            ("a = 3 AND b = 4", "c DESC, a, b"),
            ("a IN (2, 7)", "a, b, c"),
            ("a > 3 AND n > 10", "a DESC, b DESC"),
            ("n > 10", "a, b, c"),
            ("b = 4", "a, c"),
            ("b = 4", "a DESC, c DESC"),
            ("a = 3 AND b > 2", "b, c"),
            ("(a, b, c) > (3, 4, 1)", "a, b, c"),
        ],
        sorted: &[
            ("", "b"),
            ("", "a, b DESC"),
            ("a IN (2, 7)", "b, c"),
            ("b = 4", "a, c DESC"),
        ],
    },
    Layout {
        key: "a DESC, b, c DESC",
        given: &[
            ("", "a DESC, b, c DESC"),
            ("", "a, b DESC, c"),
            ("a = 3", "b"),
            ("a = 3", "b DESC, c"),
        ],
        sorted: &[("", "a DESC, b DESC"), ("a = 3", "b, c")],
    },
    Layout {
        key: "salt(4), a, b, c",
        given: &[
            ("", "a, b, c"),
            ("", "a DESC, b DESC, c DESC"),
            ("a = 3", "b, c"),
            ("a = 3 AND b = 4", "c DESC"),
        ],
        sorted: &[("", "b")],
    },
    Layout {
        key: "bucket(4, a), a, b, c",
        given: &[
            ("", "a, b"),
            ("a = 3", "b, c"),
            ("a = 3", "b DESC, c DESC"),
            ("a IN (3, 5)", "a DESC, b DESC"),
        ],
        sorted: &[("a IN (3, 5)", "b, a")],
    },
    Layout {
        key: "a, salt(4), b, c",
        given: &[("", "a"), ("", "a DESC")],
        sorted: &[("a = 3", "b, c"), ("", "a, b, c"), ("", "b, c")],
    },
    Layout {
        key: "'O', salt(4), a, b, c",
        given: &[("", "a, b, c"), ("a = 3", "b DESC, c DESC")],
        sorted: &[("", "b")],
    },
    Layout {
        key: "s, a, b, c",
        given: &[
            ("", "s, a"),
            ("", "s DESC, a DESC"),
            ("s = 'text 7'", "a DESC, b DESC"),
            ("s LIKE 'text 1%'", "s, a, b"),
            ("s IN ('text 1', 'text 2')", "s DESC, a DESC"),
        ],
        sorted: &[("s LIKE 'text 1%'", "a")],
    },
    Layout {
        key: "reverse(s), a, b, c",
        given: &[("s = 'text 7'", "a, b, c"), ("s = 'text 7'", "a DESC")],
        sorted: &[("", "s")],
    },
    Layout {
        key: "hash(s), s, a, b, c",
        given: &[
            ("s = 'text 7'", "a, b"),
            ("s = 'text 7'", "a DESC, b DESC, c DESC"),
        ],
        sorted: &[("", "s")],
    },
    Layout {
        key: "n, a, b, c",
        given: &[
            ("", "n, a"),
            ("", "n DESC, a DESC"),
            ("n IS NULL", "a, b"),
            ("n IS NULL", "a DESC, b DESC"),
            ("n > 7", "n, a"),
        ],
        sorted: &[("", "n NULLS FIRST, a")],
    },
    Layout {
        key: "n ASC NULLS FIRST, a, b, c",
        given: &[("", "n NULLS FIRST, a"), ("", "n DESC NULLS LAST, a DESC")],
        sorted: &[("", "n, a")],
    },
    Layout {
        key: "'O', a, b, c",
        given: &[("", "a, b, c"), ("", "a DESC, b DESC, c DESC")],
        sorted: &[("", "b")],
    },
    Layout {
        key: "b % 4, b, a, c",
        given: &[("b = 6", "a, c"), ("b % 4 = 2 AND b = 6", "a DESC")],
        sorted: &[("", "b")],
    },
    Layout {
        key: "date_trunc('hour', ts), ts, a, b, c",
        given: &[
            ("", "ts"),
            ("", "ts DESC, a DESC"),
            ("ts > to_timestamp_millis(9000000)", "ts, a"),
        ],
        sorted: &[("", "a, ts")],
    },
    Layout {
        key: "salt(4), b / 3, b, a, c",
        given: &[("", "b, a"), ("b > 3", "b DESC, a DESC")],
        sorted: &[("", "a")],
    },
];

/// The tables, over scans of one partition, of some, and of pieces that hold a few rows each.
async fn fixtures(layout: &Layout) -> Vec<(usize, Fixture)> {
    let mut fixtures = Vec::new();
    for (partitions, piece_bytes) in [(1, 4 << 20), (3, 4 << 20), (4, 500)] {
        let options = HaliteOptions {
            piece_bytes,
            ..HaliteOptions::default()
        };
        let fixture = Fixture::with_options(partitions, options);
        fixture.create(&table(layout.key), ROWS).await;
        fixtures.push((partitions, fixture));
    }
    fixtures
}

fn select(condition: &str, order: &str) -> String {
    let filter = match condition {
        "" => String::new(),
        condition => format!(" WHERE {condition}"),
    };
    format!("SELECT * FROM t{filter} ORDER BY {order}")
}

#[tokio::test]
async fn nothing_is_sorted_that_the_key_has_in_order() {
    for layout in LAYOUTS {
        for (partitions, fixture) in fixtures(layout).await {
            for (condition, order) in layout.given {
                let sql = select(condition, order);
                let place = format!("{} with {partitions} partitions: {sql}", layout.key);
                let answer = fixture.ask(&sql).await;
                assert!(
                    !answer.plan.contains("SortExec"),
                    "{place}\n{}",
                    answer.plan
                );
                // All columns break the ties, so that the rows can be compared one by one.
                let tied = format!("{sql}, a, b, c");
                let twin = fixture.ask(&tied.replace("FROM t", "FROM m_t")).await;
                in_order_of(&answer.cells, &twin.cells, order, &place);
            }
            for (condition, order) in layout.sorted {
                let answer = fixture
                    .check(&format!("{}, a, b, c", select(condition, order)), true)
                    .await;
                assert!(
                    answer.plan.contains("SortExec"),
                    "{}: {}",
                    layout.key,
                    answer.plan
                );
            }
        }
    }
}

/// The same rows, and their sort columns one by one the same.
fn in_order_of(rows: &[Vec<String>], wanted: &[Vec<String>], order: &str, place: &str) {
    let sorted = |rows: &[Vec<String>]| {
        let mut rows = rows.to_vec();
        rows.sort();
        rows
    };
    assert_eq!(sorted(rows), sorted(wanted), "{place}");
    const NAMES: [&str; 6] = ["a", "b", "c", "n", "s", "ts"];
    let named = order.split(", ").map(|column| {
        let name = column.split(' ').next().unwrap_or_default();
        let found = NAMES.iter().position(|known| *known == name);
        found.unwrap_or_else(|| panic!("{name} of {place}"))
    });
    let columns: Vec<usize> = named.collect();
    let project = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
        let cells = |row: &Vec<String>| columns.iter().map(|column| row[*column].clone()).collect();
        rows.iter().map(cells).collect()
    };
    assert_eq!(project(rows), project(wanted), "{place}");
}

#[tokio::test]
async fn limit_and_offset_reach_the_scan() {
    for layout in LAYOUTS {
        for (partitions, fixture) in fixtures(layout).await {
            for (condition, order) in layout.given {
                for (rows, skipped) in [(3, 0), (2, 4)] {
                    let sql = format!("{} LIMIT {rows} OFFSET {skipped}", select(condition, order));
                    let place = format!("{} with {partitions} partitions: {sql}", layout.key);
                    let answer = fixture.ask(&sql).await;
                    let limit = format!("limit={}", rows + skipped);
                    assert!(answer.plan.contains(&limit), "{place}\n{}", answer.plan);
                    for gone in ["SortExec", "pieces="] {
                        assert!(!answer.plan.contains(gone), "{place}\n{}", answer.plan);
                    }
                    // A run has a few keys more than are wanted of it, and a residual is tried on 64 keys at first.
                    let runs = if layout.key.contains("(4") { 4 } else { 1 };
                    let most = if answer.plan.contains("residual=") {
                        240
                    } else {
                        runs * (rows + skipped) + answer.totals.seeks
                    };
                    assert!(
                        answer.totals.keys_read <= most,
                        "{place}: {:?}\n{}",
                        answer.totals,
                        answer.plan
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn operators_above_use_the_order() {
    let layout = &LAYOUTS[0];
    for (_, fixture) in fixtures(layout).await {
        for sql in [
            "SELECT a, b, c, row_number() OVER (PARTITION BY a ORDER BY b, c) FROM t",
            "SELECT a, count(*) FROM t WHERE a > 2 GROUP BY a ORDER BY a",
            "SELECT DISTINCT a, b FROM t WHERE a = 3 ORDER BY b",
            "SELECT * FROM (SELECT * FROM t ORDER BY a, b, c LIMIT 30) x ORDER BY a, b, c LIMIT 3",
            "SELECT * FROM (SELECT a, b, c FROM t ORDER BY a DESC, b DESC, c DESC LIMIT 9) x WHERE b > 5",
            "SELECT a, b, c, n FROM t WHERE n > 20 ORDER BY a, b, c LIMIT 7 OFFSET 3",
            "SELECT b, c FROM t WHERE a = 3 ORDER BY b, c",
            "SELECT s FROM t ORDER BY a, n, b, c LIMIT 10",
        ] {
            fixture.check(sql, false).await;
        }
        let top = fixture
            .ask("SELECT max(a) FROM (SELECT a FROM t ORDER BY a DESC LIMIT 5) x")
            .await;
        assert_eq!(top.rows, ["9"]);
        assert!(!top.plan.contains("SortExec"), "{}", top.plan);
    }
}

#[tokio::test]
async fn a_cut_range_is_one_range_and_is_not_cut_backward() {
    let options = HaliteOptions {
        piece_bytes: 500,
        ..HaliteOptions::default()
    };
    let fixture = Fixture::with_options(4, options);
    fixture.create(&table("a, b, c"), ROWS).await;
    let cut = fixture.check("SELECT * FROM t WHERE n > 10", false).await;
    assert!(cut.plan.contains("ranges=1, pieces=4"), "{}", cut.plan);
    assert_eq!((cut.totals.ranges, cut.totals.seeks), (1, 4));
    assert_eq!(cut.totals.keys_read, 240);
    let two = fixture
        .check("SELECT * FROM t WHERE (a < 4 OR a > 5) AND n > 10", false)
        .await;
    assert_eq!(two.totals.ranges, 2, "{:?}\n{}", two.totals, two.plan);
    let sql = "SELECT * FROM t ORDER BY a DESC, b DESC, c DESC";
    let backward = fixture.check(sql, true).await;
    assert!(!backward.plan.contains("pieces="), "{}", backward.plan);
    assert_eq!((backward.totals.ranges, backward.totals.seeks), (1, 1));
}
