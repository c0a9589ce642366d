//! A text that comes again is not planned again, and answers as if it were.

use arrow::record_batch::RecordBatch;

use super::*;
use crate::params;
use crate::session::testing::texts;
use crate::session::{Connection, Database};
use crate::sql::token::tokenize;

fn template(sql: &str) -> Option<(String, Vec<ScalarValue>)> {
    let tokens = Text::is_possible(sql).then(|| tokenize(sql).ok())??;
    let text = Text::of(&tokens)?;
    let shown: Vec<String> = text.tokens.iter().map(ToString::to_string).collect();
    Some((shown.join(" "), text.literals))
}

#[test]
fn literals_that_are_compared_are_taken_out() {
    let stamp = |nanos| ScalarValue::TimestampNanosecond(Some(nanos), None);
    for (sql, expected, literals) in [
        (
            "SELECT a FROM t WHERE h = 'it''s' AND n >= 17 OR (n < 3);",
            "SELECT a FROM t WHERE h = $1 AND n >= $2 OR ( n < $3 )",
            params!["it's", 17_i64, 3_i64],
        ),
        (
            "select a from t where ts = TIMESTAMP '1970-01-01 00:00:01.5' AND d > DATE '1970-01-03' LIMIT 5",
            "select a from t where ts = $1 AND d > $2 LIMIT 5",
            vec![stamp(1_500_000_000), ScalarValue::Date32(Some(2))],
        ),
        // Parts of larger operands, other numbers, and what is not compared stay.
        (
            "SELECT 1, a = 2 FROM t WHERE b = 3 + c AND d = 4::SMALLINT AND e = -5 AND f = 1.5 AND g IN (6)",
            "SELECT 1 , a = 2 FROM t WHERE b = 3 + c AND d = 4 :: SMALLINT AND e = - 5 AND f = 1.5 AND g IN ( 6 )",
            params![],
        ),
        (
            "SELECT a FROM t WHERE ts = TIMESTAMP '1970-01-02' AND u = TIMESTAMP '1970-01-01 00:00:60' AND v = TIMESTAMP '1970-01-01 00:00:01Z' AND w = TIMESTAMP '3000-01-01 00:00:00'",
            "SELECT a FROM t WHERE ts = $1 AND u = $2 AND v = $3 AND w = TIMESTAMP '3000-01-01 00:00:00'",
            vec![
                stamp(86_400_000_000_000),
                stamp(60_000_000_000),
                stamp(1_000_000_000),
            ],
        ),
        // The numbers of parameters are the text's own.
        (
            "SELECT a FROM t WHERE b = $1 AND c = 5",
            "SELECT a FROM t WHERE b = $1 AND c = 5",
            params![],
        ),
    ] {
        assert_eq!(template(sql), Some((expected.to_owned(), literals)));
    }
    for sql in [
        "INSERT INTO t VALUES (1)",
        "SELECT 1; SELECT 2",
        "SELECT a:b FROM t",
        "SELECT 'open",
    ] {
        assert_eq!(template(sql), None, "{sql}");
    }
}

async fn connection() -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "CREATE TABLE t (h TEXT, ts TIMESTAMP(3), s SMALLINT NULL, d DOUBLE NULL, n DECIMAL(10,2) NULL, day DATE NULL,
            PRIMARY KEY (h, ts))",
        "INSERT INTO t SELECT 'h' || (value % 4), to_timestamp_millis(value * 500), value % 7 - 3, value / 2.0, value / 4.0,
            CAST(to_timestamp_millis(value * 86400000) AS DATE) FROM generate_series(0, 99)",
    ] {
        connection.execute(sql, ()).await.expect(sql);
    }
    connection
}

fn text(sql: &str) -> Text {
    Text::of(&tokenize(sql).unwrap()).expect(sql)
}

/// Whether the query is planned once from its second time on.
async fn is_kept(connection: &Connection, sql: &str) -> bool {
    for _ in 0..2 {
        connection.query(sql, ()).await.expect(sql);
    }
    matches!(
        connection.run_context.texts().see(&text(sql)),
        Some(Known::Once(_))
    )
}

fn shown(batches: &[RecordBatch]) -> (Vec<String>, Vec<String>) {
    let mut rows = texts(batches);
    rows.sort();
    let fields = batches.first().map(RecordBatch::schema);
    let fields = fields.map(|schema| schema.fields().iter().map(|it| format!("{it:?}")).collect());
    (rows, fields.unwrap_or_default())
}

