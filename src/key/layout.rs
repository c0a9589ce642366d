//! The layout of a table's row key, and keys of single rows.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::datum::{Datum, SqlType};
use crate::error::{Error, Result};
use crate::key::columns::too_long;
use crate::key::identifier::identifier;
use crate::key::part::KeyPart;
use crate::key::transform::{Argument, BoundArgument, Expression, Transform};
use crate::keyrange::hex;

/// The longest row key, which is HBase's limit.
pub const ROW_KEY_BYTES: usize = 32_767;

/// Whether keys run up or down with the part's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
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

impl Direction {
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
    pub direction: Direction,
    /// NULLS FIRST or LAST; without effect for a part that cannot be NULL.
    pub nulls: NullOrder,
}

/// The layout of a table's row key.
#[derive(Debug, Clone)]
pub struct RowKey {
    columns: Vec<KeyColumn>,
    parts: Vec<KeyPart>,
}

impl RowKey {
    /// The layout with these parts over a table's columns.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the part, the column and the reason.
    pub fn new(columns: Vec<KeyColumn>, definitions: Vec<PartDefinition>) -> Result<Self> {
        let mut parts = Vec::with_capacity(definitions.len());
        let definitions: Vec<PartDefinition> = definitions
            .into_iter()
            .map(|definition| PartDefinition {
                expression: definition.expression.canonical(),
                ..definition
            })
            .collect();
        for definition in &definitions {
            let expression = salted(&definition.expression, &definitions);
            let part = KeyPart::bind(&columns, definition, &expression)
                .map_err(|error| error.context(format!("key part `{}`", definition.expression)))?;
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(Error::invalid("a row key needs at least one part"));
        }
        if parts
            .iter()
            .filter(|part| part.transform().buckets().is_some())
            .count()
            > 1
        {
            return Err(Error::invalid(
                "a row key has at most one of salt(n) and bucket(n, …)",
            ));
        }
        Ok(Self { columns, parts })
    }

    /// The table's columns.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// The parts in key order.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts
    }

    /// The part that holds the bucket of a salted table.
    pub fn bucket_part(&self) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.transform().buckets().is_some())
    }

    /// The part that gives back the table's column at `column`.
    pub fn restoring_part(&self, column: usize) -> Option<usize> {
        self.parts
            .iter()
            .position(|part| part.restores() == Some(column))
    }

    /// The part values of a row given by its columns' values, in table order.
    pub fn values(&self, row: &[Option<Datum>]) -> Result<Vec<Option<Datum>>> {
        self.parts.iter().map(|part| part.value(row)).collect()
    }

    /// The row key of a row given by its columns' values, in table order.
    ///
    /// # Errors
    /// `InvalidInput` where a part has no value for the row, or the key is too long.
    pub fn encode(&self, row: &[Option<Datum>]) -> Result<Vec<u8>> {
        self.encode_values(&self.values(row)?)
    }

    /// The row key of these part values.
    pub fn encode_values(&self, values: &[Option<Datum>]) -> Result<Vec<u8>> {
        if values.len() != self.parts.len() {
            return Err(Error::internal(format!(
                "{} values for {} parts",
                values.len(),
                self.parts.len()
            )));
        }
        let mut key = Vec::new();
        for (part, value) in self.parts.iter().zip(values) {
            part.encode(value.as_ref(), &mut key)?;
        }
        if key.len() > ROW_KEY_BYTES {
            return Err(too_long(key.len()));
        }
        debug_assert!(
            self.decode(&key)
                .is_ok_and(|decoded| decoded.as_slice() == values),
            "{values:?} does not come back from {}",
            hex(&key)
        );
        Ok(key)
    }

    /// The part values in a row key.
    ///
    /// # Errors
    /// `Corrupt` where the bytes are no key of this layout.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Option<Datum>>> {
        let mut rest = key;
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (value, length) = part.decode(rest)?;
            values.push(value);
            rest = rest
                .get(length..)
                .ok_or_else(|| Error::corrupt(format!("row key {} ends early", hex(key))))?;
        }
        if rest.is_empty() {
            Ok(values)
        } else {
            Err(Error::corrupt(format!(
                "row key {} has {} bytes too many",
                hex(key),
                rest.len()
            )))
        }
    }

    /// Whether the bytes may be a whole row key, told from the lengths of their fields.
    pub fn is_whole(&self, bytes: &[u8]) -> bool {
        let mut rest = Some(bytes);
        for part in &self.parts {
            rest = rest.and_then(|rest| rest.get(part.length(rest).ok()?..));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// A row key as `/part/part`.
    pub fn format(&self, key: &[u8]) -> Result<String> {
        let values = self.decode(key)?;
        let fields = self.parts.iter().zip(&values);
        Ok(fields
            .map(|(part, value)| format!("/{}", part.format(value.as_ref())))
            .collect())
    }

    /// A row key for people: as [`RowKey::format`], in hex digits where it cannot be read.
    pub fn readable(&self, key: &[u8]) -> String {
        self.format(key).unwrap_or_else(|_| hex(key))
    }
}

/// `salt(n)` is computed from the source columns of all other parts, each once, in the order of first mention.
fn salted(expression: &Expression, definitions: &[PartDefinition]) -> Expression {
    if expression.function != "salt" {
        return expression.clone();
    }
    let mut salted = expression.clone();
    for column in definitions
        .iter()
        .flat_map(|definition| definition.expression.columns())
    {
        let column = Argument::Column(column.to_owned());
        if !salted.arguments.contains(&column) {
            salted.arguments.push(column);
        }
    }
    salted
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
                        .ok_or_else(|| Error::invalid(format!("there is no column `{name}`")))?;
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

impl fmt::Display for Expression {
    /// The expression as SQL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(ToString::to_string).collect();
        match (self.function.as_str(), arguments.as_slice()) {
            ("column" | "literal", [only]) => f.write_str(only),
            ("%" | "/", [left, right]) => write!(f, "{left} {} {right}", self.function),
            ("cast_date", [only]) => write!(f, "CAST({only} AS DATE)"),
            _ => write!(f, "{}({})", self.function, arguments.join(", ")),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => f.write_str(&identifier(name)),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Self::Interval(nanoseconds) => {
                match (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000) {
                    (seconds, 0) => write!(f, "INTERVAL '{seconds} seconds'"),
                    _ => write!(f, "INTERVAL '{nanoseconds} nanoseconds'"),
                }
            }
        }
    }
}
