//! How a query asks a layout. What the head of its file says is not believed: the plan is asked, and what was read.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use halite::store::Direction;

use super::Case;
use super::run::Measured;
use super::seeks::scans;

/// A way of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One key, or some, each known whole.
    Point,
    /// All that stands in a stretch of the key, or in the places that a walk goes to.
    Stretch,
    /// A stretch of which a condition leaves some rows.
    Residual,
    /// The first rows in an order that the key has, with no need to read the others.
    FirstRows,
    /// As much as nothing else that the layout is there for.
    Worst,
}

impl Kind {
    pub const ALL: [Self; 5] = [
        Self::Point,
        Self::Stretch,
        Self::Residual,
        Self::FirstRows,
        Self::Worst,
    ];

    /// How a query asks the layout that is meant to serve it, or that serves it worst. `most`: the keys that are read for
    /// the queries that this layout serves well.
    pub fn of(
        case: &Case,
        measured: &Measured,
        plan: &Arc<dyn ExecutionPlan>,
        most: usize,
    ) -> Option<Self> {
        let Measured { keys, run } = measured;
        if case.query.worst == Some(case.layout.name) {
            return (run.totals.keys_read >= most).then_some(Self::Worst);
        }
        let are = |kinds: &[&str]| keys.rows.iter().all(|row| kinds.contains(&&*row.kind));
        let is_tight = keys.rows.iter().all(|row| row.tight);
        if takes_the_first(plan) {
            return is_tight.then_some(Self::FirstRows);
        }
        if are(&["point"]) {
            return is_tight.then_some(Self::Point);
        }
        if !are(&["range", "walk"]) {
            return None;
        }
        match is_tight {
            true => Some(Self::Stretch),
            false => (run.totals.rows_out < run.totals.keys_read).then_some(Self::Residual),
        }
    }
}

/// Whether the limit has come down to the scan, which reads in the order that is wanted.
fn takes_the_first(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let scans = scans(plan);
    let mut requests = scans.iter().map(|scan| scan.request());
    requests.all(|request| {
        let is_ordered = request.in_order || request.direction == Direction::Backward;
        request.fetch.is_some() && is_ordered
    })
}
