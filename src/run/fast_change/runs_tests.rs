//! Prepared changes do what planned ones do, and go around planning where they should.

use std::sync::Arc;

use datafusion::common::ScalarValue;

use crate::params;
use crate::run::outcome::Outcome;
use crate::session::{Connection, Database};
use crate::sql::parse::Command;
use crate::store::wrap::{Call, Recording};
use crate::store::{MemoryStore, Store};

const TABLES: &[&str] = &[
    "CREATE TABLE t (k BIGINT, n BIGINT NULL, small INT NULL, s TEXT NULL, d DOUBLE NULL, ts TIMESTAMP(3) NULL,
        CHECK (n <> -13), PRIMARY KEY (k))",
    "CREATE TABLE h (host TEXT, ts TIMESTAMP(3), n BIGINT NOT NULL DEFAULT 7, b INT,
        PRIMARY KEY (bucket(4, host), host, ts DESC))",
];

const ROWS: &[&str] = &[
    "INSERT INTO t SELECT value, value * 10, value, 's' || value, value / 4.0, to_timestamp_millis(value)
        FROM generate_series(1, 20)",
    "INSERT INTO h SELECT 'host ' || value, to_timestamp_millis(value), value, value FROM generate_series(1, 20)",
];

async fn connection() -> Connection {
    filled(Database::in_memory().unwrap()).await
}

async fn filled(database: Database) -> Connection {
    let connection = database.connect();
    for sql in TABLES.iter().chain(ROWS) {
        connection.execute(sql, ()).await.unwrap();
    }
    connection
}

/// What a run that needs no plan gives.
async fn direct(
    connection: &Connection,
    sql: &str,
    values: &[ScalarValue],
) -> Result<Option<Outcome>, String> {
    let statement = connection.script(sql).unwrap().remove(0);
    let Command::Sql(parsed) = &statement.parsed.command else {
        panic!("{sql}");
    };
    let planned = connection.run_context.plan_once(parsed).await.expect(sql);
    let values = planned.placeholders.bind(values.to_vec());
    let values = values.map_err(|error| error.to_string())?;
    let given = connection
        .run_context
        .change_directly(&planned, &values)
        .await;
    given.map_err(|error| error.to_string())
}

async fn contents(connection: &Connection) -> Vec<String> {
    let mut contents = Vec::new();
    for sql in [
        "SELECT * FROM t ORDER BY k",
        "SELECT * FROM h ORDER BY host, ts",
    ] {
        contents.push(shown(connection.rows(sql, ()).await.unwrap()));
    }
    contents
}

fn shown(rows: crate::Rows) -> String {
    let batches = rows.into_batches();
    let text = arrow::util::pretty::pretty_format_batches(&batches).unwrap();
    text.to_string()
}

/// What a statement gives: the number of rows, or the rows.
async fn given(connection: &Connection, outcome: Outcome) -> String {
    match outcome {
        Outcome::Affected { verb, rows } => format!("{verb} {rows}"),
        Outcome::Rows(stream) => shown(connection.row_stream(stream).rows().await.unwrap()),
        Outcome::Done { verb } => verb,
    }
}

async fn planned(
    connection: &Connection,
    sql: &str,
    values: &[ScalarValue],
) -> Result<String, String> {
    let told = |error: crate::Error| error.to_string();
    if sql.contains("RETURNING") {
        let rows = connection.rows(sql, values).await.map_err(told)?;
        return Ok(shown(rows));
    }
    let verb = sql.split_whitespace().next().unwrap();
    let rows = connection.execute(sql, values).await.map_err(told)?;
    Ok(format!("{verb} {rows}"))
}

fn stamp(millis: i64) -> ScalarValue {
    ScalarValue::TimestampMillisecond(Some(millis), None)
}

