//! Statements as they run: on threads of Halite's own, within the time that they may take, and without panics.
//!
//! A statement is a task of a runtime beside that of the program ([`own_runtime`]), so that what it computes holds up none
//! of the program's tasks. Whoever waits for it hears at once that its time is over; what it has begun is told to end
//! ([`Stop`]), and hears that wherever it looks next. It is told the same when nobody waits for it any more, because its
//! future, or its rows, were dropped.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result as DataFusionResult;
use datafusion::config::ConfigExtension;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::{FutureExt, Stream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, Sleep};

use super::interrupt::{Interruption, Interruptions, interrupted};
use super::outcome::Outcome;
use super::planning_thread::panicked;
use super::waiting::own_runtime;
use super::{deadline, span};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Stop;
use crate::settings::HaliteOptions;
use crate::store::holders::{Held, STATEMENT};

/// How long a statement may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) duration: Duration,
    pub(crate) set_by: SetBy,
}

/// Who says how long a statement may take.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SetBy {
    /// The program, by `with_timeout`.
    Program,
    /// The setting of the connection.
    Setting,
}

impl Limit {
    /// The error of a statement that has taken longer.
    fn exceeded(self) -> Error {
        let limit = self.duration;
        let set_by = match self.set_by {
            SetBy::Program => format!("with_timeout({limit:?}) allows"),
            SetBy::Setting => {
                let prefix = HaliteOptions::PREFIX;
                format!("{prefix}.statement_timeout allows, {limit:?}")
            }
        };
        Error::new(
            ErrorKind::TimedOut,
            format!("the statement was stopped: it has taken longer than {set_by}"),
        )
    }
}

/// What ends a statement, from its beginning to its last row.
pub(crate) struct Within {
    deadline: Option<(Pin<Box<Sleep>>, Limit)>,
    interruption: Interruption,
    interrupts: Arc<Interruptions>,
    held: Held,
}

impl Within {
    /// For a statement that begins, and holds its database.
    pub(crate) fn new(limit: Option<Limit>, interrupts: &Arc<Interruptions>, held: Held) -> Self {
        let deadline =
            limit.map(|limit| (deadline::passed(Instant::now() + limit.duration), limit));
        Self {
            deadline,
            interruption: interrupts.next(),
            interrupts: Arc::clone(interrupts),
            held,
        }
    }

    /// What `statement` gives, on threads of Halite's own; `stop` is what it and its rows are told to end by.
    ///
    /// # Errors
    /// Those of the statement; `TimedOut` where it takes too long; `Interrupted`; `Internal` where it panics.
    pub(crate) async fn apart(
        self,
        statement: impl Future<Output = Result<Outcome>> + Send + 'static,
        stop: Stop,
    ) -> Result<Outcome> {
        let closing = self.interrupts.next_of_all();
        let statement = Task::spawn(statement, stop.clone(), closing)?;
        self.ended(statement, stop).await
    }

    /// What `statement` gives on the caller's own thread, for one that computes next to nothing: it may wait.
    ///
    /// # Errors
    /// As [`Within::apart`].
    pub(crate) async fn here<T>(mut self, statement: impl Future<Output = Result<T>>) -> Result<T> {
        let statement = AssertUnwindSafe(Box::pin(statement)).catch_unwind();
        tokio::select! {
            biased;
            given = statement => {
                given.map_err(|panic| panicked("this statement", panic.as_ref()))?
            }
            error = self.end() => Err(error),
        }
    }

    async fn ended(mut self, statement: Task<Result<Outcome>>, stop: Stop) -> Result<Outcome> {
        let given = tokio::select! {
            biased;
            given = statement => given,
            error = self.end() => Err(error),
        };
        match given?? {
            Outcome::Rows(rows) => Ok(Outcome::Rows(Box::pin(Running {
                schema: rows.schema(),
                rows: Some(Source::Begun(rows)),
                _held: self.held.called("stream"),
                within: self,
                stop,
            }))),
            other => Ok(other),
        }
    }

    /// The error of a statement that is to end.
    async fn end(&mut self) -> Error {
        std::future::poll_fn(|context| self.poll_end(context)).await
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Error> {
        if let Some((deadline, limit)) = &mut self.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(limit.exceeded());
        }
        ready!(self.interruption.as_mut().poll(context));
        Poll::Ready(interrupted())
    }
}

/// A task of Halite's own runtime, which is ended when nobody waits for it any more.
struct Task<T> {
    /// `None` where the database is closed meanwhile.
    task: JoinHandle<Option<T>>,
    _end: End,
}

