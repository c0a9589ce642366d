//! Correlated subqueries beside each other, some of whose joins have partitions that nobody asks for.

use std::time::Duration;

use tokio::time::timeout;

use super::testing::texts;
use super::{Connection, Database};
use crate::fault::{self, Fault};

const TABLES: &[&str] = &[
    "CREATE TABLE a (id INT PRIMARY KEY, x INT, s TEXT)",
    "INSERT INTO a VALUES (1, 5, 'u'), (2, 3, 'v'), (3, 5, 'u')",
    "CREATE TABLE b (id INT PRIMARY KEY, s TEXT)",
    "INSERT INTO b VALUES (1, 'u'), (2, 'v')",
];

const QUERIES: &[(&str, &[&str])] = &[
    (
        "SELECT t.id, (SELECT i.id FROM b i WHERE i.s = t.s LIMIT 1) FROM a t \
         WHERE t.x > (SELECT count(*) FROM a i WHERE i.id <= t.id) ORDER BY 1",
        &["1|1", "2|2", "3|1"],
    ),
    (
        "SELECT sum((SELECT min(i.id) FROM b i WHERE i.s = t.s)) FROM a t \
         WHERE t.x > (SELECT count(*) FROM a i WHERE i.id <= t.id)",
        &["4"],
    ),
    (
        "SELECT t.id FROM a t WHERE t.id NOT IN (SELECT i.id FROM b i WHERE i.id < t.id) \
         ORDER BY (SELECT count(*) FROM b i WHERE i.s = t.s), t.id",
        &["1", "2", "3"],
    ),
];

/// Longer than any of the queries takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn filled(connection: Connection, partitions: usize) -> Connection {
    let set = format!("SET datafusion.execution.target_partitions = {partitions}");
    for sql in TABLES.iter().copied().chain([set.as_str()]) {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn no_partition_waits_for_one_that_nobody_asks_for() {
    for partitions in [1, 2, 3, 4, 8] {
        let connection = Database::in_memory().unwrap().connect();
        let connection = filled(connection, partitions).await;
        for (sql, rows) in QUERIES {
            let answer = timeout(PATIENCE, connection.query(sql, ())).await;
            let answer = answer.unwrap_or_else(|_| panic!("{partitions} partitions: {sql}"));
            assert_eq!(texts(&answer.unwrap()), *rows, "{sql}");
        }
    }
}

/// Fails as soon as DataFusion minds partitions that are not asked for: then [`crate::plan::rule`] need not.
#[tokio::test(flavor = "multi_thread")]
async fn canary() {
    let mend = Fault::MendLeftOut("unasked");
    let connection = fault::with(mend, || Database::in_memory().unwrap().connect());
    let connection = filled(connection, 2).await;
    let (sql, _) = QUERIES[1];
    let answer = timeout(Duration::from_secs(3), connection.query(sql, ())).await;
    assert!(answer.is_err(), "{answer:?}");
}
