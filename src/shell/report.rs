//! Errors as people read them: what happened, the line it happened in, and a caret where the position is known.

use std::error::Error as _;

use super::text::width;
use crate::error::Error;

/// The most columns of a statement that a report shows.
const SHOWN: usize = 100;

/// A statement that the store or the planner refused: the message, and the statement's first line.
pub fn failed_statement(error: &Error, sql: &str) -> String {
    let mut lines = sql.lines().map(str::trim_end);
    let first = lines.find(|line| !line.trim().is_empty()).unwrap_or("");
    let more = lines.any(|line| !line.trim().is_empty());
    let (line, _) = window(first.trim_start(), 0);
    let ellipsis = if more { " …" } else { "" };
    format!("{}\n  {line}{ellipsis}", message(error))
}

/// A script that could not be read: the message, the line where it stopped making sense, and a caret below the place.
pub fn failed_script(error: &Error, script: &str) -> String {
    let message = message(error);
    let Some((text, line, column)) = split_position(&message) else {
        return failed_statement(error, script);
    };
    let Some(source) = script.lines().nth(line - 1) else {
        return message;
    };
    let (shown, before) = window(source, column - 1);
    let place = if script.trim_end().lines().count() > 1 {
        format!(" (line {line})")
    } else {
        String::new()
    };
    format!("{text}{place}\n  {shown}\n  {}^", " ".repeat(before))
}

/// `error: …`, with the causes that the message itself does not name.
pub fn message(error: &Error) -> String {
    let mut text = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str("\n  because: ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// Splits the parser's ` at Line: 1, Column: 8` from the end of its message. Both count from 1.
fn split_position(message: &str) -> Option<(&str, usize, usize)> {
    let (text, position) = message.rsplit_once(" at Line: ")?;
    let (line, column) = position.split_once(", Column: ")?;
    let (line, column) = (line.parse().ok()?, column.trim_end().parse().ok()?);
    (line > 0 && column > 0).then_some((text, line, column))
}

/// The part of a line around a character, and how many columns of a terminal stand before that character.
fn window(line: &str, at: usize) -> (String, usize) {
    let letters: Vec<char> = line
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    if letters.len() <= SHOWN {
        let before: String = letters.iter().take(at).collect();
        return (letters.iter().collect(), width(&before));
    }
    let start = at.saturating_sub(SHOWN / 2);
    let shown: String = letters.iter().skip(start).take(SHOWN).collect();
    let before: String = letters.iter().skip(start).take(at - start).collect();
    let (left, right) = (
        if start > 0 { "…" } else { "" },
        if start + SHOWN < letters.len() {
            "…"
        } else {
            ""
        },
    );
    (
        format!("{left}{shown}{right}"),
        width(left) + width(&before),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_error(script: &str) -> Error {
        let dialect = sqlparser::dialect::GenericDialect {};
        let error = sqlparser::parser::Parser::parse_sql(&dialect, script).unwrap_err();
        Error::invalid(error.to_string())
    }

    #[test]
    fn the_caret_stands_below_what_the_parser_did_not_expect() {
        let script = "SELECT 1;\n\tSELECT 'ä' FROM t WHERE = 3;\n";
        let report = failed_script(&parse_error(script), script);
        let lines: Vec<_> = report.lines().collect();
        assert!(lines[0].starts_with("error: "), "{report}");
        assert!(lines[0].ends_with("found: = (line 2)"), "{report}");
        assert_eq!(lines[1], "   SELECT 'ä' FROM t WHERE = 3;");
        assert_eq!(lines[2], "                           ^");
    }

    #[test]
    fn a_long_line_is_shown_around_the_caret() {
        let script = format!(
            "SELECT {}1 FROM t WHERE = 3{}",
            "1, ".repeat(200),
            " + 3".repeat(90)
        );
        let report = failed_script(&parse_error(&script), &script);
        let lines: Vec<Vec<char>> = report.lines().map(|line| line.chars().collect()).collect();
        let caret = lines[2].iter().position(|&letter| letter == '^').unwrap();
        assert_eq!(lines[1][caret], '=', "{report}");
        assert_eq!((lines[1][2], lines[1].len()), ('…', SHOWN + 4), "{report}");
        assert_eq!(lines[1].last(), Some(&'…'), "{report}");
    }

    #[test]
    fn without_a_position_the_first_line_is_shown() {
        let error = Error::invalid("no table \"t\"").with_source(std::io::Error::other("disk"));
        assert_eq!(
            failed_statement(&error, "\n  SELECT *\nFROM t"),
            "error: no table \"t\"\n  because: disk\n  SELECT * …"
        );
        assert_eq!(
            failed_script(&error, "SELECT 1"),
            "error: no table \"t\"\n  because: disk\n  SELECT 1"
        );
        // A position that the script does not have.
        let error = Error::invalid("bad at Line: 7, Column: 1");
        assert_eq!(
            failed_script(&error, "x"),
            "error: bad at Line: 7, Column: 1"
        );
    }
}
