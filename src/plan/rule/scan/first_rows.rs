//! The first rows of groups, where no others are needed.
//!
//! `max(ts)` of a host needs one row of the host, where the key goes on with `ts`; `SELECT DISTINCT host` needs any row of
//! each host. An aggregation of which that is so tells the scan below, which passes over the others
//! ([`ScanExec::of_first_rows`](crate::scan::ScanExec::of_first_rows)). The aggregation stays as it is: it may be given more rows than it needs.
//!
//! | of a group | is needed |
//! |---|---|
//! | nothing (`DISTINCT`, `GROUP BY`, `count(DISTINCT …)` in two steps) | any row |
//! | `min(c)`, `max(c)` | the first by `c`, upwards or downwards, NULLs last |
//! | `first_value(c ORDER BY …)`, as `DISTINCT ON` is made of; `last_value` | the first in that order; in its reverse |
//!
//! A filter that leaves of numbered rows the first few, as `row_number() OVER (PARTITION BY host ORDER BY ts DESC) = 1`
//! does, needs no others of each group either (`numbered`).
//!
//! What may stand between the two is in `needed`.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::functions_aggregate::first_last::{FirstValue, LastValue};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::needed::Needed;
use super::numbered::first_numbered;
use crate::plan::rule::rewriting::PlanRule;
use crate::scan::{Order, Wanted};
use crate::settings::HaliteOptions;

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// The rule.
pub(crate) const READ_FIRST_ROWS: PlanRule = PlanRule {
    name: "halite_read_first_rows",
    rewrite: |plan, config| {
        if HaliteOptions::of(config).pushdown {
            plan.transform_up(with_first_rows).data()
        } else {
            Ok(plan)
        }
    },
};

fn with_first_rows(node: Plan) -> Result<Transformed<Plan>> {
    let input = if let Some(grouping) = node.downcast_ref::<AggregateExec>() {
        match needed_by(grouping) {
            Some(needed) => needed.below(grouping.input())?,
            None => None,
        }
    } else if let Some(filter) = node.downcast_ref::<FilterExec>() {
        first_numbered(filter)?
    } else {
        None
    };
    match input {
        Some(input) => replace_children_if_necessary(node, vec![input]).map(Transformed::yes),
        None => Ok(Transformed::no(node)),
    }
}

/// Whether the scan below a grouping can read the rows alone that it needs.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn are_enough_for(grouping: &AggregateExec) -> Result<bool> {
    let Some(needed) = needed_by(grouping) else {
        return Ok(false);
    };
    Ok(needed.below(grouping.input())?.is_some())
}

/// The rows that an aggregation needs; `None` where it needs more than the first.
fn needed_by(grouping: &AggregateExec) -> Option<Needed> {
    let groups = grouping.group_expr();
    let is_first_step = grouping.mode().input_mode() == AggregateInputMode::Raw;
    let has_filters = grouping.filter_expr().iter().any(Option::is_some);
    if !is_first_step || has_filters || groups.has_grouping_set() {
        return None;
    }
    let orders = grouping
        .aggr_expr()
        .iter()
        .map(|aggregate| order_for(aggregate));
    let orders: Vec<Order> = orders.collect::<Option<_>>()?;
    let is_needed = !orders.is_empty() || !groups.expr().is_empty();
    let groups = groups.expr().iter();
    is_needed.then(|| {
        Needed(Wanted {
            groups: groups.map(|(group, _)| Arc::clone(group)).collect(),
            orders: orders
                .into_iter()
                .filter(|order| !order.is_empty())
                .collect(),
            rows: 1,
            with_ties: false,
        })
    })
}

/// The order whose first row is all that an aggregate needs of a group; of no keys where any row does. `None` where it
/// needs more.
fn order_for(aggregate: &AggregateFunctionExpr) -> Option<Order> {
    let function = aggregate.fun().inner();
    let by_argument = |descending| {
        let [argument] = <[_; 1]>::try_from(aggregate.expressions()).ok()?;
        let options = SortOptions {
            descending,
            nulls_first: false,
        };
        Some(vec![(argument, options)])
    };
    let as_said = |is_reversed: bool| {
        let said = aggregate.order_bys().iter().map(|sort| {
            let options = if is_reversed {
                !sort.options
            } else {
                sort.options
            };
            (Arc::clone(&sort.expr), options)
        });
        let is_plain = !aggregate.ignore_nulls() && !aggregate.is_reversed();
        is_plain.then(|| said.collect())
    };
    if function.is::<Max>() {
        by_argument(true)
    } else if function.is::<Min>() {
        by_argument(false)
    } else if function.is::<FirstValue>() {
        as_said(false)
    } else if function.is::<LastValue>() {
        as_said(true)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "first_rows_tests.rs"]
pub(crate) mod tests;
