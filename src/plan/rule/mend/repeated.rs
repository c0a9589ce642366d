//! A key that rows are sorted by is named once, and none where their order is of no matter.
//!
//! DataFusion panics over `DISTINCT ON (s) … ORDER BY s, s, id` and fails on `first_value(id ORDER BY s, s)`: the
//! aggregates count on as many keys as they are given, and the sort below them has dropped the repeated one. A repeated
//! key decides nothing, whatever its direction, so it is dropped before anyone counts: once before the keys have been
//! simplified, and once afterwards, when two of them (`s, coalesce(s, s)`) may have become one.
//!
//! `avg(x ORDER BY a), avg(x ORDER BY b)` is refused, for rows have one order. There it decides nothing at all.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Distinct, Expr, ExprSchemable, LogicalPlan};

use crate::plan::rule::rewriting::NodeRule;
use crate::plan::rule::{has_any, map_named};

/// The rule. See the [module](self).
pub(crate) const DROP_REPEATED_KEYS: NodeRule = NodeRule {
    name: "halite_drop_repeated_keys",
    rewrite: drop_repeated,
};

/// DataFusion's aggregates that ask for the order of their rows as written and do not look at it.
const UNORDERED: &[&str] = &[
    "approx_distinct",
    "approx_median",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "max",
    "median",
    "min",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "stddev",
    "stddev_pop",
    "sum",
    "var",
    "var_pop",
];

fn drop_repeated(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Distinct(Distinct::On(mut distinct)) => {
            let mut seen = HashSet::new();
            distinct.on_expr.retain(|expr| seen.insert(expr.clone()));
            distinct.sort_expr = distinct.sort_expr.map(|keys| once(keys, None));
            let distinct = LogicalPlan::Distinct(Distinct::On(distinct));
            Ok(Transformed::yes(distinct))
        }
        LogicalPlan::Aggregate(ref aggregate) if has_any(&plan, is_ordered)? => {
            let schema = Arc::clone(aggregate.input.schema());
            map_named(plan, |expr| {
                expr.transform_up(|expr| Ok(in_aggregate(expr, &schema)))
            })
        }
        plan => Ok(Transformed::no(plan)),
    }
}

fn is_ordered(expr: &Expr) -> bool {
    matches!(expr, Expr::AggregateFunction(aggregate) if !aggregate.params.order_by.is_empty())
}

fn in_aggregate(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::AggregateFunction(mut aggregate) if !aggregate.params.order_by.is_empty() => {
            let keys = std::mem::take(&mut aggregate.params.order_by);
            let written = keys.len();
            if !UNORDERED.contains(&aggregate.func.name()) {
                aggregate.params.order_by = once(keys, Some(schema));
            }
            let is_shorter = aggregate.params.order_by.len() < written;
            let aggregate = Expr::AggregateFunction(aggregate);
            Transformed::new_transformed(aggregate, is_shorter)
        }
        expr => Transformed::no(expr),
    }
}

/// The keys, each where it stands first.
pub(crate) fn once(mut keys: Vec<Sort>, schema: Option<&DFSchema>) -> Vec<Sort> {
    let mut seen = HashSet::new();
    keys.retain(|key| seen.insert(bare(&key.expr, schema)));
    keys
}

/// The key without a cast to the type that it has, which is not planned.
fn bare(key: &Expr, schema: Option<&DFSchema>) -> Expr {
    match (key, schema) {
        (Expr::Cast(cast), Some(schema))
            if cast.expr.get_type(schema).ok().as_ref() == Some(cast.field.data_type()) =>
        {
            bare(&cast.expr, Some(schema))
        }
        _ => key.clone(),
    }
}
