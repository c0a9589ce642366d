//! The same without `async`: a [`Database`] and a [`Connection`] whose methods return when they are done.
//!
//! For programs and tests without a runtime, and for threads of one that may wait: `tokio::task::spawn_blocking`,
//! `block_in_place`. Inside of an asynchronous task every call is refused with an error, for it would hold up the thread
//! that others' tasks wait for: use [`halite::Connection`](crate::session::Connection) there.
//!
//! ```
//! use halite::blocking::Database;
//!
//! let connection = Database::in_memory()?.connect();
//! connection.execute("CREATE TABLE cpu (host TEXT, usage DOUBLE, PRIMARY KEY (host))", ())?;
//! connection.execute("INSERT INTO cpu VALUES ($1, $2)", ("web-1", 0.5))?;
//! let row = connection.query_row("SELECT usage FROM cpu WHERE host = $1", ("web-1",))?;
//! assert_eq!(row.map(|row| row.get::<f64>("usage")).transpose()?, Some(0.5));
//! let batches = connection.sql("SELECT * FROM cpu")?.map(|frame| frame.limit(0, Some(1)))?.collect()?;
//! assert_eq!(batches[0].num_rows(), 1);
//! # Ok::<(), halite::Error>(())
//! ```

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::{TableFunctionImpl, TableProvider};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF, WindowUDF};
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::task::coop;

use super::{
    AppenderOptions, Description, FromValue, IntoParameters, Progress, Row, RowStream, Rows,
    StatementReport, Warnings,
};
use crate::admin::check::CheckReport;
use crate::error::{Error, Result};
use crate::run::interrupt::InterruptHandle;
use crate::run::waiting::own_runtime;
use crate::store::StoreOptions;

/// What a future gives, for a thread that may wait for it.
fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    refuse_inside_task()?;
    let _inside = own_runtime()?.enter();
    let waker = Arc::new(Waiting(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(given) => return given,
            Poll::Pending => thread::park(),
        }
    }
}

/// A thread that waits for a future.
struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// More than a task may do before others have their turn.
const MORE_THAN_A_TURN: u32 = 1_000;

/// Refuses what would hold up the tasks of a runtime. A thread of one may wait where the runtime knows of it, in
/// `spawn_blocking` and `block_in_place`: what is done there is not counted, of which a task may do so much at a turn.
fn refuse_inside_task() -> Result<()> {
    let mut context = Context::from_waker(Waker::noop());
    let is_counted = Handle::try_current().is_ok()
        && (0..MORE_THAN_A_TURN).any(|_| match coop::poll_proceed(&mut context) {
            Poll::Ready(turn) => {
                turn.made_progress();
                false
            }
            Poll::Pending => true,
        });
    if is_counted {
        Err(Error::invalid(
            "a blocking call inside of an asynchronous task would hold up others: use halite::Database and \
             halite::Connection there, or call from a thread that may wait, that of tokio::task::spawn_blocking or \
             block_in_place, or one of its own",
        ))
    } else {
        Ok(())
    }
}

/// An open database, as [`halite::Database`](crate::session::Database), without `async`.
#[derive(Debug, Clone)]
pub struct Database {
    inner: super::Database,
}

