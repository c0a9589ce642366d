//! Regular expressions with a backslash to find.
//!
//! DataFusion's simplifier writes `c ~ 'a\\b'`, which looks for `a\b`, as `c LIKE '%a\b%'`; but a backslash of LIKE takes
//! the next character as it is, so that is `ab`. It does so with patterns that are plain text around; an empty group in
//! front of the pattern means nothing and leaves it a regular expression.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct KeepBackslashes;

impl OptimizerRule for KeepBackslashes {
    fn name(&self) -> &str {
        "halite_keep_backslashes"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let names = NamePreserver::new(&plan);
        let rewritten = plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let kept = expr.transform_up(|expr| Ok(keep(expr)))?;
            Ok(match kept.transformed {
                true => kept.update_data(|expr| name.restore(expr)),
                false => kept,
            })
        })?;
        match rewritten.transformed {
            true => rewritten.map_data(LogicalPlan::recompute_schema),
            false => Ok(rewritten),
        }
    }
}

fn keep(expr: Expr) -> Transformed<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_match(op) => pattern(*right)
            .update_data(|right| {
                Expr::BinaryExpr(BinaryExpr {
                    left,
                    op,
                    right: Box::new(right),
                })
            }),
        // It is simplified to an operator.
        Expr::ScalarFunction(ScalarFunction { func, mut args })
            if func.name() == "regexp_like" && args.len() > 1 =>
        {
            let kept = pattern(args.remove(1));
            kept.update_data(|given| {
                args.insert(1, given);
                Expr::ScalarFunction(ScalarFunction { func, args })
            })
        }
        other => Transformed::no(other),
    }
}

fn is_match(op: Operator) -> bool {
    matches!(
        op,
        Operator::RegexMatch
            | Operator::RegexIMatch
            | Operator::RegexNotMatch
            | Operator::RegexNotIMatch
    )
}

/// A constant pattern that may look for a backslash, behind an empty group; any other as it is.
fn pattern(expr: Expr) -> Transformed<Expr> {
    const GROUP: &str = "()";
    let behind = |text: &str| {
        let finds = text.contains(r"\\") || text.contains("5c") || text.contains("5C");
        (finds && !text.starts_with(GROUP)).then(|| format!("{GROUP}{text}"))
    };
    let kept = match &expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => {
            behind(text).map(|text| ScalarValue::Utf8(Some(text)))
        }
        Expr::Literal(ScalarValue::LargeUtf8(Some(text)), _) => {
            behind(text).map(|text| ScalarValue::LargeUtf8(Some(text)))
        }
        Expr::Literal(ScalarValue::Utf8View(Some(text)), _) => {
            behind(text).map(|text| ScalarValue::Utf8View(Some(text)))
        }
        _ => None,
    };
    match kept {
        Some(value) => Transformed::yes(Expr::Literal(value, None)),
        None => Transformed::no(expr),
    }
}
