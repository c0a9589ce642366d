use sqlparser::ast::{BinaryOperator, Reset, ResetStatement, SelectItem, SetExpr, Statement};
use sqlparser::dialect::GenericDialect;

use super::*;
use crate::error::ErrorKind;
use crate::sql::written::Explain;

fn texts(sql: &str) -> Vec<String> {
    let statements = parse(sql).expect("statements").into_iter();
    statements.map(|parsed| parsed.text).collect()
}

fn statement(sql: &str) -> Statement {
    let mut parsed = parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(parsed.len(), 1, "{sql}");
    match parsed.remove(0).command {
        Command::Sql(statement) => *statement.sql,
        other => panic!("{sql}: {other:?}"),
    }
}

/// The only expression of `SELECT expr`.
fn expression(expr: &str) -> Expr {
    let Statement::Query(query) = statement(&format!("SELECT {expr}")) else {
        panic!("{expr}");
    };
    let SetExpr::Select(select) = *query.body else {
        panic!("{expr}");
    };
    match select.projection.into_iter().next() {
        Some(SelectItem::UnnamedExpr(expr)) => expr,
        other => panic!("{expr}: {other:?}"),
    }
}

#[test]
fn a_script_is_cut_at_the_semicolons_between_statements() {
    let script = "-- first; not here\nSELECT ';', \"a;b\", $$x;y$$, 'it''s;' /* ; /* ; */ */ ;;\n\n  SELECT 2\n ; -- end;";
    let first = "SELECT ';', \"a;b\", $$x;y$$, 'it''s;'";
    assert_eq!(texts(script), [first, "SELECT 2"]);
    assert_eq!(
        texts("SELECT 'ä€😀'; SELECT 'ö' -- é\n"),
        ["SELECT 'ä€😀'", "SELECT 'ö'"]
    );
    assert_eq!(
        texts("SELECT $tag$ a; b $tag$; SELECT 1"),
        ["SELECT $tag$ a; b $tag$", "SELECT 1"]
    );
    assert!(texts(" ; -- nothing\n;").is_empty());
}

#[test]
fn an_error_names_the_place_and_the_statement() {
    let error = parse("SELECT 1;\nSELECT 2 FRM t").expect_err("wrong");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let expected = "syntax error: Expected: end of statement, found: t at Line: 2, Column: 14";
    assert_eq!(error.message(), expected);
    let error = parse("SELECT 'open").expect_err("open string");
    assert_eq!(
        error.message(),
        "syntax error: Unterminated string literal at Line: 1, Column: 8"
    );
    let error = parse("SELECT 1 SELECT 2").expect_err("no semicolon");
    assert!(
        error
            .message()
            .contains("Expected: end of statement, found: SELECT"),
        "{error}"
    );
}

#[test]
fn distinct_from_takes_one_side_of_and() {
    let shape = |expr: &Expr| match expr {
        Expr::BinaryOp { left, op, right } => (left.to_string(), op.clone(), right.to_string()),
        other => panic!("{other}"),
    };
    for not in ["", "NOT "] {
        let expr = expression(&format!("a IS {not}DISTINCT FROM 1 AND b"));
        let expected = (
            format!("a IS {not}DISTINCT FROM 1"),
            BinaryOperator::And,
            "b".to_string(),
        );
        assert_eq!(shape(&expr), expected);
        let expr = expression(&format!("c AND a IS {not}DISTINCT FROM b + 1 OR d"));
        let expected = (
            format!("c AND a IS {not}DISTINCT FROM b + 1"),
            BinaryOperator::Or,
            "d".to_string(),
        );
        assert_eq!(shape(&expr), expected);
    }
    assert!(matches!(
        expression("NOT a IS DISTINCT FROM b"),
        Expr::UnaryOp { .. }
    ));
    assert!(matches!(
        expression("a IS DISTINCT FROM b IS NULL"),
        Expr::IsNull(_)
    ));
    assert!(matches!(
        expression("a + 1 IS DISTINCT FROM (b AND c)"),
        Expr::IsDistinctFrom(..)
    ));
    // sqlparser's own dialects still take everything for the right side.
    let sql = "SELECT a IS DISTINCT FROM 1 AND b";
    let upstream = Parser::parse_sql(&GenericDialect, sql).expect("upstream");
    assert!(format!("{upstream:?}").contains("IsDistinctFrom(Identifier"));
    assert!(!format!("{upstream:?}").contains("BinaryOp { left: IsDistinctFrom"));
}

#[test]
fn numbers_with_an_exponent_are_casts() {
    assert_eq!(expression("1e10").to_string(), "CAST('1e10' AS DOUBLE)");
    assert_eq!(
        expression("-1.5E-3").to_string(),
        "-CAST('1.5E-3' AS DOUBLE)"
    );
    assert_eq!(expression("1.5").to_string(), "1.5");
    assert_eq!(expression("x1e3").to_string(), "x1e3");
    let error = parse("SELECT 1e999").expect_err("range");
    assert!(
        error.message().contains("1e999 is out of range for DOUBLE"),
        "{error}"
    );
}

