//! What comparisons mean, said before DataFusion brings their sides to one type.
//!
//! Type coercion hides what was written. Two rows become structs (`super::tuples`); a DOUBLE compared with `0.1`,
//! which is a DECIMAL here, becomes a DECIMAL(30,15) on every row, which fails on NaN and on 1e300 and cannot tell
//! 1e-20 from 0; and `'9.999'` compared with a DECIMAL(10,2) is rounded to it. So this rule runs first:
//!
//! | compared | becomes |
//! |---|---|
//! | a row and a row | terms over their values |
//! | REAL or DOUBLE, and a constant DECIMAL | the constant as the nearest REAL or DOUBLE |
//! | REAL or DOUBLE, and any other DECIMAL | the DECIMAL as DOUBLE |
//! | an integer or DECIMAL, and a constant REAL or DOUBLE | both as DOUBLE, alone among exact values of a list |
//! | DECIMAL, and a constant text | the text as an exact number |
//! | a DATE and a TIMESTAMP(0) or (3) of which none is constant | the DATE as such a TIMESTAMP |
//! | a DATE and a TIMESTAMP(6) or (9), which do not reach as far | both as seconds ([`beside_days`](crate::function::beside_days)) |
//!
//! Long chains of `AND` and `OR` are balanced on the way (`super::chains`), and names inside of an expression dropped.
//!
//! It is an analyzer rule in front of type coercion, and an optimizer rule as well because `PREPARE` optimizes a plan
//! that has not been analyzed.

use arrow::datatypes::{DataType, TimeUnit, i256};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan};

use super::comparison::{between_operators, binary, is_comparison, list_operators};
use super::{chains, floats, tuples};
use crate::function::beside_days;
use crate::plan::rule::expr::is_constant;
use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{has, has_any, input_schema, map_named};
use crate::predicate::Exact;

/// The rule. See the [module](self).
pub(crate) const WRITE_OUT_COMPARISONS: NodeRule = NodeRule {
    name: "halite_write_out_comparisons",
    rewrite,
};

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let has_keys = matches!(&plan, LogicalPlan::Join(join) if !join.on.is_empty());
    if !has_keys && !has_any(&plan, compares)? {
        return Ok(Transformed::no(plan));
    }
    let schema = input_schema(&plan)?;
    let plan = typed_keys(plan, &schema);
    let rewritten = plan.transform_data(|plan| {
        map_named(plan, |expr| {
            without_inner_names(expr)?
                .transform_data(chains::balance)?
                .transform_data(|expr| expr.transform_up(|expr| rewrite_expr(expr, &schema)))
        })
    })?;
    if rewritten.transformed {
        rewritten.map_data(LogicalPlan::recompute_schema)
    } else {
        Ok(rewritten)
    }
}

/// A join with the meaning of its pairs of equal keys said.
fn typed_keys(plan: LogicalPlan, schema: &DFSchema) -> Transformed<LogicalPlan> {
    let LogicalPlan::Join(mut join) = plan else {
        return Transformed::no(plan);
    };
    let mut changed = false;
    for pair in &mut join.on {
        if let Some(typed) = typed(&pair.0, &pair.1, schema) {
            *pair = typed;
            changed = true;
        }
    }
    Transformed::new_transformed(LogicalPlan::Join(join), changed)
}

/// The expression without the names that DataFusion gives to what stands inside of it: `row(1, 2)`, a function called by
/// its second name, comes as `struct(1, 2) AS row(1, 2)`. No rule below looks through a name.
fn without_inner_names(expr: Expr) -> Result<Transformed<Expr>> {
    let is_named = |expr: &Expr| matches!(expr, Expr::Alias(_));
    match expr {
        Expr::Alias(_) => expr.map_children(|inner| Ok(inner.unalias_nested())),
        // Most have none, and lists may be long.
        expr if !has(&expr, &is_named)? => Ok(Transformed::no(expr)),
        expr => Ok(expr.unalias_nested()),
    }
}

fn compares(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::InList(_) | Expr::Between(_) => true,
        _ => false,
    }
}

