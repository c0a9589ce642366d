//! The names that the clauses of a query use.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, OrderBy, Query, TableFactor, VisitMut, VisitorMut};
use sqlparser::tokenizer::Span;

use super::exprs::for_exprs;
use super::select_list::{Listed, marked};
use super::{quoted, written};
use crate::error::{Error, Result};
use crate::sql::ident::IdentCase;

/// Which names of a clause are those of the SELECT's own columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    /// None.
    Rows,
    /// Those that no table has.
    Groups,
    /// All.
    Order,
}

/// What the names of a clause are asked of.
pub(super) trait Names {
    /// How names are folded.
    fn folds(&self) -> IdentCase;

    /// What a name without a qualifier is to be written as; `None` if it stays. It may be that of a column of the
    /// SELECT, `is_own`, where no table has it.
    ///
    /// # Errors
    /// For a name that several columns have.
    fn resolve(&self, name: &str, is_own: bool) -> Result<Option<Expr>>;

    /// Looks at a name behind its qualifier.
    ///
    /// # Errors
    /// For one that several columns of the qualifier have.
    fn check(&self, qualifier: &Ident, name: &str) -> Result<()>;

    /// Goes through a query that stands in the clause.
    ///
    /// # Errors
    /// Those of its names.
    fn subquery(&mut self, query: &mut Query) -> Result<()>;
}

/// The names in a part of a query, outside of the queries in it; those are gone through by themselves.
pub(super) struct References<'m, N> {
    pub names: &'m mut N,
    /// Names of the SELECT's own columns.
    pub own: HashSet<String>,
    pub clause: Clause,
    pub depth: usize,
}

impl<N: Names> VisitorMut for References<'_, N> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        if self.depth == 0
            && let Err(error) = self.names.subquery(query)
        {
            return ControlFlow::Break(error);
        }
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, _: &mut TableFactor) -> ControlFlow<Error> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, _: &mut TableFactor) -> ControlFlow<Error> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        // What a lambda names may be its own.
        self.depth += usize::from(matches!(expr, Expr::Lambda(_)));
        if self.depth > 0 || is_made_here(expr) {
            return ControlFlow::Continue(());
        }
        let folds = self.names.folds();
        let resolved = match expr {
            Expr::Identifier(ident) => {
                let name = folds.name(ident);
                let is_own = self.own.contains(written(&name));
                match self.clause {
                    Clause::Order if is_own => Ok(None),
                    _ => self.names.resolve(&name, is_own),
                }
            }
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., qualifier, name] => {
                    let checked = self.names.check(qualifier, &folds.name(name));
                    checked.map(|()| None)
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        };
        match resolved {
            Ok(None) => {}
            Ok(Some(column)) => *expr = column,
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.depth -= usize::from(matches!(expr, Expr::Lambda(_)));
        ControlFlow::Continue(())
    }
}

/// Whether it is a column that a `*` was written out as: what is made here has no place in the text.
fn is_made_here(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(name) => name.span == Span::empty(),
        Expr::CompoundIdentifier(parts) => {
            parts.last().is_some_and(|name| name.span == Span::empty())
        }
        _ => false,
    }
}

/// The names without a qualifier.
fn for_names(
    part: &mut impl VisitMut,
    mut visit: impl FnMut(&mut Ident) -> Result<()>,
) -> Result<()> {
    for_exprs(part, |expr| match expr {
        Expr::Identifier(name) => visit(name),
        _ => Ok(()),
    })
}

pub(super) fn refuse_names(
    part: &mut impl VisitMut,
    folds: IdentCase,
    refused: impl Fn(&str) -> Option<Error>,
) -> Result<()> {
    for_names(part, |ident| {
        refused(&folds.name(ident)).map_or(Ok(()), Err)
    })
}

/// Writes the names that DataFusion knows the columns by that rows are ordered by. Of several columns of a name, an alias
/// goes before a column of a table, and then the first before the others.
pub(super) fn order_by_columns(
    order: &mut OrderBy,
    columns: &[Listed],
    folds: IdentCase,
) -> Result<()> {
    for_names(order, |ident| {
        let name = folds.name(ident);
        let Some(named) = marked(columns, &name) else {
            return Ok(());
        };
        let alias = named.iter().find(|column| column.is_alias());
        if let Some(column) = alias.or(named.first())
            && column.planned != name
        {
            *ident = quoted(column.planned.clone());
        }
        Ok(())
    })
}

pub(super) fn ambiguous(name: &str) -> Error {
    Error::invalid(format!(
        "column `{name}` is ambiguous: several columns of the SELECT have that name; \
         write its position, or another name with AS"
    ))
}
