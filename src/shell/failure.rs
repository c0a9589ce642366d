//! Why a script ended before its end, and what a statement of it ran into.

use std::io;

use super::report;
use crate::error::Error;

/// Why a script ended before its end.
#[derive(Debug)]
pub enum Failure {
    /// A statement or a command failed. The report is for people, without a line break at its end.
    Statement(String),
    /// Standard output or standard error cannot be written. A closed pipe is one of these: its reader has seen enough.
    Output(io::Error),
    /// The user has stopped it.
    Interrupted,
}

impl Failure {
    /// Whether standard output is a pipe whose reader has gone.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Of an error that belongs to no statement.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Statement(report::message(&error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// What one statement ran into.
pub(super) enum Trouble {
    Statement(Error),
    Output(io::Error),
    Interrupted,
}

impl Trouble {
    /// The failure, of which `report` tells what is wrong with a statement.
    pub(super) fn told(self, report: impl FnOnce(Error) -> Failure) -> Failure {
        match self {
            Self::Statement(error) => report(error),
            Self::Output(error) => Failure::Output(error),
            Self::Interrupted => Failure::Interrupted,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Statement(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
