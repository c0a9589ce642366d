use fastrand::Rng;

use crate::seed::seed;
use crate::session::{Connection, Database};

/// Columns of both sides: keys of every type that is merged, and of some that are not; all may be NULL.
const KEYS: &[&str] = &[
    "INT",
    "BIGINT",
    "SMALLINT",
    "TEXT",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE",
    "DECIMAL(10, 2)",
    "BOOLEAN",
    "DOUBLE",
    "BYTEA",
];

fn value(random: &mut Rng, of: &str) -> String {
    if random.u8(0..5) == 0 {
        return "NULL".to_owned();
    }
    let number = random.u8(0..5);
    match of {
        "TEXT" => format!("'{}'", ["", "a", "b", "ab", "zz"][usize::from(number)]),
        "DATE" => format!("DATE '2024-01-0{}'", number + 1),
        "TIMESTAMP" => format!("'2024-01-0{} 10:00:00'", number + 1),
        "TIMESTAMP WITH TIME ZONE" => format!("'2024-01-0{} 10:00:00Z'", number + 1),
        "DECIMAL(10, 2)" => format!("{number}.25"),
        "BOOLEAN" => number.is_multiple_of(2).to_string(),
        "DOUBLE" => [
            "CAST('NaN' AS DOUBLE)",
            "CAST('-0' AS DOUBLE)",
            "0.0",
            "1.5",
            "-1.5",
        ][usize::from(number)]
        .to_owned(),
        "BYTEA" => format!("'\\x0{number}'"),
        _ => number.to_string(),
    }
}

/// Two tables, of `k` and `j` to join by, and `v` for conditions.
async fn tables(connection: &Connection, random: &mut Rng) -> [String; 2] {
    let keys = [0; 2].map(|_| KEYS[random.usize(0..KEYS.len())]);
    for table in ["l", "r"] {
        let create = format!(
            "CREATE OR REPLACE TEMP TABLE {table} (id INT, k {} NULL, j {} NULL, v INT NULL, PRIMARY KEY (id))",
            keys[0], keys[1]
        );
        let drop = format!("DROP TABLE IF EXISTS {table}");
        connection.execute(&drop, ()).await.unwrap();
        let create = create.replace("CREATE OR REPLACE TEMP TABLE", "CREATE TABLE");
        connection.execute(&create, ()).await.unwrap();
        let rows = (0..random.usize(0..40)).map(|id| {
            let values = [keys[0], keys[1], "INT"].map(|of| value(random, of));
            format!("({id}, {})", values.join(", "))
        });
        let rows: Vec<String> = rows.collect();
        if !rows.is_empty() {
            let insert = format!("INSERT INTO {table} VALUES {}", rows.join(", "));
            connection.execute(&insert, ()).await.unwrap();
        }
    }
    keys.map(str::to_owned)
}

/// A query of a join of any kind, with an equality of one column or two, and perhaps a condition on both sides.
fn query(random: &mut Rng) -> String {
    let on = match random.u8(0..4) {
        0 => "l.k = r.k AND l.j = r.j",
        1 => "l.j = r.j AND l.k = r.k",
        2 => "l.k IS NOT DISTINCT FROM r.k",
        _ => "l.k = r.k",
    };
    let condition = match random.u8(0..6) {
        0 => " AND l.v < r.v",
        1 => " AND r.v + 1 >= l.v",
        2 => " AND (l.v = 1 OR r.v = l.v OR r.j IS NULL)",
        3 => " AND l.v + r.v + r.id % 3 <> 4",
        _ => "",
    };
    let on = format!("{on}{condition}");
    let shown = "l.id, l.k, l.v, r.id, r.k, r.v";
    match random.u8(0..11) {
        0 => format!("SELECT {shown} FROM l JOIN r ON {on}"),
        1 => format!("SELECT {shown} FROM l LEFT JOIN r ON {on}"),
        2 => format!("SELECT {shown} FROM l RIGHT JOIN r ON {on}"),
        3 => format!("SELECT {shown} FROM l FULL JOIN r ON {on}"),
        4 => format!("SELECT id, k FROM l WHERE EXISTS (SELECT 1 FROM r WHERE {on})"),
        5 => format!("SELECT id, k FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE {on})"),
        6 => format!(
            "SELECT id, EXISTS (SELECT 1 FROM r WHERE {on}) AS e FROM l WHERE v > 0 OR EXISTS (SELECT 1 FROM r WHERE {on})"
        ),
        7 => {
            format!("SELECT l.k, count(*), max(r.v), min(l.id) FROM l JOIN r ON {on} GROUP BY l.k")
        }
        8 => format!("SELECT count(*) FROM l FULL JOIN r ON {on}"),
        9 => format!(
            "SELECT r.v, l.id FROM l LEFT JOIN r ON {on} LEFT JOIN l AS m ON m.k = r.k AND m.v > l.v"
        ),
        _ => format!("SELECT k FROM l WHERE v IN (SELECT v FROM r WHERE {on})"),
    }
}

