//! The first rows of groups that windows number.
//!
//! `row_number() OVER (PARTITION BY host ORDER BY ts DESC) <= 3` leaves the newest three rows of each host, and the window
//! numbers them alike whether the others are there or not. So below a filter that leaves of the numbers of a window the
//! first few alone, no other rows are needed. That holds where everything that the window computes is a number:
//!
//! * `row_number()`: of rows that are equal in the order any may come first, as in DataFusion;
//! * `rank()`, `dense_rank()`: rows that are equal have one number, so that all of them are needed. Only where no two rows of
//!   a group are equal these are as many as the numbers.
//!
//! All of them are over the same groups in the same order.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_window::rank::Rank;
use datafusion::functions_window::row_number::RowNumber;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, Literal};
use datafusion::physical_expr::window::{StandardWindowExpr, WindowExpr};
use datafusion::physical_expr::{PhysicalExpr, split_conjunction};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, WindowUDFExpr};
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::needed::{Needed, handed_on};
use crate::scan::{Order, Wanted};

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// The input of a filter that leaves the first of numbered rows, without others; `None` where it needs all.
pub(crate) fn first_numbered(filter: &FilterExec) -> Result<Option<Plan>> {
    for conjunct in split_conjunction(filter.predicate()) {
        if let Some((column, most)) = most_of(conjunct)
            && let Some(input) = below(filter.input(), column, most)?
        {
            return Ok(Some(input));
        }
    }
    Ok(None)
}

/// The column whose numbers are at most so great where a condition holds: `n = 1`, `n <= 3`, `4 > n`.
fn most_of(condition: &Arc<dyn PhysicalExpr>) -> Option<(usize, usize)> {
    let condition = condition.downcast_ref::<BinaryExpr>()?;
    let (left, right) = (condition.left(), condition.right());
    let (column, operator, value) = match left.downcast_ref::<Column>() {
        Some(column) => (column, *condition.op(), right),
        None => (
            right.downcast_ref::<Column>()?,
            condition.op().swap()?,
            left,
        ),
    };
    let value = number(value.downcast_ref::<Literal>()?.value())?;
    let most = match operator {
        Operator::Eq | Operator::LtEq => value,
        Operator::Lt => value.checked_sub(1)?,
        _ => return None,
    };
    (most > 0).then_some((column.index(), most))
}

fn number(value: &ScalarValue) -> Option<usize> {
    value.data_type().is_integer().then_some(())?;
    match value.cast_to(&DataType::UInt64).ok()? {
        ScalarValue::UInt64(Some(value)) => usize::try_from(value).ok(),
        _ => None,
    }
}

/// The plan without the rows whose number, which stands in a column, is greater; `None` where all are needed.
fn below(plan: &Plan, column: usize, most: usize) -> Result<Option<Plan>> {
    let input = if let Some((windows, input)) = windows(plan) {
        match needed_by(windows, input, column, most) {
            Some(needed) => needed.below(input)?,
            None => None,
        }
    } else if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let shown = projection.expr().get(column);
        let shown = shown.and_then(|shown| shown.expr.downcast_ref::<Column>());
        match shown {
            Some(shown) => below(projection.input(), shown.index(), most)?,
            None => None,
        }
    } else if let Some(input) = handed_on(plan) {
        below(input, column, most)?
    } else {
        None
    };
    let over = |input| replace_children_if_necessary(Arc::clone(plan), vec![input]);
    input.map(over).transpose()
}

/// What a node computes over windows, and its input.
fn windows(plan: &Plan) -> Option<(&[Arc<dyn WindowExpr>], &Plan)> {
    if let Some(node) = plan.downcast_ref::<BoundedWindowAggExec>() {
        return Some((node.window_expr(), node.input()));
    }
    let node = plan.downcast_ref::<WindowAggExec>()?;
    Some((node.window_expr(), node.input()))
}

/// The rows that are needed where the numbers of a column are wanted up to `most`.
fn needed_by(
    windows: &[Arc<dyn WindowExpr>],
    input: &Plan,
    column: usize,
    most: usize,
) -> Option<Needed> {
    let place = column.checked_sub(input.schema().fields().len())?;
    let asked = windows.get(place)?;
    let is_alike = |window: &Arc<dyn WindowExpr>| {
        numbering(window).is_some()
            && window.partition_by() == asked.partition_by()
            && window.order_by() == asked.order_by()
    };
    if !windows.iter().all(is_alike) {
        return None;
    }
    let order = asked.order_by().iter();
    let order: Order = order
        .map(|sort| (Arc::clone(&sort.expr), sort.options))
        .collect();
    Some(Needed(Wanted {
        groups: asked.partition_by().to_vec(),
        with_ties: numbering(asked)? == Numbering::Ranks,
        orders: vec![order],
        rows: most,
    }))
}

/// How a window numbers rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// Each has a number of its own.
    Rows,
    /// Rows that are equal in the order have one number.
    Ranks,
}

/// How a window numbers rows; `None` where it computes something else.
fn numbering(window: &Arc<dyn WindowExpr>) -> Option<Numbering> {
    let standard = window.as_any().downcast_ref::<StandardWindowExpr>()?;
    let function = standard.get_standard_func_expr().as_any();
    let function = function.downcast_ref::<WindowUDFExpr>()?.fun();
    let inner = function.inner();
    if inner.is::<RowNumber>() {
        Some(Numbering::Rows)
    } else if inner.is::<Rank>() && matches!(function.name(), "rank" | "dense_rank") {
        Some(Numbering::Ranks)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "numbered_tests.rs"]
mod tests;
