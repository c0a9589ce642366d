//! What a statement gives, and what is known of that before it is run.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::datatypes::UInt64Type;
use datafusion::common::tree_node::TreeNode;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{LogicalPlan, WriteOp};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, common::collect, execute_stream};
use sqlparser::ast::Statement as SqlStatement;

use crate::error::{Error, Result};
use crate::plan::change::{ChangeNode, gives_rows};
use crate::sql::written::Written;

/// What a statement gives back.
pub enum Outcome {
    /// Rows, still to be read.
    Rows(SendableRecordBatchStream),
    /// The number of rows that were changed.
    Affected {
        /// `INSERT`, `DELETE`, `COPY`.
        verb: &'static str,
        /// Rows written or deleted.
        rows: u64,
    },
    /// Nothing but that it is done.
    Done {
        /// `CREATE TABLE`, `SET` …
        verb: String,
    },
}

/// The outcome of a statement that gives nothing but that it is done.
pub(crate) fn done(verb: &str) -> Outcome {
    Outcome::Done {
        verb: verb.to_owned(),
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rows(stream) => f.debug_tuple("Rows").field(&stream.schema()).finish(),
            Self::Affected { verb, rows } => write!(f, "{verb} {rows}"),
            Self::Done { verb } => f.write_str(verb),
        }
    }
}

/// What whoever runs a statement can take. It is asked for before the statement is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Anything,
    Rows,
    /// The number of rows that it changes, also of one that gives them back.
    Count,
}

impl Wanted {
    pub(crate) fn check(self, gives_rows: bool) -> Result<()> {
        match self {
            Self::Rows if !gives_rows => Err(no_rows()),
            _ => Ok(()),
        }
    }
}

/// What kind of outcome a statement has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    Rows,
    /// The number of rows that it changes.
    Count,
    /// The rows that it changes, behind the verb.
    Changed(&'static str),
}

impl Gives {
    pub(crate) fn of(plan: &LogicalPlan) -> Self {
        match (gives_rows(plan), ChangeNode::of(plan)) {
            (false, _) => Self::Count,
            (true, None) => Self::Rows,
            (true, Some(change)) => Self::Changed(change.verb()),
        }
    }

    /// The same for a statement that [takes parameters](takes_parameters).
    pub(crate) fn of_statement(statement: &SqlStatement) -> Self {
        let changed = |verb, gives_back: bool| {
            if gives_back {
                Self::Changed(verb)
            } else {
                Self::Count
            }
        };
        match statement {
            SqlStatement::Prepare { statement, .. } => Self::of_statement(statement),
            SqlStatement::Insert(insert) => changed("INSERT", insert.returning.is_some()),
            SqlStatement::Update(update) => changed("UPDATE", update.returning.is_some()),
            SqlStatement::Delete(delete) => changed("DELETE", delete.returning.is_some()),
            SqlStatement::Merge(merge) => changed("MERGE", merge.output.is_some()),
            _ => Self::Rows,
        }
    }

    pub(crate) fn rows(self) -> bool {
        self != Self::Count
    }
}

/// The error of a statement that is run for its rows.
pub(crate) fn no_rows() -> Error {
    Error::invalid("this statement gives no rows; use execute")
}

/// Whether a statement is planned with placeholders in it.
pub(crate) fn takes_parameters(parsed: &Written) -> bool {
    parsed.explain.is_some() || reads_or_changes(&parsed.sql)
}

/// Whether a statement is a query or a change.
pub(super) fn reads_or_changes(statement: &SqlStatement) -> bool {
    matches!(
        statement,
        SqlStatement::Query(_)
            | SqlStatement::Insert(_)
            | SqlStatement::Update { .. }
            | SqlStatement::Delete(_)
            | SqlStatement::Merge { .. }
    )
}

/// The error of a statement that cannot be prepared.
pub(crate) fn no_prepared() -> Error {
    Error::unsupported(
        "only SELECT, INSERT, UPDATE, DELETE, MERGE and EXPLAIN of these can be prepared",
    )
}

/// A change inside another statement (`EXPLAIN DELETE …`) would come to DataFusion's hooks, which lose the WHERE.
pub(crate) fn refuse_hidden_changes(plan: &LogicalPlan) -> Result<()> {
    let hidden = plan.exists(|node| {
        Ok(match node {
            LogicalPlan::Dml(dml) => !matches!(dml.op, WriteOp::Insert(_)),
            LogicalPlan::Copy(_) => true,
            _ => false,
        })
    })?;
    if hidden {
        return Err(Error::unsupported(
            "a change inside another statement is not implemented",
        ));
    }
    Ok(())
}

/// What is wanted of a change: the number of rows, if it is that, of which it gives back each one.
///
/// # Errors
/// Those of its rows.
pub(crate) async fn wanted_of(
    verb: &'static str,
    outcome: Outcome,
    wanted: Wanted,
) -> Result<Outcome> {
    match (outcome, wanted) {
        (Outcome::Rows(rows), Wanted::Count) => {
            let batches = collect(rows).await?;
            let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
            Ok(Outcome::Affected { verb, rows })
        }
        (other, _) => Ok(other),
    }
}

/// Runs a change to its end: the rows that it gives back are there when it is done.
pub(crate) async fn of_change(
    state: &SessionState,
    plan: Arc<dyn ExecutionPlan>,
    verb: &'static str,
    gives_rows: bool,
) -> Result<Outcome> {
    if !gives_rows {
        let rows = count(state, plan).await?;
        return Ok(Outcome::Affected { verb, rows });
    }
    let schema = plan.schema();
    let batches = collect(execute_stream(plan, state.task_ctx())?).await?;
    let rows = futures::stream::iter(batches.into_iter().map(Ok));
    let rows = RecordBatchStreamAdapter::new(schema, rows);
    Ok(Outcome::Rows(Box::pin(rows)))
}

/// Runs a plan that yields the number of rows it changed.
pub(crate) async fn count(state: &SessionState, plan: Arc<dyn ExecutionPlan>) -> Result<u64> {
    let batches = collect(execute_stream(plan, state.task_ctx())?).await?;
    let counts = batches
        .iter()
        .filter_map(|batch| batch.column(0).as_primitive_opt::<UInt64Type>());
    Ok(counts.flat_map(|counts| counts.iter().flatten()).sum())
}

/// A column of texts.
pub(crate) fn strings(values: impl IntoIterator<Item = String>) -> ArrayRef {
    Arc::new(values.into_iter().map(Some).collect::<StringArray>())
}

/// A result that is there already.
pub(crate) fn rows(columns: Vec<(&str, ArrayRef)>) -> Result<Outcome> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .map_err(|error| Error::internal("the rows of a command").with_source(error))?;
    let schema = batch.schema();
    let stream = RecordBatchStreamAdapter::new(schema, futures::stream::iter([Ok(batch)]));
    Ok(Outcome::Rows(Box::pin(stream) as SendableRecordBatchStream))
}
