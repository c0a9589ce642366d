//! Where a query orders by parts of the key that are expressions, nothing is sorted, and the rows come in the order that
//! a sort of the same rows gives: every transform, over hostile values, in layouts of every kind.

use super::*;

const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'ab'",
    "'abc'",
    "'abd'",
    "'B'",
    "'b'",
    "'zz top'",
    "'ÿ'",
    "'日本語'",
    "'a\u{0}'",
    "'a\u{0}\u{0}b'",
    "'\u{10FFFF}'",
    "'12'",
];
const BYTES: &[&str] = &[
    "X''", "X'00'", "X'00FF'", "X'0001'", "X'61'", "X'FF'", "X'FFFF'",
];
const NUMBERS: &[&str] = &[
    "-32768", "-25", "-11", "-10", "-9", "-4", "-1", "0", "1", "3", "4", "9", "10", "11", "25",
    "32767",
];
const NATURAL: &[&str] = &[
    "0", "1", "7", "10", "11", "70", "99", "100", "12345", "32767",
];
const STAMPS: &[&str] = &[
    "'1677-10-01T00:00:00'",
    "'1899-12-31T23:59:59'",
    "'1900-02-28T12:00:00'",
    "'1969-12-31T22:30:00'",
    "'1969-12-31T23:59:59'",
    "'1970-01-01T00:00:00'",
    "'1970-01-01T00:14:59'",
    "'1970-01-01T00:15:00'",
    "'1970-01-05T00:00:00'",
    "'2000-02-29T12:00:00'",
    "'2024-02-29T23:59:59'",
    "'2024-03-01T00:00:00'",
    "'2262-04-10T00:00:00'",
];

/// A part over the column `c`, the column's type, and values for it.
const PARTS: &[(&str, &str, &[&str])] = &[
    ("reverse(c)", "TEXT", TEXTS),
    ("reverse(c)", "VARCHAR(8)", TEXTS),
    ("left(c, 1)", "TEXT", TEXTS),
    ("left(c, 2)", "VARCHAR(8)", TEXTS),
    ("md5(c)", "TEXT", TEXTS),
    ("md5(c)", "BYTEA", BYTES),
    ("hash(c)", "TEXT", TEXTS),
    ("hash(c, id)", "BIGINT", NUMBERS),
    ("bucket(4, c)", "TEXT", TEXTS),
    ("bucket(300, c)", "SMALLINT", NUMBERS),
    ("reverse_digits(c)", "SMALLINT", NATURAL),
    ("reverse_digits(c)", "BIGINT", NATURAL),
    ("c / 10", "SMALLINT", NUMBERS),
    ("c / 3", "BIGINT", NUMBERS),
    ("c % 4", "INT", NUMBERS),
    ("c % 10", "BIGINT", NUMBERS),
    ("CAST(c AS DATE)", "TIMESTAMP(3)", STAMPS),
    ("CAST(c AS DATE)", "TIMESTAMP(0) WITH TIME ZONE", STAMPS),
    ("date_trunc('hour', c)", "TIMESTAMP(3)", STAMPS),
    ("date_trunc('month', c)", "TIMESTAMP", STAMPS),
    ("date_trunc('WEEK', c)", "TIMESTAMP(0)", STAMPS),
    (
        "date_trunc('day', c)",
        "TIMESTAMP(6) WITH TIME ZONE",
        STAMPS,
    ),
    ("date_bin(INTERVAL '15 minutes', c)", "TIMESTAMP(3)", STAMPS),
    ("date_bin(INTERVAL '1 day', c)", "TIMESTAMP", STAMPS),
    ("date_bin(INTERVAL '36 hours', c)", "TIMESTAMP(0)", STAMPS),
    (
        "date_bin(INTERVAL '1500 milliseconds', c)",
        "TIMESTAMP(0)",
        STAMPS,
    ),
    (
        "date_bin(INTERVAL '1 week', c)",
        "TIMESTAMP(3) WITH TIME ZONE",
        STAMPS,
    ),
];

/// Where the part stands in the key, `{P}`, and how a query orders by the key; its condition; and whether `c` can be
/// NULL.
const PLACES: &[(&str, &str, &str, bool)] = &[
    ("{P}, id", "{P}; id", "", false),
    (
        "{P} DESC NULLS LAST, id DESC",
        "{P} DESC NULLS LAST; id DESC",
        "",
        true,
    ),
    ("{S}{P} DESC, id", "{P} DESC; id", "", true),
    ("{S}{P}, c, id", "{P}; c; id", "", false),
    (
        "{P} NULLS FIRST, c NULLS FIRST, id",
        "{P} NULLS FIRST; c NULLS FIRST; id",
        "",
        true,
    ),
    (
        "kind, {P}, c DESC, id",
        "{P}; c DESC; id",
        " WHERE kind = 1",
        true,
    ),
    (
        "'O', kind, {P} DESC, id, c",
        "kind; {P} DESC; id; c",
        "",
        false,
    ),
];

