//! How the parameters of a statement are written: `$1`, `$2`, … as DataFusion knows them, `?` as most programs write them, or
//! `$host`, with names.

use std::borrow::Cow;
use std::collections::HashMap;

use sqlparser::ast::{self, Value};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{Error, Result};

/// The number of a parameter in the text of a statement, from 1.
pub(crate) fn number_of(expr: &ast::Expr) -> Option<usize> {
    match expr {
        ast::Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => name.strip_prefix('$')?.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The tokens of one statement, each `?` and each parameter with a name as `$n`, counted from 1; and these names, in the
/// order of their numbers.
///
/// # Errors
/// `InvalidInput` where parameters are written in several ways.
pub(crate) fn numbered(
    tokens: &[TokenWithSpan],
) -> Result<(Cow<'_, [TokenWithSpan]>, Vec<String>)> {
    let written = |token: &TokenWithSpan| match &token.token {
        Token::Placeholder(written) => Some(Written::of(written)),
        _ => None,
    };
    let Some(first) = tokens.iter().find_map(written) else {
        return Ok((Cow::Borrowed(tokens), Vec::new()));
    };
    let is_number = |token| written(token).is_none_or(|written| written == Written::Number);
    if tokens.iter().all(is_number) {
        return Ok((Cow::Borrowed(tokens), Vec::new()));
    }
    let (mut numbered, mut names) = (tokens.to_vec(), Names::default());
    let (mut count, mut shown) = (0, "");
    for (token, original) in numbered.iter_mut().zip(tokens) {
        let (Token::Placeholder(parameter), Token::Placeholder(original)) =
            (&mut token.token, &original.token)
        else {
            continue;
        };
        if shown.is_empty() {
            shown = original;
        }
        if Written::of(original) != first {
            return Err(Error::invalid(format!(
                "the statement has both {shown} and {original}: write parameters in one way"
            )));
        }
        match first {
            Written::Number => {}
            Written::Open => {
                count += 1;
                *parameter = format!("${count}");
            }
            Written::Name => *parameter = format!("${}", names.number_of(original)),
        }
        if count.max(names.0.len()) > MAX_PARAMETERS {
            return Err(too_many());
        }
    }
    Ok((Cow::Owned(numbered), names.in_order()))
}

/// Most parameters of a statement, and the greatest number of one.
pub(crate) const MAX_PARAMETERS: usize = 65_535;

fn too_many() -> Error {
    Error::unsupported(format!(
        "the statement has more than {MAX_PARAMETERS} parameters"
    ))
}

/// How a parameter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// `?`
    Open,
    /// `$1`
    Number,
    /// `$host`
    Name,
}

impl Written {
    fn of(parameter: &str) -> Self {
        let digits = parameter.strip_prefix('$');
        match parameter {
            "?" => Self::Open,
            _ if digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit())) => {
                Self::Number
            }
            _ => Self::Name,
        }
    }
}

/// Whether a parameter has a name, as `$host`.
pub(crate) fn is_name(parameter: &str) -> bool {
    Written::of(parameter) == Written::Name
}

/// The names of parameters, with their numbers.
#[derive(Default)]
struct Names<'a>(HashMap<&'a str, usize>);

impl<'a> Names<'a> {
    /// The number of a parameter with a name, which is added where it is new.
    fn number_of(&mut self, parameter: &'a str) -> usize {
        let name = parameter.trim_start_matches(['$', ':', '@']);
        let next = self.0.len() + 1;
        *self.0.entry(name).or_insert(next)
    }

    /// The names in the order of their numbers.
    fn in_order(self) -> Vec<String> {
        let mut names: Vec<(&str, usize)> = self.0.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name.to_owned()).collect()
    }
}
