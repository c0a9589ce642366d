//! Casts that do not keep the value, hidden from DataFusion.
//!
//! Where a cast is compared with a constant, DataFusion's simplifier takes it off and casts the constant back to the type
//! below. That is the same only where the cast keeps the value. `CAST(d AS INT) = 1` for a DECIMAL `d` becomes
//! `d = 1.00`, which 1.50 does not satisfy; `TRY_CAST(b AS INT) > 1` becomes `b > 1`, which is true where the cast is
//! NULL; and `ts AT TIME ZONE 'Europe/Berlin'` loses the hour. So such a cast is put into `crate::plan::rule::opaque`.
//!
//! The casts that this crate takes off itself (`crate::plan::rule::compare::operand`) are seen through the brackets ([`shown`]).

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, TryCast};

use crate::datum::{Clocks, Precision};
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::opaque::{self, Kind};
use crate::predicate::{always_fits, keeps_number};

/// The operand of a comparison with every lossy cast in it hidden; whether there was one is said by the result.
pub(crate) fn hide(operand: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if matches!(operand, Expr::Column(_) | Expr::Literal(..)) {
        return Ok(Transformed::no(operand));
    }
    operand.transform_down(|expr| {
        let jump = TreeNodeRecursion::Jump;
        if opaque::inside(&expr, Kind::AsIs).is_some() {
            return Ok(Transformed::new(expr, false, jump));
        }
        if is_lossy(&expr, schema) && !is_constant(&expr) {
            return Ok(Transformed::new(hide_cast(expr, schema)?, true, jump));
        }
        Ok(Transformed::no(expr))
    })
}

/// The cast hidden. A zone is given to a time in the time's own unit: it is the step to a finer one that fails beyond
/// 2262, and a cast that only takes that step keeps the value and may be taken off.
fn hide_cast(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let Expr::Cast(Cast {
        expr: source,
        field,
    }) = expr
    else {
        return Ok(in_brackets(expr));
    };
    let target = field.data_type().clone();
    let own = match (source.get_type(schema)?, &target) {
        (DataType::Timestamp(from, None), DataType::Timestamp(to, zone @ Some(_)))
            if Precision::from(*to) > Precision::from(from) =>
        {
            DataType::Timestamp(from, zone.clone())
        }
        _ => return Ok(in_brackets(Expr::Cast(Cast::new_from_field(source, field)))),
    };
    let zoned = in_brackets(Expr::Cast(Cast::new(source, own)));
    Ok(Expr::Cast(Cast::new(Box::new(zoned), target)))
}

fn in_brackets(expr: Expr) -> Expr {
    opaque::around(expr, Kind::AsIs)
}

/// Whether the other side of a comparison may be found to be a constant only by the simplifier.
///
/// A column is none before the next pass, which begins here. A column of an outer query is compared by a condition of its
/// subquery, and DataFusion turns that into a join only where it finds the cast beside the column.
pub(crate) fn may_turn_constant(expr: &Expr) -> bool {
    let outer = |expr: &Expr| Ok(matches!(expr, Expr::OuterReferenceColumn(..)));
    !is_column(expr) && !expr.exists(outer).unwrap_or(false)
}

fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(Cast { expr, .. }) => is_column(expr),
        expr => matches!(expr, Expr::Column(_)),
    }
}

/// The expression without the brackets around it.
pub(crate) fn shown(expr: &Expr) -> &Expr {
    opaque::inside(expr, Kind::AsIs).unwrap_or(expr)
}

/// Whether the expression is a cast that DataFusion takes off although it does not keep the value.
fn is_lossy(expr: &Expr, schema: &DFSchema) -> bool {
    let (source, target, null_on_error) = match expr {
        Expr::Cast(Cast { expr, field }) => (expr, field.data_type(), false),
        Expr::TryCast(TryCast { expr, field }) => (expr, field.data_type(), true),
        _ => return false,
    };
    let source = source.get_type(schema);
    source.is_ok_and(|source| loses(&source, target, null_on_error))
}

/// Whether a cast between two types changes some value; one that fails instead does not, unless it gives NULL.
///
/// Said only of types that DataFusion takes casts off: texts, for one, are compared as they are.
fn loses(source: &DataType, target: &DataType, null_on_error: bool) -> bool {
    use DataType::{Date32, Date64, Timestamp};
    let is_number = |data_type: &DataType| data_type.is_integer() || data_type.is_decimal();
    let is_time = |data_type: &DataType| matches!(data_type, Date32 | Date64 | Timestamp(..));
    match (source, target) {
        _ if source == target => false,
        (Timestamp(_, None), Timestamp(_, Some(zone))) => {
            null_on_error || Clocks::always_ahead(zone) != Some(0)
        }
        _ if is_number(source) && is_number(target) => {
            !keeps_number(source, target) || (null_on_error && !always_fits(source, target))
        }
        _ if is_time(source) && is_time(target) => null_on_error,
        // The count of days or units.
        _ if is_time(source) && is_number(target) => {
            null_on_error || !keeps_number(&DataType::Int64, target)
        }
        _ if is_number(source) && is_time(target) => {
            null_on_error || !keeps_number(source, &DataType::Int64)
        }
        _ => false,
    }
}