async fn ask(connection: &Connection, joins: &str, sql: &str) -> Vec<String> {
    connection
        .execute(&format!("SET halite.joins = '{joins}'"), ())
        .await
        .unwrap();
    let batches = connection.query(sql, ()).await;
    let batches = batches.unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let mut rows = crate::session::testing::texts(&batches);
    rows.sort();
    rows
}

/// `HALITE_SEED` replays one, `HALITE_CASES` sets how many tables are made.
#[test]
fn merged_joins_give_the_rows_of_hashed_ones() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rounds = std::env::var("HALITE_CASES").map_or(20, |it| it.parse().unwrap());
    let mut random = Rng::with_seed(seed());
    let mut merged = 0;
    runtime.block_on(async {
        for _ in 0..rounds {
            let connection = Database::in_memory().unwrap().connect();
            for sql in [
                format!(
                    "SET datafusion.execution.batch_size = {}",
                    [1, 2, 3, 7, 8192][random.usize(0..5)]
                ),
                format!(
                    "SET datafusion.execution.target_partitions = {}",
                    random.u8(1..4)
                ),
            ] {
                connection.execute(&sql, ()).await.unwrap();
            }
            let keys = tables(&connection, &mut random).await;
            for _ in 0..20 {
                let sql = query(&mut random);
                let hashed = ask(&connection, "hash", &sql).await;
                assert_eq!(
                    ask(&connection, "merge", &sql).await,
                    hashed,
                    "{sql}, keys {keys:?}"
                );
                let plan = ask(&connection, "merge", &format!("EXPLAIN {sql}")).await;
                merged += usize::from(plan.concat().contains("SortMergeJoinExec"));
            }
        }
    });
    println!("{merged} of {} joins are merged", rounds * 20);
    assert!(merged > rounds * 10, "{merged}");
}

async fn plan_of(sql: &str) -> String {
    let connection = Database::in_memory().unwrap().connect();
    for table in ["l", "r"] {
        let create = format!(
            "CREATE TABLE {table} (id INT, k INT NULL, f DOUBLE NULL, v INT NULL, PRIMARY KEY (id))"
        );
        connection.execute(&create, ()).await.unwrap();
    }
    ask(&connection, "merge", &format!("EXPLAIN {sql}"))
        .await
        .concat()
}

#[tokio::test]
async fn what_a_merge_gets_wrong_is_left_to_hash_tables() {
    for sql in [
        "SELECT * FROM l JOIN r ON l.f = r.f",
        "SELECT * FROM l WHERE k NOT IN (SELECT k FROM r)",
        "SELECT * FROM l FULL JOIN r ON l.k = r.k AND random() < 0.5",
    ] {
        let plan = plan_of(sql).await;
        assert!(
            !plan.contains("SortMergeJoinExec") && plan.contains("Join"),
            "{sql}: {plan}"
        );
    }
    let plan = plan_of("SELECT * FROM l JOIN r ON l.k = r.k ORDER BY l.k").await;
    assert!(plan.contains("SortMergeJoinExec"), "{plan}");
    assert!(
        plan.find("SortExec").unwrap() < plan.find("SortMergeJoinExec").unwrap(),
        "{plan}"
    );
}

#[tokio::test]
async fn a_table_that_is_known_to_be_too_large_is_merged_at_once() {
    let connection = Database::in_memory().unwrap().connect();
    let columns: Vec<String> = (1..10).map(|n| format!("c{n} BIGINT")).collect();
    let values: Vec<String> = (1..10).map(|n| format!("value + {n}")).collect();
    for sql in [
        "SET halite.memory_limit = '16M'".to_owned(),
        format!(
            "CREATE TABLE t (k BIGINT, {}, PRIMARY KEY (k))",
            columns.join(", ")
        ),
        format!(
            "INSERT INTO t SELECT value, {} FROM generate_series(1, 250000)",
            values.join(", ")
        ),
    ] {
        connection.execute(&sql, ()).await.unwrap();
    }
    for (condition, is_merged) in [("true", true), ("t.k < 10 AND u.k < 10", false)] {
        let sql = format!("EXPLAIN SELECT * FROM t JOIN t AS u ON t.c1 = u.c2 WHERE {condition}");
        let plan = connection.query(&sql, ()).await.unwrap();
        let plan = crate::session::testing::texts(&plan).concat();
        assert_eq!(plan.contains("SortMergeJoinExec"), is_merged, "{plan}");
    }
}
