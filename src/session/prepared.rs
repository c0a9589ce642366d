//! Statements that are planned once and run many times.

use std::sync::Arc;

use datafusion::common::{ParamValues, ScalarValue};
use datafusion::logical_expr::LogicalPlan;
use futures::FutureExt;

use super::blocking::wait;
use super::direct::{DirectQuery, DirectRows};
use super::outcome::{gives_rows, no_rows};
use super::placeholders::Placeholders;
use super::stack::large_stack;
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
    plan: Arc<LogicalPlan>,
    placeholders: Placeholders,
    direct: Option<Arc<DirectQuery>>,
}

impl PreparedStatement {
    pub(super) fn new(connection: Connection, plan: LogicalPlan) -> Result<Self> {
        let state = connection.context().state();
        let direct = DirectQuery::of(&state, &plan).map(Arc::new);
        Ok(Self {
            placeholders: Placeholders::of(&plan)?,
            connection,
            plan: Arc::new(plan),
            direct,
        })
    }

    /// Whether runs may go around planning: a query of columns of one table whose conditions compare columns with
    /// parameters and constants, with a LIMIT or an ORDER BY in the order of the key or without. A run does so if its
    /// values are of the types of the columns, little is read for them, and no [`Meter`](super::Meter) looks on.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some()
    }

    /// A run begins: its parameters, bound.
    fn begin(&self, params: impl IntoParameters) -> Result<Vec<ScalarValue>> {
        self.connection.progress().begin();
        self.placeholders.bind(params.into_parameters())
    }

    /// As [`PreparedStatement::begin`], of a query.
    fn begin_query(&self, params: impl IntoParameters) -> Result<Vec<ScalarValue>> {
        match gives_rows(&self.plan) {
            true => self.begin(params),
            false => Err(no_rows()),
        }
    }

    /// The rows for parameters that are bound, if they need no plan.
    fn direct(&self, params: &[ScalarValue]) -> Result<Option<DirectRows>> {
        match &self.direct {
            // A meter counts what plans read.
            Some(direct) if !self.connection.is_metered() => {
                direct.run(self.connection.context(), params)
            }
            _ => Ok(None),
        }
    }

    /// Runs it with parameters that are bound.
    async fn run(&self, params: Vec<ScalarValue>) -> Result<Outcome> {
        large_stack(async {
            let state = self.connection.statement_state()?;
            let plan = LogicalPlan::clone(&self.plan);
            let plan = plan.with_param_values(ParamValues::from(params))?;
            self.connection.run_plan(state, plan).await
        })
        .await
    }

    /// The rows for parameters that are bound, from a plan.
    async fn planned(&self, params: Vec<ScalarValue>) -> Result<RowStream> {
        match self.run(params).await? {
            Outcome::Rows(stream) => Ok(stream.into()),
            _ => Err(no_rows()),
        }
    }

    /// The rows of a query for these parameters, as a stream of record batches.
    ///
    /// # Errors
    /// What is wrong with the parameters or the query; `InvalidInput` for a statement that gives no rows.
    pub async fn query(&self, params: impl IntoParameters) -> Result<RowStream> {
        let params = self.begin_query(params)?;
        match self.direct(&params)? {
            Some(rows) => Ok(rows.stream.into()),
            None => self.planned(params).await,
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
        let params = self.begin_query(params)?;
        match self.direct(&params)? {
            Some(DirectRows { stream, is_brief }) => {
                let mut single = Box::pin(RowStream::from(stream).single());
                // What is brief is read where it is polled, and needs no runtime.
                if is_brief && let Some(row) = single.as_mut().now_or_never() {
                    return row;
                }
                wait(single)?
            }
            None => {
                let statement = self.clone();
                wait(async move { statement.planned(params).await?.single().await })?
            }
        }
    }

    /// Runs a statement that changes rows, and gives their number.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, params: impl IntoParameters) -> Result<u64> {
        let no_change = || Error::invalid("this statement changes no rows; use query");
        if gives_rows(&self.plan) {
            return Err(no_change());
        }
        let params = self.begin(params)?;
        match self.run(params).await? {
            Outcome::Affected { rows, .. } => Ok(rows),
            _ => Err(no_change()),
        }
    }
}

#[cfg(test)]
#[path = "prepared_tests.rs"]
mod tests;
