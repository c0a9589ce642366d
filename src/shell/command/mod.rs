//! The shell's own commands. Each is one struct that implements [`Command`]; [`COMMANDS`] lists them, and help,
//! completion, highlighting and the tests walk that list.
//!
//! A command is a line of its own: a name, which begins with a dot, or an alias with a backslash as in psql, and
//! arguments. A semicolon at the end is ignored.

pub mod arguments;
mod backup;
mod explore;
mod key_of_values;
mod keys;
mod leave;
mod programs;
mod scripts;
mod settings;
mod variables;

use std::ops::ControlFlow;

use super::failure::Failure;
use super::state::{Answer, Shell};
use super::suggest::{closest, question};

/// A command of the shell.
pub trait Command: Sync {
    /// Its name, with the dot.
    fn name(&self) -> &'static str;

    /// Its other names.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its arguments as help shows them; those in brackets may be left out. Empty where it takes none.
    fn usage(&self) -> &'static str {
        ""
    }

    /// What completion offers for the arguments, one after the other; the last one for all that follow.
    fn arguments(&self) -> &'static [Offer] {
        &[]
    }

    /// One line of help.
    fn doc(&self) -> &'static str;

    /// Does it. `argument` is what follows the name, trimmed.
    ///
    /// # Errors
    /// What the user did wrong, what failed, or an output that is closed.
    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer;
}

/// What completion offers for an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// The tables.
    Tables,
    /// Files and directories.
    Files,
    /// One of these words.
    Words(&'static [&'static str]),
    /// The output formats.
    Formats,
    /// The commands.
    Commands,
    /// The variables.
    Variables,
    /// What SQL offers.
    Sql,
}

/// Every command, in the order of help.
pub static COMMANDS: &[&dyn Command] = &[
    &explore::Tables { more: false },
    &explore::Tables { more: true },
    &explore::Views,
    &explore::Functions,
    &explore::Describe { more: false },
    &explore::Describe { more: true },
    &explore::Schema,
    &keys::Keys,
    &keys::Ranges,
    &scripts::Read,
    &scripts::Import,
    &programs::Edit,
    &programs::Watch,
    &programs::System,
    &variables::Set,
    &variables::Unset,
    &variables::Print,
    &backup::Backup,
    &settings::Output { once: false },
    &settings::Output { once: true },
    &settings::Mode,
    &settings::Expanded,
    &settings::MaxRows,
    &settings::MaxWidth,
    &settings::NullValue,
    &settings::Bytes,
    &settings::Pager,
    &settings::Timer,
    &leave::Help,
    &leave::Quit,
];

const ONE_DATABASE: &str = "a shell has one database, and halite DATABASE opens another";

/// Commands of other shells, and what does it here.
static ELSEWHERE: &[(&str, &str)] = &[
    (
        "\\copy",
        "COPY TABLE FROM 'FILE' (HEADER) loads a file, COPY TABLE TO 'FILE' (HEADER) writes one",
    ),
    ("\\l", ONE_DATABASE),
    ("\\c", ONE_DATABASE),
    (".databases", ONE_DATABASE),
    (".open", ONE_DATABASE),
    (".show", "SHOW TABLES is a statement"),
    (
        ".dump",
        ".schema prints the tables' statements, COPY (SELECT …) TO 'FILE' writes rows",
    ),
    (".headers", "every result has its heading"),
    (
        "\\pset",
        ".mode, .expanded, .nullvalue and .pager set what it does",
    ),
    ("\\g", "a statement runs at its semicolon"),
    (".parameter", ".set NAME VALUE is for :NAME in statements"),
    ("\\du", "Halite has no users"),
    ("!columns", ".describe TABLE shows its columns"),
    ("!primarykeys", ".describe TABLE shows its row key"),
    (
        "!indexes",
        ".describe TABLE shows its row key, which is its only one",
    ),
    ("!run", ".read FILE runs a script"),
    ("!outputformat", ".mode FORMAT sets how results look"),
    ("!connect", ONE_DATABASE),
];

/// What a command that has nothing to say answers.
const GO_ON: Answer = Ok(ControlFlow::Continue(()));

/// Whether a line is one of the bare words that people type to leave or to be helped.
pub fn is_bare(line: &str) -> bool {
    let mut aliases = COMMANDS.iter().flat_map(|command| command.aliases());
    aliases.any(|alias| {
        alias.starts_with(|first: char| first.is_ascii_alphabetic())
            && alias.eq_ignore_ascii_case(line)
    })
}

/// The names of a command, its own first.
pub fn names(command: &dyn Command) -> impl Iterator<Item = &'static str> {
    std::iter::once(command.name()).chain(command.aliases().iter().copied())
}

/// The command of that name.
pub fn named(name: &str) -> Option<&'static dyn Command> {
    let mut commands = COMMANDS.iter().copied();
    commands.find(|command| names(*command).any(|known| known.eq_ignore_ascii_case(name)))
}

/// The command of a line, and its arguments.
///
/// # Errors
/// What to tell the user: there is no such command, or its arguments are too many or too few.
pub fn find(line: &str) -> Result<(&'static dyn Command, &str), String> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let Some(command) = named(name) else {
        if let Some((_, here)) = ELSEWHERE.iter().find(|(other, _)| *other == name) {
            return Err(format!("there is no command {name}; {here}"));
        }
        // Phoenix's shell has an exclamation mark in front.
        let dotted = name.strip_prefix('!').map(|rest| format!(".{rest}"));
        if let Some(here) = dotted.as_deref().and_then(named) {
            return Err(format!("there is no command {name}; write {}", here.name()));
        }
        let known = COMMANDS.iter().flat_map(|command| names(*command));
        let known = known.filter(|known| known.len() > 2);
        let asked = dotted.as_deref().unwrap_or(name);
        let hint = question(&closest(asked, known)).unwrap_or(".help lists them".to_owned());
        return Err(format!("there is no command {name}; {hint}"));
    };
    let usage = command.usage();
    if usage.is_empty() && !argument.is_empty() {
        return Err(format!("{name} takes no argument"));
    }
    if argument.is_empty() && !usage.is_empty() && !usage.starts_with('[') {
        return Err(format!("say {name} {usage}"));
    }
    Ok((command, argument))
}

/// Writes columns of text as a result in the shell's format.
fn show_texts(shell: &mut Shell<'_>, columns: &[(&str, Vec<String>)]) -> Answer {
    use arrow::array::{ArrayRef, RecordBatch, StringArray};
    let columns = columns.iter().map(|(name, values)| {
        let array: StringArray = values.iter().map(Some).collect();
        (*name, std::sync::Arc::new(array) as ArrayRef)
    });
    let batch =
        RecordBatch::try_from_iter(columns).map_err(|error| shell.complaint(&error.to_string()))?;
    let page = shell.page();
    let mut text = Vec::new();
    let mut sheet = shell
        .settings
        .format
        .sheet(batch.schema(), page, &mut text)?;
    sheet.batch(&batch)?;
    sheet.finish()?;
    shell.print(&String::from_utf8_lossy(&text))
}

/// Tells how a setting is, which is no result.
fn tell(shell: &mut Shell<'_>, text: &str) -> Answer {
    shell.outputs.tell(text)?;
    GO_ON
}

/// A failure of a command.
fn failed(shell: &Shell<'_>, message: &str) -> Result<ControlFlow<()>, Failure> {
    Err(shell.complaint(message))
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
