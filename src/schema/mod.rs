//! Definitions of tables, [views](View) and [sequences](Sequence): plain data, validated, versioned, kept as JSON in the store.
//!
//! A [`Table`] is what `CREATE TABLE` declared. A [`BoundTable`] is the same with everything that follows from it
//! worked out once: the row key's layout, the Arrow schema, which columns the value must hold.
//!
//! # Format, version 1
//!
//! ```json
//! {"format": 1, "table": {"id": 17, "name": "cpu",
//!   "columns": [{"id": 0, "name": "host", "sql_type": "text", "nullable": false, "default": null}],
//!   "key": [{"expression": {"function": "column", "arguments": [{"column": "host"}]},
//!            "direction": "ascending", "nulls": "last"}]}}
//! ```
//!
//! A definition of a newer format, or with a field that this version does not know, is refused: a clause is never
//! ignored. Column ids are given once and never again, so that rows written before a column came or went stay
//! readable; they follow no order.

mod bound;
mod sequence;
mod statement;
mod stored;
mod validate;
mod view;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{KeyColumn, PartDefinition, RowKey};

pub use self::bound::BoundTable;
pub use self::sequence::{DEFAULT_CACHE, Sequence};
pub use self::validate::{COLUMN_ID_LIMIT, NAME_BYTES};
pub use self::view::{View, ViewColumn};

/// The newest format of definitions that this version reads, and the one that it writes.
pub const FORMAT_VERSION: u32 = 1;

/// A table as it was declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Names the table's space in the store; given once, never again, not even after DROP TABLE.
    pub id: u64,
    /// Its name, folded as SQL folds it.
    pub name: String,
    /// In the order in which `SELECT *` shows them.
    pub columns: Vec<Column>,
    /// The parts of the row key.
    pub key: Vec<PartDefinition>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Names the column in stored rows, whatever it is called; less than [`COLUMN_ID_LIMIT`].
    pub id: u32,
    /// Its name, folded as SQL folds it.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Whether it can be NULL; columns of the primary key can only where they are declared `NULL`.
    pub nullable: bool,
    /// The SQL text of its DEFAULT.
    pub default: Option<String>,
}

/// What of a stored definition every version can read.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// A definition as it is stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(rename = "format")]
    _format: u32,
    table: Table,
}

/// A definition as it is written.
#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    table: &'a Table,
}

impl Table {
    /// The definition as it is stored.
    ///
    /// # Errors
    /// `Internal`, which would be a fault of the serialiser.
    pub fn to_json(&self) -> Result<String> {
        let written = Written {
            format: FORMAT_VERSION,
            table: self,
        };
        serde_json::to_string(&written).map_err(|error| {
            Error::internal(format!("the definition of `{}`", self.name)).with_source(error)
        })
    }

    /// A stored definition.
    ///
    /// # Errors
    /// `Corrupt` where the text is no valid definition or was written by a newer Halite.
    pub fn from_json(text: &str) -> Result<Self> {
        let unreadable = |error: serde_json::Error| {
            Error::corrupt(format!("a table's definition cannot be read: {error}"))
                .with_source(error)
        };
        let version: Version = serde_json::from_str(text).map_err(unreadable)?;
        if version.format > FORMAT_VERSION {
            return Err(Error::corrupt(format!(
                "a table's definition has format {}, this Halite reads up to {FORMAT_VERSION}: upgrade Halite",
                version.format
            )));
        }
        if version.format == 0 {
            return Err(Error::corrupt(
                "a table's definition has format 0, which does not exist",
            ));
        }
        let stored: Stored = serde_json::from_str(text).map_err(unreadable)?;
        stored.table.validate().map_err(|error| {
            Error::corrupt(format!("a stored definition is not valid: {error}")).with_source(error)
        })?;
        Ok(stored.table)
    }

    /// The name of the table's space in the store: `t17`.
    pub fn space(&self) -> String {
        format!("t{}", self.id)
    }

    /// The position of the column called `name`.
    pub fn column_position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The columns as the row key sees them.
    pub fn key_columns(&self) -> Vec<KeyColumn> {
        self.columns
            .iter()
            .map(|column| KeyColumn {
                name: column.name.clone(),
                sql_type: column.sql_type.clone(),
                nullable: column.nullable,
            })
            .collect()
    }

    /// The layout of the row key.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the table, the part and the reason.
    pub fn row_key(&self) -> Result<RowKey> {
        RowKey::new(self.key_columns(), self.key.clone())
            .map_err(|error| error.context(format!("table `{}`", self.name)))
    }

    /// The Arrow schema of the table's rows.
    pub fn arrow_schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|column| Field::new(&column.name, column.sql_type.arrow(), column.nullable))
            .collect();
        Arc::new(Schema::new(fields))
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
