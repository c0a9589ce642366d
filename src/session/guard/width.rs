//! How wide the parts of a statement are: lists for which planning takes more than their length.
//!
//! DataFusion looks at each column of a SELECT for each other one, nests windows of their own order one in the other, and
//! writes out every set of a CUBE. So these are counted on the syntax tree, before there is a plan.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Function, FunctionArgumentClause, FunctionArguments, GroupByExpr, Query,
    Select, SelectItem, SetExpr, Statement, Visit, Visitor, WindowType, visit_expressions,
};

use super::{
    MAX_ALL_SUBQUERIES, MAX_ARGUMENTS, MAX_ARMS, MAX_COLUMNS, MAX_GROUPING_SETS, MAX_KEYS,
    MAX_ROWS_COMPARED, MAX_WINDOWS,
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
    subqueries: usize,
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
                limit(create.columns.len(), MAX_COLUMNS, "columns of a table")?;
                limit(create.constraints.len(), MAX_ARMS, "constraints of a table")
            }
            Statement::Insert(insert) => returned(insert.returning.as_deref()),
            Statement::Delete(delete) => returned(delete.returning.as_deref()),
            Statement::Update(update) => {
                limit(update.assignments.len(), MAX_COLUMNS, "assignments")?;
                returned(update.returning.as_deref())
            }
            Statement::Merge(merge) => limit(merge.clauses.len(), MAX_ARMS, "arms of MERGE"),
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
        limit(
            columns_of_one_name(&select.projection),
            MAX_KEYS,
            "columns of one name",
        )?;
        if let Some(having) = &select.having {
            limit(functions_in(having), MAX_KEYS, "functions of HAVING")?;
        }
        if let Some(Distinct::On(keys)) = &select.distinct {
            limit(keys.len(), MAX_KEYS, "keys of DISTINCT ON")?;
        }
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
                let (of_order, of_window) = keys_of(function);
                limit(of_order, MAX_KEYS, "keys of an aggregate's order")?;
                limit(of_window, MAX_WINDOWS, "keys of a window")?;
                limit(
                    arguments(function),
                    MAX_ARGUMENTS,
                    "arguments of a function",
                )
            }
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => {
                self.subqueries += 1;
                limit(self.subqueries, MAX_ALL_SUBQUERIES, "subqueries")
            }
            Expr::InList { expr, list, .. } if matches!(expr.as_ref(), Expr::Tuple(_)) => {
                self.rows_compared += list.len();
                limit(self.rows_compared, MAX_ROWS_COMPARED, "rows in lists")
            }
            Expr::Array(array) => limit(array.elem.len(), MAX_ARGUMENTS, "values of a list"),
            Expr::Dictionary(fields) => limit(fields.len(), MAX_ARGUMENTS, "fields of a value"),
            Expr::Map(map) => limit(map.entries.len(), MAX_ARGUMENTS, "keys of a map"),
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

fn returned(columns: Option<&[SelectItem]>) -> ControlFlow<TooWide> {
    let columns = columns.unwrap_or_default();
    limit(columns.len(), MAX_ARGUMENTS, "columns of RETURNING")
}

/// How many calls there are in a condition.
fn functions_in(condition: &Expr) -> usize {
    let mut count = 0;
    let _: ControlFlow<()> = visit_expressions(condition, |part| {
        count += usize::from(matches!(part, Expr::Function(_)));
        ControlFlow::Continue(())
    });
    count
}

/// How many columns of a SELECT have the name that most have: each is told apart from all before it.
fn columns_of_one_name(columns: &[SelectItem]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for column in columns {
        let name = match column {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias),
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last(),
            _ => None,
        };
        if let Some(name) = name {
            *counts.entry(&name.value).or_default() += 1;
        }
    }
    counts.into_values().max().unwrap_or_default()
}

/// The most keys of an order that a function has, and those of its window.
fn keys_of(function: &Function) -> (usize, usize) {
    let orders = match &function.args {
        FunctionArguments::List(list) => list.clauses.as_slice(),
        _ => &[],
    };
    let orders = orders.iter().map(|clause| match clause {
        FunctionArgumentClause::OrderBy(keys) => keys.len(),
        _ => 0,
    });
    let of_order = orders.chain([function.within_group.len()]).max();
    let of_window = match &function.over {
        Some(WindowType::WindowSpec(window)) => window.partition_by.len() + window.order_by.len(),
        _ => 0,
    };
    (of_order.unwrap_or_default(), of_window)
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
