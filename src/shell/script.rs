//! Scripts: statements that end with semicolons, and the shell's commands, each on a line of its own between them.
//!
//! A line is a command where no statement is open and it begins with a dot or a backslash, as `.tables` or `\dt`, or with
//! an exclamation mark, as in Phoenix's shell, where it is told what to write here, or is
//! one of the bare words that people type to leave. In a text over several lines such a line is part of the text.
//!
//! A script is read as it is run: no more of it is in memory than the statement that is being read. Where one ends only the
//! parser's tokenizer knows, which is asked when there is a semicolon; of a statement that is still open then, it is asked
//! again when the text has grown by a part of its length, so that the work stays linear.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

use tempfile::{NamedTempFile, TempPath};

use super::command;
use super::variables::has_references;
use super::words::{Kind, Token, tokens};
use crate::error::{Error, Result};
use crate::sql::limits::guard::MAX_TEXT;
use crate::sql::parse;
use crate::write::copy::keep_standard_input;

/// What a script consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// One statement, without its semicolon.
    Statement {
        /// Its text, which may have several lines.
        text: String,
        /// The line of the script that it begins on, from 1.
        line: usize,
    },
    /// `COPY … FROM STDIN`, with the rows that stand behind it, up to a line `\.`.
    Copy {
        /// Its text.
        text: String,
        /// The line of the script that it begins on, from 1.
        line: usize,
        /// The rows.
        rows: InlineRows,
    },
    /// One command of the shell.
    Command {
        /// The line, trimmed.
        text: String,
        /// Which line of the script it is, from 1.
        line: usize,
    },
}

impl Unit {
    /// Whether it is a statement with places where values of variables may stand.
    pub fn waits_for_variables(&self) -> bool {
        match self {
            Self::Statement { text, .. } | Self::Copy { text, .. } => has_references(text),
            Self::Command { .. } => false,
        }
    }
}

/// Rows of a script, in a file of their own.
#[derive(Debug, Clone)]
pub struct InlineRows {
    /// The file.
    pub file: Arc<TempPath>,
    /// The line of the script that they begin on, from 1.
    pub line: usize,
}

impl PartialEq for InlineRows {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }
}

impl Eq for InlineRows {}

/// Why a script cannot be read on.
#[derive(Debug)]
pub struct Broken {
    /// What is wrong; a place in it is one of the text.
    pub error: Error,
    /// The text that it is wrong with.
    pub text: String,
    /// The line of the script that the text begins on, from 1.
    pub line: usize,
}

/// The statements and commands of a script, in order.
pub struct Units {
    script: Box<dyn BufRead + Send>,
    may_wait: bool,
    /// What has been read and is no unit yet.
    open: String,
    /// The line of the script that this begins on, from 1.
    first_line: usize,
    /// How many lines have been read.
    lines: usize,
    /// Up to this length the open text has been tokenized, and is not tokenized again.
    tokenized: usize,
    ready: VecDeque<Unit>,
    ended: bool,
}

impl Units {
    /// Of a text.
    pub fn of_text(script: &str) -> Self {
        Self::new(Box::new(Cursor::new(script.to_owned())), false)
    }

