//! Expressions without columns: their value, and what it is as an argument of a key part.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{Between, InList, Like};
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

/// Whether an expression is NULL for every row: a NULL, or an operator or a function over one that is NULL wherever an
/// operand is.
pub(super) fn is_always_null(expression: &Expr) -> bool {
    match expression {
        Expr::Literal(value, _) => value.is_null(),
        Expr::Alias(alias) => is_always_null(&alias.expr),
        Expr::Cast(cast) => is_always_null(&cast.expr),
        Expr::TryCast(cast) => is_always_null(&cast.expr),
        Expr::Negative(inner) | Expr::Not(inner) => is_always_null(inner),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            // Of `NULL AND false` it is not.
            Operator::And | Operator::Or => is_always_null(left) && is_always_null(right),
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => false,
            op => is_strict(*op) && (is_always_null(left) || is_always_null(right)),
        },
        Expr::Like(Like { expr, pattern, .. }) | Expr::SimilarTo(Like { expr, pattern, .. }) => {
            is_always_null(expr) || is_always_null(pattern)
        }
        Expr::Between(Between {
            expr, low, high, ..
        }) => is_always_null(expr) || (is_always_null(low) && is_always_null(high)),
        Expr::InList(InList { expr, list, .. }) => {
            !list.is_empty() && (is_always_null(expr) || list.iter().all(is_always_null))
        }
        Expr::ScalarFunction(call) => call.func.is_strict() && call.args.iter().any(is_always_null),
        _ => false,
    }
}

/// Whether an operator gives NULL for every NULL.
fn is_strict(operator: Operator) -> bool {
    use Operator as O;
    operator.is_numerical_operators()
        || matches!(
            operator,
            O::Eq
                | O::NotEq
                | O::Lt
                | O::LtEq
                | O::Gt
                | O::GtEq
                | O::StringConcat
                | O::BitwiseAnd
                | O::BitwiseOr
                | O::BitwiseXor
                | O::BitwiseShiftLeft
                | O::BitwiseShiftRight
                | O::RegexMatch
                | O::RegexIMatch
                | O::RegexNotMatch
                | O::RegexNotIMatch
                | O::LikeMatch
                | O::ILikeMatch
                | O::NotLikeMatch
                | O::NotILikeMatch
        )
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
