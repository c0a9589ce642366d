//! What is read where a join or a top-k says which keys are wanted, and that the answers are those of reading all.

use crate::key::testing::with_seed;
use crate::session::testing::{read, texts};
use crate::session::{Connection, Database};

const ROWS: usize = 20_000;

/// `big`: `a` has 100 values, `b` 200 for each, `v` is in no key; `small` names ten rows of it, and `wide` sixty.
async fn connection(key: &str) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    let script = format!(
        "CREATE TABLE big (a INT, b TEXT, ts TIMESTAMP(3), v INT, PRIMARY KEY ({key}));
         INSERT INTO big SELECT value % 100, 'b' || (value / 100), to_timestamp_seconds(1704067200 + value * 60), value % 777
         FROM generate_series(0, {ROWS} - 1);
         CREATE TABLE small (n BIGINT, a BIGINT, b TEXT, PRIMARY KEY (n));
         INSERT INTO small SELECT value, value * 7, 'b' || (value * 3) FROM generate_series(1, 10);
         CREATE TABLE wide (n INT, a INT, b TEXT, PRIMARY KEY (n));
         INSERT INTO wide SELECT value, value % 60, 'b' || (value * 2) FROM generate_series(0, 59);"
    );
    connection.execute_script(&script).await.unwrap();
    connection
}

/// Asserts that queries read so many keys at most, and more where nothing is told while they run; the answer is the same.
async fn assert_narrowed(key: &str, queries: &[(&str, usize)]) {
    let connection = connection(key).await;
    let plain = connection.database().connect();
    for rule in ["join", "topk"] {
        let name = format!("datafusion.optimizer.enable_{rule}_dynamic_filter_pushdown");
        let off = format!("SET {name} = false");
        plain.execute(&off, ()).await.unwrap();
    }
    for (sql, most) in queries {
        let (rows, keys) = read(&connection, sql).await;
        let (expected, all) = read(&plain, sql).await;
        assert_eq!(rows, expected, "{key}: {sql}");
        assert!(!rows.is_empty(), "{key}: {sql}");
        assert!(keys <= *most, "{key}: {sql} reads {keys} keys, not {most}");
        assert!(all > keys, "{key}: {sql} reads {keys} keys, and {all}");
    }
}

/// Ten values of the first column, and the rows of `small`.
const OF_A: usize = 10 + 10 * ROWS / 100;

#[tokio::test]
async fn a_join_reads_what_its_keys_want() {
    let queries = [
        (
            "SELECT count(*), sum(v) FROM small s JOIN big ON big.a = s.a",
            OF_A + 100,
        ),
        (
            "SELECT v FROM big WHERE a IN (SELECT a FROM small WHERE n > 0)",
            OF_A + 100,
        ),
        (
            "SELECT v FROM big WHERE EXISTS (SELECT 1 FROM small s WHERE s.a = big.a)",
            OF_A + 100,
        ),
        (
            "SELECT n, v FROM small s LEFT JOIN big ON big.a = s.a",
            OF_A + 100,
        ),
        (
            "SELECT v FROM small s JOIN big ON big.a = s.a AND big.b = s.b",
            10 + 10,
        ),
        (
            "SELECT v FROM big WHERE (a, b) IN (SELECT a, b FROM small)",
            10 + 10,
        ),
        (
            "SELECT v FROM wide w JOIN big ON big.a = w.a AND big.b = w.b WHERE w.n < 30",
            60 + 30,
        ),
        (
            "SELECT v FROM small s JOIN big ON big.a = s.a AND big.b = s.b WHERE big.v > 300",
            10 + 10,
        ),
        (
            "SELECT v FROM small s JOIN big ON big.b = s.b WHERE big.a = 7",
            10 + 10,
        ),
    ];
    for key in [
        "a, b",
        "a DESC, b DESC",
        "salt(4), a, b",
        "hash(a), a, b",
        "bucket(4, a), a, b",
        "a, dict(b)",
    ] {
        assert_narrowed(key, &queries).await;
    }
    let named = |key: &str| {
        key.contains("= s.a AND big.b = s.b WHERE big.v")
            .then_some(10 + 4 * 10)
    };
    let of_four = queries
        .iter()
        .filter_map(|(sql, _)| Some((*sql, named(sql)?)));
    let of_four: Vec<(&str, usize)> = of_four.collect();
    assert_narrowed("random_salt(4), a, b", &of_four).await;
}

