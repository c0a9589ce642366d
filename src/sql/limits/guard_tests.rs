use std::time::{Duration, Instant};

use datafusion::logical_expr::LogicalPlan;

use super::*;
use crate::error::ErrorKind;
use crate::seed::seed;
use crate::session::Database;
use crate::session::testing::{mended, plain, try_rows};
use crate::sql::parse::parse;

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!(
        "SELECT {}{inner}{}",
        open.repeat(depth),
        close.repeat(depth)
    )
}

fn refused(sql: &str, what: &str) {
    let error = guard(sql).expect_err(what);
    assert_eq!(error.kind(), ErrorKind::NotSupported);
    assert!(error.message().ends_with(what), "{error}");
    assert!(parse(sql).is_err());
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn each_limit_refuses_the_first_beyond_it() {
    /// How to write a statement with so many of something, how many may be, and what the refusal says.
    type Case = (fn(usize) -> String, usize, &'static str);
    let cases: [Case; 18] = [
        (
            |n| format!("SELECT 1{}", " EXCEPT ALL SELECT 1".repeat(n)),
            MAX_JOINS,
            "100 EXCEPTs and INTERSECTs",
        ),
        (
            |n| nested("(", "1", ")", n),
            MAX_NESTING,
            "50 nested parentheses",
        ),
        (
            |n| format!("SELECT a{}", " OR CASE a WHEN b THEN c END".repeat(n)),
            MAX_CHAIN - 1,
            "2000 terms of AND and OR in one chain",
        ),
        (
            |n| format!("SELECT a{}", " OR b AND c".repeat(n / 2)),
            MAX_TERMS - 1,
            "4000 terms of AND and OR",
        ),
        (
            |n| format!("SELECT 1{}", "+1".repeat(n)),
            MAX_OPERATORS,
            "500 operators in one expression",
        ),
        (
            |n| format!("SELECT a{}", "::INT".repeat(n)),
            MAX_OPERATORS,
            "500 operators in one expression",
        ),
        (
            |n| nested("CASE WHEN true THEN ", "1", " END", n),
            MAX_CASES,
            "50 nested CASEs",
        ),
        (
            |n| nested("NOT ", "true", "", n),
            MAX_PREFIXES,
            "50 signs and NOTs in a row",
        ),
        (
            |n| nested("- ", "1", "", n),
            MAX_PREFIXES,
            "50 signs and NOTs in a row",
        ),
        (
            |n| nested("(SELECT ", "1", ")", n),
            MAX_SUBQUERIES,
            "10 nested subqueries",
        ),
        (
            |n| format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(n)),
            MAX_SET_OPERATIONS,
            "500 set operations",
        ),
        (
            |n| format!("SELECT 1{}", " UNION ALL BY NAME SELECT 1".repeat(n)),
            MAX_JOINS,
            "100 UNIONs BY NAME",
        ),
        (
            |n| format!("SELECT 1{}", " + CASE a WHEN 1 THEN 2 END".repeat(n)),
            MAX_OPERATORS,
            "500 operators in one expression",
        ),
        (
            |n| format!("SELECT {}", "a".repeat(n)),
            MAX_NAME_BYTES,
            "10000 bytes of a name",
        ),
        (
            |n| format!("SELECT 1{}", " |> EXTEND 1 AS a".repeat(n)),
            MAX_PIPES,
            "100 pipes",
        ),
        (
            |n| format!("SELECT 1 FROM t{}", ", t".repeat(n)),
            MAX_JOINS - 1,
            "100 joined tables",
        ),
        (
            |n| format!("WITH {} SELECT 1", vec!["a AS (SELECT 1)"; n].join(", ")),
            MAX_NAMED,
            "200 queries with a name",
        ),
        (
            // The parser takes two at most, and goes down as far as there are.
            |n| format!("SELECT {}", vec!["t.explain"; n].join(", ")),
            MAX_EXPLAINS,
            "10 EXPLAINs",
        ),
    ];
    for (statement, limit, what) in cases {
        let within = statement(limit);
        guard(&within).unwrap_or_else(|error| panic!("{what}: {error}"));
        parse(&within).unwrap_or_else(|error| panic!("{what}: {error}"));
        refused(&statement(limit + 2), what);
    }
    let joins = |n: usize| format!("SELECT 1 FROM t{}", " JOIN t USING (a)".repeat(n));
    guard(&joins(MAX_JOINS - 1)).expect("joins");
    refused(&joins(MAX_JOINS), "100 joined tables");
}

#[test]
fn lists_of_values_are_not_counted() {
    let numbers = "-1, ".repeat(100_000);
    guard(&format!("SELECT * FROM t WHERE a IN ({numbers} 1)")).expect("IN");
    let rows = "(1, -2 + 3, 'x' || 'y', ARRAY[1], now()), ".repeat(20_000);
    guard(&format!("INSERT INTO t VALUES {rows} (1)")).expect("VALUES");
    let columns = "a.b + c * 2 AS x, ".repeat(5_000);
    guard(&format!("SELECT {columns} 1 FROM t")).expect("columns");
    let arms = "WHEN a = 1 THEN b + 1 ".repeat(5_000);
    guard(&format!("SELECT CASE {arms} END")).expect("CASE");
    let between = "a BETWEEN 1 AND 2 AND ".repeat(MAX_TERMS - 1);
    let columns_of_two = "a AND b, ".repeat(MAX_TERMS / 4);
    guard(&format!("SELECT {columns_of_two} 1 FROM t")).expect("terms of many chains");
    guard(&format!("SELECT * FROM t WHERE {between} b")).expect("BETWEEN");
    let statements = "SELECT ((1)) + 1 OR 2; ".repeat(10_000);
    guard(&statements).expect("statements");
    let columns = "a IS DISTINCT FROM b, ".repeat(1_000);
    guard(&format!("SELECT {columns} 1 FROM t")).expect("DISTINCT FROM is no FROM");
    let tables = nested("(SELECT * FROM ", "t", ")", 40).replacen("SELECT (", "SELECT * FROM (", 1);
    guard(&tables).expect("FROM");
    let branches = "(SELECT 1) UNION ALL ".repeat(100);
    guard(&format!("{branches} (SELECT 1)")).expect("UNION");
}

#[test]
fn what_chains_without_a_parenthesis_is_counted() {
    refused(
        &format!("SELECT a{}", " IS DISTINCT FROM b".repeat(600)),
        "operators in one expression",
    );
    refused(
        &format!("SELECT a{}", " BETWEEN 1 AND 2".repeat(600)),
        "operators in one expression",
    );
    refused(
        &format!("SELECT a{}", " IS NULL".repeat(600)),
        "operators in one expression",
    );
    refused(
        &format!("SELECT a{}", "[1]".repeat(600)),
        "operators in one expression",
    );
}

/// So many queries with names, each of which reads the one before.
fn named(count: usize) -> String {
    let query = |n: usize| format!(", a{n} AS (SELECT c0 + {n} AS c0 FROM a{})", n - 1);
    (1..=count).map(query).collect()
}

/// Statements over `t (c0, c1, c2)` that each stand at one of the limits.
fn statements_at_the_limits() -> Vec<String> {
    let and = |n| {
        (0..n)
            .map(|i| format!("c{} > {i}", i % 3))
            .collect::<Vec<_>>()
            .join(" AND ")
    };
    let or = |n| {
        (0..n)
            .map(|i| format!("c{} = {i} ", i % 3))
            .collect::<Vec<_>>()
            .join(" OR ")
    };
    let mixed = (0..MAX_CHAIN / 2)
        .map(|i| format!("c0 < c1 AND c2 <> {i}"))
        .collect::<Vec<_>>()
        .join(" OR ");
    let joins: String = (1..MAX_JOINS / 2)
        .map(|i| format!(" JOIN t x{i} ON x{i}.c0 = t.c0"))
        .collect();
    vec![
        format!("SELECT count(*) FROM t WHERE {}", and(MAX_CHAIN)),
        format!("SELECT count(*) FROM t WHERE {}", or(MAX_CHAIN)),
        format!("SELECT count(*) FROM t WHERE NOT ({})", or(MAX_CHAIN)),
        format!("SELECT count(*) FROM t WHERE {mixed}"),
        format!("SELECT {} FROM t", or(MAX_CHAIN)),
        format!("SELECT c0{} FROM t", " + c1".repeat(MAX_OPERATORS)),
        format!("SELECT 'a'{}", " || 'a'".repeat(MAX_OPERATORS)),
        format!(
            "SELECT c0{} FROM t",
            "::BIGINT::INT".repeat(MAX_OPERATORS / 2)
        ),
        format!(
            "SELECT 1{}",
            " UNION ALL SELECT 1".repeat(MAX_SET_OPERATIONS)
        ),
        nested("(SELECT ", "1", ")", MAX_SUBQUERIES),
        nested("abs(", "1", ")", MAX_NESTING),
        nested("CASE WHEN true THEN ", "1", " END", MAX_CASES),
        nested(
            "CAST(abs(- - CASE WHEN true THEN ",
            "1",
            " END) AS INT)",
            25,
        ),
        format!("SELECT count(*) FROM t{joins}"),
        format!(
            "WITH a0 AS (SELECT c0 FROM t){} SELECT count(*) FROM a{}",
            named(MAX_NAMED - 1),
            MAX_NAMED - 1
        ),
        format!("{} SELECT count(*) FROM a9", doubling(9)),
    ]
}

/// A chain of queries of which each reads the one before twice.
fn doubling(levels: usize) -> String {
    let level = |n: usize| {
        format!(
            ", a{n} AS (SELECT x.c0 FROM a{0} x JOIN a{0} y ON x.c0 = y.c0)",
            n - 1
        )
    };
    let levels: String = (1..=levels).map(level).collect();
    format!("WITH a0 AS (SELECT c0 FROM t){levels} ")
}

#[test]
fn queries_with_a_name_are_counted_where_they_are_read() {
    let refuses = |sql: &str, tables: &str| {
        let error = parse(sql).expect_err(sql);
        assert_eq!(error.kind(), ErrorKind::NotSupported, "{sql}");
        let told = format!("it reads {tables} tables, more than 1000");
        assert!(error.message().ends_with(&told), "{sql}: {error}");
    };
    let (nine, ten, twenty, most) = (doubling(9), doubling(10), doubling(20), doubling(90));
    parse(&format!("{nine} SELECT * FROM a9")).expect("512 tables");
    refuses(&format!("{ten} SELECT * FROM a10"), "1024");
    refuses(&format!("{twenty} SELECT * FROM a20"), "1048576");
    refuses(&format!("{twenty} SELECT * FROM A20, t"), "1048577");
    refuses(&format!("{most} SELECT * FROM a90"), "18446744073709551615");
    for statement in [
        format!("INSERT INTO t {ten} SELECT c0 FROM a10"),
        format!("EXPLAIN {ten} SELECT * FROM a10"),
        format!("EXPLAIN KEYS {ten} SELECT * FROM a10"),
        format!("COPY ({ten} SELECT * FROM a10) TO 'f.csv'"),
        format!("PREPARE p AS {ten} SELECT * FROM a10"),
        format!("SELECT * FROM t WHERE c0 IN ({ten} SELECT * FROM a10)"),
        format!("SELECT * FROM ({ten} SELECT * FROM a10) u"),
        format!("SELECT 1 UNION ALL ({ten} SELECT * FROM a10)"),
    ] {
        parse(&statement).map(drop).expect_err(&statement);
    }
    // What is named and not read is no part of the plan, and a name inside hides one outside.
    parse(&format!("{twenty} SELECT * FROM t")).expect("not read");
    let hidden = format!("{ten}, b AS (WITH a10 AS (SELECT 1) SELECT * FROM a10) SELECT * FROM b");
    parse(&hidden).expect("hidden");
    let quoted = format!("{ten} SELECT * FROM \"A10\"");
    parse(&quoted).expect("another table");
    let own = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r";
    parse(own).expect("recursive");
}

/// A thread as small as a worker of tokio runs what the guard lets through.
#[test]
fn statements_at_the_limits_plan_and_run_on_a_small_thread() {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("runtime");
        runtime.block_on(async {
            let session = mended();
            for setup in [
                "CREATE TABLE t (c0 INT, c1 INT, c2 INT)",
                "INSERT INTO t VALUES (1, 2, 3), (4, 5, NULL)",
            ] {
                try_rows(&session, setup).await.expect("setup");
            }
            for sql in statements_at_the_limits() {
                let start = Instant::now();
                let answer = try_rows(&session, &sql).await;
                let shown: String = sql.chars().take(60).collect();
                println!("{shown}… {:?}", start.elapsed());
                answer.unwrap_or_else(|error| panic!("{shown}… {error}"));
            }
        });
    };
    let thread = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .expect("thread");
    thread.join().expect("no crash");
}

