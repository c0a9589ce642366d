//! Chains of `AND` and `OR`: their terms, and the shape in which they are written.
//!
//! The parser nests a chain to the left, one level per term, and DataFusion goes through all levels below for each of
//! them. A long chain is written as a balanced tree instead, which means the same (both operators are associative in
//! three-valued logic too) and is neither deep nor slow to plan.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, lit};

use super::compare::binary;

/// A chain of more terms than this is written as a balanced tree.
pub(super) const LONG_CHAIN: usize = 64;

/// Whether `op` joins truth values.
pub(super) fn is_logical(op: Operator) -> bool {
    matches!(op, Operator::And | Operator::Or)
}

/// `AND` or `OR`, if that is what the expression is.
pub(super) fn chain_operator(expr: &Expr) -> Option<Operator> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) if is_logical(*op) => Some(*op),
        _ => None,
    }
}

/// The terms along the left spine of a chain of `op`.
pub(super) fn spine(expr: Expr, op: Operator) -> Vec<Expr> {
    let mut terms = Vec::new();
    let mut rest = expr;
    loop {
        match rest {
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: found,
                right,
            }) if found == op => {
                terms.push(*right);
                rest = *left;
            }
            first => {
                terms.push(first);
                terms.reverse();
                return terms;
            }
        }
    }
}

/// The chain of which [`spine`] gave the terms.
pub(super) fn left_deep(terms: Vec<Expr>, op: Operator) -> Expr {
    let chain = terms
        .into_iter()
        .reduce(|left, right| binary(left, op, right));
    chain.unwrap_or_else(|| lit(op == Operator::And))
}

/// The terms under `op` as a tree of logarithmic depth.
pub(super) fn balanced(mut terms: Vec<Expr>, op: Operator) -> Expr {
    if terms.len() <= 2 {
        return left_deep(terms, op);
    }
    let right = terms.split_off(terms.len() / 2);
    binary(balanced(terms, op), op, balanced(right, op))
}

/// The expression with every long chain in it balanced.
pub(super) fn balance(expr: Expr) -> Result<Transformed<Expr>> {
    expr.transform_down(|expr| {
        let Some(op) = chain_operator(&expr) else {
            return Ok(Transformed::no(expr));
        };
        if spine_length(&expr, op) <= LONG_CHAIN {
            return Ok(Transformed::no(expr));
        }
        Ok(Transformed::yes(balanced(spine(expr, op), op)))
    })
}

fn spine_length(expr: &Expr, op: Operator) -> usize {
    let mut length = 1;
    let mut rest = expr;
    while let Expr::BinaryExpr(BinaryExpr {
        left, op: found, ..
    }) = rest
        && *found == op
    {
        length += 1;
        rest = left;
    }
    length
}
