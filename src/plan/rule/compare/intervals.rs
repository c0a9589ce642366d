//! BETWEEN, IN, CASE, IS DISTINCT FROM, `nullif`, `greatest`, `least` and ORDER BY of intervals go by how long they are.
//!
//! DataFusion compares intervals by their months, then by their days: 25 hours are less than a day to it. `=`, `<` and
//! their like are planned as comparisons of lengths where SQL is planned (`session::operators`); these are not asked about
//! there, and written so here.

use std::sync::Arc;

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::core::greatest::GreatestFunc;
use datafusion::functions::core::least::LeastFunc;
use datafusion::functions::core::nullif::NullIfFunc;
use datafusion::logical_expr::expr::{Between, InList, InSubquery, ScalarFunction, Sort};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, WindowFrame,
    WindowFrameBound, WindowFrameUnits, lit, when,
};

use crate::function::{interval_length, interval_of_rank, interval_rank};
use crate::plan::rule::rewriting::{ExprRule, NodeRule};
use crate::plan::rule::{input_schema, map_named};

/// The rule. See the [module](self).
pub(crate) const COMPARE_LENGTHS: ExprRule = ExprRule {
    name: "halite_compare_lengths",
    concerns: |expr| is_called(expr).is_some() || compared(expr).is_some(),
    rewrite: by_length,
};

/// The rule for orders. See the [module](self).
pub(crate) const SORT_BY_LENGTHS: NodeRule = NodeRule {
    name: "halite_sort_by_lengths",
    rewrite: |plan| {
        if !has_order(&plan) {
            return Ok(Transformed::no(plan));
        }
        let columns = input_schema(&plan)?;
        match plan {
            LogicalPlan::Sort(mut sort) => {
                let is_other = sorted_by_length(&mut sort.expr, &columns);
                Ok(Transformed::new_transformed(
                    LogicalPlan::Sort(sort),
                    is_other,
                ))
            }
            plan => map_named(plan, |expr| {
                expr.transform_up(|expr| Ok(ordered_by_length(expr, &columns)))
            }),
        }
    },
};

fn has_order(plan: &LogicalPlan) -> bool {
    matches!(
        plan,
        LogicalPlan::Sort(_) | LogicalPlan::Window(_) | LogicalPlan::Aggregate(_)
    )
}

fn ordered_by_length(mut expr: Expr, columns: &DFSchema) -> Transformed<Expr> {
    let is_other = match &mut expr {
        Expr::AggregateFunction(call) => sorted_by_length(&mut call.params.order_by, columns),
        // An offset of a RANGE is an interval itself.
        Expr::WindowFunction(call) if !has_offset(&call.params.window_frame) => {
            sorted_by_length(&mut call.params.order_by, columns)
        }
        _ => false,
    };
    Transformed::new_transformed(expr, is_other)
}

fn has_offset(frame: &WindowFrame) -> bool {
    let is_offset = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => {
            !offset.is_null()
        }
        WindowFrameBound::CurrentRow => false,
    };
    frame.units == WindowFrameUnits::Range
        && (is_offset(&frame.start_bound) || is_offset(&frame.end_bound))
}

/// Sorts by the lengths of intervals; whether there are some.
fn sorted_by_length(sorts: &mut [Sort], columns: &DFSchema) -> bool {
    let mut is_other = false;
    for Sort { expr, .. } in sorts {
        if matches!(expr.get_type(columns), Ok(DataType::Interval(_))) {
            *expr = interval_length(std::mem::take(expr));
            is_other = true;
        }
    }
    is_other
}

fn by_length(expr: Expr, columns: &DFSchema) -> Result<Transformed<Expr>> {
    let is_interval = |value: &Expr| value.get_type(columns).is_ok_and(|it| it == INTERVAL);
    if let Expr::ScalarFunction(call) = &expr {
        return match is_called(&expr) {
            Some(function) if call.args.iter().any(is_interval) => {
                let arguments = call.args.iter().cloned();
                Ok(Transformed::yes(function.by_length(call, arguments)?))
            }
            _ => Ok(Transformed::no(expr)),
        };
    }
    if !compared(&expr).is_some_and(is_interval) {
        return Ok(Transformed::no(expr));
    }
    Ok(Transformed::yes(match expr {
        Expr::InSubquery(InSubquery {
            expr,
            mut subquery,
            negated,
        }) => {
            subquery.subquery = lengths_of(&subquery.subquery)?;
            let expr = Box::new(interval_length(*expr));
            Expr::InSubquery(InSubquery::new(expr, subquery, negated))
        }
        Expr::Case(mut case) => {
            case.expr = case.expr.map(|value| Box::new(interval_length(*value)));
            for (value, _) in &mut case.when_then_expr {
                **value = interval_length(std::mem::take(value));
            }
            Expr::Case(case)
        }
        expr => {
            let lengths = expr.map_children(|value| Ok(Transformed::yes(interval_length(value))));
            lengths?.data
        }
    }))
}

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The lengths of the intervals that a subquery gives.
fn lengths_of(subquery: &Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
    let (qualifier, field) = subquery.schema().qualified_field(0);
    let length = interval_length(Expr::from((qualifier, field)));
    let lengths = LogicalPlanBuilder::from(Arc::clone(subquery)).project([length])?;
    lengths.build().map(Arc::new)
}

/// Functions that compare their arguments.
#[derive(Debug, Clone, Copy)]
enum Comparing {
    NullIf,
    /// `greatest` and `least`.
    Extreme,
}

fn is_called(expr: &Expr) -> Option<Comparing> {
    let Expr::ScalarFunction(call) = expr else {
        return None;
    };
    let function = call.func.inner();
    match () {
        () if function.downcast_ref::<NullIfFunc>().is_some() => Some(Comparing::NullIf),
        () if function.downcast_ref::<GreatestFunc>().is_some()
            || function.downcast_ref::<LeastFunc>().is_some() =>
        {
            Some(Comparing::Extreme)
        }
        () => None,
    }
}

impl Comparing {
    fn by_length(
        self,
        call: &ScalarFunction,
        arguments: impl Iterator<Item = Expr>,
    ) -> Result<Expr> {
        let arguments: Vec<Expr> = arguments.collect();
        match (self, arguments.as_slice()) {
            (Self::NullIf, [value, other]) => {
                let is_other = interval_length(value.clone()).eq(interval_length(other.clone()));
                when(is_other, lit(ScalarValue::IntervalMonthDayNano(None)))
                    .otherwise(value.clone())
            }
            _ => {
                let ranks = arguments.into_iter().map(interval_rank).collect();
                Ok(interval_of_rank(call.func.call(ranks)))
            }
        }
    }
}

/// The value that is compared.
fn compared(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Between(Between { expr, .. })
        | Expr::InList(InList { expr, .. })
        | Expr::InSubquery(InSubquery { expr, .. }) => Some(expr),
        Expr::Case(case) => case.expr.as_deref(),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::IsDistinctFrom | Operator::IsNotDistinctFrom,
            ..
        }) => Some(left),
        _ => None,
    }
}
