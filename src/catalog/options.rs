//! What `CREATE TABLE … WITH (…)` says of a table: the options of the declared list, and `split = ('a', 'm')`, as which
//! `SPLIT ('a', 'm')` comes here.

use sqlparser::ast::{CreateTable, CreateTableOptions, Expr, SqlOption, Value};

use super::names::{identifier, plain_arguments};
use crate::error::{Error, Result};
use crate::schema::{Table, TableOption, table_option};

/// What `SPLIT` comes as.
const SPLIT: &str = "split";

/// The options of a table.
#[derive(Default)]
pub(super) struct Options {
    /// Those of the declared list, with their values.
    given: Vec<(&'static dyn TableOption, String)>,
    /// Where it is kept apart: the values of each point.
    pub(super) split: Vec<Vec<Expr>>,
}

impl Options {
    /// What a statement says; `None` where it says something else.
    ///
    /// # Errors
    /// `InvalidInput` for an option with a value of another type, or that is given twice.
    pub(super) fn of(statement: &CreateTable) -> Result<Option<Self>> {
        let given = match &statement.table_options {
            CreateTableOptions::None => return Ok(Some(Self::default())),
            CreateTableOptions::With(given) => given,
            _ => return Ok(None),
        };
        let mut options = Self::default();
        let mut names: Vec<String> = Vec::new();
        for option in given {
            let SqlOption::KeyValue { key, value } = option else {
                return Ok(None);
            };
            let name = identifier(key);
            match table_option(&name) {
                Some(option) => options.given.push((option, text(value, option)?)),
                None if name == SPLIT => options.split = points(value),
                None => return Ok(None),
            }
            if names.contains(&name) {
                return Err(Error::invalid(format!("WITH names {name} twice")));
            }
            names.push(name);
        }
        Ok(Some(options))
    }

    /// Gives a table, whose id and columns are known, what they say.
    ///
    /// # Errors
    /// `InvalidInput` for an option with a value that it cannot have.
    pub(super) fn read(&self, table: &mut Table) -> Result<()> {
        let mut given = self.given.iter();
        given.try_for_each(|(option, value)| option.read(value, table))
    }
}

/// `('a', 'm')`, or `(('a', 1), ('m', 5))`.
fn points(value: &Expr) -> Vec<Vec<Expr>> {
    in_brackets(value).iter().map(in_brackets).collect()
}

/// What stands in brackets; a row is written as `row(…)` where it begins with another than a plain value.
fn in_brackets(value: &Expr) -> Vec<Expr> {
    match value {
        Expr::Tuple(values) => values.clone(),
        Expr::Nested(value) => vec![value.as_ref().clone()],
        Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("row") => {
            plain_arguments(function).unwrap_or_else(|| vec![value.clone()])
        }
        value => vec![value.clone()],
    }
}

fn text(value: &Expr, option: &dyn TableOption) -> Result<String> {
    if let Expr::Value(value) = value
        && let Value::SingleQuotedString(text) = &value.value
    {
        return Ok(text.clone());
    }
    let (name, example) = (option.name(), option.example());
    Err(Error::invalid(format!(
        "{name} = {value}: a text is wanted, as in WITH ({name} = '{example}')"
    )))
}
