//! Tables that are kept apart at the points of SPLIT.

use std::sync::Arc;

use crate::session::testing::rows_of;
use crate::session::{Connection, Database};
use crate::store::{MemoryStore, Store, simulated_calmly};

/// A row key, and points in it.
const LAYOUTS: [(&str, &str); 6] = [
    ("a, b", "SPLIT ('b', 'd')"),
    ("a DESC, b", "SPLIT (('b', 100), ('d', 7), 'zz')"),
    ("b", "SPLIT (-1, 100, 200, 150)"),
    ("salt(3), b", "SPLIT (100, 200)"),
    ("b / 10, a, b", "SPLIT ((50, 'c'))"),
    (
        "date_trunc('hour', c), a, b",
        "SPLIT ('2024-01-01 01:00:00')",
    ),
];

const QUERIES: [&str; 7] = [
    "SELECT count(*), sum(b), min(a), max(c) FROM t",
    "SELECT * FROM t WHERE a = 'b' ORDER BY b",
    "SELECT * FROM t WHERE b BETWEEN 90 AND 210 ORDER BY b DESC LIMIT 20",
    "SELECT a, count(*), sum(b) FROM t GROUP BY a ORDER BY a",
    "SELECT b FROM t WHERE c >= '2024-01-01 00:50:00' AND a IN ('a', 'd') ORDER BY b",
    "SELECT b FROM t WHERE b IN (99, 100, 101, 199, 200, 201) ORDER BY b",
    "SELECT x.b FROM t x JOIN t y ON x.b = y.b + 1 WHERE y.a = 'c' ORDER BY x.b",
];

async fn execute(connection: &Connection, sql: &str) {
    let done = connection.execute(sql, ()).await;
    done.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

async fn table(store: Arc<dyn Store>, key: &str, split: &str) -> Connection {
    let connection = Database::of_store(store).unwrap().connect();
    execute(
        &connection,
        "SET datafusion.execution.target_partitions = 4",
    )
    .await;
    let sql =
        format!("CREATE TABLE t (a TEXT, b INT, c TIMESTAMP(0), PRIMARY KEY ({key})) {split}");
    execute(&connection, &sql).await;
    let rows = "INSERT INTO t SELECT chr(97 + i % 5), i, TIMESTAMP '2024-01-01' + i * INTERVAL '20 seconds' \
                FROM generate_series(-20, 300) AS i";
    execute(&connection, rows).await;
    connection
}

async fn answers(connection: &Connection) -> Vec<Vec<String>> {
    let mut answers = Vec::new();
    for sql in QUERIES {
        answers.push(rows_of(connection, sql).await);
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_a_table_without() {
    for (key, split) in LAYOUTS {
        let stores: [fn() -> Arc<dyn Store>; 2] =
            [|| Arc::new(MemoryStore::new()), simulated_calmly];
        for store in stores {
            let without = answers(&table(store(), key, "").await).await;
            let with = table(store(), key, split).await;
            assert_eq!(answers(&with).await, without, "{key} {split}");
            execute(&with, "UPDATE t SET b = b + 1000 WHERE a = 'c'").await;
            execute(&with, "DELETE FROM t WHERE b < 50").await;
            let left = rows_of(&with, "SELECT count(*), max(b) FROM t").await;
            assert_eq!(left.len(), 1);
            // 50 of 300 are left, and those of `c` that were moved there.
            let moved = (-20..=300).filter(|i: &i32| i % 5 == 2);
            let kept = (50..=300).filter(|i| i % 5 != 2).count() + moved.count();
            assert!(left[0].starts_with(&format!("{kept}|")), "{left:?} {kept}");
        }
    }
}

/// How many partitions the scan of the whole table has: rows of fewer than four are dealt out to four.
async fn pieces(connection: &Connection) -> usize {
    // Where there are fewer than a batch nothing is dealt out, and the plan does not say how many there are.
    execute(connection, "SET datafusion.execution.batch_size = 16").await;
    let plan = rows_of(connection, "EXPLAIN SELECT sum(b) FROM t")
        .await
        .join("\n");
    let partitions = plan.split("input_partitions=").nth(1);
    let digits = partitions.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
    digits.map_or(4, |digits: String| digits.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_of_a_store_in_one_place_has_these_pieces() {
    for (split, expected) in [
        ("", 1),
        ("SPLIT (100)", 2),
        ("SPLIT (100, 200)", 3),
        ("SPLIT (1, 2, 3, 4, 5, 6, 7)", 4),
    ] {
        let connection = table(Arc::new(MemoryStore::new()), "b", split).await;
        assert_eq!(pieces(&connection).await, expected, "{split}");
    }
}

async fn regions(connection: &Connection, table: &str) -> Vec<String> {
    execute(connection, "SET halite.explain_regions = true").await;
    let rows = rows_of(connection, &format!("EXPLAIN KEYS SELECT * FROM {table}")).await;
    let regions = rows.iter().map(|row| row.rsplit('|').next().unwrap());
    let regions = regions.flat_map(|regions| regions.split(", "));
    regions
        .map(|region| region.split(' ').next().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parts_are_regions_and_stay_so() {
    let store = simulated_calmly();
    let connection = table(Arc::clone(&store), "salt(2), b", "SPLIT (100)").await;
    let expected = [
        "..0080000064",
        "0080000064..01",
        "01..0180000064",
        "0180000064..",
    ];
    assert_eq!(regions(&connection, "t").await, expected);
    execute(&connection, "TRUNCATE TABLE t").await;
    assert_eq!(regions(&connection, "t").await, expected, "emptied");
    execute(&connection, "ALTER TABLE t RENAME COLUMN b TO d").await;
    execute(&connection, "ALTER TABLE t ADD COLUMN e INT").await;
    execute(&connection, "ALTER TABLE t RENAME TO u").await;
    execute(&connection, "CREATE TABLE v LIKE u").await;
    assert_eq!(regions(&connection, "v").await, expected, "like another");
    execute(
        &connection,
        "CREATE TABLE w (k INT, PRIMARY KEY (k)) SPLIT (1) AS SELECT 1 AS k",
    )
    .await;
    assert_eq!(
        regions(&connection, "w").await,
        ["..80000001", "80000001.."]
    );
    drop(connection);
    let again = Database::of_store(store).unwrap().connect();
    for name in ["u", "v"] {
        let shown = rows_of(&again, &format!("SHOW CREATE TABLE {name}"))
            .await
            .join("\n");
        assert!(shown.ends_with(") SPLIT (100)"), "{shown}");
    }
    let shown = rows_of(&again, "SHOW CREATE TABLE u").await.join("\n");
    let statement = shown
        .split_once('|')
        .unwrap()
        .1
        .replace("TABLE u", "TABLE x");
    execute(&again, &statement).await;
    assert_eq!(regions(&again, "x").await, expected, "from what is shown");
}