/// Statements that need no plan, with values that they are run with one after the other.
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn cases() -> Vec<(&'static str, Vec<Vec<ScalarValue>>)> {
    let counter =
        "INSERT INTO t (k, n) VALUES ($1, $2) ON CONFLICT DO UPDATE SET n = t.n + excluded.n";
    vec![
        (
            "UPDATE t SET n = n + 1 WHERE k = $1",
            vec![params![3], params![3], params![99]],
        ),
        (
            "UPDATE t SET n = n + $2, s = $3 WHERE k = $1",
            vec![
                params![3, 5, "five"],
                params![3, None::<i64>, "x"],
                params![4, 2.5, None::<&str>],
                params![4, "7", "x"],
                params![5, i64::MAX, "x"],
                params![5_i32, 1_i16, "x"],
                params![1, -23, "thirteen"],
            ],
        ),
        (
            "UPDATE t SET small = $1, d = $2, ts = $3 WHERE k = $4",
            vec![
                params![1, 0.1, stamp(7), 1],
                params![2.5, 3, "2024-01-01 10:00", 2],
                params![1_i64 << 40, 3.5, stamp(0), 3],
                params!["12", "1.5", "2024-01-01", 4],
                params!["x", 1.5, stamp(0), 4],
                params![None::<i32>, None::<f64>, None::<i64>, 5],
            ],
        ),
        (
            "UPDATE t SET small = small + $2 WHERE k = $1",
            vec![params![6, 1], params![6, 1_i64 << 40], params![6, i32::MAX]],
        ),
        (
            "UPDATE t SET k = k + $2, n = 0 WHERE k = $1",
            vec![
                params![20, 10],
                params![30, 5],
                params![1, 1],
                params![2, 0],
            ],
        ),
        (
            "UPDATE t SET n = $3 WHERE k = $1 AND n = $2",
            vec![params![3, 30, 31], params![3, 30, 32], params![3, 31, 33]],
        ),
        (
            "UPDATE t SET n = CASE WHEN n > 100 THEN n ELSE coalesce(n, 0) * $2 END WHERE k = $1",
            vec![params![7, 3], params![19, 2]],
        ),
        (
            "UPDATE t SET n = n - $2 WHERE k = $1 RETURNING k, n, n * 2 AS twice, s",
            vec![params![9, 1], params![9, 1], params![77, 1]],
        ),
        ("DELETE FROM t WHERE k = $1", vec![params![10], params![10]]),
        (
            "DELETE FROM t WHERE k = $1 RETURNING *",
            vec![params![11], params![11]],
        ),
        (
            counter,
            vec![
                params![100, 1],
                params![100, 2],
                params![3, 5],
                params![100, None::<i64>],
                params![101, -13],
                params![None::<i64>, 1],
                params![102, i64::MAX],
                params![102, 1],
            ],
        ),
        (
            "INSERT INTO t (k, n, s) VALUES ($1, $2, $3) ON CONFLICT (k) DO UPDATE
                SET n = excluded.n, s = t.s WHERE excluded.n > t.n RETURNING k, n, s",
            vec![
                params![200, 5, "a"],
                params![200, 4, "b"],
                params![200, 6, "c"],
            ],
        ),
        (
            "INSERT INTO t (k, n) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            vec![params![300, 5], params![300, 6], params![1, 1]],
        ),
        (
            "INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)",
            vec![
                params![400, 1, 2, "x", 0.5, stamp(1)],
                params![400, 1, 2, "x", 0.5, stamp(1)],
                params![401, "2", 2.5, 7, 1, "2024-01-01"],
                params![402, -13, 2, "x", 0.5, stamp(1)],
                params![None::<i64>, 1, 2, "x", 0.5, stamp(1)],
                params![403, None::<i64>, 2, None::<&str>, 0.5, stamp(1)],
            ],
        ),
        (
            "INSERT OR REPLACE INTO t (k, s) VALUES ($1, $2)",
            vec![params![1, "replaced"], params![500, "new"]],
        ),
        (
            "INSERT INTO t (k, n) SELECT $1, $2 RETURNING k, n + 1",
            vec![params![600, 1], params![600, 1]],
        ),
        (
            "INSERT INTO h (host, ts, b) VALUES ($1, $2, $3)",
            vec![params!["web", stamp(5), 1], params!["web", stamp(5), 1]],
        ),
        (
            "UPDATE h SET n = n * 2 WHERE host = $1 AND ts = $2",
            vec![
                params!["host 3", stamp(3)],
                params!["host 3", stamp(4)],
                params![
                    "host 3",
                    ScalarValue::TimestampNanosecond(Some(3_000_000), None)
                ],
            ],
        ),
        (
            "INSERT INTO h (host, ts, n, b) VALUES ($1, $2, $3, $4) ON CONFLICT (ts, host) DO UPDATE SET n = h.n + excluded.n",
            vec![
                params!["host 4", stamp(4), 100, 1],
                params!["host 4", stamp(5), 100, 1],
                params!["host 4", stamp(5), 100, None::<i32>],
            ],
        ),
    ]
}

