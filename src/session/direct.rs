//! The path of a prepared query around planning.
//!
//! DataFusion plans a query in about a millisecond, of which a row takes a hundredth. A prepared query of one table
//! that asks for columns as they are, and compares columns with its parameters, is therefore optimized once. Each run
//! puts the values into its conditions, plans the spans of these, and reads them: what it reads, and in which order, is
//! what the plan would read.
//!
//! Of these, a query that pins the whole row key is a [`PointQuery`], and not even spans are planned for it.
//!
//! Everything else goes the way of all statements: queries of another shape, values that are not of the type of the
//! column that they are compared with, runs that read more than a few ranges or much of the table, where the plan
//! would use more threads, and runs while `halite.pushdown` is off.

use std::any::Any;
use std::sync::Arc;

use arrow::compute::SortOptions;
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::datasource::source_as_provider;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::expr::{Between, InList, Placeholder};
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, FetchType, LogicalPlan, Operator, SkipType, SortExpr, TableScan, Volatility,
};
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::SessionContext;
use futures::stream;

use super::outcome::gives_rows;
use super::point::PointQuery;
use crate::error::Result;
use crate::scan::ScanRequest;
use crate::span::Work;
use crate::store::Latency;
use crate::table::{HaliteOptions, HaliteTable};

/// A run that reads more ranges than this is planned.
const MOST_RANGES: usize = 64;

/// A query with a condition that nests deeper than this is planned, which has the stack for it.
const MOST_DEPTH: usize = 50;

/// The rows of a run.
pub(super) struct DirectRows {
    pub(super) stream: SendableRecordBatchStream,
    /// Whether they are read where they are asked for, and at once; they need no runtime then.
    pub(super) is_brief: bool,
}

/// A query of the shape that needs no plan.
#[derive(Debug)]
pub(super) struct DirectQuery {
    table: Arc<HaliteTable>,
    /// What rows must satisfy, with placeholders.
    filters: Vec<Expr>,
    /// How many parameters there are.
    parameters: usize,
    /// The columns of the result, by position in the table.
    projection: Vec<usize>,
    order: Vec<(usize, SortOptions)>,
    fetch: Option<usize>,
    point: Option<PointQuery>,
}

/// What stands above the table in an optimized plan of that shape.
#[derive(Default)]
struct Shape<'a> {
    order: &'a [SortExpr],
    fetch: Option<usize>,
}

impl DirectQuery {
    /// The query of a plan whose parameters are open; `None` if it is of another shape.
    pub(super) fn of(state: &SessionState, plan: &LogicalPlan) -> Option<Self> {
        if !is_the_same_each_time(plan) {
            return None;
        }
        let optimized = state.optimize(plan).ok()?;
        let mut shape = Shape::default();
        let scan = shape.scan(&optimized)?;
        let table: Arc<dyn Any + Send + Sync> = source_as_provider(&scan.source).ok()?;
        let table = table.downcast::<HaliteTable>().ok()?;
        let columns = table.schema();
        let position = |name: &str| columns.index_of(name).ok();
        let shown = plan.schema().fields().iter();
        let projection: Vec<usize> = shown
            .map(|field| position(field.name()))
            .collect::<Option<_>>()?;
        let is_as_stored = columns.project(&projection).ok()?.fields() == plan.schema().fields();
        let filters: Vec<Expr> = scan.filters.iter().cloned().map(unnormalize_col).collect();
        let terms = filters.iter().flat_map(split_conjunction);
        let is_simple = terms.into_iter().all(|term| is_simple(term, &columns))
            && !filters.iter().any(|filter| is_deeper(filter, MOST_DEPTH));
        let parameters = plan.get_parameter_names().ok()?.len();
        let order = shape.order.iter().map(|sort| {
            let Expr::Column(column) = &sort.expr else {
                return None;
            };
            let options = SortOptions {
                descending: !sort.asc,
                nulls_first: sort.nulls_first,
            };
            Some((position(column.name())?, options))
        });
        let order = order.collect::<Option<_>>()?;
        (is_as_stored && is_simple).then_some(())?;
        let point = match shape.fetch {
            Some(0) => None,
            _ => PointQuery::of(table.bound(), &filters, &projection),
        };
        Some(Self {
            order,
            point,
            table,
            filters,
            parameters,
            projection,
            fetch: shape.fetch,
        })
    }

