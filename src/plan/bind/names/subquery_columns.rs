//! The column of a subquery beside OR.
//!
//! For `a IN (q) OR b` DataFusion makes a join that marks rows. It takes the column of `q` by its name and by its name with
//! a table, and refuses the list of the two: wherever the column of `q` has no table of its own, as that of an aggregate.
//! So `q` gets an alias. And a DISTINCT of `q`, of which groups are made, is left out.

use std::sync::Arc;

use crate::sql::marks::UNSEEN;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::InSubquery;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Distinct, Expr, Filter, LogicalPlan, LogicalPlanBuilder, Subquery};

/// The plan, whose subqueries beside OR have aliases.
///
/// # Errors
/// Those of DataFusion alone.
pub(super) fn with_aliases(plan: LogicalPlan) -> Result<LogicalPlan> {
    let aliased = plan.transform_down_with_subqueries(|node| match &node {
        LogicalPlan::Filter(filter) if is_beside_others(filter)? => {
            node.map_expressions(|expr| expr.transform(aliased))
        }
        _ => Ok(Transformed::no(node)),
    });
    aliased.map(|plan| plan.data)
}

/// Whether a subquery is no condition by itself: for such a one there is another join.
fn is_beside_others(filter: &Filter) -> Result<bool> {
    for term in split_conjunction(&filter.predicate) {
        let is_subquery = |expr: &Expr| matches!(expr, Expr::InSubquery(_));
        if !is_subquery(term) && term.exists(|expr| Ok(is_subquery(expr)))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn aliased(expr: Expr) -> Result<Transformed<Expr>> {
    match with_repeated_rows(expr) {
        Expr::InSubquery(inner) if is_without_table(&inner.subquery) => {
            let plan = LogicalPlanBuilder::new_from_arc(inner.subquery.subquery.clone());
            let plan = plan.alias(format!("in{UNSEEN}"))?.build()?;
            Ok(Transformed::yes(Expr::InSubquery(InSubquery {
                subquery: inner.subquery.with_plan(plan.into()),
                ..inner
            })))
        }
        Expr::InSubquery(inner) => Ok(Transformed::yes(Expr::InSubquery(inner))),
        expr => Ok(Transformed::no(expr)),
    }
}

/// The subquery without its DISTINCT, of which a correlated one makes groups: whether a value is among others does not
/// depend on how often these are there.
fn with_repeated_rows(expr: Expr) -> Expr {
    match expr {
        Expr::InSubquery(inner) => match inner.subquery.subquery.as_ref() {
            LogicalPlan::Distinct(Distinct::All(rows)) => {
                let subquery = inner.subquery.with_plan(Arc::clone(rows));
                Expr::InSubquery(InSubquery { subquery, ..inner })
            }
            _ => Expr::InSubquery(inner),
        },
        expr => expr,
    }
}

/// Whether the column has no table, and nothing in the subquery is from outside.
fn is_without_table(subquery: &Subquery) -> bool {
    let columns = subquery.subquery.schema().columns();
    subquery.outer_ref_columns.is_empty() && columns.iter().all(|column| column.relation.is_none())
}
