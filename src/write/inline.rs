//! A statement that changes a few rows, on the thread that asks for it: without an operator, a task, or a plan.
//!
//! It is the statement that [`WriteExec`](super::WriteExec) would carry out, step by step: its turn among the writers, the
//! claim before it looks, the same write set. Only whoever runs it says what is read, and when.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use super::edit::Layout;
use super::progress::Progress;
use super::returning::Returned;
use super::{Change, TableGuard, TableWriter, WriteSet, WriteSettings};
use crate::error::Result;
use crate::store::{Durable, Snapshot};

/// What a statement does with the rows that it is given.
#[derive(Debug, Clone)]
pub struct BriefWork {
    /// What it does.
    pub change: Change,
    /// What is in the columns of its rows, where these are not the columns of the table.
    pub layout: Option<Layout>,
    /// The columns of RETURNING.
    pub returned: Option<SchemaRef>,
    /// How it is written.
    pub settings: WriteSettings,
}

/// What such a statement came to.
#[derive(Debug)]
pub struct BriefOutcome {
    /// How many rows were inserted, changed or deleted.
    pub rows: u64,
    /// The rows of RETURNING.
    pub returned: Vec<RecordBatch>,
    /// What is to be waited for before it is told.
    pub durable: Option<Durable>,
}

/// A statement that has its turn.
#[derive(Debug)]
pub struct BriefChange {
    write_set: WriteSet,
    layout: Option<Layout>,
    returned: Option<Returned>,
    guard: TableGuard,
}

impl BriefChange {
    /// Begins the statement. `guard` is that of the lock of `writer`'s table.
    ///
    /// # Errors
    /// `Conflict` where the table is gone; those of [`TableWriter::write_set`].
    pub fn begin(
        writer: &TableWriter,
        work: &BriefWork,
        progress: &Progress,
        guard: TableGuard,
    ) -> Result<Self> {
        guard.check(writer.table().name())?;
        let mut write_set = writer.write_set(work.change, work.settings, "row")?;
        write_set.report_to(progress.clone());
        Ok(Self {
            write_set,
            layout: work.layout,
            returned: work.returned.clone().map(Returned::of_few),
            guard,
        })
    }

    /// Gives the turn back, and has done nothing.
    pub fn into_guard(self) -> TableGuard {
        self.guard
    }

    /// Claims the table, and gives the moment at which the statement looks for its rows: nobody else changes a row from
    /// then on. It blocks while another process has it claimed; `None` where it would, and `waits` is false.
    ///
    /// # Errors
    /// Those of the store.
    pub fn claim(&mut self, waits: bool) -> Result<Option<Arc<dyn Snapshot>>> {
        if waits {
            self.write_set.begin().map(Some)
        } else {
            self.write_set.try_begin()
        }
    }

    /// Takes rows.
    ///
    /// # Errors
    /// `InvalidInput` with the row that cannot be stored.
    pub fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let first = self.write_set.count() + 1;
        self.write_set.take(batch, self.layout)?;
        if let (Some(returned), Some(layout)) = (&mut self.returned, self.layout) {
            let (rows, numbers) = layout.returned(batch, self.write_set.table(), first)?;
            returned.add(&rows, numbers)?;
        }
        Ok(())
    }

    /// Writes all of it. What it comes to may not be durable yet.
    ///
    /// # Errors
    /// Those of [`WriteSet::commit`]; then nothing is written.
    pub fn finish(self) -> Result<BriefOutcome> {
        let settled = self.write_set.settle(&self.guard)?;
        drop(self.guard);
        let returned = self.returned;
        let returned = returned.map(|returned| returned.finish(settled.dropped));
        Ok(BriefOutcome {
            rows: settled.count,
            returned: returned.transpose()?.unwrap_or_default(),
            durable: settled.durable,
        })
    }
}
