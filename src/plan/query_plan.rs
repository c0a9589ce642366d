//! From a parsed query to its logical plan, with all mends.

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{DescribeTable, LogicalPlan};

use super::bind::parameters::bound;
use super::bind::recursion::Casts;
use super::bind::statement::take_described;
use super::bind::{lateral, names, natural, recursion};
use super::rule::compare::numbers;
use super::rule::mend::{once, set_names};
use super::{subquery, width};
use crate::error::Result;
use crate::plan::change::gives_rows;
use crate::sql::limits::long_lists::LongLists;
use crate::sql::written::Written;

/// The plan of a statement whose clauses have been checked; `of_views` are the casts of the views that it reads.
///
/// # Errors
/// What is wrong with the statement.
pub(crate) async fn query_plan(
    state: &SessionState,
    mut parsed: Written,
    of_views: Casts,
) -> Result<LogicalPlan> {
    let is_described = take_described(&mut parsed);
    let plan = mended(draft(state, parsed, of_views).await?)?;
    if !is_described {
        return Ok(plan);
    }
    Ok(LogicalPlan::DescribeTable(DescribeTable {
        schema: Arc::new(plan.schema().as_arrow().clone()),
        output_schema: Arc::new(LogicalPlan::describe_schema().try_into()?),
    }))
}

/// The same as DataFusion makes it: its subqueries are not mended yet, nor are its names as they were written.
///
/// # Errors
/// What is wrong with the statement.
pub(crate) async fn draft(
    state: &SessionState,
    mut parsed: Written,
    of_views: Casts,
) -> Result<LogicalPlan> {
    let lists = LongLists::set_aside(&mut parsed.sql);
    let casts = recursion::casts(&parsed.sql).with(of_views);
    let mut natural = natural::kept(&mut parsed);
    let put_back = |kept: &mut Written| lists.put_back(&mut kept.sql);
    natural.iter_mut().for_each(put_back);
    let names = recursion::read_twice(&parsed.sql);
    let plan = lateral::first_plan(state, parsed, &lists).await?;
    let plan = once::shared(plan, &names)?;
    width::check(&plan)?;
    recursion::check(&plan, &casts)?;
    if let Some(parsed) = natural {
        natural::check(state, &parsed, &plan).await?;
    }
    Ok(plan)
}

/// A draft with its subqueries mended and its names as they were written. Its columns are of the types that they have when it
/// is run.
///
/// # Errors
/// `NotSupported` for subqueries that cannot be mended.
pub(crate) fn mended(draft: LogicalPlan) -> Result<LogicalPlan> {
    let draft = bound::planned_for_cases(set_names::resolved(draft)?)?;
    let draft = numbers::met(draft)?;
    names::restore(subquery::mend(draft)?, gives_rows)
}
