//! Subqueries of every form in every place, against the rows that the query gives for each row around it by itself: with
//! the columns that it names from outside written as constants.

use std::cmp::Ordering;

use crate::session::testing::texts;
use crate::session::{Connection, Database};

/// The rows around: an id, `a` and `b`.
const ROWS: [(i64, Option<i64>, Option<i64>); 7] = [
    (1, Some(1), Some(1)),
    (2, Some(2), Some(2)),
    (3, None, Some(3)),
    (4, Some(1), None),
    (5, Some(2), Some(2)),
    (6, None, None),
    (7, Some(3), Some(9)),
];

/// Queries of one column that name `t.id`, `t.a` and `t.b` from outside.
const QUERIES: &[&str] = &[
    "SELECT count(*) FROM x WHERE x.b < t.b",
    "SELECT max(x.k) FROM x WHERE x.b = t.b",
    "SELECT sum(x.k) + count(x.k) FROM x WHERE x.b = t.b AND x.k > t.a",
    "SELECT x.k FROM x WHERE x.b = t.b AND x.k > t.a",
    "SELECT x.k FROM x WHERE x.id = t.id",
    "SELECT x.k FROM x WHERE x.b >= t.b ORDER BY x.k DESC NULLS LAST, x.id LIMIT 1",
    "SELECT x.k FROM x WHERE x.b <= t.b ORDER BY x.k NULLS FIRST, x.id LIMIT 2 OFFSET 1",
    "SELECT x.k + t.a FROM x WHERE x.b > t.b ORDER BY x.id OFFSET 2",
    "SELECT DISTINCT x.k FROM x WHERE x.b <> t.b",
    "SELECT DISTINCT ON (x.b) x.k FROM x WHERE x.b <= t.b ORDER BY x.b, x.k DESC NULLS LAST, x.id",
    "SELECT count(*) FROM x WHERE x.b = t.b GROUP BY x.k",
    "SELECT max(x.id) FROM x WHERE x.b <= t.b GROUP BY x.k HAVING count(*) > t.a",
    "SELECT count(*) FROM x WHERE x.b = t.b HAVING count(*) > 1",
    "SELECT count(*) FROM x HAVING count(*) > t.b",
    "SELECT sum(count(*)) OVER () FROM x WHERE x.b < t.b GROUP BY x.k",
    "SELECT row_number() OVER (ORDER BY x.id) FROM x WHERE x.b <= t.b",
    "SELECT sum(x.k + t.a) OVER (PARTITION BY x.b ORDER BY x.id) FROM x WHERE x.k > t.a",
    "SELECT x.k FROM x WHERE x.b = t.b UNION ALL SELECT y.k FROM x AS y WHERE y.k > t.a",
    "SELECT x.k FROM x WHERE x.b = t.b UNION SELECT t.a UNION SELECT 5",
    "SELECT x.k FROM x WHERE x.b <= t.b EXCEPT SELECT t.a",
    "SELECT x.k FROM x INTERSECT ALL SELECT y.b FROM x AS y WHERE y.b <= t.b",
    "SELECT t.a + t.b",
    "SELECT t.a WHERE t.b > 1",
    "SELECT 1 FROM x WHERE t.b > 1",
    "SELECT max(v) FROM (VALUES (t.a), (t.b), (1)) AS s (v)",
    "SELECT v FROM (VALUES (t.a)) AS s (v) WHERE v > 1",
    "SELECT count(y.k) FROM x LEFT JOIN x AS y ON y.b = x.k AND y.k > t.a WHERE x.b = t.b",
    "SELECT count(*) FROM (SELECT * FROM x WHERE x.b > t.b) AS y RIGHT JOIN x ON y.k = x.k",
    "SELECT count(*) FROM (SELECT * FROM x WHERE x.b > t.b) AS y FULL JOIN (SELECT * FROM x WHERE x.k <= t.a) AS z ON y.k = z.k",
    "SELECT count(*) FROM (SELECT * FROM x WHERE x.b > t.b) AS y JOIN (SELECT * FROM x WHERE x.k >= t.a) AS z ON y.k = z.k",
    "SELECT count(*) FROM x LEFT SEMI JOIN x AS y ON y.k = x.b AND y.b > t.b",
    "SELECT count(*) FROM x LEFT ANTI JOIN (SELECT * FROM x WHERE x.b = t.b) AS y ON y.k = x.b",
    "SELECT count(*) FROM x WHERE x.b >= t.b AND EXISTS (SELECT 1 FROM x AS y WHERE y.k < x.k AND y.b > t.a)",
    "SELECT (SELECT max(y.k) FROM x AS y WHERE y.b = x.b AND y.k > t.a) FROM x WHERE x.id = t.id",
    "SELECT (SELECT count(*) FROM x AS y WHERE y.b < t.b) FROM x WHERE x.id <= 2",
    "SELECT count(*) FROM (SELECT count(*) FROM x WHERE x.b = t.b) AS y",
    "SELECT count(*) FROM (SELECT * FROM x WHERE x.b >= t.b LIMIT 2) AS y",
    "SELECT array_length(array_agg(x.k)) FROM x WHERE x.b < t.b",
    "SELECT coalesce(array_length(array_agg(x.k)), -1) FROM x WHERE x.b = t.b AND x.k = t.a",
    "SELECT y.k FROM x, LATERAL (SELECT z.k FROM x AS z WHERE z.b = x.b AND z.k > t.a ORDER BY z.k, z.id LIMIT 1) AS y WHERE x.b = t.b",
    "SELECT x.k FROM x WHERE x.k IN (SELECT y.b FROM x AS y WHERE y.id > t.id)",
    "SELECT x.k FROM x WHERE x.k NOT IN (SELECT y.b FROM x AS y WHERE y.b > t.b)",
    "SELECT x.k FROM x WHERE x.k >= ALL (SELECT y.b FROM x AS y WHERE y.b < t.b) OR x.id = t.id",
    "SELECT CASE WHEN t.a > 1 THEN x.k ELSE t.b END FROM x WHERE x.id = 1",
    "WITH w AS (SELECT k FROM x WHERE x.b = t.b) SELECT count(*) FROM w AS p, w AS q",
    "SELECT count(*) FROM x WHERE (x.k, x.b) IN (SELECT y.b, y.k FROM x AS y WHERE y.id <> t.id)",
];

