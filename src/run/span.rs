//! Statements as spans of the crate `tracing`, with the feature of that name; without it there are none.

use crate::error::ErrorKind;

/// A future that is in the span that its maker is in, wherever it is polled.
#[cfg(feature = "tracing")]
pub(crate) fn in_current<F: Future>(future: F) -> tracing::instrument::Instrumented<F> {
    tracing::Instrument::in_current_span(future)
}

/// The future, for there are no spans.
#[cfg(not(feature = "tracing"))]
pub(crate) fn in_current<F: Future>(future: F) -> F {
    future
}

/// The span of a statement, a child of the one that its caller is in.
#[derive(Debug)]
pub(crate) struct Span(#[cfg(feature = "tracing")] tracing::Span);

#[cfg(feature = "tracing")]
impl Span {
    /// The span of a statement that begins; `None` where nobody collects such.
    pub(crate) fn of(sql: &str) -> Option<Self> {
        use tracing::field::Empty;
        let span = tracing::info_span!(
            "statement",
            db.system = "halite",
            db.statement = sql,
            rows = Empty,
            keys_read = Empty,
            error = Empty,
        );
        (!span.is_disabled()).then_some(Self(span))
    }

    /// Says how the statement has ended.
    pub(crate) fn record(&self, rows: u64, keys_read: usize, error: Option<ErrorKind>) {
        self.0.record("rows", rows);
        self.0.record("keys_read", keys_read);
        if let Some(kind) = error {
            self.0.record("error", tracing::field::debug(kind));
        }
    }
}

#[cfg(not(feature = "tracing"))]
impl Span {
    pub(crate) fn of(_: &str) -> Option<Self> {
        None
    }

    pub(crate) fn record(&self, _rows: u64, _keys_read: usize, _error: Option<ErrorKind>) {}
}