#[test]
fn everything_else_reads_as_in_the_generic_dialect() {
    for sql in [
        "SELECT a, count(*) FILTER (WHERE b) FROM t JOIN u USING (a) WHERE x LIKE 'a%' ESCAPE '!' GROUP BY ALL HAVING a > 1",
        "WITH x AS (SELECT 1) SELECT * FROM x, LATERAL (SELECT 2) ORDER BY 1 DESC NULLS LAST LIMIT 3 OFFSET 1",
        "CREATE TABLE t (a INT, b TEXT NULL, ts TIMESTAMP(3), PRIMARY KEY (salt(16), reverse(a), ts DESC NULLS FIRST))",
        "CREATE TABLE cpu (host TEXT, ts TIMESTAMP(3), PRIMARY KEY (bucket(16, host), date_trunc('hour', ts), a % 4, CAST(ts AS DATE), 'O'))",
        "REPLACE INTO t VALUES (1, 2)",
        "INSERT OR REPLACE INTO t (a, b) SELECT 1, 2",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
        "DELETE FROM t WHERE a = 1",
        "TRUNCATE TABLE t",
        "DROP TABLE IF EXISTS t",
        "SELECT {'a': 1}, MAP {'b': 2}, [1, 2][1], x::INT, a ->> 'b', INTERVAL '1' DAY, EXTRACT(YEAR FROM ts), $1",
        "SELECT * FROM t WHERE (a, b) > (1, 2) AND (a, b) IN ((1, 2), (3, 4))",
        "SET halite.pushdown = false",
        "SHOW TABLES",
        "SHOW CREATE TABLE t",
        "DESCRIBE t",
        "BEGIN",
    ] {
        let mut expected = Parser::parse_sql(&GenericDialect, sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(
            statement(sql).to_string(),
            expected.remove(0).to_string(),
            "{sql}"
        );
    }
}

#[test]
fn replace_and_keys_of_expressions_are_in_the_tree() {
    for sql in [
        "REPLACE INTO t VALUES (1)",
        "INSERT OR REPLACE INTO t VALUES (1)",
    ] {
        let Statement::Insert(insert) = statement(sql) else {
            panic!("{sql}");
        };
        assert!(
            insert.replace_into || insert.or.is_some(),
            "{sql}: {insert:?}"
        );
    }
    let sql = "CREATE TABLE t (a INT, PRIMARY KEY (salt(16), a DESC))";
    let Statement::CreateTable(table) = statement(sql) else {
        panic!("{sql}");
    };
    assert_eq!(
        table.constraints[0].to_string(),
        "PRIMARY KEY (salt(16), a DESC)"
    );
}

#[test]
fn explain_keys_is_halites_own() {
    for sql in [
        "EXPLAIN KEYS SELECT * FROM t WHERE a = 1",
        "explain\n keys -- of this\n (SELECT 1)",
        "EXPLAIN KEYS WITH x AS (SELECT 1) SELECT * FROM x",
    ] {
        let parsed = parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(
            matches!(parsed[0].command, Command::ExplainKeys(..)),
            "{sql}"
        );
    }
    let parsed = parse("EXPLAIN SELECT keys FROM t; EXPLAIN ANALYZE SELECT 1").expect("explain");
    assert!(parsed.iter().all(|parsed| matches!(&parsed.command,
        Command::Sql(statement) if statement.explain.is_some())));
    for sql in [
        "EXPLAIN KEYS INSERT INTO t VALUES (1)",
        "EXPLAIN KEYS SELECT 1 SELECT 2",
    ] {
        assert_eq!(
            parse(sql).expect_err("no query").kind(),
            ErrorKind::InvalidInput,
            "{sql}"
        );
    }
    let Command::ExplainKeys(query, _) =
        &parse("EXPLAIN KEYS SELECT 1 WHERE (-a, b) > (1, 2)").expect("tuple")[0].command
    else {
        panic!("no query");
    };
    assert!(query.to_string().contains("row(-a, b) > (1, 2)"), "{query}");
}

#[test]
fn copy_in_both_directions() {
    let cases = [
        (
            "COPY t FROM 'file.csv' (FORMAT csv, HEADER, DELIMITER ';', NULL 'NA')",
            "COPY t FROM 'file.csv' (FORMAT 'csv', HEADER, DELIMITER ';', NULL 'NA')",
        ),
        (
            "COPY t (a, \"B\") FROM 'to.parquet' WITH (format = parquet)",
            "COPY t (a, \"B\") FROM 'to.parquet' (FORMAT 'parquet')",
        ),
        ("copy s.t from 'it''s'", "COPY s.t FROM 'it''s'"),
        (
            "COPY t TO 'file' STORED AS CSV (HEADER false, COMPRESSION gzip)",
            "COPY t TO 'file' (FORMAT 'CSV', HEADER 'false', COMPRESSION 'gzip')",
        ),
        (
            "COPY (SELECT a FROM t WHERE (-a, b) > (1, 2)) TO 'file.parquet'",
            "COPY (SELECT a FROM t WHERE row(-a, b) > (1, 2)) TO 'file.parquet'",
        ),
    ];
    for (sql, expected) in cases {
        let parsed = parse(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let Command::Copy(statement) = &parsed[0].command else {
            panic!("{sql}");
        };
        assert_eq!(statement.to_string(), expected, "{sql}");
    }
    for wrong in [
        "COPY t",
        "COPY t FROM",
        "COPY t FROM STDOUT",
        "COPY t FROM 'x' 'y'",
        "COPY t FROM 'x' CSV HEADER",
        "COPY t FROM 'x' (",
        "COPY t FROM 'x' ()",
        "COPY t FROM 'x' (FORMAT csv",
        "COPY t FROM 'x' (FORMAT csv,)",
        "COPY t FROM 'x' WITH",
        "COPY (DELETE) TO 'x'",
        "COPY (SELECT 1 TO 'x'",
    ] {
        let error = parse(wrong).expect_err(wrong);
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{wrong}");
    }
}

#[test]
fn a_setting_is_reset_by_its_words() {
    for (sql, name) in [
        (
            "RESET datafusion.execution.batch_size",
            "datafusion.execution.batch_size",
        ),
        ("RESET TIME ZONE", "TIME.ZONE"),
        ("RESET 'halite.joins'", "halite.joins"),
    ] {
        match statement(sql) {
            Statement::Reset(ResetStatement {
                reset: Reset::ConfigurationParameter(found),
            }) => assert_eq!(found.to_string(), name, "{sql}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
    for wrong in ["RESET", "RESET a.", "RESET .a", "RESET a..b", "RESET a = 1"] {
        let error = parse(wrong).expect_err(wrong);
        assert!(
            error
                .message()
                .contains("Expected: configuration parameter"),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn external_tables_are_refused_by_name() {
    for sql in [
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'x.csv'",
        "CREATE OR REPLACE UNBOUNDED EXTERNAL TABLE x (a INT)",
    ] {
        let error = parse(sql).expect_err(sql);
        assert_eq!(error.kind(), ErrorKind::NotSupported, "{sql}");
        assert!(
            error
                .message()
                .starts_with("CREATE EXTERNAL TABLE is not implemented"),
            "{error}"
        );
    }
}

#[test]
fn what_explain_says_stands_beside_its_statement() {
    let explain = |sql: &str| match parse(sql).expect(sql).remove(0).command {
        Command::Sql(statement) => (statement.explain, statement.sql.to_string()),
        other => panic!("{sql}: {other:?}"),
    };
    let words = |analyze, verbose, format: Option<&str>| {
        let format = format.map(str::to_owned);
        Some(Explain::Words {
            analyze,
            verbose,
            format,
        })
    };
    let query = "SELECT 1".to_owned();
    for (sql, expected) in [
        ("SELECT 1", None),
        ("EXPLAIN SELECT 1", words(false, false, None)),
        ("EXPLAIN ANALYZE VERBOSE SELECT 1", words(true, true, None)),
        (
            "EXPLAIN FORMAT tree SELECT 1",
            words(false, false, Some("tree")),
        ),
    ] {
        assert_eq!(explain(sql), (expected, query.clone()), "{sql}");
    }
    let (options, of) = explain("EXPLAIN (ANALYZE, FORMAT indent) SELECT 1");
    assert!(matches!(options, Some(Explain::Options(options)) if options.len() == 2));
    assert_eq!(of, query);
    assert_eq!(explain("EXPLAIN (SELECT 1)").0, words(false, false, None));
}

#[test]
fn complete_statements_end_in_a_semicolon() {
    for open in [
        "",
        "SELECT 1",
        "SELECT ';",
        "SELECT 1; -- ;\n SELECT",
        "SELECT $$;",
        "/* ; ",
        "SELECT \"a;",
    ] {
        assert!(!complete(open), "{open}");
    }
    for whole in [
        "SELECT 1;",
        "SELECT 1; -- done",
        "SELECT 1; SELECT 2 ; /* x */ ",
    ] {
        assert!(complete(whole), "{whole}");
    }
}

#[test]
fn a_script_is_split_into_statements_with_their_lines() {
    let script = "-- first\nSELECT ';' AS a; SELECT\n  2 /* ; */\n;\n\n;; -- none\nSELCT 3";
    let statements = split(script).expect("split");
    let found: Vec<_> = statements
        .iter()
        .map(|statement| (statement.text.as_str(), statement.line))
        .collect();
    let expected = [
        ("SELECT ';' AS a", 2),
        ("SELECT\n  2", 2),
        // What is no SQL is told when it is parsed.
        ("SELCT 3", 7),
    ];
    assert_eq!(found, expected);
    assert!(split("SELECT 1; SELECT 'a").is_err());
}