impl Database {
    /// Opens the database in the directory `path`, and makes it where there is none.
    ///
    /// # Errors
    /// As [`halite::Database::open`](super::Database::open).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, StoreOptions::default())
    }

    /// As [`Database::open`], with other options than the default.
    ///
    /// # Errors
    /// As [`halite::Database::open_with`](super::Database::open_with).
    pub fn open_with(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self> {
        let inner = block_on(super::Database::open_with(path, options))?;
        Ok(Self { inner })
    }

    /// Opens the database for reading alone.
    ///
    /// # Errors
    /// As [`halite::Database::open_read_only`](super::Database::open_read_only).
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self> {
        let inner = block_on(super::Database::open_read_only(path))?;
        Ok(Self { inner })
    }

    /// A new database that is gone when it is dropped.
    ///
    /// # Errors
    /// As [`halite::Database::in_memory`](super::Database::in_memory).
    pub fn in_memory() -> Result<Self> {
        let inner = super::Database::in_memory()?;
        Ok(Self { inner })
    }

    /// A connection with settings of its own.
    pub fn connect(&self) -> Connection {
        Connection {
            inner: self.inner.connect(),
        }
    }

    /// Copies the database, as it is at one moment, into a new directory, while it is read and written.
    ///
    /// # Errors
    /// As [`halite::Database::backup`](super::Database::backup).
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<()> {
        block_on(self.inner.backup(path))
    }

    /// Makes a database in a new directory from a backup.
    ///
    /// # Errors
    /// As [`halite::Database::restore`](super::Database::restore).
    pub fn restore(backup: impl AsRef<Path>, path: impl AsRef<Path>) -> Result<()> {
        block_on(super::Database::restore(backup, path))
    }

    /// Reads everything in this database and reports what is damaged.
    ///
    /// # Errors
    /// As [`halite::Database::check`](super::Database::check).
    pub fn check(&self) -> Result<CheckReport> {
        block_on(self.inner.check())
    }

    /// Ends the statements of all connections, and closes the database.
    ///
    /// # Errors
    /// As [`halite::Database::close`](super::Database::close).
    pub fn close(self) -> Result<()> {
        block_on(self.inner.close())
    }

    /// The same database for asynchronous code.
    pub fn asynchronous(&self) -> &super::Database {
        &self.inner
    }
}

/// A connection, as [`halite::Connection`](super::Connection), without `async`.
#[derive(Debug, Clone)]
pub struct Connection {
    inner: super::Connection,
}

impl Connection {
    /// Runs one statement with parameters and gives the number of rows that it changed.
    ///
    /// # Errors
    /// As [`halite::Connection::execute`](super::Connection::execute).
    pub fn execute(&self, sql: &str, params: impl IntoParameters) -> Result<u64> {
        block_on(self.inner.execute(sql, params))
    }

    /// Runs the statements of a script, in order, up to the first that fails; rows are dropped.
    ///
    /// # Errors
    /// Those of the script, before anything is run, or of the first statement that fails.
    pub fn execute_script(&self, script: &str) -> Result<()> {
        block_on(self.inner.execute_script(script))
    }

    /// All rows of one query, as record batches.
    ///
    /// # Errors
    /// As [`halite::Connection::query`](super::Connection::query).
    pub fn query(&self, sql: &str, params: impl IntoParameters) -> Result<Vec<RecordBatch>> {
        block_on(self.inner.query(sql, params))
    }

    /// The record batches of one query as they are read.
    ///
    /// # Errors
    /// As [`halite::Connection::stream`](super::Connection::stream).
    pub fn stream(&self, sql: &str, params: impl IntoParameters) -> Result<Batches> {
        let stream = block_on(self.inner.stream(sql, params))?;
        Ok(Batches { stream })
    }

    /// All rows of one query, to be read value by value.
    ///
    /// # Errors
    /// As [`halite::Connection::rows`](super::Connection::rows).
    pub fn rows(&self, sql: &str, params: impl IntoParameters) -> Result<Rows> {
        block_on(self.inner.rows(sql, params))
    }

    /// The only row of one query, or `None`.
    ///
    /// # Errors
    /// As [`halite::Connection::query_row`](super::Connection::query_row).
    pub fn query_row(&self, sql: &str, params: impl IntoParameters) -> Result<Option<Row>> {
        block_on(self.inner.query_row(sql, params))
    }

    /// The only value of one query, or `None` where it gives no row.
    ///
    /// # Errors
    /// As [`halite::Connection::query_scalar`](super::Connection::query_scalar).
    pub fn query_scalar<T: for<'row> FromValue<'row>>(
        &self,
        sql: &str,
        params: impl IntoParameters,
    ) -> Result<Option<T>> {
        block_on(self.inner.query_scalar(sql, params))
    }

    /// Parses and plans a statement once, to be run many times.
    ///
    /// # Errors
    /// As [`halite::Connection::prepare`](super::Connection::prepare).
    pub fn prepare(&self, sql: &str) -> Result<PreparedStatement> {
        Ok(PreparedStatement {
            inner: block_on(self.inner.prepare(sql))?,
        })
    }

