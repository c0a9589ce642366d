//! What commands of the shell may reach: files outside of databases, and programs.
//!
//! Whoever sits at the terminal may run programs. In a script, which may come from others, a command that runs one
//! (`.output |program`, `\!`, `\e`) needs the program's argument `--allow-commands`. Where the database is shut off
//! ([`Database::shut_external_access`](crate::session::Database::shut_external_access)) there are neither files nor programs.

use std::path::Path;

use super::redirect::Target;
use super::state::Shell;
use crate::error::{Error, Result};
use crate::store::check_outside;

impl Shell<'_> {
    /// Whether a file may be read or written.
    ///
    /// # Errors
    /// `NotSupported` where files are shut off; `InvalidInput` for one that belongs to a database.
    pub(super) fn check_file(&self, file: &Path) -> Result<()> {
        let database = self.connection.database();
        database.check_external_access(&format!("the file `{}`", file.display()))?;
        check_outside(file)
    }

    /// Whether results may go to a target.
    ///
    /// # Errors
    /// As [`Shell::check_file`]; `NotSupported` for a program that a script wants to run.
    pub(super) fn check_target(&self, target: &Target) -> Result<()> {
        match target {
            Target::File(file) => self.check_file(file),
            Target::Program(command) => self.check_program(command),
        }
    }

    /// Whether a program may be run.
    ///
    /// # Errors
    /// `NotSupported` where programs are shut off, or a script wants to run one.
    pub(super) fn check_program(&self, command: &str) -> Result<()> {
        let database = self.connection.database();
        database.check_external_access(&format!("the program `{command}`"))?;
        if self.settings.interactive || self.settings.allow_commands {
            Ok(())
        } else {
            Err(Error::unsupported(format!(
                "a script runs no programs, such as `{command}`, unless halite is started with --allow-commands"
            )))
        }
    }

    /// Whether results may go to a pager.
    pub(super) fn pages(&self) -> bool {
        let database = self.connection.database();
        self.settings.pages() && database.check_external_access("the pager").is_ok()
    }
}
