//! Definitions of sequences, kept as JSON in the store.
//!
//! # Format, version 1
//!
//! ```json
//! {"format": 1, "sequence": {"id": 7, "name": "ids", "start": 1, "increment": 1, "minimum": 1,
//!   "maximum": 9223372036854775807, "cache": 32}}
//! ```
//!
//! Version 2 has `"comment": "…"`, too.

use serde::{Deserialize, Serialize};

use super::stored::{Kind, format_of};
use super::validate::check_name;
use crate::datum::identifier;
use crate::error::{Error, Result};

const KIND: Kind = Kind {
    name: "sequence",
    format: 2,
};

/// How many values are taken from the store at once, unless it is said otherwise.
pub const DEFAULT_CACHE: u64 = 32;

/// What hands out numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Names its numbers in the store; given once, never again.
    pub id: u64,
    /// Its name, folded as SQL folds it.
    pub name: String,
    /// The first number.
    pub start: i64,
    /// What each is greater than the one before; less, if it is negative.
    pub increment: i64,
    /// No number is less.
    pub minimum: i64,
    /// No number is greater.
    pub maximum: i64,
    /// How many numbers are taken from the store at once: so many are lost when a process ends.
    pub cache: u64,
    /// What is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl Sequence {
    /// Whether the definition can be a sequence.
    ///
    /// # Errors
    /// `InvalidInput` that names the sequence and the reason.
    pub fn validate(&self) -> Result<()> {
        check_name("sequence", &self.name)?;
        let wrong = if self.increment == 0 {
            "INCREMENT must not be 0".to_owned()
        } else if self.minimum > self.maximum {
            let (minimum, maximum) = (self.minimum, self.maximum);
            format!("MINVALUE {minimum} is greater than MAXVALUE {maximum}")
        } else if self.start < self.minimum || self.start > self.maximum {
            let (start, minimum, maximum) = (self.start, self.minimum, self.maximum);
            format!("START {start} is not between MINVALUE {minimum} and MAXVALUE {maximum}")
        } else if self.cache == 0 {
            "CACHE must be at least 1".to_owned()
        } else {
            return Ok(());
        };
        let name = &self.name;
        Err(Error::invalid(format!("sequence `{name}`: {wrong}")))
    }

    /// The definition as it is stored.
    ///
    /// # Errors
    /// `Internal`, which would be a fault of the serialiser.
    pub fn to_json(&self) -> Result<String> {
        KIND.written(self, format_of(&self.comment))
    }

    /// A stored definition.
    ///
    /// # Errors
    /// `Corrupt` where the text is no valid definition or was written by a newer Halite.
    pub fn from_json(text: &str) -> Result<Self> {
        let sequence: Self = KIND.read(text)?;
        sequence.validate().map_err(|error| {
            Error::corrupt(format!("a stored definition is not valid: {error}")).with_source(error)
        })?;
        Ok(sequence)
    }

    /// The least and the greatest number, unless it is said otherwise, of a sequence with this increment.
    pub fn default_bounds(increment: i64) -> (i64, i64) {
        if increment < 0 {
            (i64::MIN, -1)
        } else {
            (1, i64::MAX)
        }
    }

    /// The CREATE SEQUENCE statement of this sequence, without a semicolon.
    pub fn create_statement(&self) -> String {
        let mut text = format!(
            "CREATE SEQUENCE {} START WITH {}",
            identifier(&self.name),
            self.start
        );
        if self.increment != 1 {
            text.push_str(&format!(" INCREMENT BY {}", self.increment));
        }
        let (minimum, maximum) = Self::default_bounds(self.increment);
        if self.minimum != minimum {
            text.push_str(&format!(" MINVALUE {}", self.minimum));
        }
        if self.maximum != maximum {
            text.push_str(&format!(" MAXVALUE {}", self.maximum));
        }
        if self.cache != DEFAULT_CACHE {
            text.push_str(&format!(" CACHE {}", self.cache));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes are for ever.
    const STORED: &str = r#"{"format":1,"sequence":{"id":7,"name":"ids","start":1,"increment":1,"minimum":1,"maximum":9223372036854775807,"cache":32}}"#;

    #[test]
    fn a_definition_is_stored_and_read() {
        let sequence = Sequence::from_json(STORED).unwrap();
        assert_eq!(sequence.to_json().unwrap(), STORED);
        assert_eq!(
            sequence.create_statement(),
            "CREATE SEQUENCE ids START WITH 1"
        );
        for (from, to, wrong) in [
            ("\"format\":1", "\"format\":3", "upgrade Halite"),
            (
                "\"increment\":1",
                "\"increment\":0",
                "INCREMENT must not be 0",
            ),
            ("\"start\":1", "\"start\":-1", "is not between"),
            ("\"cache\":32", "\"cache\":32,\"x\":1", "unknown field"),
            ("{\"format\":1", "{\"x\":1,\"format\":1", "`x`"),
        ] {
            let error = Sequence::from_json(&STORED.replacen(from, to, 1)).unwrap_err();
            assert!(error.to_string().contains(wrong), "{to}: {error}");
        }
    }
}
