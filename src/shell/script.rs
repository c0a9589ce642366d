//! Scripts: statements that end with semicolons, and the shell's commands, each on a line of its own between them.
//!
//! A line is a command where no statement is open and it begins with a dot or a backslash, as `.tables` or `\dt`, or is
//! one of the bare words that people type to leave. In a text over several lines such a line is part of the text.

use super::command;
use super::words::{Kind, pieces};
use crate::error::{Error, Result};
use crate::session::parse;

/// What a script consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// One statement, without its semicolon.
    Statement {
        /// Its text, which may have several lines.
        text: String,
        /// The line of the script that it begins on, from 1.
        line: usize,
    },
    /// One command of the shell.
    Command {
        /// The line, trimmed.
        text: String,
        /// Which line of the script it is, from 1.
        line: usize,
    },
}

/// Lines of a script that belong together.
struct Chunk<'t> {
    text: &'t str,
    /// The line of the script that it begins on, from 1.
    line: usize,
    command: bool,
}

/// The statements and commands of a script, in order.
///
/// # Errors
/// `InvalidInput` where the script ends inside a text, a quoted name or a comment.
pub fn units(script: &str) -> Result<Vec<Unit>> {
    let mut found = Vec::new();
    for chunk in chunks(script) {
        if chunk.command {
            let text = chunk.text.trim().to_owned();
            let line = chunk.line;
            found.push(Unit::Command { text, line });
            continue;
        }
        if let Some(at) = forgotten(chunk.text) {
            let name = chunk.text.get(at..).and_then(first_word).unwrap_or("it");
            let line = chunk.line + chunk.text.get(..at).unwrap_or("").matches('\n').count();
            return Err(Error::invalid(format!(
                "{name} is a command, and the statement before it has no semicolon at its end \
                 at Line: {line}, Column: 1"
            )));
        }
        // Lines in front, so that the places in an error are those of the script.
        let padded = "\n".repeat(chunk.line - 1) + chunk.text;
        let statements = parse::split(&padded)?;
        found.extend(statements.into_iter().map(|piece| Unit::Statement {
            text: piece.text,
            line: piece.line,
        }));
    }
    Ok(found)
}

/// Whether enter runs the text: it ends with a command or a semicolon, or has nothing to run, or can never become
/// right by more lines.
pub fn is_complete(text: &str) -> bool {
    match chunks(text).last() {
        Some(chunk) if !chunk.command => {
            is_closed(chunk.text) || parse::complete(chunk.text) || forgotten(chunk.text).is_some()
        }
        _ => true,
    }
}

/// Where the last line of a statement begins, if it is one of the shell's commands: the semicolon before it has been
/// forgotten. Inside a text or a comment it is none.
fn forgotten(text: &str) -> Option<usize> {
    let at = text.trim_end().rfind('\n')? + 1;
    let (before, line) = text.split_at_checked(at)?;
    let is_known = is_command(line) && first_word(line).and_then(command::named).is_some();
    let is_plain = line.trim_start().starts_with(['.', '\\']);
    let is_open = pieces(before).iter().any(|piece| piece.open);
    (is_known && is_plain && !is_open && !before.trim().is_empty()).then_some(at)
}

fn first_word(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next();
    word.map(|word| word.trim_end_matches(';'))
}

/// Cuts a script where commands stand between statements.
fn chunks(script: &str) -> Vec<Chunk<'_>> {
    let mut found = Vec::new();
    let mut sql = (0, 1);
    let mut start = 0;
    for (number, line) in script.split_inclusive('\n').enumerate() {
        let (begin, end) = (start, start + line.len());
        start = end;
        let open = script.get(sql.0..begin).unwrap_or("");
        if !(is_command(line) && is_closed(open)) {
            continue;
        }
        for (text, line, command) in [(open, sql.1, false), (line, number + 1, true)] {
            if !text.trim().is_empty() {
                found.push(Chunk {
                    text,
                    line,
                    command,
                });
            }
        }
        sql = (end, number + 2);
    }
    let rest = script.get(sql.0..).unwrap_or("");
    if !rest.trim().is_empty() {
        found.push(Chunk {
            text: rest,
            line: sql.1,
            command: false,
        });
    }
    found
}

