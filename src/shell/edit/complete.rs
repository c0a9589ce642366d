//! Completion: commands and their arguments, keywords, tables, columns of the statement's tables, functions, settings,
//! files.

use std::fs;

use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::context::{Context, Expected, context};
use crate::datum::identifier;
use crate::shell::command::{self, Offer};
use crate::shell::format::FORMATS;
use crate::shell::keywords::{BEGINNINGS, KEYWORDS};
use crate::shell::names::{Name, Names};

/// Completes from the names of a connection.
pub struct SqlCompleter {
    names: Names,
}

/// Something to put at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    /// What is compared with what was typed.
    name: String,
    /// What is written.
    value: String,
    /// What there is to say of it.
    note: String,
    /// Whether a space follows.
    ends: bool,
}

impl Candidate {
    fn word(name: &str, note: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: name.to_owned(),
            note: note.to_owned(),
            ends: true,
        }
    }

    fn named(name: &str, note: &str) -> Self {
        Self {
            value: identifier(name).into_owned(),
            ends: false,
            ..Self::word(name, note)
        }
    }

    fn function(name: &str, note: &str) -> Self {
        Self {
            value: format!("{name}("),
            ends: false,
            ..Self::word(name, note)
        }
    }
}

impl SqlCompleter {
    /// Offers what `names` has.
    pub fn new(names: Names) -> Self {
        Self { names }
    }

    /// What may stand at the cursor, and where the word begins that it stands for.
    fn candidates(&self, text: &str, cursor: usize) -> (usize, Vec<Candidate>) {
        let typed = text.get(..cursor).unwrap_or(text);
        let line = typed.trim_start();
        let indent = typed.len() - line.len();
        if line.starts_with(['.', '\\']) && !line.contains('\n') {
            let (start, found) = self.of_command(line);
            return (indent + start, found);
        }
        let here = context(text, cursor);
        let word = text.get(here.start..cursor).unwrap_or("");
        let found = match &here.expected {
            Expected::File => files(word),
            _ => matching(self.of_context(&here, word), word),
        };
        (here.start, found)
    }

    /// Completes a line that is a command.
    fn of_command(&self, line: &str) -> (usize, Vec<Candidate>) {
        let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = line.get(start..).unwrap_or("");
        if start == 0 {
            return (0, matching(command_names(word), word));
        }
        let name = line.split_whitespace().next().unwrap_or("");
        let position = line.split_whitespace().count() - usize::from(!word.is_empty()) - 1;
        let offers = command::named(name).map_or(&[][..], |command| command.arguments());
        let Some(offer) = offers.get(position).or(offers.last()) else {
            return (start, Vec::new());
        };
        let words = |words: &[&str]| words.iter().map(|word| Candidate::word(word, "")).collect();
        let found = match offer {
            Offer::Tables => self.tables(),
            Offer::Words(some) => words(some),
            Offer::Formats => {
                let formats = FORMATS.iter();
                formats
                    .map(|format| Candidate::word(format.name(), format.doc()))
                    .collect()
            }
            Offer::Commands => command_names(word),
            // Those of a session are not many, and who sets them knows them.
            Offer::Variables => Vec::new(),
            Offer::Files => return (start, files(word)),
            Offer::Sql => {
                // The statement begins behind the name of the command.
                let sql = line
                    .find(char::is_whitespace)
                    .map_or(line.len(), |at| at + 1);
                let here = line.get(sql..).unwrap_or("");
                let (start, found) = self.candidates(here, here.len());
                return (sql + start, found);
            }
        };
        (start, matching(found, word))
    }

    fn tables(&self) -> Vec<Candidate> {
        let tables = self.names.tables();
        tables
            .iter()
            .map(|table| Candidate::named(table, "table"))
            .collect()
    }

    fn of_context(&self, here: &Context, word: &str) -> Vec<Candidate> {
        match &here.expected {
            Expected::Beginning => keywords(BEGINNINGS, here, word),
            Expected::Table => self.for_table(here),
            Expected::ColumnOf(name) => {
                let table = here.tables.iter().find(|(alias, _)| alias == name);
                let columns = self.columns(table.map_or(name, |(_, table)| table));
                if columns.is_empty() && here.tables.is_empty() {
                    // An alias that is not given yet.
                    return self.all_columns();
                }
                columns
            }
            Expected::Setting => {
                let settings = self.names.settings();
                let shown = [
                    "TABLES",
                    "CREATE TABLE",
                    "TRANSFORMS",
                    "FUNCTIONS",
                    "STORE",
                    "ALL",
                ];
                let mut found: Vec<Candidate> = settings
                    .iter()
                    .map(|setting| Candidate::word(&setting.name, &setting.note))
                    .collect();
                found.extend(keywords(&shown, here, word));
                found
            }
            Expected::Value => self.for_value(here, word),
            Expected::Nothing | Expected::File => Vec::new(),
        }
    }

