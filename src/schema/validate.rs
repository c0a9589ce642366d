//! What must hold of a definition.

use std::collections::{HashMap, HashSet};

use super::{Column, MOST_FAMILIES, ROW_ID, Table};
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{BUCKET_COLUMN, ROW_KEY_BYTES, RowKey};

/// The longest name of a table or a column, in bytes of UTF-8.
pub const NAME_BYTES: usize = 255;

/// Column ids are less than this.
pub const COLUMN_ID_LIMIT: u32 = 65_535;

/// The most digits of a DECIMAL.
const DECIMAL_DIGITS: u8 = 38;

impl Table {
    /// Whether the definition can be a table.
    ///
    /// # Errors
    /// `InvalidInput` or `NotSupported` that names the table, the column or key part, and the reason.
    pub fn validate(&self) -> Result<()> {
        self.checked_row_key().map(drop)
    }

    /// The row key of a definition that is valid.
    pub(super) fn checked_row_key(&self) -> Result<RowKey> {
        check_name("table", &self.name)?;
        self.check_columns()
            .and_then(|()| self.check_constraints())
            .map_err(|error| error.context(format!("table `{}`", self.name)))?;
        let row_key = self.row_key()?;
        self.check_key_length(&row_key)?;
        self.check_key_space(&row_key)?;
        self.check_families(&row_key)?;
        self.check_split(&row_key)?;
        Ok(row_key)
    }

    fn check_columns(&self) -> Result<()> {
        if self.columns.is_empty() {
            return Err(Error::invalid("a table needs at least one column"));
        }
        let mut ids = HashSet::new();
        let mut names: HashMap<String, &str> = HashMap::new();
        for column in &self.columns {
            check_name("column", &column.name)?;
            if self.has_row_id() && column.name.eq_ignore_ascii_case(ROW_ID) {
                return Err(Error::invalid(format!(
                    "column `{}` has the name of the hidden key of a table without PRIMARY KEY; declare a key, or call \
                     the column something else",
                    column.name
                )));
            }
            if self.has_dealt_buckets() && column.name.eq_ignore_ascii_case(BUCKET_COLUMN) {
                return Err(Error::invalid(format!(
                    "column `{}` has the name of the hidden column that random_salt(n) keeps its buckets in; call the \
                     column something else",
                    column.name
                )));
            }
            check_type(column)?;
            self.check_generated(column)?;
            if let Some(other) = names.insert(column.name.to_lowercase(), &column.name) {
                return Err(duplicate(other, &column.name));
            }
            if column.id >= COLUMN_ID_LIMIT || !ids.insert(column.id) {
                return Err(Error::invalid(format!(
                    "column `{}` has the id {}, which is taken or not less than {COLUMN_ID_LIMIT}",
                    column.name, column.id
                )));
            }
        }
        Ok(())
    }

    /// What is computed when a row is written is not known before, when the row is looked for by its key.
    fn check_generated(&self, column: &Column) -> Result<()> {
        let name = &column.name;
        let several = [
            column.default.is_some(),
            column.generated.is_some(),
            column.identity.is_some(),
        ];
        if several.iter().filter(|it| **it).count() > 1 {
            return Err(Error::invalid(format!(
                "column `{name}` has more than one of DEFAULT, GENERATED and IDENTITY"
            )));
        }
        if column.identity.is_some() && (!column.sql_type.is_integer() || column.nullable) {
            return Err(Error::invalid(format!(
                "column `{name}` is an identity: its type is a whole number, and NOT NULL"
            )));
        }
        let mut parts = self.key.iter().flat_map(|part| part.expression.columns());
        if column.generated.is_some() && parts.any(|part| part == name) {
            Err(Error::unsupported(format!(
                "column `{name}` is generated, and cannot be in the row key; a key part is computed itself, as in \
                 PRIMARY KEY (date_trunc('hour', ts))"
            )))
        } else {
            Ok(())
        }
    }

    fn check_constraints(&self) -> Result<()> {
        let mut names = HashSet::new();
        for check in &self.checks {
            check_name("constraint", &check.name)?;
            if !names.insert(&check.name) {
                return Err(Error::invalid(format!(
                    "constraint `{}` is declared twice",
                    check.name
                )));
            }
        }
        Ok(())
    }

    /// A constant tells its rows from those of other tables.
    fn check_key_space(&self, row_key: &RowKey) -> Result<()> {
        let Some(shared) = &self.keyspace else {
            return Ok(());
        };
        check_name("key space", &shared.name)?;
        if !row_key.dictionaries().is_empty() {
            return Err(Error::unsupported(format!(
                "table `{}`: dict(c) in a key space, whose tables share one run of keys: each table has a dictionary of \
                 its own",
                self.name
            )));
        }
        if row_key.parts().iter().any(|part| part.is_constant()) {
            Ok(())
        } else {
            Err(Error::invalid(format!(
                "table `{}`: in a key space its rows are told from those of other tables by a constant in the row key, as in \
                 PRIMARY KEY (customer_id, 'order', order_id); it has none",
                self.name
            )))
        }
    }

