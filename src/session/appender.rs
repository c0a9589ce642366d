//! Rows into one table, without SQL around each.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;

use super::{Connection, IntoParameters};
use crate::error::{Error, ErrorKind, Result};
use crate::key::RowError;
use crate::plan::bind::column_rules;
use crate::plan::bind::parameters::wanted::put_in_zone_of;
use crate::row::RowWriter;
use crate::store::Durability;
use crate::table::HaliteTable;
use crate::write::{Change, RowBuffer, WriteSet, WriteSettings, commit};

/// What [`Connection::appender_with`](super::Connection::appender_with) does with its rows. The default: new rows alone, with the connection's durability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AppenderOptions {
    replace: bool,
    durability: Option<Durability>,
    memory: Option<usize>,
}

impl AppenderOptions {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a row takes the place of one with its key, as `INSERT OR REPLACE` does; else that is an error.
    #[must_use]
    pub fn replace(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// What the rows survive once [`Appender::flush`] or [`Appender::finish`] has returned; without this, what the
    /// connection's `halite.durability` says.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self {
            durability: Some(durability),
            ..self
        }
    }

    /// How many bytes of rows may be held in memory, or about that, before they are written to a temporary file; without
    /// this, `halite.statement_memory`.
    #[must_use]
    pub fn memory(self, bytes: usize) -> Self {
        Self {
            memory: Some(bytes),
            ..self
        }
    }
}

/// Adds rows to one table: the quickest way in from Rust.
///
/// The rows are written by [`finish`](Self::finish), **all of them or none**, as one `INSERT` writes its rows; before
/// that nobody sees them, and an appender that is dropped has written nothing. [`flush`](Self::flush) does the same for
/// the rows so far and goes on, for those who load for hours. A key that comes twice, or that is there already, is an
/// error that names the row; rows are counted from 1 over the appender's life.
///
/// A row that cannot be written, for a NULL, a CHECK or a value that its column cannot hold, is told where it is added, and
/// left out; those before it stay.
///
/// Adding waits for no other writer: the table's lock is held for the writing alone. What does not fit into the
/// appender's [memory](AppenderOptions::memory) is sorted and written to a temporary file, on the thread that adds; an
/// asynchronous program that must not wait for a disk adds on a thread that may, or leaves it more memory.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let connection = halite::Database::in_memory()?.connect();
/// # connection.execute("CREATE TABLE cpu (host TEXT, usage DOUBLE, PRIMARY KEY (host))", ()).await?;
/// let mut appender = connection.appender("cpu")?;
/// appender.append_row(("web-1", 0.5))?;
/// appender.append_row(("web-2", None::<f64>))?;
/// assert_eq!(appender.finish().await?, 2);
/// # Ok::<(), halite::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Appender {
    table: Arc<HaliteTable>,
    change: Change,
    settings: WriteSettings,
    rows: RowWriter,
    /// Knows what DEFAULTs mean.
    connection: Connection,
    buffer: RowBuffer,
    write_set: Option<WriteSet>,
    /// How many rows were flushed.
    flushed: u64,
    /// How many rows are in `write_set`, and how many were flushed: what the next one is counted from.
    added: u64,
    /// Why nothing can be added any more.
    failed: Option<(ErrorKind, String)>,
}

impl Appender {
    pub(crate) fn new(
        connection: Connection,
        table: Arc<HaliteTable>,
        mut settings: WriteSettings,
        options: AppenderOptions,
    ) -> Result<Self> {
        settings.durability = options.durability.unwrap_or(settings.durability);
        settings.memory = options.memory.unwrap_or(settings.memory);
        let change = if options.replace {
            Change::Replace
        } else {
            Change::Insert
        };
        Ok(Self {
            // A database that cannot be written says so at once, not after an hour of adding.
            write_set: Some(table.writer().write_set(change, settings, "row")?),
            rows: table.writer().rows()?,
            connection: connection.held_by("appender"),
            buffer: RowBuffer::new(Arc::clone(table.bound())),
            table,
            change,
            settings,
            flushed: 0,
            added: 0,
            failed: None,
        })
    }

    /// Adds one row: a value for each column, in the table's order. A value is converted to the column's type where that
    /// changes nothing: any integer that fits, a time stamp that needs no finer unit, text that is a date or time.
    ///
    /// # Errors
    /// `InvalidInput` that names the row and the column. A row with too many or too few values, one of a wrong type, or with
    /// values that the table does not take, is left out, and others can follow; after any other error the appender is done,
    /// and says that with every later row, the kind of the error and its reason the same.
    pub fn append_row(&mut self, row: impl IntoParameters) -> Result<()> {
        self.refuse_if_failed()?;
        let number = self.added + self.buffer.len() as u64 + 1;
        let schema = self.table.bound().schema();
        let mut values = row.into_parameters();
        for (value, field) in values.iter_mut().zip(schema.fields()) {
            put_in_zone_of(value, field.data_type());
        }
        let pushed = self
            .buffer
            .push(values, &self.rows, self.settings.row_bytes);
        pushed.map_err(|error| error.at_row(format_args!("row {number}")))?;
        if self.buffer.is_full() {
            self.drain()
        } else {
            Ok(())
        }
    }