const OPENINGS: [(&str, &str); 24] = [
    ("CAST(", " AS INT)"),
    ("NOT (", ")"),
    ("(", ")"),
    ("CASE (", ") WHEN 1 THEN 2 END"),
    ("CASE WHEN ", " THEN 1 END"),
    ("abs(", ")"),
    ("ARRAY[", "]"),
    ("MAP {'a': ", "}"),
    ("{'a': ", "}"),
    ("STRUCT(", ")"),
    ("EXISTS (SELECT ", ")"),
    ("(SELECT ", ")"),
    ("1 IN (", ")"),
    ("1 BETWEEN (", ") AND 2"),
    ("- (", ")"),
    ("trim(", ")"),
    ("extract(year FROM ", ")"),
    ("position('a' IN ", ")"),
    ("overlay(", " PLACING 'b' FROM 1)"),
    ("substring(", " FROM 1)"),
    ("interval (", ")"),
    ("sum(1) FILTER (WHERE ", ")"),
    ("sum(1) OVER (PARTITION BY ", ")"),
    ("TRY_CAST(", " AS INT)"),
];

/// Malformed text on which sqlparser 0.62 alone would not come back before the sun is cold.
#[test]
fn no_text_keeps_the_parser_busy() {
    let mut random = fastrand::Rng::with_seed(seed());
    let mut slowest = (Duration::ZERO, String::new());
    for open in ["CAST(", "NOT (", "CAST(CASE (", "abs(", "("] {
        let sql = format!("SELECT {}", open.repeat(48 / open.matches('(').count()));
        slowest = slowest.max(timed(sql));
    }
    for _ in 0..1_500 {
        let depth = random.usize(4..48);
        let (mut start, mut end) = (String::from("SELECT "), String::new());
        let kinds: Vec<_> = (0..random.usize(1..4))
            .map(|_| random.choice(OPENINGS))
            .collect();
        for _ in 0..depth {
            let Some((open, close)) = random.choice(&kinds).and_then(|kind| *kind) else {
                continue;
            };
            start.push_str(open);
            end.insert_str(0, close);
        }
        let keep = match random.u8(0..3) {
            0 => 0,
            1 => random.usize(0..=end.len()),
            _ => end.len(),
        };
        slowest = slowest.max(timed(format!(
            "{start}{}{}",
            random.choice(["1", "", "a b", "1,"]).unwrap_or("1"),
            &end[..keep]
        )));
    }
    println!("slowest: {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(2), "{slowest:?}");
}

fn timed(sql: String) -> (Duration, String) {
    let start = Instant::now();
    let _ = parse(&sql);
    (start.elapsed(), sql)
}

#[tokio::test]
async fn an_insert_of_many_rows_is_not_wide() {
    let connection = crate::session::Database::in_memory().unwrap().connect();
    let run = async |sql: &str| connection.execute(sql, ()).await.map_err(|e| e.to_string());
    run("CREATE TABLE t (a INT, b INT, c TEXT, PRIMARY KEY (a))")
        .await
        .unwrap();
    let rows: Vec<String> = (0..3000).map(|n| format!("({n}, 1, 'x')")).collect();
    let insert = format!("INSERT INTO t VALUES {}", rows.join(", "));
    assert_eq!(run(&insert).await, Ok(3000));
}

#[tokio::test]
async fn stars_are_counted_by_what_they_stand_for() {
    let connection = crate::session::Database::in_memory().unwrap().connect();
    let columns: Vec<String> = (0..1500).map(|n| format!("c{n} INT")).collect();
    let table = format!("CREATE TABLE w ({}, PRIMARY KEY (c0))", columns.join(", "));
    connection.execute(&table, ()).await.unwrap();
    connection.execute("SELECT * FROM w", ()).await.unwrap();
    let error = connection.execute("SELECT * FROM w a, w b, w c", ()).await;
    let error = error.unwrap_err();
    assert!(
        error
            .message()
            .contains("4500 columns at once, more than 4000"),
        "{error}"
    );
}

/// The numbers of the page are those of the code.
#[test]
fn the_limits_are_as_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/limits.md");
    let text = std::fs::read_to_string(path).unwrap();
    let limits = [
        ("nested parentheses", MAX_NESTING),
        ("nested `CASE`", MAX_CASES),
        ("`NOT`s and signs", MAX_PREFIXES),
        ("nested subqueries", MAX_SUBQUERIES),
        ("subqueries in expressions", MAX_ALL_SUBQUERIES),
        ("arms of a `MERGE`", MAX_ARMS),
        ("changes of an `ALTER", MAX_KEYS),
        ("columns that a table comes to", MAX_PLANNED_COLUMNS),
        ("`CHECK`s and generated", MAX_KEYS),
        ("regular expressions", MAX_ARGUMENTS),
        ("parameters, and", crate::sql::placeholders::MAX_PARAMETERS),
        ("bytes of the name", crate::schema::NAME_BYTES),
        (
            "columns that a table has had",
            crate::schema::COLUMN_ID_LIMIT as usize,
        ),
        ("terms of `AND`", MAX_TERMS),
        ("operators of one", MAX_OPERATORS),
        ("set operations", MAX_SET_OPERATIONS),
        ("steps behind pipes", MAX_PIPES),
        ("joined tables", MAX_JOINS),
        ("queries in `WITH`", MAX_NAMED),
        ("columns of a table", MAX_COLUMNS),
        ("columns of a part", MAX_PLANNED_COLUMNS),
        ("keys of `ORDER BY`", MAX_KEYS),
        ("window functions", MAX_WINDOWS),
        ("grouping sets", MAX_GROUPING_SETS),
        ("rows in lists", MAX_ROWS_COMPARED),
        ("arguments of a function", MAX_ARGUMENTS),
        ("calls with `FILTER`", MAX_FILTERED),
        ("aggregates", MAX_AGGREGATES),
        ("parts of a name", MAX_NAME_PARTS),
        ("bytes of a part of a name", MAX_NAME_BYTES),
        ("wildcards of a pattern", MAX_WILDCARDS),
        ("`EXPLAIN`s", MAX_EXPLAINS),
    ];
    for (what, most) in limits {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| {what}")));
        let limit = row
            .and_then(|row| row.split('|').nth(2))
            .unwrap_or_default();
        let number = limit
            .trim()
            .split(';')
            .next()
            .unwrap_or_default()
            .replace(',', "");
        assert_eq!(number, most.to_string(), "{what}");
    }
}

