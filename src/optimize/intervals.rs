//! BETWEEN, IN and IS DISTINCT FROM of intervals go by how long they are.
//!
//! DataFusion compares intervals by their months, then by their days: 25 hours are less than a day to it. `=`, `<` and
//! their like are planned as comparisons of lengths where SQL is planned (`session::operators`); these three are not
//! asked about there, and written so here.

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};

use super::rule::ExprRule;
use crate::function::interval_length;

/// The rule. See the [module](self).
pub(super) const COMPARE_LENGTHS: ExprRule = ExprRule {
    name: "halite_compare_lengths",
    concerns: |expr| compared(expr).is_some(),
    rewrite: by_length,
};

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
