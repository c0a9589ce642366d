//! Where the shell writes: results to standard output, a pager, a file or a program; what went wrong to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use super::failure::Trouble;
use super::format::Page;
use super::pager::{self, Paged, Screen};
use super::progress::Progress;
use super::redirect::Redirection;
use super::style::{self, Colors};
use crate::error::{Error, Result};

/// Rows of a result that a screen without a size shows, and the most that any does unasked.
const SHOWN_ROWS: usize = 40;
/// The fewest rows that are shown, however low the screen.
const FEWEST_ROWS: usize = 10;
/// What stands around the rows of a box: the statement, lines, headings, the row of dots, two lines of figures, and the
/// next prompt.
const AROUND_ROWS: usize = 10;

/// How much of a result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// As much as fits the screen.
    #[default]
    Fit,
    /// All of it.
    All,
    /// So many rows, or columns of the screen.
    Most(usize),
}

/// The outputs of the shell.
pub struct Outputs<'a> {
    out: Box<dyn Write + 'a>,
    log: Box<dyn Write + 'a>,
    /// Whether `out` is a terminal.
    terminal: bool,
    /// Colours of `out`.
    colors: Colors,
    /// Colours of `log`.
    log_colors: Colors,
    /// Whether `log` is a terminal on which a line can be taken back.
    moving: bool,
    elsewhere: Option<Redirection>,
}

impl<'a> Outputs<'a> {
    /// The outputs of the process.
    pub fn standard() -> Self {
        Self {
            out: Box::new(BufWriter::new(io::stdout())),
            log: Box::new(io::stderr()),
            terminal: io::stdout().is_terminal(),
            colors: Colors::of(io::stdout().is_terminal()),
            log_colors: Colors::of(io::stderr().is_terminal()),
            moving: io::stderr().is_terminal() && !style::is_dumb(),
            elsewhere: None,
        }
    }

    /// Other writers, which are no terminals.
    pub fn of(out: impl Write + 'a, log: impl Write + 'a) -> Self {
        Self {
            out: Box::new(out),
            log: Box::new(log),
            terminal: false,
            colors: Colors::default(),
            log_colors: Colors::default(),
            moving: false,
            elsewhere: None,
        }
    }

    /// Whether results go to a terminal.
    pub fn on_terminal(&self) -> bool {
        self.terminal && self.elsewhere.is_none()
    }

    /// Whether what takes long can tell how far it is, whoever runs it: a script at a terminal, too.
    pub fn shows_progress(&self) -> bool {
        self.moving
    }

    /// Colours of what is complained of.
    pub fn log_colors(&self) -> Colors {
        self.log_colors
    }

    /// Tells what went wrong, or what a statement cost.
    ///
    /// # Errors
    /// Those of the outputs.
    pub fn log(&mut self, text: &str) -> io::Result<()> {
        self.out.flush()?;
        writeln!(self.log, "{text}")?;
        self.log.flush()
    }

