//! Walks that give up, over random layouts and densities: the rows are those of the predicate, whichever way they are
//! read, and no walk reads more than everything and a little.

use std::sync::Arc;

use fastrand::Rng;

use crate::key::testing::with_seed;
use crate::run::meter::Meter;
use crate::session::testing::texts;
use crate::session::{Connection, Database};

const ROWS: usize = 12_000;

/// Keys whose last parts are asked for.
const KEYS: &[&str] = &[
    "a, b, c",
    "a, b, c DESC",
    "a DESC, c, b",
    "salt(3), a, b, c",
    "a, left(t, 2), c, b",
    "a, c / 10, b, c",
    "a, b, md5(t), c",
];

/// How many values the first column has: from one group of all rows to as many groups.
const GROUPS: &[usize] = &[1, 7, 300, 4_000, ROWS];

async fn filled(database: &Database, key: &str, groups: usize, skewed: bool) {
    // The rows of a skewed table are one group in its first half.
    let a = if skewed {
        format!("CASE WHEN i < {ROWS} / 2 THEN 0 ELSE i % {groups} END")
    } else {
        format!("i % {groups}")
    };
    let script = format!(
        "CREATE TABLE t (a INT, b INT NULL, c INT, t TEXT, v INT, PRIMARY KEY ({key}));
         INSERT INTO t SELECT {a}, CASE WHEN i % 11 > 0 THEN i * 7919 % 101 END, i, 'x' || (i * 31 % 977), i % 50
         FROM generate_series(0, {ROWS} - 1) AS g(i);"
    );
    database.connect().execute_script(&script).await.unwrap();
}

/// A condition that the parts behind the first one answer.
fn condition(rng: &mut Rng) -> String {
    let (few, many) = (rng.usize(..101), rng.usize(..ROWS));
    match rng.u8(..12) {
        0 => format!("c = {many}"),
        1 => format!(
            "c IN ({many}, {}, {})",
            rng.usize(..ROWS),
            rng.usize(..ROWS)
        ),
        2 => format!("c BETWEEN {} AND {many}", rng.usize(..ROWS)),
        3 => format!("b = {few}"),
        4 => format!("b < {few} AND c > {many}"),
        5 => format!(
            "(b = {few} AND c > {many}) OR (b = {} AND c < {many})",
            rng.usize(..101)
        ),
        6 => format!("b IS NULL AND c < {many}"),
        7 => "b IS NULL".to_owned(),
        8 => format!("b <> {few}"),
        9 => format!("left(t, 2) = 'x{}' AND c < {many}", rng.usize(..10)),
        10 => format!("c >= {many} AND v % 3 = 1"),
        _ => format!("a >= {few} AND b = {}", rng.usize(..101)),
    }
}

/// A query with this condition that says in which order its rows come where that is asked for.
fn query(rng: &mut Rng, condition: &str) -> (String, bool) {
    let rows = rng.usize(1..200);
    match rng.u8(..7) {
        0 => (format!("SELECT count(*) FROM t WHERE {condition}"), false),
        1 => (format!("SELECT * FROM t WHERE {condition}"), false),
        2 => (
            format!("SELECT a, c, v FROM t WHERE {condition} ORDER BY a, b, c"),
            true,
        ),
        3 => (
            format!("SELECT a, b, c FROM t WHERE {condition} ORDER BY a, b, c LIMIT {rows}"),
            true,
        ),
        4 => (
            format!("SELECT c, t FROM t WHERE {condition} ORDER BY a DESC, b DESC, c LIMIT {rows}"),
            true,
        ),
        5 => (format!("SELECT DISTINCT a FROM t WHERE {condition}"), false),
        _ => (
            format!("SELECT a, max(c) FROM t WHERE {condition} GROUP BY a"),
            false,
        ),
    }
}

async fn rows_of(connection: &Connection, sql: &str, is_ordered: bool) -> (Vec<String>, usize) {
    let meter = Arc::new(Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    let mut rows = texts(&metered.query(sql, ()).await.expect(sql));
    if !is_ordered {
        rows.sort();
    }
    (rows, meter.totals().keys_read)
}

#[test]
fn a_walk_that_gives_up_yields_the_rows_of_its_predicate() {
    with_seed(|rng| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (mut given_up, mut sought) = (0, 0);
            for number in 0..24 {
                let directory = tempfile::tempdir().unwrap();
                let database = match number % 2 {
                    0 => Database::in_memory().unwrap(),
                    _ => Database::open(directory.path()).await.unwrap(),
                };
                let key = KEYS[rng.usize(..KEYS.len())];
                let groups = GROUPS[rng.usize(..GROUPS.len())];
                filled(&database, key, groups, rng.bool()).await;
                let (connection, all) = (database.connect(), database.connect());
                all.execute("SET halite.pushdown = false", ())
                    .await
                    .unwrap();
                for _ in 0..12 {
                    let condition = condition(rng);
                    let (sql, is_ordered) = query(rng, &condition);
                    let (rows, keys) = rows_of(&connection, &sql, is_ordered).await;
                    let (expected, _) = rows_of(&all, &sql, is_ordered).await;
                    assert_eq!(rows, expected, "({key}) of {groups} groups: {sql}");
                    assert!(
                        keys <= ROWS + ROWS / 50,
                        "({key}) of {groups} groups: {sql} reads {keys}"
                    );
                    given_up += usize::from(keys > ROWS / 2);
                    sought += usize::from(keys < ROWS / 10);
                }
            }
            assert!(
                given_up > 20 && sought > 20,
                "{given_up} of all, {sought} of few"
            );
        });
    });
}
