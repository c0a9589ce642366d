//! The shell's state, and how it runs a statement. Scripts are apart, in `super::run_script`, and editing lines in
//! `super::edit`, so that the rest is tested without a terminal.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::failure::{Failure, Trouble};
use super::format::{Format, Page};
use super::interrupt::Interrupts;
use super::names::Names;
use super::output::{Limit, Outputs};
use super::report::{Origin, Reporter};
use super::threads::let_go;
use super::variables::Variables;
use crate::error::Error;
use crate::session::{Connection, Statement};

/// What the user can change.
#[derive(Clone)]
pub struct Settings {
    /// How results look.
    pub format: &'static dyn Format,
    /// The table that results are written for, where they are statements.
    pub table: Option<Arc<str>>,
    /// How many rows of a result people are shown.
    pub rows: Limit,
    /// How wide a box may be.
    pub width: Limit,
    /// What stands for NULL, where it is not the format's own sign.
    pub null: Option<Arc<str>>,
    /// Whether key ranges are drawn with their bytes.
    pub shows_bytes: bool,
    /// Whether each statement tells what it cost.
    pub timer: bool,
    /// Whether what does not fit the screen is read in a pager.
    pub pager: bool,
    /// Whether a script ends at the first statement that fails.
    pub bail: bool,
    /// Whether all of a script is parsed before its first statement runs.
    pub check_first: bool,
    /// Whether somebody sits at the terminal, who is told what changes.
    pub interactive: bool,
    /// Whether commands of scripts may run programs.
    pub allow_commands: bool,
    /// Whether what is typed is kept for the next time.
    pub history: bool,
}

impl Settings {
    /// Those of a script that shows results in `format`.
    pub fn new(format: &'static dyn Format) -> Self {
        Self {
            format,
            table: None,
            rows: Limit::Fit,
            width: Limit::Fit,
            null: None,
            shows_bytes: false,
            timer: false,
            pager: true,
            bail: true,
            check_first: false,
            interactive: false,
            allow_commands: false,
            history: true,
        }
    }

    /// Whether results may go to a pager.
    pub(super) fn pages(&self) -> bool {
        self.pager && self.interactive
    }
}

/// A connection, and how the user sees it.
pub struct Shell<'a> {
    /// Where statements run.
    pub connection: Connection,
    /// What the shell waits in.
    pub runtime: &'a Runtime,
    /// What statements run on; made when the first does.
    pub(super) workers: Option<Runtime>,
    /// What the user can change.
    pub settings: Settings,
    /// Where results and complaints go.
    pub outputs: Outputs<'a>,
    /// What stands for names in statements.
    pub variables: Variables,
    /// The last statement that ran, without its semicolon.
    pub(super) last: String,
    /// What of a script has failed while it went on.
    pub failures: usize,
    /// Whether standard output has failed before the last statement of a script.
    pub unfinished: bool,
    /// Ctrl-C since [`Shell::listen`].
    pub(super) interrupts: Option<Interrupts>,
    /// What the command that runs asks for.
    pub(super) asked: Option<Asked>,
    /// How many scripts wait for the one that they read.
    pub(super) nested: usize,
}

impl Drop for Shell<'_> {
    fn drop(&mut self) {
        if let Some(workers) = self.workers.take() {
            let_go(workers);
        }
    }
}

/// Where a script is from.
#[derive(Clone, Copy)]
pub(super) struct ScriptSource<'a> {
    pub(super) file: Option<&'a str>,
    /// Whether it is one line, of which nobody needs the number.
    pub(super) lone: bool,
}

/// A script that a command asks for, to be run behind it.
pub(super) enum Asked {
    Text(String),
    File(PathBuf),
}

/// What a script or a command ended with: go on, or leave the shell.
pub type Answer = Result<ControlFlow<()>, Failure>;

impl<'a> Shell<'a> {
    /// A shell over a connection.
    pub fn new(
        connection: Connection,
        runtime: &'a Runtime,
        settings: Settings,
        outputs: Outputs<'a>,
    ) -> Self {
        Self {
            connection,
            runtime,
            workers: None,
            settings,
            outputs,
            variables: Variables::default(),
            last: String::new(),
            failures: 0,
            unfinished: false,
            interrupts: None,
            asked: None,
            nested: 0,
        }
    }

