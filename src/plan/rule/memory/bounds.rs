//! Functions that build texts and lists are bounded: `repeat('x', 1000000000)` is refused before it is made.
//!
//! The functions of the registry, and those that the planner puts in the place of `[1, 2]` and `a || b`, are put behind
//! their bounds in front of the simplifier, which computes what is constant; and once more behind all rules, for rules
//! make such calls, too.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::ScalarFunction;

use crate::function::{bounded, concatenated, may_be_long, needs_bound};
use crate::plan::rule::rewriting::ExprRule;

/// The rule.
pub const BOUND_FUNCTIONS: ExprRule = ExprRule {
    name: "bounds",
    concerns: |expr| match expr {
        Expr::ScalarFunction(call) => needs_bound(&call.func),
        Expr::BinaryExpr(binary) => may_be_long(binary),
        _ => false,
    },
    rewrite,
};

fn rewrite(expr: Expr, _: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match expr {
        Expr::ScalarFunction(call) if needs_bound(&call.func) => {
            let function = bounded(&call.func);
            Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(
                function, call.args,
            )))
        }
        Expr::BinaryExpr(binary) if may_be_long(&binary) => Transformed::yes(concatenated(binary)),
        other => Transformed::no(other),
    })
}
