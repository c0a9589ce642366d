//! Tables from one database to another: `halite copy`.
//!
//! Rows go over as they are stored, key and value: a table is made with the definition that it has where it comes from,
//! the ids of its columns included, and what is stored beside its rows, sequences and dictionaries, comes before them. So
//! every layout is copied in the same way, and the copy has the same bytes. The source is read at one moment.
//!
//! Rows come in the order of their keys, some at a time, each time in a statement of its own. What has been written so far is
//! the beginning of the table: who is stopped goes on behind its greatest key, whatever has stopped them. A row is put only
//! behind all that the target has, so none is ever written over. At the end both sides are read, and counted and summed
//! alone: a table is called the same where all of it is.

mod compare;
mod progress;
mod refusals;
mod rows;
mod select;

use std::collections::VecDeque;
use std::sync::Arc;

use self::compare::{first_difference, tally};
use self::rows::RowCopy;
use crate::catalog::{Catalog, Existing, Sequence};
use crate::error::{Error, Result};
use crate::row::RowSnapshot;
use crate::run::waiting::on_waiting_thread;
use crate::schema::{BoundTable, View};
use crate::session::Database;
use crate::store::Snapshot;
use crate::table::HaliteTable;

pub use self::compare::TableTally;
pub use self::progress::{TransferPhase, TransferProgress, TransferReport};
pub use self::select::Selection;

/// How many bytes of rows are written at a time, unless it is said otherwise.
const CHUNK_BYTES: usize = 8 << 20;

/// One of the two databases.
#[derive(Debug, Clone)]
struct Side {
    /// What its user calls it.
    name: String,
    catalog: Arc<Catalog>,
}

impl Side {
    fn new(database: &Database, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            catalog: Arc::clone(database.catalog()),
        }
    }
}

/// Something that is copied.
#[derive(Debug, Clone)]
enum Work {
    Sequence(Arc<Sequence>),
    Table(Arc<BoundTable>),
    View(Arc<View>),
}

/// What has been copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferStep {
    /// A sequence; its numbers go on behind this one, the last one that was given.
    Sequence(String, Option<i64>),
    /// A table, and all of its rows.
    Table(TableCopy),
    /// A view.
    View(String),
}

/// A table that has been copied, and then read on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCopy {
    /// Its name.
    pub table: String,
    /// How many rows were written now; the others were there before.
    pub written: u64,
    /// What the source has.
    pub source: TableTally,
    /// What the target has.
    pub target: TableTally,
    /// Where the two are not the same: the first row by which they differ, in words.
    pub difference: Option<String>,
}

/// A copy under way: what has been selected, into a database in which nothing stands in its way.
///
/// Nobody else should change the copied tables of the target meanwhile; who does is met by an error, or found in the end.
#[derive(Debug, Clone)]
pub struct Transfer {
    from: Side,
    /// The moment at which the source is read.
    moment: Arc<dyn Snapshot>,
    to: Side,
    work: VecDeque<Work>,
    chunk_bytes: usize,
    progress: TransferProgress,
}

impl Transfer {
    /// The copy of a selection into a database, which `name` is what its user calls. Nothing is written yet.
    ///
    /// # Errors
    /// `Conflict` where something of another kind or definition has the name of what is to be copied, or a table has rows
    /// that do not go on as those of the source; `InvalidInput` for a view without what it reads; those of the stores.
    pub async fn new(selection: Selection, to: &Database, name: &str) -> Result<Self> {
        let to = Side::new(to, name);
        on_waiting_thread(FAILED, move || {
            let transfer = Self {
                from: selection.from,
                moment: selection.moment,
                to,
                work: selection.work,
                chunk_bytes: CHUNK_BYTES,
                progress: TransferProgress::default(),
            };
            transfer.refuse_what_cannot_be_copied()?;
            Ok(transfer)
        })
        .await
    }

    /// The same, which writes about so many bytes of rows at a time: more are quicker, fewer are less to do again where it
    /// is stopped.
    #[must_use]
    pub fn with_chunks_of(self, bytes: usize) -> Self {
        Self {
            chunk_bytes: bytes,
            ..self
        }
    }

