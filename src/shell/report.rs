//! Errors as people read them: what happened, the line it happened in, a caret below the place where one is known, and
//! what may be meant instead.

use std::error::Error as _;

use super::diagnose::{self, Diagnosis};
use super::names::Names;
use super::style::{Colors, Role};
use super::text::width;
use super::types;
use crate::error::Error;

/// The most columns of a statement that a report shows.
const SHOWN: usize = 100;

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    /// The file, if it is from one.
    pub file: Option<&'a str>,
    /// The line of the script that it begins on, from 1; 0 where the script has only one line.
    pub line: usize,
}

/// Reports errors.
#[derive(Clone, Copy, Default)]
pub struct Reporter<'a> {
    /// What to suggest names from.
    pub names: Option<&'a Names>,
    /// Colours of the output that reports go to.
    pub colors: Colors,
}

impl Reporter<'_> {
    /// The report of a statement that failed, without a line break at its end.
    pub fn statement(&self, error: &Error, sql: &str, origin: Origin<'_>) -> String {
        let message = message(error);
        if let Some((text, line, column)) = split_position(&message) {
            let diagnosis = match offset(sql, line, column) {
                Some(at) => diagnose::of_syntax(sql, at),
                None => Diagnosis::default(),
            };
            // A text that goes on over lines is named as it stands.
            return self.write(&text.replace('\n', "\\n"), sql, origin, &diagnosis);
        }
        let diagnosis = diagnose::of_message(&message, sql, self.names);
        // What the message says at its end has a line of its own.
        let hint = diagnosis.hint.as_deref().unwrap_or_default();
        let said = message
            .strip_suffix(hint)
            .and_then(|said| said.strip_suffix("; "));
        self.write(&plain(said.unwrap_or(&message)), sql, origin, &diagnosis)
    }

    /// The report of a script that is no sequence of statements, from the text on that is none.
    pub fn script(&self, error: &Error, script: &str, origin: Origin<'_>) -> String {
        let message = message(error);
        let (text, diagnosis) = match split_position(&message) {
            Some((text, line, column)) => {
                let at = offset(script, line, column);
                let place = at.map(|at| (at, at + 1));
                (text, Diagnosis { place, hint: None })
            }
            None => (message.as_str(), Diagnosis::default()),
        };
        self.write(text, script, origin, &diagnosis)
    }

    /// An error that is not about SQL: a command of the shell, a file.
    pub fn note(&self, text: &str) -> String {
        format!("{} {text}", self.colors.paint(Role::Error, "error:"))
    }

    fn write(&self, text: &str, sql: &str, origin: Origin<'_>, diagnosis: &Diagnosis) -> String {
        let text = text.strip_prefix("error: ").unwrap_or(text);
        let excerpt = match diagnosis.place {
            Some((start, end)) => Excerpt::at(sql, start, end),
            None => Excerpt::first_line(sql),
        };
        let mut report = self.note(text);
        report.push_str(&origin.text(excerpt.line));
        report.push_str("\n  ");
        report.push_str(&excerpt.text);
        if let Some((before, length)) = excerpt.caret {
            let carets = self.colors.paint(Role::Hint, &"^".repeat(length));
            report.push_str(&format!("\n  {}{carets}", " ".repeat(before)));
        }
        if let Some(hint) = &diagnosis.hint {
            report.push_str("\n  ");
            report.push_str(&self.colors.paint(Role::Hint, hint));
        }
        report
    }
}

impl Origin<'_> {
    /// ` (load.sql, line 7)`, where the excerpt is on a line of the statement counted from 0.
    fn text(&self, line: usize) -> String {
        match (self.file, self.line) {
            (None, 0) => String::new(),
            (None, first) => format!(" (line {})", first + line),
            (Some(file), first) => format!(" ({file}, line {})", first.max(1) + line),
        }
    }
}

/// A statement that the store or the planner refused: the message, and the statement's first line.
pub fn failed_statement(error: &Error, sql: &str) -> String {
    Reporter::default().statement(error, sql, Origin::default())
}

