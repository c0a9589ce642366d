//! Rows of a scan that are all that is needed above it.
//!
//! Between the scan and what needs the rows may stand projections, exchanges, sorts and merges. Of one group, that of all
//! rows, several first rows may be needed: then several scans read them, one each.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use crate::scan::{Order, ScanExec, Wanted};

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// Which rows are needed, over the output of some node.
#[derive(Debug)]
pub(super) struct Needed(pub(super) Wanted);

impl Needed {
    /// The plan that gives these rows, and perhaps others; `None` where all are read.
    pub(super) fn below(&self, plan: &Plan) -> Result<Option<Plan>> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            return self.of_scan(scan);
        }
        let input = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
            match self.before(projection)? {
                Some(needed) => needed.below(projection.input())?,
                None => None,
            }
        } else if let Some(input) = handed_on(plan) {
            self.below(input)?
        } else {
            None
        };
        let over = |input| replace_children_if_necessary(Arc::clone(plan), vec![input]);
        input.map(over).transpose()
    }

    /// The same of the rows that a projection takes; `None` where it does not show them.
    fn before(&self, projection: &ProjectionExec) -> Result<Option<Self>> {
        let inner = |expression| update_expr(expression, projection.expr(), true);
        let mut groups = Vec::with_capacity(self.0.groups.len());
        for group in &self.0.groups {
            groups.push(inner(group)?);
        }
        let mut orders = Vec::with_capacity(self.0.orders.len());
        for order in &self.0.orders {
            let order = order.iter().map(|(expression, options)| {
                let inner = inner(expression)?;
                Ok(inner.map(|inner| (inner, *options)))
            });
            orders.push(order.collect::<Result<Option<Order>>>()?);
        }
        let groups: Option<_> = groups.into_iter().collect();
        let orders: Option<_> = orders.into_iter().collect();
        Ok(groups.zip(orders).map(|(groups, orders)| {
            Self(Wanted {
                groups,
                orders,
                ..self.0
            })
        }))
    }

    fn of_scan(&self, scan: &ScanExec) -> Result<Option<Plan>> {
        let scans = scan.of_first_rows(&self.0)?;
        let scans = scans.into_iter().map(|scan| Arc::new(scan) as Plan);
        let scans: Vec<Plan> = scans.collect();
        match <[Plan; 1]>::try_from(scans) {
            Ok([scan]) => Ok(Some(scan)),
            Err(none) if none.is_empty() => Ok(None),
            Err(scans) => united(scans, scan).map(Some),
        }
    }
}

/// What gives the rows of its input, all of them, whatever they are.
pub(super) fn handed_on(plan: &Plan) -> Option<&Plan> {
    let is_kept = plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortExec>()
        || plan.is::<SortPreservingMergeExec>();
    match plan.children()[..] {
        [input] if is_kept && plan.fetch().is_none() => Some(input),
        _ => None,
    }
}

/// The rows of all scans, in one partition where the one that they stand for has one.
fn united(scans: Vec<Plan>, instead_of: &ScanExec) -> Result<Plan> {
    let union = UnionExec::try_new(scans)?;
    Ok(
        match instead_of.properties().partitioning.partition_count() {
            1 => Arc::new(CoalescePartitionsExec::new(union)),
            _ => union,
        },
    )
}
