//! `DELETE`, from the logical plan.
//!
//! DataFusion's hook for DELETE loses the WHERE of subqueries, `false` and LIMIT. The input of its logical plan is right:
//! the rows to delete. They are read under the table's lock, at a snapshot
//! taken there, and deleted by their row keys.

use std::sync::Arc;

use datafusion::datasource::source_as_provider;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{DmlStatement, Expr, LogicalPlanBuilder};
use datafusion::physical_plan::ExecutionPlan;

use super::Connection;
use crate::error::{Error, Result};
use crate::scan::StatementSnapshot;
use crate::settings::HaliteOptions;
use crate::table::HaliteTable;
use crate::write::{Refresh, WriteExec};

/// The physical plan of a DELETE, which yields the number of rows.
pub(super) async fn plan(
    connection: &Connection,
    state: SessionState,
    statement: &DmlStatement,
) -> Result<(SessionState, Arc<dyn ExecutionPlan>)> {
    // The table that was planned for, not the one that has its name by now: it has the lock that says whether the rows
    // are still there.
    let provider = source_as_provider(&statement.target)?;
    let table = provider
        .downcast_ref::<HaliteTable>()
        .ok_or_else(|| Error::internal("DELETE from a table of another kind"))?;
    let input = statement.input.as_ref();
    let columns: Vec<Expr> = input
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column)
        .collect();
    let sources = table.bound().key_sources();
    let needed = columns
        .into_iter()
        .enumerate()
        .filter(|(position, _)| sources.contains(position));
    let projected = LogicalPlanBuilder::from(input.clone())
        .project(needed.map(|(_, column)| column))?
        .build()?;
    let (state, rows) = connection.physical(state, projected).await?;
    let settings = HaliteOptions::of(state.config_options()).write_settings();
    let (of_rows, store) = (state.clone(), Arc::clone(table.store()));
    let refresh: Refresh = Arc::new(move |snapshot| {
        let mut state = of_rows.clone();
        let snapshot = StatementSnapshot::at(Arc::clone(&store), snapshot);
        state.config_mut().set_extension(Arc::new(snapshot));
        Ok(state.task_ctx())
    });
    let plan = WriteExec::delete(table.writer(), rows, settings, refresh)?;
    Ok((state, Arc::new(plan)))
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int64Type;

    use super::super::Database;

    #[tokio::test]
    async fn the_rows_of_every_partition_are_deleted() {
        for partitions in [1, 2, 3, 8] {
            for key in ["k", "bucket(3, k), k", "salt(16), k", "k % 4, k"] {
                let connection = Database::in_memory().unwrap().connect();
                let run = |sql: String| {
                    let connection = connection.clone();
                    async move { connection.execute(&sql, vec![]).await.unwrap() }
                };
                let set = format!("SET datafusion.execution.target_partitions = {partitions}");
                run(set).await;
                run(format!("CREATE TABLE t (k BIGINT, PRIMARY KEY ({key}))")).await;
                let rows = "INSERT INTO t SELECT value FROM generate_series(0, 599)";
                run(rows.to_owned()).await;
                let deleted = run("DELETE FROM t WHERE k % 6 = 0".to_owned()).await;
                assert_eq!(deleted, 100, "{key}, {partitions} partitions");
                let count = connection.query("SELECT count(*) FROM t", vec![]).await;
                let count = count.unwrap();
                let left = count[0].column(0).as_primitive::<Int64Type>().value(0);
                assert_eq!(left, 500, "{key}, {partitions} partitions");
            }
        }
    }
}
