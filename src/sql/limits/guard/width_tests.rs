use crate::sql::limits::guard::{
    MAX_AGGREGATES, MAX_ALL_SUBQUERIES, MAX_ARGUMENTS, MAX_COLUMNS, MAX_FILTERED, MAX_KEYS,
    MAX_TERMS, MAX_WINDOWS,
};
use crate::sql::parse::parse;

/// A text with a list, what the list is of, how many may be in it, and what the refusal says.
type WideText = (fn(&str) -> String, &'static str, usize, &'static str);

/// One more than the limit is refused, with the number.
fn refused_beyond_limits(texts: &[WideText]) {
    for (text, part, most, what) in texts {
        let list = |count: usize| {
            let parts: Vec<String> = (0..count)
                .map(|n| part.replace("{n}", &n.to_string()))
                .collect();
            text(&parts.join(", "))
        };
        parse(&list(*most)).unwrap_or_else(|error| panic!("{what}: {error}"));
        let error = parse(&list(most + 1)).expect_err(what);
        let expected = format!("more than {most} {what}");
        assert!(error.message().ends_with(&expected), "{error}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
fn wide_parts_of_tables_joins_and_groups_are_refused() {
    refused_beyond_limits(&[
        (
            |list| format!("CREATE TABLE t (a INT, PRIMARY KEY ({list}))"),
            "a / {n}",
            MAX_KEYS,
            "parts of a key",
        ),
        (
            |list| format!("CREATE TABLE t (a INT, PRIMARY KEY (a), CHECK (coalesce({list})))"),
            "a > {n}",
            MAX_ARGUMENTS,
            "operators of a CHECK",
        ),
        (
            |list| format!("CREATE TABLE t (a INT CHECK (coalesce({list})), PRIMARY KEY (a))"),
            "a > {n}",
            MAX_ARGUMENTS,
            "operators of a CHECK",
        ),
        (
            |list| format!("CREATE TABLE t (a INT, {list}, PRIMARY KEY (a))"),
            "c{n} INT CHECK (a > {n})",
            MAX_KEYS,
            "CHECKs and generated columns",
        ),
        (
            |list| format!("ALTER TABLE t {list}"),
            "ADD COLUMN c{n} INT",
            MAX_KEYS,
            "changes of a table",
        ),
        (
            |list| format!("ALTER TABLE t ADD CHECK (coalesce({list}))"),
            "a > {n}",
            MAX_ARGUMENTS,
            "operators of a CHECK",
        ),
        (
            |list| format!("ALTER TABLE t ADD COLUMN b BOOLEAN CHECK (coalesce({list}))"),
            "a > {n}",
            MAX_ARGUMENTS,
            "operators of a CHECK",
        ),
        (
            |list| format!("ALTER TABLE t ALTER COLUMN a SET DEFAULT (coalesce({list}))"),
            "{n} > 1",
            MAX_ARGUMENTS,
            "operators of a DEFAULT",
        ),
        (
            |list| {
                format!(
                    "CREATE TABLE t (a INT, b BOOLEAN DEFAULT (coalesce({list})), PRIMARY KEY (a))"
                )
            },
            "{n} > 1",
            MAX_ARGUMENTS,
            "operators of a DEFAULT",
        ),
        (
            |list| {
                format!(
                    "CREATE TABLE t (a INT, b BOOLEAN GENERATED ALWAYS AS (coalesce({list})) STORED, PRIMARY KEY (a))"
                )
            },
            "a > {n}",
            MAX_ARGUMENTS,
            "operators of a generated column",
        ),
        (
            |list| format!("SELECT 1 FROM t LEFT JOIN u USING ({list})"),
            "c{n}",
            MAX_KEYS,
            "columns of USING",
        ),
        (
            |list| format!("SELECT 1 FROM t JOIN u ON coalesce({list})"),
            "t.a + {n} = u.a",
            MAX_KEYS,
            "equal columns of a join",
        ),
        (
            |list| format!("SELECT 1 FROM t GROUP BY GROUPING SETS (({list}))"),
            "a + {n}",
            MAX_KEYS,
            "keys of grouping sets",
        ),
        (
            |list| format!("SELECT 1 FROM t WHERE a IN ({list})"),
            "abs({n})",
            MAX_ARGUMENTS,
            "values of lists that are computed",
        ),
        (
            |list| format!("WITH w ({list}) AS (SELECT * FROM t) SELECT 1"),
            "c{n}",
            MAX_COLUMNS,
            "names of columns",
        ),
        (
            |list| format!("SELECT {list} FROM t"),
            "(a, b) > ({n}, 1)",
            MAX_KEYS,
            "rows compared",
        ),
    ]);
    let sets = |count: usize| {
        let sets: Vec<String> = (0..count).map(|n| format!("(a + {n})")).collect();
        format!(
            "SELECT 1 FROM t GROUP BY GROUPING SETS ({})",
            sets.join(", ")
        )
    };
    parse(&sets(223)).unwrap();
    let error = parse(&sets(224)).unwrap_err();
    let expected = "more than 50000 keys of all grouping sets";
    assert!(error.message().ends_with(expected), "{error}");
    let patterns = |count: usize| {
        let terms = vec!["s ~ 'x'"; count].join(" OR ");
        format!("SELECT 1 FROM t WHERE {terms}")
    };
    parse(&patterns(MAX_ARGUMENTS)).unwrap();
    let error = parse(&patterns(MAX_ARGUMENTS + 1)).unwrap_err();
    let expected = "more than 2000 regular expressions";
    assert!(error.message().ends_with(expected), "{error}");
    let constants = "-1, ".repeat(20_000);
    parse(&format!(
        "SELECT 1 FROM t WHERE d IN ({constants} DATE '2024-01-01')"
    ))
    .unwrap();
    let values: Vec<String> = (1..MAX_TERMS).map(|n| format!("t.a = {n}")).collect();
    let joined = format!("SELECT 1 FROM t JOIN u ON {}", values.join(" OR "));
    parse(&joined).unwrap();
}

/// Lists whose planning grows with more than their length: one more than the limit is refused, with the number.
#[test]
fn wide_lists_are_refused() {
    refused_beyond_limits(&[
        (
            |list| format!("SELECT {list} FROM t"),
            "a AS c",
            MAX_KEYS,
            "columns of one name",
        ),
        (
            |list| format!("SELECT DISTINCT ON ({list}) a FROM t"),
            "a + {n}",
            MAX_KEYS,
            "keys of DISTINCT ON",
        ),
        (
            |list| format!("SELECT string_agg(a, ',' ORDER BY {list}) FROM t"),
            "a + {n}",
            MAX_KEYS,
            "keys of an aggregate's order",
        ),
        (
            |list| format!("SELECT sum(a) OVER (ORDER BY {list}) FROM t"),
            "a + {n}",
            MAX_WINDOWS,
            "keys of a window",
        ),
        (
            |list| format!("SELECT {list} FROM t"),
            "(SELECT max(a) + {n} FROM t)",
            MAX_ALL_SUBQUERIES,
            "subqueries",
        ),
        (
            |list| format!("SELECT {list} FROM t"),
            "count(*) FILTER (WHERE a = {n})",
            MAX_FILTERED,
            "calls with FILTER or columns of PIVOT",
        ),
        (
            |list| format!("SELECT * FROM t PIVOT (sum(b) FOR a IN ({list}))"),
            "{n}",
            MAX_FILTERED,
            "calls with FILTER or columns of PIVOT",
        ),
        (
            |list| format!("SELECT {list} FROM t"),
            "list_transform([1], x -> x + {n})",
            MAX_AGGREGATES,
            "lambdas",
        ),
        (
            |list| format!("UPDATE t SET {list}"),
            "a = {n}",
            MAX_COLUMNS,
            "assignments",
        ),
        (
            |list| format!("SELECT {{{list}}}"),
            "'c{n}': {n}",
            MAX_ARGUMENTS,
            "fields of a value",
        ),
    ]);
}
