//! How wide the parts of a statement are: lists for which planning takes more than their length.
//!
//! DataFusion looks at each column of a SELECT for each other one, nests windows of their own order one in the other, and
//! writes out every set of a CUBE. So these are counted on the syntax tree, before there is a plan.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArguments, GroupByExpr, Query, Select, SelectItem, SetExpr, Statement,
    Visit, Visitor,
};

use super::{
    MAX_ARGUMENTS, MAX_COLUMNS, MAX_GROUPING_SETS, MAX_KEYS, MAX_ROWS_COMPARED, MAX_WINDOWS,
};
use crate::error::{Error, Result};

/// Refuses a statement with a part that is too wide.
pub(super) fn check(tree: &impl Visit) -> Result<()> {
    match tree.visit(&mut Widths::default()) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(TooWide { most, what }) => Err(Error::unsupported(format!(
            "the statement is too wide to be planned: more than {most} {what}"
        ))),
    }
}

/// Most stars of a SELECT.
const MAX_STARS: usize = 50;

/// What there is too much of.
struct TooWide {
    most: usize,
    what: &'static str,
}

/// What is counted over the whole statement.
#[derive(Default)]
struct Widths {
    columns: usize,
    windows: usize,
    rows_compared: usize,
}

fn limit(count: usize, most: usize, what: &'static str) -> ControlFlow<TooWide> {
    match count <= most {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(TooWide { most, what }),
    }
}

impl Visitor for Widths {
    type Break = TooWide;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<TooWide> {
        match statement {
            Statement::CreateTable(create) => {
                limit(create.columns.len(), MAX_COLUMNS, "columns of a table")
            }
            Statement::Execute { parameters, .. } => {
                limit(parameters.len(), MAX_ARGUMENTS, "values of EXECUTE")
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<TooWide> {
        if let SetExpr::Values(values) = query.body.as_ref() {
            let widest = values.rows.iter().map(|row| row.len()).max();
            limit(widest.unwrap_or(0), MAX_COLUMNS, "columns of VALUES")?;
        }
        let keys = query
            .order_by
            .as_ref()
            .map_or(0, |order| match &order.kind {
                sqlparser::ast::OrderByKind::Expressions(keys) => keys.len(),
                sqlparser::ast::OrderByKind::All(_) => 0,
            });
        limit(keys, MAX_KEYS, "keys of ORDER BY")
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<TooWide> {
        self.columns += select.projection.len();
        limit(self.columns, MAX_COLUMNS, "columns of SELECT")?;
        let stars = select
            .projection
            .iter()
            .filter(|item| is_star(item))
            .count();
        limit(stars, MAX_STARS, "stars of SELECT")?;
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            limit(keys.len(), MAX_KEYS, "keys of GROUP BY")?;
            let sets = keys
                .iter()
                .map(grouping_sets)
                .fold(1, usize::saturating_mul);
            limit(sets, MAX_GROUPING_SETS, "grouping sets")?;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<TooWide> {
        match expr {
            Expr::Function(function) => {
                self.windows += usize::from(function.over.is_some());
                limit(self.windows, MAX_WINDOWS, "window functions")?;
                limit(
                    arguments(function),
                    MAX_ARGUMENTS,
                    "arguments of a function",
                )
            }
            Expr::InList { expr, list, .. } if matches!(expr.as_ref(), Expr::Tuple(_)) => {
                self.rows_compared += list.len();
                limit(self.rows_compared, MAX_ROWS_COMPARED, "rows in lists")
            }
            Expr::Array(array) => limit(array.elem.len(), MAX_ARGUMENTS, "values of a list"),
            Expr::Tuple(values) => limit(values.len(), MAX_KEYS, "values of a row"),
            Expr::Case { conditions, .. } => {
                limit(conditions.len(), MAX_ARGUMENTS, "arms of a CASE")
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn is_star(item: &SelectItem) -> bool {
    matches!(
        item,
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
    )
}

fn arguments(function: &Function) -> usize {
    match &function.args {
        FunctionArguments::List(list) => list.args.len(),
        _ => 0,
    }
}

/// How many sets a key of GROUP BY stands for.
fn grouping_sets(key: &Expr) -> usize {
    match key {
        Expr::Cube(keys) => u32::try_from(keys.len())
            .ok()
            .and_then(|count| 1_usize.checked_shl(count))
            .unwrap_or(usize::MAX),
        Expr::Rollup(keys) => keys.len() + 1,
        Expr::GroupingSets(sets) => sets.len(),
        _ => 1,
    }
}