    /// Of a file.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Self::of_open(File::open(path)?)
    }

    /// Of standard input.
    ///
    /// # Errors
    /// Where there is none.
    pub fn of_standard_input() -> io::Result<Self> {
        keep_standard_input();
        #[cfg(unix)]
        let input = Self::of_open(File::from(io::stdin().as_fd().try_clone_to_owned()?));
        #[cfg(not(unix))]
        let input = Ok(Self::new(Box::new(io::BufReader::new(io::stdin())), true));
        input
    }

    /// Of an open file, which may be a pipe.
    fn of_open(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("it is a directory"));
        }
        Ok(Self::new(
            Box::new(BufReader::new(file)),
            !metadata.is_file(),
        ))
    }

    /// Of units that have been read.
    pub fn of(units: Vec<Unit>) -> Self {
        Self {
            ready: units.into(),
            ..Self::new(Box::new(io::empty()), false)
        }
    }

    fn new(script: Box<dyn BufRead + Send>, may_wait: bool) -> Self {
        Self {
            script,
            may_wait,
            open: String::new(),
            first_line: 1,
            lines: 0,
            tokenized: 0,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// Whether reading on may wait for whoever writes: not where the script is at hand.
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// What has been read already, so that nothing has to be waited for.
    pub fn ready(&mut self) -> Option<Unit> {
        self.ready.pop_front()
    }

    /// The next one.
    ///
    /// # Errors
    /// `InvalidInput` where the script ends inside a text, a quoted name or a comment, or forgets a semicolon;
    /// `Unavailable` where it cannot be read. Behind a semicolon that was forgotten the script goes on with the command;
    /// nothing comes behind another error.
    pub fn read(&mut self) -> Result<Option<Unit>, Broken> {
        while self.ready.is_empty() && !self.ended {
            let read = self.read_line();
            let done = read.and_then(|line| match line {
                Some(line) => self.add(&line),
                None => self.end(),
            });
            if let Err(error) = done {
                return Err(self.broken(error));
            }
        }
        Ok(self.ready.pop_front())
    }

    fn read_line(&mut self) -> Result<Option<String>> {
        let mut line = String::new();
        let mut script = (&mut self.script).take(MAX_TEXT as u64);
        let read = script.read_line(&mut line).map_err(|error| {
            let place = self.lines + 1;
            Error::unavailable(format!(
                "line {place} of the script cannot be read: {error}"
            ))
            .with_source(error)
        })?;
        self.lines += usize::from(read > 0);
        if read == MAX_TEXT && !line.ends_with('\n') {
            return Err(Error::unsupported(format!(
                "line {} of the script has more than {MAX_TEXT} bytes",
                self.lines
            )));
        }
        if self.lines == 1
            && let Some(rest) = line.strip_prefix('\u{feff}')
        {
            line = rest.to_owned();
        }
        Ok((read > 0).then_some(line))
    }

    /// What cannot be read on; a command behind a semicolon that was forgotten is what comes next.
    fn broken(&mut self, error: Error) -> Broken {
        let text = std::mem::take(&mut self.open);
        let line = self.first_line;
        match forgotten(&text) {
            Some(at) => {
                let command = text.get(at..).unwrap_or_default();
                let place = line + text.matches('\n').count() - usize::from(text.ends_with('\n'));
                self.begin_behind(String::new(), place + 1);
                self.ready.push_back(Unit::Command {
                    text: command.trim().to_owned(),
                    line: place,
                });
            }
            None => self.ended = true,
        }
        Broken { error, text, line }
    }

    fn add(&mut self, line: &str) -> Result<()> {
        if is_command(line) && is_closed(&self.open) {
            self.begin_behind(String::new(), self.lines + 1);
            self.ready.push_back(Unit::Command {
                text: line.trim().to_owned(),
                line: self.lines,
            });
            return Ok(());
        }
        self.open.push_str(line);
        let is_due = self.open.len() > self.tokenized + self.tokenized / 4;
        if line.contains(';') && is_due {
            self.tokenized = self.open.len();
            self.cut()?;
        }
        Ok(())
    }

    /// The script has ended: what is open is its last statement.
    fn end(&mut self) -> Result<()> {
        self.ended = true;
        refuse_forgotten(&self.open)?;
        while parse::split(&self.open).is_err() && self.cut_wrong() {}
        let statements = parse::split(&self.open)?;
        let first_line = self.first_line;
        self.ready.extend(
            statements
                .into_iter()
                .map(|statement| unit(statement, first_line)),
        );
        Ok(())
    }

    /// Takes the first statement of an open text of which something is no SQL in whatever way it goes on, as
    /// `e'a\x00b'`, up to its semicolon: who runs it says what is wrong. False where it has none.
    fn cut_wrong(&mut self) -> bool {
        let found = tokens(&self.open);
        let is_end = |token: &&Token| token.kind == Kind::Symbol && token.of(&self.open) == ";";
        let Some(end) = found.iter().find(is_end) else {
            return false;
        };
        let (statement, rest) = self.open.split_at(end.start);
        let rest = rest.trim_start_matches(';').to_owned();
        let line = self.first_line + statement.matches('\n').count();
        match parse::split(statement) {
            Ok(statements) => {
                let first_line = self.first_line;
                self.ready.extend(
                    statements
                        .into_iter()
                        .map(|statement| unit(statement, first_line)),
                );
            }
            Err(_) => {
                let text = statement.trim_start();
                let lines = statement.matches('\n').count() - text.matches('\n').count();
                self.ready.push_back(Unit::Statement {
                    line: self.first_line + lines,
                    text: text.trim_end().to_owned(),
                });
            }
        }
        self.begin_behind(rest, line);
        true
    }

    /// Takes the statements that have their semicolons from the open text, if it does not end inside of a word.
    fn cut(&mut self) -> Result<()> {
        let Some((statements, rest)) = parse::split_closed(&self.open) else {
            while is_wrong(&self.open) && self.cut_wrong() {}
            return Ok(());
        };
        for statement in &statements {
            refuse_forgotten(&statement.text)?;
        }
        let first_line = self.first_line;
        self.ready.extend(
            statements
                .into_iter()
                .map(|statement| unit(statement, first_line)),
        );
        let (closed, rest) = self.open.split_at(rest);
        let line = first_line + closed.matches('\n').count();
        self.begin_behind(rest.to_owned(), line);
        match self.ready.back() {
            Some(Unit::Statement { text, .. }) if is_copy(text) && self.open.trim().is_empty() => {
                self.take_rows()
            }
            _ => Ok(()),
        }
    }

    /// Gives the COPY that was read last the lines up to `\.`, if there is such a line: then they are its rows.
    fn take_rows(&mut self) -> Result<()> {
        let failed = |error: io::Error| {
            Error::unavailable(format!("the rows behind COPY cannot be kept: {error}"))
                .with_source(error)
        };
        let mut kept = BufWriter::new(NamedTempFile::new().map_err(failed)?);
        let (mut line, mut count) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = self.script.read_until(b'\n', &mut line).map_err(failed)?;
            count += usize::from(read > 0);
            if read == 0 || line.trim_ascii_end() == b"\\." {
                break;
            }
            kept.write_all(&line).map_err(failed)?;
        }
        let kept = kept
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        if line.is_empty() {
            // They are statements, and the rows come from elsewhere.
            let mut kept = kept.into_file();
            kept.rewind().map_err(failed)?;
            self.script = Box::new(BufReader::new(kept));
            return Ok(());
        }
        let rows = InlineRows {
            file: Arc::new(kept.into_temp_path()),
            line: self.lines + 1,
        };
        self.lines += count;
        self.begin_behind(String::new(), self.lines + 1);
        if let Some(Unit::Statement { text, line }) = self.ready.pop_back() {
            self.ready.push_back(Unit::Copy { text, line, rows });
        }
        Ok(())
    }

    /// Goes on with the open text that begins on a line.
    fn begin_behind(&mut self, open: String, line: usize) {
        (self.open, self.first_line, self.tokenized) = (open, line, 0);
    }
}