/// The tables that a plan reads.
fn reads(plan: &LogicalPlan) -> usize {
    let inputs = plan.inputs();
    match inputs.as_slice() {
        [] => 1,
        inputs => inputs.iter().map(|input| reads(input)).sum(),
    }
}

/// Fails as soon as DataFusion plans a query of WITH once: then they need no limit.
#[tokio::test]
async fn canary_of_a_chain_that_reads_twice() {
    let twice = |n: usize| format!("q{n} AS (SELECT l.x FROM q{0} l, q{0} r)", n - 1);
    let chain: Vec<String> = (1..=6).map(twice).collect();
    let chain = chain.join(", ");
    let sql = format!("WITH q0 AS (SELECT 1 AS x), {chain} SELECT x FROM q6");
    let plan = plain().state().create_logical_plan(&sql).await.unwrap();
    assert_eq!(reads(&plan), 64);
}

/// Without a limit the parser overflows the stack.
#[test]
fn intervals_in_a_row_are_refused() {
    let sql = format!("SELECT {}'1 day'", "INTERVAL ".repeat(MAX_PREFIXES + 1));
    refused(&sql, "more than 50 signs and NOTs in a row");
    parse("SELECT INTERVAL '1 day'").unwrap();
}

/// No syntax tells an aggregate from another function: they are counted in the plan.
#[tokio::test]
async fn many_aggregates_are_refused() {
    let connection = Database::in_memory().unwrap().connect();
    let select = |count: usize| {
        let sums = (0..count).map(|number| format!("sum(a + {number})"));
        let sums = sums.collect::<Vec<_>>().join(", ");
        format!("SELECT a FROM (SELECT max(a) AS a, {sums} FROM (VALUES (1)) AS t (a)) AS s")
    };
    connection
        .query(&select(MAX_AGGREGATES - 1), ())
        .await
        .unwrap();
    let error = connection.query(&select(MAX_AGGREGATES), ()).await;
    let error = error.unwrap_err();
    let expected = "501 aggregates at once, more than 500";
    assert!(error.message().ends_with(expected), "{error}");
}
