//! The statements of a connection that somebody looks at; see [`observe`](super::observe).

use std::sync::Arc;

use super::Connection;
use super::observe::{Asked, Observer, StatementReport, Watched};
use crate::error::Result;
use crate::run::meter::Meter;
use crate::run::outcome::Outcome;
use crate::run::span::Span;

impl Connection {
    /// The same connection, settings included, whose statements `meter` looks at.
    pub fn metered(&self, meter: Arc<Meter>) -> Self {
        let mut metered = self.clone();
        metered.run_context.meter = Some(meter);
        metered
    }

    /// What looks at what its statements read.
    pub(crate) fn meter(&self) -> Option<&Arc<Meter>> {
        self.run_context.meter.as_ref()
    }

    /// The same connection, settings included, each of whose statements is reported when it is done: for metrics and logs
    /// of slow statements. `observer` is called on the thread that ends the statement, which waits for it.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// static KEYS_READ: AtomicUsize = AtomicUsize::new(0);
    ///
    /// let connection = halite::Database::in_memory()?.connect().with_observer(|done| {
    ///     KEYS_READ.fetch_add(done.keys_read, Ordering::Relaxed);
    ///     if done.duration.as_secs() >= 1 {
    ///         eprintln!("slow, {:?}: {}", done.duration, done.sql);
    ///     }
    /// });
    /// connection.execute("CREATE TABLE gull (id INT, PRIMARY KEY (id))", ()).await?;
    /// connection.execute("INSERT INTO gull VALUES (1), (2), (3)", ()).await?;
    /// connection.query("SELECT id FROM gull WHERE id >= 2", ()).await?;
    /// assert_eq!(KEYS_READ.load(Ordering::Relaxed), 2);
    /// # Ok::<(), halite::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Statements run by [`Connection::sql`], whose rows DataFusion reads, and rows of an appender are not reported.
    #[must_use]
    pub fn with_observer(
        &self,
        observer: impl Fn(&StatementReport<'_>) + Send + Sync + 'static,
    ) -> Self {
        let mut observed = self.clone();
        observed.observer = Some(Observer(Arc::new(observer)));
        observed
    }

    /// Watches a statement that begins.
    pub(crate) fn watch(&self, sql: &str) -> Watch<'_> {
        let span = Span::of(sql);
        if self.observer.is_none() && span.is_none() {
            return Watch {
                connection: self,
                watched: None,
            };
        }
        let meter = Arc::new(Meter::beside(self.meter()));
        let (observer, counted) = (self.observer.clone(), Arc::clone(&meter));
        let watched = Watched::begin(sql, observer, span, counted);
        Watch {
            connection: self,
            watched: Some(Box::new((self.metered(meter), watched))),
        }
    }
}

/// A statement that has begun, and the connection to run it on.
pub(crate) struct Watch<'a> {
    /// That of the statement, where nobody looks at it.
    connection: &'a Connection,
    watched: Option<Box<(Connection, Watched)>>,
}

impl Watch<'_> {
    /// The connection to run the statement on.
    pub(crate) fn connection(&self) -> &Connection {
        match self.watched.as_deref() {
            Some((metered, _)) => metered,
            None => self.connection,
        }
    }

    /// What the statement has given, on the way to who asked for it.
    pub(crate) fn over(self, given: Result<Outcome>, asked: Asked) -> Result<Outcome> {
        match self.watched.map(|watched| *watched) {
            Some((_, watched)) => watched.over(given, asked),
            None => given,
        }
    }

    /// The only row of a statement, or none.
    pub(crate) fn over_row<T>(self, given: Result<Option<T>>) -> Result<Option<T>> {
        match self.watched.map(|watched| *watched) {
            Some((_, watched)) => watched.over_row(given),
            None => given,
        }
    }
}
