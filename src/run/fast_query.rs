//! The path of a prepared query around planning.
//!
//! DataFusion plans a query in about a millisecond, of which a row takes a hundredth. A prepared query of one table
//! that asks for columns as they are, and compares columns with its parameters, is therefore optimized once. Each run
//! puts the values into its conditions, plans the spans of these, and reads them: what it reads, and in which order, is
//! what the plan would read.
//!
//! Of these, a query that says which row keys it is for has not even spans planned ([`Access::for_many_runs`]).
//!
//! Everything else goes the way of all statements: queries of another shape, values that are not of the type of the
//! column that they are compared with, runs that read more than a few ranges or much of the table, where the plan
//! would use more threads, and runs while `halite.pushdown` is off.

use std::sync::Arc;

use crate::error::Result;
use crate::plan::bind::scanned::table_of;
use crate::plan::change::{ChangeNode, gives_rows};
use crate::scan::{self, Access, Counters, Moment, Opened, number};
use crate::settings::HaliteOptions;
use crate::store::{Snapshot, Store};
use crate::table::HaliteTable;
use arrow::compute::SortOptions;
use arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{
    BinaryExpr, Expr, FetchType, LogicalPlan, Operator, SkipType, SortExpr, TableScan, Volatility,
};
use datafusion::prelude::SessionContext;

/// A query with a condition that nests deeper than this is planned, which has the stack for it.
const MOST_DEPTH: usize = 50;

/// A query of the shape that needs no plan.
#[derive(Debug)]
pub(crate) struct DirectQuery {
    table: Arc<HaliteTable>,
    access: Access,
    /// How many parameters there are.
    parameters: usize,
    /// That of the result.
    schema: SchemaRef,
    options: HaliteOptions,
    batch_size: usize,
}

/// Gives the moments at which a query is run.
pub(crate) trait Moments {
    /// That of now; `None` where the tables are not those of the query any more.
    fn now(&self, store: &Arc<dyn Store>) -> Result<Option<Arc<dyn Snapshot>>>;

    /// One that is [supposed](Store::supposed) to be that of now, if there is one.
    fn supposed(&self, store: &Arc<dyn Store>) -> Result<Option<Arc<dyn Snapshot>>>;
}

/// What stands above the table in an optimized plan of that shape.
#[derive(Default)]
struct Shape<'a> {
    order: &'a [SortExpr],
    fetch: Option<usize>,
}

impl DirectQuery {
    /// The query of `plan`, whose parameters are open, from what the optimizer makes of it; `None` if it is of another
    /// shape. Its parameters are compared with columns of their types alone.
    pub(crate) fn of(
        plan: &LogicalPlan,
        optimized: &LogicalPlan,
        parameters: usize,
        settings: &ConfigOptions,
    ) -> Option<Self> {
        let mut shape = Shape::default();
        let scan = shape.scan(optimized)?;
        let table = table_of(scan)?;
        let columns = table.schema();
        let position = |name: &str| columns.index_of(name).ok();
        let shown = plan.schema().fields().iter();
        let projection: Vec<usize> = shown
            .map(|field| position(field.name()))
            .collect::<Option<_>>()?;
        let schema = columns.project(&projection).ok()?;
        let is_as_stored = schema.fields() == plan.schema().fields();
        let filters: Vec<Expr> = scan.filters.iter().cloned().map(unnormalize_col).collect();
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
        is_as_stored.then_some(())?;
        let access = table.access(filters).with_projection(projection);
        let access = access.with_order(order).with_fetch(shape.fetch);
        Some(Self {
            access: access.for_many_runs(),
            parameters,
            schema: Arc::new(schema),
            options: HaliteOptions::of(settings),
            batch_size: settings.execution.batch_size.get(),
            table,
        })
    }

    /// The rows for these values, at a moment of the table's store; `None` where there is none, or they must be planned.
    pub(crate) fn run(
        &self,
        context: &SessionContext,
        values: &[ScalarValue],
        counters: Option<Counters>,
        moments: &impl Moments,
    ) -> Result<Option<Opened>> {
        let options = &self.options;
        if !options.pushdown || values.len() != self.parameters {
            return Ok(None);
        }
        let physical = |filter, schema: &DFSchema| {
            let state = context.state_ref();
            state.read().create_physical_expr(filter, schema)
        };
        let Some(request) = self.access.bind(values, &options.planning(&physical))? else {
            return Ok(None);
        };
        let store = self.table.store();
        if !request.is_small(store.as_ref(), options.piece_bytes) {
            return Ok(None);
        }
        if request.is_of_keys()
            && let Some(snapshot) = moments.supposed(store)?
            && !request.is_outdated()?
        {
            let (moment, counters) = (self.moment(snapshot), counters.clone());
            let read = scan::read_supposed(&request, Arc::clone(&self.schema), moment, counters)?;
            if read.is_some() {
                return Ok(read);
            }
        }
        let Some(snapshot) = moments.now(store)? else {
            return Ok(None);
        };
        if request.is_outdated()? {
            return Ok(None);
        }
        let moment = self.moment(snapshot);
        let opened = scan::open(&request, Arc::clone(&self.schema), moment, counters)?;
        Ok(Some(opened))
    }

    fn moment(&self, snapshot: Arc<dyn Snapshot>) -> Moment {
        Moment {
            snapshot,
            latency: self.table.store().capabilities().latency,
            batch_size: self.batch_size,
        }
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
pub(crate) fn is_the_same_each_time(plan: &LogicalPlan) -> bool {
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
    let is_query = gives_rows(plan)
        && ChangeNode::of(plan).is_none()
        && !matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
    is_query && visited.is_ok() && is_fixed_throughout
}

/// Whether a condition has no parameters, or compares columns with nothing but constants and parameters of their types.
pub(crate) fn is_simple(term: &Expr, columns: &SchemaRef) -> bool {
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

/// Whether a condition is planned because it nests deep.
pub(crate) fn is_deep(condition: &Expr) -> bool {
    is_deeper(condition, MOST_DEPTH)
}

/// Whether an expression nests deeper than so many levels.
fn is_deeper(expression: &Expr, most: usize) -> bool {
    let Some(below) = most.checked_sub(1) else {
        return true;
    };
    let deeper = expression.apply_children(|child| {
        Ok(if is_deeper(child, below) {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
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

#[cfg(test)]
#[path = "fast_query_tests.rs"]
mod tests;
