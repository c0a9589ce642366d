//! Texts of up to 1 MiB that cost more than their length: each has its plan, or its error, within a second.

use std::time::Duration;

use super::Program;

/// Its name, and what it is made of.
type Kind = [&'static str; 5];

/// Makes a text of about so many bytes.
type Text = fn(&Kind, usize) -> String;

/// A prefix, as many times a part as fit in so many bytes, with a separator between, and a suffix. `{n}` in the part is
/// its number.
fn repeated([_, prefix, part, separator, suffix]: &Kind, bytes: usize) -> String {
    let mut text = (*prefix).to_owned();
    let mut number = 0;
    while text.len() + part.len() + suffix.len() < bytes || number == 0 {
        if number > 0 {
            text.push_str(separator);
        }
        text.push_str(&part.replace("{n}", &number.to_string()));
        number += 1;
    }
    text + suffix
}

/// A prefix, and as many levels as fit in so many bytes around what is in the middle.
fn nested([_, prefix, open, middle, close]: &Kind, bytes: usize) -> String {
    let levels = bytes / (open.len() + close.len());
    format!(
        "{prefix}{}{middle}{}",
        open.repeat(levels),
        close.repeat(levels)
    )
}

/// Texts that are [`repeated`]. Queries are explained, so that what is measured is the plan.
#[rustfmt::skip]
const REPEATED: &[Kind] = &[
    ["columns", "EXPLAIN SELECT ", "{n} AS c{n}", ", ", ""],
    ["columns of a table", "CREATE TABLE w (", "c{n} INT", ", ", ", PRIMARY KEY (c0))"],
    ["stars", "EXPLAIN SELECT ", "*", ", ", " FROM t"],
    ["stars of joins", "EXPLAIN SELECT * FROM t", ", t a{n}", "", ""],
    ["joins", "EXPLAIN SELECT count(*) FROM t", " JOIN t a{n} USING (a)", "", ""],
    ["left joins", "EXPLAIN SELECT count(*) FROM t", " LEFT JOIN t a{n} ON a{n}.a = t.a", "", ""],
    ["windows of one order", "EXPLAIN SELECT ", "sum(a) OVER (ORDER BY b) AS w{n}", ", ", " FROM t"],
    ["windows", "EXPLAIN SELECT ", "sum(a) OVER (ORDER BY b + {n}) AS w{n}", ", ", " FROM t"],
    ["aggregates", "EXPLAIN SELECT ", "sum(a + {n}) AS s{n}", ", ", " FROM t"],
    ["keys of ORDER BY", "EXPLAIN SELECT a FROM t ORDER BY ", "a + {n}", ", ", ""],
    ["keys of GROUP BY", "EXPLAIN SELECT count(*) FROM t GROUP BY ", "a + {n}", ", ", ""],
    ["CUBE", "EXPLAIN SELECT count(*) FROM t GROUP BY CUBE (", "a + {n}", ", ", ")"],
    ["ROLLUP", "EXPLAIN SELECT count(*) FROM t GROUP BY ROLLUP (", "a + {n}", ", ", ")"],
    ["grouping sets", "EXPLAIN SELECT count(*) FROM t GROUP BY GROUPING SETS (", "(a, b)", ", ", ")"],
    ["numbers in a list", "EXPLAIN SELECT * FROM t WHERE a IN (", "{n}", ", ", ")"],
    ["numbers not in a list", "EXPLAIN SELECT * FROM t WHERE b NOT IN (", "{n}", ", ", ")"],
    ["texts in a list", "EXPLAIN SELECT * FROM t WHERE s IN (", "'{n}'", ", ", ")"],
    ["rows in a list", "EXPLAIN SELECT * FROM t WHERE (a, b) IN (", "({n}, 1)", ", ", ")"],
    ["rows of VALUES", "EXPLAIN SELECT count(*) FROM (VALUES ", "({n})", ", ", ") v (x)"],
    ["columns of VALUES", "EXPLAIN SELECT count(*) FROM (VALUES (", "{n}", ", ", ")) v"],
    ["rows that are inserted", "EXPLAIN INSERT INTO t VALUES ", "({n}, 1, 'x')", ", ", ""],
    ["terms of AND", "EXPLAIN SELECT * FROM t WHERE ", "b <> {n}", " AND ", ""],
    ["terms of OR", "EXPLAIN SELECT * FROM t WHERE ", "a = {n}", " OR ", ""],
    ["ranges with OR", "EXPLAIN SELECT * FROM t WHERE ", "a BETWEEN {n}0 AND {n}5", " OR ", ""],
    ["sums", "EXPLAIN SELECT ", "a", " + ", " FROM t"],
    ["||", "EXPLAIN SELECT ", "s", " || ", " FROM t"],
    ["casts", "EXPLAIN SELECT a", "::BIGINT::INT", "", " FROM t"],
    ["UNION ALL", "EXPLAIN ", "SELECT {n}", " UNION ALL ", ""],
    ["UNION", "EXPLAIN ", "SELECT {n}", " UNION ", ""],
    ["WITH", "EXPLAIN WITH w0 AS (SELECT 1)", ", x{n} AS (SELECT * FROM w0)", "", " SELECT * FROM x0"],
    ["arms of CASE", "EXPLAIN SELECT CASE a ", "WHEN {n} THEN 1 ", "", " END FROM t"],
    ["arguments", "EXPLAIN SELECT coalesce(", "a + {n}", ", ", ") FROM t"],
    ["values in brackets", "EXPLAIN SELECT [", "{n}", ", ", "]"],
    ["parts of a name", "EXPLAIN SELECT ", "a", ".", " FROM t"],
    ["a pattern", "EXPLAIN SELECT * FROM t WHERE s LIKE '", "%a", "", "'"],
    ["a regular expression", "EXPLAIN SELECT * FROM t WHERE s ~ '", "(a|b)*", "", "'"],
    ["a long text", "EXPLAIN SELECT * FROM t WHERE s = '", "abc", "", "'"],
    ["a long name", "EXPLAIN SELECT a AS ", "abc", "", " FROM t"],
    ["pipes", "EXPLAIN SELECT * FROM t", " |> WHERE a > {n}", "", ""],
];

/// Texts that are [`nested`].
#[rustfmt::skip]
const NESTED: &[Kind] = &[
    ["a comment", "EXPLAIN SELECT 1 ", "/* ", "", " */"],
    ["parentheses", "EXPLAIN SELECT ", "(", "1", ")"],
    ["calls", "EXPLAIN SELECT ", "abs(", "1", ")"],
    ["subqueries", "EXPLAIN SELECT ", "(SELECT ", "1", ")"],
    ["derived tables", "EXPLAIN SELECT ", "* FROM (SELECT ", "1", ") q"],
    ["NOT", "EXPLAIN SELECT ", "NOT ", "true", ""],
    ["signs", "EXPLAIN SELECT ", "- ", "1", ""],
    ["CASEs", "EXPLAIN SELECT ", "CASE WHEN true THEN ", "1", " END"],
    ["CAST(CASE(", "EXPLAIN SELECT ", "CAST(CASE(", "1", ""],
    ["brackets", "EXPLAIN SELECT ", "[", "1", "]"],
    ["EXISTS", "EXPLAIN SELECT ", "EXISTS (SELECT 1 WHERE ", "true", ")"],
];

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1 << 20];

