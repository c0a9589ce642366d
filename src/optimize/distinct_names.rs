//! Filters that DataFusion pushes through a physical plan, where it can tell columns apart.
//!
//! DataFusion's rules push filters, and those that joins and top-k sorts make while they run, through a physical plan by
//! the names of columns. Above a join of two tables with columns of one name the first one is taken for the other, and
//! rows are lost: `t RIGHT JOIN u ON t.c = u.c WHERE t.c IS NULL` asks `u.c IS NULL` of `u`. Such a plan is left as it
//! is; what its conditions say of tables has been pushed down long before, in the logical plan, where columns have the
//! names of their tables.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

/// The rules that push filters by name, before other rules and behind them.
const PUSHING: &[&str] = &["FilterPushdown", "FilterPushdown(Post)"];

/// One of DataFusion's rules, kept from plans in which two columns of a node have one name.
pub struct WithDistinctNames(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl WithDistinctNames {
    /// Wraps all rules of a session that push filters by name.
    pub fn wrap(rules: &mut [Arc<dyn PhysicalOptimizerRule + Send + Sync>]) {
        for rule in rules {
            if PUSHING.contains(&rule.name()) {
                *rule = Arc::new(Self(Arc::clone(rule)));
            }
        }
    }
}

impl fmt::Debug for WithDistinctNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WithDistinctNames")
            .field(&self.0.name())
            .finish()
    }
}

impl PhysicalOptimizerRule for WithDistinctNames {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match has_equal_names(&plan)? {
            true => Ok(plan),
            false => self.0.optimize(plan, config),
        }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// Whether two columns of one node have the same name.
fn has_equal_names(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        let schema = node.schema();
        let mut names = HashSet::with_capacity(schema.fields().len());
        found = !schema
            .fields()
            .iter()
            .all(|field| names.insert(field.name()));
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(found)
}

#[cfg(test)]
#[path = "distinct_names_tests.rs"]
mod tests;
