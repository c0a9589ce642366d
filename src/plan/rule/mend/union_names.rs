//! A UNION has the names of its first arm, and so have all of its arms.
//!
//! DataFusion drops arms of which it sees that they have no rows. If one is left that has other names, the plan above it
//! looks for a column that is not there, or its result has wrong headings:
//! `SELECT id AS x FROM t WHERE 1 = 2 UNION SELECT id AS y FROM t`. So each arm is given the names before that happens.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

use crate::plan::rule::rewriting::NodeRule;

/// The rule. See the [module](self).
pub(crate) const NAME_ARMS_ALIKE: NodeRule = NodeRule {
    name: "halite_name_arms_alike",
    rewrite: name_arms,
};

fn name_arms(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Union(mut union) = plan else {
        return Ok(Transformed::no(plan));
    };
    let mut changed = false;
    for arm in &mut union.inputs {
        if let Some(named) = named(arm, &union.schema)? {
            (*arm, changed) = (Arc::new(named), true);
        }
    }
    let union = LogicalPlan::Union(union);
    Ok(Transformed::new_transformed(union, changed))
}

/// The arm with the names of `union`; `None` if it has them.
fn named(arm: &LogicalPlan, union: &DFSchemaRef) -> Result<Option<LogicalPlan>> {
    let names = union.fields().iter().map(|field| field.name());
    let own = arm.schema().fields().iter().map(|field| field.name());
    if names.clone().eq(own) {
        return Ok(None);
    }
    let columns = arm.schema().columns().into_iter().map(Expr::Column);
    let columns = columns.zip(names).map(|(column, name)| column.alias(name));
    let named = LogicalPlanBuilder::from(arm.clone()).project(columns)?;
    named.build().map(Some)
}

#[cfg(test)]
#[path = "union_names_tests.rs"]
mod tests;
