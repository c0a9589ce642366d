//! Products and quotients of DECIMALs that are none become the operators that they were written as.
//!
//! `session::operators` decides by the types that expressions have where SQL is planned. Those of a CASE are that of its first
//! branch there; type coercion, which finds the one that all branches have, may make a DOUBLE of a DECIMAL.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{Expr, ExprSchemable, binary_expr};

use crate::function::lost_operator;
use crate::plan::rule::rewriting::ExprRule;

/// The rule, for behind type coercion. It changes no types.
pub(crate) const PUT_OPERATORS_BACK: ExprRule = ExprRule {
    name: "halite_put_operators_back",
    concerns: |expr| matches!(expr, Expr::ScalarFunction(call) if call.args.len() == 2),
    rewrite: put_back,
};

fn put_back(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::ScalarFunction(call) = &expr else {
        return Ok(Transformed::no(expr));
    };
    let [left, right] = call.args.as_slice() else {
        return Ok(Transformed::no(expr));
    };
    let Some(operator) = lost_operator(&call.func, left, right, schema) else {
        return Ok(Transformed::no(expr));
    };
    let types = (left.get_type(schema)?, right.get_type(schema)?);
    let coercer = BinaryTypeCoercer::new(&types.0, &operator, &types.1);
    let (of_left, of_right) = coercer.get_input_types()?;
    let (left, right) = (
        left.clone().cast_to(&of_left, schema)?,
        right.clone().cast_to(&of_right, schema)?,
    );
    Ok(Transformed::yes(binary_expr(left, operator, right)))
}
