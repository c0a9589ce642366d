//! Subqueries of joins: LATERAL, and those in ON.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result as PlanResult};
use datafusion::logical_expr::{
    Expr, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Projection, SubqueryAlias,
};
use datafusion::optimizer::decorrelate::PullUpCorrelatedExpr;

use super::domain::{Conditions, Domain, columns, joined, pairs};
use super::fresh::FreshNames;
use super::joined::Joined;
use super::outside::{is_drawn, lateral, named_by, named_from_outside, query_of};
use super::{has_any, mend_filter};
use crate::error::Error;

/// Whether the right side of a join names columns of the left one: DataFusion marks it where it does so itself, and not
/// where only subqueries in it do.
///
/// # Errors
/// `InvalidInput` where these columns may be of the left side, or of a query around.
pub(super) fn is_lateral(join: &Join, names: &FreshNames) -> PlanResult<bool> {
    if lateral(&join.right).is_some() {
        return Ok(true);
    }
    let mut named = named_from_outside(&join.right)?;
    named.retain(|column| join.left.schema().has_column(column));
    match named.iter().find(|column| names.is_around(column)) {
        None => Ok(!named.is_empty()),
        Some(column) => Err(Error::invalid(format!(
            "`{}` is named in a subquery of FROM, and there are two tables of that name around it; give one an alias",
            column.flat_name()
        ))
        .into()),
    }
}

/// A join whose right side names columns of the left one.
pub(super) fn lateral_join(join: Join, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let right = without_wrapper(&join.right)?;
    let mut named = named_from_outside(&right)?;
    let is_all = named
        .iter()
        .all(|column| join.left.schema().has_column(column));
    named.retain(|column| join.left.schema().has_column(column));
    if !named.is_empty() && is_all && is_left_to_datafusion(&join, &right)? {
        return Ok(LogicalPlan::Join(join));
    }
    let schema = Arc::clone(&join.schema);
    let left = Joined::to(join.left.as_ref().clone(), names)?.into_plan();
    let domain = Domain::of(&left, &right, names)?;
    let found = domain.over(&right)?;
    let conditions = Conditions {
        on: join.on.clone(),
        filter: join.filter.clone(),
        both: pairs(domain.columns(), &found.keys),
    };
    let plan = joined(&join, left.clone(), found.plan, conditions)?;
    let plan = LogicalPlanBuilder::from(plan);
    plan.project(columns(&schema.columns()))?.build()
}

/// Whether DataFusion makes a join of filtered and joined rows, with what they name in its condition.
fn is_left_to_datafusion(join: &Join, right: &LogicalPlan) -> PlanResult<bool> {
    if !matches!(join.join_type, JoinType::Inner | JoinType::Left) || !is_drawn(right)? {
        return Ok(false);
    }
    let Some(subquery) = lateral(&join.right) else {
        return Ok(false);
    };
    let mut pull_up = PullUpCorrelatedExpr::new().with_need_handle_count_bug(true);
    let drawn = subquery.subquery.as_ref().clone().rewrite(&mut pull_up);
    Ok(drawn.is_ok() && pull_up.can_pull_up)
}

/// The right side of a LATERAL join as a query by itself.
fn without_wrapper(right: &LogicalPlan) -> PlanResult<LogicalPlan> {
    Ok(match right {
        LogicalPlan::Subquery(subquery) => subquery.subquery.as_ref().clone(),
        LogicalPlan::SubqueryAlias(alias) => {
            let input = without_wrapper(&alias.input)?;
            let alias = SubqueryAlias::try_new(Arc::new(input), alias.alias.clone())?;
            LogicalPlan::SubqueryAlias(alias)
        }
        LogicalPlan::Projection(projection) => {
            let input = without_wrapper(&projection.input)?;
            let projection = Projection::try_new(projection.expr.clone(), Arc::new(input))?;
            LogicalPlan::Projection(projection)
        }
        other => other.clone(),
    })
}

/// A join with subqueries in its ON.
pub(super) fn join_on(join: Join, names: &FreshNames) -> PlanResult<LogicalPlan> {
    let Some(condition) = join.filter.clone() else {
        return Ok(LogicalPlan::Join(join));
    };
    if join.join_type == JoinType::Inner {
        let pairs = LogicalPlan::Join(Join {
            filter: None,
            ..join
        });
        return mend_filter(Filter::try_new(condition, Arc::new(pairs))?, names);
    }
    let schema = Arc::clone(&join.schema);
    let node = LogicalPlan::Join(join.clone());
    let mut left = Joined::to(join.left.as_ref().clone(), names)?;
    let mut right = Joined::to(join.right.as_ref().clone(), names)?;
    let written = condition.transform_down(|expr| {
        let Some(subquery) = query_of(&expr) else {
            return Ok(Transformed::no(expr));
        };
        let is_value = matches!(expr, Expr::ScalarSubquery(_));
        if is_value && named_from_outside(&subquery.subquery)?.is_empty() {
            return Ok(Transformed::no(expr));
        }
        let columns = needed(&expr, &node)?;
        let is_of = |side: &LogicalPlan| {
            let has = |column: &Column| side.schema().has_column(column);
            let known = columns.iter().filter(|column| has(column)).count();
            known == columns.iter().filter(|column| join_has(&join, column)).count()
        };
        let value = match (is_of(&join.right), is_of(&join.left)) {
            (true, _) => right.value(expr)?,
            (false, true) => left.value(expr)?,
            (false, false) => return Err(Error::unsupported(
                "a subquery in the ON of an outer, semi or anti join that names columns of both sides is not \
                 implemented; join a subquery of FROM that has its value",
            )
            .into()),
        };
        Ok(Transformed::new(value, true, TreeNodeRecursion::Jump))
    })?;
    let conditions = Conditions {
        on: join.on.clone(),
        filter: Some(written.data),
        both: Vec::new(),
    };
    let plan = joined(&join, left.into_plan(), right.into_plan(), conditions)?;
    let plan = LogicalPlanBuilder::from(plan);
    plan.project(columns(&schema.columns()))?.build()
}

fn join_has(join: &Join, column: &Column) -> bool {
    join.left.schema().has_column(column) || join.right.schema().has_column(column)
}

/// The columns that a subquery names from outside, and those of what is compared with its rows.
fn needed(expr: &Expr, node: &LogicalPlan) -> PlanResult<Vec<Column>> {
    let subquery = query_of(expr);
    let mut needed = match subquery {
        Some(subquery) => named_from_outside(&subquery.subquery)?,
        None => Vec::new(),
    };
    needed.extend(expr.column_refs().into_iter().cloned());
    if has_any(expr)? {
        // Those of a subquery on its left side.
        needed.extend(named_by(expr, node)?);
    }
    Ok(needed)
}
