//! Operators that DataFusion parses and does not compute: `INTERVAL '1 day' * 3`, `7 // 2`, `doc ->> 'name'`; and those
//! that are something else in SQL: `ts - ts` is an interval, intervals are compared by their lengths, and a quotient of
//! DECIMALs has sixteen digits behind the point.
//!
//! What they are depends on the types of their operands, which are known where an expression is planned.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::{DFSchema, Result};
use datafusion::functions::math;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, Operator, binary_expr};
use sqlparser::ast::BinaryOperator;

use crate::function::{
    interval_between, interval_divided, interval_length, interval_times, is_of_decimals,
    json_arrow, json_hash_arrow, quotient,
};

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
        if let Some(comparison) = comparison(&op)
            && (is(&left, is_interval) || is(&right, is_interval))
            && is(&left, is_like_interval)
            && is(&right, is_like_interval)
        {
            let (left, right) = (interval_length(left), interval_length(right));
            return Ok(PlannerResult::Planned(binary_expr(left, comparison, right)));
        }
        let planned = match op {
            BinaryOperator::Minus
                if is(&left, is_time)
                    && is(&right, is_time)
                    && !(is(&left, is_date) && is(&right, is_date)) =>
            {
                interval_between(binary_expr(left, Operator::Minus, right))
            }
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
            BinaryOperator::Divide if let Some((left, right)) = decimals(&left, &right, schema) => {
                quotient(left, right)
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

/// The operands of a division that is one of DECIMALs; a parameter is of the type that it meets.
fn decimals(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let of = |side: &Expr, other: &Expr| match side {
        Expr::Placeholder(open) if open.field.is_none() => {
            let met = Field::new("", other.get_type(schema).ok()?, true);
            let typed = Placeholder::new_with_field(open.id.clone(), Some(Arc::new(met)));
            Some(Expr::Placeholder(typed))
        }
        side => Some(side.clone()),
    };
    let (left, right) = (of(left, right)?, of(right, left)?);
    let types = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    is_of_decimals(&types.0, &types.1).then_some((left, right))
}

fn comparison(op: &BinaryOperator) -> Option<Operator> {
    match op {
        BinaryOperator::Eq => Some(Operator::Eq),
        BinaryOperator::NotEq => Some(Operator::NotEq),
        BinaryOperator::Lt => Some(Operator::Lt),
        BinaryOperator::LtEq => Some(Operator::LtEq),
        BinaryOperator::Gt => Some(Operator::Gt),
        BinaryOperator::GtEq => Some(Operator::GtEq),
        _ => None,
    }
}

fn is_interval(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Interval(_))
}

/// Whether it is an interval, or becomes one beside it.
fn is_like_interval(data_type: &DataType) -> bool {
    let is_text = matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    is_interval(data_type) || is_text || matches!(data_type, DataType::Duration(_) | DataType::Null)
}

fn is_time(data_type: &DataType) -> bool {
    is_date(data_type) || matches!(data_type, DataType::Timestamp(..))
}

fn is_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64)
}