/// How long a text may take. The tests are built without optimization, beside others that run.
fn allowed() -> Duration {
    let seconds = std::env::var("HALITE_TEXT_SECONDS").map_or(30.0, |it| it.parse().unwrap());
    Duration::from_secs_f64(seconds)
}

#[test]
fn no_text_blocks_the_program() {
    let mut wrong = Vec::new();
    let start = || {
        let mut program = Program::start();
        for sql in [
            "SET halite.statement_timeout = '60s'",
            "CREATE TABLE t (a INT, b INT, s TEXT, PRIMARY KEY (a))",
        ] {
            assert_eq!(program.measure(sql).unwrap().refused, None);
        }
        program
    };
    let mut program = start();
    let repeated = REPEATED.iter().map(|kind| (kind, repeated as Text));
    for (kind, text) in repeated.chain(NESTED.iter().map(|kind| (kind, nested as Text))) {
        let name = kind[0];
        for bytes in SIZES {
            let sql = text(kind, bytes);
            let Some(measured) = program.measure(&sql) else {
                wrong.push(format!("{name}, {bytes} bytes: the process has ended"));
                program = start();
                continue;
            };
            let answer = match &measured.refused {
                None => "planned".to_owned(),
                Some(refused) => {
                    format!("refused: {}", refused.chars().take(90).collect::<String>())
                }
            };
            let (time, peak) = (measured.time.as_secs_f64(), measured.peak >> 20);
            println!("{name:24} {bytes:8} {time:7.3} s {peak:5} MiB  {answer}");
            if measured.time > allowed() {
                wrong.push(format!("{name}, {bytes} bytes: {time:.1} s, {answer}"));
            }
            if answer.contains("inside of Halite") {
                wrong.push(format!("{name}, {bytes} bytes: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
