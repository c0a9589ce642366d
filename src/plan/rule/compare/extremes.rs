//! `min` and `max` of REAL and DOUBLE go by value, those of intervals by their lengths.
//!
//! Behind type coercion, which decides what they are over, DataFusion's functions are replaced by ours
//! ([`Extreme`]), in aggregates and in windows. Over everything else DataFusion's stay.

use std::sync::Arc;

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{
    AggregateUDF, Expr, ExprSchemable, LogicalPlan, WindowFunctionDefinition,
};

use super::floats;
use crate::function::{Extreme, is_extreme};
use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{has_any, input_schema};

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The rule.
pub(crate) const GO_BY_VALUE: NodeRule = NodeRule {
    name: "halite_go_by_value",
    rewrite: go_by_value,
};

fn go_by_value(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !has_any(&plan, is_concerned)? {
        return Ok(Transformed::no(plan));
    }
    let schema = input_schema(&plan)?;
    plan.map_expressions(|expr| expr.transform_up(|expr| Ok(by_value(expr, &schema))))
}

fn is_concerned(expr: &Expr) -> bool {
    match expr {
        Expr::AggregateFunction(aggregate) => is_extreme(&aggregate.func),
        Expr::WindowFunction(window) => match &window.fun {
            WindowFunctionDefinition::AggregateUDF(function) => is_extreme(function),
            WindowFunctionDefinition::WindowUDF(_) => false,
        },
        _ => false,
    }
}

fn by_value(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let (function, arguments) = match &mut expr {
        Expr::AggregateFunction(aggregate) => (&mut aggregate.func, &aggregate.params.args),
        Expr::WindowFunction(window) => match &mut window.fun {
            WindowFunctionDefinition::AggregateUDF(function) => (function, &window.params.args),
            WindowFunctionDefinition::WindowUDF(_) => return Transformed::no(expr),
        },
        _ => return Transformed::no(expr),
    };
    let is_ranked = |argument: &Expr| {
        let found = argument.get_type(schema);
        found.is_ok_and(|found| floats::is_float(&found) || found == INTERVAL)
    };
    if !arguments.iter().any(is_ranked) {
        return Transformed::no(expr);
    }
    match Extreme::of(function) {
        Some(extreme) => {
            *function = Arc::new(AggregateUDF::new_from_impl(extreme));
            Transformed::yes(expr)
        }
        None => Transformed::no(expr),
    }
}
