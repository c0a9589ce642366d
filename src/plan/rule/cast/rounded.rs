//! A DECIMAL that is cast to an integer is rounded, as in PostgreSQL and as INSERT does it; Arrow cuts it off.
//!
//! The cast goes by way of a DECIMAL without digits behind its point, to which Arrow rounds, half away from zero.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, TryCast};

use crate::plan::rule::rewriting::ExprRule;

/// The rule. See the [module](self).
pub(crate) const ROUND_DECIMALS: ExprRule = ExprRule {
    name: "halite_round_decimals",
    concerns: |expr| source_of(expr).is_some(),
    rewrite: round,
};

/// What is cast to an integer.
fn source_of(expr: &Expr) -> Option<&Expr> {
    let (source, field) = match expr {
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field }) => (expr, field),
        _ => return None,
    };
    field.data_type().is_integer().then_some(source.as_ref())
}

fn round(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let whole = match source_of(&expr).map(|source| source.get_type(schema)) {
        Some(Ok(DataType::Decimal128(_, scale))) if scale > 0 => DataType::Decimal128(38, 0),
        Some(Ok(DataType::Decimal256(_, scale))) if scale > 0 => DataType::Decimal256(76, 0),
        _ => return Ok(Transformed::no(expr)),
    };
    if let Expr::Cast(Cast { expr: source, .. }) | Expr::TryCast(TryCast { expr: source, .. }) =
        &mut expr
    {
        let inner = std::mem::take(&mut **source);
        **source = Expr::Cast(Cast::new(Box::new(inner), whole));
    }
    Ok(Transformed::yes(expr))
}
