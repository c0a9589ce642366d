//! `CREATE TABLE`: from sqlparser's tree to a table's definition.
//!
//! Every clause is either taken or refused; none is ignored.

use sqlparser::ast::CharacterLength;
use sqlparser::ast::{
    ColumnDef, ColumnOption, CreateTable, DataType, ExactNumberInfo, Ident, IndexColumn,
    ObjectName, PrimaryKeyConstraint, TableConstraint, TimezoneInfo,
    helpers::stmt_create_table::CreateTableBuilder,
};

use super::part;
use crate::datum::{Precision, SqlType};
use crate::error::{Error, Result};
use crate::key::layout::PartDefinition;
use crate::key::{Argument, Direction};
use crate::schema::{Column, Table};

/// The table that a statement declares, with `id` as its space.
///
/// # Errors
/// `InvalidInput` or `NotSupported` that names the table, the column or clause and the reason.
pub fn define_table(statement: &CreateTable, id: u64) -> Result<Table> {
    let name = object_name(&statement.name)?;
    let table =
        build(statement, &name, id).map_err(|error| error.context(format!("table `{name}`")))?;
    table.validate()?;
    Ok(table)
}

fn build(statement: &CreateTable, name: &str, id: u64) -> Result<Table> {
    refuse_other_clauses(statement)?;
    let declared = statement
        .columns
        .iter()
        .map(declare)
        .collect::<Result<Vec<_>>>()?;
    let key = primary_key(statement)?
        .columns
        .iter()
        .map(part_definition)
        .collect::<Result<Vec<PartDefinition>>>()?;
    refuse_repeated_parts(&key)?;
    let in_key = |column: &str| {
        key.iter()
            .any(|part| part.expression.columns().any(|name| name == column))
    };
    let columns = declared.into_iter().zip(0..).map(|(column, id)| Column {
        id,
        nullable: column.nullable.unwrap_or_else(|| !in_key(&column.name)),
        name: column.name,
        sql_type: column.sql_type,
        default: None,
    });
    let table = Table {
        id,
        name: name.to_owned(),
        columns: columns.collect(),
        key,
    };
    Ok(table)
}

/// Whatever is neither columns nor constraints must be as in a bare `CREATE TABLE name`.
fn refuse_other_clauses(statement: &CreateTable) -> Result<()> {
    let mut rest = statement.clone();
    rest.columns.clear();
    rest.constraints.clear();
    rest.if_not_exists = false;
    let bare = CreateTableBuilder::new(statement.name.clone()).build();
    if rest == bare {
        return Ok(());
    }
    let (rest, bare) = (rest.to_string(), bare.to_string());
    let clause: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| !bare.split_whitespace().any(|known| known == *word))
        .collect();
    Err(Error::unsupported(format!(
        "CREATE TABLE with `{}` is not implemented",
        clause.join(" ")
    )))
}

/// The one primary key, declared behind the columns or at a column.
fn primary_key(statement: &CreateTable) -> Result<PrimaryKeyConstraint> {
    let mut keys = Vec::new();
    for constraint in &statement.constraints {
        match constraint {
            TableConstraint::PrimaryKey(key) => keys.push(key.clone()),
            other => return Err(Error::unsupported(format!("`{other}` is not implemented"))),
        }
    }
    for column in &statement.columns {
        for option in &column.options {
            if let ColumnOption::PrimaryKey(key) = &option.option {
                let mut key = key.clone();
                key.columns = vec![IndexColumn::from(column.name.clone())];
                keys.push(key);
            }
        }
    }
    let [key] = keys.as_slice() else {
        return Err(Error::invalid(if keys.is_empty() {
            "a table needs a PRIMARY KEY: it is the layout of the row key"
        } else {
            "a table has one PRIMARY KEY"
        }));
    };
    let plain = key.name.is_none()
        && key.index_name.is_none()
        && key.index_type.is_none()
        && key.index_options.is_empty()
        && key.characteristics.is_none();
    if plain {
        Ok(key.clone())
    } else {
        Err(Error::unsupported(format!("`{key}` is not implemented")))
    }
}

fn part_definition(column: &IndexColumn) -> Result<PartDefinition> {
    if let Some(class) = &column.operator_class {
        return Err(Error::unsupported(format!(
            "`{class}` behind a key part is not implemented"
        )));
    }
    if column.column.with_fill.is_some() {
        return Err(Error::unsupported(
            "WITH FILL in a primary key is not implemented",
        ));
    }
    let options = &column.column.options;
    let direction = match options.asc {
        Some(false) => Direction::Descending,
        Some(true) | None => Direction::Ascending,
    };
    Ok(PartDefinition {
        expression: part::expression(&column.column.expr)?,
        direction,
        nulls: match options.nulls_first {
            None => direction.default_nulls(),
            Some(true) => crate::key::NullOrder::First,
            Some(false) => crate::key::NullOrder::Last,
        },
    })
}

/// A part that stands in the key already separates no rows and orders none.
fn refuse_repeated_parts(key: &[PartDefinition]) -> Result<()> {
    for (position, part) in key.iter().enumerate() {
        let part = part.expression.canonical();
        let mut before = key.iter().take(position);
        if before.any(|other| other.expression.canonical() == part) {
            return Err(Error::invalid(format!(
                "key part `{part}` stands in the key twice"
            )));
        }
    }
    Ok(())
}

struct Declared {
    name: String,
    sql_type: SqlType,
    nullable: Option<bool>,
}