fn ddl(key: &str, column_type: &str, is_nullable: bool) -> String {
    let null = if is_nullable { " NULL" } else { "" };
    format!("CREATE TABLE t (id INT, kind INT, c {column_type}{null}, PRIMARY KEY ({key}))")
}

/// Each value twice, and NULL where the column takes it.
fn rows(values: &[&str], is_nullable: bool) -> String {
    let null = is_nullable.then_some("NULL");
    let values: Vec<&str> = values.iter().copied().chain(null).collect();
    let row = |(id, value): (usize, &&str)| format!("({id}, {}, {value})", id % 2);
    let rows: Vec<String> = values.iter().chain(&values).enumerate().map(row).collect();
    format!("VALUES {}", rows.join(", "))
}

/// The same order from its other end.
fn reversed(order: &[String]) -> Vec<String> {
    let ends = [
        (" DESC NULLS LAST", " NULLS FIRST"),
        (" NULLS FIRST", " DESC NULLS LAST"),
        (" DESC", ""),
    ];
    let turned = |term: &String| {
        let mut ends = ends.iter();
        ends.find_map(|(end, other)| Some(format!("{}{other}", term.strip_suffix(end)?)))
            .unwrap_or_else(|| format!("{term} DESC"))
    };
    order.iter().map(turned).collect()
}

/// Asks in key order, and in the reverse order: for whole rows, for what the part computes, and for the first rows.
async fn ask_in_order(fixture: &Fixture, part: &str, order: &[String], condition: &str) {
    for order in [order.to_vec(), reversed(order)] {
        let ends = order[0].replace(part, "p");
        let named = [vec![ends], order[1..].to_vec()].concat().join(", ");
        let until_id = order.iter().take_while(|term| !term.starts_with("id"));
        let first = until_id.cloned().collect::<Vec<_>>().join(", ");
        let order = order.join(", ");
        for sql in [
            format!("SELECT * FROM t{condition} ORDER BY {order}"),
            format!("SELECT {part} AS p, id, c, kind FROM t{condition} ORDER BY {named}"),
            format!("SELECT {part} AS p FROM t{condition} ORDER BY {first}"),
            format!("SELECT id, {part} AS p FROM t{condition} ORDER BY {order} LIMIT 3 OFFSET 1"),
        ] {
            let answer = fixture.check(&sql, true).await;
            let is_sorted = answer.plan.contains("SortExec");
            assert!(!is_sorted, "{sql}\n{}", answer.plan);
            // What shares out the rows of one partition for a projection to compute takes no limit.
            if sql.contains("LIMIT") && !answer.plan.contains("RepartitionExec") {
                assert!(answer.plan.contains("limit=4"), "{sql}\n{}", answer.plan);
                let most = 4 * 4 + answer.totals.seeks;
                assert!(answer.totals.keys_read <= most, "{sql}\n{}", answer.plan);
            }
        }
    }
}

