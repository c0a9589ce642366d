//! The tables of ours that a plan reads.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{LogicalPlan, TableScan, TableSource};

use crate::table::HaliteTable;

/// The table of ours that is scanned.
pub(super) fn table_of(scan: &TableScan) -> Option<Arc<HaliteTable>> {
    table_of_source(&scan.source)
}

/// The table of ours that a plan names.
pub(super) fn table_of_source(source: &Arc<dyn TableSource>) -> Option<Arc<HaliteTable>> {
    let table: Arc<dyn Any + Send + Sync> = source_as_provider(source).ok()?;
    table.downcast::<HaliteTable>().ok()
}

/// Whether all tables that are scanned are ours.
pub(super) fn reads_own_tables(plan: &LogicalPlan) -> bool {
    let mut are_own = true;
    let visited = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            are_own = are_own && table_of(scan).is_some();
        }
        Ok(TreeNodeRecursion::Continue)
    });
    visited.is_ok() && are_own
}

/// Whether a plan reads a table.
pub(super) fn reads(plan: &LogicalPlan, table: &HaliteTable) -> bool {
    let mut is_read = false;
    let visited = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let scanned = table_of(scan);
            is_read |= scanned.is_some_and(|it| Arc::ptr_eq(it.bound(), table.bound()));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    visited.is_err() || is_read
}
