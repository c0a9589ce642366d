//! Canaries of the mends: what DataFusion as it comes answers wrongly, or fails with. When one of these tests fails after
//! an upgrade, the mend that it names may go (`docs/datafusion.md`).

use datafusion::prelude::{SessionConfig, SessionContext};

use super::Database;
use super::testing::{plain_rows, texts};

const TABLES: [&str; 4] = [
    r"CREATE TABLE t (id INT, a INT, c TEXT, g BOOLEAN, ts TIMESTAMP) AS VALUES
      (1, 1, 'a\b', true, '2024-01-01 10:00:00'), (2, NULL, 'ab', NULL, '2024-01-02 09:00:00'),
      (3, 2, 'abc', false, '2024-01-03 08:00:00'), (4, 2, 'x', true, '2024-01-04 07:00:00')",
    "CREATE TABLE u (id INT, a INT) AS VALUES (1, 7), (9, 2)",
    "CREATE TABLE i (x INT) AS VALUES (1), (2)",
    "PREPARE below AS SELECT id FROM t WHERE id < $1",
];

/// A mend and a query; below it what DataFusion answers, and in brackets what is right.
const CANARIES: &str = r"
clauses: SELECT count(*) FROM t TABLESAMPLE (1)
    4 (fewer)
clauses: SELECT count(*) FROM t PREWHERE id = 1
    4 (1)
clauses: SELECT count(*) FROM t FOR UPDATE
    4 (and four rows locked)
clauses: SELECT count(*) FROM t GROUP BY id WITH TOTALS
    1 1 1 1 (and 4)
clauses: SELECT upper(DISTINCT 'x') OVER (ORDER BY x) FROM i
    X X (an error)
clauses: SELECT trim('xay', 'x', 'y')
    ay (an error)
clauses: SELECT id FROM t WINDOW w AS (ORDER BY id) ORDER BY sum(id) OVER w LIMIT 1
    error: must be in GROUP BY (1)
clauses: WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5 LIMIT 2) SELECT count(*) FROM r
    5 (2)
clauses: SELECT s.y FROM (SELECT 1.5) AS s (y INT)
    1.5 (2)
bags: SELECT a FROM t EXCEPT ALL SELECT 2
    1 NULL (1 2 NULL)
bags: SELECT x FROM i EXCEPT SELECT 2.5
    1 2 (1.0 2.0)
forms: SELECT x FROM i GROUP BY ROLLUP (x, i.x)
    error: duplicate qualified field name i.x (1 1 2 2 NULL)
names: SELECT id FROM t RIGHT JOIN u USING (id)
    1 NULL (1 9)
refused: SELECT count(*) FROM t JOIN u
    8 (an error)
refused: SELECT CAST('abc' AS VARCHAR(2))
    abc (ab)
refused: SELECT count(DISTINCT *) FROM i
    1 (2)
refused: SELECT regr_count(DISTINCT x, y) FROM (VALUES (1, 1), (1, 1)) v (x, y)
    2 (1)
refused: SELECT rank() IGNORE NULLS OVER (ORDER BY a) FROM t
    1 2 2 4 (an error)
refused: SELECT 'ab' SIMILAR TO 'a'
    true (false)
refused: SELECT * ILIKE 'i%' FROM u
    1|7 9|2 (1 9)
refused: SELECT DISTINCT ON (1) a FROM t
    1 (1 2 NULL)
refused: SELECT c COLLATE nowhere FROM t
    error: Unsupported ast node (an error in words)
subqueries: SELECT id FROM t WHERE a NOT IN (SELECT 5) OR id > 3
    1 2 3 4 (1 3 4)
subqueries: SELECT id FROM t WHERE (a IN (SELECT 5)) IS NULL
    no rows (2)
subqueries: SELECT id FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.id = t.id)
    1 (1 2 3 4)
natural: SELECT count(*) FROM t NATURAL LEFT JOIN (SELECT 1 AS z WHERE false) v
    0 (4)
