//! What the tests of the front door share: sessions with and without it, connections, and their answers as text.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;

use super::{Connection, Database};
use crate::plan::bind::statement::plan_of;
use crate::plan::rule::install;
use crate::run::meter::Meter;
use crate::sql::parse::{Command, parse};
use crate::sql::stack::large_stack;

/// A session of Halite's rules.
pub fn mended() -> SessionContext {
    let builder = SessionStateBuilder::new_with_default_features();
    SessionContext::new_with_state(install(builder).build())
}

/// DataFusion as it comes.
pub fn plain() -> SessionContext {
    SessionContext::new()
}

/// Plans the only statement of `sql` as Halite does.
pub async fn plan(session: &SessionContext, sql: &str) -> Result<LogicalPlan, String> {
    let mut statements = parse(sql).map_err(|error| error.to_string())?;
    let Some(Command::Sql(statement)) = statements.pop().map(|parsed| parsed.command) else {
        return Err(format!("no SQL: {sql}"));
    };
    large_stack(plan_of(&session.state(), *statement))
        .await
        .map_err(|error| error.strip_backtrace())
}

/// The rows of one statement, through Halite's parse; each as its values joined by `|`.
pub async fn try_rows(session: &SessionContext, sql: &str) -> Result<Vec<String>, String> {
    let plan = plan(session, sql).await?;
    let run = async { session.execute_logical_plan(plan).await?.collect().await };
    let batches = large_stack(run).await;
    batches
        .map(|batches| texts(&batches))
        .map_err(|error| error.strip_backtrace())
}

/// [`try_rows`], sorted, of a statement that must not fail.
pub async fn rows(session: &SessionContext, sql: &str) -> Vec<String> {
    let mut rows = try_rows(session, sql)
        .await
        .unwrap_or_else(|error| panic!("{sql}\n{error}"));
    rows.sort();
    rows
}

/// The rows of a query, sorted, and how many keys were read for it.
pub async fn read(connection: &Connection, sql: &str) -> (Vec<String>, usize) {
    let meter = Arc::new(Meter::default());
    let metered = connection.metered(Arc::clone(&meter));
    let mut rows = texts(&metered.query(sql, ()).await.expect(sql));
    rows.sort();
    (rows, meter.totals().keys_read)
}

/// A connection to a new database in which these statements were run.
pub async fn with(statements: &[&str]) -> Connection {
    let connection = Database::in_memory().unwrap().connect();
    for statement in statements {
        run(&connection, statement).await.expect(statement);
    }
    connection
}

/// Runs a statement on a connection; gives the number of rows that it changed, or its error.
pub async fn run(connection: &Connection, sql: &str) -> Result<u64, String> {
    let done = connection.execute(sql, ()).await;
    done.map_err(|error| error.to_string())
}

/// The rows of a query on a connection, as [`try_rows`] gives those of a session.
pub async fn rows_of(connection: &Connection, sql: &str) -> Vec<String> {
    texts(&connection.query(sql, ()).await.expect(sql))
}

/// The rows as DataFusion parses and answers, or its error.
pub async fn plain_rows(session: &SessionContext, sql: &str) -> Result<Vec<String>, String> {
    let run = async { session.sql(sql).await?.collect().await };
    let batches = run.await.map_err(|error| {
        error
            .strip_backtrace()
            .lines()
            .next()
            .unwrap_or_default()
            .to_string()
    })?;
    let mut rows = texts(&batches);
    rows.sort();
    Ok(rows)
}

/// The optimized plan as text.
pub async fn optimized(session: &SessionContext, sql: &str) -> String {
    let plan = plan(session, sql)
        .await
        .unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let optimized = session.state().optimize(&plan);
    optimized
        .unwrap_or_else(|error| panic!("{sql}\n{error}"))
        .display_indent()
        .to_string()
}

pub fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).expect("formatter"))
            .collect();
        for row in 0..batch.num_rows() {
            let values: Vec<_> = columns
                .iter()
                .map(|column| column.value(row).to_string())
                .collect();
            rows.push(values.join("|"));
        }
    }
    rows
}
