//! How rows of two sides are joined by what is equal in them.

use std::fmt;
use std::str::FromStr;

use datafusion::common::{DataFusionError, Result};
use datafusion::config::{ConfigField, Visit};

use crate::error::Error;

/// Which side has to fit into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Joins {
    /// The smaller one, in a hash table; where it does not fit, none.
    #[default]
    Auto,
    /// Always the smaller one.
    Hash,
    /// None: both are sorted, in temporary files where need be, and merged.
    Merge,
}

impl Joins {
    /// All, with the names that `SET halite.joins` knows them by.
    const NAMES: [(Self, &str); 3] = [
        (Self::Auto, "auto"),
        (Self::Hash, "hash"),
        (Self::Merge, "merge"),
    ];
}

impl fmt::Display for Joins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Hash => "hash",
            Self::Merge => "merge",
        })
    }
}

impl FromStr for Joins {
    type Err = Error;

    /// Errors: `InvalidInput` for a text that is none of the names, in any case.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, name)| name.eq_ignore_ascii_case(text));
        found.map(|(joins, _)| *joins).ok_or_else(|| {
            Error::invalid(format!(
                "'{text}' is no way to join: 'auto', 'hash' (one side fits into memory) and 'merge' (both are sorted) are"
            ))
        })
    }
}

impl ConfigField for Joins {
    fn visit<V: Visit>(&self, visitor: &mut V, key: &str, description: &'static str) {
        visitor.some(key, self, description);
    }

    fn set(&mut self, _: &str, value: &str) -> Result<()> {
        *self = value.parse().map_err(DataFusionError::from)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_read_as_it_is_shown() {
        for (joins, name) in Joins::NAMES {
            assert_eq!(joins.to_string(), name);
            assert_eq!(name.to_uppercase().parse::<Joins>().unwrap(), joins);
        }
        let error = "nested".parse::<Joins>().unwrap_err();
        assert!(error.message().contains("'nested'"), "{error}");
    }
}
