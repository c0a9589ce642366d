//! A session of Halite's, as far as it changes a WHERE: its rules and DataFusion's over a table that takes all filters.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::SchemaRef;
use datafusion::common::DFSchemaRef;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, TableProviderFilterPushDown, TableSource, lit,
};

use crate::plan::rule::install;

/// A table without rows.
struct Table(SchemaRef);

impl TableSource for Table {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0)
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> datafusion::common::Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }
}

/// The filters that reach the table when `condition` is its WHERE.
///
/// # Errors
/// The session's, as text.
pub(super) fn filters(condition: Expr, schema: &DFSchemaRef) -> Result<Vec<Expr>, String> {
    static SESSION: LazyLock<SessionState> =
        LazyLock::new(|| install(SessionStateBuilder::new_with_default_features()).build());
    let text = condition.to_string();
    let failed =
        |error: datafusion::error::DataFusionError| format!("{text}: {}", error.strip_backtrace());
    let table = Arc::new(Table(Arc::clone(schema.inner())));
    let plan = LogicalPlanBuilder::scan("t", table, None)
        .and_then(|scan| scan.filter(condition))
        .and_then(LogicalPlanBuilder::build)
        .and_then(|plan| SESSION.optimize(&plan))
        .map_err(&failed)?;
    let mut filters = Vec::new();
    plan.apply(|node| {
        match node {
            LogicalPlan::Filter(filter) => filters.push(filter.predicate.clone()),
            LogicalPlan::TableScan(scan) => filters.extend(scan.filters.iter().cloned()),
            LogicalPlan::EmptyRelation(_) => filters.push(lit(false)),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .map_err(&failed)?;
    Ok(filters)
}
