//! The tokens of a script.

use sqlparser::tokenizer::{TokenWithSpan, Tokenizer};

use super::dialect::HaliteDialect;
use crate::error::{Error, Result};

/// The tokens of a script, with their places.
pub(crate) fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>> {
    Tokenizer::new(&HaliteDialect::new(0), sql)
        .tokenize_with_location()
        .map_err(|error| Error::invalid(format!("syntax error: {error}")).with_source(error))
}
