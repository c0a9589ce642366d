//! Key ranges from dynamic filters: while the plan runs, a scan reads less and less.
//!
//! A hash join knows the keys of its smaller side before it asks for a row of the other, and a top-k knows ever better
//! which rows it can use. Both say so in dynamic filters, physical expressions that change. The value of a subquery that is
//! compared with is known before the first row, too (`k = (SELECT …)`). Where such a filter is about
//! columns of the row key, spans are planned again, of the conjuncts that the scan was planned with and of what the filter
//! says now, and what is left to read is narrowed to them. A row that fails a dynamic filter is not needed, so that the
//! law of spans ([`crate::span`]) holds for them as for any other predicate.
//!
//! New spans may be wider than the old ones, where lists become too long for the budget. They stand in for the old ones
//! only where they prove whatever those proved: the residual, which is evaluated on rows, stays as it was. Else both are
//! intersected, where both are listed, or the old ones are read.
//!
//! Where a filter names all row keys, as a join over all columns of the key does, these are looked up and nothing is
//! planned (`tuples`).
//!
//! To plan costs as much as to read some hundred rows. A filter is looked at before the first row, and then, if it has
//! changed, after 1,024 rows, 2,048, 4,096 …

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{DynamicFilterTracker, DynamicFilterTracking};

use super::physical::predicate_of;
use super::piece::Piece;
use super::request::Lowered;
use super::rest::{clipped, kept, rest};
use super::tuples::row_keys;
use super::{ScanRequest, external};
use crate::predicate::Predicate;
use crate::schema::BoundTable;
use crate::span::{self, Run, Work};
use crate::store::Direction;

/// After how many rows a filter is looked at the second time.
const FIRST_LOOK: usize = 1024;

