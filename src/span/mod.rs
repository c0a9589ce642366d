//! Predicate × row key → spans and residual. Pure: it knows neither DataFusion nor a store.
//!
//! # The law
//!
//! **A row outside the spans never satisfies the predicate. A conjunct that is not in the residual is satisfied by every
//! row inside.** The first half holds for any budget; a small one only makes spans wider and the residual longer.
//!
//! # How
//!
//! 1. The predicate becomes a union of boxes over its dimensions, the expressions that it restricts (`boxes`).
//!    Correlation is kept: `(a = 1 AND b = 2) OR (a = 3 AND b = 4)` is two boxes, never {1, 3} × {2, 4}.
//! 2. Each box is projected on the parts of the row key (`project`). A dimension is *proven* where the parts say the
//!    same as it did. Where a coarse part (an hour) stands before its column, the box is split in the coarse values that
//!    lie wholly inside, which need no look at the column, and those at the rim.
//! 3. Boxes over parts become key ranges by listing the values of all parts but the last restricted one (`ranges`).
//!    Where there are too many to list, or no end to them, they become a walk (`walk`), which computes from the key
//!    where a scan stands whether it is inside and where the next candidate lies, in either direction.
//! 4. The residual is computed from the predicate alone: a conjunct is dropped if it is understood to its last term and
//!    all of its dimensions are proven in every box.

mod bounds;
mod boxes;
mod explain;
mod narrow;
mod project;
mod ranges;
mod walk;
mod walk_box;
mod whole;

use std::sync::{Arc, LazyLock};

use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::key::RowKey;
use crate::keyrange::{Guide, KeyRange, KeyRangeSet, Step, prefix_successor};
use crate::predicate::Predicate;

use self::boxes::{Dimensions, Expansion};
use self::project::{PartBox, Projection};

pub use self::explain::{Kind, SpanRow};
pub use self::walk::Walk;
pub use self::whole::plan_of_whole;

/// The most key ranges that are listed, counted before the fan-out over buckets; more become a walk.
pub const BUDGET: usize = 10_000;

/// What to scan for a predicate, and what is still to be evaluated on the rows.
#[derive(Debug, Clone)]
pub struct Plan<T = usize> {
    /// The part of the key space that is read.
    pub spans: Spans,
    /// The conjuncts that rows inside the spans must still satisfy.
    pub residual: Vec<Residual<T>>,
}

impl<T> Plan<T> {
    /// Whether the spans hold exactly the rows of the predicate.
    pub fn tight(&self) -> bool {
        self.residual.is_empty()
    }
}

/// A conjunct that the spans do not prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Residual<T = usize> {
    /// The conjunct, as it was handed to [`plan`].
    pub conjunct: T,
    /// Why it is not proven, for people.
    pub reason: String,
}

/// What of the key space a predicate allows.
#[derive(Debug, Clone)]
pub struct Spans {
    runs: Vec<Run>,
    constants: Vec<Option<Option<Datum>>>,
    boxes: Arc<ranges::Dealt>,
    full: bool,
}

/// What [`Spans::of_points`] have of boxes.
static NO_BOXES: LazyLock<Arc<ranges::Dealt>> = LazyLock::new(Arc::default);

/// What is read of one bucket, or of a table without buckets.
#[derive(Debug, Clone)]
pub struct Run {
    /// The bucket, if the table is salted in front.
    pub bucket: Option<u32>,
    /// Listed ranges, or a walk.
    pub work: Work,
}

/// How a run is read.
#[derive(Debug, Clone)]
pub enum Work {
    /// Key by key: whole row keys, never none, sorted and distinct.
    Points(Arc<[Vec<u8>]>),
    /// Range after range.
    Ranges(KeyRangeSet),
    /// From candidate to candidate.
    Walk(Arc<Walk>),
}

impl Run {
    /// The smallest range that holds everything the run reads.
    pub fn hull(&self) -> KeyRange {
        match &self.work {
            Work::Walk(walk) => walk.hull().clone(),
            Work::Ranges(set) => set.hull().unwrap_or_else(KeyRange::all),
            Work::Points(keys) => {
                let stop = keys.last().and_then(|last| prefix_successor(last));
                let first = keys.first().cloned().unwrap_or_default();
                KeyRange::new(first, stop).unwrap_or_else(KeyRange::all)
            }
        }
    }

