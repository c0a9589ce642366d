//! The rows of files, read on one thread and encoded and sorted on another.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use arrow::array::RecordBatch;

use super::WriteSet;
use super::filled::{Filled, fill};
use super::progress::Progress;
use crate::error::{Error, Result};
use crate::row::RowWriter;
use crate::schema::BoundTable;

/// How many batches wait between the threads.
const WAITING: usize = 2;

/// Some rows and what errors call them.
struct Rows {
    batch: RecordBatch,
    numbers: Vec<u64>,
}

/// Takes rows as a [`WriteSet`] does, and adds them to one on a thread of its own.
pub(super) struct Feed {
    rows: RowWriter,
    filled: Vec<Filled>,
    progress: Progress,
    sender: SyncSender<Rows>,
    worker: JoinHandle<Result<WriteSet>>,
}

impl Feed {
    /// Starts the thread that adds rows to `write_set`. The rows are given without the columns of `filled`.
    ///
    /// # Errors
    /// `Unavailable` where there can be no thread.
    pub(super) fn start(write_set: WriteSet, filled: Vec<Filled>) -> Result<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let rows = write_set.rows().clone();
        let progress = write_set.progress().clone();
        let worker = thread::Builder::new()
            .name("halite-encode".to_owned())
            .spawn(move || add_all(write_set, &receiver))
            .map_err(|error| {
                Error::unavailable(format!("no thread can be started: {error}")).with_source(error)
            })?;
        Ok(Self {
            rows,
            filled,
            progress,
            sender,
            worker,
        })
    }

    /// The table.
    pub(super) fn table(&self) -> &Arc<BoundTable> {
        self.rows.table()
    }

    /// What encodes the rows.
    pub(super) fn rows(&self) -> &RowWriter {
        &self.rows
    }

    /// What the write set tells how far it is.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Adds rows, where `numbers` says what errors call each.
    ///
    /// # Errors
    /// Where rows before could not be added; [`Feed::finish`] says why.
    pub(super) fn add_numbered(&self, rows: RecordBatch, numbers: Vec<u64>) -> Result<()> {
        self.add_filled(self.fill(rows)?, numbers)
    }

    /// The rows with the columns that are not given.
    ///
    /// # Errors
    /// A value that cannot be computed.
    pub(super) fn fill(&self, rows: RecordBatch) -> Result<RecordBatch> {
        fill(rows, &self.filled)
    }

    /// As [`Feed::add_numbered`], of rows from [`Feed::fill`].
    ///
    /// # Errors
    /// As [`Feed::add_numbered`].
    pub(super) fn add_filled(&self, rows: RecordBatch, numbers: Vec<u64>) -> Result<()> {
        debug_assert_eq!(rows.num_rows(), numbers.len());
        let rows = Rows {
            batch: rows,
            numbers,
        };
        let sent = self.sender.send(rows);
        sent.map_err(|_| Error::internal("the rows before could not be added"))
    }

    /// Waits until all rows are added. `read` is how reading them ended.
    ///
    /// # Errors
    /// Of the rows and of `read` the first one: what was read before an error was added before it.
    pub(super) fn finish(self, read: Result<()>) -> Result<WriteSet> {
        drop(self.sender);
        let added = self.worker.join();
        let write_set = added
            .map_err(|_| Error::internal("the thread that encodes rows has failed"))
            .flatten()?;
        read.map(|()| write_set)
    }
}

fn add_all(mut write_set: WriteSet, rows: &Receiver<Rows>) -> Result<WriteSet> {
    for rows in rows {
        write_set.add_numbered(&rows.batch, &rows.numbers)?;
    }
    Ok(write_set)
}