const QUERIES: &[(&str, bool)] = &[
    (
        "SELECT s, d FROM t WHERE h = 'h1' AND ts = TIMESTAMP '1970-01-01 00:00:00.500'",
        true,
    ),
    (
        "SELECT * FROM t WHERE h = 'h1' AND ts < TIMESTAMP '1970-01-01 00:00:09'",
        true,
    ),
    (
        "SELECT * FROM t WHERE h = 'h1' AND ts < TIMESTAMP '1970-01-01 00:00:09.0000001'",
        true,
    ),
    ("SELECT * FROM t WHERE h = 'nobody'", true),
    ("SELECT count(*), sum(d) AS total FROM t WHERE s >= 2", true),
    (
        "SELECT count(*), sum(d) AS total FROM t WHERE s < 70000 AND h = 'h2'",
        true,
    ),
    (
        "SELECT h, count(*) FROM t WHERE day > DATE '1970-02-01' GROUP BY h ORDER BY h",
        true,
    ),
    ("SELECT count(*) FROM t WHERE d > 3", true),
    ("SELECT count(*) FROM t WHERE n = 3", true),
    ("SELECT count(*) FROM t WHERE n = 3.25", true),
    (
        "SELECT a.h, b.s FROM t a JOIN t b ON a.h = b.h AND a.ts = b.ts WHERE a.s = 1 AND b.h = 'h2'",
        true,
    ),
    ("SELECT 1", true),
    (
        "WITH q AS (SELECT h, d FROM t WHERE h = 'h3') SELECT max(d) FROM q WHERE d < 20.5",
        true,
    ),
    (
        "SELECT h, 2 AS two, s = 1 AS is_one FROM t WHERE s = 1",
        true,
    ),
    ("SELECT (s = 1) AS x FROM t WHERE h = 'h1'", false),
    ("SELECT h FROM t WHERE ts = '1970-01-01T00:00:00.500'", true),
    (
        "SELECT h, sum(d) FROM t GROUP BY h HAVING sum(d) > 5",
        false,
    ),
    ("SELECT count(*) FROM t WHERE ts < now()", false),
    ("SELECT count(*) FROM generate_series(1, 5)", false),
    ("SELECT count(*) FROM keys('t')", false),
];

#[tokio::test]
async fn a_text_answers_the_same_each_time() {
    let (connection, other) = (connection().await, connection().await);
    other.context();
    for (sql, kept) in QUERIES {
        assert_eq!(is_kept(&connection, sql).await, *kept, "{sql}");
        for (from, to) in [
            ("'h1'", "'h0'"),
            ("= 1", "= 2"),
            ("09", "17"),
            ("= 3", "= 5"),
            ("> 3", "> 40"),
        ] {
            let sql = sql.replace(from, to);
            let given = connection.query(&sql, ()).await.expect(&sql);
            let wanted = other.query(&sql, ()).await.expect(&sql);
            assert_eq!(shown(&given), shown(&wanted), "{sql}");
        }
    }
}

#[tokio::test]
async fn what_has_changed_since_counts() {
    let connection = connection().await;
    let sql = "SELECT s AS x FROM t WHERE h = 'h1' AND ts = TIMESTAMP '1970-01-01 00:00:00.500'";
    assert!(is_kept(&connection, sql).await);
    let found = async || {
        let rows = connection.query(sql, ()).await;
        rows.map(|batches| texts(&batches))
            .map_err(|error| error.kind())
    };
    assert_eq!(found().await.unwrap(), ["-2"]);
    let run = async |sql: &str| connection.execute(sql, ()).await.unwrap();
    run("INSERT OR REPLACE INTO t (h, ts, s) VALUES ('h1', '1970-01-01T00:00:00.500', 9)").await;
    assert_eq!(found().await.unwrap(), ["9"]);
    run("DROP TABLE t").await;
    for _ in 0..3 {
        assert_eq!(found().await, Err(crate::error::ErrorKind::InvalidInput));
    }
    run("CREATE TABLE t (h TEXT, ts TIMESTAMP(0), s TEXT, PRIMARY KEY (h, ts))").await;
    run("INSERT INTO t VALUES ('h1', '1970-01-01T00:00:00', 'zero')").await;
    assert!(found().await.unwrap().is_empty());
    assert!(is_kept(&connection, sql).await);
    let whole = sql.replace("00.500", "00.000");
    let rows = connection.query(&whole, ()).await.unwrap();
    assert_eq!(texts(&rows), ["zero"]);
}

#[tokio::test]
async fn parameters_are_checked_as_ever() {
    let connection = connection().await;
    let sql = "SELECT s FROM t WHERE h = $1 AND ts = $2";
    let error = async |params: Vec<ScalarValue>| {
        let run = connection.query(sql, params).await;
        run.unwrap_err().message().to_owned()
    };
    let first = error(params!["h1"]).await;
    let stamp = ScalarValue::TimestampMillisecond(Some(500), None);
    for _ in 0..3 {
        let found = connection.query(sql, params!["h1", stamp.clone()]).await;
        assert_eq!(texts(&found.unwrap()), ["-2"]);
    }
    assert_eq!(error(params!["h1"]).await, first);
    assert!(error(params![1, stamp]).await.contains("parameter $1"));
    let literal = "SELECT s FROM t WHERE h = 'h1'";
    assert!(is_kept(&connection, literal).await);
    let refused = connection.query(literal, ("h1",)).await.unwrap_err();
    assert!(refused.message().contains("no parameters"), "{refused}");
}

#[tokio::test]
async fn nothing_is_kept_once_the_session_is_in_other_hands() {
    let connection = connection().await;
    assert!(is_kept(&connection, "SELECT 1").await);
    connection.clone().context();
    assert!(!is_kept(&connection, "SELECT 1").await);
}

#[tokio::test]
async fn a_meter_sees_what_is_read() {
    let connection = connection().await;
    let sql = "SELECT s FROM t WHERE h = 'h1'";
    assert!(is_kept(&connection, sql).await);
    let meter = Arc::new(crate::run::meter::Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    metered.query(sql, ()).await.unwrap();
    assert_eq!(meter.totals().keys_read, 25);
}

#[tokio::test]
async fn texts_are_forgotten_when_there_are_many() {
    let connection = connection().await;
    assert!(is_kept(&connection, "SELECT 1").await);
    for number in 0..MOST_TEXTS {
        assert!(
            connection
                .run_context
                .texts()
                .see(&text(&format!("SELECT {number}, 2")))
                .is_none()
        );
    }
    assert!(
        connection
            .run_context
            .texts()
            .see(&text("SELECT 1"))
            .is_none()
    );
}
