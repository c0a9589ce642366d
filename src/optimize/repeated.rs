//! A key that rows are sorted by is named once.
//!
//! DataFusion panics over `DISTINCT ON (s) … ORDER BY s, s, id` and fails on `first_value(id ORDER BY s, s)`: the
//! aggregates count on as many keys as they are given, and the sort below them has dropped the repeated one. A repeated
//! key decides nothing, whatever its direction, so it is dropped before anyone counts: when the query is analysed, and
//! behind the simplifier, which makes two keys of `s, coalesce(s, s)` one.

use std::collections::HashSet;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};
use datafusion::optimizer::{AnalyzerRule, ApplyOrder, OptimizerConfig, OptimizerRule};

use super::{has_any, map_named};

/// The rule. See the [module](self).
#[derive(Debug, Default)]
pub struct DropRepeatedKeys;

impl AnalyzerRule for DropRepeatedKeys {
    fn name(&self) -> &str {
        "halite_drop_repeated_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(drop_repeated)
            .map(|plan| plan.data)
    }
}

impl OptimizerRule for DropRepeatedKeys {
    fn name(&self) -> &str {
        "halite_drop_repeated_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        drop_repeated(plan)
    }
}

fn drop_repeated(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Distinct(Distinct::On(mut distinct)) => {
            let mut seen = HashSet::new();
            distinct.on_expr.retain(|expr| seen.insert(expr.clone()));
            distinct.sort_expr = distinct.sort_expr.map(once);
            Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::On(
                distinct,
            ))))
        }
        LogicalPlan::Aggregate(_) if has_any(&plan, is_repetitive)? => map_named(plan, |expr| {
            expr.transform_up(|expr| Ok(without_repeated(expr)))
        }),
        plan => Ok(Transformed::no(plan)),
    }
}

fn is_repetitive(expr: &Expr) -> bool {
    matches!(expr, Expr::AggregateFunction(_)) && without_repeated(expr.clone()).transformed
}

fn without_repeated(expr: Expr) -> Transformed<Expr> {
    match expr {
        Expr::AggregateFunction(mut aggregate) => {
            let keys = &mut aggregate.params.order_by;
            let count = keys.len();
            *keys = once(std::mem::take(keys));
            let is_changed = keys.len() < count;
            Transformed::new_transformed(Expr::AggregateFunction(aggregate), is_changed)
        }
        expr => Transformed::no(expr),
    }
}

/// The keys, each where it stands first.
fn once(mut keys: Vec<Sort>) -> Vec<Sort> {
    let mut seen = HashSet::new();
    keys.retain(|key| seen.insert(key.expr.clone()));
    keys
}