#[tokio::test]
async fn an_order_by_the_primary_key_sorts_nothing() {
    for (number, (part, column_type, values)) in PARTS.iter().enumerate() {
        // Every transform stands here with several types: each of them has half of the places.
        for (place, order, condition, is_nullable) in PLACES.iter().skip(number % 2).step_by(2) {
            // A table has one salt or bucket.
            let salt = if part.starts_with("bucket") {
                ""
            } else {
                "salt(4), "
            };
            if salt.is_empty() && !place.starts_with("kind") && !place.starts_with("'O'") {
                continue;
            }
            let key = place.replace("{S}", salt).replace("{P}", part);
            let order = order.replace("{P}", part);
            let order: Vec<String> = order.split("; ").map(str::to_owned).collect();
            let fixture = Fixture::of_halite(1 + 2 * (number / 2 % 2));
            let rows = rows(values, *is_nullable);
            fixture
                .create(&ddl(&key, column_type, *is_nullable), &rows)
                .await;
            ask_in_order(&fixture, part, &order, condition).await;
        }
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn another_order_is_sorted() {
    for (key, column_type, values, orders) in [
        (
            "c % 4, id",
            "INT",
            NUMBERS,
            &[
                "c % 3, id",
                "c, id",
                "c % 4, id DESC",
                "c / 4, id",
                "abs(c % 4), id",
            ][..],
        ),
        (
            "reverse(c), id",
            "TEXT",
            TEXTS,
            &["c, id", "reverse(c), id DESC", "left(c, 1), id"],
        ),
        ("md5(c), id", "TEXT", TEXTS, &["c, id", "hash(c), id"]),
        (
            "hash(c), id",
            "BIGINT",
            NUMBERS,
            &["c, id", "hash(id, c), id", "hash(c, id), id"],
        ),
        (
            "left(c, 2), id",
            "TEXT",
            TEXTS,
            &["c, id", "left(c, 1), id", "left(c, 3), id"],
        ),
        (
            "c / 10, c DESC, id",
            "BIGINT",
            NUMBERS,
            &["c, id", "c DESC, id", "c / 5, id"],
        ),
        (
            "date_trunc('hour', c), id, c",
            "TIMESTAMP(3)",
            STAMPS,
            &[
                "c, id",
                "date_trunc('day', c), id",
                "date_trunc('minute', c), id",
            ],
        ),
        (
            "date_bin(INTERVAL '15 minutes', c), id",
            "TIMESTAMP(3)",
            STAMPS,
            &[
                "date_bin(INTERVAL '16 minutes', c), id",
                "date_bin(INTERVAL '15 minutes', c, TIMESTAMP '1970-01-01T00:07:00'), id",
            ],
        ),
        // A bin begins between two seconds: SQL's may be finer than what the key keeps.
        (
            "date_bin(INTERVAL '1500 milliseconds', c), id",
            "TIMESTAMP(0) WITH TIME ZONE",
            STAMPS,
            &["date_bin(INTERVAL '1500 milliseconds', c), id"],
        ),
        (
            "reverse_digits(c), id",
            "INT",
            NATURAL,
            &["c, id", "reverse(CAST(c AS TEXT)), id"],
        ),
        // Rows of one bucket lie apart in the order of the others.
        (
            "salt(4), id, reverse(c)",
            "TEXT",
            TEXTS,
            &["reverse(c), id"],
        ),
    ] {
        let fixture = Fixture::of_halite(3);
        fixture
            .create(&ddl(key, column_type, false), &rows(values, false))
            .await;
        for order in orders {
            let answer = fixture
                .check(&format!("SELECT * FROM t ORDER BY {order}"), true)
                .await;
            assert!(
                answer.plan.contains("SortExec"),
                "{key}: {order}\n{}",
                answer.plan
            );
        }
    }
}

#[tokio::test]
async fn nulls_stand_where_the_key_has_them() {
    for (key, given, sorted) in [
        (
            "left(c, 2), id",
            "left(c, 2), id",
            "left(c, 2) NULLS FIRST, id",
        ),
        (
            "c / 10 NULLS FIRST, c, id",
            "c / 10 NULLS FIRST, c, id",
            "c NULLS FIRST, id",
        ),
        (
            "c % 3 DESC NULLS LAST, id",
            "c % 3 NULLS FIRST, id DESC",
            "c % 3 DESC, id",
        ),
    ] {
        let (column_type, values) = if key.starts_with("left") {
            ("TEXT", TEXTS)
        } else {
            ("INT", NUMBERS)
        };
        let fixture = Fixture::of_halite(3);
        fixture
            .create(&ddl(key, column_type, true), &rows(values, true))
            .await;
        for (order, is_sorted) in [(given, false), (sorted, true)] {
            let answer = fixture
                .check(&format!("SELECT * FROM t ORDER BY {order}"), true)
                .await;
            assert_eq!(
                answer.plan.contains("SortExec"),
                is_sorted,
                "{order}\n{}",
                answer.plan
            );
        }
    }
    // What cannot be NULL has its NULLs wherever they are asked for.
    for key in [
        "reverse(c), id",
        "salt(4), left(c, 2), id",
        "md5(c) DESC, id DESC",
        "hash(c), id",
    ] {
        let fixture = Fixture::of_halite(3);
        fixture
            .create(&ddl(key, "TEXT", false), &rows(TEXTS, false))
            .await;
        let part = key
            .trim_start_matches("salt(4), ")
            .trim_end_matches(" DESC, id DESC");
        let part = part.trim_end_matches(", id");
        let is_descending = key.contains("DESC");
        for (end, id) in [("NULLS FIRST", "id"), ("DESC NULLS LAST", "id DESC")] {
            let sql = format!("SELECT * FROM t ORDER BY {part} {end}, {id} LIMIT 5");
            let answer = fixture.check(&sql, true).await;
            assert!(
                !answer.plan.contains("SortExec"),
                "{is_descending} {sql}\n{}",
                answer.plan
            );
        }
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn operators_above_use_the_order_of_a_part() {
    for (key, partitions, batch_size) in [
        ("date_trunc('hour', c), kind, c, id", 1, 8192),
        ("date_trunc('hour', c), kind, c, id", 3, 8192),
        ("date_trunc('hour', c), kind, c, id", 3, 16),
        ("salt(4), date_trunc('hour', c), kind, c, id", 3, 8192),
    ] {
        let fixture = Fixture::of_halite(partitions);
        let set = format!("SET datafusion.execution.batch_size = {batch_size}");
        fixture.context.sql(&set).await.unwrap();
        fixture
            .create(&ddl(key, "TIMESTAMP(3)", false), &rows(STAMPS, false))
            .await;
        for sql in [
            "SELECT date_trunc('hour', c), count(*) FROM t GROUP BY date_trunc('hour', c) ORDER BY 1",
            "SELECT date_trunc('hour', c) AS h, kind, max(id) FROM t GROUP BY h, kind ORDER BY h, kind",
            "SELECT DISTINCT date_trunc('hour', c) AS h FROM t ORDER BY h LIMIT 3",
            "SELECT date_trunc('hour', c) AS h, kind, c FROM t ORDER BY h, kind, c",
            "SELECT h, kind FROM (SELECT date_trunc('HOUR', c) AS h, kind, c FROM t) x ORDER BY h DESC, kind DESC, c DESC LIMIT 4",
            "SELECT date_trunc('hour', c) AS h, kind, id FROM t WHERE id % 7 < 5 ORDER BY h DESC, kind DESC, c DESC",
            "SELECT id FROM t WHERE kind = 1 ORDER BY date_trunc('hour', c), c, id LIMIT 4",
            "SELECT id FROM t WHERE date_trunc('hour', c) = '1970-01-01T00:00:00' ORDER BY kind, date_trunc('hour', c) DESC, c, id",
        ] {
            let answer = fixture.check(sql, true).await;
            // Groups that several threads have made are sorted; few rows are left to one.
            let are_many = batch_size < 8192 || key.starts_with("salt");
            let groups = partitions > 1 && are_many && sql.contains("GROUP BY");
            assert_eq!(
                answer.plan.contains("SortExec"),
                groups,
                "{key}: {sql}\n{}",
                answer.plan
            );
        }
        let window = "SELECT id, row_number() OVER (PARTITION BY date_trunc('hour', c) ORDER BY kind, c, id) FROM t";
        fixture.check(window, false).await;
    }
    for (key, sql) in [
        (
            "c % 4, id",
            "SELECT * FROM t WHERE c % 4 = 1 ORDER BY c % 4 DESC, id LIMIT 3",
        ),
        (
            "c % 4, id",
            "SELECT c % 4, count(*) FROM t GROUP BY c % 4 ORDER BY c % 4 LIMIT 3",
        ),
        (
            "c / 10, c, id",
            "SELECT c / 10 AS q, c FROM t ORDER BY c, id LIMIT 3",
        ),
        (
            "c / 10, c, id",
            "SELECT c / 10 AS q, c FROM t ORDER BY q, c, id LIMIT 3",
        ),
        (
            "bucket(4, c), c, id",
            "SELECT * FROM t ORDER BY bucket(4, c), c, id",
        ),
        (
            "bucket(4, c) DESC, c, id",
            "SELECT bucket(4, c) AS b, c, id FROM t ORDER BY b, c DESC, id DESC LIMIT 5",
        ),
        (
            "bucket(4, c), c, id",
            "SELECT * FROM (SELECT * FROM t ORDER BY c, id LIMIT 9) x ORDER BY c, id",
        ),
        ("bucket(4, c), c, id", "SELECT * FROM t ORDER BY c, id"),
        (
            "bucket(4, c), c, id",
            "SELECT * FROM t WHERE c = 9 ORDER BY bucket(4, c), c, id",
        ),
    ] {
        let fixture = Fixture::of_halite(3);
        fixture
            .create(&ddl(key, "INT", false), &rows(NUMBERS, false))
            .await;
        let answer = fixture.check(sql, true).await;
        assert!(
            !answer.plan.contains("SortExec"),
            "{key}: {sql}\n{}",
            answer.plan
        );
    }
    // The limit was set for rows that were merged by `c`.
    let fixture = Fixture::of_halite(3);
    let key = "bucket(4, c), c, id";
    fixture
        .create(&ddl(key, "INT", false), &rows(NUMBERS, false))
        .await;
    let sql =
        "SELECT * FROM (SELECT * FROM t ORDER BY c, id LIMIT 9) x ORDER BY bucket(4, c), c, id";
    let answer = fixture.check(sql, true).await;
    assert!(answer.plan.contains("SortExec"), "{}", answer.plan);
}
