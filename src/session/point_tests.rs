//! Reads of whole keys, prepared and planned: the rows are those of a scan, and the store is asked once for all of them.

use std::sync::Arc;

use arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::common::collect;

use super::{Connection, Database, PreparedStatement, ScalarValue};
use crate::params;
use crate::store::wrap::{Call, Log, Recording};
use crate::store::{MemoryStore, Store};

fn database() -> (Log, Connection) {
    let store = Recording::new(Arc::new(MemoryStore::new()));
    let log = store.log();
    let store: Arc<dyn Store> = Arc::new(store);
    (log, Database::of_store(store).unwrap().connect())
}

/// Layouts over a text `s`, an integer `n` and a stamp `ts`, which each give all three back.
const LAYOUTS: &[&str] = &[
    "s, n, ts",
    "ts DESC, s DESC, n DESC",
    "salt(8), n, s, ts",
    "bucket(4, s), s, ts DESC, n",
    "reverse(s), n, ts",
    "date_trunc('hour', ts), s, ts, n",
    "hash(s), md5(s), s, n % 10, n, CAST(ts AS DATE), ts",
    "left(s, 1), s, n / 10, n NULLS FIRST, ts",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "a\0",
    "a\u{1}b",
    "ab",
    "zz",
    "\u{10ffff}",
    "nobody",
];
const NUMBERS: &[i32] = &[i32::MIN, -11, -1, 0, 7, 10, i32::MAX];
const STAMPS: &[i64] = &[i64::MIN, -86_400_001, -1, 0, 3_600_000, i64::MAX];

async fn shown(statement: &PreparedStatement, values: Vec<ScalarValue>) -> String {
    let stream = statement.query(values).await.unwrap().into_inner();
    let schema = stream.schema();
    let batches = collect(stream).await.unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    pretty_format_batches(&batches).unwrap().to_string()
}

/// How many keys are looked up in one go; `None` where rows are read in another way, or more than once.
fn looked_up(calls: &[Call]) -> Option<usize> {
    let mut reads = calls.iter().filter(|call| {
        matches!(
            call,
            Call::Get(..) | Call::MultiGet(..) | Call::Read(..) | Call::Seek(..)
        )
    });
    match (reads.next(), reads.next(), reads.next()) {
        (None, ..) => Some(0),
        (Some(Call::Read(..)), Some(Call::MultiGet(_, keys)), None) => Some(keys.len()),
        _ => None,
    }
}

#[tokio::test]
async fn a_row_is_that_of_the_plan_and_found_by_one_look() {
    for layout in LAYOUTS {
        let (log, connection) = database();
        let create = format!(
            "CREATE TABLE t (s TEXT, n INT NULL, ts TIMESTAMP(3), v DOUBLE, note TEXT, PRIMARY KEY ({layout}))"
        );
        connection.execute(&create, ()).await.unwrap();
        let mut appender = connection.appender("t").unwrap();
        let mut row = 0;
        let stamp = |ts| ScalarValue::TimestampMillisecond(Some(ts), None);
        // Moments that a date_trunc or a DATE cannot give stay out of the table, and are asked for all the same.
        let stored = STAMPS.iter().filter(|ts| ts.unsigned_abs() < 1 << 40);
        for ts in stored {
            for (s, n) in TEXTS
                .iter()
                .flat_map(|s| NUMBERS.iter().map(move |n| (s, n)))
            {
                row += 1;
                if *s != "nobody" && row % 3 > 0 {
                    let values = params![*s, *n, stamp(*ts), f64::from(row), format!("note {row}")];
                    appender.append_row(values).unwrap();
                }
            }
        }
        appender.finish().await.unwrap();
        let sql = "SELECT note, v, n, s FROM t WHERE s = $1 AND $2 = n AND ts = $3";
        let point = connection.prepare(sql).await.unwrap();
        // The same conditions, of which one is no equality.
        let planned = sql.replace("$2 = n", "n BETWEEN $2 AND $2");
        let planned = connection.prepare(&planned).await.unwrap();
        let mut found = 0;
        for ts in STAMPS {
            for (s, n) in TEXTS
                .iter()
                .flat_map(|s| NUMBERS.iter().map(move |n| (s, n)))
            {
                let values = params![*s, *n, stamp(*ts)];
                let wanted = shown(&planned, values.clone()).await;
                log.take();
                let given = shown(&point, values).await;
                assert_eq!(given, wanted, "({layout}): {s:?}, {n}, {ts}");
                let calls = log.take();
                assert!(
                    matches!(looked_up(&calls), Some(0 | 1)),
                    "({layout}): {calls:?}"
                );
                found += usize::from(given.contains("note "));
            }
        }
        assert!(found > 50, "({layout}): {found}");
    }
}

