//! The shell's own commands. Each is one struct that implements [`Command`]; [`COMMANDS`] lists them, and `.help` and
//! the tests walk that list.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::format::{self, FORMATS};
use super::repl::Shell;

/// What a command did: go on, or leave the shell. The error is what to tell the user.
pub type Answer = Result<ControlFlow<()>, String>;

/// A command of the shell.
pub trait Command: Sync {
    /// Its name, with the dot.
    fn name(&self) -> &'static str;

    /// Its argument as help shows it; empty where it takes none.
    fn argument(&self) -> &'static str {
        ""
    }

    /// One line of help.
    fn doc(&self) -> &'static str;

    /// Does it. `argument` is what follows the name, trimmed.
    ///
    /// # Errors
    /// Those of `out`; what the user did wrong is part of the [`Answer`].
    fn run(&self, shell: &mut Shell<'_>, argument: &str, out: &mut dyn Write)
    -> io::Result<Answer>;
}

/// Every command, in the order of help.
pub static COMMANDS: &[&dyn Command] = &[&Help, &Mode, &Tables, &Quit];

const GO_ON: io::Result<Answer> = Ok(Ok(ControlFlow::Continue(())));

/// Finds the command of a line that starts with a dot, and the argument.
///
/// # Errors
/// What to tell the user: there is no such command, or it takes no argument.
pub fn find(line: &str) -> Result<(&'static dyn Command, &str), String> {
    let line = line.trim().trim_end_matches(';');
    let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let mut commands = COMMANDS.iter().copied();
    let Some(command) = commands.find(|command| command.name() == name) else {
        return Err(format!(
            "error: there is no command {name}; .help lists them"
        ));
    };
    if command.argument().is_empty() && !argument.is_empty() {
        return Err(format!("error: {name} takes no argument"));
    }
    Ok((command, argument))
}

struct Help;

impl Command for Help {
    fn name(&self) -> &'static str {
        ".help"
    }

    fn doc(&self) -> &'static str {
        "lists the commands"
    }

    fn run(&self, _: &mut Shell<'_>, _: &str, out: &mut dyn Write) -> io::Result<Answer> {
        writeln!(out, "Statements end with a semicolon. Commands are:")?;
        for command in COMMANDS {
            let usage = format!("{} {}", command.name(), command.argument());
            writeln!(out, "  {usage:<14}{}", command.doc())?;
        }
        GO_ON
    }
}

struct Mode;

impl Command for Mode {
    fn name(&self) -> &'static str {
        ".mode"
    }

    fn argument(&self) -> &'static str {
        "FORMAT"
    }

    fn doc(&self) -> &'static str {
        "shows results in this format; without one, lists the formats"
    }

    fn run(
        &self,
        shell: &mut Shell<'_>,
        argument: &str,
        out: &mut dyn Write,
    ) -> io::Result<Answer> {
        if argument.is_empty() {
            let current = shell.runner.format.name();
            for format in FORMATS {
                let sign = if format.name() == current { '*' } else { ' ' };
                writeln!(out, "{sign} {:<10}{}", format.name(), format.doc())?;
            }
            return GO_ON;
        }
        let Some(format) = format::named(argument) else {
            return Ok(Err(format!(
                "error: there is no format {argument}; .mode lists them"
            )));
        };
        shell.runner.format = format;
        GO_ON
    }
}

struct Tables;

impl Command for Tables {
    fn name(&self) -> &'static str {
        ".tables"
    }

    fn doc(&self) -> &'static str {
        "lists the tables, as SHOW TABLES does"
    }

    fn run(&self, shell: &mut Shell<'_>, _: &str, out: &mut dyn Write) -> io::Result<Answer> {
        shell.sql("SHOW TABLES", out)
    }
}

struct Quit;

impl Command for Quit {
    fn name(&self) -> &'static str {
        ".quit"
    }

    fn doc(&self) -> &'static str {
        "leaves the shell, as control-D does"
    }

    fn run(&self, _: &mut Shell<'_>, _: &str, _: &mut dyn Write) -> io::Result<Answer> {
        Ok(Ok(ControlFlow::Break(())))
    }
}
