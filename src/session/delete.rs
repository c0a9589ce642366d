//! `DELETE`, from the logical plan.
//!
//! DataFusion's hook for DELETE loses the WHERE of subqueries, `false` and LIMIT. The input of its logical plan is right:
//! the rows to delete. They are read at the statement's snapshot and deleted by their row keys.

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{DmlStatement, LogicalPlanBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::Expr;

use super::Connection;
use crate::error::Result;
use crate::write::DeleteExec;

/// The physical plan of a DELETE, which yields the number of rows.
pub(super) async fn plan(
    connection: &Connection,
    state: &SessionState,
    statement: &DmlStatement,
) -> Result<Arc<dyn ExecutionPlan>> {
    let table = connection.database().catalog().expect_table(statement.table_name.table())?;
    let input = statement.input.as_ref();
    let columns: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
    let sources = table.key_sources();
    let needed = columns.into_iter().enumerate().filter(|(position, _)| sources.contains(position));
    let projected = LogicalPlanBuilder::from(input.clone()).project(needed.map(|(_, column)| column))?.build()?;
    let rows = connection.physical(state, &projected).await?;
    Ok(Arc::new(DeleteExec::new(table.writer(), rows)))
}
