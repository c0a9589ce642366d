//! Statements that are planned once and run many times.

use std::sync::Arc;

use datafusion::common::{ParamValues, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use super::blocking::wait;
use super::direct::DirectQuery;
use super::placeholders::Placeholders;
use super::stack::on_large_stack;
use super::{Connection, IntoParameters, Outcome, Row, RowStream, Rows};
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
    placeholders: Placeholders,
    direct: Option<Arc<DirectQuery>>,
}

impl PreparedStatement {
    pub(super) fn new(connection: Connection, plan: LogicalPlan) -> Result<Self> {
        let state = connection.context().state();
        let direct = on_large_stack(|| DirectQuery::of(&state, &plan)).map(Arc::new);
        Ok(Self {
            placeholders: Placeholders::of(&plan)?,
            connection,
            plan,
            direct,
        })
    }

    /// Whether runs may go around planning: a query of columns of one table whose conditions compare columns with
    /// parameters and constants, with a LIMIT or an ORDER BY in the order of the key or without. A run does so if its
    /// values are of the types of the columns and little is read for them.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// Runs it with parameters that are bound.
    async fn run(&self, params: Vec<ScalarValue>) -> Result<Outcome> {
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
        let params = self.placeholders.bind(params.into_parameters())?;
        if let Some(direct) = &self.direct
            && let Some(stream) = direct.run(self.connection.context(), &params)?
        {
            return Ok(stream.into());
        }
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
        let params = self.placeholders.bind(params.into_parameters())?;
        match self.run(params).await? {
            Outcome::Affected { rows, .. } => Ok(rows),
            _ => Err(Error::invalid("this statement changes no rows; use query")),
        }
    }
}
