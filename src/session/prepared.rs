//! Statements that are planned once and run many times.

use std::sync::Arc;

use datafusion::common::{ParamValues, ScalarValue};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;

use super::direct::DirectQuery;
use super::stack::on_large_stack;
use super::{Connection, Outcome};
use crate::error::{Error, Result};

/// A statement whose parameters `$1`, `$2`, … get values each time it is run.
///
/// A query that reads a few keys or a short range of one table is not planned again for each run, so that a point read
/// takes some ten microseconds: [`PreparedStatement::is_direct`].
///
/// It keeps the tables that it was prepared with: prepare it again after a table was dropped, truncated or replaced.
#[derive(Debug, Clone)]
pub struct PreparedStatement {
    connection: Connection,
    plan: LogicalPlan,
    direct: Option<Arc<DirectQuery>>,
}

impl PreparedStatement {
    pub(super) fn new(connection: Connection, plan: LogicalPlan) -> Self {
        let state = connection.context().state();
        let direct = on_large_stack(|| DirectQuery::of(&state, &plan)).map(Arc::new);
        Self {
            connection,
            plan,
            direct,
        }
    }

    /// Whether runs may go around planning: a query of columns of one table whose conditions compare columns with
    /// parameters and constants, with a LIMIT or an ORDER BY in the order of the key or without. A run does so if its
    /// values are of the types of the columns and little is read for them.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some()
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
        if let Some(direct) = &self.direct
            && let Some(stream) = direct.run(self.connection.context(), &params)?
        {
            return Ok(stream);
        }
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