recursion: WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 0.5 FROM r WHERE n < 2) SELECT n FROM r LIMIT 4
    1 1 1 1 (1 1.5 2)
parse: SELECT count(*) FROM (FROM i) s (x)
    error: columns (2)
parse: SELECT id FROM t WHERE (-1, id) = (-1, 2)
    error: Only identifiers and literals (2)
dialect: SELECT id FROM t WHERE g IS DISTINCT FROM true AND a = 2
    1 3 (3)
insert: INSERT INTO i SELECT x * 2 FROM (VALUES (1.5)) AS s (x)
    1 (1)
insert: SELECT x FROM i
    1 2 2 (1 2 3)
named: EXECUTE below(2.5)
    1 (1 2)
change: DELETE FROM i WHERE x IN (SELECT 99)
    3 (0)
clocks: SELECT id FROM (SELECT * FROM t ORDER BY ts LIMIT 9) ORDER BY CAST(ts AS TIME) LIMIT 1
    1 (4)
average: SELECT avg(CAST(a AS DECIMAL(3,1))) FROM t
    1.66666 (1.6666666666666667)
average: SELECT CAST(2 AS DECIMAL(2,1)) / 300000
    0.00000 (0.0000066666666667)
average: SELECT count(*) FROM t WHERE CAST(1000 AS DECIMAL(38,16)) * CAST(id * 1000 AS DECIMAL(38,16)) > 0
    error: verflow (4)
average: SELECT extract(epoch FROM avg(i)) FROM (VALUES (INTERVAL '1 day'), (INTERVAL '3 days')) v (i)
    error: avg (172800)
extremes: SELECT max(x) FILTER (WHERE i = m) FROM (SELECT x, i, max(i) OVER () AS m FROM (VALUES (1, INTERVAL '1 month'), (2, INTERVAL '40 days')) v (x, i)) s
    1 (2)
left_out: SELECT sum(9 / (id - 1)) FILTER (WHERE id > 1) AS s, count(*) FILTER (WHERE id < 2) AS c FROM t GROUP BY id > 5
    error: Divide by zero (16|1)
intervals: SELECT x FROM (VALUES (1, INTERVAL '25 hours'), (2, INTERVAL '1 day')) v (x, i) ORDER BY i LIMIT 1
    1 (2)
intervals: SELECT INTERVAL '25 hours' BETWEEN INTERVAL '1 day' AND INTERVAL '2 days'
    false (true)
intervals: SELECT INTERVAL '1 day' BETWEEN '24 hours' AND '25 hours'
    error: type_coercion (true)
intervals: SELECT greatest(INTERVAL '1 month', INTERVAL '40 days') = INTERVAL '40 days'
    false (true)
intervals: SELECT count(*) FROM t WHERE id = 1 AND TIMESTAMP '2024-03-01' - ts > INTERVAL '30 days'
    0 (1)
regexes: SELECT id FROM t WHERE c ~ 'a\\b'
    2 3 (1)
bytes: SELECT CAST('\x00ff' AS BYTEA)
    5c7830306666 (00ff)
nested: SELECT CAST('[1, 2]' AS INT[])[2]
    error: simplify_expressions (2)
parse_float_as_decimal: SELECT 0.1 + 0.2
    0.30000000000000004 (0.3)
skip_physical_aggregate_schema_check: SELECT DISTINCT g IS TRUE FROM t
    error: schema (false true)
";

/// Of a list of pairs of lines: what stands before the colon, the query behind it, and what is below.
fn entries(list: &str) -> Vec<(&str, &str, &str)> {
    let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty()).collect();
    let entries = lines.chunks(2).map(|pair| {
        let (name, sql) = pair[0].split_once(": ").unwrap();
        (name, sql, pair[1].trim())
    });
    entries.collect()
}

