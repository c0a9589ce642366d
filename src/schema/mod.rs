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
//!
//! # Format, version 2
//!
//! As version 1, and
//!
//! * `sql_type` may be `tiny_int`, `unsigned_tiny_int`, `unsigned_small_int`, `unsigned_integer`, `unsigned_big_int`,
//!   `time`, `interval`, `uuid`, `json`, `{"list": …}`, `{"struct": [["a", …], …]}`, `{"map": [key, value]}`, and REAL
//!   may stand in a key;
//! * `key` may be empty: the row key is then the hidden column [`ROW_ID`], whose values are given in the order of insertion;
//! * `default` of a column may be an expression, as SQL;
//! * `missing` of a column, if there is one, is what rows have in it that are older than the column, in hex digits as
//!   `halite::row` writes values;
//! * `next_column`, if it is there, is an id that no column has had, nor a greater one;
//! * `"checks": [{"name": "t_a_check", "expression": "a > 0"}]`, if there are any;
//! * `generated` of a column, if it is there, is what it is computed from, as SQL;
//! * `identity` of a column, if it is there, is `{"sequence": "t_a_seq", "always": true}`;
//! * `comment` of the table, or of a column, if it is there, is what was said of it.
//!
//! # Format, version 3
//!
//! As version 2, and
//!
//! * a part of `key` may be `random_salt`: its bucket is the hidden column [`BUCKET_COLUMN`];
//! * `"keyspace": {"name": "shop", "id": 17}`, if it is there, is the run of keys that the table shares with others: its rows
//!   are in the space of that id, and not of its own.
//!
//! # Format, version 4
//!
//! As version 3, and
//!
//! * `"families": [{"name": "m", "columns": [2, 3]}]`, if there are any, are the columns, by their ids, that are kept apart
//!   from the others, in spaces of their own.
//!
//! # Format, version 5
//!
//! As version 4, and
//!
//! * a part of `key` may be `dict`, whose ids are those of a dictionary that the catalog keeps.
//!
//! # Format, version 6
//!
//! As version 5, and
//!
//! * `"split": [{"values": ["'m'"], "key": "6d00"}]`, if there are any, are the points of SPLIT: values as SQL, and the fields
//!   of the row key, without that of its bucket, at which a part of the table begins.
//!
//! Each definition is written in the oldest version that can say what it says, byte for byte.

mod bound;
mod family;
mod option;
mod sequence;
mod split;
mod statement;
mod stored;
mod stored_field;
mod validate;
mod view;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{BUCKET_COLUMN, Expression, KeyColumn, PartDefinition, RowKey, SortOrder};

pub use self::bound::BoundTable;
pub use self::family::{Family, FamilySet, MOST_FAMILIES, TableSpaces};
pub use self::option::{TableOption, table_option};
pub use self::sequence::{DEFAULT_CACHE, Sequence};
pub use self::split::{MOST_PARTS, SplitPoint, split_key, split_part};
pub use self::statement::{comment_on, quoted};
pub use self::stored_field::StoredField;
pub use self::validate::{COLUMN_ID_LIMIT, NAME_BYTES};
pub use self::view::{View, ViewColumn};

/// The newest format of definitions that this version reads; it writes the oldest that can say what is to be said.
pub const FORMAT_VERSION: u32 = 6;

/// The hidden column that is the row key of a table declared without one.
pub const ROW_ID: &str = "_row_id";

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
    /// The parts of the row key; without any it is the hidden column [`ROW_ID`].
    pub key: Vec<PartDefinition>,
    /// The run of keys that it shares with others; without this it has one to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyspace: Option<KeySpace>,
    /// The columns that are kept apart from the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<Family>,
    /// The keys at which parts of it begin, as they were declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<SplitPoint>,
    /// What must not be false of a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// No column had this id yet, or a greater one; without this the same is true behind the greatest that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_column: Option<u32>,
    /// What is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A run of keys that several tables share. The constants in their keys tell the rows of one from those of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySpace {
    /// Its name, as it was written.
    pub name: String,
    /// Names its space in the store: the id of the first table that was made in it.
    pub id: u64,
}

/// A CHECK.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name, of which no other CHECK of the table is.
    pub name: String,
    /// The SQL text of its condition over the table's columns.
    pub expression: String,
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
    /// What rows have in it that are older than the column; without this NULL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<StoredField>,
    /// The SQL text of what it is computed from when a row is written; then it has no DEFAULT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<String>,
    /// Where its numbers come from; then it has no DEFAULT of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// What is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A column that numbers rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The name of the sequence that the numbers come from, which is made and dropped with the column.
    pub sequence: String,
    /// Whether a statement may give no other numbers: GENERATED ALWAYS.
    pub always: bool,
}

impl Column {
    /// The SQL text of what it has where a statement gives nothing; `None` for NULL.
    pub fn default_text(&self) -> Option<String> {
        match &self.identity {
            Some(identity) => Some(identity.next_value()),
            None => self.default.clone(),
        }
    }
}

