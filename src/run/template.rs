//! The physical plan of a prepared query, kept for runs with other values.
//!
//! A query whose parameters are compared with columns by the scan of one table alone has the same operators above the scan
//! whatever the values are, as long as the scan promises the same to them: its order, its partitions, and which columns
//! are constant. So the plan of one run serves the next, with a scan of the spans of its values at the bottom
//! ([`ScanExec::for_other_values`]). Planning costs some hundred microseconds, as much as reading a thousand rows.
//!
//! Kept are plans of operators that hold nothing but what they were planned of: each run has copies of its own. Whatever
//! learns while it runs (joins and top-k, with their dynamic filters) is planned each time.

use std::sync::Arc;

use datafusion::common::{DFSchema, Result as PlanResult, ScalarValue, internal_err};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};
use parking_lot::RwLock;

use super::batch_size;
use crate::plan::bind::scanned::table_of;
use crate::plan::rule;
use crate::scan::{Access, Parallelism, ScanExec, ScanRequest};
use crate::settings::HaliteOptions;

/// A plan of more operators is not kept.
const MOST_OPERATORS: usize = 64;

/// What is kept of a query of one table.
#[derive(Debug)]
pub(crate) struct PlanTemplate {
    /// How the table is read, with placeholders.
    access: Access,
    newest: RwLock<Option<Arc<Template>>>,
}

/// The plan of an earlier run.
#[derive(Debug)]
struct Template {
    plan: Arc<dyn ExecutionPlan>,
    /// How many conjuncts of the scan's residual are those of the access.
    own: usize,
}

impl PlanTemplate {
    /// That of an optimized plan whose parameters are compared with columns of their types, by scans alone; `None` where it
    /// does not read one table.
    pub(crate) fn of(optimized: &LogicalPlan) -> Option<Self> {
        let scan = only_scan(optimized)?;
        let table = table_of(scan)?;
        let filters = scan.filters.iter().cloned().map(unnormalize_col);
        Some(Self {
            access: table.access(filters),
            newest: RwLock::default(),
        })
    }

    /// The plan for these values; `None` where none is kept that is right for them.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn bind(
        &self,
        session: &SessionState,
        values: &[ScalarValue],
    ) -> PlanResult<Option<Arc<dyn ExecutionPlan>>> {
        let newest = self.newest.read().clone();
        let Some(template) = newest.filter(|_| values.iter().all(batch_size::is_short)) else {
            return Ok(None);
        };
        let Some(request) = self.request(session, values)? else {
            return Ok(None);
        };
        let Some(scan) = leaf(&template.plan).and_then(|it| it.downcast_ref::<ScanExec>()) else {
            return Ok(None);
        };
        let options = HaliteOptions::of(session.config_options());
        let width = Parallelism {
            partitions: session.config().target_partitions(),
            piece_bytes: options.piece_bytes,
        };
        let scan = scan.for_other_values(request, template.own, width)?;
        let scan = scan.map(|scan| over(&template.plan, Arc::new(scan)));
        scan.transpose()
    }

    /// Keeps the plan that was made for these values, if it can be.
    ///
    /// # Errors
    /// `Internal` alone.
    pub(crate) fn keep(
        &self,
        session: &SessionState,
        plan: &Arc<dyn ExecutionPlan>,
        values: &[ScalarValue],
    ) -> PlanResult<()> {
        let Some(scan) = only_scan_of(plan) else {
            return Ok(());
        };
        if let Some(bound) = self.request(session, values)?
            && is_of(scan.request(), &bound)
        {
            *self.newest.write() = Some(Arc::new(Template {
                plan: Arc::clone(plan),
                own: bound.residual.len(),
            }));
        }
        Ok(())
    }

    /// What is read for these values.
    fn request(
        &self,
        session: &SessionState,
        values: &[ScalarValue],
    ) -> PlanResult<Option<ScanRequest>> {
        let options = HaliteOptions::of(session.config_options());
        let physical = |filter, schema: &DFSchema| session.create_physical_expr(filter, schema);
        self.access.bind(values, &options.planning(&physical))
    }
}

/// Whether a scan reads what the access says, and perhaps has more filters.
fn is_of(scan: &ScanRequest, bound: &ScanRequest) -> bool {
    let mut both = scan.residual.iter().zip(&bound.residual);
    scan.dynamic.is_empty()
        && scan.spans.runs().len() == bound.spans.runs().len()
        && scan.residual.len() >= bound.residual.len()
        && both.all(|(ours, theirs)| ours.written == theirs.written)
}

/// The only table that a plan reads, if all it reads is one of Halite's.
fn only_scan(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        plan => {
            let [input] = <[&LogicalPlan; 1]>::try_from(plan.inputs()).ok()?;
            only_scan(input)
        }
    }
}

/// The scan at the bottom of a plan of operators that can be kept.
fn only_scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&ScanExec> {
    let mut node = plan;
    for _ in 0..MOST_OPERATORS {
        if let Some(scan) = node.downcast_ref::<ScanExec>() {
            return Some(scan);
        }
        let is_dynamic = !node.dynamic_expressions_produced().is_empty();
        match node.children()[..] {
            [input] if can_be_kept(node) && !is_dynamic => node = input,
            _ => return None,
        }
    }
    None
}

/// Whether a copy of the operator over another input shares nothing with it that changes while it runs.
fn can_be_kept(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<AggregateExec>()
        || node.is::<BoundedWindowAggExec>()
        || node.is::<CoalescePartitionsExec>()
        || node.is::<CooperativeExec>()
        || node.is::<FilterExec>()
        || node.is::<GlobalLimitExec>()
        || node.is::<LocalLimitExec>()
        || node.is::<ProjectionExec>()
        || node.is::<RepartitionExec>()
        || node.is::<SortExec>()
        || node.is::<SortPreservingMergeExec>()
        || node.is::<WindowAggExec>()
        || rule::hands_rows_on(node)
}

fn leaf(plan: &Arc<dyn ExecutionPlan>) -> Option<&Arc<dyn ExecutionPlan>> {
    match plan.children()[..] {
        [] => Some(plan),
        [input] => leaf(input),
        _ => None,
    }
}

/// A copy of a plan of operators with one input each, over another scan.
fn over(
    plan: &Arc<dyn ExecutionPlan>,
    scan: Arc<dyn ExecutionPlan>,
) -> PlanResult<Arc<dyn ExecutionPlan>> {
    match plan.children()[..] {
        [] => Ok(scan),
        [input] => {
            let input = over(input, scan)?;
            replace_children_if_necessary(Arc::clone(plan), vec![input])
        }
        _ => internal_err!("a plan is kept whose {} has several inputs", plan.name()),
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
