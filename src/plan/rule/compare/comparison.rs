//! A comparison of an evenly spaced value with a constant, written in the value's own unit.

use arrow::datatypes::i256;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, and, lit, or};

use super::operand::Operand;
use crate::predicate::Place;

/// What becomes of a truth value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Context {
    /// It decides whether a row stays: NULL and false are the same.
    Filter,
    /// It is seen as it is.
    #[default]
    Value,
}

/// Whether `op` compares two values.
pub(crate) fn is_comparison(op: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(
        op,
        Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom
    )
}

/// The comparisons with the two bounds of `[NOT] BETWEEN`, and what joins them.
pub(crate) fn between_operators(negated: bool) -> (Operator, Operator, Operator) {
    if negated {
        (Operator::Lt, Operator::Gt, Operator::Or)
    } else {
        (Operator::GtEq, Operator::LtEq, Operator::And)
    }
}

/// The comparison with each value of `[NOT] IN`, and what joins them.
pub(crate) fn list_operators(negated: bool) -> (Operator, Operator) {
    if negated {
        (Operator::NotEq, Operator::And)
    } else {
        (Operator::Eq, Operator::Or)
    }
}

/// `left op right`.
pub(crate) fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
}

/// The truth value NULL.
pub(crate) fn unknown() -> Expr {
    Expr::Literal(ScalarValue::Boolean(None), None)
}

/// False for every value, NULL for NULL.
pub(crate) fn never(expr: Expr, nullable: bool, context: Context) -> Expr {
    match context {
        Context::Value if nullable => and(Expr::IsNull(Box::new(expr)), unknown()),
        _ => lit(false),
    }
}

/// True for every value, NULL for NULL.
pub(crate) fn always(expr: Expr, nullable: bool, context: Context) -> Expr {
    let is_value = Expr::IsNotNull(Box::new(expr));
    match context {
        _ if !nullable => lit(true),
        Context::Filter => is_value,
        Context::Value => or(is_value, unknown()),
    }
}

/// A value to be compared with constants.
pub(crate) struct Comparison<'a> {
    /// The value.
    pub operand: &'a Operand,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// What becomes of the answer.
    pub context: Context,
}

impl Comparison<'_> {
    /// `operand op constant`, for a constant at `place`; `None` when it cannot be written in the operand's unit.
    pub fn with(&self, op: Operator, place: Place) -> Option<Expr> {
        let (min, max) = self.operand.limits();
        let Place { not_below, above } = place;
        let is_value = place.is_value();
        match op {
            Operator::Eq if is_value => self.write(op, not_below),
            Operator::Eq => self.between(place),
            Operator::NotEq if is_value => self.write(op, not_below),
            Operator::NotEq => self.outside(place),
            Operator::Lt if not_below <= min => Some(self.never()),
            Operator::Lt if not_below > max => Some(self.always()),
            Operator::Lt if is_value => self.write(op, not_below),
            Operator::Lt => self.write(Operator::LtEq, before(not_below)),
            Operator::LtEq if above <= min => Some(self.never()),
            Operator::LtEq if above > max => Some(self.always()),
            Operator::LtEq => self.write(op, before(above)),
            Operator::Gt if above > max => Some(self.never()),
            Operator::Gt if above <= min => Some(self.always()),
            Operator::Gt if is_value => self.write(op, not_below),
            Operator::Gt => self.write(Operator::GtEq, above),
            Operator::GtEq if not_below > max => Some(self.never()),
            Operator::GtEq if not_below <= min => Some(self.always()),
            Operator::GtEq => self.write(op, not_below),
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom if is_value => {
                self.write(op, not_below)
            }
            Operator::IsDistinctFrom if place.is_gap() => Some(lit(true)),
            Operator::IsNotDistinctFrom if place.is_gap() => Some(lit(false)),
            Operator::IsDistinctFrom => Some(or(Expr::IsNull(self.expr()), self.outside(place)?)),
            Operator::IsNotDistinctFrom => {
                Some(and(Expr::IsNotNull(self.expr()), self.between(place)?))
            }
            _ => None,
        }
    }

    /// Equal to a constant at a place that is no single value.
    fn between(&self, place: Place) -> Option<Expr> {
        if place.is_gap() {
            return Some(self.never());
        }
        let least = self.write(Operator::GtEq, place.not_below)?;
        let most = self.write(Operator::LtEq, before(place.above))?;
        Some(and(least, most))
    }

    /// Unequal to a constant at a place that is no single value.
    fn outside(&self, place: Place) -> Option<Expr> {
        if place.is_gap() {
            return Some(self.always());
        }
        let less = self.write(Operator::Lt, place.not_below)?;
        let more = self.write(Operator::Gt, before(place.above))?;
        Some(or(less, more))
    }

    fn write(&self, op: Operator, n: i256) -> Option<Expr> {
        Some(binary(
            self.operand.expr.clone(),
            op,
            self.operand.literal(n)?,
        ))
    }

    fn expr(&self) -> Box<Expr> {
        Box::new(self.operand.expr.clone())
    }

    fn never(&self) -> Expr {
        never(self.operand.expr.clone(), self.nullable, self.context)
    }

    fn always(&self) -> Expr {
        always(self.operand.expr.clone(), self.nullable, self.context)
    }
}

fn before(n: i256) -> i256 {
    n.wrapping_sub(i256::from(1))
}