    /// Before another program writes to the terminal: writes what is held back.
    ///
    /// # Errors
    /// Those of standard output.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Tells the user something that is no result, wherever results go.
    ///
    /// # Errors
    /// Those of standard output.
    pub fn tell(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    /// Sends results to a file or a program, or, without one, to standard output again.
    ///
    /// # Errors
    /// Those of the files and programs, which they name.
    pub fn redirect(&mut self, to: Option<Redirection>) -> Result<()> {
        self.close()?;
        self.elsewhere = to;
        Ok(())
    }

    /// After a result: writes what is still held back.
    ///
    /// # Errors
    /// Those of the output.
    pub(super) fn end_result(&mut self) -> Result<(), Trouble> {
        match &mut self.elsewhere {
            Some(elsewhere) if elsewhere.is_once() => Ok(self.close()?),
            Some(elsewhere) => Ok(elsewhere.end_result()?),
            None => Ok(self.out.flush()?),
        }
    }

    fn close(&mut self) -> Result<()> {
        self.elsewhere.take().map_or(Ok(()), Redirection::close)
    }

    /// The pager that shows what does not fit the screen, if there is one.
    fn pager(&self) -> Option<(Screen, String)> {
        let screen = self.on_terminal().then(screen).flatten();
        screen
            .filter(|_| io::stdin().is_terminal())
            .zip(pager::command())
    }

    /// The room that results have where they go. With a pager, `paged`, all of them is shown that is not limited.
    pub fn page(&self, rows: Limit, width: Limit, paged: bool) -> Page {
        let screen = self.on_terminal().then(screen).flatten();
        let paged = paged && self.pager().is_some();
        let fitting = screen.map_or(SHOWN_ROWS, |screen| {
            let free = screen.height.saturating_sub(AROUND_ROWS);
            free.clamp(FEWEST_ROWS, SHOWN_ROWS)
        });
        let choose = |limit, fitting: Option<usize>| match limit {
            Limit::Fit => fitting.filter(|_| self.on_terminal()),
            Limit::All => None,
            Limit::Most(most) => Some(most),
        };
        Page {
            rows: choose(rows, Some(fitting)).filter(|_| !(paged && rows == Limit::Fit)),
            width: choose(width, screen.map(|screen| screen.width)),
            is_paged: paged && width == Limit::Fit,
            colors: if self.elsewhere.is_none() {
                self.colors
            } else {
                Colors::default()
            },
            ..Page::default()
        }
    }

    /// A writer for one result: a file, a program, or standard output, by the pager if that is wanted and there is one.
    pub fn result(&mut self, paged: bool, progress: Option<Progress>) -> ResultWriter<'_> {
        let pager = paged.then(|| self.pager()).flatten();
        let place = match (&mut self.elsewhere, pager) {
            (Some(elsewhere), _) => Destination::Elsewhere(elsewhere),
            (None, Some((screen, command))) => {
                Destination::Paged(Paged::new(command, screen, &mut self.out))
            }
            (None, None) => Destination::Plain(&mut self.out),
        };
        ResultWriter { place, progress }
    }
}

/// The room that results have on standard output.
pub fn page() -> Page {
    Outputs::standard().page(Limit::Fit, Limit::Fit, false)
}

/// The size of the terminal that standard output is.
fn screen() -> Option<Screen> {
    terminal_size::terminal_size().map(|(width, height)| Screen {
        width: usize::from(width.0),
        height: usize::from(height.0),
    })
}

/// Writes one result. The first write ends the line that tells of progress.
pub struct ResultWriter<'a> {
    place: Destination<'a>,
    progress: Option<Progress>,
}

enum Destination<'a> {
    Plain(&'a mut dyn Write),
    Paged(Paged<'a>),
    Elsewhere(&'a mut Redirection),
}

impl ResultWriter<'_> {
    /// What an error means that came up while a result was written here: trouble with a value, with a file, or with
    /// standard output; `None` where the user has left the pager, or a program has seen enough.
    pub(super) fn trouble(&mut self, error: io::Error) -> Option<Trouble> {
        match (&mut self.place, error.kind()) {
            (_, io::ErrorKind::InvalidData) => {
                let wrong = Error::invalid(error.to_string()).with_source(error);
                Some(Trouble::Statement(wrong))
            }
            (Destination::Paged(_), io::ErrorKind::BrokenPipe) => None,
            (Destination::Elsewhere(elsewhere), _) => elsewhere.trouble(&error).map(Trouble::from),
            _ => Some(Trouble::Output(error)),
        }
    }

    /// Writes what is held back, and waits for the pager.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        drop(self.progress.take());
        match self.place {
            Destination::Plain(_) | Destination::Elsewhere(_) => Ok(()),
            Destination::Paged(paged) => paged.finish(),
        }
    }
}

impl Write for ResultWriter<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        drop(self.progress.take());
        match &mut self.place {
            Destination::Plain(out) => out.write(text),
            Destination::Paged(paged) => paged.write(text),
            Destination::Elsewhere(elsewhere) => elsewhere.write(text),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Destination::Plain(out) => out.flush(),
            Destination::Paged(paged) => paged.flush(),
            Destination::Elsewhere(elsewhere) => elsewhere.flush(),
        }
    }
}
