//! Colours, and where there are none.
//!
//! Colour is never the only sign of anything: what is said by it is said by letters, too.

use std::env;
use std::ffi::OsString;

use nu_ansi_term::{Color, Style};

/// What a piece of text is, for those who colour it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A keyword of SQL, or a command of the shell.
    Keyword,
    /// The name of a function that is called.
    Function,
    /// A text in quotes.
    Text,
    /// A number or a parameter.
    Number,
    /// A comment.
    Comment,
    /// What is wrong, and the word `error`.
    Error,
    /// What may help: the caret, a suggestion.
    Hint,
    /// The sign for NULL.
    Absent,
    /// The name of a column.
    Heading,
    /// What stands back: types, lines that tell what a statement cost.
    Quiet,
}

impl Role {
    /// How it looks.
    pub fn style(self) -> Style {
        match self {
            Self::Keyword => Color::Cyan.bold(),
            Self::Function => Color::Blue.normal(),
            Self::Text => Color::Green.normal(),
            Self::Number => Color::Yellow.normal(),
            Self::Comment | Self::Absent | Self::Quiet => Color::DarkGray.normal(),
            Self::Error => Color::Red.bold(),
            Self::Hint => Color::Yellow.bold(),
            Self::Heading => Style::new().bold(),
        }
    }
}

/// Whether the terminal takes letters and nothing else.
pub fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Whether `NO_COLOR` is set; to nothing is not at all.
fn is_unwanted(no_color: Option<OsString>) -> bool {
    no_color.is_some_and(|value| !value.is_empty())
}

/// Whether text is coloured; by default it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Colors {
    on: bool,
}

impl Colors {
    /// Colours for an output, if it is a terminal that has them and the user has not set `NO_COLOR`.
    pub fn of(terminal: bool) -> Self {
        Self::new(terminal && !is_dumb() && !is_unwanted(env::var_os("NO_COLOR")))
    }

    /// Colours, or none.
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// Whether there are any.
    pub fn are_on(self) -> bool {
        self.on
    }

    /// `text` as its role looks.
    pub fn paint(self, role: Role, text: &str) -> String {
        if self.on && !text.is_empty() {
            role.style().paint(text).to_string()
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_coloured_only_where_there_are_colours() {
        assert_eq!(Colors::default().paint(Role::Error, "error"), "error");
        let painted = Colors::new(true).paint(Role::Error, "error");
        assert_eq!(painted, "\u{1b}[1;31merror\u{1b}[0m");
        assert_eq!(Colors::new(true).paint(Role::Error, ""), "");
        assert!(!Colors::of(false).are_on());
    }
}