/// Where tasks run.
fn runtime() -> Result<Handle> {
    // A fault is of the thread of its test.
    #[cfg(test)]
    if (crate::fault::made_here().is_some() || RUNS_HERE.get())
        && let Ok(runtime) = Handle::try_current()
    {
        return Ok(runtime);
    }
    Ok(own_runtime()?.handle().clone())
}

#[cfg(test)]
thread_local! {
    /// Whether statements that this thread waits for run on its own runtime, whose tasks and threads a test counts.
    pub(crate) static RUNS_HERE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl<T: Send + 'static> Task<T> {
    /// A task that does this, until it is dropped, or `closing` ends.
    fn spawn(
        work: impl Future<Output = T> + Send + 'static,
        stop: Stop,
        closing: Interruption,
    ) -> Result<Self> {
        let work = async {
            tokio::select! {
                biased;
                () = closing => None,
                done = work => Some(done),
            }
        };
        let task = runtime()?.spawn(span::in_current(work));
        let _end = End {
            task: task.abort_handle(),
            stop,
        };
        Ok(Self { task, _end })
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let ended = ready!(self.task.poll_unpin(context));
        let ended = ended.map_err(|error| match error.try_into_panic() {
            Ok(panic) => panicked("this statement", panic.as_ref()),
            Err(error) => Error::unavailable("the statement broke off").with_source(error),
        });
        Poll::Ready(ended.and_then(|done| done.ok_or_else(interrupted)))
    }
}

/// Ends a task, and all that it has begun, when it is dropped.
struct End {
    task: AbortHandle,
    stop: Stop,
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.task.is_finished() {
            self.stop.tell();
            self.task.abort();
        }
    }
}

/// The rows of a statement.
enum Source {
    /// Nobody has asked for one yet.
    Begun(SendableRecordBatchStream),
    /// A task reads them.
    Read {
        batches: mpsc::Receiver<DataFusionResult<RecordBatch>>,
        _reading: Task<()>,
    },
}

impl Source {
    /// The rows, read by a task of their own, a batch or two ahead of who asks for them.
    fn read(mut rows: SendableRecordBatchStream, stop: Stop, within: &Within) -> Result<Self> {
        let (sender, batches) = mpsc::channel(1);
        let held = within.held.called(STATEMENT);
        let reading = async move {
            let _held = held;
            loop {
                let next = match AssertUnwindSafe(rows.next()).catch_unwind().await {
                    Ok(Some(next)) => next,
                    Ok(None) => break,
                    Err(panic) => Err(panicked("this statement", panic.as_ref()).into()),
                };
                let is_over = next.is_err();
                if sender.send(next).await.is_err() || is_over {
                    break;
                }
            }
            // Before who reads hears that this is the end. What has panicked may do so again.
            let rows = AssertUnwindSafe(rows);
            let _ = catch_unwind(move || drop(rows));
        };
        let closing = within.interrupts.next_of_all();
        let _reading = Task::spawn(reading, stop, closing)?;
        Ok(Self::Read { batches, _reading })
    }
}

/// Rows, until the time is over. Their source is let go of with the first error.
struct Running {
    schema: SchemaRef,
    rows: Option<Source>,
    within: Within,
    stop: Stop,
    _held: Held,
}

impl Running {
    fn poll_rows(
        &mut self,
        context: &mut Context<'_>,
    ) -> Result<Poll<Option<DataFusionResult<RecordBatch>>>> {
        if let Poll::Ready(error) = self.within.poll_end(context) {
            return Err(error);
        }
        let mut source = match self.rows.take() {
            None => return Ok(Poll::Ready(None)),
            Some(Source::Begun(rows)) => Source::read(rows, self.stop.clone(), &self.within)?,
            Some(source) => source,
        };
        let Source::Read { batches, .. } = &mut source else {
            return Err(Error::internal("rows that nobody reads"));
        };
        let polled = batches.poll_recv(context);
        // Where the database is closed meanwhile, the rows have ended, and are not all.
        if matches!(polled, Poll::Ready(None))
            && let Poll::Ready(error) = self.within.poll_end(context)
        {
            return Err(error);
        }
        if !matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.rows = Some(source);
        }
        Ok(polled)
    }
}

impl Stream for Running {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rows.is_none() {
            return Poll::Ready(None);
        }
        self.poll_rows(context).unwrap_or_else(|error| {
            self.rows = None;
            Poll::Ready(Some(Err(error.into())))
        })
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
