//! Errors that say what the caller must do.
//!
//! Every fallible function of the library returns [`Result`]. The [`ErrorKind`] names the reaction that is asked for;
//! the message names the table, the column and the value, ready to be shown to a person.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller must do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The statement or the value is wrong: correct it. Nothing was changed.
    InvalidInput,
    /// Halite does not do this yet: ask for it in another way. Nothing was changed.
    NotSupported,
    /// Another row or statement stands in the way: a row or an object of that name is already there (choose another, or
    /// say `REPLACE`), or the table was dropped, emptied or altered meanwhile (run it again). Nothing was changed.
    Conflict,
    /// The store could not do it now (locked, disk full, read-only): mend the cause, then try again.
    Unavailable,
    /// The program has ended the statement itself: run it again, if it is still wanted. Nothing was changed, unless the
    /// change was being written already: then it is written whole.
    Interrupted,
    /// The statement has taken longer than it may: give it more time, or ask for less. What was changed is as with
    /// [`ErrorKind::Interrupted`].
    TimedOut,
    /// Stored bytes cannot be read, or were written by a newer version: restore, or upgrade Halite.
    Corrupt,
    /// A fault of Halite itself: please report it.
    Internal,
}

/// An error: what to do about it, what happened, and what caused it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    subject: Option<Box<Subject>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What a statement names that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What kind of thing it would be.
    pub what: Nameable,
    /// Its name, as the message has it.
    pub name: String,
    /// Those that there are, where they are known.
    pub others: Vec<String>,
}

/// What has a name in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Nameable {
    /// A table, or a view.
    Table,
    /// A function that gives rows: `keys('t')`.
    TableFunction,
    /// What is in front of the point in `s.t`.
    Schema,
    /// A column.
    Column,
    /// A function that gives a value.
    Function,
    /// A sequence.
    Sequence,
    /// A key space.
    KeySpace,
    /// A file, or a directory.
    File,
}

/// What an error is about, where it is about something with a name.
#[derive(Debug, Clone, Default)]
struct Subject {
    missing: Option<Missing>,
    hangs_on_values: Option<bool>,
    table: Option<String>,
    column: Option<String>,
    constraint: Option<String>,
    row: Option<u64>,
    place: Option<String>,
}

