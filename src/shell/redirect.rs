//! Results that go elsewhere than to standard output: into a file, or to a program that reads them.
//!
//! A program is started when there is a result for it, and not while the user still types the statement: one that takes
//! the terminal for itself, as a pager does, would share it with the line editor, and each would undo what the other has
//! made of it.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::error::{Error, Result};
use crate::file::export::open_already::open_already;

/// What the shell of the system answers where it cannot run a program, or finds none.
const NOT_RUN: [i32; 2] = [126, 127];
/// What it answers for a program that was stopped by the user, or by a reader of its own that has seen enough.
const STOPPED: [i32; 2] = [130, 141];
/// What a program that a signal has ended would be answered for with.
const BY_SIGNAL: i32 = 128;

/// Where results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file, which is made anew.
    File(PathBuf),
    /// A command of the system's shell, which reads them on its standard input.
    Program(String),
}

/// `out.csv`, `|sort -r`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Program(command) => write!(f, "|{command}"),
        }
    }
}

/// Whether a program reads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Listens,
    /// It has left during the result that is being written: it has seen enough.
    HasLeft,
    /// It has left during an earlier one: what comes now is lost on it.
    IsGone,
}

/// Where what is written goes.
enum Writer {
    /// To a program that there has been no result for yet.
    Due,
    Open(BufWriter<Box<dyn Write + Send>>),
    Closed,
}

/// A file or a program that takes results. When it is dropped, the program has ended.
pub struct Redirection {
    target: Target,
    once: bool,
    writer: Writer,
    program: Option<Child>,
    reader: Reader,
}

impl Redirection {
    /// Makes the file; `once`: for one result.
    ///
    /// # Errors
    /// `Unavailable` where that is not possible.
    pub fn new(target: Target, once: bool) -> Result<Self> {
        let writer = match &target {
            Target::File(path) => {
                let file = open_already(path).unwrap_or_else(|| File::create(path));
                let file = file.map_err(|error| unwritten(&target, &error))?;
                Writer::Open(BufWriter::new(Box::new(file)))
            }
            Target::Program(_) => Writer::Due,
        };
        Ok(Self {
            target,
            once,
            writer,
            program: None,
            reader: Reader::Listens,
        })
    }

    /// Whether it is for one result alone.
    pub fn is_once(&self) -> bool {
        self.once
    }

    /// What an error of this writer means; `None` where a program has seen enough of the result.
    pub fn trouble(&mut self, error: &io::Error) -> Option<Error> {
        let has_left = error.kind() == io::ErrorKind::BrokenPipe && self.program.is_some();
        match self.reader {
            Reader::Listens | Reader::HasLeft if has_left => {
                self.reader = Reader::HasLeft;
                None
            }
            Reader::IsGone if has_left => {
                let gone = format!("cannot write {}: the program has ended", self.target);
                Some(Error::unavailable(gone))
            }
            _ => Some(unwritten(&self.target, error)),
        }
    }

    /// After a result: writes what is held back.
    ///
    /// # Errors
    /// `Unavailable` where it cannot be written.
    pub fn end_result(&mut self) -> Result<()> {
        let flushed = match &mut self.writer {
            Writer::Open(writer) => writer.flush(),
            Writer::Due | Writer::Closed => Ok(()),
        };
        let trouble = flushed.err().and_then(|error| self.trouble(&error));
        if self.reader == Reader::HasLeft {
            self.reader = Reader::IsGone;
        }
        trouble.map_or(Ok(()), Err)
    }

    /// Writes what is held back, and waits for the program's end.
    ///
    /// # Errors
    /// `Unavailable` where it cannot be written, there is no such program, or it says by its status that it has failed.
    pub fn close(mut self) -> Result<()> {
        let written = match self.reader {
            Reader::Listens => self.end_result(),
            Reader::HasLeft | Reader::IsGone => Ok(()),
        };
        let why = match self.end() {
            None | Some(0) => return written,
            Some(code) if STOPPED.contains(&code) => return written,
            Some(code) if NOT_RUN.contains(&code) => "the program cannot be run".to_owned(),
            Some(code) => format!("the program ended with status {code}"),
        };
        let failed = format!("cannot write {}: {why}", self.target);
        Err(Error::unavailable(failed))
    }

    /// What is written to; a program that there has been nothing for is started. `None` once it is closed.
    fn writer(&mut self) -> io::Result<Option<&mut BufWriter<Box<dyn Write + Send>>>> {
        if let (Writer::Due, Target::Program(command)) = (&self.writer, &self.target) {
            let mut shell = Command::new("sh");
            let mut program = shell.args(["-c", command]).stdin(Stdio::piped()).spawn()?;
            if let Some(input) = program.stdin.take() {
                self.writer = Writer::Open(BufWriter::new(Box::new(input)));
            }
            self.program = Some(program);
        }
        Ok(match &mut self.writer {
            Writer::Open(writer) => Some(writer),
            Writer::Due | Writer::Closed => None,
        })
    }

    /// Closes the writer, so that the program ends, and waits; its exit status.
    fn end(&mut self) -> Option<i32> {
        self.writer = Writer::Closed;
        let status = self.program.take()?.wait().ok()?;
        status.code().or_else(|| Some(BY_SIGNAL + signal(status)?))
    }
}

/// The signal that has ended a program.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

impl Drop for Redirection {
    fn drop(&mut self) {
        self.end();
    }
}

impl Write for Redirection {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let length = text.len();
        self.writer()?
            .map_or(Ok(length), |writer| writer.write(text))
    }

    /// At the end of a result, also of one without text.
    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.map_or(Ok(()), Write::flush)
    }
}

fn unwritten(target: &Target, error: &io::Error) -> Error {
    Error::unavailable(format!("cannot write {target}: {error}"))
}
