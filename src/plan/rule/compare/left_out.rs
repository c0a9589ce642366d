//! What FILTER leaves out is not computed: `sum(a / b) FILTER (WHERE b <> 0)` divides by no zero.
//!
//! DataFusion computes the arguments of aggregates in groups and in windows for all rows, and leaves rows out afterwards;
//! elsewhere it does so where two aggregates have an argument in common. Here an argument that may fail is
//! `CASE WHEN <the filter> THEN <the argument> END`; the filter stays, so that nobody meets the NULLs.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{BinaryExpr, Case, Expr, LogicalPlan, Operator};

use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{has, has_any, map_named};

/// The rule. It runs once, in the analyzer. See the [module](self).
pub(crate) const COMPUTE_WHAT_IS_LEFT: NodeRule = NodeRule {
    name: "halite_compute_what_is_left",
    rewrite: |plan| match &plan {
        LogicalPlan::Aggregate(_) | LogicalPlan::Window(_) if has_any(&plan, is_filtered)? => {
            map_named(plan, |expr| expr.transform_up(guarded))
        }
        _ => Ok(Transformed::no(plan)),
    },
};

fn is_filtered(expr: &Expr) -> bool {
    match expr {
        Expr::AggregateFunction(AggregateFunction { params, .. }) => params.filter.is_some(),
        Expr::WindowFunction(window) => window.params.filter.is_some(),
        _ => false,
    }
}

fn guarded(mut expr: Expr) -> Result<Transformed<Expr>> {
    let (filter, arguments, sorts) = match &mut expr {
        Expr::AggregateFunction(AggregateFunction { params, .. }) => {
            (&params.filter, &mut params.args, Some(&mut params.order_by))
        }
        Expr::WindowFunction(window) => {
            let params = &mut window.params;
            (&params.filter, &mut params.args, None)
        }
        _ => return Ok(Transformed::no(expr)),
    };
    let Some(filter) = filter.as_deref().filter(|filter| !filter.is_volatile()) else {
        return Ok(Transformed::no(expr));
    };
    let sorted_by = sorts.into_iter().flatten().map(|sort| &mut sort.expr);
    let mut is_guarded = false;
    for computed in arguments.iter_mut().chain(sorted_by) {
        if has(computed, &may_fail)? {
            let argument = std::mem::take(computed);
            let kept = (Box::new(filter.clone()), Box::new(argument));
            *computed = Expr::Case(Case::new(None, vec![kept], None));
            is_guarded = true;
        }
    }
    Ok(Transformed::new_transformed(expr, is_guarded))
}

/// Whether there are values for which it is an error.
fn may_fail(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(
            op,
            Operator::Plus
                | Operator::Minus
                | Operator::Multiply
                | Operator::Divide
                | Operator::Modulo
        ),
        Expr::Cast(_) | Expr::Negative(_) | Expr::ScalarFunction(_) => true,
        _ => false,
    }
}
