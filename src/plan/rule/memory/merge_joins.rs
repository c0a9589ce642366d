//! Joins of two sides that are sorted, of which none has to fit into memory.
//!
//! DataFusion joins rows by what is equal in them with a hash table of the left side, which has to fit into memory. Its
//! other join sorts both sides, in temporary files where need be, and merges them. This rule puts that one in the place
//! of the first: `SET halite.joins = 'merge'`, which is also how a statement is planned again whose hash table did not
//! fit; and where the left side is a whole table that is known to be too large.
//!
//! DataFusion's merge is right for less than its hash table is, so what it gets is made fit, or left alone:
//!
//! * The columns of a condition on both sides must stand in the order left, right, or they are taken for one another; a
//!   join whose sides were changed has them the other way round. They are put in order. And they may be NULL, also those
//!   that are declared otherwise: it asks the condition of rows that it has filled up.
//! * A condition without columns (`ON l.a = r.a AND random() < 0.5`) is forgotten. Left alone.
//! * Keys are compared by other means than rows are sorted: REAL and DOUBLE tell −0.0 from 0.0 in one and not in the
//!   other, and fail for NaN; other types fail where equal rows go from one batch to the next. Left alone, as are keys
//!   that are computed while they are joined.
//! * `NOT IN (subquery)` whose NULLs count has no merge. Left alone.
//! * It claims the order of one side, which it does not always keep, and lets projections be put below it without
//!   changing the columns of its condition. A `ProvenExec` above it claims no order, and lets nothing through.
//! * All rows with one key are held in memory together. [`account`](super::account) counts these.

use std::sync::Arc;

use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{JoinSide, JoinType, Result, internal_datafusion_err};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;

use crate::plan::rule::mend::claims;
use crate::plan::rule::rewriting::PlanRule;
use crate::scan::ScanExec;
use crate::settings::{HaliteOptions, Joins};

/// The rule.
pub(crate) const MERGE_JOINS: PlanRule = PlanRule {
    name: "halite_merge_joins",
    rewrite,
};

/// Bytes of a row in a hash table, besides its columns.
const ROW_OVERHEAD: usize = 16;

/// Whether a plan has a join that can be merged, and is not.
pub fn is_possible(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let found = plan.exists(|node| {
        let join = node.downcast_ref::<HashJoinExec>();
        Ok(join.is_some_and(can_be_merged))
    });
    found.unwrap_or(false)
}

/// Whether a plan has a join that is merged.
pub fn is_merged(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let found = plan.exists(|node| Ok(node.is::<SortMergeJoinExec>()));
    found.unwrap_or(false)
}

fn rewrite(plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
    let options = HaliteOptions::of(config);
    if options.joins == Joins::Hash {
        return Ok(plan);
    }
    let limit = options.memory_limit.in_memory();
    let merged = plan.transform_up(|node| {
        let Some(join) = node.downcast_ref::<HashJoinExec>() else {
            return Ok(Transformed::no(node));
        };
        let is_wanted = options.joins == Joins::Merge || is_larger(&join.left, limit);
        if is_wanted && can_be_merged(join) {
            merge(join).map(Transformed::yes)
        } else {
            Ok(Transformed::no(node))
        }
    });
    merged.data()
}

/// Whether the rows of a side are those of a whole table, and take more than so many bytes. What is left of others by
/// conditions and joins is a guess, and a hash table the quicker one where it fits.
fn is_larger(side: &Arc<dyn ExecutionPlan>, limit: usize) -> bool {
    if let Some(scan) = side.downcast_ref::<ScanExec>() {
        let width = 8 * scan.schema().fields().len() + ROW_OVERHEAD;
        let rows = scan.whole_rows();
        return rows.is_some_and(|rows| rows.saturating_mul(width) > limit);
    }
    let is_of_all = side.is::<ProjectionExec>() || claims::is_proven(side);
    match side.children().as_slice() {
        [only] if is_of_all => is_larger(only, limit),
        _ => false,
    }
}

