//! `LIKE` patterns.
//!
//! As DataFusion reads them: `%` is any text, `_` any character, and the escape character makes the next character
//! literal, whatever it is; at the very end it stands for itself.

use super::operand::text_point;
use crate::datum::{Datum, SqlType};
use crate::key::{Cut, Domain, domain::text_successor};

/// What a pattern says, as far as ranges can say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// No wildcard: equal to this.
    Exact(String),
    /// Begins with this, and nothing else is asked.
    Prefix(String),
    /// Ends with this, and nothing else is asked; the text is not empty.
    Suffix(String),
    /// Begins with this, which may be empty, and more is asked.
    Other(String),
}

impl Pattern {
    /// The texts that it allows, all else aside.
    pub(super) fn domain(&self, sql_type: &SqlType) -> Domain {
        match self {
            Self::Exact(text) => text_point(sql_type, text.clone()),
            Self::Prefix(text) | Self::Other(text) => prefix_domain(text, sql_type),
            Self::Suffix(_) => Domain::all(sql_type).with_null(false),
        }
    }
}

enum Token {
    Literal(char),
    AnyText,
    AnyCharacter,
}

/// Reads a pattern.
pub(super) fn parse(pattern: &str, escape: char) -> Pattern {
    let tokens = tokens(pattern, escape);
    let literals = tokens.iter().map_while(literal).collect::<String>();
    let rest = tokens.get(literals.chars().count()..).unwrap_or_default();
    match rest {
        [] => Pattern::Exact(literals),
        rest if rest.iter().all(|token| matches!(token, Token::AnyText)) => {
            Pattern::Prefix(literals)
        }
        [Token::AnyText, suffix @ ..]
            if literals.is_empty() && suffix.iter().all(|token| literal(token).is_some()) =>
        {
            Pattern::Suffix(suffix.iter().filter_map(literal).collect())
        }
        _ => Pattern::Other(literals),
    }
}

/// Whether it matters to a pattern that cases are not told apart.
pub(super) fn has_cases(pattern: &str, escape: char) -> bool {
    // The letters beyond ASCII that have one of ASCII for their other case match letters alone.
    tokens(pattern, escape).iter().any(|token| match token {
        Token::Literal(character) => !character.is_ascii() || character.is_ascii_alphabetic(),
        Token::AnyText | Token::AnyCharacter => false,
    })
}

/// What stands in front of a pattern's wildcards.
pub(super) fn beginning(pattern: &str, escape: char) -> String {
    let tokens = tokens(pattern, escape);
    tokens.iter().map_while(literal).collect()
}

fn tokens(pattern: &str, escape: char) -> Vec<Token> {
    let mut characters = pattern.chars();
    let mut tokens = Vec::new();
    while let Some(character) = characters.next() {
        tokens.push(match character {
            _ if character == escape => Token::Literal(characters.next().unwrap_or(escape)),
            '%' => Token::AnyText,
            '_' => Token::AnyCharacter,
            other => Token::Literal(other),
        });
    }
    tokens
}

fn literal(token: &Token) -> Option<char> {
    match token {
        Token::Literal(character) => Some(*character),
        Token::AnyText | Token::AnyCharacter => None,
    }
}

/// The texts that begin with `prefix`.
pub(super) fn prefix_domain(prefix: &str, sql_type: &SqlType) -> Domain {
    let end = text_successor(prefix).map_or(Cut::End, |text| Cut::Below(Datum::Text(text)));
    Domain::between(sql_type, Cut::Below(Datum::Text(prefix.to_owned())), end)
}
