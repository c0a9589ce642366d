//! What a program is told of its statements when they are done: how long they took, and what they read.
//!
//! A statement is watched from where its text, or its values, are taken until its last row is read, or nobody wants its
//! rows any more. One whose connection nobody looks at costs nothing.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Result as DataFusionResult;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream};
use futures::{Stream, StreamExt};

use crate::error::{Error, ErrorKind, Result};
use crate::run::meter::Meter;
use crate::run::outcome::Outcome;
use crate::run::span::Span;

/// What there is to say of a statement that is done; see
/// [`Connection::with_observer`](super::Connection::with_observer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatementReport<'a> {
    /// The statement as it was written.
    pub sql: &'a str,
    /// From its beginning until its last row was read, it failed, or its rows were let go of.
    pub duration: Duration,
    /// Rows that it gave, or changed.
    pub rows: u64,
    /// Entries of the store that its scans read, filtered out or not.
    pub keys_read: usize,
    /// Why it failed; [`ErrorKind::Interrupted`], too, where its future was dropped before it was ready. Of a stream whose
    /// reader wants no more rows nothing has failed.
    pub error: Option<ErrorKind>,
}

/// Whom statements are reported to.
#[derive(Clone)]
pub(crate) struct Observer(pub(crate) Arc<dyn Fn(&StatementReport<'_>) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// What of a statement's rows is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// All of them, by a future that gathers them.
    All,
    /// As many as their reader likes.
    AsRead,
}

/// A statement that is not done yet; it is when this is dropped.
pub(crate) struct Watched {
    sql: String,
    observer: Option<Observer>,
    span: Option<Span>,
    meter: Arc<Meter>,
    began: Instant,
    rows: u64,
    error: Option<ErrorKind>,
}

impl Watched {
    /// One that begins, and is looked at by `meter`.
    pub(crate) fn begin(
        sql: &str,
        observer: Option<Observer>,
        span: Option<Span>,
        meter: Arc<Meter>,
    ) -> Self {
        Self {
            sql: sql.to_owned(),
            observer,
            span,
            meter,
            began: Instant::now(),
            rows: 0,
            error: Some(ErrorKind::Interrupted),
        }
    }

    /// What the statement has given, on the way to who asked for it.
    pub(crate) fn over(mut self, given: Result<Outcome>, asked: Asked) -> Result<Outcome> {
        self.error = given.as_ref().err().map(Error::kind);
        match given {
            Ok(Outcome::Rows(rows)) => {
                if asked == Asked::All {
                    self.error = Some(ErrorKind::Interrupted);
                }
                let rows = WatchedRows {
                    rows,
                    watched: self,
                    has_failed: false,
                };
                Ok(Outcome::Rows(Box::pin(rows)))
            }
            Ok(Outcome::Affected { verb, rows }) => {
                self.rows = rows;
                Ok(Outcome::Affected { verb, rows })
            }
            other => other,
        }
    }

    /// The only row of a statement, or none.
    pub(crate) fn over_row<T>(mut self, given: Result<Option<T>>) -> Result<Option<T>> {
        self.error = given.as_ref().err().map(Error::kind);
        self.rows = u64::from(matches!(given, Ok(Some(_))));
        given
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let report = StatementReport {
            sql: &self.sql,
            duration: self.began.elapsed(),
            rows: self.rows,
            keys_read: self.meter.totals().keys_read,
            error: self.error,
        };
        if let Some(span) = &self.span {
            span.record(report.rows, report.keys_read, report.error);
        }
        if let Some(Observer(tell)) = &self.observer {
            tell(&report);
        }
    }
}

/// The rows of a statement, counted.
struct WatchedRows {
    // Dropped first, so that all is read that is counted.
    rows: SendableRecordBatchStream,
    watched: Watched,
    has_failed: bool,
}

impl Stream for WatchedRows {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let batch = match ready!(self.rows.poll_next_unpin(context)) {
            Some(Ok(batch)) => {
                self.watched.rows += batch.num_rows() as u64;
                Ok(batch)
            }
            Some(Err(error)) => {
                let error = Error::from(error);
                self.watched.error = Some(error.kind());
                self.has_failed = true;
                Err(error.into())
            }
            None => {
                if !self.has_failed {
                    self.watched.error = None;
                }
                return Poll::Ready(None);
            }
        };
        Poll::Ready(Some(batch))
    }
}

impl RecordBatchStream for WatchedRows {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