#[tokio::test]
async fn changes_are_those_of_the_plan() {
    let (one, other) = (connection().await, connection().await);
    let mut failed = 0;
    for (sql, runs) in cases() {
        let prepared = one.prepare(sql).await.unwrap();
        // What a parameter of a SELECT is, its value says.
        assert!(prepared.is_direct() || sql.contains("SELECT"), "{sql}");
        for values in runs {
            let expected = planned(&other, sql, &values).await;
            let found = match direct(&one, sql, &values).await {
                Ok(Some(outcome)) => Ok(given(&one, outcome).await),
                Ok(None) => panic!("{sql} was planned for {values:?}"),
                Err(error) => Err(error),
            };
            failed += usize::from(found.is_err());
            assert_eq!(found, expected, "{sql} {values:?}");
            assert_eq!(
                contents(&one).await,
                contents(&other).await,
                "{sql} {values:?}"
            );
        }
    }
    assert!(failed >= 10, "{failed}");
}

#[tokio::test]
async fn everything_else_is_planned() {
    let (one, other) = (connection().await, connection().await);
    for (sql, values) in [
        ("UPDATE t SET n = 1 WHERE k > $1", params![15]),
        ("UPDATE t SET n = 1 WHERE n = $1", params![150]),
        ("UPDATE t SET n = $1", params![4]),
        ("UPDATE t SET n = n + 1 WHERE k = $1", params![None::<i64>]),
        ("UPDATE t SET n = n + 1 WHERE k = $1", params![2.0]),
        (
            "UPDATE t SET n = n + 1 WHERE k IN (1, 2, 3, 4, 5, $1)",
            params![2],
        ),
        (
            "UPDATE t SET s = CASE WHEN n < $2 THEN 'less' END WHERE k = $1",
            params![2, 20.5],
        ),
        ("UPDATE t SET s = s || $2 WHERE k = $1", params![2, "more"]),
        (
            "UPDATE t SET n = (SELECT count(*) FROM h) WHERE k = $1",
            params![2],
        ),
        (
            "UPDATE t SET n = date_part('year', now()) WHERE k = $1",
            params![2],
        ),
        (
            "UPDATE t SET n = h.n FROM h WHERE h.n = t.k AND t.k = $1",
            params![2],
        ),
        (
            "DELETE FROM t USING h WHERE h.n = t.k AND t.k = $1",
            params![2],
        ),
        ("DELETE FROM t WHERE k < $1", params![2]),
        (
            "INSERT INTO t (k, n) VALUES ($1, 1), ($1 + 1, 1)",
            params![800],
        ),
        (
            "INSERT INTO t (k, n) SELECT k + 1000, n FROM t WHERE k = $1",
            params![3],
        ),
        (
            "MERGE INTO t USING (SELECT $1 AS k) AS s ON s.k = t.k WHEN MATCHED THEN DELETE",
            params![4],
        ),
    ] {
        let found = direct(&one, sql, &values).await;
        assert!(matches!(found, Ok(None)), "{sql} {values:?}: {found:?}");
        let prepared = one.prepare(sql).await.unwrap();
        let count = prepared.execute(values.clone()).await;
        let expected = other.execute(sql, values.clone()).await;
        let told = |given: Result<u64, crate::Error>| given.map_err(|error| error.to_string());
        assert_eq!(told(count), told(expected), "{sql} {values:?}");
        assert_eq!(contents(&one).await, contents(&other).await, "{sql}");
    }
    one.execute("SET halite.pushdown = false", ())
        .await
        .unwrap();
    let sql = "UPDATE t SET n = n + 1 WHERE k = $1";
    assert!(matches!(direct(&one, sql, &params![3]).await, Ok(None)));
}