    /// From now on Ctrl-C ends what runs and all that would run after it, up to the next call: of this when a script
    /// begins, and at a terminal with every line that is entered.
    ///
    /// # Errors
    /// `Unavailable` where the system has no thread left.
    pub fn listen(&mut self) -> Result<(), Error> {
        self.interrupts = Some(Interrupts::listen()?);
        Ok(())
    }

    /// Runs the statement that a command is written for, which is not the last one that the user ran.
    ///
    /// # Errors
    /// Its failure; without [`Settings::bail`] that is told and counted, and only what stops everything is an error.
    pub(super) fn statement_of_command(&mut self, text: &str) -> Answer {
        self.check_interrupts()?;
        let last = std::mem::take(&mut self.last);
        let source = ScriptSource {
            file: None,
            lone: !text.trim_end().contains('\n'),
        };
        let done = self.parsed(text, 1, source);
        let done = done.and_then(|(statements, line)| self.run_all(&statements, line, source));
        self.last = last;
        self.unless_bailing(done)
    }

    /// Runs the statements of one text.
    pub(super) fn run_all(
        &mut self,
        statements: &[Statement],
        line: usize,
        source: ScriptSource<'_>,
    ) -> Answer {
        let file = source.file;
        for statement in statements {
            statement.text().clone_into(&mut self.last);
            let origin = Origin { file, line };
            self.run(statement).map_err(|trouble| {
                trouble.told(|error| self.report(&error, statement.text(), origin))
            })?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// `Interrupted` once Ctrl-C has been pressed.
    pub(super) fn check_interrupts(&self) -> Result<(), Failure> {
        if self.interrupts.as_ref().is_some_and(Interrupts::have_come) {
            Err(Failure::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Without [`Settings::bail`], tells what failed, and counts it. What stops everything stays an error.
    pub(super) fn unless_bailing(&mut self, answer: Answer) -> Answer {
        match answer {
            Err(Failure::Statement(report)) if !self.settings.bail => {
                self.failures += 1;
                self.outputs.log(&report)?;
                Ok(ControlFlow::Continue(()))
            }
            other => other,
        }
    }

    /// A failure with this message.
    pub fn complaint(&self, message: &str) -> Failure {
        let colors = self.outputs.log_colors();
        let reporter = Reporter {
            names: None,
            colors,
        };
        Failure::Statement(reporter.note(message))
    }

    /// The statements of a text, one unless the values of variables make several, and the line that errors name.
    pub(super) fn parsed(
        &self,
        text: &str,
        line: usize,
        source: ScriptSource<'_>,
    ) -> Result<(Vec<Statement>, usize), Failure> {
        let line = if source.lone { 0 } else { line };
        let text = self.variables.fill(text);
        match self.connection.script(&text) {
            Ok(statements) if statements.is_empty() => Err(self.complaint("there is no statement")),
            Ok(statements) => Ok((statements, line)),
            Err(error) => {
                let file = source.file;
                Err(self.report(&error, &text, Origin { file, line }))
            }
        }
    }

    fn report(&self, error: &Error, sql: &str, origin: Origin<'_>) -> Failure {
        let names = Names::new(self.connection.clone());
        let reporter = Reporter {
            names: Some(&names),
            colors: self.outputs.log_colors(),
        };
        Failure::Statement(reporter.statement(error, sql, origin))
    }

    /// The room that a result has, and what else its format is told.
    pub(super) fn page(&self) -> Page {
        let Settings {
            rows,
            width,
            table,
            null,
            shows_bytes,
            ..
        } = &self.settings;
        Page {
            table: table.clone(),
            null: null.clone(),
            shows_bytes: *shows_bytes,
            ..self.outputs.page(*rows, *width, self.pages())
        }
    }

    /// Writes text as a result: by the pager where it does not fit the screen.
    ///
    /// # Errors
    /// Those of the output.
    pub fn print(&mut self, text: &str) -> Answer {
        let written = self.write(text);
        // Also after an error: a file for one result is closed behind it.
        let written = written.and(self.outputs.end_result());
        written
            .map(ControlFlow::Continue)
            .map_err(|trouble| trouble.told(|error| self.complaint(error.message())))
    }

    fn write(&mut self, text: &str) -> Result<(), Trouble> {
        use std::io::Write;
        let pages = self.pages();
        let mut out = self.outputs.result(pages, None);
        match out.write_all(text.as_bytes()) {
            Err(error) => out.trouble(error).map_or(Ok(()), Err),
            Ok(()) => Ok(out.finish()?),
        }
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
pub(crate) mod tests;
