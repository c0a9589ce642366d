//! The plans that are ended. Each would take many seconds.

use std::path::Path;

/// A statement that takes long.
pub struct Plan {
    pub name: &'static str,
    pub sql: String,
    /// Whether it changes something.
    pub is_change: bool,
}

/// Rows of the table `t`.
const ROWS: u32 = 200_000;

/// What makes the tables and files that the plans are about.
pub fn preparation(directory: &Path) -> Vec<String> {
    let file = |name: &str| directory.join(name).display().to_string();
    vec![
        "CREATE TABLE t (k BIGINT, v INT, c TEXT, PRIMARY KEY (k))".to_owned(),
        format!(
            "INSERT INTO t SELECT value, value % 10, 'row ' || value FROM generate_series(1, {ROWS})"
        ),
        "CREATE TABLE copied (k BIGINT, v BIGINT, PRIMARY KEY (k))".to_owned(),
        "INSERT INTO copied VALUES (-1, 1)".to_owned(),
        format!("COPY t TO '{}' (HEADER)", file("t.csv")),
        format!("COPY t TO '{}'", file("t.parquet")),
    ]
}

const QUERIES: &[(&str, &str)] = &[
    (
        "join without equality",
        "SELECT count(*) FROM t a, t b WHERE a.k * b.k % 7 = 1",
    ),
    (
        "join by an inequality",
        "SELECT count(*) FROM t a JOIN t b ON a.k < b.k AND a.v <> b.v",
    ),
    (
        "left join without equality",
        "SELECT count(*) FROM t a LEFT JOIN t b ON a.k * b.k % 1000003 = 1",
    ),
    (
        "full join without equality",
        "SELECT count(*) FROM t a FULL JOIN t b ON a.k + b.k < a.v",
    ),
    (
        "cross join, counted",
        "SELECT count(*) FROM t a, t b, t c WHERE a.v + b.v + c.v < 0",
    ),
    (
        "cross join, added up",
        "SELECT sum(a.k + b.v) FROM t a, t b",
    ),
    ("cross join, its rows", "SELECT a.k, b.k FROM t a, t b"),
    (
        "cross join, sorted",
        "SELECT a.k FROM t a, t b ORDER BY a.k + b.k LIMIT 3",
    ),
    (
        "join of few keys, with a condition",
        "SELECT count(*) FROM t a JOIN t b ON a.v = b.v AND a.k * b.k % 7 = 8",
    ),
    (
        "join of few keys",
        "SELECT max(a.k + b.k) FROM t a JOIN t b ON a.v = b.v",
    ),
    (
        "EXISTS without equality",
        "SELECT count(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE a.k * b.k % 1000003 = 999983)",
    ),
    (
        "NOT EXISTS without equality",
        "SELECT count(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.k * a.k % 1000003 = 999983)",
    ),
    (
        "subquery for each row",
        "SELECT count(*) FROM t a WHERE a.v < (SELECT count(*) FROM t b WHERE b.k < a.k)",
    ),
    (
        "greater than ALL",
        "SELECT count(*) FROM t a WHERE a.k * 2 > ALL (SELECT b.k % a.k FROM t b)",
    ),
    (
        "sort of numbers",
        "SELECT value FROM generate_series(1, 1000000000) ORDER BY value * 7919 % 1000003",
    ),
    (
        "sort of texts",
        "SELECT md5(CAST(value AS TEXT)) AS m FROM generate_series(1, 1000000000) ORDER BY m",
    ),
    (
        "first rows of a sort",
        "SELECT md5(CAST(value AS TEXT)) AS m FROM generate_series(1, 1000000000) ORDER BY m LIMIT 5",
    ),
    (
        "numbered rows",
        "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY value % 1000, value) AS r FROM generate_series(1, 20000000)) q",
    ),
    (
        "sliding frame",
        "SELECT max(s) FROM (SELECT sum(v) OVER (ORDER BY k ROWS BETWEEN 1000 PRECEDING AND CURRENT ROW) AS s FROM t, generate_series(1, 50)) q",
    ),
    (
        "frame to the end",
        "SELECT max(s) FROM (SELECT sum(k) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS s FROM t, generate_series(1, 5)) q",
    ),
    (
        "windows of many partitions",
        "SELECT max(s) FROM (SELECT lag(value) OVER (PARTITION BY value % 1000003 ORDER BY value) AS s FROM generate_series(1, 20000000)) q",
    ),
    (
        "recursion",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 1000000000) SELECT count(*) FROM r",
    ),
    (
        "recursion with a join",
        "WITH RECURSIVE r AS (SELECT k FROM t WHERE k <= 2000 UNION ALL SELECT a.k FROM r JOIN t a ON a.k % 2000 = r.k % 2000 WHERE a.k < 100000000) SELECT count(*) FROM r",
    ),
    (
        "recursion, each row once",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT (n * 7919 + 1) % 1000000007 FROM r) SELECT count(*) FROM r",
    ),
    (
        "series, filtered",
        "SELECT count(*) FROM generate_series(1, 100000000000) WHERE value % 7 = 8",
    ),
    (
        "series, its rows",
        "SELECT value FROM generate_series(1, 100000000000)",
    ),
    (
        "many groups",
        "SELECT count(*) FROM (SELECT value % 50000017 AS g, count(*) FROM generate_series(1, 1000000000) GROUP BY 1) q",
    ),
    (
        "many groups of texts",
        "SELECT max(n) FROM (SELECT md5(CAST(value AS TEXT)) AS g, count(*) AS n FROM generate_series(1, 1000000000) GROUP BY 1) q",
    ),
    (
        "different values",
        "SELECT count(DISTINCT value * 7919 % 1000000007) FROM generate_series(1, 1000000000)",
    ),
    (
        "lists of groups",
        "SELECT max(cardinality(l)) FROM (SELECT value % 1000 AS g, array_agg(value) AS l FROM generate_series(1, 1000000000) GROUP BY 1) q",
    ),
    (
        "medians",
        "SELECT value % 1000 AS g, median(value) FROM generate_series(1, 1000000000) GROUP BY 1",
    ),
    (
        "grouping sets",
        "SELECT a, b, c, count(*) FROM (SELECT value % 3 AS a, value % 5 AS b, value % 7 AS c FROM generate_series(1, 1000000000)) q GROUP BY CUBE (a, b, c)",
    ),
    (
        "regular expressions, replaced",
        "SELECT max(length(regexp_replace(repeat(c, 300), '(r|o)+w [0-9]+5', 'x', 'g'))) FROM t",
    ),
    (
        "regular expressions, matched",
        "SELECT count(*) FROM t, generate_series(1, 100) WHERE repeat(c, 300) ~ '(o+w|[a-q])+ [0-9]*[[:upper:]]'",
    ),
    (
        "LIKE",
        "SELECT count(*) FROM t, generate_series(1, 100) WHERE repeat(c, 300) LIKE '%o%w%9%x%'",
    ),
    (
        "distances of texts",
        "SELECT max(levenshtein(repeat(c, 50), repeat('x' || c, 50))) FROM t",
    ),
    (
        "unnested lists",
        "SELECT count(*) FROM (SELECT unnest(range(1, k)) AS n FROM t) q",
    ),
    (
        "sorted lists",
        "SELECT max(cardinality(array_sort(array_distinct(range(1, k % 5000))))) FROM t, generate_series(1, 100)",
    ),
    (
        "UNION",
        "SELECT count(*) FROM (SELECT value FROM generate_series(1, 1000000000) UNION SELECT value + 1 FROM generate_series(1, 1000000000)) q",
    ),
    (
        "INTERSECT",
        "SELECT count(*) FROM (SELECT value FROM generate_series(1, 1000000000) INTERSECT SELECT value + 1 FROM generate_series(1, 1000000000)) q",
    ),
    (
        "summary",
        "SUMMARIZE SELECT value, md5(CAST(value AS TEXT)) AS m FROM generate_series(1, 1000000000)",
    ),
    (
        "EXPLAIN ANALYZE",
        "EXPLAIN ANALYZE SELECT count(*) FROM t a, t b WHERE a.k * b.k % 7 = 1",
    ),
    (
        "CSV files",
        "SELECT count(*) FROM '{t.csv}' a, '{t.csv}' b WHERE a.k * b.k % 7 = 1",
    ),
    (
        "Parquet files",
        "SELECT count(*) FROM '{t.parquet}' a JOIN '{t.parquet}' b ON a.v = b.v AND a.k * b.k % 7 = 8",
    ),
];

