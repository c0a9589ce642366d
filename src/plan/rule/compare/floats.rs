//! Constants of floating point: one zero, one NaN, and the nearest DOUBLE of a DECIMAL.
//!
//! Stored values are canonical (−0.0 is 0.0, every NaN the positive quiet one), so constants must be, and what is
//! computed of them where it is compared.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator, TryCast};

use crate::datum::canonical_scalar;
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::opaque::{self, Kind};
use crate::predicate::Exact;

/// Whether the type is REAL or DOUBLE.
pub(crate) fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// A floating-point constant in canonical form; `None` for any other.
pub(crate) fn canonical(constant: Exact) -> Option<Expr> {
    let value = match constant {
        Exact::Double(x) => ScalarValue::Float64(Some(x)),
        Exact::Single(x) => ScalarValue::Float32(Some(x)),
        _ => return None,
    };
    Some(Expr::Literal(canonical_scalar(value), None))
}

/// A computed value of floating point, made canonical where it is compared: `-f` is −0.0 for 0.0, and −NaN, which is less
/// than every number, for NaN. A column is canonical as it is stored.
pub(crate) fn settled(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match opaque::inside(&expr, Kind::Canonical) {
        // What was computed has been simplified to a column.
        Some(inner) if !is_computed(inner, schema) => Transformed::yes(inner.clone()),
        None if is_computed(&expr, schema) => {
            Transformed::yes(opaque::around(expr, Kind::Canonical))
        }
        _ => Transformed::no(expr),
    }
}

/// Whether the expression may give a zero or a NaN that is not canonical, unless a column of it does.
fn is_computed(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => {
            is_computed(expr, schema)
        }
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Plus | Operator::Minus,
            right,
        }) if is_finite(right) => is_computed(left, schema),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::Plus | Operator::Minus,
            right,
        }) if is_finite(left) => is_computed(right, schema),
        Expr::Negative(_) | Expr::BinaryExpr(_) | Expr::ScalarFunction(_) => {
            expr.get_type(schema).is_ok_and(|found| is_float(&found)) && !is_constant(expr)
        }
        Expr::Case(case) => {
            let results = case.when_then_expr.iter().map(|(_, then)| then);
            let mut results = results.chain(&case.else_expr);
            results.any(|result| is_computed(result, schema))
        }
        _ => false,
    }
}

/// Whether the expression is a finite number: added to what is canonical, or taken from it, it gives what is canonical.
fn is_finite(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(Cast { expr, .. }) => is_finite(expr),
        Expr::Literal(value, _) => match Exact::of(value) {
            Some(Exact::Double(x)) => x.is_finite(),
            Some(Exact::Single(x)) => x.is_finite(),
            Some(Exact::Number { .. }) => true,
            _ => false,
        },
        _ => false,
    }
}

/// The nearest floating-point number for a cast of a DECIMAL constant, which Arrow may miss by one digit.
pub(crate) fn nearest(expr: &Expr) -> Option<Expr> {
    let Expr::Cast(Cast { expr, field }) = expr else {
        return None;
    };
    let Expr::Literal(value, _) = expr.as_ref() else {
        return None;
    };
    if !value.data_type().is_decimal() {
        return None;
    }
    canonical(Exact::of(value)?.nearest(field.data_type())?)
}
