//! Constants of floating point: one zero, one NaN, and the nearest DOUBLE of a DECIMAL.
//!
//! Stored values are canonical (−0.0 is 0.0, every NaN the positive quiet one), so constants must be.

use arrow::datatypes::{DataType, i256};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Cast, Expr};

use super::exact::Exact;

/// Whether the type is REAL or DOUBLE.
pub(super) fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// A floating-point constant in canonical form; `None` for any other.
pub(super) fn canonical(constant: Exact) -> Option<Expr> {
    let value = match constant {
        // Adding 0.0 turns −0.0 into 0.0 and changes nothing else.
        Exact::Double(x) => ScalarValue::Float64(Some(if x.is_nan() { f64::NAN } else { x + 0.0 })),
        Exact::Single(x) => ScalarValue::Float32(Some(if x.is_nan() { f32::NAN } else { x + 0.0 })),
        _ => return None,
    };
    Some(Expr::Literal(value, None))
}

/// The nearest floating-point number for a cast of a DECIMAL constant, which Arrow may miss by one digit.
pub(super) fn nearest(expr: &Expr) -> Option<Expr> {
    let Expr::Cast(Cast { expr, field }) = expr else {
        return None;
    };
    let Expr::Literal(value, _) = expr.as_ref() else {
        return None;
    };
    match (Exact::of(value)?, value) {
        (
            Exact::Number { unscaled, scale },
            ScalarValue::Decimal128(..) | ScalarValue::Decimal256(..),
        ) => canonical(from_decimal(unscaled, scale, field.data_type())?),
        _ => None,
    }
}

/// `unscaled × 10^-scale` as the nearest number of a floating-point type; `None` when it is none or is infinite.
pub(super) fn from_decimal(unscaled: i256, scale: i32, target: &DataType) -> Option<Exact> {
    let text = format!("{unscaled}e{}", -scale);
    match target {
        DataType::Float64 => text
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .map(Exact::Double),
        DataType::Float32 => text
            .parse()
            .ok()
            .filter(|x: &f32| x.is_finite())
            .map(Exact::Single),
        _ => None,
    }
}
