//! Which filters of a query a scan takes.

use datafusion::common::tree_node::TreeNode;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};

/// Those that give the same answer twice, exactly: what the spans do not prove, the scan asks of each row.
pub fn taken(filters: &[&Expr]) -> Vec<TableProviderFilterPushDown> {
    let answer = |filter: &&Expr| {
        if can_be_asked_of_a_row(filter) {
            TableProviderFilterPushDown::Exact
        } else {
            TableProviderFilterPushDown::Unsupported
        }
    };
    filters.iter().map(answer).collect()
}

/// Whether the filter's answer depends on the row alone. Must not depend on the other filters: it is asked for subsets
/// of them, again and again.
fn can_be_asked_of_a_row(filter: &Expr) -> bool {
    let beyond_a_row = |expression: &Expr| {
        Ok(expression.is_volatile_node()
            || matches!(
                expression,
                Expr::Exists(_)
                    | Expr::InSubquery(_)
                    | Expr::SetComparison(_)
                    | Expr::ScalarSubquery(_)
                    | Expr::OuterReferenceColumn(..)
                    | Expr::AggregateFunction(_)
                    | Expr::WindowFunction(_)
                    | Expr::GroupingSet(_)
                    | Expr::Unnest(_)
            ))
    };
    matches!(filter.exists(beyond_a_row), Ok(false))
}
