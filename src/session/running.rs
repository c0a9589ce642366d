//! The rows of a statement as they are handed on: within the time that it may take, and without panics.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result as DataFusionResult;
use datafusion::config::ConfigExtension;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::{FutureExt, Stream, StreamExt};
use tokio::time::{Instant, Sleep};

use super::apart::panicked;
use super::deadline;
use super::interrupt::{Interruption, interrupted};
use super::outcome::Outcome;
use crate::error::{Error, Result};
use crate::settings::HaliteOptions;

/// What `statement` gives within its time, which goes on while its rows are read.
///
/// # Errors
/// Those of the statement; `Unavailable` where it takes too long; `Interrupted`; `Internal` where it panics.
pub(super) async fn within(
    limit: Option<Duration>,
    mut interruption: Interruption,
    statement: impl Future<Output = Result<Outcome>>,
) -> Result<Outcome> {
    let mut deadline = limit.map(|limit| (deadline::passed(Instant::now() + limit), limit));
    let statement = AssertUnwindSafe(statement).catch_unwind();
    let statement = async {
        tokio::select! {
            biased;
            given = statement => given,
            () = &mut interruption.come => Ok(Err(interrupted())),
        }
    };
    let given = match &mut deadline {
        None => statement.await,
        Some((passed, limit)) => tokio::select! {
            biased;
            given = statement => given,
            () = passed => return Err(took_too_long(*limit)),
        },
    };
    match given.map_err(|panic| panicked("this statement", panic.as_ref()))?? {
        Outcome::Rows(rows) => Ok(Outcome::Rows(Box::pin(Running {
            schema: rows.schema(),
            rows: Some(match deadline.is_some() || interruption.may_come {
                true => in_a_task(rows),
                false => rows,
            }),
            deadline,
            interruption,
        }))),
        other => Ok(other),
    }
}

/// The same rows, made by a task of their own: what computes for long between two of them does so while its reader waits
/// and hears when it is to end.
fn in_a_task(mut rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let mut task = RecordBatchReceiverStream::builder(rows.schema(), 1);
    let sender = task.tx();
    task.spawn(async move {
        while let Some(batch) = rows.next().await {
            if sender.send(batch).await.is_err() {
                break;
            }
        }
        Ok(())
    });
    task.build()
}

/// The error of a statement that is stopped.
fn took_too_long(limit: Duration) -> Error {
    Error::unavailable(format!(
        "the statement was stopped: it has taken longer than {}.statement_timeout allows, {limit:?}",
        HaliteOptions::PREFIX
    ))
}

/// Rows, until the time is over. Their source is let go of with the first error that is no row's.
struct Running {
    schema: SchemaRef,
    rows: Option<SendableRecordBatchStream>,
    deadline: Option<(Pin<Box<Sleep>>, Duration)>,
    interruption: Interruption,
}

impl Running {
    fn end_with(&mut self, error: Error) -> Poll<Option<DataFusionResult<RecordBatch>>> {
        let rows = AssertUnwindSafe(self.rows.take());
        // What has panicked may do so again.
        let _ = catch_unwind(move || drop(rows));
        Poll::Ready(Some(Err(error.into())))
    }
}

impl Stream for Running {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rows.is_none() {
            return Poll::Ready(None);
        }
        if let Some((deadline, limit)) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            let error = took_too_long(*limit);
            return self.end_with(error);
        }
        if self.interruption.come.as_mut().poll(context).is_ready() {
            return self.end_with(interrupted());
        }
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let rows = self.rows.as_mut();
            rows.map_or(Poll::Ready(None), |rows| rows.as_mut().poll_next(context))
        }));
        match polled {
            Ok(polled) => polled,
            Err(panic) => self.end_with(panicked("this statement", panic.as_ref())),
        }
    }
}

impl RecordBatchStream for Running {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

#[cfg(test)]
#[path = "running_tests.rs"]
mod tests;
