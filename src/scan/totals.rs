//! What the scans of a whole plan have counted.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

use super::exec::ScanExec;
use super::metrics::{ScanTotals, sums};

/// The sums over every [`ScanExec`] of a plan, subqueries included. Complete once the plan's streams have ended.
pub fn totals(plan: &Arc<dyn ExecutionPlan>) -> ScanTotals {
    let mut totals = ScanTotals::default();
    add_totals(plan.as_ref(), &mut totals);
    totals
}

fn add_totals(plan: &dyn ExecutionPlan, totals: &mut ScanTotals) {
    if let Some(metrics) = plan
        .downcast_ref::<ScanExec>()
        .and_then(|scan| scan.metrics())
    {
        *totals += sums(&metrics);
    }
    for child in plan.children() {
        add_totals(child.as_ref(), totals);
    }
}
