//! Expressions without columns: their value, and what it is as an argument of a key part.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::constant;
use crate::key::Argument;

/// The value of an expression without columns, as far as casts and signs go; `None` where it needs more.
pub(super) fn constant_of(expression: &Expr) -> Option<ScalarValue> {
    match expression {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Alias(alias) => constant_of(&alias.expr),
        Expr::Cast(cast) => constant_of(&cast.expr)?
            .cast_to(cast.field.data_type())
            .ok(),
        Expr::Negative(inner) => constant_of(inner)?.arithmetic_negate().ok(),
        _ => None,
    }
}

/// Whether an expression is NULL for every row: a NULL, or arithmetic on one.
pub(super) fn is_always_null(expression: &Expr) -> bool {
    match expression {
        Expr::Literal(value, _) => value.is_null(),
        Expr::Alias(alias) => is_always_null(&alias.expr),
        Expr::Cast(cast) => is_always_null(&cast.expr),
        Expr::Negative(inner) => is_always_null(inner),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_strict(*op) => {
            is_always_null(left) || is_always_null(right)
        }
        _ => false,
    }
}

/// Whether an operator gives NULL for every NULL.
fn is_strict(operator: Operator) -> bool {
    operator.is_numerical_operators() || operator == Operator::StringConcat
}

/// A constant as the argument of a key part: a whole number, a text or an interval of fixed length.
pub fn argument(constant: &ScalarValue) -> Option<Argument> {
    if let Some(text) = constant::text(constant) {
        return Some(Argument::Text(text.to_owned()));
    }
    if constant.data_type().is_integer() {
        return constant::integer(constant).map(Argument::Integer);
    }
    fixed_interval(constant).map(Argument::Interval)
}

/// The nanoseconds of an interval without months.
fn fixed_interval(constant: &ScalarValue) -> Option<i128> {
    const DAY: i128 = 86_400_000_000_000;
    match constant {
        ScalarValue::IntervalMonthDayNano(Some(interval)) if interval.months == 0 => {
            Some(i128::from(interval.days) * DAY + i128::from(interval.nanoseconds))
        }
        ScalarValue::IntervalDayTime(Some(interval)) => {
            Some(i128::from(interval.days) * DAY + i128::from(interval.milliseconds) * 1_000_000)
        }
        _ => None,
    }
}