/// Whether a statement is a `COPY … FROM STDIN`.
fn is_copy(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
    let first = words.first().is_some_and(|word| is(word, "copy"));
    let mut pairs = words.windows(2);
    first
        && pairs.any(|pair| matches!(pair, [from, stdin] if is(from, "from") && is(stdin, "stdin")))
}

/// Whether a text cannot be cut into statements, whatever follows: nothing in it is open, and something is no SQL.
fn is_wrong(text: &str) -> bool {
    parse::split(text).is_err() && !tokens(text).iter().any(|token| token.open)
}

fn unit(statement: parse::ScriptStatement, first_line: usize) -> Unit {
    Unit::Statement {
        line: first_line + statement.line - 1,
        text: statement.text,
    }
}

/// Refuses a text whose last line is a command.
fn refuse_forgotten(text: &str) -> Result<()> {
    let Some(at) = forgotten(text) else {
        return Ok(());
    };
    let name = text.get(at..).and_then(first_word).unwrap_or("it");
    let line = 1 + text.get(..at).unwrap_or("").matches('\n').count();
    Err(Error::invalid(format!(
        "{name} is a command, and the statement before it has no semicolon at its end at Line: {line}, Column: 1"
    )))
}

/// Whether enter runs the text: it ends with a command or a semicolon, or has nothing to run, or can never become
/// right by more lines.
pub fn is_complete(text: &str) -> bool {
    let (begin, is_command) = last_chunk(text);
    let last = text.get(begin..).unwrap_or("");
    is_command
        || last.trim().is_empty()
        || is_closed(last)
        || parse::complete(last)
        || forgotten(last).is_some()
}

/// A text that ends with one of the shell's commands behind a statement that has no semicolon: the statement, and the
/// command.
pub fn behind_forgotten(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(forgotten(text)?)
}

