//! Statements that are planned once and run many times.

use std::sync::Arc;

use datafusion::common::ScalarValue;

use super::observe::Asked;
use super::rows::Single;
use super::{Connection, FromValue, IntoParameters, Row, RowStream, Rows, Statement};
use crate::ddl::statement::DdlStatement;
use crate::error::{Error, Result};
use crate::run::outcome::{
    Gives, Outcome, Wanted, no_prepared, no_rows, takes_parameters, wanted_of,
};
use crate::run::planned::{Planned, Repeated};
use crate::run::waiting::wait;
use crate::scan::Opened;
use crate::sql::parse::Command;
use crate::sql::stack::stack_for;

/// A statement whose parameters `$1`, `$2`, … get values each time it is run.
///
/// A query that reads a few keys or a short range of one table is not planned again for each run, so that a point read
/// takes some ten microseconds: [`PreparedStatement::is_direct`].
///
/// Where tables were made, emptied or dropped since, or settings changed, the next run plans it again, for the tables that
/// have the names then.
#[derive(Debug, Clone)]
pub struct PreparedStatement {
    pub(super) connection: Connection,
    pub(super) statement: Arc<Repeated>,
    /// As it was written.
    text: Arc<str>,
    /// The names of its parameters, if they have names.
    pub(super) names: Arc<[String]>,
}

/// Whether it is a query where it is run for its rows, and a change where it is not.
fn check(planned: &Planned, for_rows: bool) -> Result<()> {
    match (planned.gives, for_rows) {
        // What RETURNING gives back is counted.
        (Gives::Rows | Gives::Changed(_), true) | (Gives::Count | Gives::Changed(_), false) => {
            Ok(())
        }
        (Gives::Count, true) => Err(no_rows()),
        (Gives::Rows, false) => Err(no_change()),
    }
}

/// The rows of a query for these parameters, if they need no plan, and the parameters, bound.
fn open(
    connection: &Connection,
    planned: &Planned,
    params: Vec<ScalarValue>,
) -> Result<(Option<Opened>, Vec<ScalarValue>)> {
    check(planned, true)?;
    connection.progress().begin();
    let params = planned.placeholders.bind(params)?;
    Ok((connection.run_context.direct(planned, &params)?, params))
}

/// The only row, or none, without a runtime.
fn read_at_once(mut opened: Opened) -> Result<Option<Row>> {
    let mut single = Single::default();
    while let Some(batch) = opened.next_batch()? {
        single.add(batch)?;
    }
    Ok(single.row())
}

fn no_change() -> Error {
    Error::invalid("this statement changes no rows; use query")
}

impl Connection {
    /// Parses and plans a statement with parameters `$1`, `$2`, … (or `?`) once, to be run many times.
    ///
    /// # Errors
    /// What is wrong with the statement.
    pub async fn prepare(&self, sql: &str) -> Result<PreparedStatement> {
        let statement = self.single(sql)?;
        let depth = statement.parsed.depth;
        stack_for(depth, self.prepare_on_stack(statement)).await
    }

    async fn prepare_on_stack(&self, statement: Statement) -> Result<PreparedStatement> {
        let written = Arc::unwrap_or_clone(statement.parsed);
        let Command::Sql(parsed) = written.command else {
            return Err(Error::unsupported("this statement cannot be prepared"));
        };
        if !takes_parameters(&parsed) {
            return Err(no_prepared());
        }
        DdlStatement::of(&parsed)?;
        let repeated = Repeated::plan(&self.run_context, *parsed, written.depth);
        Ok(PreparedStatement {
            statement: Arc::new(repeated.await?),
            connection: self.held_by("prepared statement"),
            text: written.text.into(),
            names: written.names.into(),
        })
    }
}

impl PreparedStatement {
    /// Whether runs may go around planning: a query of columns of one table whose conditions compare columns with
    /// parameters and constants, with a LIMIT or an ORDER BY in the order of the key or without; an INSERT of one row, with
    /// ON CONFLICT or without; an UPDATE or DELETE of the row under one key. A run does so if its values are of the types
    /// of the columns, and little is read for them.
    pub fn is_direct(&self) -> bool {
        self.statement.newest().is_direct()
    }

    /// What was planned the last time.
    #[cfg(test)]
    pub(crate) fn planned_now(&self) -> Arc<Planned> {
        self.statement.newest()
    }

    /// The plan for the tables and settings that there are.
    pub(super) async fn renewed(&self) -> Result<Arc<Planned>> {
        let context = &self.connection.run_context;
        self.statement.renewed(context).await
    }

    /// Runs it with parameters that are bound.
    async fn run(
        &self,
        connection: &Connection,
        planned: Arc<Planned>,
        params: Vec<ScalarValue>,
        wanted: Wanted,
    ) -> Result<Outcome> {
        let statement = Arc::clone(&self.statement);
        let run = connection.limited(|connection| async move {
            let context = &connection.run_context;
            statement.run(context, planned, &params, wanted).await
        });
        run.await
    }