/// The query of a statement with parameters of the right types, and whether it is one for a point.
async fn is_point(connection: &Connection, log: &Log, sql: &str, values: Vec<ScalarValue>) -> bool {
    let statement = connection.prepare(sql).await.unwrap();
    log.take();
    shown(&statement, values).await;
    let calls = log.take();
    looked_up(&calls) == Some(1)
}

#[tokio::test]
async fn a_point_is_what_the_key_tells() {
    let (log, connection) = database();
    for table in [
        "CREATE TABLE t (a INT, b TEXT, v INT, PRIMARY KEY (a, b))",
        "CREATE TABLE d (a DOUBLE, v INT, PRIMARY KEY (a))",
        "CREATE TABLE c (a CHAR(3), v INT, PRIMARY KEY (a))",
        "CREATE TABLE h (a TEXT, v INT, PRIMARY KEY (hash(a)))",
        "INSERT INTO t VALUES (1, 'x', 10), (1, 'y', 20)",
        "INSERT INTO d VALUES (0.0, 1); INSERT INTO c VALUES ('x', 1); INSERT INTO h VALUES ('x', 1)",
    ] {
        for statement in connection.script(table).unwrap() {
            connection.run(&statement).await.unwrap();
        }
    }
    for (sql, values) in [
        ("SELECT v FROM t WHERE a = $1 AND b = $2", params![1, "x"]),
        ("SELECT v FROM t WHERE a = 1 AND b = $1", params!["x"]),
        (
            "SELECT v, a FROM t WHERE a = $1 AND b = 'y' LIMIT 1",
            params![1_i64],
        ),
        (
            "SELECT a FROM t WHERE b = $2 AND a = $1 ORDER BY b",
            params![1, "x"],
        ),
    ] {
        assert!(is_point(&connection, &log, sql, values).await, "{sql}");
    }
    // What the key does not tell is asked of the row.
    for (sql, values) in [
        (
            "SELECT v FROM t WHERE a = $1 AND b = $2 AND v = 10",
            params![1, "x"],
        ),
        ("SELECT v FROM d WHERE a = $1", params![0.0]),
        ("SELECT v FROM c WHERE a = $1", params!["x"]),
        ("SELECT v FROM h WHERE a = $1", params!["x"]),
    ] {
        assert!(is_point(&connection, &log, sql, values).await, "{sql}");
    }
    for (sql, values) in [
        ("SELECT v FROM t WHERE a = $1", params![1]),
        ("SELECT v FROM t WHERE a = $1 AND b >= $2", params![1, "x"]),
        (
            "SELECT v FROM t WHERE a = $1 AND a = $3 AND b = $2",
            params![1, "x", 2],
        ),
        (
            "SELECT v FROM t WHERE a = $1 AND b = $2 LIMIT 0",
            params![1, "x"],
        ),
        ("SELECT v FROM t WHERE a = $1 OR b = $2", params![1, "x"]),
    ] {
        assert!(!is_point(&connection, &log, sql, values).await, "{sql}");
    }
}

