//! The row key of values that somebody writes: `.keys t VALUES (…)`.
//!
//! Without names the values are those of the columns that the key is computed from, in the order in which the key names
//! them: under `PRIMARY KEY (bucket(4, name), name, seen DESC)` a name and a time. The first ones alone are the
//! beginning of a key. More values than those columns are a whole row, in the order of the table's columns, as INSERT
//! takes it. With names each value is that of its column.
//!
//! A table in memory takes the values, so that they become what INSERT would make of them, and are refused as there.

use std::sync::Arc;

use sqlparser::ast::{Expr, Insert, SetExpr, Statement};

use crate::catalog::object_name;
use crate::datum::{Datum, datum_at, identifier};
use crate::error::{Error, Result};
use crate::key::KeyPart;
use crate::schema::{BoundTable, Table};
use crate::session::Database;
use crate::sql::parse::{self, Command};

/// What the values make.
pub(super) enum Encoded {
    /// A key, or the beginning of one.
    Key(Vec<u8>),
    /// Keys in many places: a part in front is computed of a column whose value is not given. The condition of their rows.
    Scattered(String),
}

/// What is written: the values, and the columns that they are of, by position in the table.
struct Written {
    columns: Vec<usize>,
    values: Vec<Expr>,
    /// Whether the columns are those of the key because nobody said which.
    by_key: bool,
}

/// The key of the one row of `[(COLUMN, …)] VALUES (…)`.
///
/// # Errors
/// What is wrong with the values.
pub(super) async fn encode(table: &Arc<BoundTable>, text: &str) -> Result<Encoded> {
    let written = Written::read(table, text)?;
    let row = written.row(table).await?;
    let is_known = |part: &KeyPart| {
        let mut sources = part.sources().iter();
        sources.all(|source| written.columns.contains(source))
    };
    let parts = table.row_key().parts();
    let first = parts.iter().take_while(|part| is_known(part)).count();
    if first == parts.len() {
        return table.row_key().encode(&row).map(Encoded::Key);
    }
    let (first, rest) = parts.split_at_checked(first).unwrap_or((parts, &[]));
    let is_scattered = rest
        .iter()
        .any(|part| !part.sources().is_empty() && is_known(part));
    if is_scattered {
        return Ok(Encoded::Scattered(written.condition(table, &row)));
    }
    let mut key = Vec::new();
    for part in first {
        part.encode(part.value(&row)?.as_ref(), &mut key)?;
    }
    match (key.is_empty(), rest.first()) {
        (true, Some(part)) => Err(Error::invalid(format!(
            "the keys of {} begin with {}, of which no value is given",
            table.name(),
            part.expression()
        ))),
        _ => Ok(Encoded::Key(key)),
    }
}

impl Written {
    fn read(table: &BoundTable, text: &str) -> Result<Self> {
        let insert = insert(&identifier(table.name()), text)?;
        let values = only_row(&insert)?;
        if insert.columns.is_empty() {
            return Self::unnamed(table, values);
        }
        let position = |name| {
            let name = object_name(name)?;
            let position = table.table().column_position(&name);
            position.ok_or_else(|| Error::invalid(format!("{} has no column {name}", table.name())))
        };
        let columns = insert.columns.iter().map(position);
        Ok(Self {
            columns: columns.collect::<Result<_>>()?,
            values,
            by_key: false,
        })
    }

    fn unnamed(table: &BoundTable, values: Vec<Expr>) -> Result<Self> {
        let key = key_columns(table);
        let by_key = values.len() <= key.len();
        let columns = match values.len() {
            count if by_key => key.into_iter().take(count).collect(),
            count if count == table.columns().len() => (0..count).collect(),
            count => {
                return Err(Error::invalid(format!(
                    "{count} values are given; those of the key are {}, of which the first ones will do, and a whole row \
                     has {}",
                    names(table, &key),
                    table.columns().len()
                )));
            }
        };
        Ok(Self {
            columns,
            values,
            by_key,
        })
    }

    /// The row that INSERT would make of the values, as far as the key is computed from it.
    async fn row(&self, table: &BoundTable) -> Result<Vec<Option<Datum>>> {
        let taken = self.taken(table).await;
        taken.map_err(|error| {
            if self.by_key {
                Error::new(
                    error.kind(),
                    format!(
                        "{}; the values are taken for those of {}, in the order of the key",
                        error.message(),
                        names(table, &self.columns)
                    ),
                )
                .with_source(error)
            } else {
                error
            }
        })
    }