    /// The columns that a statement gives and the parameters that it takes, without running it.
    ///
    /// # Errors
    /// As [`halite::Connection::describe`](super::Connection::describe).
    pub fn describe(&self, sql: &str) -> Result<Description> {
        block_on(self.inner.describe(sql))
    }

    /// A query as DataFusion's data frame: nothing is read before it is collected.
    ///
    /// # Errors
    /// As [`halite::Connection::sql`](super::Connection::sql).
    pub fn sql(&self, sql: &str) -> Result<DataFrame> {
        Ok(DataFrame {
            inner: block_on(self.inner.sql(sql))?,
        })
    }

    /// Lets statements read a table of DataFusion's under a name.
    ///
    /// # Errors
    /// As [`halite::Connection::register_table`](super::Connection::register_table).
    pub fn register_table(
        &self,
        name: &str,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        self.inner.register_table(name, table)
    }

    /// Takes away a table that was registered, and gives it back.
    pub fn deregister_table(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.inner.deregister_table(name)
    }

    /// Lets statements call a function. One of its name that was there before is called no more.
    pub fn register_udf(&self, function: ScalarUDF) {
        self.inner.register_udf(function);
    }

    /// As [`Connection::register_udf`], of an aggregate function.
    pub fn register_udaf(&self, function: AggregateUDF) {
        self.inner.register_udaf(function);
    }

    /// As [`Connection::register_udf`], of a window function.
    pub fn register_udwf(&self, function: WindowUDF) {
        self.inner.register_udwf(function);
    }

    /// As [`Connection::register_udf`], of a function that gives a table.
    pub fn register_udtf(&self, name: &str, function: Arc<dyn TableFunctionImpl>) {
        self.inner.register_udtf(name, function);
    }

    /// What its statements have warned of, and nobody has taken yet.
    pub fn warnings(&self) -> &Warnings {
        self.inner.warnings()
    }

    /// How far the connection's statement is, to be looked at from another thread.
    pub fn progress(&self) -> &Progress {
        self.inner.progress()
    }

    /// The same connection, each of whose statements is reported when it is done; see
    /// [`halite::Connection::with_observer`](super::Connection::with_observer).
    #[must_use]
    pub fn with_observer(
        &self,
        observer: impl Fn(&StatementReport<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: self.inner.with_observer(observer),
        }
    }

    /// What ends the statements of this connection, from another thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.inner.interrupt_handle()
    }

    /// The same connection, settings included, whose statements each take so long at most.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            inner: self.inner.with_timeout(timeout),
        }
    }

    /// Adds rows to a table without SQL around each.
    ///
    /// # Errors
    /// As [`halite::Connection::appender`](super::Connection::appender).
    pub fn appender(&self, table: &str) -> Result<Appender> {
        self.appender_with(table, AppenderOptions::default())
    }

    /// As [`Connection::appender`], with other options than the default.
    ///
    /// # Errors
    /// As [`Connection::appender`].
    pub fn appender_with(&self, table: &str, options: AppenderOptions) -> Result<Appender> {
        Ok(Appender {
            inner: self.inner.appender_with(table, options)?,
        })
    }

    /// The same connection for asynchronous code.
    pub fn asynchronous(&self) -> &super::Connection {
        &self.inner
    }
}

/// A query as DataFusion's data frame, without `async`. What is not here is done with [`DataFrame::into_inner`], and what
/// comes of that is run with [`DataFrame::map`].
#[derive(Debug, Clone)]
pub struct DataFrame {
    inner: datafusion::dataframe::DataFrame,
}

impl DataFrame {
    /// All rows, as record batches.
    ///
    /// # Errors
    /// What reading meets.
    pub fn collect(self) -> Result<Vec<RecordBatch>> {
        let Self { inner } = self;
        block_on(async { inner.collect().await.map_err(Error::from) })
    }

