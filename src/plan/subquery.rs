//! Subqueries, made right before they are planned further.
//!
//! DataFusion makes joins of subqueries: of EXISTS and IN in a WHERE, of a value that an aggregate gives. Some of these
//! joins answer wrongly without a word:
//!
//! * `x IN (q)` is true or false to it, never NULL, unless it is a condition by itself. That does not matter to a WHERE
//!   that asks for it under AND and OR, for there NULL is as good as false; under a NOT, in `IS NULL`, in `coalesce` it
//!   does, and `DELETE … WHERE a NOT IN (q) OR b` would delete rows that it must not.
//! * `x NOT IN (q)` by itself knows NULL if `x` is a column and `q` stands alone, and not otherwise.
//! * The value of a query without rows is NOT NULL to it where the query's column is.
//! * Of a query that names columns from outside, the conditions that do are drawn out over what stands above them: over
//!   an aggregate, a LIMIT or a window, which would then see other rows.
//!
//! The first two are written with EXISTS and what is known of the query as a whole (`membership`), the third has a column
//! that may be NULL (`missing`). What DataFusion draws
//! out rightly (`outside`) is left to it. Every other subquery, in whatever place, and LATERAL, is joined here: asked once
//! for all values that it names from outside (`domain`), its value is a column more of the rows around it (`joined`).

mod beside;
mod domain;
mod fresh;
mod joined;
mod membership;
mod missing;
mod outside;
mod page;
pub(crate) mod set_operations;

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result as PlanResult};
use datafusion::logical_expr::expr::{InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, DistinctOn, Expr, Filter, LogicalPlan, LogicalPlanBuilder,
    Operator, Projection, Sort, Subquery, Window,
};

use self::domain::{columns, named_columns, renamed};
use self::fresh::FreshNames;
use self::joined::Joined;
use self::outside::{is_drawn_out, named_by, named_from_outside, query_of};
use crate::error::{Error, Result};

/// The plan with every subquery in a form that is answered rightly.
///
/// # Errors
/// `NotSupported` where there is none, with what to write instead; `InvalidInput` for a column that is not there.
pub(crate) fn mend(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = set_operations::counted(plan)?;
    if !has_subqueries(&plan)? {
        return Ok(plan);
    }
    let plan = missing::allowed(plan)?;
    let mended = mend_plan(plan, &FreshNames::default())?;
    match named_from_outside(&mended)?.first() {
        None => Ok(mended),
        Some(column) => Err(Error::invalid(format!(
            "a subquery names `{}`, which the rows around it do not have: where they are grouped, group by it as well",
            column.flat_name()
        ))),
    }
}

/// Whether there is a subquery, or a LATERAL join.
fn has_subqueries(plan: &LogicalPlan) -> PlanResult<bool> {
    plan.exists(has_some)
}

