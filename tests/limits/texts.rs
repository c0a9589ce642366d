//! Texts of up to 1 MiB that cost more than their length: each has its plan, or its error, within a second.

use std::time::Duration;

use super::Program;

/// A text of about so many bytes.
type Kind = (&'static str, fn(usize) -> String);

/// `prefix`, as many times `part` as fit, `suffix`; `{n}` in the part is its number.
fn repeated(prefix: &str, part: &str, between: &str, suffix: &str, bytes: usize) -> String {
    let mut text = prefix.to_owned();
    let mut number = 0;
    while text.len() + part.len() + suffix.len() < bytes || number == 0 {
        if number > 0 {
            text.push_str(between);
        }
        text.push_str(&part.replace("{n}", &number.to_string()));
        number += 1;
    }
    text + suffix
}

fn nested(open: &str, middle: &str, close: &str, bytes: usize) -> String {
    let levels = bytes / (open.len() + close.len());
    format!(
        "EXPLAIN SELECT {}{middle}{}",
        open.repeat(levels),
        close.repeat(levels)
    )
}

/// Each kind of text. All are explained, so that what is measured is the plan.
const KINDS: &[Kind] = &[
    ("columns", |n| {
        repeated("EXPLAIN SELECT ", "{n} AS c{n}", ", ", "", n)
    }),
    ("columns of a table", |n| {
        repeated(
            "CREATE TABLE w (",
            "c{n} INT",
            ", ",
            ", PRIMARY KEY (c0))",
            n,
        )
    }),
    ("stars", |n| {
        repeated("EXPLAIN SELECT ", "*", ", ", " FROM t", n)
    }),
    ("stars of joins", |n| {
        repeated("EXPLAIN SELECT * FROM t", ", t a{n}", "", "", n)
    }),
    ("joins", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t",
            " JOIN t a{n} USING (a)",
            "",
            "",
            n,
        )
    }),
    ("left joins", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t",
            " LEFT JOIN t a{n} ON a{n}.a = t.a",
            "",
            "",
            n,
        )
    }),
    ("windows of one order", |n| {
        repeated(
            "EXPLAIN SELECT ",
            "sum(a) OVER (ORDER BY b) AS w{n}",
            ", ",
            " FROM t",
            n,
        )
    }),
    ("windows", |n| {
        repeated(
            "EXPLAIN SELECT ",
            "sum(a) OVER (ORDER BY b + {n}) AS w{n}",
            ", ",
            " FROM t",
            n,
        )
    }),
    ("aggregates", |n| {
        repeated(
            "EXPLAIN SELECT ",
            "sum(a + {n}) AS s{n}",
            ", ",
            " FROM t",
            n,
        )
    }),
    ("keys of ORDER BY", |n| {
        repeated("EXPLAIN SELECT a FROM t ORDER BY ", "a + {n}", ", ", "", n)
    }),
    ("keys of GROUP BY", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t GROUP BY ",
            "a + {n}",
            ", ",
            "",
            n,
        )
    }),
    ("CUBE", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t GROUP BY CUBE (",
            "a + {n}",
            ", ",
            ")",
            n,
        )
    }),
    ("ROLLUP", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t GROUP BY ROLLUP (",
            "a + {n}",
            ", ",
            ")",
            n,
        )
    }),
    ("grouping sets", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM t GROUP BY GROUPING SETS (",
            "(a, b)",
            ", ",
            ")",
            n,
        )
    }),
    ("numbers in a list", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE a IN (", "{n}", ", ", ")", n)
    }),
    ("numbers not in a list", |n| {
        repeated(
            "EXPLAIN SELECT * FROM t WHERE b NOT IN (",
            "{n}",
            ", ",
            ")",
            n,
        )
    }),
    ("texts in a list", |n| {
        repeated(
            "EXPLAIN SELECT * FROM t WHERE s IN (",
            "'{n}'",
            ", ",
            ")",
            n,
        )
    }),
    ("rows in a list", |n| {
        repeated(
            "EXPLAIN SELECT * FROM t WHERE (a, b) IN (",
            "({n}, 1)",
            ", ",
            ")",
            n,
        )
    }),
    ("rows of VALUES", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM (VALUES ",
            "({n})",
            ", ",
            ") v (x)",
            n,
        )
    }),
    ("columns of VALUES", |n| {
        repeated(
            "EXPLAIN SELECT count(*) FROM (VALUES (",
            "{n}",
            ", ",
            ")) v",
            n,
        )
    }),
    ("rows that are inserted", |n| {
        repeated(
            "EXPLAIN INSERT INTO t VALUES ",
            "({n}, 1, 'x')",
            ", ",
            "",
            n,
        )
    }),
    ("terms of AND", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE ", "b <> {n}", " AND ", "", n)
    }),
    ("terms of OR", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE ", "a = {n}", " OR ", "", n)
    }),
    ("ranges with OR", |n| {
        repeated(
            "EXPLAIN SELECT * FROM t WHERE ",
            "a BETWEEN {n}0 AND {n}5",
            " OR ",
            "",
            n,
        )
    }),
    ("sums", |n| {
        repeated("EXPLAIN SELECT ", "a", " + ", " FROM t", n)
    }),
    ("||", |n| {
        repeated("EXPLAIN SELECT ", "s", " || ", " FROM t", n)
    }),
    ("casts", |n| {
        repeated("EXPLAIN SELECT a", "::BIGINT::INT", "", " FROM t", n)
    }),
    ("UNION ALL", |n| {
        repeated("EXPLAIN ", "SELECT {n}", " UNION ALL ", "", n)
    }),
    ("UNION", |n| {
        repeated("EXPLAIN ", "SELECT {n}", " UNION ", "", n)
    }),
    ("WITH", |n| {
        repeated(
            "EXPLAIN WITH w0 AS (SELECT 1)",
            ", x{n} AS (SELECT * FROM w0)",
            "",
            " SELECT * FROM x0",
            n,
        )
    }),
    ("arms of CASE", |n| {
        repeated(
            "EXPLAIN SELECT CASE a ",
            "WHEN {n} THEN 1 ",
            "",
            " END FROM t",
            n,
        )
    }),
    ("arguments", |n| {
        repeated("EXPLAIN SELECT coalesce(", "a + {n}", ", ", ") FROM t", n)
    }),
    ("values in brackets", |n| {
        repeated("EXPLAIN SELECT [", "{n}", ", ", "]", n)
    }),
    ("parts of a name", |n| {
        repeated("EXPLAIN SELECT ", "a", ".", " FROM t", n)
    }),
    ("a pattern", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE s LIKE '", "%a", "", "'", n)
    }),
    ("a regular expression", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE s ~ '", "(a|b)*", "", "'", n)
    }),
    ("a long text", |n| {
        repeated("EXPLAIN SELECT * FROM t WHERE s = '", "abc", "", "'", n)
    }),
    ("a long name", |n| {
        repeated("EXPLAIN SELECT a AS ", "abc", "", " FROM t", n)
    }),
    ("a comment", |n| {
        format!(
            "EXPLAIN SELECT 1 {}{}",
            "/* ".repeat(n / 6),
            " */".repeat(n / 6)
        )
    }),
    ("parentheses", |n| nested("(", "1", ")", n)),
    ("calls", |n| nested("abs(", "1", ")", n)),
    ("subqueries", |n| nested("(SELECT ", "1", ")", n)),
    ("derived tables", |n| {
        nested("* FROM (SELECT ", "1", ") q", n)
    }),
    ("NOT", |n| nested("NOT ", "true", "", n)),
    ("signs", |n| nested("- ", "1", "", n)),
    ("CASEs", |n| nested("CASE WHEN true THEN ", "1", " END", n)),
    ("CAST(CASE(", |n| nested("CAST(CASE(", "1", "", n)),
    ("brackets", |n| nested("[", "1", "]", n)),
    ("EXISTS", |n| {
        nested("EXISTS (SELECT 1 WHERE ", "true", ")", n)
    }),
    ("pipes", |n| {
        repeated("EXPLAIN SELECT * FROM t", " |> WHERE a > {n}", "", "", n)
    }),
];

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1 << 20];

/// How long a text may take. The tests are built without optimization, beside others that run.
fn allowed() -> Duration {
    let seconds = std::env::var("HALITE_TEXT_SECONDS").map_or(10.0, |it| it.parse().unwrap());
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
    for (name, text) in KINDS {
        for bytes in SIZES {
            let sql = text(bytes);
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
