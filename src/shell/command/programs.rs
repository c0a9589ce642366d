//! Other programs: the editor, the system's shell. And statements that run again and again.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command as Program, ExitStatus, Stdio};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

use super::arguments::file;
use super::{Command, GO_ON, Offer, failed, tell};
use crate::shell::editor;
use crate::shell::failure::Failure;
use crate::shell::state::{Answer, Asked, Shell};

/// The editor where neither `VISUAL` nor `EDITOR` says which.
const USUAL_EDITOR: &str = "vi";
/// How often a statement is repeated, unless it is said.
const USUAL_PAUSE: Duration = Duration::from_secs(2);
/// The shortest pause.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// Runs a program at the terminal, and waits for it. Of a script it gets no input, which may be the script itself.
fn run_program(shell: &mut Shell<'_>, program: &mut Program) -> Result<ExitStatus, Failure> {
    if !shell.settings.interactive {
        program.stdin(Stdio::null());
    }
    shell.outputs.settle()?;
    program.status().map_err(|error| {
        let name = Path::new(program.get_program()).display().to_string();
        shell.complaint(&format!("cannot run {name}: {error}"))
    })
}

/// What a program ended with that did not end well.
fn ended(what: &str, status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("{what} ended with status {code}"),
        None => format!("{what} was ended by a signal"),
    }
}

pub(super) struct System;

impl Command for System {
    fn name(&self) -> &'static str {
        ".shell"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\!", ".system"]
    }

    fn usage(&self) -> &'static str {
        "[COMMAND]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files]
    }

    fn doc(&self) -> &'static str {
        "runs a command of the system; alone: a shell of it"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let usual = std::env::var_os("SHELL").unwrap_or_else(|| OsStr::new("sh").to_owned());
        let mut program = Program::new(if argument.is_empty() {
            usual.as_os_str()
        } else {
            OsStr::new("sh")
        });
        if !argument.is_empty() {
            program.args(["-c", argument]);
        }
        let name = if argument.is_empty() { "it" } else { argument };
        if let Err(error) = shell.check_program(name) {
            return failed(shell, error.message());
        }
        match run_program(shell, &mut program)? {
            status if status.success() => GO_ON,
            status => failed(shell, &ended(name, status)),
        }
    }
}

pub(super) struct Edit;

impl Command for Edit {
    fn name(&self) -> &'static str {
        ".edit"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\e"]
    }

    fn usage(&self) -> &'static str {
        "[FILE]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Files]
    }

    fn doc(&self) -> &'static str {
        "opens the last statement, or a file, in $EDITOR and runs it"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let words = editor::command().unwrap_or_else(|| vec![USUAL_EDITOR.to_owned()]);
        if let Err(error) = shell.check_program(&words.join(" ")) {
            return failed(shell, error.message());
        }
        if argument.is_empty() {
            let draft = match draft(&shell.last) {
                Ok(draft) => draft,
                Err(error) => return failed(shell, &format!("cannot make a draft: {error}")),
            };
            return edit(shell, &words, &draft, false);
        }
        let path = file(argument);
        match shell.check_file(&path) {
            Ok(()) => edit(shell, &words, &path, true),
            Err(error) => failed(shell, error.message()),
        }
    }
}

/// The last statement in a file that its owner alone can read.
fn draft(statement: &str) -> io::Result<tempfile::TempPath> {
    let file = tempfile::Builder::new()
        .prefix("halite-")
        .suffix(".sql")
        .tempfile()?;
    let path = file.into_temp_path();
    let end = if statement.is_empty() { "" } else { ";\n" };
    fs::write(&path, format!("{statement}{end}"))?;
    Ok(path)
}