/// A join over all columns of the key names the keys, whatever else narrows the scan; over others it does not.
#[tokio::test]
async fn keys_that_a_join_names_are_looked_up() {
    let connection = connection("a DESC, b").await;
    let more = "CREATE TABLE few (a INT, PRIMARY KEY (a)); INSERT INTO few VALUES (7), (14);
         CREATE TABLE typed (n INT, a INT, b TEXT, PRIMARY KEY (n)); INSERT INTO typed SELECT n, a, b FROM small;
         CREATE TABLE sparse (n INT, a INT NULL, b TEXT NULL, PRIMARY KEY (n));
         INSERT INTO sparse SELECT n, CASE WHEN n > 4 THEN a END, CASE WHEN n <> 6 THEN b END FROM small";
    connection.execute_script(more).await.unwrap();
    let both = "big.a = s.a AND big.b = s.b";
    for (sql, most) in [
        (format!("SELECT v FROM typed s JOIN big ON {both}"), 20),
        (
            format!("SELECT v FROM typed s JOIN big ON {both} AND big.v = s.n + 20"),
            20,
        ),
        (
            format!("SELECT v FROM typed s JOIN big ON {both} WHERE big.a < 50 AND big.v <> 3"),
            20,
        ),
        (
            format!("SELECT v FROM few f JOIN (typed s JOIN big ON {both}) ON big.a = f.a"),
            // The smaller join comes first: two values of the first column.
            2 + 10 + 2 * ROWS / 100,
        ),
        (format!("SELECT v FROM sparse s JOIN big ON {both}"), 20),
        (
            format!("SELECT v FROM sparse s JOIN big ON {both} OR big.a = s.n AND big.b IS NULL"),
            ROWS + 20,
        ),
        (
            format!("SELECT v FROM big LEFT JOIN typed s ON {both} WHERE s.n > 3"),
            20,
        ),
        (
            "SELECT v FROM big WHERE (b, a) IN (SELECT b, a FROM typed)".to_owned(),
            20,
        ),
        (
            "SELECT v FROM big WHERE (b, a) NOT IN (SELECT b, a FROM typed)".to_owned(),
            ROWS + 20,
        ),
    ] {
        let plain = connection.database().connect();
        plain
            .execute(
                "SET datafusion.optimizer.enable_join_dynamic_filter_pushdown = false",
                (),
            )
            .await
            .unwrap();
        let (rows, keys) = read(&connection, &sql).await;
        let (expected, _) = read(&plain, &sql).await;
        assert_eq!(rows, expected, "{sql}");
        assert!(keys <= most, "{sql} reads {keys} keys, not {most}");
    }
}

#[tokio::test]
async fn a_top_k_reads_less_and_less() {
    // Half of the keys of each run are read before it is known that the others are too late.
    let queries = [
        ("SELECT ts, a FROM big ORDER BY ts LIMIT 10", ROWS / 2),
        (
            "SELECT v FROM big WHERE v < 50 ORDER BY ts, a LIMIT 3",
            ROWS / 2,
        ),
    ];
    for key in ["a, ts", "a DESC, ts", "salt(2), a, ts"] {
        assert_narrowed(key, &queries).await;
    }
}

/// The value of a subquery is known before the first row is read.
#[tokio::test]
async fn the_value_of_a_subquery_is_a_key() {
    for key in [
        "a, b",
        "a DESC, b DESC",
        "salt(4), a, b",
        "hash(a), a, b",
        "bucket(4, a), a, b",
    ] {
        let connection = connection(key).await;
        let plain = connection.database().connect();
        let off = "SET halite.pushdown = false";
        plain.execute(off, ()).await.unwrap();
        for (sql, most, is_empty) in [
            (
                "SELECT v FROM big WHERE a = (SELECT max(a) FROM small)",
                210,
                false,
            ),
            (
                "SELECT v FROM big WHERE a = (SELECT a FROM small WHERE n = 3) AND b = (SELECT 'b' || max(n) FROM small)",
                12,
                false,
            ),
            (
                "SELECT v FROM big WHERE b = 'b7' AND a = (SELECT min(a) - 7 FROM small)",
                11,
                false,
            ),
            (
                "SELECT count(*), sum(v) FROM big WHERE a + 1 = (SELECT max(a) FROM small) AND v < 300",
                210,
                false,
            ),
            (
                "SELECT v FROM big WHERE a = (SELECT a FROM small WHERE n = 99)",
                10,
                true,
            ),
        ] {
            let (rows, keys) = read(&connection, sql).await;
            let (expected, _) = read(&plain, sql).await;
            assert_eq!(rows, expected, "{key}: {sql}");
            assert_eq!(rows.is_empty(), is_empty, "{key}: {sql}");
            assert!(keys <= most, "{key}: {sql} reads {keys} keys, not {most}");
        }
        let greater = "SELECT count(*) FROM big WHERE a > (SELECT max(a) + 20 FROM small)";
        let (rows, keys) = read(&connection, greater).await;
        assert_eq!(rows, ["1800"], "{key}");
        assert!(key.starts_with("hash") || keys <= 1810, "{key}: {keys}");
        let explain = format!("EXPLAIN KEYS {greater}");
        let told = texts(&connection.query(&explain, ()).await.unwrap());
        let runtime = told.iter().filter(|row| row.contains("runtime"));
        assert_eq!(runtime.count(), 1, "{told:#?}");
    }
}

