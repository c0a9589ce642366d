use super::*;

fn parse_error(script: &str) -> Error {
    let dialect = sqlparser::dialect::GenericDialect {};
    let error = sqlparser::parser::Parser::parse_sql(&dialect, script).unwrap_err();
    Error::invalid(error.to_string())
}

fn reported(error: &Error, sql: &str, line: usize) -> String {
    let origin = Origin { file: None, line };
    Reporter::default().statement(error, sql, origin)
}

#[test]
fn the_caret_stands_below_what_the_parser_did_not_expect() {
    let sql = "SELECT 1,\n\t'ä' FROM t WHERE = 3";
    let report = reported(&parse_error(sql), sql, 7);
    let lines: Vec<_> = report.lines().collect();
    assert!(lines[0].starts_with("error: "), "{report}");
    assert!(lines[0].ends_with("found: = (line 8)"), "{report}");
    assert_eq!(lines[1], "   'ä' FROM t WHERE = 3");
    assert_eq!(lines[2], "                    ^");
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_wrong_word_is_underlined_and_the_right_one_suggested() {
    let sql = "SELECT *\nFORM t";
    let expected = "  FORM t\n  ^^^^\n  did you mean FROM?";
    let report = reported(&parse_error(sql), sql, 1);
    let (first, rest) = report.split_once('\n').unwrap();
    assert!(first.ends_with("(line 2)"), "{report}");
    assert_eq!(rest, expected);
    let origin = Origin {
        file: Some("a.sql"),
        line: 3,
    };
    let report = Reporter::default().statement(&parse_error(sql), sql, origin);
    assert!(
        report.lines().next().unwrap().ends_with("(a.sql, line 4)"),
        "{report}"
    );
}

#[test]
fn a_long_line_is_shown_around_the_caret() {
    let sql = format!(
        "SELECT {}1 FROM t WHERE = 3{}",
        "1, ".repeat(200),
        " + 3".repeat(90)
    );
    let report = reported(&parse_error(&sql), &sql, 0);
    let lines: Vec<Vec<char>> = report.lines().map(|line| line.chars().collect()).collect();
    let caret = lines[2].iter().position(|&letter| letter == '^').unwrap();
    assert_eq!(lines[1][caret], '=', "{report}");
    assert_eq!((lines[1][2], lines[1].len()), ('…', SHOWN + 4), "{report}");
    assert_eq!(lines[1].last(), Some(&'…'), "{report}");
}

#[test]
fn without_a_place_the_first_line_is_shown() {
    let error = Error::invalid("no such thing").with_source(std::io::Error::other("disk"));
    assert_eq!(
        failed_statement(&error, "\n  SELECT *\nFROM t"),
        "error: no such thing\n  because: disk\n  SELECT * …"
    );
    // A place that the statement does not have.
    let error = Error::invalid("bad at Line: 7, Column: 1");
    assert_eq!(failed_statement(&error, "x"), "error: bad\n  x");
}

#[test]
fn a_script_that_cannot_be_read_is_shown_where_it_broke() {
    let script = "SELECT 1;\n\nSELECT 'a;\n";
    let error = crate::sql::parse::split(script).unwrap_err();
    let report = Reporter::default().script(
        &error,
        script,
        Origin {
            file: Some("a.sql"),
            line: 1,
        },
    );
    assert_eq!(
        report,
        "error: syntax error: Unterminated string literal (a.sql, line 3)\n  SELECT 'a;\n         ^"
    );
}

/// These are the messages of the DataFusion that is built in.
#[test]
fn the_planner_s_messages_are_in_the_user_s_words() {
    let table = "CREATE TABLE t (id INT, at TIMESTAMP(3), x TEXT, PRIMARY KEY (id)); INSERT INTO t VALUES (1, NULL, 'a');";
    for (sql, expected) in [
        (
            "SELECT * FROM t WHERE id = 'one'",
            "Cannot cast string 'one' to value of INT type",
        ),
        (
            "SELECT id + at FROM t",
            "Cannot coerce arithmetic expression INT + TIMESTAMP(3) to valid types",
        ),
        (
            "SELECT left(id) FROM t",
            "No function matches the given name and argument types 'left(INT)'. You might need to add explicit type casts.\n\tCandidate functions:\n\tleft(TEXT, BIGINT)",
        ),
        (
            "SELECT x, count(*) FROM t",
            "column `t.x` must stand in GROUP BY or in an aggregate function",
        ),
        ("SELECT id FROM t ORDER BY idd", "there is no column `idd`"),
    ] {
        let (_, log, _) = crate::shell::state::tests::session(&[table, &format!("{sql};")]);
        let (told, _) = log.split_once("\n  SELECT").unwrap();
        assert_eq!(told, format!("error: {expected}"));
    }
}

#[test]
fn colours_say_nothing_that_letters_do_not() {
    let sql = "SELECT * FORM t";
    let error = parse_error(sql);
    let colored = Reporter {
        names: None,
        colors: Colors::new(true),
    };
    let colored = colored.statement(&error, sql, Origin::default());
    assert!(
        colored.starts_with("\u{1b}[1;31merror:\u{1b}[0m "),
        "{colored}"
    );
    let mut stripped = String::new();
    for (index, part) in colored.split('\u{1b}').enumerate() {
        let rest = part.split_once('m').filter(|_| index > 0);
        stripped.push_str(rest.map_or(part, |(_, rest)| rest));
    }
    assert_eq!(stripped, reported(&error, sql, 0));
}

/// What a layer below hands on is no other cause.
#[test]
fn what_came_through_a_layer_is_told_once() {
    let wrong = || Error::invalid("x.csv line 3: 'a' is not of type INT");
    let through = datafusion::common::DataFusionError::External(Box::new(wrong()));
    assert_eq!(
        message(&wrong().with_source(through)),
        "error: x.csv line 3: 'a' is not of type INT"
    );
}

/// The report has a line of its own for them.
#[test]
fn lists_behind_a_message_are_left_out() {
    assert_eq!(
        failed_statement(
            &Error::invalid("there is no table `x`; there are a, b"),
            "SELECT 1"
        ),
        "error: there is no table `x`\n  SELECT 1"
    );
}
