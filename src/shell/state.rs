//! The shell's state, and what it does with a script. Editing lines is apart, in `super::edit`, so that all of this is
//! tested without a terminal.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::command::{self, Command};
use super::failure::{Failure, Trouble};
use super::format::{Format, Page};
use super::interrupt::Interrupts;
use super::names::Names;
use super::output::{Limit, Outputs};
use super::report::{Origin, Reporter};
use super::script::{Broken, Unit, Units};
use super::threads::let_go;
use super::variables::Variables;
use crate::error::Error;
use crate::session::{Connection, Statement};
use crate::sql::copy_statement::ScriptRows;

/// How deep scripts may read scripts.
const NESTED: usize = 16;

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
    nested: usize,
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
struct Source<'a> {
    file: Option<&'a str>,
    /// Whether it is one line, of which nobody needs the number.
    lone: bool,
}

/// What a script or a command ended with: go on, or leave the shell.
pub type Answer = Result<ControlFlow<()>, Failure>;

/// A statement or a command that is ready to run. Of one statement the values of variables may have made several.
enum Step<'t> {
    Statements(Vec<Statement>, usize),
    Command(&'static dyn Command, &'t str),
}

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

    /// Runs a script that is at hand.
    ///
    /// # Errors
    /// As [`Shell::read_script`].
    pub fn script(&mut self, text: &str, file: Option<&str>) -> Answer {
        let lone = file.is_none() && !text.trim_end().contains('\n');
        self.run_script(Units::of_text(text), Source { file, lone })
    }

    /// Runs the statements that a command is written for. None of them is the last one that the user ran.
    ///
    /// # Errors
    /// As [`Shell::read_script`].
    pub(super) fn script_of_command(&mut self, text: &str) -> Answer {
        let last = std::mem::take(&mut self.last);
        let answer = self.script(text, None);
        self.last = last;
        answer
    }

    /// Runs a script, which may be from a file, as it is read: each statement before the next is read.
    ///
    /// With [`Settings::bail`], after a statement that fails the ones behind it do not run. Without, what fails is told
    /// and counted, and the script goes on. With [`Settings::check_first`], all of it is read and parsed before its first
    /// statement runs, so that a script with a mistake changes nothing.
    ///
    /// # Errors
    /// The first failure; without `bail`, only what stops everything: an interruption, an output that is closed.
    pub fn read_script(&mut self, script: Units, file: Option<&str>) -> Answer {
        self.run_script(script, Source { file, lone: false })
    }

    fn run_script(&mut self, mut units: Units, source: Source<'_>) -> Answer {
        if self.settings.check_first {
            units = self.checked(units, source)?;
        }
        loop {
            let unit;
            (units, unit) = self.next_unit(units)?;
            let done = match unit {
                Ok(None) => return Ok(ControlFlow::Continue(())),
                Ok(Some(unit)) => self
                    .prepare(&unit, source)
                    .and_then(|step| self.step(step, source)),
                Err(broken) => Err(self.broken(&broken, source)),
            };
            let answer = match self.settings.bail {
                true => done,
                false => self.go_on(done),
            };
            if !matches!(answer, Ok(ControlFlow::Continue(()))) {
                if matches!(answer, Err(Failure::Output(_))) {
                    let (_, next) = self.next_unit(units)?;
                    self.unfinished |= !matches!(next, Ok(None));
                }
                return answer;
            }
        }
    }

    /// All that a script consists of, of which no part has a mistake.
    fn checked(&mut self, mut units: Units, source: Source<'_>) -> Result<Units, Failure> {
        let mut found = Vec::new();
        loop {
            let unit;
            (units, unit) = self.next_unit(units)?;
            match unit {
                Ok(None) => return Ok(Units::of(found)),
                Ok(Some(unit)) => {
                    // What variables stand for is known when it runs.
                    if !unit.waits_for_variables() {
                        self.prepare(&unit, source)?;
                    }
                    found.push(unit);
                }
                Err(broken) => return Err(self.broken(&broken, source)),
            }
        }
    }

    /// The next part of a script, which may have to be waited for; Ctrl-C ends the waiting.
    fn next_unit(
        &self,
        mut units: Units,
    ) -> Result<(Units, Result<Option<Unit>, Broken>), Failure> {
        if self.interrupts.as_ref().is_some_and(Interrupts::have_come) {
            return Err(Failure::Interrupted);
        }
        if let Some(unit) = units.ready() {
            return Ok((units, Ok(Some(unit))));
        }
        match units.may_wait() {
            false => {
                let unit = units.read();
                Ok((units, unit))
            }
            true => self.unless_interrupted(move || {
                let unit = units.read();
                (units, unit)
            }),
        }
    }

    fn broken(&self, broken: &Broken, source: Source<'_>) -> Failure {
        let colors = self.outputs.log_colors();
        let reporter = Reporter {
            names: None,
            colors,
        };
        let line = if source.lone { 0 } else { broken.line };
        let origin = Origin {
            file: source.file,
            line,
        };
        Failure::Statement(reporter.script(&broken.error, &broken.text, origin))
    }

    /// Runs the script of a file from within another.
    ///
    /// # Errors
    /// As [`Shell::script`]; scripts that read one another without end.
    pub fn nested_script(&mut self, script: Units, file: &str) -> Answer {
        if self.nested == NESTED {
            let report = format!("{file} is read by scripts that read one another, {NESTED} deep");
            return Err(self.complaint(&report));
        }
        self.nested += 1;
        let answer = self.read_script(script, Some(file));
        self.nested -= 1;
        answer
    }

    /// Tells what failed, and counts it. What stops everything stays an error.
    fn go_on(&mut self, answer: Answer) -> Answer {
        match answer {
            Err(Failure::Statement(report)) => {
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

    fn prepare<'t>(&self, unit: &'t Unit, source: Source<'_>) -> Result<Step<'t>, Failure> {
        match unit {
            Unit::Command { text, .. } => {
                let (command, argument) =
                    command::find(text).map_err(|wrong| self.complaint(&wrong))?;
                Ok(Step::Command(command, argument))
            }
            Unit::Statement { text, line } => {
                let (statements, line) = self.parsed(text, *line, source)?;
                Ok(Step::Statements(statements, line))
            }
            Unit::Copy { text, line, rows } => {
                let (statements, line) = self.parsed(text, *line, source)?;
                let rows = ScriptRows {
                    file: Arc::clone(&rows.file),
                    script: source.file.unwrap_or("the script").to_owned(),
                    line: rows.line as u64,
                };
                let statements = statements.into_iter();
                let statements = statements.map(|statement| statement.with_rows(&rows));
                Ok(Step::Statements(statements.collect(), line))
            }
        }
    }

    /// The statements of a text, one unless the values of variables make several, and the line that errors name.
    fn parsed(
        &self,
        text: &str,
        line: usize,
        source: Source<'_>,
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

    fn step(&mut self, step: Step<'_>, source: Source<'_>) -> Answer {
        match step {
            Step::Command(command, argument) => command.run(self, argument),
            Step::Statements(statements, line) => {
                let file = source.file;
                for statement in &statements {
                    statement.text().clone_into(&mut self.last);
                    let origin = Origin { file, line };
                    self.run(statement).map_err(|trouble| {
                        trouble.told(|error| self.report(&error, statement.text(), origin))
                    })?;
                }
                Ok(ControlFlow::Continue(()))
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
