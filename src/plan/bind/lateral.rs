//! Names of a list of SELECT that are used in the same list, or in its WHERE: `SELECT a + 1 AS b, b * 2`.
//!
//! DataFusion knows the columns of the tables alone there. Where it finds no column of a name, and exactly one SELECT of
//! the statement gives that name to an expression and uses it behind that, the expression is put in its place. A column
//! of a table goes first that way, as in DuckDB: where there is one, nothing is missing. What is drawn by chance is not
//! put anywhere twice, and a statement with two such SELECTs is left as it is.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::common::{DataFusionError, SchemaError};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{LogicalPlan, Volatility};
use sqlparser::ast::{
    Expr, Ident, Query, Select, SelectItem, Statement, Visit, VisitMut, Visitor, VisitorMut,
};

use super::names::{self, keep_heading};
use super::statement::{ident_case, plan_of};
use crate::error::Result;
use crate::sql::ident::IdentCase;
use crate::sql::limits::long_lists::LongLists;
use crate::sql::unsupported::statements;
use crate::sql::written::Written;

/// How many expressions a SELECT may have when names are written out in it.
const MOST_EXPRESSIONS: usize = 2_000;

/// The plan of a statement as DataFusion makes it, with the names of its columns mended, those of the same list written
/// out, and the lists that were set aside.
pub(crate) async fn first_plan(
    state: &SessionState,
    mut parsed: Written,
    lists: &LongLists,
) -> Result<LogicalPlan> {
    let may_be_lateral = is_possible(&parsed.sql, ident_case(state));
    loop {
        let kept = may_be_lateral.then(|| parsed.clone());
        let mut named = names::mend(state, parsed).await?;
        lists.put_back(named.sql.as_mut());
        let error = match plan_of(state, named).await {
            Ok(plan) => return Ok(plan),
            Err(error) => error,
        };
        let missing = missing(&error);
        let (Some(mut kept), Some(missing)) = (kept, missing) else {
            return Err(statements::told(names::told(error).into()));
        };
        if !write_out(&mut kept.sql, &missing, state) {
            return Err(statements::told(names::told(error).into()));
        }
        parsed = kept;
    }
}

/// Whether a statement has a name that might have to be written out.
pub(crate) fn is_possible(statement: &Statement, folds: IdentCase) -> bool {
    Visit::visit(statement, &mut Any(folds)).is_break()
}

/// The name of a column that was looked for in vain.
pub(crate) fn missing(error: &DataFusionError) -> Option<String> {
    match error {
        DataFusionError::Context(_, error) | DataFusionError::Diagnostic(_, error) => {
            missing(error)
        }
        DataFusionError::Collection(errors) => errors.iter().find_map(missing),
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } if field.relation.is_none() => {
                Some(field.name.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Puts the expression of this name in its places; whether there was one SELECT to do that in.
pub(crate) fn write_out(statement: &mut Statement, name: &str, state: &SessionState) -> bool {
    let text = name;
    let name = Name {
        text,
        folds: ident_case(state),
    };
    let mut counted = Uses { name, found: 0 };
    let _: ControlFlow<()> = Visit::visit(statement, &mut counted);
    if counted.found != 1 {
        return false;
    }
    VisitMut::visit(statement, &mut WriteOut { name, state }).is_break()
}

/// A name that is looked for.
#[derive(Clone, Copy)]
struct Name<'a> {
    text: &'a str,
    folds: IdentCase,
}

impl Name<'_> {
    fn is(self, ident: &Ident) -> bool {
        self.folds.name(ident) == self.text
    }
}

/// The place of the expression that has the name, if one alone has it.
fn definition(select: &Select, name: Name<'_>) -> Option<usize> {
    let is_named = |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { alias, .. } if name.is(alias));
    let mut places = select.projection.iter().enumerate();
    let (place, _) = places.find(|(_, item)| is_named(item))?;
    places.all(|(_, item)| !is_named(item)).then_some(place)
}

/// Whether the name is used behind its definition, or in the WHERE.
fn is_used(select: &Select, place: usize, name: Name<'_>) -> bool {
    let mut behind = select.projection.iter().skip(place + 1);
    behind.any(|item| mentions(item, name)) || mentions(&select.selection, name)
}

