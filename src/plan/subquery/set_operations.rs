//! EXCEPT and INTERSECT: rows are of one type on both sides, and with ALL it counts how often a row is there.
//!
//! DataFusion makes a join of them that knows whether there is an equal row, and not how many: of three equal rows
//! EXCEPT ALL one it leaves none. So the rows of both sides are numbered, equal ones 1, 2, 3 …, and the first meets the
//! first, the second the second.
//!
//! Such a join is told by NULL, which equals NULL in it, as in no other that is planned of SQL, and by its left side, which
//! is DISTINCT without ALL. Where that is so in spite of ALL, each of its rows is there once, and the join is right.
//!
//! Such a join tells the scan of its larger side which rows can have an equal one, as any join of keys does, but not where a
//! column is NULL: `note IS NULL OR customer_id IN (…)` narrows nothing, be `customer_id` a key that is never NULL. So an
//! INTERSECT compares columns that may be NULL as two that are not: whether it is NULL, and its value, or any other one.
//!
//! DataFusion compares the rows of both sides by value, and gives those of the left as they are: an INT EXCEPT DOUBLES is an
//! INT. In SQL the result has the type that a UNION has; so each side is cast to it first.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, NullEquality, Result as PlanResult, ScalarValue};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Distinct, Expr, ExprFunctionExt, ExprSchemable, Join, JoinType, LogicalPlan,
    LogicalPlanBuilder, lit,
};

use crate::convert::meet::met;
use crate::error::Result;
use crate::plan::rule::compare::numbers::{coerced_types, recomputed, with_types};

/// The names of the numbers on both sides.
const LEFT: &str = "__halite_left_number";
const RIGHT: &str = "__halite_right_number";

/// The plan with every EXCEPT and INTERSECT of rows of one type, and counting where it says ALL.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn counted(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut has_any = false;
    plan.apply_with_subqueries(|node| {
        has_any = has_any || matches!(node, LogicalPlan::Join(join) if is_of_rows(join));
        Ok(if has_any {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    if !has_any {
        return Ok(plan);
    }
    // What is above a join whose types have changed is of other types, too.
    let mut is_cast = false;
    let counted = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if is_of_rows(&join) => {
            let cast = alike(join)?;
            is_cast |= cast.transformed;
            let join = cast.data;
            Ok(Transformed::yes(if is_of_all(&join) {
                numbered(join)?
            } else {
                LogicalPlan::Join(without_null(join)?)
            }))
        }
        node if is_cast => recomputed(node).map(Transformed::yes),
        node => Ok(Transformed::no(node)),
    })?;
    Ok(counted.data)
}

/// Whether it stands for EXCEPT or INTERSECT.
fn is_of_rows(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
}

fn is_of_all(join: &Join) -> bool {
    is_of_rows(join) && !matches!(*join.left, LogicalPlan::Distinct(Distinct::All(_)))
}

/// The join with both sides of the types that a UNION of them has. What no UNION takes is left to DataFusion.
fn alike(mut join: Join) -> PlanResult<Transformed<Join>> {
    let (left, right) = (coerced_types(&join.left), coerced_types(&join.right));
    if left == right {
        return Ok(Transformed::no(join));
    }
    let common: Vec<_> = left.iter().zip(&right).map(|(l, r)| met(l, r)).collect();
    let wanted = |own: &[DataType]| {
        let pairs = own.iter().zip(&common);
        let pairs = pairs.map(|(own, common)| common.clone().filter(|common| common != own));
        pairs.collect::<Vec<_>>()
    };
    join.left = cast_rows(&join.left, &wanted(&left))?;
    join.right = cast_rows(&join.right, &wanted(&right))?;
    let join = Join::try_new(
        join.left,
        join.right,
        join.on,
        join.filter,
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?;
    Ok(Transformed::yes(join))
}

/// The rows with some columns cast; below a DISTINCT, by which an operation without ALL is told.
fn cast_rows(rows: &Arc<LogicalPlan>, wanted: &[Option<DataType>]) -> PlanResult<Arc<LogicalPlan>> {
    if wanted.iter().all(Option::is_none) {
        return Ok(Arc::clone(rows));
    }
    Ok(Arc::new(match &**rows {
        LogicalPlan::Distinct(Distinct::All(all)) => {
            LogicalPlan::Distinct(Distinct::All(Arc::new(with_types(all, wanted)?)))
        }
        rows => with_types(rows, wanted)?,
    }))
}

/// The join of rows that are numbered, with the columns that it had.
fn numbered(join: Join) -> PlanResult<LogicalPlan> {
    let columns = columns(&join.left);
    let left = with_numbers(&join.left, LEFT)?;
    let right = with_numbers(&join.right, RIGHT)?;
    let mut on = join.on;
    on.push((
        Expr::Column(Column::new_unqualified(LEFT)),
        Expr::Column(Column::new_unqualified(RIGHT)),
    ));
    let joined = without_null(Join::try_new(
        Arc::new(left),
        Arc::new(right),
        on,
        None,
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?)?;
    let joined = LogicalPlanBuilder::from(LogicalPlan::Join(joined));
    joined.project(columns)?.build()
}

/// The join that stands for INTERSECT, of keys of which none is NULL; as it was where a type has no value to stand for
/// NULL, and for EXCEPT, which needs all rows of the other side.
fn without_null(join: Join) -> PlanResult<Join> {
    if join.join_type != JoinType::LeftSemi {
        return Ok(join);
    }
    let mut on = Vec::with_capacity(join.on.len());
    for (left, right) in &join.on {
        let (left_schema, right_schema) = (join.left.schema(), join.right.schema());
        if !left.nullable(left_schema)? && !right.nullable(right_schema)? {
            on.push((left.clone(), right.clone()));
            continue;
        }
        let Ok(stand_in) = ScalarValue::new_default(&left.get_type(left_schema)?) else {
            return Ok(join);
        };
        let value = |key: &Expr| coalesce(vec![key.clone(), lit(stand_in.clone())]);
        on.push((value(left), value(right)));
        on.push((left.clone().is_null(), right.clone().is_null()));
    }
    Join::try_new(
        join.left,
        join.right,
        on,
        join.filter,
        join.join_type,
        join.join_constraint,
        NullEquality::NullEqualsNothing,
        join.null_aware,
    )
}

/// The rows, equal ones numbered in a further column.
fn with_numbers(rows: &LogicalPlan, name: &str) -> PlanResult<LogicalPlan> {
    let columns = columns(rows);
    let number = row_number().partition_by(columns.clone()).build()?;
    let written = Column::new_unqualified(number.schema_name().to_string());
    let all = columns
        .into_iter()
        .chain([Expr::Column(written).alias(name)]);
    LogicalPlanBuilder::from(rows.clone())
        .window([number])?
        .project(all)?
        .build()
}

fn columns(rows: &LogicalPlan) -> Vec<Expr> {
    let columns = rows.schema().columns().into_iter();
    columns.map(Expr::Column).collect()
}

#[cfg(test)]
#[path = "set_operations_tests.rs"]
mod tests;