    /// The ranges that hold exactly what the run reads of keys of this layout; `None` where they are not listed.
    pub fn ranges(&self, key: &RowKey) -> Option<KeyRangeSet> {
        match &self.work {
            Work::Walk(_) => None,
            Work::Ranges(set) => Some(set.clone()),
            Work::Points(keys) => {
                let ranges = keys.iter().map(|key| KeyRange::prefix(key));
                Some(KeyRangeSet::of_layout(ranges, |bytes| key.is_whole(bytes)))
            }
        }
    }

    /// Whether `key` is inside.
    pub fn contains(&self, key: &[u8]) -> Result<bool> {
        match &self.work {
            Work::Points(keys) => Ok(keys
                .binary_search_by(|point| point.as_slice().cmp(key))
                .is_ok()),
            Work::Ranges(set) => Ok(set.contains(key)),
            Work::Walk(walk) => {
                Ok(walk.hull().contains(key) && matches!(walk.next(key)?, Step::In { .. }))
            }
        }
    }
}

impl Spans {
    /// All of every bucket, for a scan that takes nothing from the predicate.
    pub fn full(key: &RowKey) -> Result<Self> {
        let projection = Projection::new(key, Dimensions::default());
        Self::of_boxes(&projection, vec![projection.everything()], BUDGET).map(|(spans, _)| spans)
    }

    /// These row keys and nothing else, in any order; their [`Spans::constants`] are not worked out.
    pub fn of_points(mut keys: Vec<Vec<u8>>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        let run = |keys: Vec<Vec<u8>>| Run {
            bucket: None,
            work: Work::Points(keys.into()),
        };
        Self {
            runs: (!keys.is_empty()).then(|| run(keys)).into_iter().collect(),
            constants: Vec::new(),
            boxes: Arc::clone(&NO_BOXES),
            full: false,
        }
    }

    /// One run for each bucket that is read; none if there is nothing to read. The keys of [`Spans::of_points`] are one
    /// run, whatever their buckets.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether no key is inside.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// For each key part the value that all keys of the spans have there, `Some(None)` if that is NULL; `None` where
    /// they differ, or nothing is known. Empty where nothing is known of any part.
    pub fn constants(&self) -> &[Option<Option<Datum>>] {
        &self.constants
    }

    /// The rows of `EXPLAIN KEYS`; one of kind `empty` where nothing is read.
    pub fn explain(&self, key: &RowKey) -> Result<Vec<SpanRow>> {
        explain::rows(self, key)
    }

    /// How many intervals its boxes have in all.
    #[cfg(any(test, feature = "testing"))]
    pub fn intervals(&self) -> usize {
        let boxes = self.boxes.values().flatten();
        let domains = boxes.flat_map(|part_box| &part_box.domains);
        domains.map(|domain| domain.intervals().len()).sum()
    }

    /// For each bucket that is read a walk over its boxes, whatever its run is.
    ///
    /// # Errors
    /// `Internal` alone.
    #[cfg(any(test, feature = "testing"))]
    pub fn walks(&self, key: &RowKey) -> Result<Vec<(Option<u32>, Option<Walk>)>> {
        let projection = Projection::new(key, Dimensions::default());
        let walks = self.boxes.iter().map(|(bucket, boxes)| {
            let walk = Walk::over_boxes(&projection, boxes)?;
            Ok((*bucket, walk))
        });
        walks.collect()
    }

    /// The spans of a union of boxes, and the parts whose restriction had to be given up.
    fn of_boxes(
        projection: &Projection<'_>,
        mut boxes: Vec<PartBox>,
        budget: usize,
    ) -> Result<(Self, Vec<usize>)> {
        let mut widened = Vec::new();
        loop {
            let (dealt, shared) = projection.by_bucket(&boxes);
            if let Some(runs) = ranges::runs(projection, &dealt, shared, budget)? {
                let spans = Self {
                    runs,
                    constants: projection.constants(&boxes),
                    full: boxes
                        .iter()
                        .any(|part_box| projection.is_everything(part_box)),
                    boxes: Arc::new(dealt),
                };
                return Ok((spans, widened));
            }
            let (wider, part) = ranges::widen(projection, boxes)
                .ok_or_else(|| Error::internal("boxes that restrict nothing are too many"))?;
            boxes = wider;
            widened.push(part);
        }
    }
}

