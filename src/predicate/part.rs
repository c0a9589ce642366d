//! Key parts as a query writes them: which transform an expression computes, and of which columns.
//!
//! No transform is named here: an expression is read as a [`Form`] over arguments, and the list of transforms says what
//! is written so.

use arrow::datatypes::DataType;
use datafusion::logical_expr::Expr;

use super::literal;
use crate::datum::{Clocks, Precision, SqlType};
use crate::key::transform::Form;
use crate::key::{Argument, Expression, KeyColumn, TRANSFORMS};

/// The key part that `expression` computes of these columns, and the type of its value, if it is one.
pub fn part(expression: &Expr, columns: &[KeyColumn]) -> Option<(Expression, SqlType)> {
    match expression {
        Expr::Cast(cast) => {
            let form = cast_to(cast.field.data_type())?;
            of_form(&form, &[cast.expr.as_ref()], columns)
        }
        Expr::BinaryExpr(binary) => {
            let operator = binary.op.to_string();
            let sides = [binary.left.as_ref(), binary.right.as_ref()];
            of_form(&Form::Operator(&operator), &sides, columns)
        }
        Expr::ScalarFunction(function) => {
            let arguments: Vec<&Expr> = function.args.iter().collect();
            of_form(&Form::Call(function.name()), &arguments, columns)
        }
        _ => None,
    }
}

/// The form of the key part that is a cast to `target`.
fn cast_to(target: &DataType) -> Option<Form<'static>> {
    let mut forms = TRANSFORMS.iter().map(|declaration| declaration.form());
    forms.find(|form| matches!(form, Form::Cast(sql_type) if sql_type.arrow() == *target))
}

fn of_form(
    form: &Form<'_>,
    arguments: &[&Expr],
    columns: &[KeyColumn],
) -> Option<(Expression, SqlType)> {
    let mut is_widened = false;
    let arguments = arguments.iter().map(|argument| {
        if let Some(constant) = literal::constant_of(argument) {
            return literal::argument(&constant);
        }
        let source = source(argument, columns)?;
        is_widened |= source.is_widened;
        Some(Argument::Column(source.column.name.clone()))
    });
    let arguments: Vec<Argument> = arguments.collect::<Option<_>>()?;
    let expression = Expression::written(form, &arguments)?;
    let (transform, _) = expression.bind(columns).ok()?;
    let agrees = transform.agrees_with_query() && (!is_widened || transform.ignores_widening());
    agrees.then(|| (expression, transform.value_type().clone()))
}

/// A column, casts around it taken off that change none of its values.
pub(super) struct Source<'a> {
    pub(super) column: &'a KeyColumn,
    /// Whether it was cast to another width or unit of its kind.
    pub(super) is_widened: bool,
}

pub(super) fn source<'a>(expression: &Expr, columns: &'a [KeyColumn]) -> Option<Source<'a>> {
    match expression {
        Expr::Alias(alias) => source(&alias.expr, columns),
        Expr::Column(column) => Some(Source {
            column: columns.iter().find(|known| known.name == column.name)?,
            is_widened: false,
        }),
        Expr::Cast(cast) => {
            let inner = source(&cast.expr, columns)?;
            let target = cast.field.data_type();
            if is_same(&inner.column.sql_type, target) {
                return Some(inner);
            }
            is_wider(&inner.column.sql_type, target).then_some(Source {
                is_widened: true,
                ..inner
            })
        }
        _ => None,
    }
}

/// Whether `target` holds the values of a type as they are: it is that type, or another way to hold text.
fn is_same(sql_type: &SqlType, target: &DataType) -> bool {
    let is_text = matches!(
        target,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    sql_type.arrow() == *target || sql_type.is_text() && is_text
}

/// Whether `target` counts the values of a type in another width or a finer unit, on the same clock. A number that does
/// not fit is an error of the query's.
fn is_wider(sql_type: &SqlType, target: &DataType) -> bool {
    match (sql_type, target) {
        (SqlType::Timestamp { precision, utc }, DataType::Timestamp(unit, zone)) => {
            let same_clock = match zone.as_deref() {
                Some(zone) => *utc && Clocks::always_ahead(zone) == Some(0),
                None => !*utc,
            };
            same_clock && *precision <= Precision::from(*unit)
        }
        _ => sql_type.is_integer() && target.is_integer(),
    }
}
