//! What a query costs: its rows, what its scans have read and how long it took.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::physical_plan::{ExecutionPlan, common::collect, execute_stream};

use super::{Connection, Statement};
use crate::ddl::statement::DdlStatement;
use crate::error::{Error, Result};
use crate::plan::change::gives_rows;
use crate::run::physical::Stage;
use crate::scan::{self, ScanTotals};
use crate::sql::parse::Command;
use crate::sql::stack::stack_for;

/// What [`Connection::profile`] has measured.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The columns of the result.
    pub schema: SchemaRef,
    /// All rows of the result.
    pub batches: Vec<RecordBatch>,
    /// What all scans of the query have read, added up.
    pub totals: ScanTotals,
    /// The plan that was run.
    pub plan: Arc<dyn ExecutionPlan>,
    /// From planning to the last row.
    pub elapsed: Duration,
}

impl Profile {
    /// How many rows the result has.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

impl Connection {
    /// Runs a query to its end, keeping its rows, and measures it.
    ///
    /// # Errors
    /// What is wrong with the query; `InvalidInput` for statements that give no rows.
    pub async fn profile(&self, statement: &Statement) -> Result<Profile> {
        stack_for(statement.parsed.depth, self.measured(statement)).await
    }

    async fn measured(&self, statement: &Statement) -> Result<Profile> {
        let no_query = || Error::invalid("only a query that is planned can be measured");
        let Command::Sql(parsed) = &statement.parsed.command else {
            return Err(no_query());
        };
        if DdlStatement::of(parsed)?.is_some() {
            return Err(no_query());
        }
        self.progress().begin();
        let start = Instant::now();
        let (state, plan) = self.run_context.planned(parsed).await?;
        if !gives_rows(&plan) {
            return Err(no_query());
        }
        let (state, physical) = self
            .run_context
            .physical(state, plan, Stage::Written)
            .await?;
        let stream = execute_stream(Arc::clone(&physical), state.task_ctx())?;
        let schema = stream.schema();
        let batches = collect(stream).await?;
        Ok(Profile {
            schema,
            batches,
            totals: scan::totals(&physical),
            plan: physical,
            elapsed: start.elapsed(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Database;
    use crate::error::ErrorKind;

    #[tokio::test]
    async fn a_query_is_run_and_measured_and_a_change_is_not_run() {
        let connection = Database::in_memory().unwrap().connect();
        let run = |sql: &'static str| connection.execute(sql, Vec::new());
        run("CREATE TABLE t (a INT, b INT NOT NULL, PRIMARY KEY (a))")
            .await
            .unwrap();
        run("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
            .await
            .unwrap();
        let statements = connection
            .script("SELECT b FROM t WHERE a > 1; DELETE FROM t")
            .unwrap();
        let profile = connection.profile(&statements[0]).await.unwrap();
        let totals = profile.totals;
        assert_eq!((profile.rows(), totals.ranges, totals.keys_read), (2, 1, 2));
        let error = connection.profile(&statements[1]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(connection.profile(&statements[0]).await.unwrap().rows(), 2);
    }
}
