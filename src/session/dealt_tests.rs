//! Tables with `random_salt(n)` beside a model of them: which rows can be stored, where they are, and that statements which
//! change and delete them find them there.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::testing::{rows_of, run, with};
use super::{Connection, Database};
use crate::seed::seed;

/// What of a row's `a` and `b` is the rest of its key.
type RestOfKey = fn(i32, i32) -> String;

/// Layouts of a table with the columns `a`, `b` and `note`, and what of a row is the rest of its key.
const LAYOUTS: [(&str, RestOfKey); 4] = [
    ("random_salt(3), a, b", |a, b| format!("{a}|{b}")),
    ("a, random_salt(3) DESC, b", |a, b| format!("{a}|{b}")),
    ("a / 2, b DESC, random_salt(3)", |a, b| {
        format!("{}|{b}", a / 2)
    }),
    ("'O', random_salt(300), b", |_, b| b.to_string()),
];

/// The rows of the table: `a`, `b` and `note`.
type Rows = Vec<(i32, i32, i32)>;

async fn assert_stored(connection: &Connection, model: &Rows) {
    let mut expected = model.clone();
    expected.sort_unstable();
    let expected: Vec<String> = expected
        .iter()
        .map(|(a, b, note)| format!("{a}|{b}|{note}"))
        .collect();
    let stored = rows_of(connection, "SELECT a, b, note FROM t ORDER BY a, b, note").await;
    assert_eq!(stored, expected);
    let keys = "SELECT count(*), count(DISTINCT row_key) FROM keys('t')";
    let count = model.len();
    assert_eq!(
        rows_of(connection, keys).await,
        [format!("{count}|{count}")]
    );
    let report = connection.database().check().await.unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

/// Whether there is room for all rows, each with at most `buckets` of one key.
fn fits(rows: &Rows, buckets: usize, rest: fn(i32, i32) -> String) -> bool {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (a, b, _) in rows {
        *counts.entry(rest(*a, *b)).or_default() += 1;
    }
    counts.values().all(|count| *count <= buckets)
}

/// How many statements were refused.
async fn one_history(rng: &mut Rng, layout: &str, rest: fn(i32, i32) -> String) -> usize {
    let buckets = if layout.contains("300") { 300 } else { 3 };
    let create = format!("CREATE TABLE t (a INT, b INT, note INT, PRIMARY KEY ({layout}))");
    let connection = with(&[&create]).await;
    if rng.bool() {
        run(&connection, "SET halite.statement_memory = 200")
            .await
            .unwrap();
    }
    let mut model = Rows::new();
    let (mut stored, mut refused) = (0, 0);
    for step in 0..40 {
        match rng.u8(..8) {
            0 => {
                let a = rng.i32(0..8);
                let deleted = run(&connection, &format!("DELETE FROM t WHERE a = {a}")).await;
                let before = model.len();
                model.retain(|row| row.0 != a);
                assert_eq!(deleted.unwrap(), (before - model.len()) as u64);
            }
            1 => {
                let b = rng.i32(0..3);
                let update = format!("UPDATE t SET note = note + 1000 WHERE b = {b}");
                run(&connection, &update).await.unwrap();
                let changed = model.iter_mut().filter(|row| row.1 == b);
                changed.for_each(|row| row.2 += 1000);
            }
            _ => {
                let count = rng.usize(1..6);
                let new: Rows = (0..count)
                    .map(|_| (rng.i32(0..8), rng.i32(0..3), step))
                    .collect();
                let values: Vec<String> = new
                    .iter()
                    .map(|(a, b, note)| format!("({a}, {b}, {note})"))
                    .collect();
                let insert = format!("INSERT INTO t VALUES {}", values.join(", "));
                let inserted = run(&connection, &insert).await;
                let together: Rows = model.iter().chain(&new).copied().collect();
                if fits(&together, buckets, rest) {
                    assert_eq!(inserted.unwrap(), count as u64);
                    model = together;
                    stored += 1;
                } else {
                    let error = inserted.unwrap_err();
                    let all = format!("in all {buckets} buckets of random_salt({buckets})");
                    assert!(error.contains(&all), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(stored > 0, "{layout}");
    assert_stored(&connection, &model).await;
    refused
}

#[tokio::test]
async fn rows_are_stored_as_long_as_a_bucket_is_free() {
    let mut rng = Rng::with_seed(seed());
    for (layout, rest) in LAYOUTS {
        let mut refused = 0;
        for _ in 0..4 {
            refused += one_history(&mut rng, layout, rest).await;
        }
        assert_eq!(refused > 0, !layout.contains("300"), "{layout}");
    }
}

#[tokio::test]
async fn buckets_are_dealt_out_in_turn() {
    let create = "CREATE TABLE t (ts BIGINT, note TEXT, PRIMARY KEY (random_salt(8), ts))";
    let connection = with(&[create]).await;
    let counts = "SELECT count(*) FROM keys('t') GROUP BY \"random_salt(8)\"";
    let series = "INSERT INTO t SELECT value, 'x' FROM generate_series";
    run(&connection, &format!("{series}(1, 20000)"))
        .await
        .unwrap();
    assert_eq!(rows_of(&connection, counts).await, ["2500"; 8]);
    for row in 20_001..=20_008 {
        let insert = format!("INSERT INTO t VALUES ({row}, 'one')");
        run(&connection, &insert).await.unwrap();
    }
    assert_eq!(rows_of(&connection, counts).await, ["2501"; 8]);
}

/// Every one of as many writers as there are buckets finds a free one, at the same time; one more does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_one_key_do_not_meet() {
    let database = Database::in_memory().unwrap();
    let create = "CREATE TABLE t (ts INT, writer INT, PRIMARY KEY (random_salt(16), ts))";
    run(&database.connect(), create).await.unwrap();
    let writers = (0..20).map(|writer| {
        let connection = database.connect();
        tokio::spawn(async move {
            run(&connection, &format!("INSERT INTO t VALUES (1, {writer})")).await
        })
    });
    let mut inserted = 0;
    for writer in writers.collect::<Vec<_>>() {
        match writer.await.unwrap() {
            Ok(rows) => inserted += rows,
            Err(error) => assert!(error.contains("in all 16 buckets"), "{error}"),
        }
    }
    assert_eq!(inserted, 16);
    let connection = database.connect();
    let counts = "SELECT count(*), count(DISTINCT writer) FROM t WHERE ts = 1";
    assert_eq!(rows_of(&connection, counts).await, ["16|16"]);
}

/// The first rows of processes that insert one each go to several buckets.
#[tokio::test]
async fn where_a_process_begins_follows_from_its_row() {
    let directory = tempfile::tempdir().unwrap();
    for opening in 0..8 {
        let database = Database::open(directory.path()).await.unwrap();
        let connection = database.connect();
        let create = "CREATE TABLE IF NOT EXISTS t (ts INT, PRIMARY KEY (random_salt(8), ts))";
        run(&connection, create).await.unwrap();
        run(&connection, &format!("INSERT INTO t VALUES ({opening})"))
            .await
            .unwrap();
    }
    let database = Database::open(directory.path()).await.unwrap();
    let used = "SELECT count(DISTINCT \"random_salt(8)\") FROM keys('t')";
    assert_eq!(rows_of(&database.connect(), used).await, ["8"]);
}