/// Where the last line of a statement begins, if it is one of the shell's commands: the semicolon before it has been
/// forgotten. Inside a text or a comment it is none.
fn forgotten(text: &str) -> Option<usize> {
    let at = text.trim_end().rfind('\n')? + 1;
    let (before, line) = text.split_at_checked(at)?;
    let is_known = is_command(line) && first_word(line).and_then(command::named).is_some();
    let is_plain = line.trim_start().starts_with(['.', '\\']);
    let is_open = tokens(before).iter().any(|token| token.open);
    (is_known && is_plain && !is_open && !before.trim().is_empty()).then_some(at)
}

fn first_word(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next();
    word.map(|word| word.trim_end_matches(';'))
}

/// Where the last part of a text begins that commands do not interrupt, and whether that is a command.
fn last_chunk(text: &str) -> (usize, bool) {
    let (mut begin, mut start, mut command) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if is_command(line) && text.get(begin..start).is_some_and(is_closed) {
            (begin, command) = (end, Some(start));
        }
        start = end;
    }
    match command {
        Some(at) if text.get(begin..).is_none_or(|rest| rest.trim().is_empty()) => (at, true),
        _ => (begin, false),
    }
}

/// Whether a line looks like a command; no statement begins so.
pub fn is_command(line: &str) -> bool {
    let line = line.trim();
    let mut letters = line.chars();
    match (letters.next(), letters.next()) {
        (Some('.' | '!'), Some(second)) => second.is_alphabetic(),
        (Some('\\'), second) => second.is_some(),
        _ => command::is_bare(line.trim_end_matches(';').trim_end()),
    }
}

