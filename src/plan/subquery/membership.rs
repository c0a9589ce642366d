//! `x IN (q)` as a truth value, from joins that hash.
//!
//! `x = ANY (q)` would know NULL, but DataFusion compares every row with every value for it. A query that names no column
//! from outside has the same values for every row; so it is asked once whether there are any, and whether NULL is one of
//! them. Then
//!
//! ```text
//! x IN (q)      EXISTS (q = x)  OR   unsure AND NULL
//! unsure        q holds NULL,   or   x is NULL and q has values
//! ```
//!
//! Neither EXISTS nor `unsure` is ever NULL.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, Subquery, and, lit, not, or, when,
};

/// The name of a query's values where a row is looked for among them.
const VALUES: &str = "__halite_values";

/// What is known of a query as a whole.
const EMPTY: i64 = 0;
const NO_NULL: i64 = 1;
const HOLDS_NULL: i64 = 2;

/// Whether the list can be written so: its query names nothing from outside, and gives one column.
pub(super) fn is_apart(list: &InSubquery) -> bool {
    let is_single = list.subquery.subquery.schema().fields().len() == 1;
    is_single && list.subquery.outer_ref_columns.is_empty()
}

/// `x IN (q)` or `x NOT IN (q)`, which may be NULL; for rows with these columns.
pub(super) fn value(list: &InSubquery, rows: &DFSchema) -> Result<Expr> {
    let null = Expr::Literal(ScalarValue::Boolean(None), None);
    let is_in = or(is_among(list, rows)?, and(is_unsure(list)?, null));
    Ok(if list.negated { not(is_in) } else { is_in })
}

/// `x NOT IN (q)`, false where it is NULL.
pub(super) fn is_surely_absent(list: &InSubquery, rows: &DFSchema) -> Result<Expr> {
    Ok(and(not(is_among(list, rows)?), not(is_unsure(list)?)))
}

/// Whether a value of the query equals `x`.
fn is_among(list: &InSubquery, rows: &DFSchema) -> Result<Expr> {
    let values = LogicalPlanBuilder::from(list.subquery.subquery.as_ref().clone());
    let values = values.alias(VALUES)?;
    let equal = first_column(values.schema()).eq(as_from_outside(&list.expr, rows)?);
    let equal = values.filter(equal)?.build()?;
    Ok(Expr::Exists(Exists {
        subquery: subquery(equal, list),
        negated: false,
    }))
}

/// Whether it is unknown of an `x` that no value equals if it is one of them.
fn is_unsure(list: &InSubquery) -> Result<Expr> {
    let least = when(Expr::IsNull(list.expr.clone()), lit(NO_NULL)).otherwise(lit(HOLDS_NULL))?;
    let state = Expr::ScalarSubquery(subquery(state(&list.subquery.subquery)?, list));
    Ok(state.gt_eq(least))
}

/// What is known of the query, in one row.
fn state(query: &LogicalPlan) -> Result<LogicalPlan> {
    let all = count(lit(1_i64));
    let known = count(first_column(query.schema()));
    let counted = LogicalPlanBuilder::from(query.clone()).aggregate(
        Vec::<Expr>::new(),
        vec![all.clone().alias("all"), known.alias("known")],
    )?;
    let [all, known] = ["all", "known"].map(|name| Expr::Column(Column::new_unqualified(name)));
    let state = when(all.clone().gt(known), lit(HOLDS_NULL))
        .when(all.gt(lit(0_i64)), lit(NO_NULL))
        .otherwise(lit(EMPTY))?;
    counted.project(vec![state.alias("state")])?.build()
}

fn subquery(plan: LogicalPlan, list: &InSubquery) -> Subquery {
    Subquery {
        outer_ref_columns: plan.all_out_ref_exprs(),
        subquery: Arc::new(plan),
        spans: list.subquery.spans.clone(),
    }
}

fn first_column(schema: &DFSchema) -> Expr {
    Expr::Column(Column::from(schema.qualified_field(0)))
}

/// The expression as a subquery names it.
pub(super) fn as_from_outside(expr: &Expr, rows: &DFSchema) -> Result<Expr> {
    let outside = expr.clone().transform_up(|expr| match expr {
        Expr::Column(column) => {
            let field = Arc::clone(rows.qualified_field_from_column(&column)?.1);
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(outside.data)
}

#[cfg(test)]
#[path = "membership_tests.rs"]
mod tests;
