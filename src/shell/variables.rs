//! Variables of the shell, as psql has them: `\set host web-1` gives one its value, and in statements `:host` stands for
//! that value as it is, `:'host'` for it as a text of SQL, `:"host"` as a name.
//!
//! Inside texts, quoted names and comments nothing stands for a variable, nor does a name that no variable has: there it
//! is left as it is written. `::` is a cast.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::words::{Kind, Token, tokens};

/// How deep variables may stand in the values of others.
const NESTED: usize = 8;

/// Variables with their values.
#[derive(Debug, Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Whether a variable can have this name.
    ///
    /// # Errors
    /// What to tell the user, if it cannot.
    pub fn check(name: &str) -> Result<(), String> {
        let belongs = |letter: char| letter.is_alphanumeric() || letter == '_';
        let begins = |letter: char| letter.is_alphabetic() || letter == '_';
        if name.starts_with(begins) && name.chars().all(belongs) {
            Ok(())
        } else {
            Err(format!(
                "{name} is no name of a variable: it has letters, digits and _, and begins with no digit"
            ))
        }
    }

    /// Gives a variable its value.
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// Forgets a variable; whether there was one.
    pub fn unset(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    /// All of them, by their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The text with values in place of variables, and in place of those that stand in values as they are.
    pub fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.filled(text, NESTED)
    }

    fn filled<'t>(&self, text: &'t str, nested: usize) -> Cow<'t, str> {
        if self.0.is_empty() || !text.contains(':') || nested == 0 {
            return Cow::Borrowed(text);
        }
        let mut filled = String::new();
        let mut done = 0;
        for (colon, name) in references(text) {
            if let Some(value) = self.value(&name, text, nested - 1) {
                filled.push_str(text.get(done..colon).unwrap_or(""));
                filled.push_str(&value);
                done = name.end;
            }
        }
        filled.push_str(text.get(done..).unwrap_or(""));
        Cow::Owned(filled)
    }

    /// What stands for a reference, whose name this is.
    fn value(&self, name: &Token, text: &str, nested: usize) -> Option<String> {
        let written = name.of(text);
        let inner = written.get(1..written.len().saturating_sub(1));
        match name.kind {
            Kind::Text => Some(format!("'{}'", self.0.get(inner?)?.replace('\'', "''"))),
            Kind::Quoted => Some(format!("\"{}\"", self.0.get(inner?)?.replace('"', "\"\""))),
            _ => {
                let value = self.0.get(written)?;
                Some(self.filled(value, nested).into_owned())
            }
        }
    }
}

/// Whether a text has a place where a variable may stand.
pub fn has_references(text: &str) -> bool {
    text.contains(':') && references(text).next().is_some()
}

/// The places where variables may stand: that of the colon, and the name behind it.
fn references(text: &str) -> impl Iterator<Item = (usize, Token)> {
    let found = tokens(text);
    let is_colon = |token: &Token| token.kind == Kind::Symbol && token.of(text) == ":";
    let is_name = |token: &Token| {
        !token.open
            && match token.kind {
                Kind::Word | Kind::Keyword => true,
                Kind::Quoted => token.of(text).starts_with('"'),
                Kind::Text => token.of(text).starts_with('\''),
                _ => false,
            }
    };
    let mut places = Vec::new();
    for (position, colon) in found.iter().enumerate() {
        let before = position.checked_sub(1).and_then(|before| found.get(before));
        let behind = found.get(position + 1);
        if let Some(name) = behind.filter(|name| is_name(name))
            && is_colon(colon)
            && !before.is_some_and(is_colon)
        {
            places.push((colon.start, *name));
        }
    }
    places.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_for_variables() {
        let mut variables = Variables::default();
        variables.set("n", "1 + 2");
        variables.set("who", "O'Hara");
        variables.set("table", "My \"Table\"");
        for (text, expected) in [
            ("SELECT :n", "SELECT 1 + 2"),
            ("SELECT (:n)*2, :n", "SELECT (1 + 2)*2, 1 + 2"),
            ("WHERE a = :'who'", "WHERE a = 'O''Hara'"),
            ("FROM :\"table\" t", "FROM \"My \"\"Table\"\"\" t"),
            // A keyword may be the name of a variable.
            ("FROM :table", "FROM My \"Table\""),
            (
                "SELECT ':n', \":n\" -- :n\n, $$:n$$",
                "SELECT ':n', \":n\" -- :n\n, $$:n$$",
            ),
            ("SELECT '1'::n, x::text", "SELECT '1'::n, x::text"),
            (
                "SELECT :nn, :N, : n, :'nn', a:b",
                "SELECT :nn, :N, : n, :'nn', a:b",
            ),
            ("", ""),
        ] {
            assert_eq!(variables.fill(text), expected);
        }
        variables.set("twice", ":n, ':n', :n");
        assert_eq!(variables.fill("SELECT :twice"), "SELECT 1 + 2, ':n', 1 + 2");
        variables.set("endless", ":endless");
        assert_eq!(variables.fill(":endless"), ":endless");
        assert!(variables.unset("n") && !variables.unset("n"));
        assert_eq!(variables.fill("SELECT :n"), "SELECT :n");
    }

    #[test]
    fn names_of_variables_are_words() {
        for name in ["a", "_1", "höhe"] {
            assert_eq!(Variables::check(name), Ok(()));
        }
        for name in ["", "1a", "a-b", "a b", "a$"] {
            assert!(Variables::check(name).is_err(), "{name}");
        }
    }
}