/// The columns of the row key that a filter looks at, by position in the table; ascending.
pub(super) fn key_columns(table: &BoundTable, filters: &[Arc<dyn PhysicalExpr>]) -> Vec<usize> {
    let mut columns = Vec::new();
    for filter in filters {
        // The visitor gives no error.
        let _ = filter.apply(|expression| {
            if let Some(column) = expression.downcast_ref::<Column>()
                && table.key_sources().contains(&column.index())
            {
                columns.push(column.index());
            }
            Ok(TreeNodeRecursion::Continue)
        });
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The dynamic filters of one partition's scan, and what it has yet to read.
pub(super) struct Narrowing {
    table: Arc<BoundTable>,
    lowered: Arc<Lowered>,
    filters: Vec<Arc<dyn PhysicalExpr>>,
    trackers: Vec<DynamicFilterTracker>,
    direction: Direction,
    /// What was to be read when the filters were looked at last.
    pieces: Vec<Piece>,
    /// How many rows are read before they are looked at again.
    left: usize,
    /// How many those were the last time; 0 before the first row.
    interval: usize,
}

impl Narrowing {
    /// The narrowing of a share of a request; `None` where no filter of it that changes is about its row key.
    pub(super) fn of(request: &ScanRequest, pieces: &[Piece]) -> Option<Self> {
        let lowered = Arc::clone(request.lowered.as_ref()?);
        let filters = request.runtime_filters();
        let is_about_key = !key_columns(&request.table, &filters).is_empty();
        is_about_key.then(|| Self {
            table: Arc::clone(&request.table),
            lowered,
            filters,
            trackers: Vec::new(),
            direction: request.direction,
            pieces: pieces.to_vec(),
            left: 0,
            interval: 0,
        })
    }

    /// What is to be read, if it is less than was planned; asked before each batch, answered once.
    ///
    /// # Errors
    /// Those of the filters.
    pub(super) fn begin(&mut self) -> Result<Option<Vec<Piece>>> {
        if self.interval > 0 {
            return Ok(None);
        }
        (self.interval, self.left) = (FIRST_LOOK, FIRST_LOOK);
        self.watch();
        let Some(narrowed) = self.narrowed(&self.pieces)? else {
            return Ok(None);
        };
        self.pieces.clone_from(&narrowed);
        Ok(Some(narrowed))
    }

    /// Subscribes to the filters, before they are read: a change in between is seen twice, never missed.
    fn watch(&mut self) {
        let watched =
            self.filters.iter().filter_map(|filter| {
                match DynamicFilterTracking::classify(filter) {
                    DynamicFilterTracking::Watching(tracker) => Some(tracker),
                    DynamicFilterTracking::Static | DynamicFilterTracking::AllComplete => None,
                }
            });
        self.trackers = watched.collect();
    }

    /// What is left to read, if there is less of it now: `rows` more have been read, `last` is the key of the last one,
    /// and of the pieces so many are not read to their end, the first of which holds `last` where `is_within`.
    ///
    /// # Errors
    /// Those of the filters.
    pub(super) fn go_on(
        &mut self,
        rows: usize,
        unread: usize,
        last: Option<&[u8]>,
    ) -> Result<Option<Vec<Piece>>> {
        self.left = self.left.saturating_sub(rows);
        // Keys that are looked up together are one run.
        let is_joined = unread > self.pieces.len() || self.are_points();
        if self.left > 0 || is_joined || !self.has_changed() {
            return Ok(None);
        }
        self.interval *= 2;
        self.left = self.interval;
        let pieces = std::mem::take(&mut self.pieces);
        let mut pieces = rest(pieces, unread, last, self.direction);
        if let Some(narrowed) = self.narrowed(&pieces)? {
            pieces = narrowed;
        }
        self.pieces.clone_from(&pieces);
        Ok(Some(pieces))
    }

    /// Whether a filter may change yet.
    pub(super) fn is_watching(&self) -> bool {
        !self.trackers.is_empty()
    }

    fn are_points(&self) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.all(|piece| matches!(piece.run.work, Work::Points(_)))
    }

    /// Whether a filter has changed since it was asked last.
    fn has_changed(&mut self) -> bool {
        let mut has_changed = false;
        for tracker in &mut self.trackers {
            has_changed |= tracker.changed();
        }
        has_changed
    }

    /// The pieces narrowed to what the filters say now; `None` where that is nothing about the key.
    fn narrowed(&self, pieces: &[Piece]) -> Result<Option<Vec<Piece>>> {
        let mut named: Option<Vec<Piece>> = None;
        let mut others = Vec::new();
        for filter in &self.filters {
            match row_keys(filter, &self.table)? {
                Some(keys) => named = Some(of_keys(named.as_deref().unwrap_or(pieces), keys)?),
                None => others.push(predicate_of(filter, self.table.row_key().columns())?),
            }
        }
        if others.iter().all(says_nothing) {
            return Ok(named);
        }
        let are_named = named.is_some();
        self.planned(named.as_deref().unwrap_or(pieces), others, are_named)
            .map(Some)
    }

    /// The pieces narrowed to the spans of what filters say; those of which the keys are named, in any case to these.
    fn planned(
        &self,
        pieces: &[Piece],
        dynamic: Vec<Predicate>,
        are_named: bool,
    ) -> Result<Vec<Piece>> {
        let conjuncts = self.lowered.predicates.iter().cloned().chain(dynamic);
        let conjuncts: Vec<Predicate> = conjuncts.collect();
        let plan = span::plan_of(self.table.row_key(), &conjuncts, self.lowered.budget);
        let plan = plan.map_err(external)?;
        // These filters are evaluated on rows, whatever the spans prove of them.
        let planned = self.lowered.predicates.len();
        let is_evaluated =
            |position: usize| position >= planned || self.lowered.residual.contains(&position);
        let proves_as_much = plan
            .residual
            .iter()
            .all(|residual| is_evaluated(residual.conjunct));
        let narrowed = pieces.iter().filter_map(|piece| {
            let mut runs = plan.spans.runs().iter();
            let run = runs.find(|run| run.bucket == piece.run.bucket)?;
            narrowed_piece(piece, run, proves_as_much && !are_named)
        });
        Ok(narrowed.collect())
    }
}

/// What of the pieces lies under these row keys.
fn of_keys(pieces: &[Piece], mut keys: Vec<Vec<u8>>) -> Result<Vec<Piece>> {
    keys.sort_unstable();
    keys.dedup();
    let mut named = Vec::new();
    for piece in pieces {
        let mut own = Vec::new();
        for key in &keys {
            if piece.run.contains(key).map_err(external)? {
                own.push(key.clone());
            }
        }
        if !own.is_empty() {
            let (bucket, work) = (piece.run.bucket, Work::Points(own.into()));
            let run = Run { bucket, work };
            let is_rest = piece.is_rest;
            named.push(Piece { run, is_rest });
        }
    }
    Ok(named)
}

/// Whether a filter leaves every row, as before it is known.
fn says_nothing(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::Constant(true) | Predicate::Opaque)
}

/// A piece without what the spans of its bucket leave out; `None` if nothing is left.
fn narrowed_piece(piece: &Piece, run: &Run, proves_as_much: bool) -> Option<Piece> {
    let work = match (&piece.run.work, &run.work) {
        (_, new) if proves_as_much => clipped(new, &piece.run.hull()),
        (Work::Ranges(old), Work::Ranges(new)) => Work::Ranges(old.intersect(new)),
        (Work::Ranges(old), Work::Points(keys)) => kept(keys, |key| old.contains(key)),
        (Work::Points(keys), Work::Ranges(new)) => kept(keys, |key| new.contains(key)),
        (Work::Points(keys), Work::Points(new)) => kept(keys, |key| new.binary_search(key).is_ok()),
        (old, _) => old.clone(),
    };
    let bucket = piece.run.bucket;
    let is_rest = piece.is_rest;
    let run = Run { bucket, work };
    (!is_empty(&run.work)).then_some(Piece { run, is_rest })
}

fn is_empty(work: &Work) -> bool {
    match work {
        Work::Points(keys) => keys.is_empty(),
        Work::Ranges(set) => set.is_empty(),
        Work::Walk(_) => false,
    }
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