/// Whether nothing is left open: the last word is a semicolon, or there is none.
fn is_closed(text: &str) -> bool {
    let found = tokens(text);
    let mut words = found.iter().rev().filter(|token| token.significant());
    let last_ends = words
        .next()
        .is_none_or(|token| token.kind == Kind::Symbol && token.of(text) == ";");
    last_ends && !found.iter().any(|token| token.open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Units {
        Units::of_text(script)
    }

    /// What a script consists of, and what is wrong with the rest.
    fn read(script: &str) -> (Vec<String>, Option<String>) {
        let (mut units, mut found) = (of(script), Vec::new());
        loop {
            match units.read() {
                Ok(None) => return (found, None),
                Ok(Some(Unit::Statement { text, line })) => found.push(format!("{line}: {text}")),
                Ok(Some(Unit::Command { text, line })) => found.push(format!("{line}! {text}")),
                Ok(Some(Unit::Copy { text, line, rows })) => {
                    let kept = std::fs::read_to_string(&*rows.file).unwrap();
                    found.push(format!("{line}: {text} <- {}: {kept}", rows.line));
                }
                Err(broken) => {
                    let told = format!("{}: {:?}: {}", broken.line, broken.text, broken.error);
                    return (found, Some(told));
                }
            }
        }
    }

    fn shown(script: &str) -> Vec<String> {
        let (found, wrong) = read(script);
        assert_eq!(wrong, None, "{script}");
        found
    }

    #[test]
    fn commands_stand_between_statements() {
        let script =
            "-- load\n.timer on\nSELECT 1; SELECT\n 2;\n  \\dt\n\nSELECT '\n.tables\n';\nexit;\n";
        let expected = [
            "2! .timer on",
            "3: SELECT 1",
            "3: SELECT\n 2",
            "5! \\dt",
            "7: SELECT '\n.tables\n'",
            "10! exit;",
        ];
        assert_eq!(shown(script), expected);
    }

    #[test]
    fn rows_stand_behind_copy_up_to_their_end() {
        let script =
            "SELECT 1;\nCOPY t\n (a) FROM stdin;\n1\tit's; \\N\n.tables\n\n\\.\nSELECT 2;\n\\dt\n";
        let expected = [
            "1: SELECT 1",
            "2: COPY t\n (a) FROM stdin <- 4: 1\tit's; \\N\n.tables\n\n",
            "8: SELECT 2",
            "9! \\dt",
        ];
        assert_eq!(shown(script), expected);
        assert_eq!(
            shown("copy t from STDIN (FORMAT csv);\r\n\\.\r\nSELECT 2"),
            ["1: copy t from STDIN (FORMAT csv) <- 2: ", "3: SELECT 2"]
        );
        // Without an end the rows come from elsewhere, and what follows are statements.
        for script in [
            "COPY t FROM STDIN;\nSELECT 'a\nb';\n",
            "COPY t FROM 'a';\nSELECT 'a\nb';\n",
        ] {
            let found = shown(script);
            assert_eq!(found.get(1).map(String::as_str), Some("2: SELECT 'a\nb'"));
        }
        assert_eq!(shown("COPY t FROM STDIN;"), ["1: COPY t FROM STDIN"]);
    }

    #[test]
    fn inside_a_statement_no_line_is_a_command() {
        assert_eq!(shown("SELECT 1\n.5 +\n.x;"), ["1: SELECT 1\n.5 +\n.x"]);
        assert_eq!(
            shown("SELECT /* \n.quit\n*/ 1"),
            ["1: SELECT /* \n.quit\n*/ 1"]
        );
        assert_eq!(shown(".5;"), ["1: .5"]);
        assert_eq!(
            shown("SELECT a\n!~ 'x'\n!= true;"),
            ["1: SELECT a\n!~ 'x'\n!= true"]
        );
    }

    #[test]
    fn what_stands_before_a_mistake_is_there() {
        let (found, wrong) = read("\u{feff}SELECT 1;\n.tables\n\nSELECT 'a");
        assert_eq!(found, ["1: SELECT 1", "2! .tables"]);
        let wrong = wrong.unwrap();
        assert!(
            wrong.starts_with("3: \"\\nSELECT 'a\"") && wrong.contains("Line: 2"),
            "{wrong}"
        );
    }

    #[test]
    fn a_command_behind_an_open_statement_is_told() {
        for script in [
            "SELECT 1;\nSELECT 2\n  .tables;\n",
            "SELECT 1;SELECT 2\n\n.tables",
        ] {
            let (found, wrong) = read(script);
            let wrong = wrong.unwrap();
            let expected = ".tables is a command, and the statement before it has no semicolon at its end at Line: ";
            assert!(wrong.contains(expected), "{wrong}");
            assert!(found.len() < 2, "{found:?}");
        }
        assert_eq!(shown("SELECT '\n.tables\n';"), ["1: SELECT '\n.tables\n'"]);
    }

    /// Wherever lines break, what is found is what the whole script has.
    #[test]
    fn a_script_read_by_lines_is_the_script() {
        let parts = [
            "SELECT",
            " 1",
            "; ",
            ";",
            "\n",
            "'a;b'",
            "'it''s'",
            "E'a\\';b'",
            "\"x;y\"",
            "-- c;\n",
            "/* ;\n /* */ */",
            "$$ ; $$",
            "$q$ ;\n $q$",
            "'",
            "$",
            "ä",
            "`;`",
            "\n'\n;\n'",
            "x'00'",
            "q'[;]'",
        ];
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let script: String = (0..random.usize(1..12))
                .map(|_| parts[random.usize(..parts.len())])
                .collect();
            let (found, wrong) = read(&script);
            match parse::split(&script) {
                Ok(whole) => {
                    let whole: Vec<_> = whole
                        .iter()
                        .map(|it| format!("{}: {}", it.line, it.text))
                        .collect();
                    assert_eq!((found, wrong), (whole, None), "{script:?}");
                }
                // It is told, or is a statement by itself, of which that is told when it runs.
                Err(_) => {
                    let is_wrong = |it: &String| {
                        let text = it.split_once(": ").map_or("", |(_, text)| text);
                        parse::split(text).is_err()
                    };
                    let is_told = wrong.is_some() || found.iter().any(is_wrong);
                    assert!(is_told, "{script:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn enter_runs_what_is_complete() {
        let complete = [
            "",
            "  ",
            ".tables",
            "\\d flights",
            "exit",
            "QUIT;",
            "SELECT 1;",
            "SELECT 1; -- one\n",
            "SELECT ';' /* ; */ ;\n",
            "-- nothing",
            "SELECT 1; SELECT 2;",
            "SELECT 1;\n.tables",
            // That the semicolon is missing is told at once.
            "SELECT 1\n.tables",
            "SELECT 1\n  \\d flights\n",
        ];
        let open = [
            "SELECT 1",
            "SELECT 1 -- ;",
            "SELECT ';",
            "SELECT \"a;",
            "SELECT 1 /* ;",
            "SELECT 1; SELECT 2",
            "SELECT $$ ;",
            "SELECT 1\n.nonsense",
            "SELECT a\nhelp",
            "SELECT '\n.tables",
            "SELECT 1; /* one",
            "SELECT 1; /*\n.tables",
        ];
        for text in complete {
            assert!(is_complete(text), "{text}");
        }
        for text in open {
            assert!(!is_complete(text), "{text}");
        }
    }
}
