//! A limit stays above what needs all rows, where a sort that has it is left out.
//!
//! DataFusion leaves out a sort whose rows come in its order already, and hands its limit to a merge somewhere below: also
//! to one below a window without bounds, which then counts the rows of a page
//! (`SELECT f, count(*) OVER () … ORDER BY f LIMIT 1`). So the limit is taken out of each sort before that rule runs, and
//! given back to the sorts that are left. What it then stands above, DataFusion's rule for limits pushes it through
//! rightly.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::ensure_requirements::EnsureRequirements;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

/// DataFusion's rule that puts sorts where they are needed and leaves out the others, over sorts without limits.
#[derive(Debug)]
pub struct WithLimitsApart(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl WithLimitsApart {
    /// Wraps the rule where a session has it.
    pub fn wrap(rules: &mut [Arc<dyn PhysicalOptimizerRule + Send + Sync>]) {
        for rule in rules {
            if (rule.as_ref() as &dyn Any).is::<EnsureRequirements>() {
                *rule = Arc::new(Self(Arc::clone(rule)));
            }
        }
    }
}

impl PhysicalOptimizerRule for WithLimitsApart {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let apart = plan.transform_up(apart)?;
        let sorted = self.0.optimize(apart.data, config)?;
        match apart.transformed {
            true => sorted.transform_up(together).data(),
            false => Ok(sorted),
        }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// A sort below its limit.
fn apart(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some((sort, limit)) = node
        .downcast_ref::<SortExec>()
        .and_then(|sort| Some((sort, sort.fetch()?)))
    else {
        return Ok(Transformed::no(node));
    };
    let sorted: Arc<dyn ExecutionPlan> = Arc::new(sort.with_fetch(None));
    Ok(Transformed::yes(match sort.preserve_partitioning() {
        true => Arc::new(LocalLimitExec::new(sorted, limit)),
        false => Arc::new(GlobalLimitExec::new(sorted, 0, Some(limit))),
    }))
}

/// A limit in the sort below it, where one is left.
fn together(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(global) = node.downcast_ref::<GlobalLimitExec>()
        && global.input().output_partitioning().partition_count() > 1
    {
        return Ok(Transformed::yes(over_one_partition(global)));
    }
    let limited = match (
        node.downcast_ref::<GlobalLimitExec>(),
        node.downcast_ref::<LocalLimitExec>(),
    ) {
        (Some(global), _) if global.skip() == 0 => match global.fetch() {
            Some(limit) => sorted_first(global.input(), limit)?,
            None => None,
        },
        (None, Some(local)) => sorted_first(local.input(), local.fetch())?,
        _ => None,
    };
    Ok(limited.map_or_else(|| Transformed::no(node), Transformed::yes))
}

/// The limit over the merge of its input. DataFusion deals rows out below a limit whose sort it has put further down, and
/// merges them nowhere: a sort, which it expects there, would have.
fn over_one_partition(limit: &GlobalLimitExec) -> Arc<dyn ExecutionPlan> {
    let input = Arc::clone(limit.input());
    let merged: Arc<dyn ExecutionPlan> = match input.output_ordering().cloned() {
        Some(order) => Arc::new(SortPreservingMergeExec::new(order, input)),
        None => Arc::new(CoalescePartitionsExec::new(input)),
    };
    Arc::new(GlobalLimitExec::new(merged, limit.skip(), limit.fetch()))
}

/// The first rows of a sort, of a merge of sorts, or of what a projection makes of either.
fn sorted_first(
    plan: &Arc<dyn ExecutionPlan>,
    limit: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(sort) = plan.downcast_ref::<SortExec>() {
        let limit = sort.fetch().map_or(limit, |own| own.min(limit));
        return Ok(Some(Arc::new(sort.with_fetch(Some(limit)))));
    }
    if let Some(merge) = plan.downcast_ref::<SortPreservingMergeExec>() {
        let input = match merge.input().is::<SortExec>() {
            true => sorted_first(merge.input(), limit)?,
            false => None,
        };
        let limit = merge.fetch().map_or(limit, |own| own.min(limit));
        return Ok(input.map(|input| {
            let merge = SortPreservingMergeExec::new(merge.expr().clone(), input);
            Arc::new(merge.with_fetch(Some(limit))) as Arc<dyn ExecutionPlan>
        }));
    }
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(None);
    };
    let input = sorted_first(projection.input(), limit)?;
    let limited = input.map(|input| replace_children_if_necessary(Arc::clone(plan), vec![input]));
    limited.transpose()
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