#[tokio::test]
async fn a_value_that_no_row_can_have_finds_none() {
    let (_, connection) = database();
    let create = "CREATE TABLE t (a VARCHAR(3), b TEXT, ts TIMESTAMP(9), PRIMARY KEY (date_trunc('day', ts), a, b, ts))";
    connection.execute(create, ()).await.unwrap();
    connection
        .execute("INSERT INTO t VALUES ('abc', 'x', '2024-01-01')", ())
        .await
        .unwrap();
    let sql = "SELECT b FROM t WHERE a = $1 AND b = $2 AND ts = $3";
    let point = connection.prepare(sql).await.unwrap();
    let day = |ns: i64| ScalarValue::TimestampNanosecond(Some(ns), None);
    let new_year = 1_704_067_200_000_000_000;
    let row = point.query_row(params!["abc", "x", day(new_year)]).unwrap();
    assert_eq!(row.unwrap().get::<String>("b").unwrap(), "x");
    for values in [
        params!["abcd", "x", day(new_year)],
        params!["abc", "x".repeat(70_000), day(new_year)],
        params!["abc", "x", day(i64::MIN)],
    ] {
        assert!(point.query_row(values).unwrap().is_none());
    }
    connection.execute("TRUNCATE t", ()).await.unwrap();
    for _ in 0..2 {
        let gone = point.query_row(params!["abc", "x", day(new_year)]);
        assert!(gone.unwrap().is_none());
    }
}

/// Planned and prepared, with buckets and without, in order and against it, some keys twice and some not there.
#[tokio::test]
async fn lists_of_keys_are_one_look_up() {
    // Some twice, some that are not there, some that are neighbours.
    let keys: Vec<i64> = (0..60)
        .map(|key| key * 14 % 303)
        .chain([1, 2, 14])
        .collect();
    let list: Vec<String> = keys.iter().map(i64::to_string).collect();
    let list = list.join(", ");
    for layout in [
        "k",
        "k DESC",
        "salt(8), k",
        "bucket(4, k), k DESC",
        "k % 10, k",
        "hash(k), k",
    ] {
        let (log, connection) = database();
        for statement in [
            format!("CREATE TABLE t (k BIGINT, v BIGINT, PRIMARY KEY ({layout}))"),
            "INSERT INTO t SELECT value * 3, value FROM generate_series(0, 99)".to_owned(),
        ] {
            connection.execute(&statement, ()).await.unwrap();
        }
        for (sql, planned) in [
            ("k IN (LIST)", "k + 0 IN (LIST)"),
            ("k IN (LIST) AND v % 2 = 0", "k + 0 IN (LIST) AND v % 2 = 0"),
        ] {
            for end in ["", " ORDER BY k", " ORDER BY k DESC", " ORDER BY k LIMIT 5"] {
                let text = |condition: &str| {
                    let condition = condition.replace("LIST", &list);
                    format!("SELECT k, v FROM t WHERE {condition}{end}")
                };
                let mut wanted = rows(&connection, &text(planned)).await;
                let few = text(sql);
                log.take();
                let mut planned = rows(&connection, &few).await;
                let calls = log.take();
                assert_eq!(looks(&calls), (1, 0), "({layout}): {few}: {calls:?}");
                let mut prepared =
                    shown(&connection.prepare(&few).await.unwrap(), Vec::new()).await;
                if end.is_empty() {
                    for text in [&mut wanted, &mut planned, &mut prepared] {
                        let mut lines: Vec<&str> = text.lines().collect();
                        lines.sort_unstable();
                        *text = lines.join("\n");
                    }
                }
                assert_eq!(planned, wanted, "({layout}): {few}");
                assert_eq!(prepared, wanted, "({layout}): {few}, prepared");
            }
        }
    }
}

async fn rows(connection: &Connection, sql: &str) -> String {
    let batches = connection.query(sql, ()).await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

/// How often the store is asked to read, and how often it looks for a place in doing so.
fn looks(calls: &[Call]) -> (usize, usize) {
    let count = |is: fn(&Call) -> bool| calls.iter().filter(|call| is(call)).count();
    (
        count(|call| matches!(call, Call::Read(..))),
        count(|call| matches!(call, Call::Seek(..))),
    )
}