fn rewrite_expr(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let rows = match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            tuples::expand(left, *op, right)?
        }
        Expr::InList(list) => tuples::expand_list(list)?,
        Expr::Between(between) => tuples::expand_between(between)?,
        _ => None,
    };
    match rows {
        // What the rows held is compared as if it had been written so.
        Some(terms) => Ok(Transformed::yes(
            terms
                .transform_up(|term| Ok(typed_term(term, schema)))?
                .data,
        )),
        None => Ok(typed_term(expr, schema)),
    }
}

/// A comparison of single values with its meaning said.
fn typed_term(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let rewritten = match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            typed(left, right, schema).map(|(left, right)| binary(left, *op, right))
        }
        Expr::InList(list) => typed_list(list, schema),
        Expr::Between(between) => typed_between(between, schema),
        _ => None,
    };
    rewritten.map_or_else(|| Transformed::no(expr), Transformed::yes)
}

/// The two sides of a comparison with their meaning said; `None` when coercion does nothing to them.
fn typed(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    match (is_constant(left), is_constant(right)) {
        (true, true) => typed_days(left, right, schema).or_else(|| typed_side(left, right, schema)),
        (_, true) => typed_side(left, right, schema),
        (true, _) => typed_side(right, left, schema).map(|(right, left)| (left, right)),
        _ => typed_values(left, right, schema),
    }
}

/// What becomes of a DATE and a TIMESTAMP.
fn typed_days(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    match (left.get_type(schema).ok()?, right.get_type(schema).ok()?) {
        (DataType::Date32, DataType::Timestamp(unit, None)) => Some(with_day(left, right, unit)),
        (DataType::Timestamp(unit, None), DataType::Date32) => {
            let (right, left) = with_day(right, left, unit);
            Some((left, right))
        }
        _ => None,
    }
}

/// What becomes of two values of which none is constant.
fn typed_values(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let (left_type, right_type) = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    match (&left_type, &right_type) {
        (float, decimal) if floats::is_float(float) && decimal.is_decimal() => {
            Some((left.clone(), as_double(right)))
        }
        (decimal, float) if decimal.is_decimal() && floats::is_float(float) => {
            Some((as_double(left), right.clone()))
        }
        _ => typed_days(left, right, schema),
    }
}

/// A DATE and a TIMESTAMP of a unit as values that compare as they do.
pub(crate) fn with_day(date: &Expr, stamp: &Expr, unit: TimeUnit) -> (Expr, Expr) {
    match unit {
        TimeUnit::Second | TimeUnit::Millisecond => (midnight(date, unit), stamp.clone()),
        TimeUnit::Microsecond | TimeUnit::Nanosecond => {
            (midnight(date, TimeUnit::Second), beside_days(stamp.clone()))
        }
    }
}

/// A DATE as a TIMESTAMP of a unit.
fn midnight(date: &Expr, unit: TimeUnit) -> Expr {
    let stamp = DataType::Timestamp(unit, None);
    Expr::Cast(Cast::new(Box::new(date.clone()), stamp))
}

/// What becomes of a value and the constant that it is compared with.
fn typed_side(value: &Expr, constant: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let constant_type = constant.get_type(schema).ok()?;
    // The common case, before the type of the value is asked for.
    if !(constant_type.is_decimal()
        || floats::is_float(&constant_type)
        || constant_type.is_string())
    {
        return None;
    }
    let value_type = value.get_type(schema).ok()?;
    if floats::is_float(&value_type) && constant_type.is_decimal() {
        Some((value.clone(), as_float(constant, value_type)))
    } else if (value_type.is_decimal() || value_type.is_integer())
        && floats::is_float(&constant_type)
    {
        Some((
            cast(value, DataType::Float64),
            cast(constant, DataType::Float64),
        ))
    } else if value_type.is_decimal() && constant_type.is_string() {
        Some((value.clone(), number(constant)?))
    } else {
        None
    }
}

