//! The first rows of groups, where no others are needed.
//!
//! `max(ts)` of a host needs one row of the host, where the key goes on with `ts`; `SELECT DISTINCT host` needs any row of
//! each host. An aggregation of which that is so tells the scan below, which passes over the others
//! ([`ScanExec::of_first_rows`]). The aggregation stays as it is: it may be given more rows than it needs.
//!
//! | of a group | is needed |
//! |---|---|
//! | nothing (`DISTINCT`, `GROUP BY`, `count(DISTINCT …)` in two steps) | any row |
//! | `min(c)`, `max(c)` | the first by `c`, upwards or downwards, NULLs last |
//! | `first_value(c ORDER BY …)`, as `DISTINCT ON` is made of; `last_value` | the first in that order; in its reverse |
//!
//! Between the two may stand projections, exchanges, sorts and merges. Of one group, that of all rows, several first rows
//! may be needed: then several scans read them, one each.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::functions_aggregate::first_last::{FirstValue, LastValue};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::projection::update_expr;
use datafusion::physical_optimizer::sanity_checker::SanityCheckPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::rule::PlanRule;
use super::{PhysicalRule, insert_before};
use crate::scan::{Order, ScanExec};
use crate::settings::HaliteOptions;

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// The rule.
const READ_FIRST_ROWS: PlanRule = PlanRule {
    name: "halite_read_first_rows",
    rewrite: |plan, config| match HaliteOptions::of(config).pushdown {
        true => plan.transform_up(with_first_rows).data(),
        false => Ok(plan),
    },
};

/// Puts the rule where the plan has its shape, and its scans their filters.
pub(super) fn insert(rules: &mut Vec<PhysicalRule>) {
    insert_before::<SanityCheckPlan>(rules, READ_FIRST_ROWS);
}

fn with_first_rows(node: Plan) -> Result<Transformed<Plan>> {
    let grouping = node.downcast_ref::<AggregateExec>();
    let needed = grouping.and_then(Needed::by);
    let Some((grouping, needed)) = grouping.zip(needed) else {
        return Ok(Transformed::no(node));
    };
    match needed.below(grouping.input())? {
        Some(input) => replace_children_if_necessary(node, vec![input]).map(Transformed::yes),
        None => Ok(Transformed::no(node)),
    }
}

/// Which rows are needed.
#[derive(Debug)]
struct Needed {
    /// What rows are grouped by.
    groups: Vec<Arc<dyn PhysicalExpr>>,
    /// The first of a group in each of these orders; in none: any row of it.
    orders: Vec<Order>,
}

impl Needed {
    /// The rows that an aggregation needs; `None` where it needs more than the first.
    fn by(grouping: &AggregateExec) -> Option<Self> {
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
        is_needed.then(|| Self {
            groups: groups.map(|(group, _)| Arc::clone(group)).collect(),
            orders: orders
                .into_iter()
                .filter(|order| !order.is_empty())
                .collect(),
        })
    }

    /// The plan that gives these rows, and perhaps others; `None` where all are read.
    fn below(&self, plan: &Plan) -> Result<Option<Plan>> {
        if let Some(scan) = plan.downcast_ref::<ScanExec>() {
            return self.of_scan(scan);
        }
        let input = if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
            match self.before(projection)? {
                Some(needed) => needed.below(projection.input())?,
                None => None,
            }
        } else if let Some(input) = handed_on(plan) {
            self.below(input)?
        } else {
            None
        };
        let over = |input| replace_children_if_necessary(Arc::clone(plan), vec![input]);
        input.map(over).transpose()
    }

    /// The same of the rows that a projection takes; `None` where it does not show them.
    fn before(&self, projection: &ProjectionExec) -> Result<Option<Self>> {
        let inner = |expression| update_expr(expression, projection.expr(), true);
        let mut groups = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            groups.push(inner(group)?);
        }
        let mut orders = Vec::with_capacity(self.orders.len());
        for order in &self.orders {
            let order = order.iter().map(|(expression, options)| {
                let inner = inner(expression)?;
                Ok(inner.map(|inner| (inner, *options)))
            });
            orders.push(order.collect::<Result<Option<Order>>>()?);
        }
        let groups: Option<_> = groups.into_iter().collect();
        let orders: Option<_> = orders.into_iter().collect();
        Ok(groups
            .zip(orders)
            .map(|(groups, orders)| Self { groups, orders }))
    }

    fn of_scan(&self, scan: &ScanExec) -> Result<Option<Plan>> {
        let scans = scan.of_first_rows(&self.groups, &self.orders)?;
        let scans = scans.into_iter().map(|scan| Arc::new(scan) as Plan);
        let scans: Vec<Plan> = scans.collect();
        match <[Plan; 1]>::try_from(scans) {
            Ok([scan]) => Ok(Some(scan)),
            Err(none) if none.is_empty() => Ok(None),
            Err(scans) => united(scans, scan).map(Some),
        }
    }
}

/// What gives the rows of its input, all of them, whatever they are.
fn handed_on(plan: &Plan) -> Option<&Plan> {
    let is_kept = plan.is::<RepartitionExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<SortExec>()
        || plan.is::<SortPreservingMergeExec>();
    match plan.children()[..] {
        [input] if is_kept && plan.fetch().is_none() => Some(input),
        _ => None,
    }
}

/// The rows of all scans, in one partition where the one that they stand for has one.
fn united(scans: Vec<Plan>, instead_of: &ScanExec) -> Result<Plan> {
    let union = UnionExec::try_new(scans)?;
    Ok(
        match instead_of.properties().partitioning.partition_count() {
            1 => Arc::new(CoalescePartitionsExec::new(union)),
            _ => union,
        },
    )
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
            let options = match is_reversed {
                true => !sort.options,
                false => sort.options,
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
mod tests;