    /// The rows for these values; `None` where they must be planned.
    pub(super) fn run(
        &self,
        context: &SessionContext,
        values: &[ScalarValue],
    ) -> Result<Option<DirectRows>> {
        let table = self.table.as_ref();
        let state = context.state_ref();
        let (options, batch_size) = {
            let state = state.read();
            (
                HaliteOptions::of(state.config_options()),
                state.config().batch_size(),
            )
        };
        if !options.pushdown || values.len() != self.parameters {
            return Ok(None);
        }
        if let Some(point) = &self.point {
            return self.read_point(point, values);
        }
        let Some(filters) = self.bind(values)? else {
            return Ok(None);
        };
        let physical =
            |filter, schema: &DFSchema| state.read().create_physical_expr(filter, schema);
        let mut request = table.request(&filters, &options, &physical)?;
        request.projection.clone_from(&self.projection);
        request.fetch = self.fetch;
        let is_ordered = self.order.is_empty() || request.order_by(&self.order)?;
        let is_brief = request.reads_points();
        if !is_ordered || !is_small(table, &request, is_brief, options.piece_bytes) {
            return Ok(None);
        }
        let store = table.store();
        let stream = request.read(store.as_ref(), store.snapshot()?, batch_size)?;
        let is_brief = is_brief && store.capabilities().latency == Latency::Near;
        Ok(Some(DirectRows { stream, is_brief }))
    }

    /// The row for these values, if there is one; `None` where they must be planned.
    fn read_point(&self, point: &PointQuery, values: &[ScalarValue]) -> Result<Option<DirectRows>> {
        let Some(key) = point.key(values)? else {
            return Ok(None);
        };
        let snapshot = self.table.store().snapshot()?;
        let row = match key {
            Some(key) => point.row(snapshot.as_ref(), &key)?,
            None => None,
        };
        let rows = stream::iter(row.map(Ok));
        let stream = RecordBatchStreamAdapter::new(Arc::clone(point.schema()), rows);
        Ok(Some(DirectRows {
            stream: Box::pin(stream),
            is_brief: true,
        }))
    }

    /// The conditions with values in place; `None` if one is not of its parameter's type.
    fn bind(&self, values: &[ScalarValue]) -> Result<Option<Vec<Expr>>> {
        let mut fits = true;
        let bound = self.filters.iter().cloned().map(|filter| {
            let bound = filter.transform(|expression| {
                let Expr::Placeholder(placeholder) = &expression else {
                    return Ok(Transformed::no(expression));
                };
                let value = number(placeholder).and_then(|number| values.get(number - 1));
                let data_type = placeholder.field.as_ref().map(|field| field.data_type());
                match value
                    .zip(data_type)
                    .and_then(|(value, data_type)| fitted(value, data_type))
                {
                    Some(value) => Ok(Transformed::yes(Expr::Literal(value, None))),
                    None => {
                        fits = false;
                        Ok(Transformed::no(expression))
                    }
                }
            });
            bound.map(|bound| bound.data)
        });
        let bound: Vec<Expr> = bound.collect::<datafusion::common::Result<_>>()?;
        Ok(fits.then_some(bound))
    }
}

impl<'a> Shape<'a> {
    /// The scan at the bottom of a plan that only limits, sorts and chooses columns.
    fn scan(&mut self, plan: &'a LogicalPlan) -> Option<&'a TableScan> {
        match plan {
            LogicalPlan::TableScan(scan) => {
                // A limit below a sort is one of rows in any order.
                self.limit(scan.fetch)?;
                Some(scan)
            }
            LogicalPlan::SubqueryAlias(alias) => self.scan(&alias.input),
            LogicalPlan::Projection(projection) => {
                let is_column = |chosen: &Expr| matches!(chosen, Expr::Column(_));
                let is_choice = projection.expr.iter().all(is_column);
                is_choice.then_some(())?;
                self.scan(&projection.input)
            }
            LogicalPlan::Limit(limit) => {
                let skip = limit.get_skip_type().ok()?;
                let FetchType::Literal(fetch) = limit.get_fetch_type().ok()? else {
                    return None;
                };
                matches!(skip, SkipType::Literal(0)).then_some(())?;
                self.limit(fetch)?;
                self.scan(&limit.input)
            }
            LogicalPlan::Sort(sort) if self.order.is_empty() => {
                self.limit(sort.fetch)?;
                self.order = &sort.expr;
                self.scan(&sort.input)
            }
            _ => None,
        }
    }

    fn limit(&mut self, fetch: Option<usize>) -> Option<()> {
        if fetch.is_some() && !self.order.is_empty() {
            return None;
        }
        self.fetch = self.fetch.into_iter().chain(fetch).min();
        Some(())
    }
}

/// Whether the plan is a query that means the same whenever it is run: `now()` is a constant once it is optimized.
fn is_the_same_each_time(plan: &LogicalPlan) -> bool {
    let is_fixed = |expression: &Expr| match expression {
        Expr::ScalarFunction(call) => call.func.signature().volatility == Volatility::Immutable,
        Expr::ScalarVariable(..) => false,
        _ => true,
    };
    let mut is_fixed_throughout = true;
    let visited = plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            is_fixed_throughout &= !expression.exists(|inner| Ok(!is_fixed(inner)))?;
            Ok(TreeNodeRecursion::Continue)
        })
    });
    let is_query =
        gives_rows(plan) && !matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
    is_query && visited.is_ok() && is_fixed_throughout
}

