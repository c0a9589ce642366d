//! `CREATE TABLE`: from sqlparser's tree to a table's definition.
//!
//! Every clause is either taken or refused; none is ignored.

use sqlparser::ast::{
    ColumnDef, ColumnOption, CreateTable, IndexColumn, PrimaryKeyConstraint, TableConstraint,
    helpers::stmt_create_table::CreateTableBuilder,
};

use super::names::{identifier, object_name};
use super::part;
use super::types::sql_type;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::key::{NullOrder, PartDefinition, SortOrder};
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
    // Where it goes is not part of its definition.
    rest.temporary = false;
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
        Some(false) => SortOrder::Descending,
        Some(true) | None => SortOrder::Ascending,
    };
    Ok(PartDefinition {
        expression: part::expression(&column.column.expr)?,
        direction,
        nulls: match options.nulls_first {
            None => direction.default_nulls(),
            Some(true) => NullOrder::First,
            Some(false) => NullOrder::Last,
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
