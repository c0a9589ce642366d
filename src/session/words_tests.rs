//! What is said of a row that meets a single value, and in which words.

use crate::datum::plain;
use crate::error::{Error, ErrorKind};
use crate::session::Database;

async fn error_of(sql: &str) -> Error {
    let connection = Database::in_memory().expect("database").connect();
    let table = "CREATE TABLE t (id INT, b INT, PRIMARY KEY (id))";
    connection.execute(table, ()).await.expect("table");
    let rows = connection.rows(sql, ()).await;
    rows.map(drop).expect_err(sql)
}

#[tokio::test]
async fn a_row_and_a_value_are_refused_in_words() {
    for condition in [
        "id > ('x', 1)",
        "id = (1, 2)",
        "id <> (1, 2)",
        "(1, 2) <= id",
        "('x', b) >= id",
        "id < ROW(1, 2)",
        "id IS DISTINCT FROM (1, 2)",
        "(id, b) IS NOT DISTINCT FROM 1",
        "id IN ((1, 2), (3, 4))",
        "id NOT IN ((1, 2))",
        "(id, b) IN (1, 2)",
        "(id, b) NOT IN (1, 2, 3, 4)",
        "id BETWEEN (1, 2) AND (3, 4)",
        "(id, b) BETWEEN 1 AND 2",
        "(id, b) NOT BETWEEN 1 AND 2",
        "(id, b) > (SELECT 1)",
        "id LIKE (1, 2)",
        "id + (1, 2) > 3",
    ] {
        let select = format!("SELECT id, {condition} AS x FROM t");
        let filter = format!("SELECT id FROM t WHERE {condition}");
        for sql in [select, filter] {
            let error = error_of(&sql).await;
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{sql}: {error}");
            let told = error.message().contains("a row meets a single value");
            assert!(told, "{sql}: {error}");
        }
    }
}

#[tokio::test]
async fn rows_of_different_length_are_told_apart() {
    let error = error_of("SELECT id FROM t WHERE (id, b) = (1, 2, 3)").await;
    assert!(error.message().contains("a row of 2 values"), "{error}");
}

/// What DataFusion says of its own inside stands neither in an error nor behind it.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of cases")]
async fn errors_are_in_the_words_of_who_wrote_the_statement() {
    for (sql, words) in [
        (
            "SELECT id FROM t WHERE id IN (SELECT id, b FROM t)",
            "several columns",
        ),
        ("SELECT sum('x')", "No function matches"),
        (
            "SELECT now() AT TIME ZONE id FROM t",
            "AT TIME ZONE names its zone in a text",
        ),
        (
            "SELECT now() AT TIME ZONE t.id FROM t",
            "AT TIME ZONE names its zone in a text",
        ),
        (
            "SELECT now() AT TIME ZONE lower('UTC') FROM t",
            "AT TIME ZONE names its zone in a text",
        ),
        (
            "SELECT now() AT TIME ZONE 3 FROM t",
            "AT TIME ZONE names its zone in a text",
        ),
        (
            "SELECT MATCH (b) AGAINST ('x') FROM t",
            "MATCH … AGAINST is not implemented",
        ),
        (
            "SELECT CONVERT(id USING utf8) FROM t",
            "CONVERT is not implemented",
        ),
        (
            "SELECT id MEMBER OF ([1]) FROM t",
            "MEMBER OF is not implemented",
        ),
        (
            "SELECT _utf8'x'",
            "a word in front of a literal is not implemented",
        ),
        (
            "SELECT INTERVAL '1 day' YEAR TO MONTH",
            "this form of an interval is not implemented",
        ),
        (
            "SELECT id FROM t WHERE row_number() OVER () = 1",
            "a window function has no place here",
        ),
        (
            "SELECT substring('x') FROM t",
            "substring says where it begins",
        ),
        (
            "SET halite.span_budget = (SELECT 1)",
            "the value of a setting is a constant",
        ),
    ] {
        let error = error_of(sql).await;
        assert!(error.message().contains(words), "{sql}: {error}");
        let mut told = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            told.push_str(&inner.to_string());
            cause = inner.source();
        }
        for below in [
            "sqltorel",
            "Ident",
            "Span(",
            "quote_style",
            "logical expression",
            "Some(",
        ] {
            assert!(!told.contains(below), "{sql}: {told}");
        }
    }
}

#[tokio::test]
async fn a_parameter_without_a_value_is_named() {
    let connection = Database::in_memory().expect("database").connect();
    for statement in connection.script("SELECT $1 + 1").expect("a script") {
        let told = match connection.run(&statement).await {
            Err(error) => error.to_string(),
            Ok(crate::run::outcome::Outcome::Rows(mut rows)) => {
                let first = futures::StreamExt::next(&mut rows).await;
                let error = first.expect("a row or an error").expect_err("no value");
                Error::from(error).to_string()
            }
            Ok(_) => panic!("no rows"),
        };
        assert!(told.contains("parameter $1 has no value"), "{told}");
    }
}

#[test]
fn a_message_is_freed_of_its_layers() {
    for (message, expected) in [
        (
            "Error during planning: table 'halite.public.t' not found",
            "there is no table `t`",
        ),
        (
            "Schema error: No field named carier. Did you mean 't.carrier'?\nValid fields are t.carrier, t.n.",
            "there is no column `carier`; the columns are t.carrier, t.n",
        ),
        ("Schema error: No field named b.", "there is no column `b`"),
        (
            "Error during planning: Invalid function 'florr'.\nDid you mean 'floor'?",
            "there is no function `florr`",
        ),
        (
            "Error during planning: Internal error: Function 'sum' failed to match any signature, errors: x.\nThis issue was likely caused by a bug in DataFusion's code. No function matches the given name and argument types 'sum(Utf8)'.",
            "No function matches the given name and argument types 'sum(TEXT)'.",
        ),
        (
            "Error during planning: Execution error: Function 'json_object' user-defined coercion failed with: Error during planning: json_object takes a value for each name No function matches the given name and argument types 'json_object(Utf8)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tjson_object(UserDefined)",
            "json_object takes a value for each name",
        ),
        ("Arrow error: Divide by zero error", "Divide by zero error"),
    ] {
        assert_eq!(plain(message), expected);
    }
}

/// What a program reads of an error is what the shell shows.
#[tokio::test]
async fn an_error_names_what_is_missing() {
    let error = error_of("SELECT idd FROM t").await;
    assert_eq!(
        (error.message(), error.column()),
        (
            "there is no column `idd`; the columns are t.id, t.b",
            Some("idd")
        )
    );
    let error = error_of("SELECT id FROM u").await;
    assert_eq!(
        (error.message(), error.table()),
        ("there is no table `u`", Some("u"))
    );
    let error = error_of("SELECT id FROM t WHERE = 1").await;
    assert_eq!(error.position(), Some((1, 24)));
}