impl Error {
    /// An error of `kind` with a message for people.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            subject: None,
            source: None,
        }
    }

    /// The input is wrong; see [`ErrorKind::InvalidInput`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Not implemented; see [`ErrorKind::NotSupported`].
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotSupported, message)
    }

    /// In the way of something; see [`ErrorKind::Conflict`].
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Not possible now; see [`ErrorKind::Unavailable`].
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Unreadable bytes; see [`ErrorKind::Corrupt`].
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// A fault of ours; see [`ErrorKind::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error with `context: ` in front of its message, which may begin with the end of that already: then it is
    /// said once.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        let context = context.to_string();
        let last = context.rsplit(": ").next().unwrap_or_default();
        let rest = self.message.strip_prefix(last);
        self.message = match rest.and_then(|rest| rest.strip_prefix(": ")) {
            Some(rest) => format!("{context}: {rest}"),
            None => format!("{context}: {}", self.message),
        };
        self
    }

    /// The same error with more behind its message.
    #[must_use]
    #[doc(hidden)]
    pub fn followed_by(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// The same error with what to write instead behind its message, and without its cause.
    #[must_use]
    #[doc(hidden)]
    pub fn suggesting(&self, instead: &str) -> Self {
        let mut other = self.without_source();
        other.message = format!("{}; {instead}", self.message.trim_end_matches('.'));
        other
    }

    /// The same error with another text in the places of one, and without a cause that would say that one.
    #[must_use]
    #[doc(hidden)]
    pub fn reworded(mut self, from: &str, to: &str) -> Self {
        if self.message.contains(from) {
            self.message = self.message.replace(from, to);
            self.source = None;
        }
        self
    }

    /// The same error, about a table, whose name is put in front of its message.
    #[must_use]
    pub fn of_table(self, name: &str) -> Self {
        self.context(format_args!("table `{name}`"))
            .about(|subject| subject.table = Some(name.to_owned()))
    }

    /// The same error, about a column, which its message names.
    #[must_use]
    pub fn of_column(self, name: &str) -> Self {
        self.about(|subject| subject.column = Some(name.to_owned()))
    }

    /// The same error, about a constraint, which its message names.
    #[must_use]
    pub fn of_constraint(self, name: &str) -> Self {
        self.about(|subject| subject.constraint = Some(name.to_owned()))
    }

    /// The same error, about something that is not there, by the name that the message has.
    #[must_use]
    #[doc(hidden)]
    pub fn of_missing(
        self,
        what: Nameable,
        name: &str,
        others: impl IntoIterator<Item = String>,
    ) -> Self {
        let missing = Missing {
            what,
            name: name.to_owned(),
            others: others.into_iter().collect(),
        };
        self.about(|subject| subject.missing = Some(missing))
    }

    /// The same error, and whether planning the statement for the values of its parameters may be without it.
    #[must_use]
    #[doc(hidden)]
    pub fn hanging_on_values(self, may_be_gone: bool) -> Self {
        self.about(|subject| subject.hangs_on_values = Some(may_be_gone))
    }

    /// The same error, about a row, whose place is put in front of its message.
    #[must_use]
    pub fn at_row(self, place: impl fmt::Display) -> Self {
        let place = place.to_string();
        self.context(&place).about(|subject| {
            let number = place.rsplit(' ').next().and_then(|word| word.parse().ok());
            subject.row = subject.row.or(number);
            subject.place = Some(place);
        })
    }

    fn about(mut self, say: impl FnOnce(&mut Subject)) -> Self {
        say(self.subject.get_or_insert_default());
        self
    }

    /// Another error that says the same of the same, without its cause.
    #[must_use]
    pub fn without_source(&self) -> Self {
        Self {
            kind: self.kind,
            message: self.message.clone(),
            subject: self.subject.clone(),
            source: None,
        }
    }

    /// What the caller must do.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What happened, without its cause.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the statement names that is not there, if that is what is wrong.
    pub fn missing(&self) -> Option<&Missing> {
        self.subject.as_ref()?.missing.as_ref()
    }

    /// Whether a statement that cannot be planned before its parameters have values may be planned for them: what is wrong
    /// is not that something is not there, nor a clause.
    #[doc(hidden)]
    pub fn hangs_on_values(&self) -> bool {
        let known = self.subject.as_ref().and_then(|it| it.hangs_on_values);
        self.missing().is_none()
            && match self.kind {
                ErrorKind::InvalidInput | ErrorKind::Internal => known.unwrap_or(true),
                ErrorKind::NotSupported => known.unwrap_or(false),
                _ => false,
            }
    }

    /// The table that the message is about: the first that it names.
    pub fn table(&self) -> Option<&str> {
        let known = self.subject.as_ref().and_then(|it| it.table.as_deref());
        known.or_else(|| self.named_behind("table"))
    }

    /// The column that the message is about: the first that it names.
    pub fn column(&self) -> Option<&str> {
        let known = self.subject.as_ref().and_then(|it| it.column.as_deref());
        known.or_else(|| self.named_behind("column"))
    }

    /// The first name in backticks that stands behind a word of the message, outside of values.
    fn named_behind(&self, what: &str) -> Option<&str> {
        let mut rest = self.message.as_str();
        while let Some(at) = rest.find(['\'', '`']) {
            let (before, quoted) = (rest.get(..at)?, rest.get(at + 1..)?);
            let is_value = rest.get(at..)?.starts_with('\'');
            // The one of `the table's` begins nothing.
            if is_value && before.ends_with(char::is_alphanumeric) {
                rest = quoted;
                continue;
            }
            let (name, behind) = quoted.split_once(if is_value { '\'' } else { '`' })?;
            let word = before
                .strip_suffix(' ')
                .and_then(|it| it.strip_suffix(what));
            if !is_value && word.is_some_and(|it| !it.ends_with(char::is_alphanumeric)) {
                return Some(name);
            }
            rest = behind;
        }
        None
    }

    /// What a row does not satisfy: `PRIMARY KEY`, `NOT NULL`, or the name of a constraint.
    pub fn constraint(&self) -> Option<&str> {
        self.subject.as_ref()?.constraint.as_deref()
    }

    /// The number of the row that is refused, counted from 1, among those of its statement, or that of the line in its file.
    pub fn row(&self) -> Option<u64> {
        self.subject.as_ref()?.row
    }

    /// The place of the row that is refused, as the message has it: `row 2`, `data/flights.csv line 17`.
    pub fn place(&self) -> Option<&str> {
        self.subject.as_ref()?.place.as_deref()
    }

    /// The line and the column of the statement's text, both counted from 1, where the parser stopped; the message ends
    /// with them. `None` for an error that is about no place.
    pub fn position(&self) -> Option<(usize, usize)> {
        let (_, position) = self.message.rsplit_once(" at Line: ")?;
        let (line, column) = position.split_once(", Column: ")?;
        let (line, column) = (line.parse().ok()?, column.trim_end().parse().ok()?);
        (line > 0 && column > 0).then_some((line, column))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// What a panic says.
#[doc(hidden)]
pub fn words_of_panic(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words")
}

impl serde::de::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::invalid(message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Nameable};

    #[test]
    fn what_a_message_names_is_what_it_is_about() {
        let error = Error::invalid("column `b` cannot hold 'table `x`'").of_table("t");
        assert_eq!((error.table(), error.column()), (Some("t"), Some("b")));
        let error = Error::invalid("there is no table `gulls`");
        assert_eq!((error.table(), error.column()), (Some("gulls"), None));
        let error = Error::invalid("the row's 'table `x`' is no number, timetable `y` neither");
        assert_eq!((error.table(), error.column()), (None, None));
        let error = Error::invalid("too long").at_row("data/gulls.csv line 17");
        let place = Some("data/gulls.csv line 17");
        assert_eq!((error.row(), error.place()), (Some(17), place));
        assert_eq!(Error::invalid("too long").at_row("row x").row(), None);
    }

    #[test]
    fn what_values_cannot_take_away_is_told_at_once() {
        let taken = |error: Error| error.hangs_on_values();
        assert!(taken(Error::invalid("`ts + $1`")));
        assert!(!taken(Error::unsupported("TABLESAMPLE")));
        assert!(taken(Error::unsupported("LIMIT").hanging_on_values(true)));
        assert!(!taken(Error::invalid("b").hanging_on_values(false)));
        assert!(!taken(
            Error::unavailable("no memory").hanging_on_values(true)
        ));
        let missing = Error::invalid("there is no table `t`");
        assert!(!taken(missing.of_missing(Nameable::Table, "t", [])));
    }

    #[test]
    fn the_place_of_an_error_is_read_from_its_message() {
        let position = |message: &str| Error::invalid(message).position();
        assert_eq!(
            position("no such word at Line: 2, Column: 17"),
            Some((2, 17))
        );
        assert_eq!(position("no such word at Line: 0, Column: 0"), None);
        assert_eq!(position("there is no table `t`"), None);
    }
}