/// Whether a condition has no parameters, or compares columns with nothing but constants and parameters of their types.
fn is_simple(term: &Expr, columns: &SchemaRef) -> bool {
    let has_parameter = term.exists(|inner| Ok(matches!(inner, Expr::Placeholder(_))));
    if matches!(has_parameter, Ok(false)) {
        return true;
    }
    let (column, operands): (&Expr, Vec<&Expr>) = match term {
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::And | Operator::Or,
            right,
        }) => {
            return is_simple(left, columns) && is_simple(right, columns);
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(*op) => {
            match left.as_ref() {
                Expr::Column(_) => (left, vec![right]),
                _ => (right, vec![left]),
            }
        }
        Expr::Between(Between {
            expr,
            low,
            high,
            negated: false,
        }) => (expr, vec![low, high]),
        Expr::InList(InList {
            expr,
            list,
            negated: false,
        }) => (expr, list.iter().collect()),
        _ => return false,
    };
    let Expr::Column(column) = column else {
        return false;
    };
    let Ok(column) = columns.field_with_name(column.name()) else {
        return false;
    };
    operands.into_iter().all(|operand| match operand {
        Expr::Literal(value, _) => value.data_type() == *column.data_type(),
        Expr::Placeholder(placeholder) => {
            let field = placeholder.field.as_ref();
            field.is_some_and(|field| field.data_type() == column.data_type())
                && number(placeholder).is_some()
        }
        _ => false,
    })
}

/// Whether an expression nests deeper than so many levels.
fn is_deeper(expression: &Expr, most: usize) -> bool {
    let Some(below) = most.checked_sub(1) else {
        return true;
    };
    let deeper = expression.apply_children(|child| {
        Ok(match is_deeper(child, below) {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    });
    !matches!(deeper, Ok(TreeNodeRecursion::Continue))
}

fn is_comparison(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq
    )
}

/// The number of `$1`, from 1.
pub(super) fn number(placeholder: &Placeholder) -> Option<usize> {
    let number = placeholder.id.strip_prefix('$')?.parse().ok()?;
    (number > 0).then_some(number)
}

/// The value as one of this type, if it is one by itself: NULL and everything that must be converted is left to
/// planning, which knows how.
pub(super) fn fitted(value: &ScalarValue, data_type: &DataType) -> Option<ScalarValue> {
    if value.is_null() {
        return None;
    }
    if value.data_type() == *data_type {
        return Some(value.clone());
    }
    match (value, data_type) {
        (ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text), DataType::Utf8) => {
            Some(ScalarValue::Utf8(text.clone()))
        }
        _ if value.data_type().is_integer() && data_type.is_integer() => {
            let cast = value.cast_to(data_type).ok()?;
            // What is out of range is no value of the type.
            (!cast.is_null() && cast.cast_to(&value.data_type()).ok()? == *value).then_some(cast)
        }
        _ => None,
    }
}

/// Whether one thread reads what is asked for as soon as several would.
fn is_small(
    table: &HaliteTable,
    request: &ScanRequest,
    is_brief: bool,
    piece_bytes: usize,
) -> bool {
    let mut ranges = Vec::new();
    for run in request.spans.runs() {
        match &run.work {
            Work::Ranges(set) => ranges.extend(set.ranges()),
            Work::Walk(_) => return false,
        }
    }
    if ranges.len() > MOST_RANGES {
        return false;
    }
    if request.fetch.is_some() && request.residual.is_empty() || is_brief {
        return true;
    }
    let (store, space) = (table.store(), table.bound().space());
    // Where the store cannot say, planning finds out.
    let sizes = ranges
        .into_iter()
        .map(|range| store.approximate_size(space, range).ok());
    sizes
        .sum::<Option<u64>>()
        .is_some_and(|bytes| bytes < piece_bytes as u64)
}

#[cfg(test)]
#[path = "direct_tests.rs"]
mod tests;