    /// The rows of a query for these parameters, as a stream of record batches.
    ///
    /// # Errors
    /// What is wrong with the parameters or the query; `InvalidInput` for a statement that gives no rows.
    pub async fn query(&self, params: impl IntoParameters) -> Result<RowStream> {
        let params = params.into_values(&self.names)?;
        self.query_with(params, Asked::AsRead).await
    }

    /// The same as [`PreparedStatement::query`], by the name that a [`Connection`] has for it.
    ///
    /// # Errors
    /// As [`PreparedStatement::query`].
    pub async fn stream(&self, params: impl IntoParameters) -> Result<RowStream> {
        self.query(params).await
    }

    async fn query_with(&self, params: Vec<ScalarValue>, asked: Asked) -> Result<RowStream> {
        let watch = self.connection.watch(&self.text);
        let given = self.rows_of(watch.connection(), params).await;
        self.stream_of(watch.over(given, asked)?)
    }

    fn stream_of(&self, given: Outcome) -> Result<RowStream> {
        match given {
            Outcome::Rows(stream) => Ok(self.connection.row_stream(stream)),
            _ => Err(no_rows()),
        }
    }

    async fn rows_of(&self, connection: &Connection, params: Vec<ScalarValue>) -> Result<Outcome> {
        let planned = self.renewed().await?;
        let (opened, params) = open(connection, &planned, params)?;
        self.outcome_of(connection, planned, opened, params).await
    }

    /// What is opened, or else the run of the plan.
    async fn outcome_of(
        &self,
        connection: &Connection,
        planned: Arc<Planned>,
        opened: Option<Opened>,
        params: Vec<ScalarValue>,
    ) -> Result<Outcome> {
        match opened {
            Some(opened) => connection.rows_opened(opened).await,
            None => self.run(connection, planned, params, Wanted::Rows).await,
        }
    }

    /// All rows of a query for these parameters, to be read value by value.
    ///
    /// # Errors
    /// As [`PreparedStatement::query`].
    pub async fn rows(&self, params: impl IntoParameters) -> Result<Rows> {
        let params = params.into_values(&self.names)?;
        self.query_with(params, Asked::All).await?.rows().await
    }

    /// The only row of a query for these parameters, or `None`, on the calling thread, which waits for it: for point
    /// reads, which take microseconds, inside of a runtime and outside. For more than that there is
    /// [`PreparedStatement::query`].
    ///
    /// # Errors
    /// As [`PreparedStatement::query`]; `InvalidInput` where there is more than one row.
    pub fn query_row(&self, params: impl IntoParameters) -> Result<Option<Row>> {
        let params = params.into_values(&self.names)?;
        let watch = self.connection.watch(&self.text);
        let given = self.row_of(watch.connection(), params);
        watch.over_row(given)
    }

    /// The only row, or none: read on the calling thread where that takes microseconds, awaited on another elsewhere.
    fn row_of(&self, connection: &Connection, params: Vec<ScalarValue>) -> Result<Option<Row>> {
        let planned = match self.statement.current(&self.connection.run_context) {
            Some(planned) => planned,
            None => {
                let statement = self.clone();
                wait(async move { statement.renewed().await })??
            }
        };
        let (opened, params) = open(connection, &planned, params)?;
        let opened = match opened {
            Some(opened) if opened.is_brief() => return read_at_once(opened),
            opened => opened,
        };
        let (statement, connection) = (self.clone(), connection.clone());
        wait(async move {
            let rows = statement.outcome_of(&connection, planned, opened, params);
            statement.stream_of(rows.await?)?.single().await
        })?
    }

    /// The only value of a query for these parameters, or `None` where it gives no row; as
    /// [`PreparedStatement::query_row`] on the calling thread.
    ///
    /// # Errors
    /// As [`PreparedStatement::query_row`]; `InvalidInput` where there are several columns, or the value is none of the
    /// type.
    pub fn query_scalar<T: for<'row> FromValue<'row>>(
        &self,
        params: impl IntoParameters,
    ) -> Result<Option<T>> {
        let row = self.query_row(params)?;
        row.as_ref().map(Row::only).transpose()
    }

    /// Runs a statement that changes rows, and gives their number.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub async fn execute(&self, params: impl IntoParameters) -> Result<u64> {
        let params = params.into_values(&self.names)?;
        let watch = self.connection.watch(&self.text);
        let given = self.change(watch.connection(), params).await;
        match watch.over(given, Asked::All)? {
            Outcome::Affected { rows, .. } => Ok(rows),
            _ => Err(no_change()),
        }
    }

    async fn change(&self, connection: &Connection, params: Vec<ScalarValue>) -> Result<Outcome> {
        let planned = self.renewed().await?;
        check(&planned, false)?;
        connection.progress().begin();
        let params = planned.placeholders.bind(params)?;
        let direct = connection
            .within()
            .here(connection.run_context.change_directly(&planned, &params));
        if let Some(outcome) = direct.await? {
            return match planned.gives {
                Gives::Changed(verb) => wanted_of(verb, outcome, Wanted::Count).await,
                _ => Ok(outcome),
            };
        }
        self.run(connection, planned, params, Wanted::Count).await
    }
}

#[cfg(test)]
#[path = "prepared_tests.rs"]
mod tests;
