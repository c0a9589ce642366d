//! A plan whose parameters have their values.
//!
//! DataFusion plans operators before the types of parameters are known, and puts the values in afterwards: `$1 / 3` stays
//! its own quotient, of whatever comes. Here the operators are planned again once the values are there
//! ([`operators::planned_anew`]), and with them the types of everything above.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{ParamValues, Result, ScalarValue};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Values};

use crate::error::Error;
use crate::plan::bind::operators;

/// The plan with these values for its parameters; `None` where it is to be made for them.
///
/// # Errors
/// What an operator has against the types of the values, where no other plan can be made for them.
pub(crate) fn with_values(
    plan: LogicalPlan,
    values: Vec<ScalarValue>,
) -> Result<Option<LogicalPlan>, Error> {
    if values.is_empty() {
        return Ok(Some(plan));
    }
    let bound = plan.with_param_values(ParamValues::from(values));
    match bound.and_then(planned_anew).map_err(Error::from) {
        Ok(plan) => Ok(Some(plan)),
        Err(error) if error.hangs_on_values() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The plan with its operators planned again, for parameters that have values, or types.
///
/// # Errors
/// `InvalidInput` where an operator does not take the types.
pub(crate) fn planned_anew(plan: LogicalPlan) -> Result<LogicalPlan> {
    let planned = plan.transform_up_with_subqueries(|node| {
        let names = NamePreserver::new(&node);
        let columns = merge_schema(&node.inputs());
        let node = node.map_expressions(|expression| {
            let name = names.save(&expression);
            let planned = operators::planned_anew(expression, &columns)?;
            Ok(planned.update_data(|expression| name.restore(expression)))
        })?;
        node.map_data(with_own_types)
    })?;
    Ok(planned.data)
}

/// The plan with its operators planned again, if the types that they were planned for may be others:
/// [`operators::is_of_several_types`].
///
/// # Errors
/// As [`planned_anew`].
pub(crate) fn planned_for_cases(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut is_of_several = false;
    plan.apply_with_subqueries(|node| {
        let mut cases: Vec<Expr> = Vec::new();
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                if matches!(part, Expr::Case(_)) {
                    cases.push(part.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        if !cases.is_empty() {
            let columns = merge_schema(&node.inputs());
            let mut cases = cases.iter();
            is_of_several = cases.any(|case| operators::is_of_several_types(case, &columns));
        }
        Ok(if is_of_several {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    if is_of_several {
        planned_anew(plan)
    } else {
        Ok(plan)
    }
}

/// The node with the types that its expressions have now.
fn with_own_types(node: LogicalPlan) -> Result<LogicalPlan> {
    match node {
        LogicalPlan::Values(Values { values, .. }) => LogicalPlanBuilder::values(values)?.build(),
        node => node.recompute_schema(),
    }
}
