//! Prepared queries give the rows that planned ones give, and go around planning where they should.

use arrow::array::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::common::collect;

use super::*;
use crate::params;
use crate::session::{Connection, Database};

const TABLES: &[&str] = &[
    "CREATE TABLE t (host TEXT, ts TIMESTAMP(3), k INT, small SMALLINT NULL, usage DOUBLE, note TEXT NULL,
        PRIMARY KEY (host, ts, k))",
    "CREATE TABLE salted (host TEXT, ts TIMESTAMP(3), k INT, small SMALLINT NULL, usage DOUBLE, note TEXT NULL,
        PRIMARY KEY (bucket(4, host), host, ts DESC, k))",
];

const ROWS: &str = "SELECT 'host ' || (value % 7), to_timestamp_millis(value * 1000), value, value % 5, value / 4.0,
        CASE WHEN value % 3 = 0 THEN NULL ELSE 'note ' || value END
    FROM generate_series(0, 1999)";

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for table in TABLES {
        connection.execute(table, Vec::new()).await.unwrap();
    }
    for table in ["t", "salted"] {
        let insert = format!("INSERT INTO {table} {ROWS}");
        connection.execute(&insert, Vec::new()).await.unwrap();
    }
    connection
}

fn stamp(seconds: i64) -> ScalarValue {
    ScalarValue::TimestampMillisecond(Some(seconds * 1000), None)
}

fn shown(batches: &[RecordBatch], in_order: bool) -> String {
    let text = pretty_format_batches(batches).unwrap().to_string();
    let mut lines: Vec<&str> = text.lines().collect();
    if !in_order {
        lines.sort_unstable();
    }
    lines.join("\n")
}

