//! A key that rows are sorted by is named once.
//!
//! DataFusion panics over `DISTINCT ON (s) … ORDER BY s, s, id` and fails on `first_value(id ORDER BY s, s)`: the
//! aggregates count on as many keys as they are given, and the sort below them has dropped the repeated one. A repeated
//! key decides nothing, whatever its direction, so it is dropped before anyone counts.

use std::collections::HashSet;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

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
        LogicalPlan::Aggregate(_) => {
            let names = NamePreserver::new(&plan);
            plan.map_expressions(|expr| match expr {
                Expr::GroupingSet(_) => Ok(Transformed::no(expr)),
                expr => {
                    let name = names.save(&expr);
                    let dropped = expr.transform_up(|expr| Ok(in_aggregate(expr)))?;
                    Ok(dropped.update_data(|expr| name.restore(expr)))
                }
            })
        }
        plan => Ok(Transformed::no(plan)),
    }
}

fn in_aggregate(expr: Expr) -> Transformed<Expr> {
    match expr {
        Expr::AggregateFunction(mut aggregate) if aggregate.params.order_by.len() > 1 => {
            aggregate.params.order_by = once(aggregate.params.order_by);
            Transformed::yes(Expr::AggregateFunction(aggregate))
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
