//! Runs scripts: every statement in order, its result to the output, and an end at the first that fails.

use std::io::{self, Write};

use futures::StreamExt;

use super::format::{Format, Page};
use super::report;
use super::text::counted;
use crate::error::Error;
use crate::session::{Connection, Outcome, Statement};

/// How scripts are run and their results shown.
pub struct Runner<'a> {
    /// Where statements run.
    pub connection: &'a Connection,
    /// How results look.
    pub format: &'static dyn Format,
    /// The room that results have.
    pub page: Page,
}

/// Why a script ended before its end.
#[derive(Debug)]
pub enum Failure {
    /// A statement failed. The report is for people, without a line break at its end.
    Statement(String),
    /// The result could not be written. A closed pipe is one of these: its reader has seen enough.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// What one statement ran into, before it is known where the statement stands.
enum Trouble {
    Statement(Error),
    Output(io::Error),
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

impl Runner<'_> {
    /// Runs the statements of a script in order and writes their results to `out`, flushed after each.
    ///
    /// # Errors
    /// The first failure. The whole script is parsed before its first statement runs, so a script with a syntax error
    /// changes nothing; after a statement that fails the ones behind it do not run.
    pub async fn script(&self, script: &str, out: &mut dyn Write) -> Result<(), Failure> {
        let statements = self
            .connection
            .script(script)
            .map_err(|error| Failure::Statement(report::failed_script(&error, script)))?;
        for statement in &statements {
            self.statement(statement, out)
                .await
                .map_err(|trouble| match trouble {
                    Trouble::Statement(error) => {
                        Failure::Statement(report::failed_statement(&error, statement.text()))
                    }
                    Trouble::Output(error) => Failure::Output(error),
                })?;
            out.flush()?;
        }
        Ok(())
    }

    async fn statement(&self, statement: &Statement, out: &mut dyn Write) -> Result<(), Trouble> {
        match self.connection.run(statement).await? {
            Outcome::Rows(mut stream) => {
                let mut sheet = self.format.sheet(stream.schema(), self.page, out)?;
                while let Some(batch) = stream.next().await {
                    sheet.batch(&batch.map_err(Error::from)?)?;
                }
                sheet.finish()?;
            }
            Outcome::Affected { verb, rows } if self.format.for_people() => {
                writeln!(out, "{verb}: {}", counted(rows, "row"))?;
            }
            Outcome::Done { verb } if self.format.for_people() => writeln!(out, "{verb}")?,
            // What programs read are results alone.
            Outcome::Affected { .. } | Outcome::Done { .. } => {}
        }
        Ok(())
    }
}
