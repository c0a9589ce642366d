//! What joins compare of floating point is canonical.
//!
//! Columns of tables and of files are canonical as they are read: one zero, one NaN (`super::floats`). What a query makes is
//! not, as `VALUES (-0.0)` or `-c`, and the lists of keys that joins hand to scans compare bits, as comparisons do. So where
//! one side of a comparison is no such column, wherever it came from, it is made canonical.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, JoinConstraint, JoinType, Result};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan};

use super::comparison::is_comparison;
use super::floats::is_float;
use crate::datum::canonical_scalar;
use crate::plan::rule::opaque::{self, Kind};
use crate::plan::rule::rewriting::NodeRule;

/// The rule, behind those that make joins of subqueries and keys of conditions.
pub(crate) const COMPARE_BY_VALUE: NodeRule = NodeRule {
    name: "halite_compare_floats_by_value",
    rewrite: compare_by_value,
};

fn compare_by_value(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Join(mut join) => {
            let mut changed = false;
            for (left, right) in &mut join.on {
                for (key, side) in [(left, &join.left), (right, &join.right)] {
                    changed |= settle(key, side.schema(), &[side])?;
                }
            }
            if changed {
                // Keys of USING are columns.
                join.join_constraint = JoinConstraint::On;
            }
            if let Some(filter) = join.filter.take() {
                let schema = join.left.schema().join(join.right.schema())?;
                let filter = condition(filter, &schema, &[&join.left, &join.right])?;
                changed |= filter.transformed;
                join.filter = Some(filter.data);
            }
            Ok(Transformed::new_transformed(
                LogicalPlan::Join(join),
                changed,
            ))
        }
        LogicalPlan::Filter(mut filter) => {
            let predicate = std::mem::take(&mut filter.predicate);
            let predicate = condition(predicate, filter.input.schema(), &[&filter.input])?;
            filter.predicate = predicate.data;
            Ok(Transformed::new_transformed(
                LogicalPlan::Filter(filter),
                predicate.transformed,
            ))
        }
        plan => Ok(Transformed::no(plan)),
    }
}

/// The operands of the comparisons in a condition on the columns of `inputs`.
fn condition(expr: Expr, schema: &DFSchema, inputs: &[&LogicalPlan]) -> Result<Transformed<Expr>> {
    expr.transform(|expr| match expr {
        Expr::BinaryExpr(BinaryExpr {
            mut left,
            op,
            mut right,
        }) if is_comparison(op) => {
            let mut changed = false;
            for operand in [&mut left, &mut right] {
                changed |= settle(operand, schema, inputs)?;
            }
            let compared = Expr::BinaryExpr(BinaryExpr { left, op, right });
            Ok(Transformed::new_transformed(compared, changed))
        }
        expr => Ok(Transformed::no(expr)),
    })
}

/// Puts what may not be canonical in brackets that make it so; whether it did.
fn settle(expr: &mut Expr, schema: &DFSchema, inputs: &[&LogicalPlan]) -> Result<bool> {
    if !is_float(&expr.get_type(schema)?) || is_canonical(expr, inputs) {
        return Ok(false);
    }
    *expr = opaque::around(std::mem::take(expr), Kind::Canonical);
    Ok(true)
}

/// Whether all values of an expression over these inputs are canonical.
fn is_canonical(expr: &Expr, inputs: &[&LogicalPlan]) -> bool {
    if opaque::inside(expr, Kind::Canonical).is_some() {
        return true;
    }
    match expr {
        Expr::Alias(alias) => is_canonical(&alias.expr, inputs),
        Expr::Column(column) => inputs.iter().any(|input| {
            let place = input.schema().maybe_index_of_column(column);
            place.is_some_and(|place| column_is_canonical(input, place))
        }),
        Expr::Literal(value, _) => canonical_scalar(value.clone()) == *value,
        Expr::Cast(Cast { expr, .. }) => is_whole(expr, inputs) || is_canonical(expr, inputs),
        _ => false,
    }
}

/// Whether an expression is an integer or a DECIMAL, which has one zero.
fn is_whole(expr: &Expr, inputs: &[&LogicalPlan]) -> bool {
    inputs.iter().any(|input| {
        let found = expr.get_type(input.schema());
        found.is_ok_and(|found| found.is_integer() || found.is_decimal())
    })
}

/// Whether all values of the column at this place are canonical: it comes from a table or a file as it is, or is made of
/// canonical constants.
fn column_is_canonical(plan: &LogicalPlan, place: usize) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::SubqueryAlias(alias) => column_is_canonical(&alias.input, place),
        LogicalPlan::Filter(filter) => column_is_canonical(&filter.input, place),
        LogicalPlan::Sort(sort) => column_is_canonical(&sort.input, place),
        LogicalPlan::Limit(limit) => column_is_canonical(&limit.input, place),
        LogicalPlan::Projection(projection) => {
            let listed = projection.expr.get(place);
            listed.is_some_and(|expr| is_canonical(expr, &[&projection.input]))
        }
        LogicalPlan::Aggregate(aggregate) => match aggregate.group_expr.get(place) {
            Some(Expr::GroupingSet(_)) | None => false,
            Some(expr) => is_canonical(expr, &[&aggregate.input]),
        },
        LogicalPlan::Join(join) => {
            let left = join.left.schema().fields().len();
            match join.join_type {
                JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
                    column_is_canonical(&join.right, place)
                }
                _ if place < left => column_is_canonical(&join.left, place),
                _ => column_is_canonical(&join.right, place - left),
            }
        }
        LogicalPlan::Union(union) => {
            let mut inputs = union.inputs.iter();
            inputs.all(|input| column_is_canonical(input, place))
        }
        LogicalPlan::Values(values) => values.values.iter().all(|row| {
            let value = row.get(place);
            value.is_some_and(|value| is_canonical(value, &[]))
        }),
        _ => false,
    }
}

#[cfg(test)]
#[path = "float_keys_tests.rs"]
mod tests;
