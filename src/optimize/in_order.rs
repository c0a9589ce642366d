//! Rows in the order of keys, without reading ahead what comes last.
//!
//! A scan of a large table is cut into pieces of consecutive keys, which are read side by side. Where an operator above
//! wants the rows in the order of the keys, it takes all of the first piece before any of the second: a merge of the
//! pieces would compare rows for nothing, and hold batches that nobody can use yet. This rule, which runs when all
//! decisions about order have been made, lets such a scan read its pieces one after the other and takes away the
//! merge, and the buffer that DataFusion puts between a merge and a scan whose sort it has taken away: it reads up to
//! a gigabyte ahead of a consumer that may want ten rows.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::buffer::BufferExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use crate::scan::ScanExec;

/// The rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadInOrder;

impl PhysicalOptimizerRule for ReadInOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            if let Some(buffer) = node.downcast_ref::<BufferExec>()
                && buffer.input().is::<ScanExec>()
            {
                return Ok(Transformed::yes(Arc::clone(buffer.input())));
            }
            match node.downcast_ref::<SortPreservingMergeExec>() {
                Some(merge) => merge_of_pieces(merge, &node),
                None => Ok(Transformed::no(node)),
            }
        })
        .data()
    }

    fn name(&self) -> &str {
        "ReadInOrder"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The merge, or what it merged where that comes in one partition.
fn merge_of_pieces(
    merge: &SortPreservingMergeExec,
    node: &Arc<dyn ExecutionPlan>,
) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let gathered = gathered(merge.input())?;
    let is_changed = gathered.is_some();
    let input = gathered.unwrap_or_else(|| Arc::clone(merge.input()));
    let is_single = input.output_partitioning().partition_count() == 1;
    // A scan that has taken the limit needs nobody to keep it.
    let keeps_limit = merge.fetch().is_none_or(|limit| {
        let taken = input
            .downcast_ref::<ScanExec>()
            .and_then(ExecutionPlan::fetch);
        taken.is_some_and(|taken| taken <= limit)
    });
    Ok(match is_single && keeps_limit {
        true => Transformed::yes(input),
        false if is_changed => {
            let merge =
                SortPreservingMergeExec::new(merge.expr().clone(), input).with_fetch(merge.fetch());
            Transformed::yes(Arc::new(merge))
        }
        false => Transformed::no(Arc::clone(node)),
    })
}

/// The plan over a scan whose pieces are read one after the other; `None` where it does not end in a scan with pieces,
/// or does more with its rows on the way than row by row.
fn gathered(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        let gathered = scan.gathered()?;
        return Ok(gathered.map(|scan| Arc::new(scan) as Arc<dyn ExecutionPlan>));
    }
    let is_row_by_row = plan.is::<ProjectionExec>() || plan.is::<FilterExec>();
    let children = plan.children();
    let ([input], true) = (children.as_slice(), is_row_by_row) else {
        return Ok(None);
    };
    let Some(input) = gathered(input)? else {
        return Ok(None);
    };
    replace_children_if_necessary(Arc::clone(plan), vec![input]).map(Some)
}

#[cfg(test)]
#[path = "in_order_tests.rs"]
mod tests;
