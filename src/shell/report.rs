//! Errors as people read them: what happened, the line it happened in, a caret below the place where one is known, and
//! what may be meant instead.

use std::error::Error as _;

use super::diagnose::{self, Diagnosis};
use super::names::Names;
use super::style::{Colors, Role};
use super::text::width;
use crate::datum::plain;
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
        let diagnosis = diagnose::of_error(error, &message, sql, self.names);
        // What the message says at its end has a line of its own.
        let hint = diagnosis.hint.as_deref().unwrap_or_default();
        let said = message
            .strip_suffix(hint)
            .and_then(|said| said.strip_suffix("; "));
        let said = without_lists(said.unwrap_or(&message));
        self.write(said, sql, origin, &diagnosis)
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
        // As the message itself says it.
        let cause_text = plain(&cause.to_string());
        if !text.contains(&cause_text) {
            text.push_str("\n  because: ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// A message without the suggestions at its end, for which the report has a line of its own.
fn without_lists(message: &str) -> &str {
    let ends = ["; there are ", "; its columns are ", "; the columns are "].into_iter();
    let end = ends.filter_map(|end| message.find(end)).min();
    let text = end.and_then(|end| message.get(..end)).unwrap_or(message);
    text.trim_end()
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
