//! Scripts and data from files.

use super::arguments::{file, first_word, home, table};
use super::{Command, GO_ON, Offer, failed};
use crate::datum::identifier;
use crate::schema::quoted;
use crate::shell::state::{Answer, Asked, Shell};

pub(super) struct Read;

impl Command for Read {
    fn name(&self) -> &'static str {
        ".read"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\i"]
    }

    fn usage(&self) -> &'static str {
        "FILE"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files]
    }

    fn doc(&self) -> &'static str {
        "runs the statements and commands of a file"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let path = file(argument);
        if let Err(error) = shell.check_file(&path) {
            return failed(shell, error.message());
        }
        shell.asked = Some(Asked::File(path));
        GO_ON
    }
}

pub(super) struct Import;

impl Command for Import {
    fn name(&self) -> &'static str {
        ".import"
    }

    fn usage(&self) -> &'static str {
        "FILE TABLE [(OPTION, …)]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files, Offer::Tables, Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "loads a file into a table, as COPY TABLE FROM 'FILE' does"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let (name, rest) = first_word(argument);
        let Some((table, options)) = table(rest) else {
            return failed(shell, &format!("say .import {}", self.usage()));
        };
        let path = home(&name);
        let path = quoted(&path.to_string_lossy());
        let copy = format!("COPY {} FROM {path} {options}", identifier(&table));
        shell.statement_of_command(copy.trim_end())
    }
}
