//! `date_part`, and with it EXTRACT, whose comparisons stay what they are.
//!
//! DataFusion turns a comparison of a year with a constant into bounds on the time, by `preimage`. But of a date or time
//! that the calendar does not reach, beyond 262,143 years, the year is NULL, and the bounds make true or false of it; and
//! bounds that nanoseconds cannot hold, those of 1677 and 2262, are taken for NULL, which no row satisfies. So there is
//! none here: what a year says of a key is known where keys are looked for ([`predicate`](crate::predicate)), NULL
//! included. The values are DataFusion's.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::functions::datetime;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
};

use crate::function::as_theirs::as_theirs;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct DatePart(Arc<ScalarUDF>);

impl Default for DatePart {
    fn default() -> Self {
        Self(datetime::date_part())
    }
}

impl ScalarUDFImpl for DatePart {
    as_theirs!();

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let is_of_calendar = args.arg_fields.last().is_some_and(|field| {
            matches!(
                field.data_type(),
                DataType::Timestamp(..) | DataType::Date32 | DataType::Date64
            )
        });
        let field = self.0.return_field_from_args(args)?;
        Ok(if is_of_calendar && !field.is_nullable() {
            Arc::new(field.as_ref().clone().with_nullable(true))
        } else {
            field
        })
    }

    /// A time that is cast to a finer unit has no other parts, and may not be within its bounds.
    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let [part, Expr::Cast(cast)] = args.as_slice() else {
            return Ok(ExprSimplifyResult::Original(args));
        };
        let is_finer = match (info.get_data_type(&cast.expr)?, cast.field.data_type()) {
            (DataType::Timestamp(from, zone), DataType::Timestamp(to, other)) => {
                zone == *other && from < *to
            }
            _ => false,
        };
        if !is_finer {
            return Ok(ExprSimplifyResult::Original(args));
        }
        let function = ScalarUDF::new_from_impl(Self(Arc::clone(&self.0)));
        let call = function.call(vec![part.clone(), cast.expr.as_ref().clone()]);
        Ok(ExprSimplifyResult::Simplified(call))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.0.invoke_with_args(args)
    }
}

/// Plans EXTRACT, which DataFusion's planner makes its own function of.
#[derive(Debug)]
pub struct ExtractPlanner(Arc<ScalarUDF>);

impl Default for ExtractPlanner {
    fn default() -> Self {
        Self(Arc::new(ScalarUDF::new_from_impl(DatePart::default())))
    }
}

impl ExprPlanner for ExtractPlanner {
    fn plan_extract(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        let call = ScalarFunction::new_udf(Arc::clone(&self.0), args);
        Ok(PlannerResult::Planned(Expr::ScalarFunction(call)))
    }
}

#[cfg(test)]
#[path = "date_part_tests.rs"]
mod tests;