/// Plans what to scan for the rows that satisfy all `conjuncts`, listing at most `budget` ranges. Each conjunct comes
/// with what its owner knows it by (`T`), which a [`Residual`] gives back.
///
/// # Errors
/// `Internal` alone; whatever the predicate, there is a plan.
pub fn plan<T>(
    key: &RowKey,
    conjuncts: impl IntoIterator<Item = (T, Predicate)>,
    budget: usize,
) -> Result<Plan<T>> {
    let (owners, conjuncts): (Vec<T>, Vec<Predicate>) = conjuncts.into_iter().unzip();
    let Plan { spans, residual } = plan_of(key, &conjuncts, budget)?;
    let mut owners: Vec<Option<T>> = owners.into_iter().map(Some).collect();
    let of_owner = |residual: Residual| {
        let conjunct = owners.get_mut(residual.conjunct)?.take()?;
        let reason = residual.reason;
        Some(Residual { conjunct, reason })
    };
    let residual = residual.into_iter().filter_map(of_owner).collect();
    Ok(Plan { spans, residual })
}

/// The same for conjuncts that are known by their positions.
///
/// # Errors
/// As [`plan`].
pub fn plan_of(key: &RowKey, conjuncts: &[Predicate], budget: usize) -> Result<Plan> {
    let dimensions = Dimensions::of(key, conjuncts)?;
    let mut expansion = Expansion::new(&dimensions, budget);
    let boxes = expansion.expand_all(conjuncts);
    #[cfg(any(test, feature = "testing"))]
    let boxes = faulty_boxes(boxes);
    let mut unproven = expansion.lost_for("budget");
    let projection = Projection::new(key, dimensions);
    let mut part_boxes = Vec::with_capacity(boxes.len());
    for column_box in boxes {
        projection.project(column_box, &mut part_boxes, &mut unproven);
    }
    let (spans, widened) = Spans::of_boxes(&projection, project::merge(part_boxes), budget)?;
    projection.give_up(&widened, &mut unproven);
    let reasons = if spans.is_empty() {
        vec![None; conjuncts.len()]
    } else {
        projection.reasons(conjuncts, &unproven)
    };
    #[cfg(any(test, feature = "testing"))]
    let reasons = faulty_reasons(reasons);
    let unproven = |(conjunct, reason): (usize, Option<String>)| {
        reason.map(|reason| Residual { conjunct, reason })
    };
    let residual = reasons.into_iter().enumerate().filter_map(unproven);
    Ok(Plan {
        spans,
        residual: residual.collect(),
    })
}

#[cfg(any(test, feature = "testing"))]
fn faulty_boxes(mut boxes: Vec<boxes::ColumnBox>) -> Vec<boxes::ColumnBox> {
    if crate::fault::active(crate::fault::Fault::BoxDropped) {
        boxes.pop();
    }
    boxes
}

/// How many parts a walk takes notice of.
#[cfg(any(test, feature = "testing"))]
fn faulty_depth(depth: usize) -> usize {
    use crate::fault::{Fault, active};
    depth - usize::from(depth > 0 && active(Fault::WalkWidened))
}

/// The last part that listed ranges take notice of.
#[cfg(any(test, feature = "testing"))]
fn faulty_last(last: Option<usize>) -> Option<usize> {
    use crate::fault::{Fault, active};
    match last {
        Some(last) if active(Fault::RangesWidened) => last.checked_sub(1),
        other => other,
    }
}

/// A range that is listed.
#[cfg(any(test, feature = "testing"))]
fn faulty_range(range: KeyRange) -> KeyRange {
    use crate::fault::{Fault, active};
    match range.stop() {
        Some(stop) if active(Fault::StopIncluded) => {
            let after = crate::keyrange::prefix_successor(stop);
            KeyRange::new(range.start().to_vec(), after).unwrap_or(range)
        }
        _ => range,
    }
}

#[cfg(any(test, feature = "testing"))]
fn faulty_reasons(mut reasons: Vec<Option<String>>) -> Vec<Option<String>> {
    use crate::fault::{Fault, active};
    let widened = [
        Fault::WalkWidened,
        Fault::RangesWidened,
        Fault::StopIncluded,
    ];
    if widened.into_iter().any(active) {
        reasons.fill(Some("kept".to_owned()));
    }
    if active(Fault::ResidualDropped)
        && let Some(last) = reasons.iter_mut().rfind(|reason| reason.is_some())
    {
        *last = None;
    }
    if active(Fault::AlwaysTight) {
        reasons.fill(None);
    }
    reasons
}
