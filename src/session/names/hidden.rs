//! Rows ordered by a column that is not given, beside a column of its name that is: `SELECT -a AS b … ORDER BY t.b`.
//!
//! DataFusion adds the one to the other while it sorts, and refuses two columns of a name. So the alias is marked for the
//! time; whoever reads the query by its names gets it back from a query around it.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, OrderBy, Query, SelectItem, SetExpr, TableFactor, Visit, Visitor};
use sqlparser::parser::Parser;

use super::super::dialect::HaliteDialect;
use super::list::{Listed, Place};
use super::{Folds, quoted};

/// The names of columns that a query orders its rows by with their tables, which an alias of it may be taken for.
pub(super) fn ordered(query: &Query, place: Place, folds: Folds) -> HashSet<String> {
    match &query.order_by {
        Some(order) if place == Place::Outermost || can_be_wrapped(query) => {
            qualified(order, folds)
        }
        _ => HashSet::new(),
    }
}

/// Whether all columns are named one by one.
fn can_be_wrapped(query: &Query) -> bool {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return false;
    };
    let mut items = select.projection.iter();
    query.pipe_operators.is_empty()
        && items.all(|item| {
            matches!(
                item,
                SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }
            )
        })
}

fn qualified(order: &OrderBy, folds: Folds) -> HashSet<String> {
    let mut names = Qualified {
        folds,
        names: HashSet::new(),
    };
    let _: ControlFlow<()> = order.visit(&mut names);
    names.names
}

/// Lists the names with a qualifier.
struct Qualified {
    folds: Folds,
    names: HashSet<String>,
}

impl Visitor for Qualified {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let Some(name) = parts.last()
        {
            self.names.insert(self.folds.name(name));
        }
        ControlFlow::Continue(())
    }
}

/// Gives the columns of a query the names back that no other of them has.
pub(super) fn give_back(query: &mut Query, place: Place, columns: &mut [Listed]) {
    let is_alone =
        |column: &Listed| columns.iter().filter(|it| it.name == column.name).count() == 1;
    let is_hidden: Vec<bool> = columns
        .iter()
        .map(|column| column.planned != column.name && is_alone(column))
        .collect();
    if matches!(place, Place::Outermost | Place::Value) || !is_hidden.contains(&true) {
        return;
    }
    let items = columns.iter().zip(&is_hidden).map(|(column, is_hidden)| {
        let expr = Expr::Identifier(quoted(column.planned.clone()));
        match is_hidden {
            true => SelectItem::ExprWithAlias {
                expr,
                alias: quoted(column.name.clone()),
            },
            false => SelectItem::UnnamedExpr(expr),
        }
    });
    if !wrap(query, items.collect()) {
        return;
    }
    for (column, is_hidden) in columns.iter_mut().zip(is_hidden) {
        if is_hidden {
            column.planned.clone_from(&column.name);
        }
    }
}

/// Puts a query around a query.
fn wrap(query: &mut Query, items: Vec<SelectItem>) -> bool {
    let text = "SELECT 1 FROM (SELECT 1)";
    let dialect = HaliteDialect::new(text.len());
    let outer = Parser::new(&dialect).try_with_sql(text);
    let Ok(mut outer) = outer.and_then(|mut parser| parser.parse_query()) else {
        return false;
    };
    let SetExpr::Select(select) = outer.body.as_mut() else {
        return false;
    };
    select.projection = items;
    let mut tables = select.from.iter_mut();
    let Some(TableFactor::Derived { subquery, .. }) =
        tables.next().map(|table| &mut table.relation)
    else {
        return false;
    };
    std::mem::swap(subquery.as_mut(), query);
    *query = *outer;
    true
}