    fn for_table(&self, here: &Context) -> Vec<Candidate> {
        let queries = here.queries.iter();
        let mut found: Vec<Candidate> = queries
            .map(|query| Candidate::named(query, "query"))
            .collect();
        found.extend(self.tables());
        let functions = self.names.table_functions();
        found.extend(
            functions
                .iter()
                .map(|name| Candidate::function(name, "table function")),
        );
        found
    }

    /// Columns first, those of the statement's tables or, while it has none, of all; then what else a value can be.
    fn for_value(&self, here: &Context, word: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        if here.tables.is_empty() {
            found.extend(self.all_columns());
        }
        for (alias, table) in &here.tables {
            found.extend(self.columns(table));
            found.push(Candidate::named(alias, "table"));
        }
        found.extend(keywords(KEYWORDS, here, word));
        if !word.is_empty() {
            let functions = self.names.functions();
            let functions = functions.iter();
            found.extend(
                functions.map(|function| Candidate::function(&function.name, &function.note)),
            );
            found.extend(self.tables());
        }
        found
    }

    fn all_columns(&self) -> Vec<Candidate> {
        let tables = self.names.tables();
        tables
            .iter()
            .flat_map(|table| self.columns(table))
            .collect()
    }

    fn columns(&self, table: &str) -> Vec<Candidate> {
        let columns = self.names.columns(table);
        let candidate =
            |column: &Name| Candidate::named(&column.name, &format!("{} of {table}", column.note));
        columns.iter().map(candidate).collect()
    }
}

/// The names of commands. With a plus it is the same and more, which is offered to who asks for it.
fn command_names(word: &str) -> Vec<Candidate> {
    let commands = command::COMMANDS.iter();
    commands
        .flat_map(|command| {
            let names = command::names(*command);
            let names = names.filter(|name| !name.starts_with(char::is_alphabetic));
            let names = names.filter(|name| !name.ends_with('+') || word.ends_with('+'));
            names.map(|name| Candidate {
                ends: !command.usage().is_empty(),
                ..Candidate::word(name, command.doc())
            })
        })
        .collect()
}

/// Keywords in the case in which the user writes.
fn keywords(words: &[&str], here: &Context, word: &str) -> Vec<Candidate> {
    let lower = match word.chars().next() {
        Some(first) => first.is_lowercase(),
        None => here.lower,
    };
    let spelt = |word: &&str| {
        if lower {
            word.to_lowercase()
        } else {
            (*word).to_owned()
        }
    };
    words
        .iter()
        .map(|word| Candidate::word(&spelt(word), ""))
        .collect()
}

/// Those whose names begin with what was typed or, if none does, that hold it; each once.
fn matching(candidates: Vec<Candidate>, word: &str) -> Vec<Candidate> {
    let wanted = word.trim_start_matches(['"', '`']).to_lowercase();
    let pick = |test: fn(&str, &str) -> bool| {
        let mut seen = std::collections::HashSet::new();
        let fitting = candidates
            .iter()
            .filter(|candidate| test(&candidate.name.to_lowercase(), &wanted));
        let fitting = fitting.filter(|candidate| seen.insert(candidate.value.to_lowercase()));
        fitting.cloned().collect::<Vec<_>>()
    };
    let found = pick(|name, wanted| name.starts_with(wanted));
    if found.is_empty() && wanted.len() >= 2 {
        return pick(|name, wanted| name.contains(wanted));
    }
    found
}

/// The files and directories whose path begins with what was typed.
fn files(typed: &str) -> Vec<Candidate> {
    let quote = typed
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'));
    let path = quote.map_or(typed, |quote| typed.trim_start_matches(quote));
    let (directory, begun) = path
        .rfind('/')
        .map_or(("", path), |at| path.split_at(at + 1));
    let place = match directory {
        "" => std::path::PathBuf::from("."),
        some => command::arguments::home(some),
    };
    let Ok(entries) = fs::read_dir(place) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let hidden = name.starts_with('.') && !begun.starts_with('.');
        if hidden || !name.starts_with(begun) {
            continue;
        }
        let is_directory = fs::metadata(entry.path()).is_ok_and(|data| data.is_dir());
        let slash = if is_directory { "/" } else { "" };
        let quote = quote.map_or(String::new(), String::from);
        found.push(Candidate {
            value: format!("{quote}{directory}{name}{slash}"),
            note: if is_directory { "directory" } else { "" }.to_owned(),
            name,
            ends: false,
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

impl Completer for SqlCompleter {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, found) = self.candidates(line, pos);
        let suggestion = |candidate: Candidate| Suggestion {
            value: candidate.value,
            description: Some(candidate.note).filter(|note| !note.is_empty()),
            span: Span::new(start.min(pos), pos),
            append_whitespace: candidate.ends,
            ..Suggestion::default()
        };
        CompletionResult::fresh(found.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

#[cfg(test)]
#[path = "complete_tests.rs"]
mod tests;
