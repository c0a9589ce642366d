//! Help, and the way out.

use std::ops::ControlFlow;

use super::{COMMANDS, Command, Offer, failed, named, names};
use crate::shell::state::{Answer, Shell};
use crate::shell::text::{fit, width};

pub(super) struct Help;

impl Command for Help {
    fn name(&self) -> &'static str {
        ".help"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\?", "help"]
    }

    fn usage(&self) -> &'static str {
        "[COMMAND]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Commands]
    }

    fn doc(&self) -> &'static str {
        "lists the commands, or explains one"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        if argument.is_empty() {
            return shell.print(&list());
        }
        let with_dot = format!(".{argument}");
        match named(argument).or_else(|| named(&with_dot)) {
            Some(command) => shell.print(&explanation(command)),
            None => failed(
                shell,
                &format!("there is no command {argument}; .help lists them"),
            ),
        }
    }
}

fn usage(command: &dyn Command) -> String {
    let aliases = command.aliases().join(" ");
    let usage = format!("{} {}", command.name(), command.usage());
    let (usage, aliases) = (usage.trim_end(), aliases.trim_end());
    if aliases.is_empty() {
        usage.to_owned()
    } else {
        format!("{usage}  {aliases}")
    }
}

fn list() -> String {
    let usages: Vec<String> = COMMANDS.iter().map(|command| usage(*command)).collect();
    let short = usages
        .iter()
        .map(|usage| width(usage))
        .filter(|width| *width <= 30);
    let room = short.max().unwrap_or(0);
    let mut text = "Statements end with a semicolon. Commands are lines of their own:\n".to_owned();
    for (command, usage) in COMMANDS.iter().zip(&usages) {
        // A usage that is too long for its column has a line of its own.
        let usage = if width(usage) > room {
            format!("{usage}\n  {}", " ".repeat(room))
        } else {
            fit(usage, room, false)
        };
        text.push_str(&format!("  {usage}  {}\n", command.doc()));
    }
    text.push_str(
        "EXPLAIN KEYS SELECT … shows the key ranges of a query, EXPLAIN ANALYZE what it has read,\n\
         SHOW STORE tells of the store, VACUUM clears away at once what was deleted and overwritten,\n\
         VACUUM t that of a table.\n",
    );
    text.push_str(
        "Tab completes, Ctrl-R searches the history, Ctrl-C stops a statement, Ctrl-D leaves.\n",
    );
    text
}

fn explanation(command: &dyn Command) -> String {
    let usage = format!("{} {}", command.name(), command.usage());
    let mut text = format!("{}\n  {}\n", usage.trim_end(), command.doc());
    let aliases: Vec<_> = names(command).skip(1).collect();
    if !aliases.is_empty() {
        text.push_str(&format!("  also: {}\n", aliases.join(" ")));
    }
    text
}

pub(super) struct Quit;

impl Command for Quit {
    fn name(&self) -> &'static str {
        ".quit"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &[".exit", "\\q", "quit", "exit"]
    }

    fn doc(&self) -> &'static str {
        "leaves the shell, as Ctrl-D does"
    }

    fn run(&self, _: &mut Shell<'_>, _: &str) -> Answer {
        Ok(ControlFlow::Break(()))
    }
}
