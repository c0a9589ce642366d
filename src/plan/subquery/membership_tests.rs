//! `IN (subquery)` by the rules of SQL: every value with every set, wherever the condition may stand.

use crate::session::testing::texts;
use crate::session::{Connection, Database};

/// Sets of values, by their numbers; the first is empty.
const SETS: [&[Option<i64>]; 6] = [
    &[],
    &[Some(1)],
    &[None],
    &[Some(1), None],
    &[Some(1), Some(2), Some(2)],
    &[None, None, Some(3)],
];

/// What is looked for, by the row's number.
const SOUGHT: [Option<i64>; 4] = [Some(1), None, Some(2), Some(7)];

/// `x IN set`, as SQL defines it.
fn is_in(x: Option<i64>, set: &[Option<i64>]) -> Option<bool> {
    match x {
        _ if set.is_empty() => Some(false),
        Some(x) if set.contains(&Some(x)) => Some(true),
        Some(_) if !set.contains(&None) => Some(false),
        _ => None,
    }
}

async fn database() -> Connection {
    let connection = Database::in_memory().expect("database").connect();
    let value = |value: &Option<i64>| value.map_or("NULL".to_owned(), |value| value.to_string());
    let mut rows = Vec::new();
    for (set, values) in SETS.iter().enumerate() {
        let values = values.iter().enumerate();
        rows.extend(values.map(|(place, found)| format!("({set}, {place}, {})", value(found))));
    }
    let sought: Vec<String> = SOUGHT
        .iter()
        .enumerate()
        .map(|(id, sought)| format!("({id}, {})", value(sought)))
        .collect();
    for sql in [
        "CREATE TABLE t (id INT NOT NULL, x INT, PRIMARY KEY (id))".to_owned(),
        "CREATE TABLE s (of_set INT NOT NULL, place INT NOT NULL, y INT, PRIMARY KEY (of_set, place))".to_owned(),
        format!("INSERT INTO s VALUES {}", rows.join(", ")),
        format!("INSERT INTO t VALUES {}", sought.join(", ")),
    ] {
        connection.execute(&sql, ()).await.expect("setup");
    }
    connection
}

async fn ids(connection: &Connection, sql: &str) -> Vec<String> {
    let batches = connection.query(sql, ()).await;
    let mut ids = texts(&batches.unwrap_or_else(|error| panic!("{sql}\n{error}")));
    ids.sort();
    ids
}

