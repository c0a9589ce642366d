//! Key parts: from an SQL expression in `PRIMARY KEY (…)` to an [`Expression`].
//!
//! Here the shape alone is read. Which transform is written so says the list of them; whether its arguments fit the
//! columns is decided where the expression is bound.

use arrow::compute::kernels::cast_utils::{
    IntervalParseConfig, IntervalUnit, parse_interval_month_day_nano_config,
};
use sqlparser::ast::{
    BinaryOperator, CastKind, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Interval, ObjectNamePart, UnaryOperator, Value,
};

use super::names::identifier;
use super::types::sql_type;
use crate::error::{Error, Result};
use crate::key::transform::Form;
use crate::key::{Argument, Expression};

/// The key part that an SQL expression stands for.
///
/// # Errors
/// `NotSupported` for an expression that is no known part, listing those that are.
pub fn expression(part: &Expr) -> Result<Expression> {
    match part {
        Expr::Nested(inner) => expression(inner),
        _ if let Some(column) = greatest_first(part) => Err(Error::unsupported(format!(
            "`{part}` cannot be a part of a row key; write {column} DESC for the greatest first"
        ))),
        Expr::Identifier(_) => written(part, &Form::Column, &[part]),
        Expr::Value(_) | Expr::UnaryOp { .. } => written(part, &Form::Constant, &[part]),
        Expr::BinaryOp { left, op, right } => {
            let sides = [left.as_ref(), right.as_ref()];
            written(part, &Form::Operator(&op.to_string()), &sides)
        }
        Expr::Cast {
            kind: CastKind::Cast | CastKind::DoubleColon,
            expr,
            data_type,
            array: false,
            format: None,
        } => match sql_type(data_type) {
            Ok(sql_type) => written(part, &Form::Cast(sql_type), &[expr.as_ref()]),
            Err(_) => Err(unknown(part)),
        },
        Expr::Function(function) => call(function).ok_or_else(|| unknown(part))?,
        _ => Err(unknown(part)),
    }
}

/// The column of `9223372036854775807 - ts` and of `-ts`, with which the greatest comes first where keys only ascend.
fn greatest_first(part: &Expr) -> Option<&Expr> {
    let column = match part {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Minus,
            right,
        } if matches!(left.as_ref(), Expr::Value(_)) => right,
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => expr,
        _ => return None,
    };
    matches!(column.as_ref(), Expr::Identifier(_)).then_some(column)
}

/// The transform of a form over arguments.
fn written(part: &Expr, form: &Form<'_>, arguments: &[&Expr]) -> Result<Expression> {
    let declaration = form.declaration().ok_or_else(|| unknown(part))?;
    let arguments = arguments.iter().copied().map(argument);
    Ok(Expression::new(
        declaration.name(),
        arguments.collect::<Result<_>>()?,
    ))
}

/// A plain function call; `None` for calls with clauses.
fn call(function: &Function) -> Option<Result<Expression>> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let plain = list.duplicate_treatment.is_none()
        && list.clauses.is_empty()
        && function.filter.is_none()
        && function.null_treatment.is_none()
        && function.over.is_none()
        && function.within_group.is_empty()
        && matches!(function.parameters, FunctionArguments::None);
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else {
        return None;
    };
    if !plain {
        return None;
    }
    let arguments = list.args.iter().map(|argument_| match argument_ {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)) => argument(inner),
        other => Err(Error::unsupported(format!(
            "`{other}` cannot be an argument of a key part"
        ))),
    });
    // A function that is no part is refused with its arguments in sight, where the key is made.
    let name = identifier(name);
    let declaration = Form::Call(&name).declaration();
    let function = declaration.map_or(name.as_str(), |declaration| declaration.name());
    Some(
        arguments
            .collect::<Result<Vec<Argument>>>()
            .map(|arguments| Expression::new(function, arguments)),
    )
}

fn argument(argument_: &Expr) -> Result<Argument> {
    match argument_ {
        Expr::Nested(inner) => argument(inner),
        Expr::Identifier(column) => Ok(Argument::Column(identifier(column))),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits
                .parse()
                .map(Argument::Integer)
                .map_err(|error| Error::invalid(format!("{digits} in a key part: {error}"))),
            Value::SingleQuotedString(text) => Ok(Argument::Text(text.clone())),
            other => Err(Error::unsupported(format!(
                "`{other}` cannot be an argument of a key part"
            ))),
        },
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => match argument(expr)? {
            Argument::Integer(value) => Ok(Argument::Integer(-value)),
            _ => Err(unknown(argument_)),
        },
        Expr::Interval(interval) => fixed_interval(interval).map(Argument::Interval),
        other => Err(Error::unsupported(format!(
            "`{other}` cannot be an argument of a key part"
        ))),
    }
}

/// The nanoseconds of an interval of days and smaller units.
fn fixed_interval(interval: &Interval) -> Result<i128> {
    let wrong = |reason: &str| Error::invalid(format!("`{interval}` in a key part: {reason}"));
    if interval.leading_precision.is_some() || interval.last_field.is_some() {
        return Err(wrong("this way to write it is not implemented"));
    }
    let value = match interval.value.as_ref() {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::Number(text, _) => text.clone(),
            _ => return Err(wrong("it is not a constant")),
        },
        _ => return Err(wrong("it is not a constant")),
    };
    let text = match &interval.leading_field {
        Some(field) => format!("{value} {field}"),
        None => value,
    };
    let config = IntervalParseConfig::new(IntervalUnit::Second);
    let parsed = parse_interval_month_day_nano_config(&text, config)
        .map_err(|error| wrong(&error.to_string()))?;
    if parsed.months != 0 {
        return Err(wrong("months have no fixed length"));
    }
    Ok(i128::from(parsed.days) * 86_400_000_000_000 + i128::from(parsed.nanoseconds))
}

/// The error for an expression that is no key part.
fn unknown(part: &Expr) -> Error {
    Expression::new(&part.to_string(), Vec::new())
        .declaration()
        .err()
        .unwrap_or_else(|| Error::internal("an expression named like a transform"))
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