const CHANGES: &[(&str, &str)] = &[
    (
        "INSERT of a series",
        "INSERT INTO copied SELECT value, value FROM generate_series(1, 1000000000)",
    ),
    (
        "INSERT of a join",
        "INSERT INTO copied SELECT a.k * 1000000 + b.k, 1 FROM t a, t b WHERE a.k * b.k % 1000003 = 5",
    ),
    (
        "UPDATE by a join",
        "UPDATE copied SET v = b.k FROM t a, t b WHERE a.k * b.k = copied.k",
    ),
    (
        "DELETE by a subquery",
        "DELETE FROM copied WHERE EXISTS (SELECT 1 FROM t a, t b WHERE a.k * b.k = copied.k)",
    ),
    (
        "MERGE",
        "MERGE INTO copied USING (SELECT a.k * b.k AS k FROM t a, t b WHERE a.k * b.k % 7 = 8) s ON copied.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1)",
    ),
    (
        "COPY to a file",
        "COPY (SELECT value, md5(CAST(value AS TEXT)) AS m FROM generate_series(1, 1000000000)) TO '{out.csv}'",
    ),
];

/// All of them, over files of this directory.
pub fn plans(directory: &Path) -> Vec<Plan> {
    let of = |kind: &[(&'static str, &str)], is_change| -> Vec<Plan> {
        let written = |sql: &str| {
            let path = format!("{}/", directory.display());
            sql.replace("'{", &format!("'{path}")).replace("}'", "'")
        };
        let plans = kind.iter().map(|(name, sql)| Plan {
            name,
            sql: written(sql),
            is_change,
        });
        plans.collect()
    };
    let all = [of(QUERIES, false), of(CHANGES, true)];
    all.into_iter().flatten().collect()
}
