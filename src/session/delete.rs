//! `DELETE`, from the logical plan.
//!
//! DataFusion's hook for DELETE loses the WHERE of subqueries, `false` and LIMIT. The input of its logical plan is right:
//! the rows to delete. They are read under the table's lock, at a snapshot
//! taken there, and deleted by their row keys.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{
    DmlStatement, Expr, LogicalPlan, LogicalPlanBuilder, TableScanBuilder,
};
use datafusion::physical_plan::ExecutionPlan;

use crate::error::{Error, Result};
use crate::scan::StatementSnapshot;
use crate::settings::HaliteOptions;
use crate::table::HaliteTable;
use crate::write::{Refresh, WriteExec};

/// The table that was planned for, not the one that has its name by now: it has the lock that says whether the rows are
/// still there.
fn table_of(provider: &dyn TableProvider) -> Result<&HaliteTable> {
    let table = provider.downcast_ref::<HaliteTable>();
    table.ok_or_else(|| Error::internal("DELETE from a table of another kind"))
}

/// Rows of a table whose hidden row id, if it has one, stands behind the declared columns. `rows` are those of one scan of
/// the table, with nothing above it that chooses columns; subqueries in its conditions stay as they are.
pub(super) fn with_row_id(rows: LogicalPlan, table: &HaliteTable) -> Result<LogicalPlan> {
    if table.bound().row_id().is_none() {
        return Ok(rows);
    }
    let shown = provider_as_source(Arc::new(table.showing_row_id()));
    let shown = rows.transform_up(|node| match node {
        LogicalPlan::TableScan(scan) => {
            let shown = TableScanBuilder::new(scan.table_name, Arc::clone(&shown))
                .with_filters(scan.filters)
                .with_fetch(scan.fetch)
                .build()?;
            Ok(Transformed::yes(LogicalPlan::TableScan(shown)))
        }
        node => Ok(Transformed::yes(node.recompute_schema()?)),
    })?;
    Ok(shown.data)
}

/// The rows to delete: what their keys are made of.
pub(super) fn rows(statement: &DmlStatement) -> Result<LogicalPlan> {
    let provider = source_as_provider(&statement.target)?;
    let table = table_of(provider.as_ref())?;
    let input = with_row_id(statement.input.as_ref().clone(), table)?;
    let columns = input.schema().columns().into_iter().map(Expr::Column);
    let sources = table.bound().key_sources();
    let needed = columns
        .enumerate()
        .filter(|(position, _)| sources.contains(position));
    let projected = LogicalPlanBuilder::from(input);
    let projected = projected.project(needed.map(|(_, column)| column))?;
    Ok(projected.build()?)
}

/// The physical plan of a DELETE of `rows`, which are planned in `state`; it yields their number.
pub(super) fn plan(
    state: &SessionState,
    statement: &DmlStatement,
    rows: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let provider = source_as_provider(&statement.target)?;
    let table = table_of(provider.as_ref())?;
    let settings = HaliteOptions::of(state.config_options()).write_settings();
    let (of_rows, store) = (state.clone(), Arc::clone(table.store()));
    let refresh: Refresh = Arc::new(move |snapshot| {
        let mut state = of_rows.clone();
        let snapshot = StatementSnapshot::at(Arc::clone(&store), snapshot);
        state.config_mut().set_extension(Arc::new(snapshot));
        Ok(state.task_ctx())
    });
    let plan = WriteExec::delete(table.writer(), rows, settings, refresh)?;
    Ok(Arc::new(plan))
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
