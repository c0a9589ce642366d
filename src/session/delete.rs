//! `DELETE`, from the logical plan.
//!
//! DataFusion's hook for DELETE loses the WHERE of subqueries, `false` and LIMIT. The input of its logical plan is right:
//! the rows to delete. They are read under the table's lock, at a snapshot
//! taken there, and deleted by their row keys.

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{DmlStatement, Expr, LogicalPlanBuilder};
use datafusion::physical_plan::ExecutionPlan;

use super::Connection;
use crate::error::Result;
use crate::scan::{HaliteOptions, StatementSnapshot};
use crate::write::{Refresh, WriteExec};

/// The physical plan of a DELETE, which yields the number of rows.
pub(super) async fn plan(
    connection: &Connection,
    state: &SessionState,
    statement: &DmlStatement,
) -> Result<Arc<dyn ExecutionPlan>> {
    let table = connection
        .database()
        .catalog()
        .expect_table(statement.table_name.table())?;
    let input = statement.input.as_ref();
    let columns: Vec<Expr> = input
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column)
        .collect();
    let sources = table.key_sources();
    let needed = columns
        .into_iter()
        .enumerate()
        .filter(|(position, _)| sources.contains(position));
    let projected = LogicalPlanBuilder::from(input.clone())
        .project(needed.map(|(_, column)| column))?
        .build()?;
    let rows = connection.physical(state, &projected).await?;
    let settings = HaliteOptions::of(state.config_options()).write_settings();
    let (state, store) = (state.clone(), Arc::clone(table.store()));
    let refresh: Refresh = Arc::new(move |_| {
        let mut state = state.clone();
        let snapshot = StatementSnapshot::take(Arc::clone(&store))?;
        state.config_mut().set_extension(Arc::new(snapshot));
        Ok(state.task_ctx())
    });
    Ok(Arc::new(WriteExec::delete(
        table.writer(),
        rows,
        settings,
        refresh,
    )?))
}
