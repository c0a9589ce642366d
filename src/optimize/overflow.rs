//! Integers do not wrap: `+`, `-` and `*` of them are right or an error ([`crate::function::Arithmetic`]).
//!
//! The rule comes before the simplifier, which would fold constants with DataFusion's operators.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use super::{has_any, input_schema, map_named};
use crate::function::Arithmetic;

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct CheckArithmetic;

impl OptimizerRule for CheckArithmetic {
    fn name(&self) -> &str {
        "halite_check_arithmetic"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        if !has_any(&plan, |expr| arithmetic(expr).is_some())? {
            return Ok(Transformed::no(plan));
        }
        let schema = input_schema(&plan)?;
        map_named(plan, |expr| {
            expr.transform_up(|expr| checked(expr, &schema))
        })
    }
}

fn arithmetic(expr: &Expr) -> Option<(Arithmetic, Vec<&Expr>)> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let arithmetic = match op {
                Operator::Plus => Arithmetic::Plus,
                Operator::Minus => Arithmetic::Minus,
                Operator::Multiply => Arithmetic::Times,
                _ => return None,
            };
            Some((arithmetic, vec![left, right]))
        }
        Expr::Negative(operand) => Some((Arithmetic::Negative, vec![operand])),
        _ => None,
    }
}

fn checked(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Some((arithmetic, operands)) = arithmetic(&expr) else {
        return Ok(Transformed::no(expr));
    };
    let result = expr.get_type(schema)?;
    let mut types = operands.iter().map(|operand| operand.get_type(schema));
    // What is not coerced yet is looked at again when it is.
    if !result.is_integer() || !types.all(|found| found.is_ok_and(|found| found == result)) {
        return Ok(Transformed::no(expr));
    }
    let operands = operands.into_iter().cloned().collect();
    Ok(Transformed::yes(arithmetic.of(operands)))
}

#[cfg(test)]
#[path = "overflow_tests.rs"]
mod tests;