    /// The record batches as they are read.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub fn stream(self) -> Result<Batches> {
        let Self { inner } = self;
        let stream = block_on(async { inner.execute_stream().await.map_err(Error::from) })?;
        Ok(Batches {
            stream: RowStream::from(stream),
        })
    }

    /// The frame that DataFusion makes of this one: `frame.map(|frame| frame.limit(0, Some(10)))`.
    ///
    /// # Errors
    /// Those of DataFusion.
    pub fn map(
        self,
        change: impl FnOnce(
            datafusion::dataframe::DataFrame,
        ) -> datafusion::common::Result<datafusion::dataframe::DataFrame>,
    ) -> Result<Self> {
        Ok(Self {
            inner: change(self.inner)?,
        })
    }

    /// The same for asynchronous code.
    pub fn into_inner(self) -> datafusion::dataframe::DataFrame {
        self.inner
    }
}

/// A statement that is planned once and run many times, without `async`.
#[derive(Debug, Clone)]
pub struct PreparedStatement {
    inner: super::PreparedStatement,
}

impl PreparedStatement {
    /// The columns that it gives and the parameters that it takes.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::describe`](super::PreparedStatement::describe).
    pub fn describe(&self) -> Result<Description> {
        block_on(self.inner.describe())
    }

    /// The record batches of a query as they are read.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::query`](super::PreparedStatement::query).
    pub fn query(&self, params: impl IntoParameters) -> Result<Batches> {
        let stream = block_on(self.inner.query(params))?;
        Ok(Batches { stream })
    }

    /// The same as [`PreparedStatement::query`], by the name that a [`Connection`] has for it.
    ///
    /// # Errors
    /// As [`PreparedStatement::query`].
    pub fn stream(&self, params: impl IntoParameters) -> Result<Batches> {
        self.query(params)
    }

    /// All rows of a query, to be read value by value.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::rows`](super::PreparedStatement::rows).
    pub fn rows(&self, params: impl IntoParameters) -> Result<Rows> {
        block_on(self.inner.rows(params))
    }

    /// The only row of a query, or `None`.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::query_row`](super::PreparedStatement::query_row).
    pub fn query_row(&self, params: impl IntoParameters) -> Result<Option<Row>> {
        self.inner.query_row(params)
    }

    /// The only value of a query, or `None` where it gives no row.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::query_scalar`](super::PreparedStatement::query_scalar).
    pub fn query_scalar<T: for<'row> FromValue<'row>>(
        &self,
        params: impl IntoParameters,
    ) -> Result<Option<T>> {
        self.inner.query_scalar(params)
    }

    /// Runs a statement that changes rows, and gives their number.
    ///
    /// # Errors
    /// As [`halite::PreparedStatement::execute`](super::PreparedStatement::execute).
    pub fn execute(&self, params: impl IntoParameters) -> Result<u64> {
        block_on(self.inner.execute(params))
    }
}

/// The record batches of a query, read as they are asked for. Reading ends when it is dropped.
#[derive(Debug)]
pub struct Batches {
    stream: RowStream,
}

impl Batches {
    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = block_on(async { self.stream.next().await.transpose() });
        next.transpose()
    }
}

/// Adds rows to one table, as [`halite::Appender`](super::Appender), without `async`.
#[derive(Debug)]
pub struct Appender {
    inner: super::Appender,
}

impl Appender {
    /// Adds one row.
    ///
    /// # Errors
    /// As [`halite::Appender::append_row`](super::Appender::append_row).
    pub fn append_row(&mut self, row: impl IntoParameters) -> Result<()> {
        self.inner.append_row(row)
    }

    /// Adds the rows of a batch.
    ///
    /// # Errors
    /// As [`halite::Appender::append_batch`](super::Appender::append_batch).
    pub fn append_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        self.inner.append_batch(batch)
    }

    /// Rows that were appended and are not written yet.
    pub fn pending(&self) -> u64 {
        self.inner.pending()
    }

    /// Writes the rows so far, all or none, and goes on.
    ///
    /// # Errors
    /// As [`halite::Appender::flush`](super::Appender::flush).
    pub fn flush(&mut self) -> Result<u64> {
        block_on(self.inner.flush())
    }

    /// Writes all rows that are not written yet, all or none; gives the number of all that the appender has written.
    ///
    /// # Errors
    /// As [`halite::Appender::finish`](super::Appender::finish).
    pub fn finish(self) -> Result<u64> {
        block_on(self.inner.finish())
    }
}

#[cfg(test)]
#[path = "blocking_tests.rs"]
mod tests;
