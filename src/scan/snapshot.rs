//! At which moment of the store a scan reads.
//!
//! A Halite connection takes one [`StatementSnapshot`] for a whole statement and puts it into the session's config as
//! an extension; every scan of that statement over the same store reads it. A bare provider has none: there each plan
//! node takes a snapshot when the first of its partitions is executed, and its partitions share it.

use std::sync::Arc;

use datafusion::execution::TaskContext;
use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::schema::BoundTable;
use crate::store::{Snapshot, Store};

/// A store with a moment of it.
pub type StoreMoment = (Arc<dyn Store>, Arc<dyn Snapshot>);

/// The moment at which a whole statement reads a store, or several: `SessionConfig::with_extension` carries it to the
/// scans.
#[derive(Debug)]
pub struct StatementSnapshot(Vec<StoreMoment>);

impl StatementSnapshot {
    /// A snapshot of `store` that was taken already.
    pub fn at(store: Arc<dyn Store>, snapshot: Arc<dyn Snapshot>) -> Self {
        Self(vec![(store, snapshot)])
    }

    /// Snapshots that were taken already, of a store each.
    pub fn of_stores(snapshots: Vec<StoreMoment>) -> Self {
        Self(snapshots)
    }

    /// Whether there is one in this context.
    pub(super) fn is_in(context: &TaskContext) -> bool {
        let statement = context.session_config().get_extension::<Self>();
        statement.is_some()
    }

    /// The snapshot of `store` that the statement of `context` reads, if it has one: a statement may read tables of
    /// other stores too.
    pub fn of(context: &TaskContext, store: &Arc<dyn Store>) -> Option<Arc<dyn Snapshot>> {
        let statement = context.session_config().get_extension::<Self>()?;
        let is_of_store =
            |of: &Arc<dyn Store>| std::ptr::addr_eq(Arc::as_ptr(of), Arc::as_ptr(store));
        let mut snapshots = statement.0.iter();
        let found = snapshots.find(|(of, _)| is_of_store(of));
        found.map(|(_, snapshot)| Arc::clone(snapshot))
    }
}

/// Whether a table's rows are still there at the moment that is read: whoever planned the read saw an earlier one.
///
/// # Errors
/// `Conflict` if the table was dropped or emptied in between.
pub fn refuse_if_gone(table: &BoundTable, snapshot: &dyn Snapshot) -> Result<()> {
    if snapshot.has_space(table.space()) {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "table `{}` was dropped or emptied by another statement after this one was planned: run it again",
        table.name()
    )))
}

/// The snapshot that a plan node takes for itself.
#[derive(Debug, Default)]
pub(super) struct NodeSnapshot {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    snapshot: Option<Arc<dyn Snapshot>>,
    started: Vec<bool>,
}

impl NodeSnapshot {
    /// What `partition` of `partitions` reads.
    ///
    /// A plan may be executed again: a partition that is asked for a second time begins a new execution. Once all have
    /// started the node lets go of the snapshot, so that a plan that is kept does not keep old rows alive.
    pub(super) fn for_partition(
        &self,
        store: &Arc<dyn Store>,
        partition: usize,
        partitions: usize,
        context: &TaskContext,
    ) -> Result<Arc<dyn Snapshot>> {
        if let Some(snapshot) = StatementSnapshot::of(context, store) {
            return Ok(snapshot);
        }
        let mut state = self.state.lock();
        if state.started.get(partition).copied().unwrap_or(true) {
            state.snapshot = None;
            state.started = vec![false; partitions];
        }
        if let Some(started) = state.started.get_mut(partition) {
            *started = true;
        }
        let snapshot = match &state.snapshot {
            Some(snapshot) => Arc::clone(snapshot),
            None => store.snapshot()?,
        };
        let all_started = state.started.iter().all(|started| *started);
        state.snapshot = (!all_started).then(|| Arc::clone(&snapshot));
        if all_started {
            state.started.clear();
        }
        Ok(snapshot)
    }
}