    async fn taken(&self, table: &BoundTable) -> Result<Vec<Option<Datum>>> {
        let scratch = Database::in_memory()?.connect();
        let create = self.scratch_table(table.table()).create_statement();
        scratch.execute(&create, Vec::new()).await?;
        let name = identifier(table.name());
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        let insert = format!(
            "INSERT INTO {name} {} VALUES ({})",
            names(table, &self.columns),
            values.join(", ")
        );
        scratch.execute(&insert, Vec::new()).await?;
        let mut row: Vec<Option<Datum>> = vec![None; table.all_columns().len()];
        let read = key_columns(table);
        if read.is_empty() {
            return Ok(row);
        }
        let select = format!("SELECT {} FROM {name}", list(table, &read));
        let rows = scratch.query(&select, Vec::new()).await?;
        let stored = rows.iter().find(|batch| batch.num_rows() > 0);
        let stored = stored.ok_or_else(|| Error::internal("a row that was stored is not there"))?;
        for (array, position) in stored.columns().iter().zip(read) {
            let value = datum_at(array, 0, &table.column(position)?.sql_type)?;
            if let Some(place) = row.get_mut(position) {
                *place = value;
            }
        }
        Ok(row)
    }

    /// The table without its key, in which what is not given may be missing.
    fn scratch_table(&self, table: &Table) -> Table {
        let mut scratch = table.clone();
        scratch.key.clear();
        scratch.families.clear();
        scratch.split.clear();
        scratch.keyspace = None;
        for (position, column) in scratch.columns.iter_mut().enumerate() {
            column.identity = None;
            if !self.columns.contains(&position) {
                column.nullable = true;
                column.default = None;
            }
        }
        scratch
    }

    /// What is true of the rows of these values.
    fn condition(&self, table: &BoundTable, row: &[Option<Datum>]) -> String {
        let given = self.columns.iter().zip(&self.values);
        let of_key = given.filter(|(column, _)| table.key_sources().contains(*column));
        let conditions = of_key.filter_map(|(column, value)| {
            let name = identifier(&table.columns().get(*column)?.name);
            Some(match row.get(*column)? {
                Some(_) => format!("{name} = ({value})"),
                None => format!("{name} IS NULL"),
            })
        });
        conditions.collect::<Vec<_>>().join(" AND ")
    }
}

/// The columns that the key is computed from, as it names them: those of the parts behind a salt, which is computed from
/// all, are named there in the same order.
fn key_columns(table: &BoundTable) -> Vec<usize> {
    let mut columns = Vec::new();
    for part in table.row_key().parts() {
        for source in part.sources() {
            if *source < table.columns().len() && !columns.contains(source) {
                columns.push(*source);
            }
        }
    }
    columns
}

/// `(name, seen)`
fn names(table: &BoundTable, columns: &[usize]) -> String {
    format!("({})", list(table, columns))
}

/// `name, seen`
fn list(table: &BoundTable, columns: &[usize]) -> String {
    let columns = columns.iter();
    let columns = columns.filter_map(|column| table.columns().get(*column));
    let names: Vec<_> = columns.map(|column| identifier(&column.name)).collect();
    names.join(", ")
}

/// The INSERT that `[(COLUMN, …)] VALUES (…)` is the rest of.
fn insert(table: &str, text: &str) -> Result<Insert> {
    let mut parsed = parse::parse(&format!("INSERT INTO {table} {text}"))?;
    match (parsed.pop(), parsed.is_empty()) {
        (Some(parsed), true) => match parsed.command {
            Command::Sql(statement) => match *statement.sql {
                Statement::Insert(insert) => Ok(insert),
                _ => Err(one_row()),
            },
            _ => Err(one_row()),
        },
        _ => Err(one_row()),
    }
}

fn only_row(insert: &Insert) -> Result<Vec<Expr>> {
    let body = insert.source.as_ref().map(|source| source.body.as_ref());
    match body {
        Some(SetExpr::Values(values)) => match values.rows.as_slice() {
            [row] => Ok(row.content.clone()),
            _ => Err(one_row()),
        },
        _ => Err(one_row()),
    }
}

fn one_row() -> Error {
    Error::invalid("give the values of one row, as in .keys t VALUES ('a', 1)")
}
