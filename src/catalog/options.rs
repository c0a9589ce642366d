//! What `CREATE TABLE … WITH (…)` says of a table: `keyspace = 'shop'`, `families = 'm(cpu, mem) raw(payload)'`, and
//! `split = ('a', 'm')`, as which `SPLIT ('a', 'm')` comes here.

use sqlparser::ast::{CreateTable, CreateTableOptions, Expr, Ident, SqlOption, Value};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::names::{identifier, plain_arguments};
use crate::error::{Error, Result};
use crate::schema::{Column, Family, KeySpace};

/// The options of a table.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// The name of its key space.
    key_space: Option<String>,
    /// Its families, with the names of their columns.
    families: Vec<(String, Vec<String>)>,
    /// Where it is kept apart: the values of each point.
    pub(super) split: Vec<Vec<Expr>>,
}

impl Options {
    /// What a statement says; `None` where it says something else.
    ///
    /// # Errors
    /// `InvalidInput` for an option with a value that it cannot have, or that is given twice.
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
            match name.as_str() {
                "keyspace" => options.key_space = Some(text(value, &name, "'shop'")?),
                "families" => {
                    let declared = text(value, &name, "'m(cpu, mem) raw(payload)'")?;
                    options.families = families(&declared)?;
                }
                "split" => options.split = points(value),
                _ => return Ok(None),
            }
            if names.contains(&name) {
                return Err(Error::invalid(format!("WITH names {name} twice")));
            }
            names.push(name);
        }
        Ok(Some(options))
    }

    /// The key space of a table that is the first of it.
    pub(super) fn key_space(&self, id: u64) -> Option<KeySpace> {
        let name = self.key_space.clone()?;
        Some(KeySpace { name, id })
    }

    /// The families, of these columns.
    ///
    /// # Errors
    /// `InvalidInput` for a column that is none of them.
    pub(super) fn families(&self, columns: &[Column]) -> Result<Vec<Family>> {
        let family = |(name, names): &(String, Vec<String>)| {
            let id = |wanted: &String| {
                let column = columns.iter().find(|column| column.name == *wanted);
                column.map(|column| column.id).ok_or_else(|| {
                    Error::invalid(format!("family `{name}`: there is no column `{wanted}`"))
                })
            };
            Ok(Family {
                name: name.clone(),
                columns: names.iter().map(id).collect::<Result<_>>()?,
            })
        };
        self.families.iter().map(family).collect()
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

fn text(value: &Expr, option: &str, example: &str) -> Result<String> {
    if let Expr::Value(value) = value
        && let Value::SingleQuotedString(text) = &value.value
    {
        return Ok(text.clone());
    }
    Err(Error::invalid(format!(
        "{option} = {value}: a text is wanted, as in WITH ({option} = {example})"
    )))
}

/// `m(cpu, mem) raw(payload)`
fn families(declared: &str) -> Result<Vec<(String, Vec<String>)>> {
    let parsed = Parser::new(&GenericDialect {})
        .try_with_sql(declared)
        .and_then(|mut parser| {
            let mut families = Vec::new();
            while parser.peek_token_ref().token != Token::EOF {
                families.push(family(&mut parser)?);
            }
            Ok(families)
        });
    parsed.map_err(|error| {
        Error::invalid(format!(
            "families = '{declared}': each is a name and its columns, as in 'm(cpu, mem) raw(payload)'"
        ))
        .with_source(error)
    })
}

fn family(parser: &mut Parser<'_>) -> Result<(String, Vec<String>), ParserError> {
    let name = parser.parse_identifier()?;
    parser.expect_token(&Token::LParen)?;
    let columns: Vec<Ident> =
        parser.parse_comma_separated0(Parser::parse_identifier, Token::RParen)?;
    parser.expect_token(&Token::RParen)?;
    // A comma between families is as good as none.
    let _ = parser.consume_token(&Token::Comma);
    Ok((identifier(&name), columns.iter().map(identifier).collect()))
}
