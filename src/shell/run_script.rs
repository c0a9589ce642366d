//! Runs scripts: each statement and each command of one before the next is read.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::command::{self, Command};
use super::failure::Failure;
use super::report::{Origin, Reporter};
use super::script::{Broken, Unit, Units};
use super::state::{Answer, Asked, ScriptSource, Shell};
use crate::session::Statement;
use crate::sql::copy_statement::ScriptRows;

/// How deep scripts may read scripts.
pub(super) const NESTED: usize = 16;

/// A statement or a command that is ready to run. Of one statement the values of variables may have made several.
enum Step<'t> {
    Statements(Vec<Statement>, usize),
    Command(&'static dyn Command, &'t str),
}

impl Shell<'_> {
    /// Runs a script that is at hand.
    ///
    /// # Errors
    /// As [`Shell::read_script`].
    pub fn script(&mut self, text: &str, file: Option<&str>) -> Answer {
        let lone = file.is_none() && !text.trim_end().contains('\n');
        self.run_script(Units::of_text(text), ScriptSource { file, lone })
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
        self.run_script(script, ScriptSource { file, lone: false })
    }

    fn run_script(&mut self, mut units: Units, source: ScriptSource<'_>) -> Answer {
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
            let answer = self.unless_bailing(done);
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
    fn checked(&mut self, mut units: Units, source: ScriptSource<'_>) -> Result<Units, Failure> {
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
        self.check_interrupts()?;
        if let Some(unit) = units.ready() {
            return Ok((units, Ok(Some(unit))));
        }
        if units.may_wait() {
            self.unless_interrupted(move || {
                let unit = units.read();
                (units, unit)
            })
        } else {
            let unit = units.read();
            Ok((units, unit))
        }
    }

    fn broken(&self, broken: &Broken, source: ScriptSource<'_>) -> Failure {
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

    /// Runs the script that a command has asked for.
    ///
    /// # Errors
    /// As [`Shell::read_script`]; a file that cannot be read; scripts that read one another without end.
    fn run_asked(&mut self, asked: Asked) -> Answer {
        let path = match asked {
            Asked::Text(text) => return self.script(&text, None),
            Asked::File(path) => path,
        };
        let from = path.clone();
        let script = self.unless_interrupted(move || Units::of_file(&from))?;
        let file = path.to_string_lossy();
        let script =
            script.map_err(|error| self.complaint(&format!("cannot read {file}: {error}")))?;
        if self.nested == NESTED {
            let report = format!("{file} is read by scripts that read one another, {NESTED} deep");
            return Err(self.complaint(&report));
        }
        self.nested += 1;
        let answer = self.read_script(script, Some(&file));
        self.nested -= 1;
        answer
    }

    fn prepare<'t>(&self, unit: &'t Unit, source: ScriptSource<'_>) -> Result<Step<'t>, Failure> {
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

    fn step(&mut self, step: Step<'_>, source: ScriptSource<'_>) -> Answer {
        match step {
            Step::Command(command, argument) => {
                let answer = command.run(self, argument)?;
                match self.asked.take() {
                    Some(asked) => self.run_asked(asked),
                    None => Ok(answer),
                }
            }
            Step::Statements(statements, line) => self.run_all(&statements, line, source),
        }
    }
}
