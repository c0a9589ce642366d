//! Aliases that have the name of a column, where DataFusion takes the one for the other.
//!
//! * Rows ordered by a column that is not given, beside a column of its name that is: `SELECT -a AS b … ORDER BY t.b`.
//!   DataFusion adds the one to the other while it sorts, and refuses two columns of a name. What a RIGHT or FULL JOIN makes
//!   of two columns is such an alias, too: `SELECT id FROM t FULL JOIN u USING (id) ORDER BY u.id`.
//! * The columns of a query in FROM that has no alias have no table, as an alias has none: in
//!   `SELECT a AS b, -a AS a FROM (SELECT id AS a FROM n) ORDER BY a` DataFusion orders by `b`, as that is `a`; and
//!   `HAVING a > 1`, which is about the column, is about the alias for it.
//!
//! So the alias is marked for the time; whoever reads the query by its names gets it back from a query around it, for
//! which all columns must be known.
//!
//! Where an order has names of columns alone and stands over a whole query, in brackets or in front of `|>`, a condition
//! that is always true comes between: DataFusion then has no list to look into.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, OrderBy, OrderByExpr, OrderByKind, PipeOperator, Query,
    Select, SelectItem, SetExpr, TableFactor, Value, Visit, Visitor,
};

use super::quoted;
use super::scope::Scope;
use super::select_list::{Listed, SelectContext, column};
use crate::error::{Error, Result};
use crate::sql::dialect;
use crate::sql::ident::IdentCase;

/// The names of columns that an alias of the SELECT may be taken for. `can_mark` says whether the aliases can be marked.
///
/// # Errors
/// `NotSupported` where they cannot, and rows would be ordered or chosen by the wrong one.
pub(super) fn columns(
    select: &Select,
    order: Option<&OrderBy>,
    scope: &Scope,
    folds: IdentCase,
    can_mark: bool,
) -> Result<HashSet<String>> {
    let aliases = aliases(select, folds);
    let mut names = HashSet::new();
    // DISTINCT ON is about aliases, and its ORDER BY finds them.
    if !matches!(select.distinct, Some(Distinct::On(_))) {
        let keys = keys(order, folds).filter(|key| is_renamed(select, key, folds));
        let bare = keys.chain(in_conditions(select, folds));
        names.extend(bare.filter(|it| aliases.contains(it) && scope.has_without_table(it)));
    }
    if can_mark {
        let mut of_tables = Names::new(folds);
        let _: ControlFlow<()> =
            order.map_or(ControlFlow::Continue(()), |it| it.visit(&mut of_tables));
        let of_tables = of_tables.qualified.into_iter();
        names.extend(of_tables.filter(|it| aliases.contains(it) || scope.is_written_out(it)));
        return Ok(names);
    }
    // DataFusion refuses those with a table by itself.
    match names.iter().min() {
        None => Ok(names),
        Some(name) => Err(Error::unsupported(format!(
            "the column `{name}` of a query in FROM without an alias, in ORDER BY, HAVING or QUALIFY beside an alias \
             `{name}` and a `*` whose columns are not known; give the query in FROM an alias"
        ))),
    }
}

/// The aliases of a list that are not the names of their columns.
fn aliases(select: &Select, folds: IdentCase) -> HashSet<String> {
    let mut aliases = HashSet::new();
    let mut add = |expr: &Expr, alias: &Ident| {
        let alias = folds.name(alias);
        if column(expr, folds).is_none_or(|(_, of)| of != alias) {
            aliases.insert(alias);
        }
    };
    for item in &select.projection {
        match item {
            SelectItem::ExprWithAlias { expr, alias } => add(expr, alias),
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                for element in options.opt_replace.iter().flat_map(|it| &it.items) {
                    add(&element.expr, &element.column_name);
                }
            }
            _ => {}
        }
    }
    aliases
}

/// The names in HAVING and QUALIFY that are those of columns before they are those of aliases: what rows are grouped by,
/// and what functions are given; any, where there are no groups.
fn in_conditions(select: &Select, folds: IdentCase) -> HashSet<String> {
    let (mut groups, mut conditions) = (Names::new(folds), Names::new(folds));
    let _: ControlFlow<()> = select.group_by.visit(&mut groups);
    let _: ControlFlow<()> = select.having.visit(&mut conditions);
    let _: ControlFlow<()> = select.qualify.visit(&mut conditions);
    let has_groups = select.having.is_some()
        || !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let mut names = conditions.bare;
    names.retain(|name| !has_groups || groups.bare.contains(name));
    names.extend(conditions.given);
    names
}