/// `error: …`, with the causes that the message itself does not name.
pub fn message(error: &Error) -> String {
    let mut text = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // A layer that an error has come through puts its name in front, and says nothing else.
        let bare = cause_text.trim_start_matches("External error: ");
        if !text.contains(bare) {
            text.push_str("\n  because: ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// A message without what is of no use to the reader: the layers of DataFusion it came through, the only catalog there
/// is, and suggestions, for which the report has a line of its own.
fn plain(message: &str) -> String {
    let mut text = message.replace("halite.public.", "");
    text = text.replace("table 'halite.", "table '");
    for layer in [
        "Error during planning: ",
        "Schema error: ",
        "Arrow error: ",
        "Invalid or Unsupported Configuration: ",
        "Cast error: ",
        "Parser error: ",
        "This feature is not implemented: ",
    ] {
        text = text.replace(layer, "");
    }
    // The planner lists signatures and asks for a bug report before it says what is wrong.
    if let Some(at) = text.find("No function matches the given name and argument types") {
        let rest = text.get(at..).unwrap_or("").to_owned();
        text = format!("error: {rest}");
    }
    for end in [
        " Did you mean '",
        "\nDid you mean '",
        "\nValid fields are ",
        " Valid fields are ",
        "; there are ",
        "; its columns are ",
    ] {
        if let Some(at) = text.find(end) {
            text.truncate(at);
        }
    }
    let text = text.trim_end();
    let sentence = |before: &str, after: &str| {
        let name = text.strip_prefix("error: ")?.strip_prefix(before)?;
        name.strip_suffix(after)
    };
    if let Some(name) = sentence("table '", "' not found") {
        return format!("error: there is no table {name}");
    }
    if let Some(name) = sentence("No field named ", ".") {
        return format!("error: there is no column {name}");
    }
    let function =
        sentence("Invalid function '", "'.").or_else(|| sentence("Invalid function '", "'"));
    if let Some(name) = function {
        return format!("error: there is no function {name}");
    }
    if let Some(name) = ungrouped(text) {
        return format!("error: column {name} must stand in GROUP BY or in an aggregate function");
    }
    let text = types::by_sql_names(text);
    // Functions that take several of Arrow's types for a text are one to SQL.
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.dedup();
    lines.join("\n")
}

/// The column that a message misses in GROUP BY.
fn ungrouped(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("While expanding wildcard, column \"")?;
    Some(rest.split_once("\" must appear in the GROUP BY")?.0)
}

/// Splits the parser's ` at Line: 1, Column: 8` from the end of its message. Both count from 1.
fn split_position(message: &str) -> Option<(&str, usize, usize)> {
    let (text, position) = message.rsplit_once(" at Line: ")?;
    let (line, column) = position.split_once(", Column: ")?;
    let (line, column) = (line.parse().ok()?, column.trim_end().parse().ok()?);
    (line > 0 && column > 0).then_some((text, line, column))
}

/// The byte of a text at a line and a column, both from 1; the end of the line where the column is behind it.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let mut start = 0;
    for (number, content) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            let within = content.char_indices().nth(column - 1);
            return Some(start + within.map_or(content.len(), |(at, _)| at));
        }
        start += content.len();
    }
    None
}

/// A line of a statement, as much of it as is shown.
struct Excerpt {
    text: String,
    /// Which line of the statement it is, from 0.
    line: usize,
    /// The columns in front of the carets, and how many carets.
    caret: Option<(usize, usize)>,
}

impl Excerpt {
    /// The first line that is not empty, with an ellipsis if there are more.
    fn first_line(sql: &str) -> Self {
        let mut lines = sql.lines().map(str::trim_end).enumerate();
        let first = lines.find(|(_, line)| !line.trim().is_empty());
        let (number, first) = first.unwrap_or((0, ""));
        let more = lines.any(|(_, line)| !line.trim().is_empty());
        let (shown, _) = window(first.trim_start(), 0);
        let ellipsis = if more { " …" } else { "" };
        Self {
            text: format!("{shown}{ellipsis}"),
            line: number,
            caret: None,
        }
    }

    /// The line around a place, which is given in bytes.
    fn at(sql: &str, start: usize, end: usize) -> Self {
        let before = sql.get(..start).unwrap_or(sql);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = sql.get(line_start..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let letters = |part: &str| part.chars().count();
        let (shown, columns) = window(line, letters(before.get(line_start..).unwrap_or("")));
        let wrong = sql
            .get(start..end.min(line_start + line.len()))
            .unwrap_or("");
        let room = width(&shown).saturating_sub(columns).max(1);
        Self {
            text: shown,
            line: before.matches('\n').count(),
            caret: Some((columns, width(wrong).clamp(1, room))),
        }
    }
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
    let left = if start > 0 { "…" } else { "" };
    let right = if start + SHOWN < letters.len() {
        "…"
    } else {
        ""
    };
    (
        format!("{left}{shown}{right}"),
        width(left) + width(&before),
    )
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
