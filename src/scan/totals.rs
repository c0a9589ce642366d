//! What the scans of a whole plan have counted.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;

use super::metrics::{KEYS_READ, ScanTotals, sums};

/// The sums over every node of a plan that counts with [`Counters`](super::Counters), subqueries included. Complete once
/// the plan's streams have ended.
pub fn totals(plan: &Arc<dyn ExecutionPlan>) -> ScanTotals {
    let mut totals = ScanTotals::default();
    add_totals(plan.as_ref(), &mut totals);
    totals
}

fn add_totals(plan: &dyn ExecutionPlan, totals: &mut ScanTotals) {
    let counts = |metrics: &MetricsSet| {
        let mut names = metrics.iter().map(|metric| metric.value().name());
        names.any(|name| name == KEYS_READ)
    };
    if let Some(metrics) = plan.metrics().filter(counts) {
        *totals += sums(&metrics);
    }
    for child in plan.children() {
        add_totals(child.as_ref(), totals);
    }
}
