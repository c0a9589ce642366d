//! Casts that are part of a name.
//!
//! DataFusion leaves casts out of the names of expressions, and refuses two groups, aggregates or windows of one name:
//! `max(b)` and `max(CAST(b AS BIGINT))`. Where a SELECT has such two, every cast of it is written with an operator of ours
//! behind it, of which the [planner](NameCasts) makes the cast under a name.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::{DFSchema, Result as PlanResult};
use datafusion::logical_expr::Expr as Planned;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::prelude::SessionContext;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, OrderBy, Select, SelectItem, Value, VisitMut,
    VisitorMut,
};

use super::exprs::for_exprs;
use crate::error::Result;
use crate::sql::marks::NAMED_CAST;

/// Gives casts that are written so a name.
#[derive(Debug)]
struct NameCasts;

impl ExprPlanner for NameCasts {
    fn plan_binary_op(
        &self,
        expr: RawBinaryExpr,
        _schema: &DFSchema,
    ) -> PlanResult<PlannerResult<RawBinaryExpr>> {
        match (&expr.op, &expr.left) {
            (BinaryOperator::Custom(op), Planned::Cast(cast)) if op == NAMED_CAST => {
                let data_type = cast.field.data_type();
                let name = format!("CAST({} AS {data_type})", cast.expr.schema_name());
                Ok(PlannerResult::Planned(expr.left.alias(name)))
            }
            (BinaryOperator::Custom(op), Planned::TryCast(cast)) if op == NAMED_CAST => {
                let data_type = cast.field.data_type();
                let name = format!("TRY_CAST({} AS {data_type})", cast.expr.schema_name());
                Ok(PlannerResult::Planned(expr.left.alias(name)))
            }
            (BinaryOperator::Custom(op), _) if op == NAMED_CAST => {
                Ok(PlannerResult::Planned(expr.left))
            }
            _ => Ok(PlannerResult::Original(expr)),
        }
    }
}

/// Lets a session plan such casts.
pub(crate) fn register(context: &SessionContext) {
    let planned = context
        .state_ref()
        .write()
        .register_expr_planner(Arc::new(NameCasts));
    debug_assert!(planned.is_ok(), "sessions have planners of expressions");
}

/// Names the casts of a SELECT without which two of its groups or functions have one name.
///
/// # Errors
/// None of its own.
pub(super) fn tell_apart(select: &mut Select, mut order: Option<&mut OrderBy>) -> Result<()> {
    let mut seen = Seen::default();
    for_parts(select, order.as_deref_mut(), |expr| {
        if matches!(expr, Expr::Function(_)) {
            seen.add(expr);
        }
    })?;
    if !seen.are_confused {
        seen.groups(select);
    }
    if seen.are_confused {
        for_parts(select, order, name)
    } else {
        Ok(())
    }
}

/// The expressions of the clauses that speak of groups.
fn for_parts(
    select: &mut Select,
    order: Option<&mut OrderBy>,
    mut visit: impl FnMut(&mut Expr),
) -> Result<()> {
    let mut visit = |expr: &mut Expr| {
        visit(expr);
        Ok(())
    };
    for_exprs(&mut select.projection, &mut visit)?;
    for_exprs(&mut select.group_by, &mut visit)?;
    for_exprs(&mut select.having, &mut visit)?;
    for_exprs(&mut select.qualify, &mut visit)?;
    for_exprs(&mut select.named_window, &mut visit)?;
    if let Some(Distinct::On(values)) = &mut select.distinct {
        for_exprs(values, &mut visit)?;
    }
    match order {
        Some(order) => for_exprs(order, visit),
        None => Ok(()),
    }
}

/// The functions and groups of a SELECT: their text without casts, and with them.
#[derive(Default)]
struct Seen {
    texts: HashMap<String, String>,
    are_confused: bool,
}

impl Seen {
    fn add(&mut self, expr: &Expr) {
        let with = plain(expr, false);
        let without = plain(expr, true);
        let first = self.texts.entry(without).or_insert_with(|| with.clone());
        self.are_confused |= *first != with;
    }

    /// What rows are grouped by, which may be a column of the list by its name or position.
    fn groups(&mut self, select: &Select) {
        let mut groups: Vec<&Expr> = Vec::new();
        match &select.group_by {
            GroupByExpr::Expressions(exprs, _) if exprs.is_empty() => return,
            GroupByExpr::Expressions(exprs, _) => {
                exprs.iter().for_each(|it| members(it, &mut groups))
            }
            GroupByExpr::All(_) => {}
        }
        for item in &select.projection {
            if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                groups.push(expr);
            }
        }
        for group in groups {
            self.add(group);
        }
    }
}

/// What a part of GROUP BY groups by.
fn members<'e>(expr: &'e Expr, groups: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Rollup(sets) | Expr::Cube(sets) | Expr::GroupingSets(sets) => {
            let all = sets.iter().flatten();
            all.for_each(|member| members(member, groups));
        }
        Expr::Tuple(values) => values.iter().for_each(|value| members(value, groups)),
        other => groups.push(other),
    }
}

/// An expression as DataFusion names it, as far as two may have one name for it.
fn plain(expr: &Expr, without_casts: bool) -> String {
    let mut expr = expr.clone();
    let _: ControlFlow<()> = expr.visit(&mut Plain { without_casts });
    expr.to_string()
}

struct Plain {
    without_casts: bool,
}

impl VisitorMut for Plain {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let plain = match expr {
            Expr::Nested(inner) => Some((**inner).clone()),
            Expr::Cast { expr: inner, .. } if self.without_casts => Some((**inner).clone()),
            Expr::CompoundIdentifier(parts) => parts.last().cloned().map(Expr::Identifier),
            _ => None,
        };
        if let Some(plain) = plain {
            *expr = plain;
        }
        if let Expr::Identifier(ident) = expr
            && ident.quote_style.take().is_none()
        {
            ident.value.make_ascii_lowercase();
        }
        ControlFlow::Continue(())
    }
}

/// Writes a cast so that it is given a name.
fn name(expr: &mut Expr) {
    if matches!(expr, Expr::Cast { .. }) {
        let cast = std::mem::replace(expr, Expr::value(Value::Null));
        *expr = Expr::Nested(Box::new(Expr::BinaryOp {
            left: Box::new(cast),
            op: BinaryOperator::Custom(NAMED_CAST.to_owned()),
            right: Box::new(Expr::value(Value::Null)),
        }));
    }
}
