//! `CREATE TABLE … SPLIT ('a', 'm')`: constants of SQL to the points at which the table is kept apart.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::compute::{CastOptions, cast_with_options};
use sqlparser::ast::{Expr, UnaryOperator, Value};

use crate::datum::{Datum, SqlType, bytes_of_hex, bytes_of_text, canonical_uuid, datum_at};
use crate::error::{Error, Result};
use crate::key::RowKey;
use crate::schema::{Column, SplitPoint, StoredField, Table, split_key, split_part};

/// The points of a table, from the values of each.
///
/// # Errors
/// `InvalidInput` or `NotSupported` that names the column and the value.
pub(super) fn points(split: &[Vec<Expr>], table: &Table) -> Result<Vec<SplitPoint>> {
    if split.is_empty() || table.has_row_id() {
        // Of a hidden key there are no values; the definition is refused with these.
        return Ok(split.iter().map(|values| bare(values)).collect());
    }
    let key = table.row_key()?;
    let point = |values: &Vec<Expr>| {
        let of_point = |error: Error| error.context("SPLIT");
        point(values, table, &key).map_err(of_point)
    };
    split.iter().map(point).collect()
}

fn bare(values: &[Expr]) -> SplitPoint {
    SplitPoint {
        values: values.iter().map(Expr::to_string).collect(),
        key: StoredField(Vec::new()),
    }
}

fn point(values: &[Expr], table: &Table, key: &RowKey) -> Result<SplitPoint> {
    let mut data = Vec::with_capacity(values.len());
    for (number, value) in values.iter().enumerate() {
        let part = split_part(key, number)
            .map_err(|error| error.context(format!("({})", listed(values))))?;
        let source = part.sources().first();
        let column = source.and_then(|source| table.columns.get(*source));
        let column = column.ok_or_else(|| {
            Error::internal(format!("key part `{}` has no column", part.expression()))
        })?;
        data.push(datum(value, column)?);
    }
    let bytes =
        split_key(key, &data).map_err(|error| error.context(format!("({})", listed(values))))?;
    Ok(SplitPoint {
        key: StoredField(bytes),
        ..bare(values)
    })
}

fn listed(values: &[Expr]) -> String {
    let values: Vec<String> = values.iter().map(Expr::to_string).collect();
    values.join(", ")
}

/// A constant as SQL has them.
enum Constant {
    Text(String),
    Number(String),
    Boolean(bool),
    Bytes(Vec<u8>),
}

/// A value of a column; `what` is said of others.
fn datum(value: &Expr, column: &Column) -> Result<Datum> {
    let wrong = |what: &str| {
        Error::invalid(format!(
            "column `{}` of type {}: {value} {what}",
            column.name, column.sql_type
        ))
    };
    if matches!(value, Expr::Value(value) if value.value == Value::Null) {
        return Err(wrong("is where no part begins: leave it out"));
    }
    let constant = constant(value).ok_or_else(|| wrong("is no constant, as 'a' and 5 are"))?;
    let datum = converted(&constant, &column.sql_type);
    let datum = datum.ok_or_else(|| wrong("is no value of this type"))?;
    match (&column.sql_type, &datum) {
        (SqlType::Varchar(most), Datum::Text(text)) if text.chars().count() > *most as usize => {
            Err(wrong("is too long"))
        }
        (SqlType::Char(most), Datum::Text(text)) if text.len() > *most as usize => {
            Err(wrong("is too long"))
        }
        _ => Ok(datum),
    }
}

fn constant(value: &Expr) -> Option<Constant> {
    let of_value = |value: &Value| {
        Some(match value {
            Value::SingleQuotedString(text) => Constant::Text(text.clone()),
            Value::Number(digits, _) => Constant::Number(digits.to_string()),
            Value::Boolean(value) => Constant::Boolean(*value),
            Value::HexStringLiteral(digits) => {
                Constant::Bytes(bytes_of_hex(&format!("\\x{digits}"))?)
            }
            _ => return None,
        })
    };
    match value {
        Expr::Value(value) => of_value(&value.value),
        // DATE '2024-01-01'; its type is that of the column.
        Expr::TypedString(typed) => of_value(&typed.value.value),
        Expr::Nested(inner) => constant(inner),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => match constant(expr)? {
            Constant::Number(digits) => Some(Constant::Number(format!("-{digits}"))),
            _ => None,
        },
        _ => None,
    }
}

/// A constant as a value of a type; `None` where it is none.
fn converted(constant: &Constant, sql_type: &SqlType) -> Option<Datum> {
    match (constant, sql_type) {
        (Constant::Boolean(value), SqlType::Boolean) => Some(Datum::Boolean(*value)),
        (Constant::Bytes(bytes), SqlType::Bytea) => Some(Datum::Bytes(bytes.clone())),
        (Constant::Boolean(_) | Constant::Bytes(_), _) => None,
        (Constant::Text(text), SqlType::Bytea) => {
            bytes_of_text(text).map(|bytes| Datum::Bytes(bytes.into_owned()))
        }
        (Constant::Text(text), SqlType::Uuid) => canonical_uuid(text).map(Datum::Text),
        (Constant::Text(text), sql_type) if sql_type.is_text() => Some(Datum::Text(text.clone())),
        (Constant::Text(text), _) => cast(text, sql_type),
        (Constant::Number(digits), sql_type) => match sql_type {
            SqlType::Real | SqlType::Double | SqlType::Decimal { .. } => cast(digits, sql_type),
            sql_type if sql_type.is_integer() => cast(digits, sql_type),
            _ => None,
        },
    }
}

fn cast(text: &str, sql_type: &SqlType) -> Option<Datum> {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let values = cast_with_options(texts.as_ref(), &sql_type.arrow(), &options).ok()?;
    if values.is_null(0) {
        None
    } else {
        datum_at(values.as_ref(), 0, sql_type).ok().flatten()
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
