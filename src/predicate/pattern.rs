//! `LIKE` patterns.
//!
//! As DataFusion reads them: `%` is any text, `_` any character, and the escape character makes the next character
//! literal, whatever it is; at the very end it stands for itself.

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

/// Reads a pattern that does not tell cases apart, as far as it has no letters; `None` where it begins with one.
pub(super) fn parse_caseless(pattern: &str, escape: char) -> Option<Pattern> {
    let tokens = tokens(pattern, escape);
    // The letters beyond ASCII that have one of ASCII for their other case match letters alone.
    let is_caseless = |token: &&Token| match token {
        Token::Literal(character) => character.is_ascii() && !character.is_ascii_alphabetic(),
        Token::AnyText | Token::AnyCharacter => true,
    };
    let caseless = tokens.iter().take_while(is_caseless);
    if caseless.clone().count() == tokens.len() {
        return Some(parse(pattern, escape));
    }
    let prefix: String = caseless.map_while(literal).collect();
    (!prefix.is_empty()).then_some(Pattern::Other(prefix))
}

/// The text with which every text begins that a regular expression matches, if it is anchored and says so plainly.
pub(super) fn anchored(regex: &str) -> Option<String> {
    let mut rest = regex.strip_prefix('^')?.chars().peekable();
    // One of several alternatives may begin otherwise, and be no anchored one.
    if regex.contains('|') {
        return None;
    }
    let mut prefix = String::new();
    while let Some(character) = rest.next() {
        let literal = match character {
            '\\' => match rest.next() {
                // `\<` and `\>` are ends of words.
                Some('<' | '>') => break,
                Some(escaped) if escaped.is_ascii_punctuation() => escaped,
                _ => break,
            },
            '.' | '+' | '*' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' => break,
            plain => plain,
        };
        let is_repeated = matches!(rest.peek(), Some('*' | '?' | '{'));
        #[cfg(test)]
        let is_repeated = is_repeated && !crate::fault::active(crate::fault::Fault::RepetitionKept);
        if is_repeated {
            break;
        }
        prefix.push(literal);
    }
    (!prefix.is_empty()).then_some(prefix)
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
