//! Statements that are planned once and run many times.

use datafusion::common::ParamValues;
use datafusion::logical_expr::LogicalPlan;

use super::blocking::wait;
use super::placeholders::Placeholders;
use super::{Connection, IntoParameters, Outcome, Row, RowStream, Rows};
use crate::error::{Error, Result};

/// A statement whose parameters `$1`, `$2`, … get values each time it is run.
///
/// It keeps the tables that it was prepared with: prepare it again after a table was dropped, truncated or replaced.
#[derive(Debug, Clone)]
pub struct PreparedStatement {
    connection: Connection,
    plan: LogicalPlan,
    placeholders: Placeholders,
}

impl PreparedStatement {
    pub(super) fn new(connection: Connection, plan: LogicalPlan) -> Result<Self> {
        Ok(Self {
            placeholders: Placeholders::of(&plan)?,
            connection,
            plan,
        })
    }

    async fn run(&self, params: impl IntoParameters) -> Result<Outcome> {
        let params = self.placeholders.bind(params.into_parameters())?;
        let state = self.connection.statement_state()?;
        let plan = self
            .plan
            .clone()
            .with_param_values(ParamValues::from(params))?;
        self.connection.run_plan(state, plan).await
    }

    /// The rows of a query for these parameters, as a stream of record batches.
    ///
    /// # Errors
    /// What is wrong with the parameters or the query; `InvalidInput` for a statement that gives no rows.
    pub async fn query(&self, params: impl IntoParameters) -> Result<RowStream> {
        match self.run(params).await? {
            Outcome::Rows(stream) => Ok(stream.into()),
            _ => Err(Error::invalid("this statement gives no rows; use execute")),
        }
    }

    /// All rows of a query for these parameters, to be read value by value.
    ///
    /// # Errors
    /// As [`PreparedStatement::query`].
    pub async fn rows(&self, params: impl IntoParameters) -> Result<Rows> {
        self.query(params).await?.rows().await
    }

    /// The only row of a query for these parameters, or `None`, on the calling thread, which waits for it: for point
    /// reads, which take microseconds, inside of a runtime and outside. For more than that there is
    /// [`PreparedStatement::query`].
    ///
    /// # Errors
    /// As [`PreparedStatement::query`]; `InvalidInput` where there is more than one row.
    pub fn query_row(&self, params: impl IntoParameters) -> Result<Option<Row>> {
        let (statement, params) = (self.clone(), params.into_parameters());
        wait(async move { statement.query(params).await?.single().await })?
    }

    /// Runs a statement that changes rows, and gives their number.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, params: impl IntoParameters) -> Result<u64> {
        match self.run(params).await? {
            Outcome::Affected { rows, .. } => Ok(rows),
            _ => Err(Error::invalid("this statement changes no rows; use query")),
        }
    }
}
