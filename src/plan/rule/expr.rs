//! What is asked of expressions.

use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::Expr;

/// Whether an expression has one value for the whole statement, which is known when it is planned.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    if matches!(expr, Expr::Literal(..)) {
        return true;
    }
    let varies = expr.exists(|expr| {
        #[expect(deprecated, reason = "the variant is still there")]
        let varies = matches!(
            expr,
            Expr::Column(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
                | Expr::ScalarVariable(..)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
                | Expr::GroupingSet(_)
                | Expr::Wildcard { .. }
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
                | Expr::ScalarSubquery(_)
                | Expr::Unnest(_)
                | Expr::Lambda(_)
                | Expr::LambdaVariable(_)
        );
        Ok(varies || expr.is_volatile_node())
    });
    !varies.unwrap_or(true)
}
