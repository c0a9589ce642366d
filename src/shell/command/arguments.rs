//! The arguments of commands: words, in quotes where they hold spaces; names of tables as SQL folds them.

use std::env;
use std::path::PathBuf;

use super::super::words::tokens;

/// The first word of the arguments, without its quotes, and what follows it. Inside single or double quotes, which are
/// doubled to stand for themselves, spaces belong to the word.
pub fn first_word(arguments: &str) -> (String, &str) {
    let arguments = arguments.trim_start();
    let quote = arguments
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'));
    let Some(quote) = quote else {
        let (word, rest) = arguments
            .split_once(char::is_whitespace)
            .unwrap_or((arguments, ""));
        return (word.to_owned(), rest.trim());
    };
    let mut word = String::new();
    let mut letters = arguments.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != quote {
            word.push(letter);
        } else if letters.next_if(|(_, next)| *next == quote).is_some() {
            word.push(quote);
        } else {
            return (word, arguments.get(at + 1..).unwrap_or("").trim());
        }
    }
    (word, "")
}

/// The file that an argument names; `~/` is the home directory.
pub fn file(argument: &str) -> PathBuf {
    let (word, rest) = first_word(argument);
    // Without quotes, a name may hold spaces where nothing else can follow it.
    let name = if rest.is_empty() {
        word
    } else {
        argument.trim().to_owned()
    };
    home(&name)
}

/// A path, in which `~/` at the beginning is the home directory.
pub fn home(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(name),
    }
}

/// The name at the beginning of the arguments as SQL reads it, and what follows it.
pub fn table(arguments: &str) -> Option<(String, &str)> {
    let found = tokens(arguments);
    let first = found.iter().find(|token| token.significant())?;
    Some((first.name(arguments)?, arguments.get(first.end..)?.trim()))
}

/// `on`, `off` and what else people write for them.
pub fn switch(argument: &str) -> Option<bool> {
    match argument.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => Some(true),
        "off" | "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_with_and_without_quotes() {
        let read = |arguments| {
            let (word, rest) = first_word(arguments);
            (word, rest.to_owned())
        };
        let expect = |word: &str, rest: &str| (word.to_owned(), rest.to_owned());
        assert_eq!(read("a.csv  flights"), expect("a.csv", "flights"));
        assert_eq!(
            read("'my file.csv' flights"),
            expect("my file.csv", "flights")
        );
        assert_eq!(read("'it''s'"), expect("it's", ""));
        assert_eq!(read("\"open"), expect("open", ""));
        assert_eq!(read(""), expect("", ""));
        assert_eq!(file("my file.sql"), PathBuf::from("my file.sql"));
        assert_eq!(file("'my file.sql'"), PathBuf::from("my file.sql"));
    }

    #[test]
    fn names_fold_as_in_sql() {
        let read = |arguments| table(arguments).map(|(name, rest)| (name, rest.to_owned()));
        let expect = |name: &str, rest: &str| Some((name.to_owned(), rest.to_owned()));
        assert_eq!(read("Flights VALUES (1)"), expect("flights", "VALUES (1)"));
        assert_eq!(read("\"My Flights\"(a)"), expect("My Flights", "(a)"));
        assert_eq!(read("(a)"), None);
        assert_eq!(read(""), None);
    }
}
