//! Arithmetic with a constant, which shifts what a comparison is about: `c + 1 = 5`, `10 - c > 3`, `-c < 4`,
//! `ts + INTERVAL '12 hours' >= …`.
//!
//! The comparison is one of the column with another constant, as [`View`] computes it. Where the sum may be out of range the
//! condition stays in the residual, so that whoever reads such a row is told.

use arrow::datatypes::i256;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::exact::Exact;
use super::fixed_point::View;
use super::literal::constant_of;

/// Nanoseconds of a day.
const DAY: i128 = 86_400_000_000_000;

/// What arithmetic makes of the value that it is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// `c + k`
    Plus(i256),
    /// `k - c`
    From(i256),
    /// `ts + INTERVAL`, in nanoseconds.
    Later(i128),
}

impl Change {
    /// The view of what comes out.
    pub(super) fn show(self, view: &View) -> Option<View> {
        match self {
            Self::Plus(constant) => view.plus(constant),
            Self::From(constant) => view.negated()?.plus(constant),
            Self::Later(nanos) => view.later(nanos),
        }
    }
}

/// What is computed of one expression and a constant; `None` where that is not such arithmetic.
pub(super) fn change_of(expression: &Expr) -> Option<(&Expr, Change)> {
    let (operator, operands) = arithmetic(expression)?;
    let (left, right) = match operands.as_slice() {
        [only] if operator == Operator::Minus => {
            return Some((only, Change::From(i256::ZERO)));
        }
        [left, right] => (*left, *right),
        _ => return None,
    };
    match (operator, constant_of(left), constant_of(right)) {
        (Operator::Plus, None, Some(constant)) => Some((left, plus(&constant)?)),
        (Operator::Plus, Some(constant), None) => Some((right, plus(&constant)?)),
        (Operator::Minus, None, Some(constant)) => Some((left, opposite(plus(&constant)?)?)),
        (Operator::Minus, Some(constant), None) => Some((right, Change::From(integer(&constant)?))),
        (Operator::Multiply, None, Some(constant)) => Some((left, signed(&constant)?)),
        (Operator::Multiply, Some(constant), None) => Some((right, signed(&constant)?)),
        _ => None,
    }
}

/// An operator and its operands. Arithmetic that is checked for overflow is a function with the operator's name.
fn arithmetic(expression: &Expr) -> Option<(Operator, Vec<&Expr>)> {
    match expression {
        Expr::Negative(operand) => Some((Operator::Minus, vec![operand])),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => Some((*op, vec![left, right])),
        Expr::ScalarFunction(function) => {
            let operator = match function.name() {
                "+" => Operator::Plus,
                "-" => Operator::Minus,
                "*" => Operator::Multiply,
                _ => return None,
            };
            Some((operator, function.args.iter().collect()))
        }
        _ => None,
    }
}

fn plus(constant: &ScalarValue) -> Option<Change> {
    let nanos = match constant {
        ScalarValue::IntervalMonthDayNano(Some(interval)) if interval.months == 0 => {
            i128::from(interval.days) * DAY + i128::from(interval.nanoseconds)
        }
        ScalarValue::IntervalDayTime(Some(interval)) => {
            i128::from(interval.days) * DAY + i128::from(interval.milliseconds) * 1_000_000
        }
        number => return integer(number).map(Change::Plus),
    };
    Some(Change::Later(nanos))
}

fn opposite(change: Change) -> Option<Change> {
    Some(match change {
        Change::Plus(constant) => Change::Plus(constant.checked_neg()?),
        Change::Later(nanos) => Change::Later(nanos.checked_neg()?),
        Change::From(_) => return None,
    })
}

/// `c * 1`, `c * -1`.
fn signed(constant: &ScalarValue) -> Option<Change> {
    match integer(constant)?.to_i128()? {
        1 => Some(Change::Plus(i256::ZERO)),
        -1 => Some(Change::From(i256::ZERO)),
        _ => None,
    }
}

/// A whole number of an integer type.
fn integer(constant: &ScalarValue) -> Option<i256> {
    constant.data_type().is_integer().then_some(())?;
    match Exact::of(constant)? {
        Exact::Number { unscaled, scale: 0 } => Some(unscaled),
        _ => None,
    }
}