#[tokio::test]
async fn what_narrows_a_scan_is_explained() {
    let connection = connection("salt(4), a, b").await;
    let explain = |sql: &'static str| {
        let connection = connection.clone();
        async move { texts(&connection.query(sql, ()).await.unwrap()) }
    };
    let told =
        explain("EXPLAIN KEYS SELECT v FROM small s JOIN big ON big.a = s.a AND big.b = s.b").await;
    let runtime: Vec<&String> = told.iter().filter(|row| row.contains("runtime")).collect();
    assert_eq!(runtime.len(), 1, "{told:#?}");
    assert!(
        runtime[0].contains("big") && runtime[0].contains("a, b"),
        "{told:#?}"
    );
    let of_value = explain("EXPLAIN KEYS SELECT big.a FROM small s JOIN big ON big.v = s.n").await;
    assert!(
        of_value.iter().all(|row| !row.contains("runtime")),
        "{of_value:#?}"
    );
}

/// Random joins and top-ks over random keys, batches and partitions, beside the same without dynamic filters.
#[test]
fn narrowed_scans_lose_no_row() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    with_seed(|rng| {
        let keys = [
            "a, b, c",
            "c, a, b",
            "a DESC, b, c",
            "salt(3), a, b, c",
            "hash(b), b, a, c",
            "bucket(4, b), b, c, a",
            "a, reverse_digits(c), b",
            "b, salt(5), a, c",
        ];
        for _ in 0..8 {
            let key = keys[rng.usize(..keys.len())];
            let connection = Database::in_memory().unwrap().connect();
            let run = |sql: &str| runtime.block_on(connection.execute_script(sql)).expect(sql);
            run(&format!(
                "CREATE TABLE t (a INT, b TEXT, c BIGINT, v DOUBLE, PRIMARY KEY ({key}))"
            ));
            run("CREATE TABLE s (n INT, a INT NULL, b TEXT NULL, c INT NULL, PRIMARY KEY (n))");
            let (spread, rows) = (rng.i64(1..40), rng.i64(1..6000));
            run(&format!(
                "INSERT OR REPLACE INTO t SELECT value % {spread}, 'k' || (value % 7), value / {spread}, value % 13 * 0.5e0
                 FROM generate_series(0, {rows})"
            ));
            run(&format!(
                "INSERT INTO s SELECT value, CASE WHEN value % 5 > 0 THEN value * 3 END, CASE WHEN value % 7 > 0 THEN 'k' || (value % 9) END,
                 CASE WHEN value % 3 > 0 THEN value % 11 END FROM generate_series(0, {})",
                rng.i64(0..60)
            ));
            run(&format!(
                "SET datafusion.execution.target_partitions = {}",
                rng.usize(1..5)
            ));
            run(&format!(
                "SET datafusion.execution.batch_size = {}",
                [16, 100, 8192][rng.usize(..3)]
            ));
            let plain = connection.database().connect();
            for rule in ["join", "topk"] {
                let off = format!(
                    "SET datafusion.optimizer.enable_{rule}_dynamic_filter_pushdown = false"
                );
                runtime.block_on(plain.execute_script(&off)).unwrap();
            }
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

fn random_query(rng: &mut fastrand::Rng) -> String {
    let columns = ["a", "b", "c"];
    let pairs: Vec<String> = columns
        .iter()
        .filter(|_| rng.bool())
        .map(|column| format!("t.{column} = s.{column}"))
        .collect();
    let on = if pairs.is_empty() {
        "t.a = s.n".to_owned()
    } else {
        pairs.join(" AND ")
    };
    let filters = [
        "",
        "WHERE t.a > 3",
        "WHERE t.b IN ('k1', 'k4')",
        "WHERE t.v < 3 AND t.a <> 5",
        "WHERE t.c % 2 = 0",
    ];
    let filter = filters[rng.usize(..filters.len())];
    let filtered = |more: &str| match filter {
        "" => format!("WHERE {more}"),
        filter => format!("{filter} AND {more}"),
    };
    let (more, column) = (rng.usize(..4), columns[rng.usize(..3)]);
    match rng.usize(..8) {
        6 => format!(
            "SELECT t.a, t.c, t.v FROM t {}",
            filtered(&format!(
                "t.{column} = (SELECT max({column}) FROM s WHERE n > {more})"
            ))
        ),
        7 => format!(
            "SELECT t.a, t.c, t.v FROM t {}",
            filtered(&format!(
                "t.a <= (SELECT min(a) + {more} FROM s) AND t.{column} > (SELECT min({column}) FROM s)"
            ))
        ),
        0 => format!("SELECT t.a, t.b, t.c, s.n FROM s JOIN t ON {on} {filter}"),
        1 => format!(
            "SELECT t.a, t.b, t.c, t.v FROM t {}",
            filtered(&format!("EXISTS (SELECT 1 FROM s WHERE {on})"))
        ),
        2 => format!("SELECT t.v, s.n FROM s LEFT JOIN t ON {on}"),
        3 => format!(
            "SELECT count(*), sum(t.v) FROM t {}",
            filtered("(t.a, t.c) IN (SELECT a, c FROM s)")
        ),
        4 => format!(
            "SELECT t.c, t.a FROM t {filter} ORDER BY t.c DESC, t.b, t.a LIMIT {}",
            rng.usize(1..9)
        ),
        _ => format!(
            "SELECT t.b, t.c, t.a FROM t {filter} ORDER BY t.b, t.c, t.a DESC LIMIT {}",
            rng.usize(1..40)
        ),
    }
}
