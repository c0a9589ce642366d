//! An aggregate is answered by the statistics of its own rows.
//!
//! DataFusion answers an aggregate without groups by statistics where they are exact. Of one in two steps it looks for the
//! first step below the second; where that one has a FILTER it goes on looking, and finds an aggregate of a query further
//! down: `SELECT count(*) FILTER (WHERE n > 0), min(n) FROM (SELECT count(*) AS n FROM t WHERE false) q` becomes
//! `count(*)` of the inner query, has too few columns, and fails or panics. So a plan that has such an aggregate keeps its
//! aggregates as they are.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNode;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};

use crate::plan::rule::PhysicalRule;

/// DataFusion's rule, for plans that it does not mistake.
#[derive(Debug)]
struct OwnStatistics(PhysicalRule);

/// Puts it around DataFusion's rule.
pub(crate) fn around(rule: PhysicalRule) -> PhysicalRule {
    Arc::new(OwnStatistics(rule))
}

impl PhysicalOptimizerRule for OwnStatistics {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if plan.exists(|node| Ok(is_mistaken(node)))? {
            Ok(plan)
        } else {
            self.0.optimize(plan, config)
        }
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// Whether it is a second step, and its first step is not what DataFusion takes for it.
fn is_mistaken(node: &Arc<dyn ExecutionPlan>) -> bool {
    let second = node.downcast_ref::<AggregateExec>().filter(|second| {
        let takes_steps = second.mode().input_mode() == AggregateInputMode::Partial;
        takes_steps && second.group_expr().is_empty()
    });
    let Some(second) = second else {
        return false;
    };
    let mut below = second.input();
    loop {
        if let Some(first) = below.downcast_ref::<AggregateExec>() {
            let is_first = first.mode().input_mode() == AggregateInputMode::Raw;
            let is_plain = first.filter_expr().iter().all(Option::is_none);
            return !(is_first && is_plain && first.group_expr().is_empty());
        }
        match below.children()[..] {
            [only] => below = only,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::{mended, plain, plain_rows, rows};

    const INNER: &str = "(SELECT count(*) AS n FROM (VALUES (1), (2), (3)) v (a)) q";

    #[tokio::test]
    async fn an_aggregate_of_an_aggregate_is_its_own() {
        let session = mended();
        for partitions in [1, 4] {
            let set = format!("SET datafusion.execution.target_partitions = {partitions}");
            rows(&session, &set).await;
            for (list, expected) in [
                ("count(*) FILTER (WHERE n = 0) AS x", "0"),
                (
                    "count(*) FILTER (WHERE n = 3) AS x, sum(n) AS y, min(n) AS z",
                    "1|3|3",
                ),
                ("count(*) AS x", "1"),
            ] {
                let sql =
                    format!("SELECT * FROM (SELECT {list} FROM {INNER}) b WHERE x IS NOT NULL");
                assert_eq!(rows(&session, &sql).await, [expected], "{sql}");
            }
        }
    }

    /// Fails as soon as DataFusion looks at the right aggregate: then the rule can go.
    #[tokio::test]
    async fn canary() {
        let sql = format!("SELECT count(*) FILTER (WHERE n = 0) AS x FROM {INNER}");
        let answer = plain_rows(&plain(), &sql).await;
        assert_ne!(answer, Ok(vec!["0".to_owned()]));
    }
}
