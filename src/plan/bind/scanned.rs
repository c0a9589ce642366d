//! The tables of ours that a plan reads.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::{LogicalPlan, SubqueryAlias, TableScan, TableSource};

use crate::table::HaliteTable;

/// The table of ours that is scanned.
pub(crate) fn table_of(scan: &TableScan) -> Option<Arc<HaliteTable>> {
    table_of_source(&scan.source)
}

/// The table of ours that a plan names.
pub(crate) fn table_of_source(source: &Arc<dyn TableSource>) -> Option<Arc<HaliteTable>> {
    let table: Arc<dyn Any + Send + Sync> = source_as_provider(source).ok()?;
    table.downcast::<HaliteTable>().ok()
}

/// Whether all tables that are scanned are ours.
pub(crate) fn reads_own_tables(plan: &LogicalPlan) -> bool {
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
pub(crate) fn reads(plan: &LogicalPlan, table: &HaliteTable) -> bool {
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

/// What names begin with that planning gives to subqueries which it joins: `__correlated_sq_1`.
const OF_PLANNING: &str = "__";

/// A plan whose scans tell what the query calls their tables, where it gives them another name: the outermost one that is
/// theirs alone. What comes from a subquery without a name is called so.
///
/// # Errors
/// Those of the plan.
pub(crate) fn called_as_written(plan: LogicalPlan) -> Result<LogicalPlan> {
    called(plan, None)
}

/// The same below `name`.
fn called(plan: LogicalPlan, name: Option<&str>) -> Result<LogicalPlan> {
    let with_name = |plan: LogicalPlan, name: Option<&str>| {
        let below = plan.map_children(|child| Ok(Transformed::yes(called(child, name)?)))?;
        let inside = |subquery| Ok(Transformed::yes(called(subquery, None)?));
        Ok(below.data.map_subqueries(inside)?.data)
    };
    match plan {
        LogicalPlan::TableScan(scan) => Ok(LogicalPlan::TableScan(named(scan, name))),
        LogicalPlan::SubqueryAlias(SubqueryAlias { ref alias, .. }) => {
            let own = alias.table().to_owned();
            let is_weak = |name: &str| name.starts_with(OF_PLANNING);
            match name {
                Some(name) if !is_weak(name) => with_name(plan, Some(name)),
                _ => with_name(plan, Some(&own)),
            }
        }
        plan if plan.inputs().len() > 1 => with_name(plan, None),
        plan => with_name(plan, name),
    }
}

fn named(scan: TableScan, name: Option<&str>) -> TableScan {
    let (Some(table), Some(name)) = (table_of(&scan), name) else {
        return scan;
    };
    let alias = match name.strip_prefix(OF_PLANNING) {
        None if name == table.name() => return scan,
        None => name.to_owned(),
        Some(given) => {
            match given
                .rsplit('_')
                .next()
                .and_then(|number| number.parse::<u32>().ok())
            {
                Some(number) => format!("(subquery {number})"),
                None => "(subquery)".to_owned(),
            }
        }
    };
    TableScan {
        source: provider_as_source(Arc::new(table.called(&alias))),
        ..scan
    }
}