/// Pages in an order that a comparison with a value from outside cuts: found by numbers, and not by comparing all pairs.
const NEIGHBOURS: &[&str] = &[
    "SELECT x.k FROM x WHERE x.b <= t.b ORDER BY x.b DESC, x.id LIMIT 1",
    "SELECT x.k FROM x WHERE x.b < t.b ORDER BY x.b DESC, x.id LIMIT 1",
    "SELECT x.k FROM x WHERE x.b >= t.b ORDER BY x.b, x.id DESC LIMIT 1",
    "SELECT x.k FROM x WHERE t.b < x.b ORDER BY x.b, x.k DESC, x.id LIMIT 1",
    "SELECT x.k FROM x WHERE x.b < t.b ORDER BY x.b DESC NULLS LAST, x.k NULLS FIRST, x.id LIMIT 2 OFFSET 1",
    "SELECT x.k FROM x WHERE x.id > 1 AND x.b <= t.b ORDER BY x.b DESC NULLS FIRST, x.id LIMIT 3",
    "SELECT x.b FROM x WHERE x.k = t.a AND x.b >= t.b ORDER BY x.b, x.id LIMIT 1",
    "SELECT x.id FROM x WHERE t.a = x.k AND t.b = x.b AND x.id > t.id ORDER BY x.id LIMIT 1",
    "SELECT x.b FROM x WHERE x.k = t.a AND x.id < t.id ORDER BY x.id DESC OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY",
    "SELECT x.id FROM x WHERE x.b <= t.b AND x.b > t.a ORDER BY x.b DESC, x.id LIMIT 2",
    "SELECT y.z FROM (SELECT x.b + 1 AS z, x.id FROM x WHERE x.k <> 1) AS y WHERE y.id <= t.id AND y.z > 2 ORDER BY y.id DESC LIMIT 1",
    "SELECT sum(y.k) FROM (SELECT * FROM x WHERE x.b <= t.b ORDER BY x.b DESC, x.id LIMIT 2) AS y",
    "SELECT x.k FROM x JOIN x AS y ON y.k = x.b WHERE y.id > t.id ORDER BY y.id, x.id DESC LIMIT 1",
];

