//! Expressions of a part of a query.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, VisitMut, VisitorMut};

use crate::error::{Error, Result};

/// Goes through the expressions in a part, from the inside out, but not into queries.
struct Outside<F>(F, usize);

impl<F: FnMut(&mut Expr) -> Result<()>> VisitorMut for Outside<F> {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.1 += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.1 -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let visited = match self.1 {
            0 => (self.0)(expr),
            _ => Ok(()),
        };
        visited.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    }
}

/// Has `visit` look at each.
///
/// # Errors
/// Those of `visit`.
pub(crate) fn for_exprs(
    part: &mut impl VisitMut,
    visit: impl FnMut(&mut Expr) -> Result<()>,
) -> Result<()> {
    let visited = part.visit(&mut Outside(visit, 0));
    visited.break_value().map_or(Ok(()), Err)
}