    /// How far it is, for another thread to see, and to stop it.
    pub fn progress(&self) -> &TransferProgress {
        &self.progress
    }

    /// Copies what comes next: sequences, tables, views. `None` behind the last.
    ///
    /// # Errors
    /// `Conflict` where the target is changed by others, and no row could be put without a look at theirs; `Interrupted`
    /// after [`TransferProgress::stop`]; those of the stores. What has been written until then stays, and a copy of the same
    /// selection goes on there.
    pub async fn step(&mut self) -> Result<Option<TransferStep>> {
        let Some(work) = self.work.pop_front() else {
            return Ok(None);
        };
        let transfer = self.clone();
        let done = on_waiting_thread(FAILED, move || transfer.carry_out(&work)).await;
        done.map(Some)
    }

    fn carry_out(&self, work: &Work) -> Result<TransferStep> {
        match work {
            Work::Sequence(sequence) => self.copy_sequence(sequence),
            Work::Table(table) => {
                let copied = self.copy_table(table).map(TransferStep::Table);
                copied.map_err(|error| error.of_table(table.name()))
            }
            Work::View(view) => self.copy_view(view),
        }
    }

    fn copy_sequence(&self, sequence: &Sequence) -> Result<TransferStep> {
        let definition = sequence.definition();
        let last = sequence.last(self.moment.as_ref())?;
        self.to.catalog.adopt_sequence(definition, last)?;
        Ok(TransferStep::Sequence(definition.name.clone(), last))
    }

    /// The definition first, then what rows need, then rows, then the proof.
    fn copy_table(&self, table: &Arc<BoundTable>) -> Result<TableCopy> {
        self.progress.begin(table.name());
        let target = self.made(table)?;
        for identity in table.columns().iter().filter_map(|it| it.identity.as_ref()) {
            let sequence = self.from.catalog.expect_sequence(&identity.sequence)?;
            self.copy_sequence(&sequence)?;
        }
        let (catalog, bound) = (&self.to.catalog, target.bound());
        catalog.adopt_dictionaries(table, &self.moment, bound)?;
        let copied = RowCopy::new(self, table, &target).run()?;
        self.progress.enter(TransferPhase::Comparing);
        let source = RowSnapshot::of(Arc::clone(&self.moment), table.spaces());
        let rest = match &copied.first {
            Some(first) => tally(&source, table, Some(first), &self.progress)?,
            None => TableTally::default(),
        };
        let there = RowSnapshot::of(catalog.snapshot()?, bound.spaces());
        let mut copy = TableCopy {
            table: table.name().to_owned(),
            written: copied.tally.rows,
            source: copied.tally.and(rest),
            target: tally(&there, bound, None, &self.progress)?,
            difference: None,
        };
        if copy.source != copy.target {
            let names = [&self.from.name, &self.to.name];
            let difference = first_difference((&source, table), (&there, bound), names)?;
            copy.difference = Some(difference);
        }
        Ok(copy)
    }

    /// The table in the target, made if it is not there.
    fn made(&self, table: &BoundTable) -> Result<Arc<HaliteTable>> {
        let known = self.to.catalog.table(table.name());
        known.map_or_else(|| self.to.catalog.adopt_table(table.table()), Ok)
    }

    fn copy_view(&self, view: &Arc<View>) -> Result<TransferStep> {
        let catalog = &self.to.catalog;
        loop {
            let made = {
                let version = catalog.version();
                catalog.create_view(view.as_ref().clone(), version, Existing::Keep)?
            };
            // Made, or there already; another version of the catalog than the one it is asked for asks again.
            if made.is_some() {
                return Ok(TransferStep::View(view.name.clone()));
            }
        }
    }
}

/// The error where who copies panics.
const FAILED: &str = "the thread that copies has failed";

/// The error of a copy that was stopped.
fn stopped() -> Error {
    Error::new(crate::error::ErrorKind::Interrupted, "the copy was stopped")
}

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;
