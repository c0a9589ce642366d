//! Regular expressions with a backslash to find.
//!
//! DataFusion's simplifier writes `c ~ 'a\\b'`, which looks for `a\b`, as `c LIKE '%a\b%'`; but a backslash of LIKE takes
//! the next character as it is, so that is `ab`. It does so with patterns that are plain text around; an empty group in
//! front of the pattern means nothing and leaves it a regular expression.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use crate::plan::rule::rewriting::ExprRule;

/// The rule. See the [module](self).
pub(crate) const KEEP_BACKSLASHES: ExprRule = ExprRule {
    name: "halite_keep_backslashes",
    concerns: |expr| pattern_of(expr).is_some_and(|pattern| kept(pattern).is_some()),
    rewrite: keep,
};

fn keep(mut expr: Expr, _: &DFSchema) -> Result<Transformed<Expr>> {
    let Some(kept) = pattern_of(&expr).and_then(kept) else {
        return Ok(Transformed::no(expr));
    };
    match &mut expr {
        Expr::BinaryExpr(BinaryExpr { right, .. }) => **right = kept,
        Expr::ScalarFunction(ScalarFunction { args, .. }) => {
            args.splice(1..2, [kept]);
        }
        _ => {}
    }
    Ok(Transformed::yes(expr))
}

/// The pattern that a value is matched with.
fn pattern_of(expr: &Expr) -> Option<&Expr> {
    use Operator::{RegexIMatch, RegexMatch, RegexNotIMatch, RegexNotMatch};
    match expr {
        Expr::BinaryExpr(BinaryExpr {
            op: RegexMatch | RegexIMatch | RegexNotMatch | RegexNotIMatch,
            right,
            ..
        }) => Some(right),
        // It is simplified to an operator.
        Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == "regexp_like" => {
            args.get(1)
        }
        _ => None,
    }
}

/// A constant pattern that may look for a backslash, behind an empty group.
fn kept(pattern: &Expr) -> Option<Expr> {
    const GROUP: &str = "()";
    let Expr::Literal(value, _) = pattern else {
        return None;
    };
    let text = value.try_as_str().flatten()?;
    let finds = [r"\\", "5c", "5C"].iter().any(|found| text.contains(found));
    let text = (finds && !text.starts_with(GROUP)).then(|| format!("{GROUP}{text}"))?;
    let behind = ScalarValue::from(text).cast_to(&value.data_type()).ok()?;
    Some(Expr::Literal(behind, None))
}