/// Opens a file in the editor, and runs what it then holds; a draft only if it was changed.
fn edit(shell: &mut Shell<'_>, words: &[String], path: &Path, is_file: bool) -> Answer {
    let read = |shell: &Shell<'_>| {
        let text = match fs::read_to_string(path) {
            Err(error) if is_file && error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        };
        let unread =
            |error: io::Error| shell.complaint(&format!("cannot read {}: {error}", path.display()));
        text.map_err(unread)
    };
    let before = read(&*shell)?;
    let mut words = words.iter();
    let mut program = Program::new(words.next().map_or(USUAL_EDITOR, String::as_str));
    program.args(words).arg(path);
    let status = run_program(shell, &mut program)?;
    if !status.success() {
        return failed(shell, &ended("the editor", status));
    }
    let text = read(&*shell)?;
    if text.trim().is_empty() || (!is_file && text == before) {
        return tell(shell, "nothing was changed, and nothing runs");
    }
    shell.asked = Some(Asked::Text(text));
    GO_ON
}

pub(super) struct Watch;

impl Command for Watch {
    fn name(&self) -> &'static str {
        ".watch"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\watch"]
    }

    fn usage(&self) -> &'static str {
        "[SECONDS] [c=TIMES] [STATEMENT]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "repeats a statement, or the last one, until Ctrl-C"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let repeated = match Repeated::read(argument) {
            Ok(repeated) => repeated,
            Err(wrong) => return failed(shell, &wrong),
        };
        let statement = match repeated.statement {
            "" => shell.last.clone(),
            statement => statement.to_owned(),
        };
        if statement.is_empty() {
            return failed(shell, "there is no statement yet; say .watch 2 SELECT …");
        }
        // Whoever looks on does not want to leave a pager each time.
        let pager = std::mem::replace(&mut shell.settings.pager, false);
        let answer = repeated.run(shell, &statement);
        shell.settings.pager = pager;
        answer
    }
}

/// What is repeated, and how.
#[derive(Debug, PartialEq)]
struct Repeated<'a> {
    pause: Duration,
    times: Option<u64>,
    statement: &'a str,
}

impl<'a> Repeated<'a> {
    /// Seconds, as a number or as `i=2`, and `c=10`, in any order; what follows is the statement.
    fn read(argument: &'a str) -> Result<Self, String> {
        let mut repeated = Self {
            pause: USUAL_PAUSE,
            times: None,
            statement: argument.trim(),
        };
        loop {
            let rest = repeated.statement;
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let seconds = word.strip_prefix("i=").unwrap_or(word);
            if let Some(times) = word.strip_prefix("c=") {
                let times = times.parse().ok().filter(|times| *times > 0);
                let wrong = || format!("{word} is no number of times, as c=10 is");
                repeated.times = Some(times.ok_or_else(wrong)?);
            } else if let Ok(seconds) = seconds.parse::<f64>() {
                let pause = Duration::try_from_secs_f64(seconds);
                let pause = pause.map_err(|_| format!("{word} is no number of seconds"))?;
                repeated.pause = pause.max(LEAST_PAUSE);
            } else {
                return Ok(repeated);
            }
            repeated.statement = behind.trim_start();
        }
    }

    fn run(&self, shell: &mut Shell<'_>, statement: &str) -> Answer {
        let mut done = 0;
        loop {
            if shell.settings.format.for_people() {
                let now = DateTime::<Utc>::from(SystemTime::now());
                let every = self.pause.as_secs_f64();
                let now = now.format("%Y-%m-%d %H:%M:%S");
                shell
                    .outputs
                    .tell(&format!("{now} UTC (every {every} s)"))?;
            }
            if shell.statement_of_command(statement)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            done += 1;
            if self.times == Some(done) {
                return GO_ON;
            }
            shell.pause(self.pause)?;
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn how_a_statement_is_repeated_is_read() {
        let read = |argument| {
            let repeated = Repeated::read(argument)?;
            Ok::<_, String>((
                repeated.pause.as_millis(),
                repeated.times,
                repeated.statement,
            ))
        };
        assert_eq!(read(""), Ok((2000, None, "")));
        assert_eq!(read("0.5"), Ok((500, None, "")));
        assert_eq!(read("0"), Ok((10, None, "")));
        assert_eq!(read("i=1 c=3"), Ok((1000, Some(3), "")));
        assert_eq!(read("c=3 1 SELECT 1"), Ok((1000, Some(3), "SELECT 1")));
        assert_eq!(read("SELECT 5"), Ok((2000, None, "SELECT 5")));
        for wrong in ["c=0", "c=x", "-1 SELECT 1", "NaN"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
