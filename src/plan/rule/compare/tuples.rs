//! Comparisons of rows as SQL defines them.
//!
//! DataFusion plans `(a, b) < (1, 2)` as a comparison of structs: one total order with NULL first, in which NULL
//! equals NULL. SQL compares value by value in three-valued logic, so the comparison is written out:
//!
//! | rows | terms |
//! |---|---|
//! | `(a, b) = (x, y)` | `a = x AND b = y` |
//! | `(a, b) <> (x, y)` | `a <> x OR b <> y` |
//! | `(a, b) < (x, y)` | `a < x OR (a = x AND b < y)`; `<=`, `>`, `>=` likewise, the last value with the operator itself |
//! | `(a, b) IS DISTINCT FROM (x, y)` | `a IS DISTINCT FROM x OR b IS DISTINCT FROM y` |
//! | `r IN (s, t, …)` | `r = s OR r = t OR …`, as a tree of logarithmic depth |
//! | `r BETWEEN s AND t` | `r >= s AND r <= t` |
//!
//! A row is `(a, b)`, `ROW(a, b)`, or a constant struct. Rows nest. A row compared with a column of struct type, or
//! with a subquery, keeps DataFusion's meaning.

use std::borrow::Cow;

use datafusion::arrow::array::Array;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue, not_impl_err, plan_err};
use datafusion::logical_expr::expr::{Between, InList, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, Filter, LogicalPlan, Operator};

use super::chains::{balanced, left_deep};
use super::comparison::{between_operators, binary, is_comparison, list_operators, unknown};
use crate::error::Error;
use crate::sql::limits::guard::MAX_ROWS_COMPARED;

/// `left op right` written out, when both are rows.
///
/// # Errors
///
/// Rows of different length; a volatile value that would have to be evaluated twice.
pub(crate) fn expand(left: &Expr, op: Operator, right: &Expr) -> Result<Option<Expr>> {
    if !is_comparison(op) {
        return Ok(None);
    }
    match (values_of(left)?, values_of(right)?) {
        (Some(left), Some(right)) => compare(left, op, right).map(Some),
        _ => Ok(None),
    }
}

/// `row IN (rows)` written out, when all of them are rows or NULL.
///
/// # Errors
///
/// As [`expand`].
pub(crate) fn expand_list(list: &InList) -> Result<Option<Expr>> {
    if values_of(&list.expr)?.is_none() {
        return Ok(None);
    }
    if list.list.len() > MAX_ROWS_COMPARED {
        return Err(Error::unsupported(format!(
            "the statement is too wide to be planned: more than {MAX_ROWS_COMPARED} rows in a list that is not joined: a condition \
             of WHERE by itself, not under OR or NOT, whose rows are constants of their columns' kinds"
        ))
        .into());
    }
    let (op, join) = list_operators(list.negated);
    if list.list.len() > 1 {
        refuse_volatile(&list.expr)?;
    }
    let mut terms = Vec::with_capacity(list.list.len());
    for row in &list.list {
        match expand(&list.expr, op, row)? {
            Some(term) => terms.push(term),
            None if matches!(row, Expr::Literal(value, _) if value.is_null()) => {
                terms.push(unknown())
            }
            None => return Ok(None),
        }
    }
    Ok(Some(balanced(terms, join)))
}

/// A plan whose WHERE has comparisons of rows written out, so that parameters in them are of the types of the columns that
/// they are compared with, as they are where a column stands alone.
///
/// # Errors
///
/// Rows of different length; a volatile value that would have to be evaluated twice.
pub fn typed(plan: &LogicalPlan) -> Result<Cow<'_, LogicalPlan>> {
    let is_row =
        |expr: &Expr| Ok(matches!(expr, Expr::ScalarFunction(call) if call.name() == "struct"));
    let has_rows = plan.exists(|node| match node {
        LogicalPlan::Filter(filter) => filter.predicate.exists(is_row),
        _ => Ok(false),
    })?;
    if !has_rows {
        return Ok(Cow::Borrowed(plan));
    }
    let written_out = |expr: Expr| {
        let expanded = match &expr {
            Expr::InList(list) => expand_list(list)?,
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => expand(left, *op, right)?,
            _ => None,
        };
        Ok(expanded.map_or_else(|| Transformed::no(expr), Transformed::yes))
    };
    let typed = plan.clone().transform_down(|node| {
        let LogicalPlan::Filter(filter) = node else {
            return Ok(Transformed::no(node));
        };
        let predicate = filter.predicate.transform_up(written_out)?;
        let is_changed = predicate.transformed;
        let (predicate, _) = if is_changed {
            predicate
                .data
                .infer_placeholder_types(filter.input.schema())?
        } else {
            (predicate.data, false)
        };
        let filter = Filter::try_new(predicate, filter.input)?;
        Ok(Transformed::new(
            LogicalPlan::Filter(filter),
            is_changed,
            TreeNodeRecursion::Continue,
        ))
    })?;
    Ok(Cow::Owned(typed.data))
}