/// What a run that needs no plan gives.
async fn direct(
    connection: &Connection,
    sql: &str,
    values: &[ScalarValue],
) -> Option<Vec<RecordBatch>> {
    let statement = connection.script(sql).unwrap().remove(0);
    let crate::sql::parse::Command::Sql(parsed) = &statement.parsed.command else {
        panic!("{sql}");
    };
    let planned = connection.run_context.plan_once(parsed).await.expect(sql);
    let opened = connection.run_context.direct(&planned, values);
    let stream = opened.expect(sql)?.into_stream();
    let schema = stream.schema();
    let batches = collect(stream).await.expect(sql);
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    Some(batches)
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn rows_are_those_of_the_plan() {
    let connection = connection().await;
    for (sql, values) in [
        (
            "SELECT usage FROM t WHERE host = $1 AND ts = $2",
            params!["host 3", stamp(3)],
        ),
        (
            "SELECT * FROM t WHERE host = $1 AND ts = $2 AND k = $3",
            params!["host 3", stamp(3), 3],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND ts = $2 AND k = $3",
            params!["host 3", stamp(3), 3_i64],
        ),
        (
            "SELECT k, note FROM t WHERE (host, ts, k) IN (($1, $2, $3), ($4, $5, $6), ($4, $2, $6))",
            params!["host 3", stamp(3), 3, "host 4", stamp(4), 4_i64],
        ),
        (
            "SELECT k FROM t WHERE (k, host) = ($1, $2) AND ts = $3",
            params![3, "host 3", stamp(3)],
        ),
        (
            "SELECT k FROM salted WHERE (host = $1 AND ts = $2 AND k IN ($3, $6)) OR (host = $4 AND ts = $5 AND k = $6)",
            params!["host 3", stamp(3), 3, "host 4", stamp(4), 4],
        ),
        (
            "SELECT k FROM salted WHERE (host, ts) IN (($1, $2), ($1, $3)) AND k < $4",
            params!["host 3", stamp(3), stamp(10), 10],
        ),
        (
            "SELECT k FROM t WHERE $1 = host AND ts >= $2 AND ts < $3",
            params!["host 3", stamp(100), stamp(200)],
        ),
        (
            "SELECT note, host FROM t WHERE host = $1 AND ts BETWEEN $2 AND $3",
            params!["host 3", stamp(9), stamp(90)],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND small = $2 AND usage > 90.5",
            params!["host 4", 2_i16],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND small = 2 AND note IS NULL",
            params!["host 4"],
        ),
        (
            "SELECT k FROM t WHERE host IN ($1, $2) AND small < $3",
            params!["host 4", "host 5", 3_i16],
        ),
        (
            "SELECT k, note FROM t WHERE host = 'host 1' AND note LIKE 'note 1%' AND ts < $1",
            params![stamp(900)],
        ),
        ("SELECT k FROM t WHERE host = $1", params!["nobody"]),
        (
            "SELECT k FROM t WHERE host = $1 AND host = $2",
            params!["host 1", "host 2"],
        ),
        (
            "SELECT x.usage FROM t x WHERE x.host = $1 AND x.ts = $2",
            params!["host 3", stamp(3)],
        ),
        (
            "SELECT usage FROM salted WHERE host = $1 AND ts = $2",
            params!["host 3", stamp(3)],
        ),
        (
            "SELECT k FROM salted WHERE host IN ('host 1', $1) AND ts < $2",
            params!["host 3", stamp(300)],
        ),
    ] {
        let found = direct(&connection, sql, &values).await;
        let found = found.unwrap_or_else(|| panic!("{sql} was planned"));
        let wanted = connection.query(sql, values.clone()).await.expect(sql);
        assert_eq!(shown(&found, false), shown(&wanted, false), "{sql}");
        let prepared = connection.prepare(sql).await.unwrap();
        assert!(prepared.is_direct());
        let again = collect(prepared.query(values).await.unwrap().into_inner())
            .await
            .unwrap();
        assert_eq!(shown(&again, false), shown(&wanted, false), "{sql}");
    }
}

#[tokio::test]
async fn order_and_limit_are_kept() {
    let connection = connection().await;
    for table in ["t", "salted"] {
        for (query, values) in [
            (
                "SELECT * FROM t WHERE host = $1 ORDER BY ts DESC, k DESC LIMIT 1",
                params!["host 3"],
            ),
            (
                "SELECT k, ts FROM t WHERE host = $1 ORDER BY ts, k LIMIT 7",
                params!["host 3"],
            ),
            (
                "SELECT k FROM t WHERE host = $1 ORDER BY host DESC, ts LIMIT 7",
                params!["host 3"],
            ),
            (
                "SELECT note FROM t WHERE host = $1 AND small = 4 ORDER BY ts LIMIT 4",
                params!["host 3"],
            ),
            (
                "SELECT k FROM t WHERE host = $1 AND ts > $2 ORDER BY ts",
                params!["host 3", stamp(1500)],
            ),
        ] {
            // The salted table has k behind a ts that goes the other way.
            let query = match table {
                "salted" => query.replace(", k DESC", ", k").replace("ts, k ", "ts "),
                _ => query.to_owned(),
            };
            let sql = query.replace("FROM t", &format!("FROM {table}"));
            let found = direct(&connection, &sql, &values).await;
            let found = found.unwrap_or_else(|| panic!("{sql} was planned"));
            let wanted = connection.query(&sql, values).await.expect(&sql);
            assert_eq!(shown(&found, true), shown(&wanted, true), "{sql}");
        }
    }
    let some = direct(
        &connection,
        "SELECT k FROM t WHERE host = $1 LIMIT 3",
        &params!["host 1"],
    )
    .await;
    assert_eq!(
        some.unwrap()
            .iter()
            .map(RecordBatch::num_rows)
            .sum::<usize>(),
        3
    );
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn everything_else_is_planned() {
    let connection = connection().await;
    for (sql, values) in [
        ("SELECT usage + 1 FROM t WHERE host = $1", params!["host 3"]),
        (
            "SELECT usage AS u FROM t WHERE host = $1",
            params!["host 3"],
        ),
        ("SELECT count(*) FROM t WHERE host = $1", params!["host 3"]),
        (
            "SELECT DISTINCT host FROM t WHERE host = $1",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 ORDER BY usage LIMIT 3",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 ORDER BY ts DESC, k LIMIT 3",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 LIMIT 3 OFFSET 2",
            params!["host 3"],
        ),
        (
            "SELECT k FROM (SELECT * FROM t WHERE host = $1 LIMIT 3) x ORDER BY ts DESC, k DESC",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND ts < now()",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND random() < 2",
            params!["host 3"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND k + $2 = 10",
            params!["host 3", 7],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND k = (SELECT max(k) FROM t WHERE host = $1)",
            params!["host 3"],
        ),
        (
            "SELECT x.k FROM t x JOIN t y ON x.k = y.k WHERE x.host = $1",
            params!["host 3"],
        ),
        // Values that are to be converted, or that are NULL.
        (
            "SELECT k FROM t WHERE (host, ts, k) IN (($1, $2, $3))",
            params!["host 3", stamp(3), 3.0],
        ),
        (
            "SELECT k FROM t WHERE (host, ts, k) IN (($1, $2, $3), ('host 4', $4, 4))",
            params!["host 3", stamp(3), None::<i64>, stamp(4)],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND ts = $2",
            params!["host 3", "1970-01-01"],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND k = $2",
            params!["host 3", 3.0],
        ),
        (
            "SELECT k FROM t WHERE host = $1 AND k < $2",
            params!["host 3", 5_000_000_000_i64],
        ),
        (
            "SELECT k FROM t WHERE host = $1",
            vec![ScalarValue::Utf8(None)],
        ),
    ] {
        assert!(direct(&connection, sql, &values).await.is_none(), "{sql}");
        let wanted = connection.query(sql, values.clone()).await.expect(sql);
        let prepared = connection.prepare(sql).await.unwrap();
        let found = collect(prepared.query(values).await.expect(sql).into_inner())
            .await
            .unwrap();
        assert_eq!(shown(&found, false), shown(&wanted, false), "{sql}");
    }
    let prepared = connection
        .prepare("SELECT k FROM t WHERE host = $1")
        .await
        .unwrap();
    assert!(
        prepared.query(Vec::new()).await.is_err(),
        "a value is missing"
    );
}

#[tokio::test]
async fn settings_and_size_decide_at_each_run() {
    let connection = connection().await;
    let sql = "SELECT k FROM t WHERE host = $1";
    let values = params!["host 3"];
    assert!(direct(&connection, sql, &values).await.is_some());
    connection
        .execute("SET halite.piece_bytes = 100", Vec::new())
        .await
        .unwrap();
    assert!(
        direct(&connection, sql, &values).await.is_none(),
        "large enough for threads"
    );
    let few = format!("{sql} LIMIT 3");
    assert!(direct(&connection, &few, &values).await.is_some());
    connection
        .execute("SET halite.pushdown = false", Vec::new())
        .await
        .unwrap();
    assert!(direct(&connection, &few, &values).await.is_none());
}

#[tokio::test]
async fn a_run_sees_what_was_written_before_it() {
    let connection = connection().await;
    let prepared = connection
        .prepare("SELECT k FROM t WHERE host = $1")
        .await
        .unwrap();
    let rows = async |host: &str| {
        let batches = collect(prepared.query(params![host]).await.unwrap().into_inner())
            .await
            .unwrap();
        batches.iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!(rows("new").await, 0);
    let insert = "INSERT INTO t VALUES ('new', TIMESTAMP '2024-01-01', 1, 2, 3.5, 'x')";
    connection.execute(insert, Vec::new()).await.unwrap();
    assert_eq!(rows("new").await, 1);
}

/// A time that is given as a text is the time that it says, and no reason to plan.
#[tokio::test]
async fn a_text_that_is_a_time_needs_no_plan() {
    let connection = Database::in_memory().unwrap().connect();
    let script = "CREATE TABLE cpu (host TEXT, ts TIMESTAMP(3), day DATE, PRIMARY KEY (host, ts)); \
        INSERT INTO cpu VALUES ('a', '2024-01-01 00:00:00', '2024-01-01'), ('a', '2024-01-01 00:00:00.5', '2024-01-02')";
    connection.execute_script(script).await.unwrap();
    let point = connection
        .prepare("SELECT day FROM cpu WHERE host = $1 AND ts = $2")
        .await
        .unwrap();
    for (text, is_direct, rows) in [
        ("2024-01-01 00:00:00", true, 1),
        ("2024-01-01T00:00:00.500", true, 1),
        ("2024-01-01 00:00:00.5001", false, 0),
        ("2024-01-01", false, 1),
        ("2024-01-01 00:00", false, 1),
    ] {
        let values = params!["a", text];
        let planned = point.planned_now();
        let opened = connection.run_context.direct(&planned, &values).unwrap();
        assert_eq!(opened.is_some(), is_direct, "{text}");
        assert_eq!(point.rows(values).await.unwrap().len(), rows, "{text}");
    }
    let day = connection
        .prepare("SELECT ts FROM cpu WHERE host = $1 AND day = $2")
        .await
        .unwrap();
    assert_eq!(day.rows(("a", "2024-01-02")).await.unwrap().len(), 1);
}

/// A point is read at a supposed moment, where a snapshot costs a message: what another process has done is not missed.
#[tokio::test]
async fn a_point_is_that_of_now_whoever_has_changed_it() {
    let store = crate::store::simulated_calmly();
    let connect = || Database::of_store(Arc::clone(&store)).unwrap().connect();
    let (one, other) = (connect(), connect());
    let run = async |sql: &str| {
        let done = other.execute(sql, ()).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    run("CREATE TABLE t (a INT, b INT, v TEXT, PRIMARY KEY (salt(3), a, b))").await;
    run("INSERT INTO t SELECT value % 4, value, 'first' FROM generate_series(0, 39) AS s (value)")
        .await;
    let point = one
        .prepare("SELECT * FROM t WHERE a = $1 AND b = $2")
        .await
        .unwrap();
    let ask = async |b: i32| {
        let rows = point.query(params![b % 4, b]).await.unwrap();
        let batches = rows.collect().await.unwrap();
        crate::session::testing::texts(&batches)
    };
    for b in 0..5 {
        assert_eq!(ask(b).await, [format!("{}|{b}|first", b % 4)]);
    }
    assert_eq!(ask(99).await, [""; 0]);
    run("UPDATE t SET v = 'second' WHERE b = 3").await;
    assert_eq!(
        (ask(3).await, ask(2).await),
        (vec!["3|3|second".to_owned()], vec!["2|2|first".to_owned()])
    );
    run("DELETE FROM t WHERE b = 3").await;
    assert_eq!(ask(3).await, [""; 0]);
    run("INSERT INTO t VALUES (3, 3, 'third')").await;
    assert_eq!(ask(3).await, ["3|3|third"]);
    run("ALTER TABLE t ADD COLUMN w INT DEFAULT 7").await;
    assert_eq!(ask(3).await, ["3|3|third|7"]);
    run("TRUNCATE TABLE t").await;
    assert_eq!(ask(3).await, [""; 0]);
    run("DROP TABLE t").await;
    let gone = point.query(params![3, 3]).await;
    assert!(gone.is_err());
}
