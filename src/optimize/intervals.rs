//! BETWEEN, IN, IS DISTINCT FROM and ORDER BY of intervals go by how long they are.
//!
//! DataFusion compares intervals by their months, then by their days: 25 hours are less than a day to it. `=`, `<` and
//! their like are planned as comparisons of lengths where SQL is planned (`session::operators`); these are not asked about
//! there, and written so here.

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Between, InList, Sort};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, WindowFrame, WindowFrameBound,
    WindowFrameUnits,
};

use super::rule::{ExprRule, NodeRule};
use super::{input_schema, map_named};
use crate::function::interval_length;

/// The rule. See the [module](self).
pub(super) const COMPARE_LENGTHS: ExprRule = ExprRule {
    name: "halite_compare_lengths",
    concerns: |expr| compared(expr).is_some(),
    rewrite: by_length,
};

/// The rule for orders. See the [module](self).
pub(super) const SORT_BY_LENGTHS: NodeRule = NodeRule {
    name: "halite_sort_by_lengths",
    rewrite: |plan| {
        if !has_order(&plan) {
            return Ok(Transformed::no(plan));
        }
        let columns = input_schema(&plan)?;
        match plan {
            LogicalPlan::Sort(mut sort) => {
                let is_other = sorted_by_length(&mut sort.expr, &columns);
                Ok(Transformed::new_transformed(
                    LogicalPlan::Sort(sort),
                    is_other,
                ))
            }
            plan => map_named(plan, |expr| {
                expr.transform_up(|expr| Ok(ordered_by_length(expr, &columns)))
            }),
        }
    },
};

fn has_order(plan: &LogicalPlan) -> bool {
    matches!(
        plan,
        LogicalPlan::Sort(_) | LogicalPlan::Window(_) | LogicalPlan::Aggregate(_)
    )
}

fn ordered_by_length(mut expr: Expr, columns: &DFSchema) -> Transformed<Expr> {
    let is_other = match &mut expr {
        Expr::AggregateFunction(call) => sorted_by_length(&mut call.params.order_by, columns),
        // An offset of a RANGE is an interval itself.
        Expr::WindowFunction(call) if !has_offset(&call.params.window_frame) => {
            sorted_by_length(&mut call.params.order_by, columns)
        }
        _ => false,
    };
    Transformed::new_transformed(expr, is_other)
}

fn has_offset(frame: &WindowFrame) -> bool {
    let is_offset = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => {
            !offset.is_null()
        }
        WindowFrameBound::CurrentRow => false,
    };
    frame.units == WindowFrameUnits::Range
        && (is_offset(&frame.start_bound) || is_offset(&frame.end_bound))
}

/// Sorts by the lengths of intervals; whether there are some.
fn sorted_by_length(sorts: &mut [Sort], columns: &DFSchema) -> bool {
    let mut is_other = false;
    for Sort { expr, .. } in sorts {
        if matches!(expr.get_type(columns), Ok(DataType::Interval(_))) {
            *expr = interval_length(std::mem::take(expr));
            is_other = true;
        }
    }
    is_other
}

fn by_length(expr: Expr, columns: &DFSchema) -> Result<Transformed<Expr>> {
    const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
    match compared(&expr).map(|value| value.get_type(columns)) {
        Some(Ok(INTERVAL)) => {
            expr.map_children(|value| Ok(Transformed::yes(interval_length(value))))
        }
        _ => Ok(Transformed::no(expr)),
    }
}

/// The value that is compared.
fn compared(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Between(Between { expr, .. }) | Expr::InList(InList { expr, .. }) => Some(expr),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::IsDistinctFrom | Operator::IsNotDistinctFrom,
            ..
        }) => Some(left),
        _ => None,
    }
}
