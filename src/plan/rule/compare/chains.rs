//! Chains of `AND` and `OR`: their terms, and the shape in which they are written.
//!
//! The parser nests a chain to the left, one level per term, and DataFusion goes through all levels below for each of
//! them. A long chain is written as a balanced tree instead, which means the same (both operators are associative in
//! three-valued logic too) and is neither deep nor slow to plan. And what a long chain asks of one column is a list:
//! `a = 1 OR a = 2 OR …` is `a IN (1, 2, …)`, `a <> 1 AND a <> 2 AND …` is `a NOT IN (1, 2, …)`.

use std::collections::HashMap;
use std::mem::take;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, lit};

use super::comparison::binary;
use crate::error::Error;

/// A chain of more terms than this is written as a balanced tree.
pub(crate) const LONG_CHAIN: usize = 64;

/// Most terms of one chain, of which a list is one.
const MOST_TERMS: usize = 10_000;

/// Whether `op` joins truth values.
pub(crate) fn is_logical(op: Operator) -> bool {
    matches!(op, Operator::And | Operator::Or)
}

/// `AND` or `OR`, if that is what the expression is.
pub(crate) fn chain_operator(expr: &Expr) -> Option<Operator> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) if is_logical(*op) => Some(*op),
        _ => None,
    }
}

/// The terms along the left spine of a chain of `op`.
pub(crate) fn spine(expr: Expr, op: Operator) -> Vec<Expr> {
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
pub(crate) fn left_deep(terms: Vec<Expr>, op: Operator) -> Expr {
    let chain = terms
        .into_iter()
        .reduce(|left, right| binary(left, op, right));
    chain.unwrap_or_else(|| lit(op == Operator::And))
}

/// The terms under `op` as a tree of logarithmic depth.
pub(crate) fn balanced(mut terms: Vec<Expr>, op: Operator) -> Expr {
    if terms.len() <= 2 {
        return left_deep(terms, op);
    }
    let right = terms.split_off(terms.len() / 2);
    binary(balanced(terms, op), op, balanced(right, op))
}

/// The expression with every long chain in it balanced, and its equalities in lists.
///
/// # Errors
/// A chain that is too long to be planned in reasonable time.
pub(crate) fn balance(expr: Expr) -> Result<Transformed<Expr>> {
    expr.transform_down(|expr| {
        let Some(op) = chain_operator(&expr) else {
            return Ok(Transformed::no(expr));
        };
        if is_short(&expr, op) {
            return Ok(Transformed::no(expr));
        }
        let mut terms = gathered(flattened(expr, op), op);
        if terms.len() > MOST_TERMS {
            return Err(too_long(terms.len(), op).into());
        }
        for term in &mut terms {
            *term = balance(take(term))?.data;
        }
        let balanced = balanced(terms, op);
        Ok(Transformed::new(balanced, true, TreeNodeRecursion::Jump))
    })
}

fn too_long(terms: usize, op: Operator) -> Error {
    Error::unsupported(format!(
        "a condition of {terms} terms of {op}, lists of values counted as one, is too long to be planned: more than {MOST_TERMS}"
    ))
}

/// Whether a chain has few terms, however they are nested.
fn is_short(expr: &Expr, op: Operator) -> bool {
    let mut open = vec![expr];
    let mut terms = 0;
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: found,
                right,
            }) if *found == op => open.extend([left.as_ref(), right.as_ref()]),
            _ => terms += 1,
        }
        if terms + open.len() > LONG_CHAIN {
            return false;
        }
    }
    true
}

/// The terms of a chain, however they are nested, in order.
fn flattened(expr: Expr, op: Operator) -> Vec<Expr> {
    let mut open = vec![expr];
    let mut terms = Vec::new();
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryExpr(BinaryExpr {
                left,
                op: found,
                right,
            }) if found == op => open.extend([*right, *left]),
            term => terms.push(term),
        }
    }
    terms
}

/// The terms with those that compare one column with constants of one type as a list, where the first of them stood.
fn gathered(terms: Vec<Expr>, op: Operator) -> Vec<Expr> {
    let (equality, negated) = match op {
        Operator::Or => (Operator::Eq, false),
        _ => (Operator::NotEq, true),
    };
    let mut lists: HashMap<(Column, DataType), usize> = HashMap::new();
    let mut gathered: Vec<Expr> = Vec::new();
    for term in terms {
        let Some((column, data_type)) = compared(&term, equality) else {
            gathered.push(term);
            continue;
        };
        let (place, value) = match (lists.get(&(column.clone(), data_type.clone())), term) {
            (Some(place), Expr::BinaryExpr(comparison)) => (*place, constant_of(comparison)),
            (_, first) => {
                lists.insert((column, data_type), gathered.len());
                gathered.push(first);
                continue;
            }
        };
        if let Some(list) = gathered.get_mut(place) {
            *list = with_value(take(list), value, negated);
        }
    }
    gathered
}

/// The column, and the type of the constant, of a comparison of the two.
fn compared(term: &Expr, equality: Operator) -> Option<(Column, DataType)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = term else {
        return None;
    };
    let (column, constant) = match (left.as_ref(), right.as_ref()) {
        (Expr::Column(column), constant) | (constant, Expr::Column(column)) => (column, constant),
        _ => return None,
    };
    let data_type = match constant {
        Expr::Literal(value, _) => value.data_type(),
        Expr::Cast(cast) if matches!(*cast.expr, Expr::Literal(..)) => {
            cast.field.data_type().clone()
        }
        _ => return None,
    };
    // Each DECIMAL literal has its own.
    let data_type = match data_type {
        data_type if data_type.is_decimal() => DataType::Decimal256(76, 0),
        data_type => data_type,
    };
    (*op == equality).then(|| (column.clone(), data_type))
}

/// The side of a comparison that is no column.
fn constant_of(comparison: BinaryExpr) -> Expr {
    match *comparison.left {
        Expr::Column(_) => *comparison.right,
        constant => constant,
    }
}

/// A list, or the comparison that becomes one, with one more value.
fn with_value(list: Expr, value: Expr, negated: bool) -> Expr {
    match list {
        Expr::InList(mut list) => {
            list.list.push(value);
            Expr::InList(list)
        }
        Expr::BinaryExpr(comparison) => {
            let column = match comparison.left.as_ref() {
                Expr::Column(_) => comparison.left.as_ref().clone(),
                _ => comparison.right.as_ref().clone(),
            };
            let values = vec![constant_of(comparison), value];
            Expr::InList(InList::new(Box::new(column), values, negated))
        }
        other => other,
    }
}

#[cfg(test)]
#[path = "chains_tests.rs"]
mod tests;
