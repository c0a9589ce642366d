//! A DECIMAL is cast to the nearest REAL or DOUBLE.
//!
//! Arrow's cast misses it by the last digit in one case of ten: `CAST(9.204938554384977 AS DOUBLE)`, and each literal
//! that is written beside a DOUBLE, for `1.5` is a DECIMAL. The rule comes behind [`constants`](crate::plan::rule::compare::constants), which
//! turns what is compared with constants into ranges, and before the simplifier, which would fold the casts of constants.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable};

use crate::plan::rule::compare::floats::{self, is_float};
use crate::plan::rule::opaque::{self, Kind};
use crate::plan::rule::rewriting::ExprRule;

/// The rule. See the [module](self).
pub(crate) const CAST_TO_NEAREST: ExprRule = ExprRule {
    name: "halite_cast_to_nearest",
    concerns: |expr| matches!(expr, Expr::Cast(cast) if is_float(cast.field.data_type())),
    rewrite: to_nearest,
};

fn to_nearest(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if let Some(nearest) = floats::nearest(&expr) {
        return Ok(Transformed::yes(nearest));
    }
    let Expr::Cast(Cast { expr: inner, field }) = &expr else {
        return Ok(Transformed::no(expr));
    };
    let kind = match field.data_type() {
        DataType::Float32 => Kind::NearestReal,
        DataType::Float64 => Kind::NearestDouble,
        _ => return Ok(Transformed::no(expr)),
    };
    Ok(if inner.get_type(schema)?.is_decimal() {
        Transformed::yes(opaque::around(inner.as_ref().clone(), kind))
    } else {
        Transformed::no(expr)
    })
}

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