/// `row BETWEEN row AND row` written out.
///
/// # Errors
///
/// As [`expand`].
pub(crate) fn expand_between(between: &Between) -> Result<Option<Expr>> {
    let (from, to, join) = between_operators(between.negated);
    let low = expand(&between.expr, from, &between.low)?;
    let high = expand(&between.expr, to, &between.high)?;
    let (Some(low), Some(high)) = (low, high) else {
        return Ok(None);
    };
    refuse_volatile(&between.expr)?;
    Ok(Some(binary(low, join, high)))
}

/// The values of a row; `None` for what is no row.
pub(crate) fn values_of(expr: &Expr) -> Result<Option<Vec<Expr>>> {
    match expr {
        Expr::ScalarFunction(ScalarFunction { func, args }) if func.name() == "struct" => {
            Ok(Some(args.clone()))
        }
        Expr::Literal(ScalarValue::Struct(row), _) if row.len() == 1 && row.is_valid(0) => {
            let values = row.columns().iter();
            let literals =
                values.map(|value| Ok(Expr::Literal(ScalarValue::try_from_array(value, 0)?, None)));
            literals.collect::<Result<_>>().map(Some)
        }
        _ => Ok(None),
    }
}

fn compare(left: Vec<Expr>, op: Operator, right: Vec<Expr>) -> Result<Expr> {
    if left.len() != right.len() {
        return plan_err!(
            "a row of {} values cannot be compared with a row of {}",
            left.len(),
            right.len()
        );
    }
    let pairs = left.into_iter().zip(right);
    match op {
        Operator::Eq | Operator::IsNotDistinctFrom => each(pairs, op, Operator::And),
        Operator::NotEq | Operator::IsDistinctFrom => each(pairs, op, Operator::Or),
        _ => in_order(pairs, op),
    }
}

/// `l1 op r1 join l2 op r2 join …`
fn each(pairs: impl Iterator<Item = (Expr, Expr)>, op: Operator, join: Operator) -> Result<Expr> {
    let terms = pairs.map(|(left, right)| one(left, op, right));
    Ok(left_deep(terms.collect::<Result<_>>()?, join))
}

/// The first pair that differs decides, the last with `op` itself.
fn in_order(pairs: impl DoubleEndedIterator<Item = (Expr, Expr)>, op: Operator) -> Result<Expr> {
    let strict = match op {
        Operator::LtEq => Operator::Lt,
        Operator::GtEq => Operator::Gt,
        strict => strict,
    };
    let mut rest = None;
    for (left, right) in pairs.rev() {
        let Some(last) = rest else {
            rest = Some(one(left, op, right)?);
            continue;
        };
        refuse_volatile(&left)?;
        refuse_volatile(&right)?;
        let decided = one(left.clone(), strict, right.clone())?;
        let equal = one(left, Operator::Eq, right)?;
        rest = Some(binary(
            decided,
            Operator::Or,
            binary(equal, Operator::And, last),
        ));
    }
    Ok(rest.unwrap_or_else(unknown))
}

/// One pair, which may be rows again.
fn one(left: Expr, op: Operator, right: Expr) -> Result<Expr> {
    match expand(&left, op, &right)? {
        Some(expanded) => Ok(expanded),
        None => Ok(binary(left, op, right)),
    }
}

fn refuse_volatile(expr: &Expr) -> Result<()> {
    if expr.is_volatile() {
        return not_impl_err!(
            "{expr} changes with every call, so it cannot be ordered as part of a row"
        );
    }
    Ok(())
}
