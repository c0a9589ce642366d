//! Statements that are planned once and run many times.

use datafusion::common::{ParamValues, ScalarValue};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;

use super::{Connection, Outcome};
use crate::error::{Error, Result};

/// A statement whose parameters `$1`, `$2`, … get values each time it is run.
///
/// It keeps the tables that it was prepared with: prepare it again after a table was dropped, truncated or replaced.
#[derive(Debug, Clone)]
pub struct PreparedStatement {
    connection: Connection,
    plan: LogicalPlan,
}

impl PreparedStatement {
    pub(super) fn new(connection: Connection, plan: LogicalPlan) -> Self {
        Self { connection, plan }
    }

    async fn run(&self, params: Vec<ScalarValue>) -> Result<Outcome> {
        let state = self.connection.statement_state()?;
        let plan = self
            .plan
            .clone()
            .with_param_values(ParamValues::from(params))?;
        self.connection.run_plan(state, plan).await
    }

    /// The rows of a query for these parameters.
    ///
    /// # Errors
    /// What is wrong with the parameters or the query; `InvalidInput` for a statement that gives no rows.
    pub async fn query(&self, params: Vec<ScalarValue>) -> Result<SendableRecordBatchStream> {
        match self.run(params).await? {
            Outcome::Rows(stream) => Ok(stream),
            _ => Err(Error::invalid("this statement gives no rows; use execute")),
        }
    }

    /// Runs a statement that changes rows, and gives their number.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, params: Vec<ScalarValue>) -> Result<u64> {
        match self.run(params).await? {
            Outcome::Affected { rows, .. } => Ok(rows),
            _ => Err(Error::invalid("this statement changes no rows; use query")),
        }
    }
}
