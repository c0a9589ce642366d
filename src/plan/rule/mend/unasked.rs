//! Joins that would wait for a partition that nobody asks.
//!
//! A hash join tells the scan of its larger side which keys it has found in the other one. It does so when all of its
//! partitions are there, and each waits for the others. But in a join of partitions, one whose own smaller side is empty
//! never asks for the other side; where that is a join whose smaller side is collected, the other partitions of this wait
//! for ever. Of a join of partitions DataFusion minds that one of them may go away, of a collected one it does not. So where a
//! partition may not be asked for, such a join tells nothing. An exchange in between asks for all of them.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::joins::{
    HashJoinExec, HashJoinExecBuilder, PartitionMode, PiecewiseMergeJoinExec, SortMergeJoinExec,
    SymmetricHashJoinExec,
};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use crate::plan::rule::rewriting::PlanRule;

/// The rule. It stands behind the one that pushes filters.
pub(crate) const TELL_NOTHING: PlanRule = PlanRule {
    name: "halite_wait_for_nobody",
    rewrite: |plan, _| without_waiting(plan, Asked::All),
};

/// Which partitions of a node are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    All,
    /// Perhaps some and others not.
    Some,
}

impl Asked {
    /// Of the child at this place of a node of which these are asked for.
    fn below(self, node: &dyn ExecutionPlan, place: usize) -> Self {
        if node.is::<RepartitionExec>()
            || node.is::<CoalescePartitionsExec>()
            || node.is::<SortPreservingMergeExec>()
        {
            return Self::All;
        }
        let is_joined_apart = match node.downcast_ref::<HashJoinExec>() {
            Some(join) => *join.partition_mode() == PartitionMode::Partitioned && place == 1,
            None => {
                node.is::<SortMergeJoinExec>()
                    || node.is::<SymmetricHashJoinExec>()
                    || node.is::<PiecewiseMergeJoinExec>()
            }
        };
        if is_joined_apart { Self::Some } else { self }
    }
}

fn without_waiting(plan: Arc<dyn ExecutionPlan>, asked: Asked) -> Result<Arc<dyn ExecutionPlan>> {
    let children = plan.children().into_iter().enumerate();
    let mended = children.map(|(place, child)| {
        let asked = asked.below(plan.as_ref(), place);
        without_waiting(Arc::clone(child), asked)
    });
    let mended = mended.collect::<Result<Vec<_>>>()?;
    let plan = replace_children_if_necessary(plan, mended)?;
    match plan.downcast_ref::<HashJoinExec>() {
        Some(join) if asked == Asked::Some && waits(join) => {
            HashJoinExecBuilder::from(join).reset_state().build_exec()
        }
        _ => Ok(plan),
    }
}

/// Whether the partitions of a join wait for each other, and those of a collected side.
fn waits(join: &HashJoinExec) -> bool {
    *join.partition_mode() == PartitionMode::CollectLeft
        && !join.dynamic_expressions_produced().is_empty()
        && join.right().output_partitioning().partition_count() > 1
}