type Row = (i64, Option<i64>, Option<i64>);

/// What a condition is for a row around and the query's rows.
type Holds = fn(&Row, &[Option<i64>]) -> Option<bool>;

/// Conditions over a query `(q)`, and what they are for a row around and the query's rows.
const CONDITIONS: &[(&str, Holds)] = &[
    ("EXISTS (q)", |_, rows| Some(!rows.is_empty())),
    ("NOT EXISTS (q)", |_, rows| Some(rows.is_empty())),
    ("t.a IN (q)", |row, rows| any(row.1, rows, Ordering::is_eq)),
    ("t.b NOT IN (q)", |row, rows| {
        any(row.2, rows, Ordering::is_eq).map(|is_in| !is_in)
    }),
    ("t.a + 1 = ANY (q)", |row, rows| {
        any(row.1.map(|a| a + 1), rows, Ordering::is_eq)
    }),
    ("t.b > ANY (q)", |row, rows| {
        any(row.2, rows, Ordering::is_gt)
    }),
    ("t.a <= ALL (q)", |row, rows| {
        any(row.1, rows, Ordering::is_gt).map(|is_any| !is_any)
    }),
];

/// Whether a comparison holds with any of the values.
fn any(left: Option<i64>, rows: &[Option<i64>], holds: fn(Ordering) -> bool) -> Option<bool> {
    let each = rows.iter().map(|right| Some(holds(left?.cmp(&(*right)?))));
    let each: Vec<Option<bool>> = each.collect();
    match each.contains(&Some(true)) {
        true => Some(true),
        false if each.contains(&None) => None,
        false => Some(false),
    }
}

async fn database() -> Connection {
    let connection = Database::in_memory().expect("database").connect();
    let shown = |value: Option<i64>| value.map_or("NULL".to_owned(), |value| value.to_string());
    let rows = ROWS.map(|(id, a, b)| format!("({id}, {}, {})", shown(a), shown(b)));
    for sql in [
        "CREATE TABLE t (id INT, a INT, b INT, PRIMARY KEY (id))".to_owned(),
        "CREATE TABLE x (id INT, k INT, b INT, PRIMARY KEY (id))".to_owned(),
        format!("INSERT INTO t VALUES {}", rows.join(", ")),
        "INSERT INTO x VALUES (1, 1, 1), (2, 2, 2), (3, 3, 2), (4, NULL, 3), (5, 2, NULL), (6, 3, 1), (7, NULL, 2), (8, 2, 2)".to_owned(),
        "SET datafusion.execution.target_partitions = 2".to_owned(),
    ] {
        connection.execute(&sql, ()).await.expect("setup");
    }
    connection
}

async fn answer(connection: &Connection, sql: &str) -> Result<Vec<String>, String> {
    let batches = connection.query(sql, ()).await;
    batches
        .map(|batches| texts(&batches))
        .map_err(|error| error.to_string())
}

/// The rows of a query for one row around it.
async fn given(connection: &Connection, query: &str, row: &Row) -> Vec<Option<i64>> {
    let constant = |value: Option<i64>| match value {
        Some(value) => value.to_string(),
        None => "CAST(NULL AS INT)".to_owned(),
    };
    let sql = query
        .replace("t.id", &row.0.to_string())
        .replace("t.a", &constant(row.1))
        .replace("t.b", &constant(row.2));
    let rows = answer(connection, &sql).await;
    let rows = rows.unwrap_or_else(|error| panic!("{sql}\n{error}"));
    rows.iter().map(|value| value.parse().ok()).collect()
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or("NULL".to_owned(), |value| value.to_string())
}