fn has_some(node: &LogicalPlan) -> PlanResult<bool> {
    if matches!(node, LogicalPlan::Subquery(_)) {
        return Ok(true);
    }
    let mut found = false;
    node.apply_expressions(|expr| {
        found = found || has_any(expr)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

fn has_any(expr: &Expr) -> PlanResult<bool> {
    expr.exists(|expr| Ok(query_of(expr).is_some()))
}

fn mend_plan(plan: LogicalPlan, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let mended = plan.map_children(|input| Ok(Transformed::yes(mend_plan(input, names)?)))?;
    let around = mended.data.inputs().into_iter();
    let around: Vec<DFSchemaRef> = around.map(|input| Arc::clone(input.schema())).collect();
    let mended = mended.data.map_subqueries(|subquery| match subquery {
        LogicalPlan::Subquery(subquery) => {
            let plan = Arc::unwrap_or_clone(subquery.subquery);
            let plan = names.within(&around, || mend_plan(plan, names))?;
            let subquery = Subquery {
                outer_ref_columns: plan.all_out_ref_exprs(),
                subquery: Arc::new(plan),
                spans: subquery.spans,
            };
            Ok(Transformed::yes(LogicalPlan::Subquery(subquery)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    mend_node(mended.data, names)
}

fn mend_node(node: LogicalPlan, names: &FreshNames) -> PlanResult<LogicalPlan> {
    match node {
        LogicalPlan::Join(join) if beside::is_lateral(&join, names)? => {
            beside::lateral_join(join, names)
        }
        node if !has_some(&node)? => Ok(node),
        LogicalPlan::Filter(filter) => mend_filter(filter, names),
        LogicalPlan::Join(join) => beside::join_on(join, names),
        LogicalPlan::Sort(sort) => mend_sort(sort, names),
        node => mend_values(node, names),
    }
}

fn mend_filter(filter: Filter, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let rows = Arc::clone(filter.input.schema());
    let predicate = mend_condition(filter.predicate, ConditionContext::Condition, &rows)?;
    let filter = Filter::try_new(predicate, filter.input)?;
    let node = LogicalPlan::Filter(filter.clone());
    let is_joined = |expr: &Expr| is_joined(expr, &node);
    let conjuncts = split_conjunction_owned(filter.predicate);
    let (mut joined, mut left) = (Vec::new(), Vec::new());
    for conjunct in conjuncts {
        let is_joined = conjunct.exists(|expr| is_joined(expr))?;
        if is_joined { &mut joined } else { &mut left }.push(conjunct);
    }
    if joined.is_empty() {
        return Ok(node);
    }
    // Fewer rows ask, and none for which another condition fails.
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for conjunct in left {
        let is_plain =
            !has_any(&conjunct)? && !conjunct.contains_outer() && !conjunct.is_volatile();
        if is_plain { &mut first } else { &mut rest }.push(conjunct);
    }
    let input = match conjunction(first) {
        Some(first) => LogicalPlan::Filter(Filter::try_new(first, filter.input)?),
        None => Arc::unwrap_or_clone(filter.input),
    };
    let mut values = Joined::to(input, names)?;
    for conjunct in joined {
        rest.push(values.written(conjunct, &is_joined)?);
    }
    let plan = LogicalPlanBuilder::from(values.into_plan());
    let plan = match conjunction(rest) {
        Some(predicate) => plan.filter(predicate)?,
        None => plan,
    };
    plan.project(named_columns(&rows))?.build()
}

/// Whether a subquery of a node is joined here, and not left to DataFusion.
fn is_joined(expr: &Expr, node: &LogicalPlan) -> PlanResult<bool> {
    let Some(subquery) = query_of(expr) else {
        return Ok(false);
    };
    let named = named_from_outside(&subquery.subquery)?;
    let is_value = matches!(expr, Expr::ScalarSubquery(_));
    if is_value && named.is_empty() {
        return Ok(false);
    }
    let inputs = node.inputs();
    let has = |column: &Column| inputs.iter().any(|input| input.schema().has_column(column));
    if !named.iter().all(has) {
        return Ok(true);
    }
    let is_left = match node {
        LogicalPlan::Filter(_) => !matches!(expr, Expr::SetComparison(_)),
        LogicalPlan::Projection(_) => is_value,
        _ => false,
    };
    Ok(!is_left || !is_drawn_out(expr, node)?)
}

/// A node whose expressions have subqueries, over rows that have their values.
fn mend_values(node: LogicalPlan, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let is_joined = |expr: &Expr| is_joined(expr, &node);
    let mut has_joined = false;
    node.apply_expressions(|expr| {
        has_joined = has_joined || expr.exists(|expr| is_joined(expr))?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    if !has_joined {
        return Ok(node);
    }
    let inputs = node.inputs();
    let [input] = inputs.as_slice() else {
        return Err(Error::unsupported(
            "a subquery other than a value in this place is not implemented; select from a subquery of FROM",
        )
        .into());
    };
    let mut values = Joined::to((*input).clone(), names)?;
    let mut written = |exprs: &[Expr]| {
        let exprs = exprs.iter();
        let exprs = exprs.map(|expr| written_as(expr, &mut values, &is_joined));
        exprs.collect::<PlanResult<Vec<Expr>>>()
    };
    match &node {
        LogicalPlan::Projection(projection) => {
            let exprs = written(&projection.expr)?;
            let plan = Projection::try_new(exprs, Arc::new(values.into_plan()))?;
            Ok(LogicalPlan::Projection(plan))
        }
        LogicalPlan::Aggregate(aggregate) => {
            let groups = written(&aggregate.group_expr)?;
            let exprs = written(&aggregate.aggr_expr)?;
            let plan = Aggregate::try_new(Arc::new(values.into_plan()), groups, exprs)?;
            Ok(LogicalPlan::Aggregate(plan))
        }
        LogicalPlan::Window(window) => {
            let exprs = written(&window.window_expr)?;
            let plan = Window::try_new(exprs, Arc::new(values.into_plan()))?;
            let plan = LogicalPlanBuilder::from(LogicalPlan::Window(plan));
            plan.project(named_columns(&window.schema))?.build()
        }
        LogicalPlan::Distinct(Distinct::On(distinct)) => {
            let (on, listed) = (written(&distinct.on_expr)?, written(&distinct.select_expr)?);
            let sort = distinct.sort_expr.clone();
            let plan = DistinctOn::try_new(on, listed, sort, Arc::new(values.into_plan()))?;
            Ok(LogicalPlan::Distinct(Distinct::On(plan)))
        }
        other => Err(Error::unsupported(format!(
            "a subquery in this place is not implemented; select it in a subquery of FROM ({})",
            other.display()
        ))
        .into()),
    }
}

/// The expression with its values, under the name that it had; a grouping set has none.
fn written_as(
    expr: &Expr,
    values: &mut Joined<'_>,
    is_joined: &dyn Fn(&Expr) -> PlanResult<bool>,
) -> PlanResult<Expr> {
    match expr {
        Expr::GroupingSet(_) => {
            let written = expr.clone().map_children(|member| {
                let written = written_as(&member, values, is_joined)?;
                Ok(Transformed::yes(written))
            })?;
            Ok(written.data)
        }
        expr => Ok(renamed(values.written(expr.clone(), is_joined)?, expr)),
    }
}

/// ORDER BY, which may name columns of the tables that the list of SELECT has not.
fn mend_sort(sort: Sort, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let listed = sort.input.schema().columns();
    let mut sort = with_columns(sort, names)?;
    let node = LogicalPlan::Sort(sort.clone());
    let is_joined = |expr: &Expr| is_joined(expr, &node);
    let mut values = Joined::to(Arc::unwrap_or_clone(sort.input), names)?;
    for key in &mut sort.expr {
        key.expr = values.written(key.expr.clone(), &is_joined)?;
    }
    sort.input = Arc::new(values.into_plan());
    let plan = LogicalPlanBuilder::from(LogicalPlan::Sort(sort));
    plan.project(columns(&listed))?.build()
}

/// The rows with those columns of the tables below that subqueries of the order name.
fn with_columns(mut sort: Sort, names: &FreshNames) -> PlanResult<Sort> {
    let LogicalPlan::Projection(projection) = sort.input.as_ref() else {
        return Ok(sort);
    };
    let node = LogicalPlan::Sort(sort.clone());
    let mut missing: Vec<(Column, String)> = Vec::new();
    for key in &sort.expr {
        for column in named_by(&key.expr, &node)? {
            let is_new = missing.iter().all(|(known, _)| *known != column);
            if is_new && projection.input.schema().has_column(&column) {
                missing.push((column, names.next()));
            }
        }
    }
    if missing.is_empty() {
        return Ok(sort);
    }
    let mut exprs = projection.expr.clone();
    for (column, name) in &missing {
        exprs.push(Expr::Column(column.clone()).alias(name));
    }
    let input = Projection::try_new(exprs, Arc::clone(&projection.input))?;
    for key in &mut sort.expr {
        key.expr = naming(key.expr.clone(), &missing)?;
    }
    sort.input = Arc::new(LogicalPlan::Projection(input));
    Ok(sort)
}

/// The expression, whose subqueries name columns from outside as they are called there.
fn naming(expr: Expr, called: &[(Column, String)]) -> PlanResult<Expr> {
    let renamed = |expr: Expr| match expr {
        Expr::OuterReferenceColumn(field, column) => {
            let known = called.iter().find(|(known, _)| *known == column);
            Ok(match known {
                Some((_, name)) => {
                    let column = Column::new_unqualified(name);
                    Transformed::yes(Expr::OuterReferenceColumn(field, column))
                }
                None => Transformed::no(Expr::OuterReferenceColumn(field, column)),
            })
        }
        other => Ok(Transformed::no(other)),
    };
    let in_query = |subquery: Subquery| -> PlanResult<Subquery> {
        let plan = Arc::unwrap_or_clone(subquery.subquery);
        let plan = plan.transform_up_with_subqueries(|node| {
            let kept = NamePreserver::new(&node);
            node.map_expressions(|expr| {
                let name = kept.save(&expr);
                let named = expr.transform_up(renamed)?;
                Ok(named.update_data(|expr| name.restore(expr)))
            })
        })?;
        Ok(Subquery {
            outer_ref_columns: plan.data.all_out_ref_exprs(),
            subquery: Arc::new(plan.data),
            spans: subquery.spans,
        })
    };
    let named = expr.transform_up(|expr| {
        Ok(Transformed::yes(match expr {
            Expr::ScalarSubquery(subquery) => Expr::ScalarSubquery(in_query(subquery)?),
            Expr::Exists(mut exists) => {
                exists.subquery = in_query(exists.subquery)?;
                Expr::Exists(exists)
            }
            Expr::InSubquery(mut list) => {
                list.subquery = in_query(list.subquery)?;
                Expr::InSubquery(list)
            }
            Expr::SetComparison(mut comparison) => {
                comparison.subquery = in_query(comparison.subquery)?;
                Expr::SetComparison(comparison)
            }
            other => return Ok(Transformed::no(other)),
        }))
    })?;
    Ok(named.data)
}

/// Where an expression of a WHERE or HAVING stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConditionContext {
    /// It is the condition, or one of those that AND joins to it.
    Condition,
    /// Nothing but AND and OR stand above it.
    Alternative,
    /// NULL may mean something other than false.
    Inside,
}

/// A condition over rows with these columns, whose `IN (q)` are right where they stand.
fn mend_condition(expr: Expr, context: ConditionContext, rows: &DFSchema) -> PlanResult<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::And | Operator::Or) =>
        {
            let context = match (op, context) {
                (Operator::Or, ConditionContext::Condition) => ConditionContext::Alternative,
                _ => context,
            };
            Ok(Expr::BinaryExpr(BinaryExpr {
                left: Box::new(mend_condition(*left, context, rows)?),
                op,
                right: Box::new(mend_condition(*right, context, rows)?),
            }))
        }
        Expr::Not(inner) if matches!(*inner, Expr::InSubquery(_)) => match *inner {
            Expr::InSubquery(list) => {
                let negated = !list.negated;
                mend_in(InSubquery { negated, ..list }, context, rows)
            }
            other => Ok(Expr::Not(Box::new(other))),
        },
        Expr::InSubquery(list) => mend_in(list, context, rows),
        Expr::SetComparison(comparison) => match as_membership(&comparison)? {
            Some(list) => mend_in(list, context, rows),
            None => mend_inside(Expr::SetComparison(comparison), rows),
        },
        other => mend_inside(other, rows),
    }
}

/// An expression with what stands inside of it mended.
fn mend_inside(expr: Expr, rows: &DFSchema) -> PlanResult<Expr> {
    let mended = expr.map_children(|child| {
        let mended = mend_condition(child, ConditionContext::Inside, rows)?;
        Ok(Transformed::yes(mended))
    })?;
    Ok(mended.data)
}

/// `x = ANY (q)` and `x <> ALL (q)` as what they mean, where that is answered better.
fn as_membership(comparison: &SetComparison) -> PlanResult<Option<InSubquery>> {
    let negated = match (comparison.op, comparison.quantifier) {
        (Operator::Eq, SetQuantifier::Any) => false,
        (Operator::NotEq, SetQuantifier::All) => true,
        _ => return Ok(None),
    };
    let (expr, subquery) = (comparison.expr.clone(), comparison.subquery.clone());
    let list = InSubquery::new(expr, subquery, negated);
    let is_better = membership::is_apart(&list) && !is_evaluated_once(&list.expr)?;
    Ok(is_better.then_some(list))
}

/// Whether the left side of a list must not be evaluated more than once, or inside of the list's query.
fn is_evaluated_once(expr: &Expr) -> PlanResult<bool> {
    Ok(expr.is_volatile() || expr.contains_outer() || has_any(expr)?)
}

/// `x IN (q)` or `x NOT IN (q)` as it is, where DataFusion answers it rightly; else in words that it does, or as a
/// comparison, which is joined.
fn mend_in(list: InSubquery, context: ConditionContext, rows: &DFSchema) -> PlanResult<Expr> {
    let is_right = match context {
        ConditionContext::Condition if list.negated => {
            matches!(*list.expr, Expr::Column(_)) && list.subquery.outer_ref_columns.is_empty()
        }
        ConditionContext::Condition | ConditionContext::Alternative => !list.negated,
        ConditionContext::Inside => false,
    };
    if is_right {
        let expr = mend_condition(*list.expr, ConditionContext::Inside, rows)?;
        let expr = Box::new(expr);
        return Ok(Expr::InSubquery(InSubquery { expr, ..list }));
    }
    if membership::is_apart(&list) && !is_evaluated_once(&list.expr)? {
        return match context {
            ConditionContext::Inside => membership::value(&list, rows),
            ConditionContext::Condition | ConditionContext::Alternative => {
                membership::is_surely_absent(&list, rows)
            }
        };
    }
    let (op, quantifier) = if list.negated {
        (Operator::NotEq, SetQuantifier::All)
    } else {
        (Operator::Eq, SetQuantifier::Any)
    };
    let comparison = SetComparison::new(list.expr, list.subquery, op, quantifier);
    Ok(Expr::SetComparison(comparison))
}

#[cfg(test)]
#[path = "subquery/values_tests.rs"]
mod tests;
