//! Copies of the database, made by the process that has it open.

use super::arguments::file;
use super::{Command, GO_ON, Offer, failed, tell};
use crate::shell::report::message;
use crate::shell::state::{Answer, Shell};

pub(super) struct Backup;

impl Command for Backup {
    fn name(&self) -> &'static str {
        ".backup"
    }

    fn usage(&self) -> &'static str {
        "DIR"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files]
    }

    fn doc(&self) -> &'static str {
        "copies the database into a new directory, while others write"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let path = file(argument);
        // Whether something is at the path itself is told by who makes the backup.
        if let Err(error) = shell.check_file(path.parent().unwrap_or(&path)) {
            return failed(shell, error.message());
        }
        let backup = shell.connection.database().backup(&path);
        if let Err(error) = shell.runtime.block_on(backup) {
            let report = message(&error);
            return failed(shell, report.strip_prefix("error: ").unwrap_or(&report));
        }
        // What programs read are results alone.
        if !shell.settings.format.for_people() {
            return GO_ON;
        }
        tell(shell, &format!("{} is a backup", path.display()))
    }
}
