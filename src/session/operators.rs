//! Operators that DataFusion parses and does not compute: `INTERVAL '1 day' * 3`, `7 // 2`, `doc ->> 'name'`.
//!
//! What they are depends on the types of their operands, which are known where an expression is planned.

use arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::functions::math;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, binary_expr};
use sqlparser::ast::BinaryOperator;

use crate::function::{interval_divided, interval_times, json_arrow, json_hash_arrow};

/// Plans them.
#[derive(Debug)]
pub(super) struct Operators;

impl ExprPlanner for Operators {
    fn plan_binary_op(
        &self,
        expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        let of = |expr: &Expr| expr.get_type(schema).ok();
        let is = |side: &Expr, kind: fn(&DataType) -> bool| of(side).is_some_and(|it| kind(&it));
        let RawBinaryExpr { op, left, right } = expr;
        let planned = match op {
            BinaryOperator::Multiply
                if is(&left, is_interval) && is(&right, DataType::is_numeric) =>
            {
                interval_times(left, right)
            }
            BinaryOperator::Multiply
                if is(&right, is_interval) && is(&left, DataType::is_numeric) =>
            {
                interval_times(right, left)
            }
            BinaryOperator::Divide
                if is(&left, is_interval) && is(&right, DataType::is_numeric) =>
            {
                interval_divided(left, right)
            }
            BinaryOperator::DuckIntegerDivide | BinaryOperator::MyIntegerDivide => {
                let are_whole = is(&left, DataType::is_integer) && is(&right, DataType::is_integer);
                let quotient = binary_expr(left, Operator::Divide, right);
                match are_whole {
                    // The quotient of two integers is one.
                    true => quotient,
                    false => math::trunc().call(vec![quotient]),
                }
            }
            BinaryOperator::Arrow => json_arrow(left, right, false),
            BinaryOperator::LongArrow => json_arrow(left, right, true),
            BinaryOperator::HashArrow => json_hash_arrow(left, right, false),
            BinaryOperator::HashLongArrow => json_hash_arrow(left, right, true),
            op => return Ok(PlannerResult::Original(RawBinaryExpr { op, left, right })),
        };
        Ok(PlannerResult::Planned(planned))
    }
}

fn is_interval(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Interval(_))
}