    /// Adds the rows of a batch, whose columns are found by their names, in any order. One that the table has and the
    /// batch lacks has its DEFAULT, or is NULL if it can be; one that the table lacks is an error. Values are converted to
    /// the columns' types where that changes nothing.
    ///
    /// # Errors
    /// `InvalidInput` that names the column, and the row where it is about one: the batch is left out, and others can
    /// follow.
    pub fn append_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        self.refuse_if_failed()?;
        self.drain()?;
        let added = self.added;
        let conformed = self.conformed(batch);
        let added = conformed
            .map_err(|error| error.placed(|row| format!("row {}", added + row as u64 + 1)))
            .and_then(|batch| self.add(&batch));
        match added {
            // Nothing was added of the batch.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Err(error),
            added => self.noting_failure(added),
        }
    }

    /// The rows of a batch with all columns of the table.
    fn conformed(&self, batch: &RecordBatch) -> Result<RecordBatch, RowError> {
        let schema = batch.schema();
        let given: Vec<String> = schema.fields().iter().map(|it| it.name().clone()).collect();
        let table = self.table.bound();
        let mut left_out = table
            .columns()
            .iter()
            .filter(|it| !given.contains(&it.name));
        let filled = if left_out.any(|column| column.default_text().is_some()) {
            column_rules::filled(
                &self.connection.run_context.statement_state()?,
                table,
                &given,
            )?
        } else {
            Vec::new()
        };
        self.buffer.conform(batch, &filled)
    }

    /// Rows that were appended and are not written yet.
    pub fn pending(&self) -> u64 {
        self.added - self.flushed + self.buffer.len() as u64
    }

    /// Writes the rows so far, all or none, and goes on; gives their number.
    ///
    /// # Errors
    /// `Conflict` that names row and key, where two rows cannot both stay, or the table was dropped or truncated
    /// meanwhile; those of the store. Of the rows since the last flush none is written then, and the appender is done.
    ///
    /// A flush that nobody waits for any more has written nothing while another writer was in; later it may or may not
    /// write its rows, all or none, and the appender is done.
    pub async fn flush(&mut self) -> Result<u64> {
        self.refuse_if_failed()?;
        self.drain()?;
        let guard = self.table.writer().lock().acquire().await;
        let Some(write_set) = self.write_set.take() else {
            return Ok(0);
        };
        // Stays if nobody waits for the end.
        self.failed = Some((
            ErrorKind::Unavailable,
            "a flush was given up: whether its rows are written is not known".to_owned(),
        ));
        let written = commit(write_set, guard).await.map_err(Error::from);
        self.failed = None;
        let written = self.noting_failure(written)?;
        self.flushed = self.added;
        Ok(written)
    }

    /// Writes all rows that are not written yet, all or none; gives the number of all rows that the appender has written.
    ///
    /// # Errors
    /// As [`Appender::flush`].
    pub async fn finish(mut self) -> Result<u64> {
        self.flush().await?;
        Ok(self.flushed)
    }

    fn drain(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let rows = self.buffer.take();
        let added = rows.and_then(|rows| self.add(&rows));
        self.noting_failure(added)
    }

    fn add(&mut self, rows: &RecordBatch) -> Result<()> {
        let write_set = match &mut self.write_set {
            Some(write_set) => write_set,
            none => none.insert(self.table.writer().write_set(
                self.change,
                self.settings,
                "row",
            )?),
        };
        let first = self.added + 1;
        let numbers: Vec<u64> = (first..first + rows.num_rows() as u64).collect();
        write_set.add_numbered(rows, &numbers)?;
        self.added += rows.num_rows() as u64;
        Ok(())
    }

    fn refuse_if_failed(&self) -> Result<()> {
        match &self.failed {
            Some((kind, reason)) => Err(Error::new(
                *kind,
                format!("the appender has failed before, and takes no more rows: {reason}"),
            )),
            None => Ok(()),
        }
    }

    fn noting_failure<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failed = Some((error.kind(), error.to_string()));
            self.write_set = None;
        }
        result
    }
}

#[cfg(test)]
#[path = "appender_spill_tests.rs"]
mod spill_tests;
#[cfg(test)]
#[path = "appender_tests.rs"]
mod tests;
