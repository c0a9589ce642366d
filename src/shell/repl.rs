//! The line-edited shell. Editing is apart from what a line does, so that the latter is tested without a terminal.

use std::borrow::Cow;
use std::env;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use reedline::{
    FileBackedHistory, Prompt, PromptEditMode, PromptHistorySearch, Reedline, Signal,
    ValidationResult, Validator,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use tokio::runtime::Runtime;

use super::command::{self, Answer};
use super::format::Page;
use super::runner::{Failure, Runner};

/// Rows of a result that the shell shows.
const SHOWN_ROWS: usize = 40;
/// Lines that the history keeps.
const HISTORY: usize = 10_000;

/// The shell: a connection, and how it shows results.
pub struct Shell<'a> {
    /// Runs statements.
    pub runner: Runner<'a>,
    /// Where they run.
    pub runtime: &'a Runtime,
}

impl Shell<'_> {
    /// Reads and runs what the user types until they leave.
    ///
    /// # Errors
    /// Those of the terminal.
    pub fn edit(&mut self) -> io::Result<()> {
        let mut editor = Reedline::create().with_validator(Box::new(Statements));
        if let Some(file) = history_file() {
            match FileBackedHistory::with_file(HISTORY, file.clone()) {
                Ok(history) => editor = editor.with_history(Box::new(history)),
                Err(error) => eprintln!("no history in {}: {error}", file.display()),
            }
        }
        let mut out = io::stdout();
        writeln!(out, "Halite {}. .help helps.", env!("CARGO_PKG_VERSION"))?;
        loop {
            match editor.read_line(&HalitePrompt).map_err(io::Error::other)? {
                Signal::Success(text) => {
                    self.runner.page = terminal_page();
                    if self.submit(&text, &mut out, &mut io::stderr())?.is_break() {
                        return Ok(());
                    }
                }
                Signal::CtrlD => return Ok(()),
                // Control-C drops the text and asks anew.
                _ => {}
            }
        }
    }

    /// Does what the user typed: a command, or statements. What goes wrong is told on `log`.
    ///
    /// # Errors
    /// Those of `out` and `log`.
    pub fn submit(
        &mut self,
        text: &str,
        out: &mut dyn Write,
        log: &mut dyn Write,
    ) -> io::Result<ControlFlow<()>> {
        let text = text.trim();
        let answer = if text.is_empty() {
            Ok(ControlFlow::Continue(()))
        } else if text.starts_with('.') {
            match command::find(text) {
                Ok((command, argument)) => command.run(self, argument, out)?,
                Err(wrong) => Err(wrong),
            }
        } else {
            self.sql(text, out)?
        };
        answer.or_else(|wrong| {
            writeln!(log, "{wrong}")?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Runs statements; control-C ends them and not the shell.
    ///
    /// # Errors
    /// Those of `out`; a statement that failed is part of the answer.
    pub fn sql(&mut self, script: &str, out: &mut dyn Write) -> io::Result<Answer> {
        let start = Instant::now();
        let ended = self.runtime.block_on(async {
            tokio::select! {
                ended = self.runner.script(script, out) => Some(ended),
                _ = tokio::signal::ctrl_c() => None,
            }
        });
        match ended {
            None => Ok(Err("interrupted".to_owned())),
            Some(Err(Failure::Statement(report))) => Ok(Err(report)),
            Some(Err(Failure::Output(error))) => Err(error),
            Some(Ok(())) => {
                if self.runner.format.for_people() {
                    writeln!(out, "{:.3} s", start.elapsed().as_secs_f64())?;
                }
                Ok(Ok(ControlFlow::Continue(())))
            }
        }
    }
}

/// The room on the terminal that standard output is.
pub fn terminal_page() -> Page {
    let size = terminal_size::terminal_size();
    Page {
        width: size.map(|(width, _)| usize::from(width.0)),
        rows: Some(SHOWN_ROWS),
    }
}

/// `halite/history` where the user's data lie.
fn history_file() -> Option<PathBuf> {
    let data = env::var_os("XDG_DATA_HOME").filter(|path| !path.is_empty());
    let data = data.map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/share"));
    Some(data.or_else(home)?.join("halite").join("history"))
}

/// Lets a line break through until a statement has its semicolon.
struct Statements;

impl Validator for Statements {
    fn validate(&self, text: &str) -> ValidationResult {
        if is_complete(text) {
            ValidationResult::Complete
        } else {
            ValidationResult::Incomplete
        }
    }
}

/// Whether enter runs the text: it is a command, is nothing, or ends with a semicolon that is no part of a text, a
/// quoted name or a comment.
fn is_complete(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.starts_with('.') {
        return true;
    }
    match Tokenizer::new(&GenericDialect {}, text).tokenize() {
        Ok(tokens) => {
            let mut words = tokens.iter().rev();
            let last = words.find(|token| !matches!(token, Token::Whitespace(_)));
            matches!(last, None | Some(Token::SemiColon))
        }
        // What will not become right by more lines is handed on, to be told what is wrong.
        Err(error) => {
            let open = ["Unterminated", "EOF", "delimiter"];
            !open.iter().any(|word| error.message.contains(word))
        }
    }
}

struct HalitePrompt;

impl Prompt for HalitePrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "halite".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        "> ".into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        "   ...> ".into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        format!("(search: {}) ", search.term).into()
    }
}

#[cfg(test)]
#[path = "repl_tests.rs"]
mod tests;
