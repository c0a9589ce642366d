//! `min` and `max` over all rows, of a column that stands behind others in the key.
//!
//! Where the key gives the rows in the order of the column, the first of them is read and no other
//! ([`first_rows`](super::first_rows)). Behind other parts of the key every row could be the one. But a sort that keeps one
//! row tells the scan while it runs which rows may still come before that, and the scan passes over the others. So such a
//! sort is put below the aggregate, which finds in one row what it would have found in all of them: that of the greatest
//! value, or of the least, or of NULL where there is no other.
//!
//! Of several aggregates each would want another row. REAL and DOUBLE are left alone, whose NaN sorts and aggregates need
//! not agree about, and what does not compare as its key does.

use std::sync::Arc;

use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary,
};

use super::first_rows;
use super::needed::handed_on;
use crate::plan::rule::rewriting::PlanRule;
use crate::scan::ScanExec;
use crate::settings::HaliteOptions;

/// A part of a plan.
type Plan = Arc<dyn ExecutionPlan>;

/// The rule.
pub(crate) const KEEP_THE_FARTHEST: PlanRule = PlanRule {
    name: "halite_keep_the_farthest",
    rewrite: |plan, config| {
        let is_wanted = HaliteOptions::of(config).pushdown
            && config.optimizer.enable_topk_dynamic_filter_pushdown;
        if is_wanted {
            plan.transform_up(over_one_row).data()
        } else {
            Ok(plan)
        }
    },
};

fn over_one_row(node: Plan) -> Result<Transformed<Plan>> {
    let Some(grouping) = node.downcast_ref::<AggregateExec>() else {
        return Ok(Transformed::no(node));
    };
    let Some((column, options)) = extreme_of(grouping) else {
        return Ok(Transformed::no(node));
    };
    if first_rows::are_enough_for(grouping)? {
        return Ok(Transformed::no(node));
    }
    match sorted(grouping.input(), column, options)? {
        Some(input) => replace_children_if_necessary(node, vec![input]).map(Transformed::yes),
        None => Ok(Transformed::no(node)),
    }
}

/// The column of the input whose extreme over all rows is all that is asked for, and the order in which that is the first.
fn extreme_of(grouping: &AggregateExec) -> Option<(usize, SortOptions)> {
    let is_first_step = grouping.mode().input_mode() == AggregateInputMode::Raw;
    let has_filters = grouping.filter_expr().iter().any(Option::is_some);
    let [aggregate] = grouping.aggr_expr() else {
        return None;
    };
    if !is_first_step || has_filters || !grouping.group_expr().is_true_no_grouping() {
        return None;
    }
    let function = aggregate.fun().inner();
    let descending = match (function.is::<Max>(), function.is::<Min>()) {
        (true, _) => true,
        (_, true) => false,
        _ => return None,
    };
    let [argument] = <[_; 1]>::try_from(aggregate.expressions()).ok()?;
    let column = argument.downcast_ref::<Column>()?.index();
    let options = SortOptions {
        descending,
        nulls_first: false,
    };
    Some((column, options))
}

/// The plan with the first row alone in the order of a column; `None` where that spares nothing.
fn sorted(plan: &Plan, column: usize, options: SortOptions) -> Result<Option<Plan>> {
    if let Some(scan) = plan.downcast_ref::<ScanExec>() {
        return Ok(if is_narrowed_by(scan, column) {
            first_of(plan, column, options)
        } else {
            None
        });
    }
    let (input, column) = match plan.downcast_ref::<ProjectionExec>() {
        Some(projection) => {
            let shown = projection.expr().get(column);
            let shown = shown.and_then(|shown| shown.expr.downcast_ref::<Column>());
            match shown {
                Some(shown) => (projection.input(), shown.index()),
                None => return Ok(None),
            }
        }
        None => match handed_on(plan).filter(|_| !plan.is::<SortExec>()) {
            Some(input) => (input, column),
            None => return Ok(None),
        },
    };
    let input = sorted(input, column, options)?;
    let over = |input| replace_children_if_necessary(Arc::clone(plan), vec![input]);
    input.map(over).transpose()
}

/// Whether what is known of a column of the output narrows a scan.
fn is_narrowed_by(scan: &ScanExec, column: usize) -> bool {
    let request = scan.request();
    let Some(column) = request.projection.get(column) else {
        return false;
    };
    let is_in_key = request.table.row_key().restoring_part(*column).is_some();
    let sql_type = request.table.column(*column).map(|it| it.sql_type.arrow());
    is_in_key
        && !request.is_of_keys()
        && scan.fetch().is_none()
        && sql_type.is_ok_and(|it| sorts_as_it_compares(&it))
}

fn sorts_as_it_compares(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Date32 | DataType::Timestamp(..) | DataType::Decimal128(..) | DataType::Utf8
        )
}

fn first_of(scan: &Plan, column: usize, options: SortOptions) -> Option<Plan> {
    let schema = scan.schema();
    let name = schema.fields().get(column)?.name();
    let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, column));
    let order = LexOrdering::new([PhysicalSortExpr::new(column, options)])?;
    let partitions = scan.output_partitioning().partition_count();
    let sort = SortExec::new(order, Arc::clone(scan)).with_preserve_partitioning(partitions > 1);
    Some(Arc::new(sort.with_fetch(Some(1))))
}

#[cfg(test)]
#[path = "farthest_tests.rs"]
mod tests;
