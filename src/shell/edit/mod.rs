//! Editing at a terminal: a line editor with history, completion and colours, and the loop around it.

mod complete;
mod context;
mod highlight;
mod lines;
mod prompt;

use std::env;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use nu_ansi_term::{Color, Style};
use reedline::{
    DefaultHinter, DescriptionMode, EditCommand, Emacs, FileBackedHistory, IdeMenu, KeyCode,
    KeyModifiers, MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal, ValidationResult,
    Validator, default_emacs_keybindings,
};
use tempfile::TempPath;

use self::complete::SqlCompleter;
use self::highlight::SqlHighlighter;
use self::lines::Lines;
use self::prompt::{HalitePrompt, Typed};
use super::editor;
use super::failure::Failure;
use super::names::Names;
use super::script::{behind_forgotten, is_complete};
use super::state::Shell;
use super::style::Colors;
use crate::session::Database;

/// Lines that the history keeps.
const HISTORY: usize = 10_000;
/// The name of the menu of completions.
const MENU: &str = "completions";
/// Lines of that menu.
const MENU_LINES: u16 = 10;

impl Shell<'_> {
    /// Reads and runs what the user types until they leave.
    ///
    /// # Errors
    /// Those of the terminal.
    pub fn edit(&mut self) -> io::Result<()> {
        // From here on Ctrl-C ends what runs, and never the shell.
        self.listen().map_err(io::Error::other)?;
        let colors = Colors::of(true);
        let typed = Arc::new(Typed::default());
        let names = Names::new(self.connection.clone());
        let draft = Draft::new(self.connection.database())?;
        let mut editor = editor(names, colors, &typed, draft.as_ref());
        let prompt = HalitePrompt(Arc::clone(&typed));
        if let Some(file) = history_file().filter(|_| self.settings.history) {
            match history(&file) {
                Ok(history) => editor = editor.with_history(Box::new(history)),
                Err(error) => {
                    let note = format!("no history in {}: {error}", file.display());
                    self.outputs.log(&note)?;
                }
            }
        }
        let lines = Lines::new(editor, prompt)?;
        self.submit_each(&lines, &typed)?;
        lines.end();
        Ok(())
    }

    /// Runs what the user types until they leave.
    fn submit_each(&mut self, lines: &Lines, typed: &Typed) -> io::Result<()> {
        let mut begun = String::new();
        loop {
            typed.note(&begun);
            match lines.next(std::mem::take(&mut begun))? {
                Signal::Success(text) => {
                    let (statement, text) = behind_forgotten(&text).unwrap_or(("", text.as_str()));
                    if !self.submit(text)? {
                        return Ok(());
                    }
                    statement.trim_end().clone_into(&mut begun);
                }
                Signal::CtrlC if typed.is_empty() => {
                    self.outputs
                        .tell("Ctrl-D or .quit leaves the shell; .help helps.")?;
                }
                Signal::CtrlD => return Ok(()),
                _ => {}
            }
        }
    }

    /// Does what the user typed; false when they leave. What goes wrong is told.
    ///
    /// # Errors
    /// Those of standard output and standard error, which end the shell.
    pub fn submit(&mut self, text: &str) -> io::Result<bool> {
        // What was pressed before was not meant for this.
        self.listen().map_err(io::Error::other)?;
        match self.script(text, None) {
            Ok(flow) => Ok(flow.is_continue()),
            // The terminal is gone.
            Err(Failure::Output(error)) => Err(error),
            Err(Failure::Statement(report)) => self.outputs.log(&report).map(|()| true),
            Err(Failure::Interrupted) => self.outputs.log("interrupted").map(|()| true),
        }
    }
}

fn editor(names: Names, colors: Colors, typed: &Arc<Typed>, draft: Option<&Draft>) -> Reedline {
    let menu = IdeMenu::default()
        .with_name(MENU)
        .with_marker("> ")
        .with_max_completion_height(MENU_LINES)
        .with_description_mode(DescriptionMode::PreferRight);
    let mut editor = Reedline::create()
        .with_validator(Box::new(Statements))
        .with_highlighter(Box::new(SqlHighlighter::new(Arc::clone(typed))))
        .with_completer(Box::new(SqlCompleter::new(names)))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(Box::new(Emacs::new(keys())))
        .with_history_exclusion_prefix(Some(" ".to_owned()))
        .use_bracketed_paste(true)
        .with_ansi_colors(colors.are_on());
    if colors.are_on() {
        // Without colours a hint could not be told from what was typed.
        let faint = Style::new().fg(Color::DarkGray);
        editor = editor.with_hinter(Box::new(DefaultHinter::default().with_style(faint)));
    }
    if let Some(draft) = draft {
        editor = editor.with_buffer_editor(draft.command(), draft.file.to_path_buf());
    }
    editor
}

/// The keys of Emacs and readline, and those for the menu.
fn keys() -> reedline::Keybindings {
    let mut keys = default_emacs_keybindings();
    let menu = || ReedlineEvent::Menu(MENU.to_owned());
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(vec![menu(), ReedlineEvent::MenuNext]),
    );
    keys.add_binding(
        KeyModifiers::SHIFT,
        KeyCode::BackTab,
        ReedlineEvent::MenuPrevious,
    );
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line);
    keys.add_binding(
        KeyModifiers::CONTROL,
        KeyCode::Char('o'),
        ReedlineEvent::OpenEditor,
    );
    keys
}

/// What Ctrl-O opens a statement in: `VISUAL` or `EDITOR`, and a file that its owner alone can read.
struct Draft {
    words: Vec<String>,
    file: TempPath,
}

impl Draft {
    /// `None` where no editor is set, or no program may be run.
    fn new(database: &Database) -> io::Result<Option<Self>> {
        let may_run = database.check_external_access("the editor").is_ok();
        let Some(words) = editor::command().filter(|_| may_run) else {
            return Ok(None);
        };
        let file = tempfile::Builder::new()
            .prefix("halite-")
            .suffix(".sql")
            .tempfile()?;
        Ok(Some(Self {
            words,
            file: file.into_temp_path(),
        }))
    }

    fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words);
        command
    }
}

/// The history in a file that its owner alone can read, as its directory.
fn history(file: &Path) -> io::Result<FileBackedHistory> {
    if let Some(directory) = file.parent() {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(directory)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(file)?;
    #[cfg(unix)]
    made.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(made);
    FileBackedHistory::with_file(HISTORY, file.to_owned()).map_err(io::Error::other)
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
