//! What a row key is declared over: columns, and parts in their order and direction.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::transform::{Argument, BoundArgument, Expression, Transform};
use crate::datum::SqlType;
use crate::error::{Error, Nameable, Result};

/// Whether keys run up or down with the part's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Smaller values first.
    Ascending,
    /// Greater values first.
    Descending,
}

/// Where NULL stands among the keys of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullOrder {
    /// Before every value.
    First,
    /// After every value.
    Last,
}

impl NullOrder {
    /// The byte that stands for NULL.
    pub(super) fn marker(self) -> u8 {
        match self {
            Self::First => 0x00,
            Self::Last => 0x02,
        }
    }
}

impl SortOrder {
    /// DataFusion's default: ASC NULLS LAST, DESC NULLS FIRST.
    pub fn default_nulls(self) -> NullOrder {
        match self {
            Self::Ascending => NullOrder::Last,
            Self::Descending => NullOrder::First,
        }
    }
}

/// A column of the table, as far as row keys need to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// Its name, folded as it is stored.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Whether it can be NULL.
    pub nullable: bool,
}

/// A part as it is declared and stored with the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartDefinition {
    /// What is stored.
    pub expression: Expression,
    /// ASC or DESC.
    pub direction: SortOrder,
    /// NULLS FIRST or LAST; without effect for a part that cannot be NULL.
    pub nulls: NullOrder,
}

impl fmt::Display for PartDefinition {
    /// As `PRIMARY KEY (…)` declares it: `seen DESC NULLS LAST`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.fmt(f)?;
        if self.direction == SortOrder::Descending {
            f.write_str(" DESC")?;
        }
        if self.nulls == self.direction.default_nulls() {
            return Ok(());
        }
        f.write_str(match self.nulls {
            NullOrder::First => " NULLS FIRST",
            NullOrder::Last => " NULLS LAST",
        })
    }
}

impl Expression {
    /// The function over a table's columns, and the positions of those that it names.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the column or argument and the reason.
    pub fn bind(&self, columns: &[KeyColumn]) -> Result<(Arc<dyn Transform>, Vec<usize>)> {
        let mut sources = Vec::new();
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(match argument {
                Argument::Column(name) => {
                    let (position, column) = columns
                        .iter()
                        .enumerate()
                        .find(|(_, column)| column.name == *name)
                        .ok_or_else(|| {
                            Error::invalid(format!("there is no column `{name}`"))
                                .of_missing(Nameable::Column, name, [])
                        })?;
                    if !column.sql_type.can_be_key() {
                        return Err(Error::invalid(format!(
                            "column `{name}` of type {} cannot be a key part, nor can a key part be computed from it",
                            column.sql_type
                        )));
                    }
                    sources.push(position);
                    BoundArgument::Column(name.clone(), column.sql_type.clone())
                }
                Argument::Integer(value) => BoundArgument::Integer(*value),
                Argument::Text(value) => BoundArgument::Text(value.clone()),
                Argument::Interval(value) => BoundArgument::Interval(*value),
            });
        }
        Ok((self.declaration()?.bind(&arguments)?, sources))
    }
}