/// Whether a line looks like a command; no statement begins so.
pub fn is_command(line: &str) -> bool {
    let line = line.trim();
    let mut letters = line.chars();
    match (letters.next(), letters.next()) {
        (Some('.'), Some(second)) => second.is_alphabetic(),
        (Some('\\'), second) => second.is_some(),
        _ => command::is_bare(line.trim_end_matches(';').trim_end()),
    }
}

/// Whether nothing is left open: the last word is a semicolon, or there is none.
fn is_closed(text: &str) -> bool {
    let found = pieces(text);
    let mut words = found.iter().rev().filter(|piece| piece.significant());
    let last_ends = words
        .next()
        .is_none_or(|piece| piece.kind == Kind::Symbol && piece.of(text) == ";");
    last_ends && !found.iter().any(|piece| piece.open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> Vec<String> {
        let spell = |unit: Unit| match unit {
            Unit::Statement { text, line } => format!("{line}: {text}"),
            Unit::Command { text, line } => format!("{line}! {text}"),
        };
        units(script).unwrap().into_iter().map(spell).collect()
    }

    #[test]
    fn commands_stand_between_statements() {
        let script =
            "-- load\n.timer on\nSELECT 1; SELECT\n 2;\n  \\dt\n\nSELECT '\n.tables\n';\nexit;\n";
        let expected = [
            "2! .timer on",
            "3: SELECT 1",
            "3: SELECT\n 2",
            "5! \\dt",
            "7: SELECT '\n.tables\n'",
            "10! exit;",
        ];
        assert_eq!(shown(script), expected);
    }

    #[test]
    fn inside_a_statement_no_line_is_a_command() {
        assert_eq!(shown("SELECT 1\n.5 +\n.x;"), ["1: SELECT 1\n.5 +\n.x"]);
        assert_eq!(
            shown("SELECT /* \n.quit\n*/ 1"),
            ["1: SELECT /* \n.quit\n*/ 1"]
        );
        assert_eq!(shown(".5;"), ["1: .5"]);
    }

    #[test]
    fn a_place_in_an_error_is_that_of_the_script() {
        let error = units("SELECT 1;\n.tables\n\nSELECT 'a").unwrap_err();
        assert!(error.to_string().contains("Line: 4"), "{error}");
    }

    #[test]
    fn a_command_behind_an_open_statement_is_told() {
        let error = units("SELECT 1;\nSELECT 2\n  .tables;\n").unwrap_err();
        let expected = ".tables is a command, and the statement before it has no semicolon at its end at Line: 3, Column: 1";
        assert_eq!(error.to_string(), expected);
        assert_eq!(shown("SELECT '\n.tables\n';"), ["1: SELECT '\n.tables\n'"]);
    }

    #[test]
    fn enter_runs_what_is_complete() {
        let complete = [
            "",
            "  ",
            ".tables",
            "\\d flights",
            "exit",
            "QUIT;",
            "SELECT 1;",
            "SELECT 1; -- one\n",
            "SELECT ';' /* ; */ ;\n",
            "-- nothing",
            "SELECT 1; SELECT 2;",
            "SELECT 1;\n.tables",
            // That the semicolon is missing is told at once.
            "SELECT 1\n.tables",
            "SELECT 1\n  \\d flights\n",
        ];
        let open = [
            "SELECT 1",
            "SELECT 1 -- ;",
            "SELECT ';",
            "SELECT \"a;",
            "SELECT 1 /* ;",
            "SELECT 1; SELECT 2",
            "SELECT $$ ;",
            "SELECT 1\n.nonsense",
            "SELECT a\nhelp",
            "SELECT '\n.tables",
            "SELECT 1; /* one",
            "SELECT 1; /*\n.tables",
        ];
        for text in complete {
            assert!(is_complete(text), "{text}");
        }
        for text in open {
            assert!(!is_complete(text), "{text}");
        }
    }
}