/// The names that rows are ordered by, without a table, and not as a part of an expression.
fn keys(order: Option<&OrderBy>, folds: IdentCase) -> impl Iterator<Item = String> {
    let keys = match order.map(|order| &order.kind) {
        Some(OrderByKind::Expressions(keys)) => keys.as_slice(),
        _ => &[],
    };
    keys.iter()
        .filter_map(move |key| match column(&key.expr, folds) {
            Some((None, name)) => Some(name),
            _ => None,
        })
}

/// Whether the list gives the column of that name under another one.
fn is_renamed(select: &Select, name: &str, folds: IdentCase) -> bool {
    select.projection.iter().any(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } => {
            let is_column = column(expr, folds).is_some_and(|(_, of)| of == name);
            is_column && folds.name(alias) != name
        }
        _ => false,
    })
}

/// Lists the names of columns: those with a table, and those without.
struct Names {
    folds: IdentCase,
    qualified: HashSet<String>,
    bare: HashSet<String>,
    /// Those without a table that functions are given.
    given: HashSet<String>,
    /// How many functions are around the current place.
    functions: usize,
}

impl Names {
    fn new(folds: IdentCase) -> Self {
        Self {
            folds,
            qualified: HashSet::new(),
            bare: HashSet::new(),
            given: HashSet::new(),
            functions: 0,
        }
    }
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::CompoundIdentifier(parts) => {
                let name = parts.last().map(|name| self.folds.name(name));
                self.qualified.extend(name);
            }
            Expr::Identifier(name) if self.functions > 0 => {
                self.given.insert(self.folds.name(name));
            }
            Expr::Identifier(name) => {
                self.bare.insert(self.folds.name(name));
            }
            Expr::Function(_) => self.functions += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.functions -= usize::from(matches!(expr, Expr::Function(_)));
        ControlFlow::Continue(())
    }
}

/// Keeps the order over a query in brackets from the list of that query.
pub(super) fn keep_below(body: &mut SetExpr, order: &OrderBy) {
    if let (SetExpr::Query(inner), OrderByKind::Expressions(keys)) = (body, &order.kind)
        && are_names(keys)
    {
        inner.pipe_operators.push(always());
    }
}

/// Keeps the orders behind `|>` from the lists right in front of them.
pub(super) fn keep_in_front(pipes: &mut Vec<PipeOperator>) {
    let kept = std::mem::take(pipes).into_iter().flat_map(|pipe| {
        let is_order = matches!(&pipe, PipeOperator::OrderBy { exprs } if are_names(exprs));
        is_order.then(always).into_iter().chain([pipe])
    });
    pipes.extend(kept);
}

fn are_names(keys: &[OrderByExpr]) -> bool {
    keys.iter()
        .all(|key| matches!(key.expr, Expr::Identifier(_)))
}

/// A condition that leaves every row.
fn always() -> PipeOperator {
    PipeOperator::Where {
        expr: Expr::value(Value::Boolean(true)),
    }
}

/// Gives the columns of a query the names back that no other of them has.
pub(super) fn give_back(query: &mut Query, context: SelectContext, columns: &mut [Listed]) {
    let is_hidden = are_hidden(columns);
    if !is_read(context) || !is_hidden.contains(&true) {
        return;
    }
    let items = columns.iter().zip(&is_hidden).map(|(column, is_hidden)| {
        let expr = Expr::Identifier(quoted(column.planned.clone()));
        if *is_hidden {
            SelectItem::ExprWithAlias {
                expr,
                alias: quoted(column.name.clone()),
            }
        } else {
            SelectItem::UnnamedExpr(expr)
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

/// Gives the columns of an arm of a UNION their names back: it becomes a query of its own.
pub(super) fn give_back_in_arm(arm: &mut SetExpr, columns: &mut [Listed]) {
    if !matches!(arm, SetExpr::Select(_)) || !are_hidden(columns).contains(&true) {
        return;
    }
    if let Ok(mut query) = dialect::query("SELECT 1") {
        std::mem::swap(query.body.as_mut(), arm);
        give_back(&mut query, SelectContext::Named, columns);
        *arm = SetExpr::Query(query);
    }
}

/// Which columns have marks though no other one has their name.
fn are_hidden(columns: &[Listed]) -> Vec<bool> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for column in columns {
        *counts.entry(&column.name).or_default() += 1;
    }
    let hidden = columns.iter().map(|column| {
        column.planned != column.name && counts.get(column.name.as_str()) == Some(&1)
    });
    hidden.collect()
}

/// Whether somebody reads the columns of a query by their names.
pub(super) fn is_read(context: SelectContext) -> bool {
    matches!(context, SelectContext::Free | SelectContext::Named)
}

/// Puts a query around a query.
fn wrap(query: &mut Query, items: Vec<SelectItem>) -> bool {
    let Ok(mut outer) = dialect::query("SELECT 1 FROM (SELECT 1)") else {
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