fn declare(column: &ColumnDef) -> Result<Declared> {
    let name = identifier(&column.name);
    let mut nullable = None;
    for option in &column.options {
        match &option.option {
            _ if option.name.is_some() => {
                return Err(Error::unsupported(format!(
                    "column `{name}`: `{option}`: constraints have no names"
                )));
            }
            ColumnOption::Null | ColumnOption::NotNull => {
                let may_be = option.option == ColumnOption::Null;
                if nullable.replace(may_be).is_some_and(|said| said != may_be) {
                    return Err(Error::invalid(format!(
                        "column `{name}`: NULL and NOT NULL exclude each other"
                    )));
                }
            }
            ColumnOption::PrimaryKey(_) => {}
            other => {
                return Err(Error::unsupported(format!(
                    "column `{name}`: `{other}` is not implemented"
                )));
            }
        }
    }
    let sql_type =
        sql_type(&column.data_type).map_err(|error| error.context(format!("column `{name}`")))?;
    Ok(Declared {
        name,
        sql_type,
        nullable,
    })
}

/// The type of a column.
///
/// # Errors
/// `NotSupported` for types that Halite does not store, `InvalidInput` for lengths that cannot be.
pub fn sql_type(declared: &DataType) -> Result<SqlType> {
    Ok(match declared {
        DataType::Bool | DataType::Boolean => SqlType::Boolean,
        DataType::SmallInt(None) | DataType::Int2(None) | DataType::Int16 => SqlType::SmallInt,
        DataType::Int(None) | DataType::Integer(None) | DataType::Int4(None) | DataType::Int32 => {
            SqlType::Integer
        }
        DataType::BigInt(None) | DataType::Int8(None) | DataType::Int64 => SqlType::BigInt,
        DataType::Real
        | DataType::Float4
        | DataType::Float32
        | DataType::Float(ExactNumberInfo::None) => SqlType::Real,
        DataType::DoublePrecision
        | DataType::Float8
        | DataType::Float64
        | DataType::Double(ExactNumberInfo::None) => SqlType::Double,
        DataType::Decimal(size) | DataType::Numeric(size) | DataType::Dec(size) => decimal(size)?,
        DataType::Text
        | DataType::String(None)
        | DataType::Varchar(None)
        | DataType::CharacterVarying(None) => SqlType::Text,
        DataType::Varchar(Some(length))
        | DataType::CharacterVarying(Some(length))
        | DataType::CharVarying(Some(length)) => SqlType::Varchar(character_length(length)?),
        DataType::Char(None) | DataType::Character(None) => SqlType::Char(1),
        DataType::Char(Some(length)) | DataType::Character(Some(length)) => {
            SqlType::Char(character_length(length)?)
        }
        DataType::Bytea
        | DataType::Blob(None)
        | DataType::Binary(None)
        | DataType::Varbinary(None) => SqlType::Bytea,
        DataType::Date => SqlType::Date,
        DataType::Timestamp(digits, zone) => timestamp(*digits, zone)?,
        DataType::Datetime(digits) => timestamp(*digits, &TimezoneInfo::None)?,
        other => {
            return Err(Error::unsupported(format!(
                "type {other} is not implemented"
            )));
        }
    })
}

/// As in DataFusion, a DECIMAL alone has 38 digits, 10 of them behind the point.
fn decimal(size: &ExactNumberInfo) -> Result<SqlType> {
    let (precision, scale) = match size {
        ExactNumberInfo::None => (38, 10),
        ExactNumberInfo::Precision(precision) => (*precision, 0),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
    };
    match (u8::try_from(precision), i8::try_from(scale)) {
        (Ok(digits @ 1..=38), Ok(behind)) if behind >= 0 && scale <= i64::from(digits) => {
            Ok(SqlType::Decimal {
                precision: digits,
                scale: behind,
            })
        }
        _ => Err(Error::invalid(format!(
            "DECIMAL({precision}, {scale}): the precision is 1 to 38, the scale 0 to the precision"
        ))),
    }
}

fn character_length(length: &CharacterLength) -> Result<u32> {
    match length {
        CharacterLength::IntegerLength { length, unit: None } => u32::try_from(*length)
            .ok()
            .filter(|length| *length > 0)
            .ok_or_else(|| {
                Error::invalid(format!("a length of {length}; it is 1 to {}", u32::MAX))
            }),
        other => Err(Error::unsupported(format!(
            "length {other} is not implemented"
        ))),
    }
}

fn timestamp(digits: Option<u64>, zone: &TimezoneInfo) -> Result<SqlType> {
    let precision = match digits {
        Some(0) => Precision::Second,
        Some(3) => Precision::Millisecond,
        Some(6) => Precision::Microsecond,
        None | Some(9) => Precision::Nanosecond,
        Some(other) => {
            return Err(Error::unsupported(format!(
                "TIMESTAMP({other}): the digits are 0, 3, 6 or 9"
            )));
        }
    };
    let utc = matches!(zone, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz);
    Ok(SqlType::Timestamp { precision, utc })
}

/// A name without a schema, folded.
///
/// # Errors
/// `NotSupported` for a name with several parts.
pub fn object_name(name: &ObjectName) -> Result<String> {
    match name.0.as_slice() {
        [only] => only
            .as_ident()
            .map(identifier)
            .ok_or_else(|| Error::unsupported(format!("the name `{name}` is not implemented"))),
        _ => Err(Error::unsupported(format!(
            "`{name}`: tables have no schema"
        ))),
    }
}

/// An identifier folded to lower case unless it is quoted.
pub fn identifier(identifier: &Ident) -> String {
    match identifier.quote_style {
        Some(_) => identifier.value.clone(),
        None => identifier.value.to_lowercase(),
    }
}

/// A column as the argument of a key part.
pub(super) fn column(identifier_: &Ident) -> Argument {
    Argument::Column(identifier(identifier_))
}