fn answer(found: &Result<Vec<String>, String>) -> String {
    match found {
        Ok(rows) if rows.is_empty() => "no rows".to_owned(),
        Ok(rows) => rows.join(" "),
        Err(error) => format!("error: {error}"),
    }
}

/// Adds the canary to the list where the answer is another than the wrong one, which stands before the right one.
fn look(list: &mut Vec<String>, canary: (&str, &str, &str), found: &Result<Vec<String>, String>) {
    let ((mend, sql, answers), found) = (canary, answer(found));
    let (wrong, _) = answers.rsplit_once(" (").unwrap();
    let same = match wrong.strip_prefix("error: ") {
        Some(part) => found.starts_with("error: ") && found.contains(part),
        None => found == wrong,
    };
    if !same {
        list.push(format!("{mend}: {sql}\n    {found}"));
    }
}

#[tokio::test]
async fn every_mend_is_needed() {
    let config = SessionConfig::new().with_target_partitions(4);
    let session = SessionContext::new_with_config(config);
    for sql in TABLES {
        plain_rows(&session, sql).await.unwrap();
    }
    let mut mended = Vec::new();
    for canary in entries(CANARIES) {
        look(&mut mended, canary, &plain_rows(&session, canary.1).await);
    }
    assert!(mended.is_empty(), "{}", mended.join("\n"));
}

/// A setting that is switched off here; a query; below it the right answer. Which wrong one there is where it is on may
/// depend on how far the rows have been read when a filter comes.
const SETTINGS: &str = r"
enable_aggregate_dynamic_filter_pushdown: SELECT min(id), max(f + 1) FROM t
    1|100001
enable_window_limits: SELECT sum(s) OVER (ORDER BY f ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM (SELECT f, sum(f) OVER (ORDER BY f ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS s FROM t) q LIMIT 1
    8
enable_topk_aggregation: SELECT -a AS a FROM (VALUES (1), (2), (3)) v (a) GROUP BY a ORDER BY a LIMIT 1
    -3
enable_topk_aggregation: SELECT row_number() OVER (ORDER BY a) AS a FROM (VALUES (1), (2)) v (a) GROUP BY a UNION ALL SELECT 0 ORDER BY a DESC LIMIT 1
    2
enable_topk_aggregation: SELECT d FROM (VALUES (1.0e0), (CAST('NaN' AS DOUBLE)), (CAST('NaN' AS DOUBLE))) v (d) GROUP BY d ORDER BY d DESC LIMIT 2
    NaN 1.0
";

/// Changes a setting that SQL may not change.
fn set_anyway(connection: &crate::session::Connection, name: &str, is_on: bool) {
    let setting = format!("datafusion.optimizer.{name}");
    let state = connection.context().state_ref();
    let mut state = state.write();
    let options = state.config_mut().options_mut();
    options.set(&setting, &is_on.to_string()).unwrap();
}

#[tokio::test]
async fn every_setting_is_needed() {
    let connection = Database::in_memory().unwrap().connect();
    for sql in [
        "SET datafusion.execution.target_partitions = 4",
        "CREATE TABLE t (id INT, f INT, PRIMARY KEY (id))",
        "INSERT INTO t SELECT value AS a, value AS b FROM generate_series(1, 100000)",
    ] {
        connection.execute(sql, ()).await.unwrap();
    }
    let mut mended = Vec::new();
    for (setting, sql, right) in entries(SETTINGS) {
        let mut answers = Vec::new();
        for is_on in [false, true] {
            set_anyway(&connection, setting, is_on);
            let found = connection.query(sql, ()).await;
            let found = found.map(|batches| texts(&batches));
            answers.push(answer(&found.map_err(|error| error.to_string())));
        }
        assert_eq!(answers[0], right, "{sql}");
        if answers[0] == answers[1] {
            mended.push(format!("{setting}: {sql}"));
        }
    }
    assert!(mended.is_empty(), "{}", mended.join("\n"));
}