/// Whether a part of a SELECT names it outside of subqueries.
fn mentions(part: &impl Visit, name: Name<'_>) -> bool {
    Visit::visit(part, &mut Mentions { name, depth: 0 }).is_break()
}

/// Finds any name that is used in the list that gives it: in one walk over the list, of whatever length.
struct Any(IdentCase);

impl Visitor for Any {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let mut places: HashMap<String, Option<usize>> = HashMap::new();
        for (place, item) in select.projection.iter().enumerate() {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                // Of two with one name none is meant.
                let only = places.entry(self.0.name(alias));
                only.and_modify(|only| *only = None).or_insert(Some(place));
            }
        }
        if places.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut behind = Behind {
            folds: self.0,
            places,
            at: 0,
            depth: 0,
        };
        for (place, item) in select.projection.iter().enumerate() {
            behind.at = place;
            Visit::visit(item, &mut behind)?;
        }
        behind.at = select.projection.len();
        Visit::visit(&select.selection, &mut behind)
    }
}

/// Finds a name outside of subqueries that stands behind the place where it is given.
struct Behind {
    folds: IdentCase,
    places: HashMap<String, Option<usize>>,
    at: usize,
    depth: usize,
}

impl Visitor for Behind {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) if self.depth == 0 => {
                let given = self.places.get(&self.folds.name(ident)).copied();
                if given.flatten().is_some_and(|given| given < self.at) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Counts the SELECTs that give an expression the name and use it.
struct Uses<'a> {
    name: Name<'a>,
    found: usize,
}

impl Visitor for Uses<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let place = definition(select, self.name);
        self.found += usize::from(place.is_some_and(|place| is_used(select, place, self.name)));
        ControlFlow::Continue(())
    }
}

/// Finds the name outside of subqueries.
struct Mentions<'a> {
    name: Name<'a>,
    depth: usize,
}

impl Visitor for Mentions<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) if self.depth == 0 && self.name.is(ident) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Writes the name out in the first SELECT that gives and uses it, and breaks off with that.
struct WriteOut<'a> {
    name: Name<'a>,
    state: &'a SessionState,
}

impl VisitorMut for WriteOut<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let Some(place) = definition(select, self.name) else {
            return ControlFlow::Continue(());
        };
        let Some(SelectItem::ExprWithAlias { expr, .. }) = select.projection.get(place) else {
            return ControlFlow::Continue(());
        };
        if !is_used(select, place, self.name) || self.is_drawn(expr) {
            return ControlFlow::Continue(());
        }
        let kept = select.clone();
        let mut places = Places {
            name: self.name,
            expr: Expr::Nested(Box::new(expr.clone())),
            depth: 0,
        };
        for item in select.projection.iter_mut().skip(place + 1) {
            keep_heading(item);
            let _: ControlFlow<()> = VisitMut::visit(item, &mut places);
        }
        let _: ControlFlow<()> = VisitMut::visit(&mut select.selection, &mut places);
        if is_too_large(select) {
            *select = kept;
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    }
}

impl WriteOut<'_> {
    /// Whether an expression has another value each time it is computed.
    fn is_drawn(&self, expr: &Expr) -> bool {
        let found = sqlparser::ast::visit_expressions(expr, |expr| match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_ascii_lowercase();
                let functions = self.state.scalar_functions();
                let known = functions.get(&name);
                match known.map(|known| known.signature().volatility) {
                    Some(Volatility::Volatile) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            }
            _ => ControlFlow::Continue(()),
        });
        found.is_break()
    }
}

fn is_too_large(select: &Select) -> bool {
    let mut count = 0;
    let counted = sqlparser::ast::visit_expressions(select, |_| {
        count += 1;
        if count > MOST_EXPRESSIONS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    counted.is_break()
}

/// Puts the expression in the places of its name outside of subqueries.
struct Places<'a> {
    name: Name<'a>,
    expr: Expr,
    depth: usize,
}

impl VisitorMut for Places<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(ident) = expr
            && self.depth == 0
            && self.name.is(ident)
        {
            *expr = self.expr.clone();
        }
        ControlFlow::Continue(())
    }
}
