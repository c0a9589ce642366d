//! What statements may reach besides the tables: files, and settings that reach the machine.
//!
//! Whoever embeds Halite in a program that gets its SQL from others shuts both off: `SET halite.external_access = false`,
//! or [`Database::shut_external_access`](crate::session::Database::shut_external_access). It is a property of the database in this process and of
//! all its connections, and nothing turns it on again. `SET halite.lock_configuration = true` does the same for all settings.
//!
//! Two things are out of reach at all times: the files of databases, through SQL
//! ([`check_outside`](crate::store::check_outside)), and values of settings at which the process would end instead of the
//! statement ([`bounds`]).

use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::config::ConfigExtension;

use crate::error::{Error, Result};
use crate::settings::{HaliteOptions, bounds};

/// Settings by which a statement takes more of the machine, or other places of it; each with all that it begins.
const OF_THE_MACHINE: &[&str] = &[
    "datafusion.runtime.",
    "halite.memory_limit",
    "halite.function_bytes",
    "datafusion.execution.target_partitions",
    "datafusion.execution.planning_concurrency",
];

/// What is shut, for all connections of a database.
#[derive(Debug, Default)]
pub(crate) struct Restrictions {
    shut: AtomicBool,
    locked: AtomicBool,
}

impl Restrictions {
    /// From now on nothing but the tables is within reach.
    pub(crate) fn shut(&self) {
        self.shut.store(true, Ordering::Release);
    }

    /// From now on no setting changes.
    pub(crate) fn lock(&self) {
        self.locked.store(true, Ordering::Release);
    }

    fn is_shut(&self) -> bool {
        self.shut.load(Ordering::Acquire)
    }

    fn is_locked(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// Whether files and programs may be used; `what` is what is to be done with them.
    ///
    /// # Errors
    /// `NotSupported` where it is shut.
    pub(crate) fn check(&self, what: &str) -> Result<()> {
        if self.is_shut() {
            Err(Error::unsupported(format!(
                "{what} is out of reach: {}.external_access is false, and stays so",
                HaliteOptions::PREFIX
            )))
        } else {
            Ok(())
        }
    }

    /// Whether a setting may have a value; `None` for its default.
    ///
    /// # Errors
    /// `NotSupported` where settings, or this one, are shut; `InvalidInput` for a value out of bounds.
    pub(crate) fn check_setting(&self, name: &str, value: Option<&str>) -> Result<()> {
        let name = name.to_ascii_lowercase();
        if self.is_locked() {
            return Err(Error::unsupported(format!(
                "{name} cannot be changed: {}.lock_configuration is true",
                HaliteOptions::PREFIX
            )));
        }
        let of_the_machine = OF_THE_MACHINE.iter().any(|begin| name.starts_with(begin));
        if of_the_machine || name == full_name("external_access") && !is_false(value) {
            self.check(&format!("the setting {name}"))?;
        }
        bounds::check(&name, value)
    }

    /// Takes over what a connection has just been told.
    pub(crate) fn follow(&self, options: &HaliteOptions) {
        if !options.external_access {
            self.shut();
        }
        if options.lock_configuration {
            self.lock();
        }
    }

    /// Writes into the settings of a statement what is shut by now.
    pub(crate) fn show(&self, options: &mut HaliteOptions) {
        options.external_access = !self.is_shut();
        options.lock_configuration = self.is_locked();
    }

    /// Whether anything is shut.
    pub(crate) fn is_restricted(&self) -> bool {
        self.is_shut() || self.is_locked()
    }
}

fn full_name(setting: &str) -> String {
    format!("{}.{setting}", HaliteOptions::PREFIX)
}

fn is_false(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case("false"))
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
