//! Queries that come as text, again and again.
//!
//! A program that writes values into its SQL asks the same query each time, with other literals. So a text is remembered
//! without the literals that are compared with something ([`Text::of`]), and from its second time on it is planned once,
//! with parameters in their places, as a prepared statement is ([`Repeated`]). A literal that is no value of the type of
//! the column that it is compared with, or that stands anywhere else, has its query planned as it is written: the answer
//! is that of the written query in any case.
//!
//! What is remembered is for the tables and settings of its time, as [`Repeated`] knows. Of functions, rules and tables that
//! somebody puts into the session behind the connection it knows nothing: from the moment on when somebody may do so
//! ([`Texts::forget_all`]), nothing is remembered.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use parking_lot::Mutex;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::planned::Repeated;
use crate::error::Result;
use crate::sql::parse::{Parsed, parse_statement};
use crate::sql::placeholders::is_name;

/// A longer text is not remembered.
const LONGEST: usize = 4 << 10;

/// So many texts are remembered; then it begins anew.
const MOST_TEXTS: usize = 512;

/// A query, without the literals that are compared with something.
#[derive(Debug)]
pub(crate) struct Text {
    /// What is not white space, with `$1`, `$2`, … in the places of the literals.
    tokens: Vec<Token>,
    /// The literals, in order; empty where the text has parameters of its own.
    pub(crate) literals: Vec<ScalarValue>,
}

/// What is known of a text that has been seen.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// Nothing more.
    Seen,
    /// It is planned each time, while the catalog has this version.
    Each { since: u64 },
    /// It was planned for many runs.
    Once(Arc<Repeated>),
}

/// The texts that a connection has been given.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: Mutex<HashMap<Vec<Token>, Known>>,
    is_off: AtomicBool,
}

impl Text {
    /// Whether a text may be one that is remembered.
    pub(crate) fn is_possible(sql: &str) -> bool {
        let begins = |word: &str| {
            let begin = sql.trim_start().get(..word.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
        };
        sql.len() <= LONGEST && (begins("SELECT") || begins("WITH"))
    }

    /// The query that is all of these tokens; `None` where it is not remembered.
    pub(crate) fn of(tokens: &[TokenWithSpan]) -> Option<Self> {
        let tokens = tokens.iter().map(|token| &token.token);
        let mut tokens: Vec<Token> = tokens
            .filter(|token| !matches!(token, Token::Whitespace(_)))
            .cloned()
            .collect();
        while tokens.last() == Some(&Token::SemiColon) {
            tokens.pop();
        }
        let has = |kind: fn(&Token) -> bool| tokens.iter().any(kind);
        // Whether white space stands behind a colon makes a difference.
        if has(|token| matches!(token, Token::SemiColon | Token::Colon)) {
            return None;
        }
        // Values for parameters with names come in any order.
        if has(|token| matches!(token, Token::Placeholder(name) if is_name(name))) {
            return None;
        }
        Some(if has(|token| matches!(token, Token::Placeholder(_))) {
            Self {
                tokens,
                literals: Vec::new(),
            }
        } else {
            Self::without_literals(&tokens)
        })
    }

    fn without_literals(tokens: &[Token]) -> Self {
        let (mut kept, mut literals) = (Vec::with_capacity(tokens.len()), Vec::new());
        let mut rest = tokens;
        while let [first, others @ ..] = rest {
            let is_compared = kept.last().is_some_and(is_comparison);
            match is_compared.then(|| literal(rest)).flatten() {
                Some((value, behind)) if behind.first().is_none_or(ends_operand) => {
                    literals.push(value);
                    kept.push(Token::Placeholder(format!("${}", literals.len())));
                    rest = behind;
                }
                _ => {
                    kept.push(first.clone());
                    rest = others;
                }
            }
        }
        Self {
            tokens: kept,
            literals,
        }
    }

    /// The query, parsed.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(&self) -> Result<Parsed> {
        let tokens = self.tokens.iter().cloned().map(TokenWithSpan::wrap);
        parse_statement(&tokens.collect::<Vec<_>>(), String::new())
    }
}

fn is_comparison(token: &Token) -> bool {
    matches!(
        token,
        Token::Eq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq
    )
}

/// Whether an operand that ends before this token is a whole side of a comparison.
fn ends_operand(next: &Token) -> bool {
    match next {
        Token::RParen => true,
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::AND
                | Keyword::OR
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::OFFSET
        ),
        _ => false,
    }
}

/// The literal that tokens begin with, if it means the same to all, and what is behind it.
fn literal(tokens: &[Token]) -> Option<(ScalarValue, &[Token])> {
    match tokens {
        [Token::Number(digits, false), behind @ ..] => {
            Some((ScalarValue::from(digits.parse::<i64>().ok()?), behind))
        }
        [Token::SingleQuotedString(text), behind @ ..] => {
            Some((ScalarValue::from(text.as_str()), behind))
        }
        [
            Token::Word(word),
            Token::SingleQuotedString(text),
            behind @ ..,
        ] if word.quote_style.is_none() => {
            let data_type = match word.keyword {
                Keyword::TIMESTAMP => DataType::Timestamp(TimeUnit::Nanosecond, None),
                Keyword::DATE => DataType::Date32,
                _ => return None,
            };
            // As the text is cast where it is planned.
            let value = ScalarValue::from(text.as_str()).cast_to(&data_type).ok()?;
            (!value.is_null()).then_some((value, behind))
        }
        _ => None,
    }
}

impl Texts {
    /// Nothing is remembered any more, and nothing will be.
    pub(crate) fn forget_all(&self) {
        if !self.is_off.swap(true, Ordering::SeqCst) {
            self.known.lock().clear();
        }
    }

    /// Whether nothing is remembered.
    fn are_off(&self) -> bool {
        self.is_off.load(Ordering::SeqCst)
    }

    /// What is known of a text, which is seen by that; `None` if it was not before.
    pub(crate) fn see(&self, text: &Text) -> Option<Known> {
        let mut known = self.known.lock();
        if let Some(found) = known.get(&text.tokens) {
            return Some(found.clone());
        }
        if !self.are_off() {
            if known.len() >= MOST_TEXTS {
                known.clear();
            }
            known.insert(text.tokens.clone(), Known::Seen);
        }
        None
    }

    /// Remembers more of a text.
    pub(crate) fn keep(&self, text: &Text, found: Known) {
        let mut known = self.known.lock();
        if !self.are_off() {
            known.insert(text.tokens.clone(), found);
        }
    }
}

#[cfg(test)]
#[path = "statement_cache_tests.rs"]
mod tests;