/// What becomes of a value and one of several that it is compared with.
fn typed_with(value: &Expr, other: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    match (is_constant(value), is_constant(other)) {
        (true, true) => {
            typed_days(value, other, schema).or_else(|| typed_side(value, other, schema))
        }
        (_, true) => typed_side(value, other, schema),
        _ => typed_values(value, other, schema),
    }
}

fn typed_list(list: &InList, schema: &DFSchema) -> Option<Expr> {
    let values = list.list.iter();
    let typed: Vec<Option<(Expr, Expr)>> = values
        .map(|value| typed_with(&list.expr, value, schema))
        .collect();
    if typed.iter().all(Option::is_none) {
        return None;
    }
    // What is looked for, as what it is compared with wants it, and that.
    let mut parts: Vec<(Expr, Vec<Expr>)> = Vec::new();
    for (value, typed) in list.list.iter().zip(typed) {
        let (expr, value) = typed.unwrap_or_else(|| ((*list.expr).clone(), value.clone()));
        match parts.iter_mut().find(|(known, _)| *known == expr) {
            Some((_, values)) => values.push(value),
            None => parts.push((expr, vec![value])),
        }
    }
    if parts.len() > 1 && list.expr.is_volatile() {
        return None;
    }
    let part = |(expr, values)| Expr::InList(InList::new(Box::new(expr), values, list.negated));
    let (_, join) = list_operators(list.negated);
    let parts = parts.into_iter().map(part);
    parts.reduce(|left, right| binary(left, join, right))
}

fn typed_between(between: &Between, schema: &DFSchema) -> Option<Expr> {
    let Between {
        expr,
        negated,
        low,
        high,
    } = between;
    let side = |bound: &Expr| typed_with(expr, bound, schema);
    let (typed_low, typed_high) = (side(low), side(high));
    if (typed_low.is_none() && typed_high.is_none()) || expr.is_volatile() {
        return None;
    }
    let keep = |bound: &Expr| ((**expr).clone(), bound.clone());
    let (from, low) = typed_low.unwrap_or_else(|| keep(low));
    let (to, high) = typed_high.unwrap_or_else(|| keep(high));
    let (above, below, join) = between_operators(*negated);
    let (low, high) = (binary(from, above, low), binary(to, below, high));
    Some(binary(low, join, high))
}

/// A constant DECIMAL as REAL or DOUBLE; as DOUBLE where REAL cannot hold it.
pub(crate) fn as_float(constant: &Expr, target: DataType) -> Expr {
    let Expr::Literal(value, _) = constant else {
        return cast(constant, target);
    };
    let nearest = Exact::of(value).and_then(|number| {
        let nearest = number.nearest(&target);
        nearest.or_else(|| number.nearest(&DataType::Float64))
    });
    let nearest = nearest.and_then(floats::canonical);
    nearest.unwrap_or_else(|| cast(constant, target))
}

fn cast(expr: &Expr, data_type: DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr.clone()), data_type))
}

/// A text constant as the exact DECIMAL that it says; `None` when it says none, which is left to fail as it does.
fn number(constant: &Expr) -> Option<Expr> {
    let Expr::Literal(value, _) = constant else {
        return None;
    };
    let text = value.try_as_str()??.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let unscaled: i256 = format!("{sign}{all}").parse().ok()?;
    let scale = i8::try_from(fraction.len()).ok()?;
    let precision =
        u8::try_from(all.trim_start_matches('0').len().max(fraction.len()).max(1)).ok()?;
    let value = match unscaled.to_i128() {
        Some(unscaled) if precision <= 38 => {
            ScalarValue::Decimal128(Some(unscaled), precision, scale)
        }
        _ if precision <= 76 => ScalarValue::Decimal256(Some(unscaled), precision, scale),
        _ => return None,
    };
    Some(Expr::Literal(value, None))
}

/// A DECIMAL as a DOUBLE; of a constant, the nearest one.
pub(crate) fn as_double(decimal: &Expr) -> Expr {
    if is_constant(decimal) {
        return as_float(decimal, DataType::Float64);
    }
    Expr::Cast(Cast::new(Box::new(decimal.clone()), DataType::Float64))
}