/// Where a condition stands, and the rows that come of its truth in each row around.
type Place<T> = (&'static str, fn(&[(Row, Option<T>)]) -> Vec<String>);

fn ids<T>(rows: &[(Row, Option<T>)], is_kept: impl Fn(&Row, &Option<T>) -> bool) -> Vec<String> {
    let kept = rows.iter().filter(|(row, value)| is_kept(row, value));
    kept.map(|(row, _)| row.0.to_string()).collect()
}

const CONDITION_PLACES: &[Place<bool>] = &[
    ("SELECT t.id, s FROM t", |rows| {
        let rows = rows.iter();
        rows.map(|(row, value)| format!("{}|{}", row.0, shown(*value)))
            .collect()
    }),
    ("SELECT t.id FROM t WHERE s", |rows| {
        ids(rows, |_, it| *it == Some(true))
    }),
    ("SELECT t.id FROM t WHERE NOT (s)", |rows| {
        ids(rows, |_, it| *it == Some(false))
    }),
    ("SELECT t.id FROM t WHERE (s) IS NULL", |rows| {
        ids(rows, |_, it| it.is_none())
    }),
    ("SELECT t.id FROM t WHERE s OR t.id = 2", |rows| {
        ids(rows, |row, it| *it == Some(true) || row.0 == 2)
    }),
    (
        "SELECT t.id FROM t WHERE t.id > 3 AND NOT (s AND t.id = 5)",
        |rows| {
            ids(rows, |row, it| {
                row.0 > 3 && (row.0 != 5 || *it == Some(false))
            })
        },
    ),
    (
        "SELECT t.id, CASE WHEN s THEN 1 ELSE 0 END FROM t",
        |rows| {
            let rows = rows.iter();
            rows.map(|(row, it)| format!("{}|{}", row.0, i32::from(*it == Some(true))))
                .collect()
        },
    ),
    (
        "SELECT t.id FROM t GROUP BY t.id, t.a, t.b HAVING s",
        |rows| ids(rows, |_, it| *it == Some(true)),
    ),
    ("SELECT count(*) FILTER (WHERE s) FROM t", |rows| {
        vec![
            rows.iter()
                .filter(|(_, it)| *it == Some(true))
                .count()
                .to_string(),
        ]
    }),
    (
        "SELECT t.id FROM t JOIN (SELECT 1 AS one) AS o ON s",
        |rows| ids(rows, |_, it| *it == Some(true)),
    ),
    (
        "SELECT t.id, o.one FROM t LEFT JOIN (SELECT 1 AS one) AS o ON s",
        |rows| {
            let one = |it: &Option<bool>| (*it == Some(true)).then_some(1);
            let rows = rows.iter();
            rows.map(|(row, it)| format!("{}|{}", row.0, shown(one(it))))
                .collect()
        },
    ),
    (
        "SELECT q.id FROM (SELECT t.id, s AS s FROM t) AS q WHERE q.s",
        |rows| ids(rows, |_, it| *it == Some(true)),
    ),
];

const VALUE_PLACES: &[Place<i64>] = &[
    ("SELECT t.id, s FROM t", |rows| {
        let rows = rows.iter();
        rows.map(|(row, value)| format!("{}|{}", row.0, shown(*value)))
            .collect()
    }),
    ("SELECT t.id FROM t WHERE s > 1", |rows| {
        ids(rows, |_, it| it.is_some_and(|it| it > 1))
    }),
    ("SELECT t.id FROM t WHERE s = t.a OR s IS NULL", |rows| {
        ids(rows, |row, it| it.is_none() || (*it == row.1))
    }),
    ("SELECT t.id FROM t WHERE s = t.a", |rows| {
        ids(rows, |row, it| it.is_some() && *it == row.1)
    }),
    ("SELECT sum(s) FROM t", |rows| {
        let values: Vec<i64> = rows.iter().filter_map(|(_, it)| *it).collect();
        vec![shown(
            (!values.is_empty()).then(|| values.iter().sum::<i64>()),
        )]
    }),
    ("SELECT count(*) FROM t GROUP BY s", |rows| {
        let mut values: Vec<Option<i64>> = rows.iter().map(|(_, it)| *it).collect();
        values.sort();
        let groups = values.chunk_by(|left, right| left == right);
        groups.map(|group| group.len().to_string()).collect()
    }),
    (
        "SELECT t.id, count(*) OVER (PARTITION BY s) FROM t",
        |rows| {
            let count = |of: Option<i64>| rows.iter().filter(|(_, it)| *it == of).count();
            let each = rows.iter();
            each.map(|(row, it)| format!("{}|{}", row.0, count(*it)))
                .collect()
        },
    ),
    (
        "SELECT string_agg(id, ' ') FROM (SELECT t.id FROM t ORDER BY s NULLS LAST, t.id LIMIT 3) AS q",
        |rows| {
            let mut sorted: Vec<(bool, Option<i64>, i64)> = rows
                .iter()
                .map(|(row, it)| (it.is_none(), *it, row.0))
                .collect();
            sorted.sort();
            let first: Vec<String> = sorted
                .iter()
                .take(3)
                .map(|(_, _, id)| id.to_string())
                .collect();
            let mut first = first;
            first.sort();
            vec![first.join(" ")]
        },
    ),
];

/// The rows of an answer in one order, and the words of a text in one.
fn sorted(mut rows: Vec<String>) -> Vec<String> {
    for row in &mut rows {
        let mut words: Vec<&str> = row.split(' ').collect();
        words.sort_unstable();
        *row = words.join(" ");
    }
    rows.sort();
    rows
}

/// Where the query gives more than one row for a value, an error says so.
fn value_of(rows: &[Option<i64>]) -> Result<Option<i64>, ()> {
    match rows {
        [] => Ok(None),
        [value] => Ok(*value),
        _ => Err(()),
    }
}

#[tokio::test]
async fn every_query_in_every_place() {
    let connection = database().await;
    let mut failures = Vec::new();
    for (number, query) in QUERIES.iter().chain(NEIGHBOURS).enumerate() {
        let mut rows = Vec::new();
        for row in &ROWS {
            rows.push((*row, given(&connection, query, row).await));
        }
        let values: Result<Vec<(Row, Option<i64>)>, ()> = rows
            .iter()
            .map(|(row, given)| Ok((*row, value_of(given)?)))
            .collect();
        for (place, expected) in VALUE_PLACES {
            let sql = in_place(place, &format!("({query})"));
            let seen = answer(&connection, &sql).await.map(sorted);
            let is_right = match (&values, &seen) {
                (Ok(values), Ok(seen)) => sorted(expected(values)) == *seen,
                (Err(()), Err(error)) => error.contains("one value gives"),
                _ => false,
            };
            if !is_right {
                let right = values.as_ref().map(|values| sorted(expected(values)));
                failures.push(format!("{sql}\n  right {right:?}\n  seen {seen:?}"));
            }
        }
        for (kind, (condition, holds)) in CONDITIONS.iter().enumerate() {
            let truths: Vec<(Row, Option<bool>)> = rows
                .iter()
                .map(|(row, given)| (*row, holds(row, given)))
                .collect();
            for (place, expected) in CONDITION_PLACES.iter().skip((number + kind) % 3).step_by(3) {
                let written = condition.replace("(q)", &format!("({query})"));
                let sql = in_place(place, &written);
                let seen = answer(&connection, &sql).await.map(sorted);
                let right = sorted(expected(&truths));
                if seen.as_ref() != Ok(&right) {
                    failures.push(format!("{sql}\n  right {right:?}\n  seen {seen:?}"));
                }
            }
        }
    }
    let count = failures.len();
    failures.truncate(60);
    assert!(count == 0, "{count} failures\n{}", failures.join("\n"));
}

/// The text with a condition in the place of the word `s`.
fn in_place(place: &str, written: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for letter in place.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '.' || letter == '_' {
            word.push(letter);
            continue;
        }
        if word == "s" && !text.ends_with("AS ") {
            text.push_str(written)
        } else {
            text.push_str(&word)
        }
        word.clear();
        text.push(letter);
    }
    text
}

