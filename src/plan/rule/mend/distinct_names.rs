//! Filters that DataFusion pushes through a physical plan, where it can tell columns apart.
//!
//! DataFusion's rules push filters, and those that joins and top-k sorts make while they run, through a physical plan by
//! the names of columns. Above a join of two tables with columns of one name the first one is taken for the other, and
//! rows are lost: `t RIGHT JOIN u ON t.c = u.c WHERE t.c IS NULL` asks `u.c IS NULL` of `u`. What is asked of the key of
//! a semi join is asked of the other side, too, of the column that has the key's name: of `u.a` in
//! `EXISTS (SELECT 1 FROM u WHERE u.b = t.a AND u.a > t.c)`.
//!
//! While such a rule runs, a fence stands above every node with two columns of one name, and above such a join, through
//! which no filter is pushed. What a node below it makes of its own, such as a join's filter for its larger side, names
//! the columns of one input, and is pushed on.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinType, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};

use crate::operator::one_input;
use crate::plan::rule::PhysicalRule;

/// One of DataFusion's rules that push filters by name, kept from columns that share theirs.
#[derive(Debug)]
pub struct WithDistinctNames(PhysicalRule);

/// Puts it around a rule that pushes filters by name.
pub(crate) fn around(rule: PhysicalRule) -> PhysicalRule {
    Arc::new(WithDistinctNames(rule))
}

impl PhysicalOptimizerRule for WithDistinctNames {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let fenced = fenced(plan)?;
        if !fenced.transformed {
            return self.0.optimize(fenced.data, config);
        }
        without_fences(self.0.optimize(fenced.data, config)?)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

fn fenced(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    plan.transform_up(|node| {
        Ok(if has_equal_names(&node) || crosses_names(&node) {
            Transformed::yes(Arc::new(Fence(node)) as Arc<dyn ExecutionPlan>)
        } else {
            Transformed::no(node)
        })
    })
}

fn without_fences(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        Ok(match node.downcast_ref::<Fence>() {
            Some(Fence(input)) => Transformed::yes(Arc::clone(input)),
            None => Transformed::no(node),
        })
    })
    .data()
}

/// Whether two columns of the node have the same name.
fn has_equal_names(node: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = node.schema();
    let mut names = HashSet::with_capacity(schema.fields().len());
    !schema
        .fields()
        .iter()
        .all(|field| names.insert(field.name()))
}

/// Whether it is a semi join that has a key on one side, and on the other a column of the key's name that is not its equal.
fn crosses_names(node: &Arc<dyn ExecutionPlan>) -> bool {
    let Some(join) = node.downcast_ref::<HashJoinExec>() else {
        return false;
    };
    let (is_left, other) = match join.join_type() {
        JoinType::LeftSemi => (true, join.right().schema()),
        JoinType::RightSemi => (false, join.left().schema()),
        _ => return false,
    };
    join.on().iter().any(|(left, right)| {
        let (key, equal) = if is_left {
            (left, right)
        } else {
            (right, left)
        };
        let of_name = key.downcast_ref::<Column>();
        let of_name = of_name.and_then(|key| other.index_of(key.name()).ok());
        of_name.is_some() && of_name != equal.downcast_ref::<Column>().map(Column::index)
    })
}

/// Its input, and no way through for filters: it answers as a node does that knows nothing of them.
#[derive(Debug)]
pub(crate) struct Fence(Arc<dyn ExecutionPlan>);

impl ExecutionPlan for Fence {
    fn name(&self) -> &str {
        "Fence"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    one_input!(0, |_fence, input| Ok(Arc::new(Self(input))));

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.0.execute(partition, context)
    }
}

impl DisplayAs for Fence {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fence")
    }
}

#[cfg(test)]
#[path = "distinct_names_tests.rs"]
mod tests;
