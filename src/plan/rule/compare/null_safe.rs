//! Joins in which NULL equals NULL: an equality beside them stays one in which it does not.
//!
//! `l.a IS NOT DISTINCT FROM r.a` becomes the key of a join in which NULL equals NULL. Whatever equality DataFusion finds
//! beside it later, a WHERE with `l.b = r.b` that is pushed down, becomes a key of the same join, and NULL meets NULL
//! there as well. Here such a key has `l.b IS NOT NULL` beside it.
//!
//! The rule that reorders joins goes further and puts keys of joins of both kinds together. From it such joins are hidden
//! while it runs: it looks into inner joins alone.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{NullEquality, Result};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Join, JoinType, LogicalPlan};
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use crate::plan::rule::rewriting::Around;

/// The rule that finds the keys of joins.
pub(crate) const KEEP_NULLS_APART: Around = Around {
    name: "keep_nulls_apart",
    rewrite: extract,
};

/// The rule that reorders joins.
pub(crate) const KEEP_FROM_REORDERING: Around = Around {
    name: "keep_from_reordering",
    rewrite: reorder,
};

fn extract(
    theirs: &dyn OptimizerRule,
    plan: LogicalPlan,
    config: &dyn OptimizerConfig,
) -> Result<Transformed<LogicalPlan>> {
    let keys = match &plan {
        LogicalPlan::Join(join) if is_null_safe(join) => join.on.len(),
        _ => return theirs.rewrite(plan, config),
    };
    theirs
        .rewrite(plan, config)?
        .map_data(|extracted| match extracted {
            LogicalPlan::Join(mut join) => {
                let added = join.on.iter().skip(keys);
                let not_null = added.map(|(left, _)| left.clone().is_not_null());
                let conjuncts = join.filter.clone().into_iter().chain(not_null);
                join.filter = conjunction(conjuncts);
                Ok(LogicalPlan::Join(join))
            }
            other => Ok(other),
        })
}

/// Whether NULL equals NULL among its keys, of which there are some.
fn is_null_safe(join: &Join) -> bool {
    join.null_equality == NullEquality::NullEqualsNull && !join.on.is_empty()
}

fn reorder(
    theirs: &dyn OptimizerRule,
    plan: LogicalPlan,
    config: &dyn OptimizerConfig,
) -> Result<Transformed<LogicalPlan>> {
    let is_one = |node: &LogicalPlan| {
        Ok(
            matches!(node, LogicalPlan::Join(join) if is_null_safe(join) && join.join_type == JoinType::Inner),
        )
    };
    if !plan.exists(is_one)? {
        return theirs.rewrite(plan, config);
    }
    let hidden = plan.transform_down(|node| match node {
        LogicalPlan::Join(join) if is_null_safe(&join) && join.join_type == JoinType::Inner => {
            Ok(Transformed::yes(LogicalPlan::Join(Join {
                join_type: JoinType::Left,
                null_aware: true,
                ..join
            })))
        }
        node => Ok(Transformed::no(node)),
    })?;
    theirs.rewrite(hidden.data, config)?.map_data(shown)
}

/// The joins as they were: no other LEFT JOIN is aware of NULL.
fn shown(plan: LogicalPlan) -> Result<LogicalPlan> {
    let shown = plan.transform_up(|node| match node {
        LogicalPlan::Join(join) if join.null_aware && join.join_type == JoinType::Left => {
            let Join {
                left,
                right,
                on,
                filter,
                join_constraint,
                null_equality,
                ..
            } = join;
            let join = Join::try_new(
                Arc::clone(&left),
                Arc::clone(&right),
                on,
                filter,
                JoinType::Inner,
                join_constraint,
                null_equality,
                false,
            )?;
            Ok(Transformed::yes(LogicalPlan::Join(join)))
        }
        node => Ok(Transformed::no(node)),
    })?;
    Ok(shown.data)
}

#[cfg(test)]
#[path = "null_safe_tests.rs"]
mod tests;
