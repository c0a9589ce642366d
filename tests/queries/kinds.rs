//! How a query asks a layout. What the head of its file says is not believed: the plan is asked, and what was read.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use halite::store::Direction;

use super::Case;
use super::run::Measured;
use super::seeks::scans;

/// The ways of asking: for a key or some, each known whole; for all that stands in a stretch of the key, or where a walk
/// goes; for what a condition leaves of it; for the first rows in an order that the key has, with no need to read the
/// others; and for as much as nothing else that the layout is there for.
pub const KINDS: [&str; 5] = ["point", "stretch", "residual", "first rows", "worst"];

/// How a query asks the layout that is meant to serve it, or that serves it worst. `most`: the keys that are read for the
/// queries that this layout serves well.
pub fn kind(
    case: &Case,
    measured: &Measured,
    plan: &Arc<dyn ExecutionPlan>,
    most: usize,
) -> Option<&'static str> {
    let Measured { keys, run } = measured;
    if case.query.worst == Some(case.layout.name) {
        return (run.totals.keys_read >= most).then_some("worst");
    }
    let are = |kinds: &[&str]| keys.rows.iter().all(|row| kinds.contains(&&*row.kind));
    let is_tight = keys.rows.iter().all(|row| row.tight);
    if takes_the_first(plan) {
        return is_tight.then_some("first rows");
    }
    if are(&["point"]) {
        return is_tight.then_some("point");
    }
    if !are(&["range", "walk"]) {
        return None;
    }
    if is_tight {
        Some("stretch")
    } else {
        (run.totals.rows_out < run.totals.keys_read).then_some("residual")
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