impl Identity {
    fn next_value(&self) -> String {
        let name = format!("\"{}\"", self.sequence.replace('"', "\"\""));
        format!("nextval('{}')", name.replace('\'', "''"))
    }
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
            format: self.format(),
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

    /// The oldest format that can say all that the definition says.
    fn format(&self) -> u32 {
        if !self.split.is_empty() {
            return 6;
        }
        if self.has_dictionary() {
            return 5;
        }
        if !self.families.is_empty() {
            return 4;
        }
        if self.has_dealt_buckets() || self.keyspace.is_some() {
            return 3;
        }
        let is_first = |column: &Column| {
            column.default.is_none()
                && column.missing.is_none()
                && column.generated.is_none()
                && column.identity.is_none()
                && column.comment.is_none()
                && is_of_first(&column.sql_type)
        };
        // A REAL in a key is new; in values it is not.
        let has_real = |part: &PartDefinition| {
            let mut names = part.expression.as_column().into_iter();
            names.any(|name| {
                let position = self.column_position(name);
                let column = position.and_then(|position| self.columns.get(position));
                column.is_some_and(|column| column.sql_type == SqlType::Real)
            })
        };
        let is_first = !self.key.iter().any(has_real)
            && !self.has_row_id()
            && self.columns.iter().all(is_first)
            && self.checks.is_empty()
            && self.next_column.is_none()
            && self.comment.is_none();
        if is_first { 1 } else { 2 }
    }

    /// Whether the row key is the hidden column [`ROW_ID`], since none was declared.
    pub fn has_row_id(&self) -> bool {
        self.key.is_empty()
    }

    /// Whether the row key has a bucket that is dealt out as rows are inserted.
    pub fn has_dealt_buckets(&self) -> bool {
        self.key.iter().any(|part| part.expression.is_dealt())
    }

    /// Its spaces in the store: `t17`, or one for each family, and one for the dictionaries of its key.
    pub fn spaces(&self) -> TableSpaces {
        let id = self.keyspace.as_ref().map_or(self.id, |shared| shared.id);
        let dictionary = self.has_dictionary().then_some(self.id);
        TableSpaces::new(id, self.families.len(), dictionary)
    }

    fn has_dictionary(&self) -> bool {
        self.key.iter().any(|part| part.expression.has_dictionary())
    }

    /// The number of the family that the column with this id is kept in.
    pub fn family_of(&self, id: u32) -> usize {
        let mut families = self.families.iter().zip(1..);
        let found = families.find(|(family, _)| family.columns.contains(&id));
        found.map_or(0, |(_, number)| number)
    }

    /// An id that no column has had.
    pub fn next_column_id(&self) -> u32 {
        let behind = self.columns.iter().map(|column| column.id + 1).max();
        let behind = behind.unwrap_or_default();
        self.next_column.map_or(behind, |next| next.max(behind))
    }

    /// The position of the column called `name`.
    pub fn column_position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The columns as the row key sees them; a hidden one is the last.
    pub fn key_columns(&self) -> Vec<KeyColumn> {
        let hidden = self.hidden();
        self.columns
            .iter()
            .chain(&hidden)
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
        let key = if self.has_row_id() {
            vec![PartDefinition {
                expression: Expression::column(ROW_ID),
                direction: SortOrder::Ascending,
                nulls: SortOrder::Ascending.default_nulls(),
            }]
        } else {
            self.key.clone()
        };
        let row_key = RowKey::new(self.key_columns(), key)
            .map_err(|error| error.context(format!("table `{}`", self.name)))?;
        Ok(match self.keyspace {
            None => row_key,
            Some(_) => row_key.among_others(),
        })
    }

    /// The Arrow schema of the declared columns.
    pub fn arrow_schema(&self) -> SchemaRef {
        arrow_schema(&self.columns)
    }

    /// The hidden column, if there is one: what is known of a row's key and given by no statement.
    pub fn hidden(&self) -> Option<Column> {
        let (name, sql_type) = match (self.has_row_id(), self.has_dealt_buckets()) {
            (true, _) => (ROW_ID, SqlType::BigInt),
            (_, true) => (BUCKET_COLUMN, SqlType::Integer),
            _ => return None,
        };
        Some(Column {
            // No value holds it: the key gives it back.
            id: COLUMN_ID_LIMIT,
            name: name.to_owned(),
            sql_type,
            nullable: false,
            default: None,
            missing: None,
            generated: None,
            identity: None,
            comment: None,
        })
    }
}

/// Whether the first format has the type.
fn is_of_first(sql_type: &SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Boolean
            | SqlType::SmallInt
            | SqlType::Integer
            | SqlType::BigInt
            | SqlType::Real
            | SqlType::Double
            | SqlType::Decimal { .. }
            | SqlType::Text
            | SqlType::Varchar(_)
            | SqlType::Char(_)
            | SqlType::Bytea
            | SqlType::Date
            | SqlType::Timestamp { .. }
    )
}

fn arrow_schema(columns: &[Column]) -> SchemaRef {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| Field::new(&column.name, column.sql_type.arrow(), column.nullable))
        .collect();
    Arc::new(Schema::new(fields))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
