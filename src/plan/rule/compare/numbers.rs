//! Where a DECIMAL and a REAL or DOUBLE become one value, it is a DOUBLE; where a DATE and a TIMESTAMP do, it is one of its
//! precision, but not of nanoseconds.
//!
//! DataFusion makes a DECIMAL(30,15) of the two, which is 0 for 1e-20 and an error for 1e300; and `0.0` is a DECIMAL here.
//! Of a DATE and any TIMESTAMP it makes one of nanoseconds, which ends in 2262. So before it brings values to one type,
//! this rule makes the DECIMAL among them a DOUBLE, and the DATE a TIMESTAMP of the finest unit that is there, or of
//! microseconds, which reach as far as the calendar, and of nanoseconds beside it those: among the arguments of `coalesce`, `nullif`, `greatest`, `least`, `nvl2` and of an array, the results of a CASE, the columns of a
//! UNION, and where a value is looked for in a subquery. Comparisons of two values are in `super::comparisons`.
//!
//! It is an analyzer rule alone: it changes types, which optimizer rules must not. A plan that a subquery refers to from
//! inside may change its types too, so that such references are brought up to date at the end.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ExprSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Case, InSubquery, ScalarFunction, SetComparison};
use datafusion::logical_expr::type_coercion::binary::type_union_coercion;
use datafusion::logical_expr::{
    Cast, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Subquery, Union,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;

use super::comparisons::{self, as_double};
use crate::convert::meet::{self, wanted};
#[cfg(test)]
use crate::fault::{self, Fault};
use crate::function::in_microseconds;
use crate::plan::rule::{has_any, input_schema, map_named};

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct MeetAsDoubles;

impl AnalyzerRule for MeetAsDoubles {
    fn name(&self) -> &str {
        "halite_meet_as_doubles"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        met(plan)
    }
}

/// What the rule makes of a plan. It is asked for before, too, where the types of the columns of a query are those of a
/// table's.
pub(crate) fn met(plan: LogicalPlan) -> Result<LogicalPlan> {
    #[cfg(test)]
    if fault::active(Fault::MendLeftOut("numbers")) {
        return Ok(plan);
    }
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
            Ok(if is_stale {
                TreeNodeRecursion::Stop
            } else {
                TreeNodeRecursion::Continue
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
pub(crate) fn recomputed(plan: LogicalPlan) -> Result<LogicalPlan> {
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
    alike.is_some_and(|alike| alike_in(alike.iter_mut().collect(), schema, false))
}

fn meet_in_case(case: &mut Case, schema: &DFSchema) -> bool {
    let (mut tested, mut results) = (Vec::new(), Vec::new());
    for (when, then) in &mut case.when_then_expr {
        tested.push(when.as_mut());
        results.push(then.as_mut());
    }
    results.extend(case.else_expr.as_deref_mut());
    let changed = alike_in(results, schema, true);
    let Some(base) = case.expr.as_deref_mut() else {
        return changed;
    };
    tested.push(base);
    alike_in(tested, schema, false) || changed
}

/// Makes DOUBLEs of the DECIMALs among the values, or TIMESTAMPs of the DATEs, where they meet one; returns whether it did.
fn alike_in(mut values: Vec<&mut Expr>, schema: &DFSchema, are_one: bool) -> bool {
    let types = values.iter().map(|value| value.get_type(schema));
    let mut types: Vec<_> = types.map(|found| found.unwrap_or(DataType::Null)).collect();
    let mut changed = false;
    if types.iter().any(is_of_nanoseconds) {
        for (value, found) in values.iter_mut().zip(&mut types) {
            if *found == DataType::Date32 && is_near(value) {
                *found = DataType::Timestamp(TimeUnit::Nanosecond, None);
                **value = Expr::Cast(Cast::new(
                    Box::new(std::mem::take(&mut **value)),
                    found.clone(),
                ));
                changed = true;
            }
        }
    }
    // As beside a DATE, beside a constant that nanoseconds do not reach.
    if values.iter().any(|value| is_far_stamp(value)) {
        for (value, found) in values.iter_mut().zip(&mut types) {
            if let DataType::Timestamp(TimeUnit::Nanosecond, zone) = found {
                let wanted = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
                **value = cast_to(value, found, &wanted);
                *found = wanted;
                changed = true;
            }
        }
    }
    let wanted = types.iter().zip(all_wanted(&types, are_one));
    for (value, (found, wanted)) in values.iter_mut().zip(wanted) {
        if let Some(wanted) = wanted {
            **value = cast_to(value, found, &wanted);
            changed = true;
        }
    }
    changed
}

fn is_of_nanoseconds(found: &DataType) -> bool {
    matches!(found, DataType::Timestamp(TimeUnit::Nanosecond, _))
}

/// Whether a DATE is a constant, or that of today, which nanoseconds reach.
fn is_near(date: &Expr) -> bool {
    const DAYS: i32 = 106_000;
    let days = match date {
        Expr::Literal(value, _) => value.cast_to(&DataType::Date32).ok(),
        Expr::Cast(Cast { expr, .. }) => match expr.as_ref() {
            Expr::Literal(value, _) => value.cast_to(&DataType::Date32).ok(),
            _ => None,
        },
        Expr::ScalarFunction(function) => return function.func.name() == "current_date",
        _ => None,
    };
    matches!(days, Some(ScalarValue::Date32(Some(days))) if (-DAYS..=DAYS).contains(&days))
}

/// Whether a value is a constant TIMESTAMP of microseconds, which none of nanoseconds is equal to.
fn is_far_stamp(stamp: &Expr) -> bool {
    let Expr::Cast(Cast { expr, field }) = stamp else {
        return false;
    };
    let target = DataType::Timestamp(TimeUnit::Nanosecond, None);
    match (expr.as_ref(), field.data_type()) {
        (Expr::Literal(text, _), DataType::Timestamp(TimeUnit::Microsecond, _)) => {
            text.cast_to(&DataType::Timestamp(TimeUnit::Microsecond, None))
                .is_ok()
                && text.cast_to(&target).is_err()
        }
        _ => false,
    }
}

/// What each of the types is to become. Where they `are_one`, numbers become of one type at once: a CASE and a UNION say
/// that they have the type of their first value until DataFusion makes one of all, and what is around them meets that.
fn all_wanted(types: &[DataType], are_one: bool) -> Vec<Option<DataType>> {
    let all = types.iter().map(|found| wanted(found, types));
    let mut all: Vec<Option<DataType>> = all.collect();
    let become_of = |(own, wanted): (&DataType, &Option<DataType>)| match wanted {
        Some(wanted) => wanted.clone(),
        None => own.clone(),
    };
    let then: Vec<DataType> = types.iter().zip(&all).map(become_of).collect();
    let mut known = then.iter().filter(|found| !found.is_null()).cloned();
    if !are_one || !known.clone().all(|found| found.is_numeric()) {
        return all;
    }
    let Some(first) = known.next() else {
        return all;
    };
    let common = known.try_fold(first, |common, next| type_union_coercion(&common, &next));
    let Some(common) = common else {
        return all;
    };
    for (wanted, then) in all.iter_mut().zip(&then) {
        if !then.is_null() && *then != common {
            *wanted = Some(common.clone());
        }
    }
    all
}

fn cast_to(value: &Expr, found: &DataType, wanted: &DataType) -> Expr {
    match (found, wanted) {
        (_, DataType::Float64) => as_double(value),
        // Nobody asks for the nanoseconds of the time that it is.
        (
            DataType::Timestamp(TimeUnit::Nanosecond, _),
            DataType::Timestamp(TimeUnit::Microsecond, _),
        ) if !is_now(value) => in_microseconds(value.clone()),
        (_, wanted) => Expr::Cast(Cast::new(Box::new(value.clone()), wanted.clone())),
    }
}

fn is_now(value: &Expr) -> bool {
    matches!(value, Expr::ScalarFunction(function) if function.name() == "now")
}

/// `expr` and the only column of a subquery that it is compared with.
fn meet_in_subquery(expr: &mut Expr, subquery: &mut Subquery, schema: &DFSchema) -> Result<bool> {
    let Ok(own) = expr.get_type(schema) else {
        return Ok(false);
    };
    let (qualifier, field) = subquery.subquery.schema().qualified_field(0);
    let found = field.data_type().clone();
    let column = Expr::from((qualifier, field));
    let (own_side, found_side) = match (&own, &found) {
        (DataType::Date32, DataType::Timestamp(unit, None)) => {
            comparisons::with_day(expr, &column, *unit)
        }
        (DataType::Timestamp(unit, None), DataType::Date32) => {
            let (found_side, own_side) = comparisons::with_day(&column, expr, *unit);
            (own_side, found_side)
        }
        _ => {
            let both = [own.clone(), found.clone()];
            let of = |side: &Expr, found: &DataType| match wanted(found, &both) {
                Some(wanted) => cast_to(side, found, &wanted),
                None => side.clone(),
            };
            (of(expr, &own), of(&column, &found))
        }
    };
    if own_side == *expr && found_side == column {
        return Ok(false);
    }
    if found_side != column {
        let named = found_side.alias_qualified(qualifier.cloned(), field.name());
        let plan = LogicalPlanBuilder::from(Arc::clone(&subquery.subquery));
        subquery.subquery = Arc::new(plan.project([named])?.build()?);
    }
    *expr = own_side;
    Ok(true)
}

/// Whether a column has nothing but NULLs.
fn has_nulls(plan: &LogicalPlan) -> bool {
    let mut fields = plan.schema().fields().iter();
    fields.any(|field| field.data_type().is_null())
}

/// The type that the columns behind a first one of NULLs have in common.
fn common_of_first_null(types: &[DataType]) -> Option<DataType> {
    let (first, others) = types.split_first()?;
    if !first.is_null() {
        return None;
    }
    let mut others = others.iter().filter(|own| !own.is_null()).cloned();
    let second = others.next()?;
    others.try_fold(second, |common, next| meet::met(&common, &next))
}

fn meet_in_union(union: Union) -> Result<Transformed<LogicalPlan>> {
    let width = union.schema.fields().len();
    let column_type = |input: &LogicalPlan, column: usize| {
        let field = input.schema().fields().get(column);
        field.map_or(DataType::Null, |field| field.data_type().clone())
    };
    let types_of = |column: usize| {
        let types = union.inputs.iter().map(|input| column_type(input, column));
        types.collect::<Vec<_>>()
    };
    let has_parameters = match union.inputs.first() {
        Some(first) if has_nulls(first) => {
            let names = union.inputs.iter().map(|input| input.get_parameter_names());
            let are_there = names.map(|names| Ok(!names?.is_empty()));
            are_there.collect::<Result<Vec<bool>>>()?
        }
        _ => Vec::new(),
    };
    let wanted: Vec<_> = (0..width)
        .map(|column| {
            let types = types_of(column);
            let mut all = all_wanted(&types, true);
            // DataFusion takes a first arm of NULLs for the type of the column, before it brings all to one.
            if let Some(common) = common_of_first_null(&types) {
                for ((wanted, own), is_open) in all.iter_mut().zip(&types).zip(&has_parameters) {
                    if own.is_null() && !is_open {
                        *wanted = Some(common.clone());
                    }
                }
            }
            all
        })
        .collect();
    let mut changed = false;
    let inputs = union.inputs.iter().enumerate().map(|(number, input)| {
        let of_input = wanted.iter().map(|all| all.get(number).cloned().flatten());
        let wanted: Vec<Option<DataType>> = of_input.collect();
        if wanted.iter().all(Option::is_none) {
            return Ok(Arc::clone(input));
        }
        changed = true;
        with_types(input, &wanted).map(Arc::new)
    });
    let inputs = inputs.collect::<Result<_>>()?;
    if !changed {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let union = Union::try_new_with_loose_types(inputs)?;
    Ok(Transformed::yes(LogicalPlan::Union(union)))
}

/// A plan with some of its columns as others of the same names.
pub(crate) fn with_types(plan: &LogicalPlan, wanted: &[Option<DataType>]) -> Result<LogicalPlan> {
    let columns = plan.schema().columns().into_iter().zip(wanted);
    let columns = columns.map(|(column, wanted)| {
        let (qualifier, name) = (column.relation.clone(), column.name.clone());
        let found = plan.schema().field_from_column(&column);
        let found = found.map_or(DataType::Null, |field| field.data_type().clone());
        let column = Expr::Column(column);
        match wanted {
            Some(wanted) => cast_to(&column, &found, wanted).alias_qualified(qualifier, name),
            None => column,
        }
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::from(plan.clone())
        .project(columns)?
        .build()
}

/// The types that the columns of a plan have once it is analyzed; those that it has where that fails, as it will again.
pub(crate) fn coerced_types(plan: &LogicalPlan) -> Vec<DataType> {
    let config = ConfigOptions::new();
    let coerced = met(plan.clone()).and_then(|plan| TypeCoercion::new().analyze(plan, &config));
    let types = |plan: &LogicalPlan| {
        let fields = plan.schema().fields().iter();
        fields.map(|field| field.data_type().clone()).collect()
    };
    coerced.map_or_else(|_| types(plan), |coerced| types(&coerced))
}

/// Gives what a node's subqueries say of its columns the types that those have now. What is in them of another subquery's
/// node may have the names of this one's columns, and is seen to there.
pub(crate) fn refer_again(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
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

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