/// What each run of a statement asks of the store.
#[tokio::test]
async fn a_change_is_one_look_up_and_one_put() {
    let store = Recording::new(Arc::new(MemoryStore::new()));
    let log = store.log();
    let connection = filled(Database::of_store(Arc::new(store)).unwrap()).await;
    for (sql, values) in [
        ("UPDATE t SET n = n + 1 WHERE k = $1", params![3]),
        (
            "INSERT INTO t (k, n) VALUES ($1, 1) ON CONFLICT DO UPDATE SET n = t.n + excluded.n",
            params![3],
        ),
        ("INSERT INTO t (k) VALUES ($1)", params![1_000]),
        ("DELETE FROM t WHERE k = $1", params![3]),
    ] {
        let statement = connection.prepare(sql).await.unwrap();
        assert!(statement.is_direct());
        log.take();
        assert_eq!(statement.execute(values).await.unwrap(), 1, "{sql}");
        let (mut looked_up, mut written) = (0, 0);
        for call in log.calls() {
            match call {
                Call::Get(..) => looked_up += 1,
                Call::MultiGet(_, keys) => looked_up += keys.len(),
                Call::Write(batch, _) => written += batch.len(),
                Call::Begin(_) | Call::Snapshot | Call::Read(..) => {}
                other => panic!("{sql}: {other:?}"),
            }
        }
        assert_eq!((looked_up, written), (1, 1), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn no_count_of_eight_threads_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let on_disk = Database::open(directory.path().join("counters.halite")).await;
    for database in [Database::in_memory(), on_disk] {
        let database = database.unwrap();
        let connection = filled(database.clone()).await;
        let update = "UPDATE t SET n = n + 1 WHERE k = $1";
        let upsert =
            "INSERT INTO t (k, n) VALUES ($1, 1) ON CONFLICT DO UPDATE SET n = t.n + excluded.n";
        let tasks = (0..8).map(|_| {
            let database = database.clone();
            tokio::spawn(async move {
                let connection = database.connect();
                let set = "SET halite.durability = 'buffered'";
                connection.execute(set, ()).await.unwrap();
                let update = connection.prepare(update).await.unwrap();
                let upsert = connection.prepare(upsert).await.unwrap();
                assert!(update.is_direct() && upsert.is_direct());
                for _ in 0..1_000 {
                    assert_eq!(update.execute((1_i64,)).await.unwrap(), 1);
                    assert_eq!(upsert.execute((1_000_i64,)).await.unwrap(), 1);
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        let counts = connection.rows("SELECT n FROM t WHERE k IN (1, 1000) ORDER BY k", ());
        let counts: Vec<(i64,)> = counts.await.unwrap().to_vec().unwrap();
        assert_eq!(counts, [(8_010,), (8_000,)]);
    }
}

/// One connection plans, the other does not.
#[tokio::test]
async fn what_is_planned_and_what_is_not_take_turns() {
    let connection = connection().await;
    let tasks = (0..4_u32).map(|task| {
        let connection = connection.database().connect();
        async move {
            let sql = "UPDATE t SET n = n + 1 WHERE k = $1";
            let statement = connection.prepare(sql).await.unwrap();
            for _ in 0..50 {
                match task % 2 {
                    0 => statement.execute((2_i64,)).await.unwrap(),
                    _ => connection.execute(sql, (2_i64,)).await.unwrap(),
                };
                tokio::task::yield_now().await;
            }
        }
    });
    futures::future::join_all(tasks).await;
    let count: Vec<(i64,)> = connection
        .rows("SELECT n FROM t WHERE k = 2", ())
        .await
        .unwrap()
        .to_vec()
        .unwrap();
    assert_eq!(count, [(220,)]);
}

#[tokio::test]
async fn a_statement_survives_changes_of_its_table() {
    let connection = connection().await;
    let sql = "INSERT INTO t (k, n) VALUES ($1, $2) ON CONFLICT DO UPDATE SET n = t.n + excluded.n";
    let statement = connection.prepare(sql).await.unwrap();
    let count = async || {
        let rows = connection
            .rows("SELECT n FROM t WHERE k = 1", ())
            .await
            .unwrap();
        rows.to_vec::<(i64,)>().unwrap()
    };
    for (change, expected) in [
        ("SELECT 1", 11),
        ("TRUNCATE t", 1),
        ("ALTER TABLE t ADD COLUMN more INT DEFAULT 3", 2),
        ("DROP TABLE t", 0),
        (
            "CREATE TABLE t (k BIGINT, n BIGINT, PRIMARY KEY (k DESC))",
            1,
        ),
        ("SET halite.durability = 'buffered'", 2),
    ] {
        let _ = connection
            .run(&connection.script(change).unwrap()[0])
            .await
            .unwrap();
        let run = statement.execute((1_i64, 1_i64)).await;
        if expected == 0 {
            let error = run.unwrap_err();
            assert!(error.message().contains("table `t`"), "{error}");
            continue;
        }
        assert_eq!(run.unwrap(), 1, "{change}");
        assert_eq!(count().await, [(expected,)], "{change}");
    }
}

/// Two databases over one store, as two processes have them.
#[tokio::test]
async fn what_is_done_elsewhere_is_seen() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let one = filled(Database::of_store(Arc::clone(&store)).unwrap()).await;
    let other = Database::of_store(store).unwrap().connect();
    let sql = "UPDATE t SET n = n + 1 WHERE k = $1";
    let statement = one.prepare(sql).await.unwrap();
    assert_eq!(statement.execute((1_i64,)).await.unwrap(), 1);
    other
        .execute("UPDATE t SET n = n * 2 WHERE k = 1", ())
        .await
        .unwrap();
    assert_eq!(statement.execute((1_i64,)).await.unwrap(), 1);
    let rows = other.rows("SELECT n FROM t WHERE k = 1", ()).await.unwrap();
    assert_eq!(rows.to_vec::<(i64,)>().unwrap(), [(23,)]);
    other.execute("TRUNCATE t", ()).await.unwrap();
    assert_eq!(statement.execute((1_i64,)).await.unwrap(), 0);
    other
        .execute("INSERT INTO t (k, n) VALUES (1, 5)", ())
        .await
        .unwrap();
    assert_eq!(statement.execute((1_i64,)).await.unwrap(), 1);
    let rows = other.rows("SELECT n FROM t WHERE k = 1", ()).await.unwrap();
    assert_eq!(rows.to_vec::<(i64,)>().unwrap(), [(6,)]);
}

/// The rows of RETURNING are counted where nobody asks for them.
#[tokio::test]
async fn execute_counts_the_rows_of_returning() {
    let connection = connection().await;
    let update = "UPDATE t SET n = n + 1 WHERE k <= 3 RETURNING k";
    assert_eq!(connection.execute(update, ()).await.unwrap(), 3);
    assert_eq!(connection.execute("SELECT k FROM t", ()).await.unwrap(), 0);
    for (sql, expected) in [
        (update, 3),
        ("UPDATE t SET n = n + 1 WHERE k = 3 RETURNING n", 1),
        (
            "INSERT INTO t (k) VALUES (3) ON CONFLICT DO NOTHING RETURNING k",
            0,
        ),
        ("DELETE FROM t WHERE k > 18 RETURNING *", 2),
    ] {
        let statement = connection.prepare(sql).await.unwrap();
        assert_eq!(statement.execute(()).await.unwrap(), expected, "{sql}");
    }
    let query = connection.prepare("SELECT k FROM t").await.unwrap();
    let error = query.execute(()).await.unwrap_err();
    assert!(error.message().contains("use query"), "{error}");
}