    /// A family has columns that values hold, each is in one, and there are not too many.
    fn check_families(&self, row_key: &RowKey) -> Result<()> {
        let wrong = |what: String| Err(Error::invalid(format!("table `{}`: {what}", self.name)));
        if self.families.len() > MOST_FAMILIES {
            return wrong(format!(
                "{} families are declared, {MOST_FAMILIES} are possible",
                self.families.len()
            ));
        }
        if !self.families.is_empty() && self.keyspace.is_some() {
            return Err(Error::unsupported(format!(
                "table `{}`: families in a key space, whose tables share one run of keys",
                self.name
            )));
        }
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for family in &self.families {
            check_name("family", &family.name)?;
            if !names.insert(&family.name) {
                return wrong(format!("family `{}` is declared twice", family.name));
            }
            for id in &family.columns {
                let mut columns = self.columns.iter().enumerate();
                let Some((position, column)) = columns.find(|(_, column)| column.id == *id) else {
                    return wrong(format!("family `{}` has no column {id}", family.name));
                };
                if !ids.insert(id) {
                    return wrong(format!("column `{}` is in two families", column.name));
                }
                if row_key.restoring_part(position).is_some() {
                    return wrong(format!(
                        "column `{}` is in the row key, which is in every family: leave it out of `{}`",
                        column.name, family.name
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether the rows of this table and of another one in its key space can be told apart.
    ///
    /// # Errors
    /// `InvalidInput` where they cannot, with the reason.
    pub fn check_beside(&self, other: &Self) -> Result<()> {
        let (own, others) = (self.row_key()?, other.row_key()?);
        let Some(shared) = &self.keyspace else {
            return Ok(());
        };
        match own.differs_from(&others) {
            Some(_) => Ok(()),
            None => Err(Error::invalid(format!(
                "table `{}`: in the key space '{}' its rows could not be told from those of `{}`, whose row key is ({}): two \
                 tables there differ at a constant, in the same place, behind parts of the same types and directions",
                self.name,
                shared.name,
                other.name,
                other.key_clause()
            ))),
        }
    }

    /// Fields of fixed width alone must leave a key that can be written.
    fn check_key_length(&self, row_key: &RowKey) -> Result<()> {
        let widths = row_key
            .parts()
            .iter()
            .map(|part| part.transform().encoding().width().unwrap_or(0));
        let least = widths.fold(0_usize, usize::saturating_add);
        if least <= ROW_KEY_BYTES {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "table `{}`: its row keys would have at least {least} bytes, {ROW_KEY_BYTES} are possible",
            self.name
        )))
    }
}

fn duplicate(first: &str, second: &str) -> Error {
    if first == second {
        Error::invalid(format!("column `{first}` is declared twice"))
    } else {
        Error::invalid(format!(
            "columns `{first}` and `{second}` differ in case alone"
        ))
    }
}

pub(super) fn check_name(what: &str, name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "is empty".to_owned()
    } else if name.len() > NAME_BYTES {
        format!("has {} bytes, {NAME_BYTES} are possible", name.len())
    } else if name.chars().any(char::is_control) {
        "holds a control character".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::invalid(format!(
        "the name of {what} `{}` {problem}",
        name.escape_debug()
    )))
}

fn check_type(column: &Column) -> Result<()> {
    check_members(&column.sql_type, 0)
        .map_err(|error| error.context(format!("column `{}`", column.name)))?;
    check_size(&column.sql_type).map_err(|limits| {
        Error::invalid(format!(
            "column `{}` cannot be {}: {limits}",
            column.name, column.sql_type
        ))
    })
}

/// The most types inside one another.
const NESTED: usize = 32;

/// What must hold of the types that a type is made of.
fn check_members(sql_type: &SqlType, depth: usize) -> Result<()> {
    if depth > NESTED {
        return Err(Error::invalid(format!(
            "a type of more than {NESTED} types inside one another"
        )));
    }
    if let SqlType::Struct(members) = sql_type {
        if members.is_empty() {
            return Err(Error::invalid("a STRUCT needs at least one member"));
        }
        let mut names = HashSet::new();
        for (name, _) in members {
            check_name("member", name)?;
            if !names.insert(name) {
                return Err(Error::invalid(format!("a STRUCT has two members `{name}`")));
            }
        }
    }
    for member in sql_type.members() {
        check_size(member).map_err(|limits| {
            Error::invalid(format!("nothing inside can be {member}: {limits}"))
        })?;
        check_members(member, depth + 1)?;
    }
    Ok(())
}

/// What is wrong with the digits or the length of a type.
fn check_size(sql_type: &SqlType) -> Result<(), &'static str> {
    let possible = match sql_type {
        SqlType::Decimal { precision, scale } => {
            let digits = i16::from(*precision);
            (1..=DECIMAL_DIGITS).contains(precision) && (0..=digits).contains(&i16::from(*scale))
        }
        SqlType::Varchar(length) | SqlType::Char(length) => *length > 0,
        _ => true,
    };
    match (possible, sql_type) {
        (true, _) => Ok(()),
        (_, SqlType::Decimal { .. }) => Err("DECIMAL(p, s) needs 1 ≤ p ≤ 38 and 0 ≤ s ≤ p"),
        _ => Err("a length must be at least 1"),
    }
}