/// A condition over `IN` of the set, and when it holds.
type Case = (&'static str, fn(Option<bool>) -> Option<bool>);

const CASES: &[Case] = &[
    ("x IN (q)", |is_in| is_in),
    ("x NOT IN (q)", |is_in| is_in.map(|is_in| !is_in)),
    ("NOT (x IN (q))", |is_in| is_in.map(|is_in| !is_in)),
    ("x NOT IN (q) OR id = 99", |is_in| is_in.map(|is_in| !is_in)),
    ("x IN (q) OR id = 99", |is_in| is_in),
    ("x NOT IN (q) AND id < 99", |is_in| {
        is_in.map(|is_in| !is_in)
    }),
    ("NOT (x NOT IN (q) OR id = 99)", |is_in| is_in),
    ("NOT (x IN (q) AND id < 99)", |is_in| {
        is_in.map(|is_in| !is_in)
    }),
    ("(x IN (q)) IS NULL", |is_in| Some(is_in.is_none())),
    ("(x NOT IN (q)) IS NOT TRUE", |is_in| {
        Some(is_in != Some(false))
    }),
    ("coalesce(x NOT IN (q), id < 99)", |is_in| {
        Some(is_in != Some(true))
    }),
    ("(x IN (q)) = (id < 99)", |is_in| is_in),
    (
        "CASE WHEN x IN (q) THEN 1 WHEN x NOT IN (q) THEN 2 ELSE 3 END = 3",
        |is_in| Some(is_in.is_none()),
    ),
    ("x + 0 NOT IN (q)", |is_in| is_in.map(|is_in| !is_in)),
    ("x = ANY (q)", |is_in| is_in),
    ("x <> ALL (q)", |is_in| is_in.map(|is_in| !is_in)),
    ("x <> ALL (q) OR id = 99", |is_in| is_in.map(|is_in| !is_in)),
    ("(x = ANY (q)) IS NULL", |is_in| Some(is_in.is_none())),
];

#[tokio::test]
async fn every_value_with_every_set() {
    let connection = database().await;
    for (set, values) in SETS.iter().enumerate() {
        let query = format!("SELECT y FROM s WHERE of_set = {set}");
        for (condition, holds) in CASES {
            let condition = condition.replace("(q)", &format!("({query})"));
            let expected: Vec<String> = SOUGHT
                .iter()
                .enumerate()
                .filter(|(_, x)| holds(is_in(**x, values)) == Some(true))
                .map(|(id, _)| id.to_string())
                .collect();
            let sql = format!("SELECT id FROM t WHERE {condition}");
            assert_eq!(ids(&connection, &sql).await, expected, "{sql}");
            let sql = format!("SELECT id FROM t GROUP BY id, x HAVING {condition}");
            assert_eq!(ids(&connection, &sql).await, expected, "{sql}");
            // Inside of a subquery that gives a value.
            let counted = expected.len().to_string();
            let sql = format!("SELECT (SELECT count(*) FROM t WHERE {condition}) AS n");
            assert_eq!(ids(&connection, &sql).await, [counted], "{sql}");
            let sql = format!(
                "SELECT o.id FROM t o WHERE 1 = (SELECT count(*) FROM t WHERE t.id = o.id AND ({condition}))"
            );
            assert_eq!(ids(&connection, &sql).await, expected, "{sql}");
        }
    }
}

#[tokio::test]
async fn queries_that_name_columns_from_outside_know_null_too() {
    let connection = database().await;
    for (condition, expected) in [
        // The sets of the rows 0, 1, 2 and 3 are {}, {1}, {NULL} and {1, NULL}.
        ("x NOT IN (SELECT y FROM s WHERE of_set = t.id)", &["0"][..]),
        (
            "x NOT IN (SELECT y FROM s WHERE of_set = t.id) OR id = 3",
            &["0", "3"],
        ),
        (
            "(x IN (SELECT y FROM s WHERE of_set = t.id)) IS NULL",
            &["1", "2", "3"],
        ),
    ] {
        let sql = format!("SELECT id FROM t WHERE {condition}");
        assert_eq!(ids(&connection, &sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn values_of_the_table_itself_and_of_nested_lists() {
    let connection = database().await;
    for (condition, expected) in [
        (
            "t.x NOT IN (SELECT x FROM t WHERE x > 1) OR id = 99",
            &["0"][..],
        ),
        (
            "x NOT IN (SELECT x FROM t WHERE x NOT IN (SELECT y FROM s WHERE of_set = 4) OR x = 2) OR id = 99",
            &["0"],
        ),
        (
            "id NOT IN (SELECT place FROM s) AND x NOT IN (SELECT y FROM s WHERE of_set = 1) OR id = 99",
            &["3"],
        ),
        (
            "x NOT IN (SELECT max(y) FROM s) OR id = 99",
            &["0", "2", "3"],
        ),
        (
            "x NOT IN (SELECT y FROM s WHERE y IS NOT NULL ORDER BY y DESC LIMIT 1) OR id = 99",
            &["0", "2", "3"],
        ),
        (
            "7 NOT IN (SELECT y FROM s WHERE of_set = 4) AND x IS NULL OR id = 99",
            &["1"],
        ),
    ] {
        let sql = format!("SELECT id FROM t WHERE {condition}");
        assert_eq!(ids(&connection, &sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn rows_are_deleted_that_satisfy_it() {
    let connection = database().await;
    let sql = "DELETE FROM t WHERE x NOT IN (SELECT y FROM s WHERE of_set = 3) OR id = 3";
    assert_eq!(connection.execute(sql, ()).await.expect(sql), 1);
    let sql = "DELETE FROM t WHERE x NOT IN (SELECT y FROM s WHERE of_set = 1) OR id = 99";
    assert_eq!(connection.execute(sql, ()).await.expect(sql), 1);
    assert_eq!(ids(&connection, "SELECT id FROM t").await, ["0", "1"]);
}

/// No row is compared with every value.
#[tokio::test]
async fn it_is_a_join_that_hashes() {
    let connection = database().await;
    for condition in [
        "id NOT IN (SELECT y FROM s) OR x = 3",
        "(id IN (SELECT y FROM s)) IS NULL",
    ] {
        let sql = format!("EXPLAIN SELECT id FROM t WHERE {condition}");
        let plan = ids(&connection, &sql).await.concat();
        assert!(plan.contains("HashJoinExec"), "{plan}");
        assert!(!plan.contains("NestedLoopJoinExec"), "{plan}");
    }
}

/// Beyond what nanoseconds reach, too.
#[tokio::test]
async fn dates_are_found_among_timestamps() {
    let connection = Database::in_memory().unwrap().connect();
    let far = "CREATE TABLE far (id INT, d DATE NULL, m TIMESTAMP(3) NULL, PRIMARY KEY (id));
        INSERT INTO far VALUES (1, '3000-01-01', '3000-01-01'), (2, '2024-01-01', '2024-01-01 10:00'), (3, NULL, NULL)";
    connection.execute_script(far).await.unwrap();
    for (sql, expected) in [
        (
            "SELECT max(coalesce(d, m)) IN (SELECT d FROM far) FROM far",
            "true",
        ),
        (
            "SELECT max(coalesce(m, d)) IN (SELECT d FROM far WHERE id > 1 AND d > '2000-01-01') FROM far",
            "false",
        ),
        (
            "SELECT max(d) IN (SELECT m FROM far WHERE id = 1) FROM far",
            "true",
        ),
        ("SELECT min(m) IN (SELECT d FROM far) FROM far", "NULL"),
        (
            "SELECT count(*) FROM far WHERE m IN (SELECT d FROM far)",
            "1",
        ),
    ] {
        let answer = connection.query(sql, ()).await;
        assert_eq!(texts(&answer.expect(sql)), [expected], "{sql}");
    }
}
