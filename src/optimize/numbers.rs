//! Where a DECIMAL and a REAL or DOUBLE become one value, it is a DOUBLE.
//!
//! DataFusion makes a DECIMAL(30,15) of the two, which is 0 for 1e-20 and an error for 1e300; and `0.0` is a DECIMAL here.
//! So before it brings values to one type, this rule makes the DECIMAL among them a DOUBLE: among the arguments of
//! `coalesce`, `nullif`, `greatest`, `least`, `nvl2` and of an array, the results of a CASE, the columns of a
//! UNION, and where a value is looked for in a subquery. Comparisons of two values are in `super::comparisons`.
//!
//! It is an analyzer rule alone: it changes types, which optimizer rules must not. A plan that a subquery refers to from
//! inside may change its types too, so that such references are brought up to date at the end.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ExprSchema, Result};
use datafusion::logical_expr::expr::{Case, InSubquery, ScalarFunction, SetComparison};
use datafusion::logical_expr::{
    Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Subquery, Union,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;

use super::constants::is_constant;
use super::{comparisons, floats, has_any, input_schema, map_named};

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct MeetAsDoubles;

impl AnalyzerRule for MeetAsDoubles {
    fn name(&self) -> &str {
        "halite_meet_as_doubles"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let mut changed = false;
        let plan = plan.transform_up_with_subqueries(|plan| {
            let met = meet(plan)?;
            changed |= met.transformed;
            if !changed {
                return Ok(met);
            }
            met.map_data(recomputed)
        })?;
        if !changed {
            return Ok(plan.data);
        }
        let referred = plan.data.transform_up_with_subqueries(refer_again);
        referred.map(|plan| plan.data)
    }
}

/// Brings references of subqueries up to date behind DataFusion's coercion, which gives a UNION and others new types and
/// leaves what is said of them from inside with the old ones: an INT that is a BIGINT then is compared as an INT.
#[derive(Debug, Default)]
pub struct ReferToCoerced;

impl AnalyzerRule for ReferToCoerced {
    fn name(&self) -> &str {
        "halite_refer_to_coerced"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let mut is_stale = false;
        plan.apply_with_subqueries(|node| {
            is_stale = is_stale || refers_to_old_types(node)?;
            Ok(match is_stale {
                true => TreeNodeRecursion::Stop,
                false => TreeNodeRecursion::Continue,
            })
        })?;
        if !is_stale {
            return Ok(plan);
        }
        let plan = plan.transform_up_with_subqueries(refer_again)?.data;
        TypeCoercion::new().analyze(plan, config)
    }
}

/// Whether a subquery of the node takes a column of it for one of another type.
fn refers_to_old_types(node: &LogicalPlan) -> Result<bool> {
    let mut schema = None;
    let mut found = false;
    node.apply_subqueries(|subquery| {
        if schema.is_none() {
            schema = input_schema(node).ok();
        }
        let Some(schema) = &schema else {
            return Ok(TreeNodeRecursion::Stop);
        };
        subquery.apply(|inner| {
            inner.apply_expressions(|expr| {
                found = found || expr.exists(|expr| Ok(is_old(expr, schema)))?;
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

fn is_old(expr: &Expr, schema: &DFSchema) -> bool {
    let Expr::OuterReferenceColumn(field, column) = expr else {
        return false;
    };
    let now = schema.field_from_column(column);
    now.is_ok_and(|now| now.data_type() != field.data_type())
}

/// A node over inputs whose types may have changed. A UNION would keep those that it had.
fn recomputed(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Union(union) => {
            Union::try_new_with_loose_types(union.inputs).map(LogicalPlan::Union)
        }
        plan => plan.recompute_schema(),
    }
}

/// One node.
fn meet(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if let LogicalPlan::Union(union) = plan {
        return meet_in_union(union);
    }
    if !has_any(&plan, is_meeting)? {
        return Ok(Transformed::no(plan));
    }
    let schema = input_schema(&plan)?;
    map_named(plan, |expr| {
        expr.transform_up(|expr| meet_in(expr, &schema))
    })
}

fn is_meeting(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(function) => alike_from(function.func.name()).is_some(),
        expr => matches!(
            expr,
            Expr::Case(_) | Expr::InSubquery(_) | Expr::SetComparison(_)
        ),
    }
}

/// The first of the arguments that a function brings to one type.
fn alike_from(function: &str) -> Option<usize> {
    match function {
        "coalesce" | "nullif" | "greatest" | "least" | "make_array" => Some(0),
        "nvl2" => Some(1),
        _ => None,
    }
}

fn meet_in(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::ScalarFunction(mut function) => {
            let changed = meet_in_arguments(&mut function, schema);
            Ok(Transformed::new_transformed(
                Expr::ScalarFunction(function),
                changed,
            ))
        }
        Expr::Case(mut case) => {
            let changed = meet_in_case(&mut case, schema);
            Ok(Transformed::new_transformed(Expr::Case(case), changed))
        }
        Expr::InSubquery(mut found) => {
            let InSubquery { expr, subquery, .. } = &mut found;
            let changed = meet_in_subquery(expr, subquery, schema)?;
            Ok(Transformed::new_transformed(
                Expr::InSubquery(found),
                changed,
            ))
        }
        Expr::SetComparison(mut compared) => {
            let SetComparison { expr, subquery, .. } = &mut compared;
            let changed = meet_in_subquery(expr, subquery, schema)?;
            Ok(Transformed::new_transformed(
                Expr::SetComparison(compared),
                changed,
            ))
        }
        expr => Ok(Transformed::no(expr)),
    }
}

fn meet_in_arguments(function: &mut ScalarFunction, schema: &DFSchema) -> bool {
    let first = alike_from(function.func.name());
    let alike = first.and_then(|first| function.args.get_mut(first..));
    alike.is_some_and(|alike| as_doubles(alike.iter_mut().collect(), schema))
}

fn meet_in_case(case: &mut Case, schema: &DFSchema) -> bool {
    let (mut tested, mut results) = (Vec::new(), Vec::new());
    for (when, then) in &mut case.when_then_expr {
        tested.push(when.as_mut());
        results.push(then.as_mut());
    }
    results.extend(case.else_expr.as_deref_mut());
    let changed = as_doubles(results, schema);
    let Some(base) = case.expr.as_deref_mut() else {
        return changed;
    };
    tested.push(base);
    as_doubles(tested, schema) || changed
}

/// Makes the DECIMALs among the values DOUBLEs if there is a REAL or DOUBLE; returns whether it did.
fn as_doubles(mut values: Vec<&mut Expr>, schema: &DFSchema) -> bool {
    let types = values.iter().map(|value| value.get_type(schema));
    let types: Vec<_> = types.map(|found| found.unwrap_or(DataType::Null)).collect();
    if !mixed(&types) {
        return false;
    }
    let decimals = values.iter_mut().zip(&types);
    for (value, _) in decimals.filter(|(_, found)| found.is_decimal()) {
        **value = as_double(value);
    }
    true
}

fn mixed(types: &[DataType]) -> bool {
    types.iter().any(floats::is_float) && types.iter().any(DataType::is_decimal)
}

/// A DECIMAL as a DOUBLE; of a constant, the nearest one.
pub(super) fn as_double(decimal: &Expr) -> Expr {
    if is_constant(decimal) {
        return comparisons::as_float(decimal, DataType::Float64);
    }
    Expr::Cast(Cast::new(Box::new(decimal.clone()), DataType::Float64))
}

/// `expr` and the only column of a subquery that it is compared with.
fn meet_in_subquery(expr: &mut Expr, subquery: &mut Subquery, schema: &DFSchema) -> Result<bool> {
    let Ok(own) = expr.get_type(schema) else {
        return Ok(false);
    };
    let found = subquery.subquery.schema().field(0).data_type().clone();
    if own.is_decimal() && floats::is_float(&found) {
        *expr = as_double(expr);
    } else if floats::is_float(&own) && found.is_decimal() {
        let plan = with_doubles(&subquery.subquery, &[true])?;
        subquery.subquery = Arc::new(plan);
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn meet_in_union(union: Union) -> Result<Transformed<LogicalPlan>> {
    let width = union.schema.fields().len();
    let column_type = |input: &LogicalPlan, column: usize| {
        let field = input.schema().fields().get(column);
        field.map_or(DataType::Null, |field| field.data_type().clone())
    };
    let meets = |column: usize| {
        let types = union.inputs.iter().map(|input| column_type(input, column));
        mixed(&types.collect::<Vec<_>>())
    };
    let met: Vec<bool> = (0..width).map(meets).collect();
    if !met.contains(&true) {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let inputs = union.inputs.iter().map(|input| {
        let decimal =
            |(column, met): (usize, &bool)| *met && column_type(input, column).is_decimal();
        let decimals: Vec<bool> = met.iter().enumerate().map(decimal).collect();
        if decimals.contains(&true) {
            with_doubles(input, &decimals).map(Arc::new)
        } else {
            Ok(Arc::clone(input))
        }
    });
    let union = Union::try_new_with_loose_types(inputs.collect::<Result<_>>()?)?;
    Ok(Transformed::yes(LogicalPlan::Union(union)))
}

/// A plan with some of its columns, all DECIMAL, as DOUBLEs of the same names.
fn with_doubles(plan: &LogicalPlan, chosen: &[bool]) -> Result<LogicalPlan> {
    let columns = plan.schema().columns().into_iter().zip(chosen);
    let columns = columns.map(|(column, chosen)| {
        let (qualifier, name) = (column.relation.clone(), column.name.clone());
        let column = Expr::Column(column);
        if *chosen {
            as_double(&column).alias_qualified(qualifier, name)
        } else {
            column
        }
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::from(plan.clone())
        .project(columns)?
        .build()
}

/// Gives what a node's subqueries say of its columns the types that those have now. What is in them of another subquery's
/// node may have the names of this one's columns, and is seen to there.
fn refer_again(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let Ok(schema) = input_schema(&plan) else {
        return Ok(Transformed::no(plan));
    };
    plan.map_subqueries(|subquery| {
        subquery.transform_up(|inner| {
            inner
                .map_expressions(|expr| expr.transform_up(|expr| Ok(outer(expr, &schema))))?
                .transform_data(|inner| Ok(Transformed::yes(inner.recompute_schema()?)))
        })
    })
}

fn outer(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::OuterReferenceColumn(field, column) => match schema.field_from_column(&column) {
            Ok(now) if now.data_type() != field.data_type() => {
                Transformed::yes(Expr::OuterReferenceColumn(Arc::clone(now), column))
            }
            _ => Transformed::no(Expr::OuterReferenceColumn(field, column)),
        },
        expr => Transformed::no(expr),
    }
}
