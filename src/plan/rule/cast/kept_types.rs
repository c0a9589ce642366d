//! A value keeps its type where DataFusion writes it in other words.
//!
//! * Its simplifier makes zero of `0.00 * id`, the one of type DECIMAL(2, 2) that is written there, where the product is
//!   DECIMAL(13, 2): what it is compared with has been brought to that type, and two types are not compared. And it makes
//!   zero of `f % 1`, which is 0.5 of 1.5. It does so where the other operand is never NULL; so that is not said of it.
//! * It counts `sum(f), sum(DISTINCT f)` in two steps, of which the second sums sums: a DECIMAL(30, 2) where a sum is a
//!   DECIMAL(20, 2). So where that changes a type, all is counted in one step.

use arrow::datatypes::i256;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::plan::rule::compare::comparison::binary;
use crate::plan::rule::compare::exact::Folder;
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::opaque::{self, Kind};
use crate::plan::rule::rewriting::Around;
use crate::plan::rule::{has_any, input_schema, map_named};
use crate::predicate::Exact;

/// The rule for products and remainders. See the [module](self).
#[derive(Debug, Default)]
pub struct KeepProducts;

impl OptimizerRule for KeepProducts {
    fn name(&self) -> &str {
        "halite_keep_products"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if !has_any(&plan, is_with_constant)? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        let folder = Folder::new(config);
        map_named(plan, |expr| {
            expr.transform_up(|expr| kept(expr, &schema, &folder))
        })
    }
}

/// Whether it is a product with a constant, or a remainder of the division by one.
fn is_with_constant(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::Multiply => is_constant(left) != is_constant(right),
            Operator::Modulo => is_constant(right) && !is_constant(left),
            _ => false,
        },
        _ => false,
    }
}

fn kept(expr: Expr, schema: &DFSchema, folder: &Folder) -> Result<Transformed<Expr>> {
    if !is_with_constant(&expr) || !expr.get_type(schema).is_ok_and(|found| found.is_decimal()) {
        return Ok(Transformed::no(expr));
    }
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else {
        return Ok(Transformed::no(expr));
    };
    let is_zero = |side: &Expr| matches!(folder.exact(side), Some(Exact::Number { unscaled, .. }) if unscaled == i256::ZERO);
    let (left, right) = match (is_constant(&left), is_zero(&left) || op == Operator::Modulo) {
        (true, true) => (*left, maybe_null(*right, schema)?),
        (false, _) if op == Operator::Modulo || is_zero(&right) => {
            (maybe_null(*left, schema)?, *right)
        }
        _ => (*left, *right),
    };
    let changed = [&left, &right].into_iter().any(is_bracketed);
    Ok(Transformed::new_transformed(
        binary(left, op, right),
        changed,
    ))
}

fn is_bracketed(expr: &Expr) -> bool {
    opaque::inside(expr, Kind::MaybeNull).is_some()
}

/// The operand, of which it is not said that it is never NULL.
fn maybe_null(operand: Expr, schema: &DFSchema) -> Result<Expr> {
    Ok(if operand.nullable(schema)? {
        operand
    } else {
        opaque::around(operand, Kind::MaybeNull)
    })
}

/// The rule that counts distinct values in two steps, where that changes no type.
pub(crate) const KEEP_TYPES: Around = Around {
    name: "keep_types",
    rewrite: in_steps,
};

fn in_steps(
    theirs: &dyn OptimizerRule,
    plan: LogicalPlan,
    config: &dyn OptimizerConfig,
) -> Result<Transformed<LogicalPlan>> {
    if !matches!(plan, LogicalPlan::Aggregate(_)) {
        return Ok(Transformed::no(plan));
    }
    let in_steps = theirs.rewrite(plan.clone(), config)?;
    let types = |plan: &LogicalPlan| -> Vec<_> {
        let fields = plan.schema().fields().iter();
        fields.map(|field| field.data_type().clone()).collect()
    };
    Ok(if types(&in_steps.data) == types(&plan) {
        in_steps
    } else {
        Transformed::no(plan)
    })
}

#[cfg(test)]
#[path = "kept_types_tests.rs"]
mod tests;