#[tokio::test]
async fn every_query_beside_a_table() {
    let connection = database().await;
    let mut failures = Vec::new();
    for query in QUERIES.iter().chain(NEIGHBOURS) {
        let mut rows = Vec::new();
        for row in &ROWS {
            rows.push((*row, given(&connection, query, row).await));
        }
        let inner = rows.iter().flat_map(|(row, given)| {
            given
                .iter()
                .map(move |value| format!("{}|{}", row.0, shown(*value)))
        });
        let left = |on: fn(&Row, &Option<i64>) -> bool| {
            let all = rows.iter().flat_map(move |(row, given)| {
                let mut found: Vec<String> = (given.iter().filter(|value| on(row, value)))
                    .map(|value| format!("{}|{}", row.0, shown(*value)))
                    .collect();
                if found.is_empty() {
                    found.push(format!("{}|NULL", row.0));
                }
                found
            });
            all.collect::<Vec<String>>()
        };
        for (sql, right) in [
            (
                format!("SELECT t.id, l.v FROM t, LATERAL ({query}) AS l (v)"),
                inner.clone().collect(),
            ),
            (
                format!("SELECT t.id, l.v FROM t CROSS JOIN LATERAL ({query}) AS l (v)"),
                inner.collect(),
            ),
            (
                format!("SELECT t.id, l.v FROM t LEFT JOIN LATERAL ({query}) AS l (v) ON true"),
                left(|_, _| true),
            ),
            (
                format!(
                    "SELECT t.id, l.v FROM t LEFT JOIN LATERAL ({query}) AS l (v) ON l.v > t.a"
                ),
                left(|row, value| row.1.zip(*value).is_some_and(|(a, value)| value > a)),
            ),
            (
                format!(
                    "SELECT t.id, l.v FROM t LEFT JOIN LATERAL ({query}) AS l (v) ON l.v = t.a"
                ),
                left(|row, value| row.1.is_some() && row.1 == *value),
            ),
        ] {
            let seen = answer(&connection, &sql).await.map(sorted);
            let right = sorted(right);
            if seen.as_ref() != Ok(&right) {
                failures.push(format!("{sql}\n  right {right:?}\n  seen {seen:?}"));
            }
        }
    }
    let count = failures.len();
    failures.truncate(60);
    assert!(count == 0, "{count} failures\n{}", failures.join("\n"));
}

