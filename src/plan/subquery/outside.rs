//! What a query names from outside, and whether DataFusion may draw it out of the query.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result as PlanResult};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::{
    Distinct, Expr, FetchType, JoinType, LogicalPlan, SkipType, Subquery, check_subquery_expr,
};
use datafusion::optimizer::decorrelate::PullUpCorrelatedExpr;

/// The query of a subquery of any kind.
pub(super) fn query_of(expr: &Expr) -> Option<&Subquery> {
    match expr {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => Some(subquery),
        _ => None,
    }
}

/// The columns that a plan names and that nothing in it has, each once.
pub(super) fn named_from_outside(plan: &LogicalPlan) -> PlanResult<Vec<Column>> {
    let mut found = Vec::new();
    collect(plan, &mut found)?;
    Ok(found)
}

/// Those that an expression of a node names.
pub(super) fn named_by(expr: &Expr, node: &LogicalPlan) -> PlanResult<Vec<Column>> {
    let mut found = Vec::new();
    collect_of(expr, node, &mut found)?;
    Ok(found)
}

fn collect(plan: &LogicalPlan, found: &mut Vec<Column>) -> PlanResult<()> {
    plan.apply_expressions(|expr| {
        collect_of(expr, plan, found)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    match plan {
        // The right side of a LATERAL join names the columns of the left one.
        LogicalPlan::Join(join) if lateral(&join.right).is_some() => {
            collect(&join.left, found)?;
            let mut named = Vec::new();
            collect(&join.right, &mut named)?;
            add_missing(named, &[join.left.schema()], found);
            Ok(())
        }
        plan => {
            let mut inputs = plan.inputs().into_iter();
            inputs.try_for_each(|input| collect(input, found))
        }
    }
}

fn collect_of(expr: &Expr, node: &LogicalPlan, found: &mut Vec<Column>) -> PlanResult<()> {
    expr.apply(|expr| {
        if let Expr::OuterReferenceColumn(_, column) = expr
            && !found.contains(column)
        {
            found.push(column.clone());
        }
        if let Some(subquery) = query_of(expr) {
            let mut named = Vec::new();
            collect(&subquery.subquery, &mut named)?;
            let inputs = node.inputs().into_iter();
            let schemas: Vec<&DFSchema> = inputs.map(|input| input.schema().as_ref()).collect();
            add_missing(named, &schemas, found);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Adds the columns that none of the schemas has.
fn add_missing(named: Vec<Column>, schemas: &[&DFSchema], found: &mut Vec<Column>) {
    for column in named {
        let is_there = schemas.iter().any(|schema| schema.has_column(&column));
        if !is_there && !found.contains(&column) {
            found.push(column);
        }
    }
}

/// The query on the right side of a LATERAL join, below the names that its columns are given.
pub(super) fn lateral(right: &LogicalPlan) -> Option<&Subquery> {
    match right {
        LogicalPlan::Subquery(subquery) => Some(subquery),
        LogicalPlan::SubqueryAlias(alias) => lateral(&alias.input),
        LogicalPlan::Projection(projection) => lateral(&projection.input),
        _ => None,
    }
}

/// Whether DataFusion makes a join of the subquery, and a right one: what names columns from outside is drawn out of it,
/// over whatever stands above, which must not see other rows then.
pub(super) fn is_drawn_out(expr: &Expr, node: &LogicalPlan) -> PlanResult<bool> {
    let Some(subquery) = query_of(expr) else {
        return Ok(false);
    };
    let plan = subquery.subquery.as_ref();
    let is_safe = match expr {
        Expr::ScalarSubquery(_) => is_aggregate_of_drawn(plan)?,
        Expr::Exists(_) => is_drawn_from(plan, true)?,
        _ => is_drawn_from(plan, false)?,
    };
    if !is_safe || check_subquery_expr(node, plan, expr).is_err() {
        return Ok(false);
    }
    let mut pull_up = PullUpCorrelatedExpr::new()
        .with_exists_sub_query(matches!(expr, Expr::Exists(_)))
        .with_need_handle_count_bug(matches!(expr, Expr::ScalarSubquery(_)));
    let drawn = plan.clone().rewrite(&mut pull_up);
    Ok(drawn.is_ok() && pull_up.can_pull_up)
}

/// A projection of one aggregate without groups.
fn is_aggregate_of_drawn(plan: &LogicalPlan) -> PlanResult<bool> {
    match plan {
        LogicalPlan::Projection(projection) => is_aggregate_of_drawn(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_aggregate_of_drawn(&alias.input),
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => {
            is_drawn(&aggregate.input)
        }
        _ => Ok(false),
    }
}

/// Rows, or groups of them, of which it matters whether there are some.
fn is_drawn_from(plan: &LogicalPlan, is_exists: bool) -> PlanResult<bool> {
    if named_from_outside(plan)?.is_empty() {
        return Ok(true);
    }
    match plan {
        LogicalPlan::Projection(projection) => is_drawn_from(&projection.input, is_exists),
        // What is drawn out of it may name columns that it has not.
        LogicalPlan::SubqueryAlias(_) => Ok(false),
        LogicalPlan::Distinct(Distinct::All(input)) => is_drawn_from(input, is_exists),
        LogicalPlan::Filter(filter) => is_drawn_from(&filter.input, is_exists),
        LogicalPlan::Limit(limit) if is_exists => {
            let is_whole = matches!(limit.get_skip_type()?, SkipType::Literal(0))
                && matches!(limit.get_fetch_type()?, FetchType::Literal(Some(1..)));
            Ok(is_whole && is_drawn_from(&limit.input, is_exists)?)
        }
        LogicalPlan::Aggregate(aggregate) => {
            let is_grouped = !aggregate.group_expr.is_empty();
            let has_sets = aggregate.group_expr.iter().any(is_set);
            Ok(is_grouped && !has_sets && is_drawn(&aggregate.input)?)
        }
        plan => is_drawn(plan),
    }
}

fn is_set(expr: &Expr) -> bool {
    matches!(expr, Expr::GroupingSet(_))
}

/// Rows that are filtered and joined, and nothing else, as far as columns from outside are named.
pub(super) fn is_drawn(plan: &LogicalPlan) -> PlanResult<bool> {
    if named_from_outside(plan)?.is_empty() {
        return Ok(true);
    }
    match plan {
        LogicalPlan::Projection(projection) => is_drawn(&projection.input),
        LogicalPlan::SubqueryAlias(_) => Ok(false),
        LogicalPlan::Filter(filter) => is_drawn(&filter.input),
        LogicalPlan::Join(join) if join.join_type == JoinType::Inner => {
            Ok(is_drawn(&join.left)? && is_drawn(&join.right)?)
        }
        _ => Ok(false),
    }
}