fn can_be_merged(join: &HashJoinExec) -> bool {
    let has_columns = |filter: &JoinFilter| !filter.column_indices().is_empty();
    let are_fit = join.on.iter().all(|(left, right)| {
        is_fit_key(left, &join.left, join.join_type)
            && is_fit_key(right, &join.right, join.join_type)
    });
    are_fit
        && !join.on.is_empty()
        && !join.null_aware
        && join.fetch().is_none()
        && join.filter.as_ref().is_none_or(has_columns)
}

/// Whether a merge compares values of the key as a sort does, and all of them.
fn is_fit_key(
    key: &Arc<dyn PhysicalExpr>,
    side: &Arc<dyn ExecutionPlan>,
    join_type: JoinType,
) -> bool {
    let Some(column) = key.downcast_ref::<Column>() else {
        return false;
    };
    let schema = side.schema();
    let Some(field) = schema.fields().get(column.index()) else {
        return false;
    };
    let gives_one_side = !matches!(
        join_type,
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full
    );
    match field.data_type() {
        DataType::Boolean
        | DataType::Binary
        | DataType::BinaryView
        | DataType::LargeBinary
        | DataType::Utf8
        | DataType::Utf8View
        | DataType::LargeUtf8
        | DataType::Decimal128(..)
        | DataType::Date32
        | DataType::Timestamp(_, None) => true,
        DataType::Timestamp(_, Some(_)) | DataType::Decimal256(..) => !gives_one_side,
        other => other.is_integer(),
    }
}

/// The same join, of sorted sides.
fn merge(join: &HashJoinExec) -> Result<Arc<dyn ExecutionPlan>> {
    let filter = join.filter.as_ref().map(left_first).transpose()?;
    let merge = SortMergeJoinExec::try_new(
        Arc::clone(&join.left),
        Arc::clone(&join.right),
        join.on.clone(),
        filter,
        join.join_type,
        vec![SortOptions::default(); join.on.len()],
        join.null_equality,
    )?;
    let merge = claims::without_order(Arc::new(merge))?;
    let Some(chosen) = join.projection.as_deref() else {
        return Ok(merge);
    };
    let schema = merge.schema();
    let columns = chosen.iter().map(|index| {
        let name = schema.field(*index).name();
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, *index));
        (column, name.clone())
    });
    let columns: Vec<_> = columns.collect();
    Ok(Arc::new(ProjectionExec::try_new(columns, merge)?))
}

/// The condition with the columns of the left side first, which all may be NULL.
fn left_first(filter: &JoinFilter) -> Result<JoinFilter> {
    let columns = filter.column_indices();
    let of_side = |is_left: bool| {
        let columns = columns.iter().enumerate();
        columns.filter(move |(_, column)| (column.side == JoinSide::Left) == is_left)
    };
    let order: Vec<(usize, &ColumnIndex)> = of_side(true).chain(of_side(false)).collect();
    let place_of = |old: usize| order.iter().position(|(place, _)| *place == old);
    let expression = Arc::clone(filter.expression());
    let expression = expression.transform(|node| {
        let Some(column) = node.downcast_ref::<Column>() else {
            return Ok(Transformed::no(node));
        };
        let place = place_of(column.index())
            .ok_or_else(|| internal_datafusion_err!("a condition without its column"))?;
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(column.name(), place));
        Ok(Transformed::yes(column))
    });
    let fields = order.iter().filter_map(|(old, _)| {
        let field = filter.schema().fields().get(*old)?;
        Some(field.as_ref().clone().with_nullable(true))
    });
    let schema = Schema::new_with_metadata(
        fields.collect::<Vec<_>>(),
        filter.schema().metadata().clone(),
    );
    let columns = order.iter().map(|(_, column)| (*column).clone()).collect();
    Ok(JoinFilter::new(
        expression.data()?,
        columns,
        Arc::new(schema),
    ))
}

#[cfg(test)]
#[path = "merge_joins_tests.rs"]
mod tests;
