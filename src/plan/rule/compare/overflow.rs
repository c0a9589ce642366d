//! Integers do not wrap: `+`, `-` and `*` of them are right or an error ([`crate::function::Arithmetic`]).
//!
//! The rule comes before the simplifier, which would fold constants with DataFusion's operators.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};

use crate::function::Arithmetic;
use crate::plan::rule::rewriting::ExprRule;

/// The rule. See the [module](self).
pub(crate) const CHECK_ARITHMETIC: ExprRule = ExprRule {
    name: "halite_check_arithmetic",
    concerns: |expr| arithmetic(expr).is_some(),
    rewrite: checked,
};

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
    let mut types = operands
        .iter()
        .map(|operand| match Arithmetic::type_of(operand) {
            Some(known) => Ok(known.clone()),
            None => operand.get_type(schema),
        });
    let first = types.next().transpose()?;
    let Some(result) = first.filter(DataType::is_integer) else {
        return Ok(Transformed::no(expr));
    };
    // What is not coerced yet is looked at again when it is.
    if !types.all(|found| found.is_ok_and(|found| found == result)) {
        return Ok(Transformed::no(expr));
    }
    let operands = operands.into_iter().cloned().collect();
    Ok(Transformed::yes(arithmetic.of(operands, result)))
}

#[cfg(test)]
#[path = "overflow_tests.rs"]
mod tests;