#[tokio::test]
async fn neighbours_are_found_without_a_look_at_all_pairs() {
    let connection = database().await;
    for query in NEIGHBOURS {
        let sql = format!("EXPLAIN SELECT t.id, l.v FROM t, LATERAL ({query}) AS l (v)");
        let plan = answer(&connection, &sql).await.unwrap().join("\n");
        let is_counted = plan.contains("count(");
        let compares_pairs = plan.contains("NestedLoopJoin");
        assert!(is_counted && !compares_pairs, "{query}\n{plan}");
    }
    // Of two orders, of numbers whose places differ, and of values of two types the general way is taken.
    for query in [
        "SELECT x.k FROM x WHERE x.b <= t.b ORDER BY x.k DESC LIMIT 1",
        "SELECT x.k FROM x WHERE x.b <= t.b ORDER BY x.b LIMIT 1",
        "SELECT x.k FROM x WHERE CAST(x.b AS DOUBLE) <= CAST(t.b AS DOUBLE) ORDER BY CAST(x.b AS DOUBLE) DESC LIMIT 1",
        "SELECT x.k FROM x WHERE x.b <= CAST(t.b AS BIGINT) ORDER BY x.b DESC LIMIT 1",
        "SELECT x.k FROM x WHERE x.b <= t.b ORDER BY x.b DESC LIMIT 1000",
    ] {
        let sql = format!("EXPLAIN SELECT t.id, l.v FROM t, LATERAL ({query}) AS l (v)");
        let plan = answer(&connection, &sql).await.unwrap().join("\n");
        assert!(plan.contains("NestedLoopJoin"), "{query}\n{plan}");
    }
}
