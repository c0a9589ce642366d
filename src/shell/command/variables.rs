//! Variables, and texts that show them.

use super::arguments::switch;
use super::{Command, GO_ON, Offer, failed, show_texts};
use crate::shell::state::{Answer, Shell};
use crate::shell::variables::Variables;

/// The variable of psql that says whether a script ends at what fails.
const STOPS: &str = "ON_ERROR_STOP";

pub(super) struct Set;

impl Command for Set {
    fn name(&self) -> &'static str {
        ".set"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\set"]
    }

    fn usage(&self) -> &'static str {
        "[NAME [VALUE]]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Variables, Offer::Sql]
    }

    fn doc(&self) -> &'static str {
        "a value for :NAME, :'NAME' and :\"NAME\"; alone: lists them"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        if argument.is_empty() {
            let all = shell.variables.iter();
            let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let (names, values) = all.unzip();
            return show_texts(shell, &[("variable", names), ("value", values)]);
        }
        let (name, rest) = argument
            .split_once(char::is_whitespace)
            .unwrap_or((argument, ""));
        if let Err(wrong) = Variables::check(name) {
            return failed(shell, &wrong);
        }
        let Some(value) = joined(&shell.variables.fill(rest)) else {
            return failed(shell, "a quote is open");
        };
        if name == STOPS {
            let Some(bail) = switch(&value) else {
                return failed(shell, &format!("say .set {STOPS} on or .set {STOPS} off"));
            };
            shell.settings.bail = bail;
        }
        shell.variables.set(name, &value);
        GO_ON
    }
}

/// The words of a value, one behind the other without the space between, as psql joins them; in single quotes spaces stay,
/// and `''`, `\n`, `\t`, `\\` and `\'` are one letter. `None` where a quote is open.
fn joined(words: &str) -> Option<String> {
    let (mut value, mut is_quoted) = (String::new(), false);
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' if is_quoted && letters.next_if_eq(&'\'').is_some() => value.push('\''),
            '\'' => is_quoted = !is_quoted,
            '\\' if is_quoted => value.push(match letters.next()? {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            space if space.is_whitespace() && !is_quoted => {}
            other => value.push(other),
        }
    }
    (!is_quoted).then_some(value)
}

pub(super) struct Unset;

impl Command for Unset {
    fn name(&self) -> &'static str {
        ".unset"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\unset"]
    }

    fn usage(&self) -> &'static str {
        "NAME"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Variables]
    }

    fn doc(&self) -> &'static str {
        "forgets a variable"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        if shell.variables.unset(argument) {
            GO_ON
        } else {
            failed(shell, &format!("there is no variable {argument}"))
        }
    }
}

pub(super) struct Print;

impl Command for Print {
    fn name(&self) -> &'static str {
        ".print"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["\\echo", "\\qecho"]
    }

    fn usage(&self) -> &'static str {
        "[TEXT]"
    }

    fn arguments(&self) -> &'static [Offer] {
        &[Offer::Variables]
    }

    fn doc(&self) -> &'static str {
        "writes a text to where results go, variables filled in"
    }

    fn run(&self, shell: &mut Shell<'_>, argument: &str) -> Answer {
        let text = format!("{}\n", shell.variables.fill(argument));
        shell.print(&text)
    }
}

#[cfg(test)]
mod unit_tests {
    use super::joined;

    #[test]
    fn words_of_a_value_are_joined() {
        for (words, expected) in [
            ("web-1", Some("web-1")),
            ("1 +  2", Some("1+2")),
            ("'1 + 2'", Some("1 + 2")),
            ("'it''s' ' two'", Some("it's two")),
            ("'a\\nb\\\\c\\'d'", Some("a\nb\\c'd")),
            ("C:\\x", Some("C:\\x")),
            ("", Some("")),
            ("'open", None),
            ("'open\\", None),
        ] {
            assert_eq!(joined(words).as_deref(), expected, "{words}");
        }
    }
}
