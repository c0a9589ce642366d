//! The columns that a filter hands on are chosen above it before projections are pushed down.
//!
//! DataFusion's rule that pushes projections down runs twice. First a filter takes over the choice of columns that stands
//! above it. Then a projection that is left above it is put below, though the filter's output, which it is about, has other
//! columns at its places than the filter's input: `SELECT u.a, u.b + u.c FROM t RIGHT JOIN u … WHERE t.a IS NULL` gives
//! columns of `t`, which have the same names. So in front of the rule the choice is a projection again, which the rule
//! makes one with what is above it.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};
use datafusion::physical_plan::projection::ProjectionExec;

use crate::plan::rule::rewriting::PlanRule;

/// The rule.
pub(crate) const CHOOSE_ABOVE_FILTERS: PlanRule = PlanRule {
    name: "halite_choose_above_filters",
    rewrite: |plan, _| plan.transform_up(chosen_above).data(),
};

fn chosen_above(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some((filter, chosen)) = node
        .downcast_ref::<FilterExec>()
        .and_then(|filter| Some((filter, filter.projection().as_deref()?)))
    else {
        return Ok(Transformed::no(node));
    };
    let schema = filter.input().schema();
    let columns = chosen.iter().map(|index| {
        let name = schema.field(*index).name();
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, *index));
        (column, name.clone())
    });
    let columns: Vec<_> = columns.collect();
    let all = FilterExecBuilder::from(filter).apply_projection(None)?;
    let above = ProjectionExec::try_new(columns, Arc::new(all.build()?))?;
    Ok(Transformed::yes(Arc::new(above)))
}

#[cfg(test)]
#[path = "embedded_tests.rs"]
mod tests;
