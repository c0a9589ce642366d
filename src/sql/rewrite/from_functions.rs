//! Functions of FROM that are given columns: `FROM t, generate_series(1, t.n) AS g (i)`.
//!
//! DataFusion plans `unnest(…)` over the columns of the tables in front of it, and no other function. So a series is the
//! list of its numbers, unnested. Where unnest is the first in its FROM, what it names is of a query around it, and is
//! found by the list of a SELECT alone.
//!
//! | written | planned as |
//! |---|---|
//! | `LATERAL unnest(t.a)` | `unnest(t.a)` |
//! | `generate_series(1, t.n) AS g (i)` | `unnest(generate_series(1, t.n)) AS g (i)` |
//! | `(SELECT … FROM unnest(t.a) AS u (x))` | `(SELECT … FROM (SELECT unnest(t.a)) AS u (x))` |
//! | `SELECT i FROM range(3) AS i` | `SELECT i FROM range(3) AS i (i)` |
//! | `SELECT range FROM range(3)` | `SELECT range FROM range(3) AS range (range)` |

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, Select, SetExpr, TableAlias,
    TableAliasColumnDef, TableFactor, TableWithJoins, VisitMut, VisitorMut, visit_expressions,
};

use super::functions::expression;
use crate::sql::dialect;

/// The functions that are lists in the list of a SELECT.
const SERIES: [&str; 2] = ["generate_series", "range"];

/// What [`write_out`] looks for.
pub(crate) const WORDS: [&str; 3] = ["unnest", "generate_series", "range"];

/// Writes such functions as they are planned.
pub(crate) fn write_out(tree: &mut impl VisitMut) {
    let _: ControlFlow<()> = tree.visit(&mut Functions);
}

struct Functions;

impl VisitorMut for Functions {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        name_columns(select);
        for (place, table) in select.from.iter_mut().enumerate() {
            unnest(&mut table.relation);
            if place == 0 {
                select_from(&mut table.relation);
            }
            table
                .joins
                .iter_mut()
                .for_each(|join| unnest(&mut join.relation));
        }
        ControlFlow::Continue(())
    }
}

/// Gives the one column of a function the function's name, where the SELECT names it so, as in PostgreSQL.
fn name_columns(select: &mut Select) {
    let relations = |table: &TableWithJoins| {
        let joined = table.joins.iter().map(|join| &join.relation);
        let relations = std::iter::once(&table.relation).chain(joined);
        relations.filter_map(called).collect::<Vec<_>>()
    };
    let names: Vec<Ident> = select.from.iter().flat_map(relations).collect();
    let is_named = |name: &Ident| {
        let found = visit_expressions(select, |expr| match expr {
            Expr::Identifier(column) if column == name => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        found.is_break()
    };
    let names: Vec<Ident> = names.into_iter().filter(is_named).collect();
    for table in &mut select.from {
        let joined = table.joins.iter_mut().map(|join| &mut join.relation);
        for relation in std::iter::once(&mut table.relation).chain(joined) {
            if let Some(name) = called(relation).filter(|name| names.contains(name)) {
                name_only_column(relation, name);
            }
        }
    }
}

/// The name of a series or an unnest whose column has none.
fn called(factor: &TableFactor) -> Option<Ident> {
    let (function, arguments, alias) = match factor {
        TableFactor::Function {
            name,
            args,
            alias,
            with_ordinality: false,
            ..
        } => (plain_name(name)?, args.len(), alias),
        TableFactor::Table {
            name,
            args: Some(args),
            alias,
            with_ordinality: false,
            ..
        } => (plain_name(name)?, args.args.len(), alias),
        TableFactor::UNNEST {
            alias,
            array_exprs,
            with_offset: false,
            with_ordinality: false,
            ..
        } => ("unnest".to_owned(), array_exprs.len(), alias),
        _ => return None,
    };
    let is_series = SERIES.contains(&function.as_str());
    match alias {
        _ if !is_series && (function != "unnest" || arguments != 1) => None,
        None => Some(Ident::new(function)),
        Some(alias) if alias.columns.is_empty() => Some(alias.name.clone()),
        Some(_) => None,
    }
}

fn name_only_column(factor: &mut TableFactor, name: Ident) {
    let (TableFactor::Function { alias, .. }
    | TableFactor::Table { alias, .. }
    | TableFactor::UNNEST { alias, .. }) = factor
    else {
        return;
    };
    let alias = alias.get_or_insert_with(|| TableAlias {
        explicit: true,
        name: name.clone(),
        columns: Vec::new(),
        at: None,
    });
    alias.columns.push(TableAliasColumnDef {
        name,
        data_type: None,
    });
}

/// Makes an unnest of a function that is given columns.
fn unnest(factor: &mut TableFactor) {
    let (name, args, alias) = match factor {
        TableFactor::Function {
            name,
            args,
            alias,
            with_ordinality: false,
            ..
        } => (name, args.as_slice(), alias),
        TableFactor::Table {
            name,
            args: Some(args),
            alias,
            with_ordinality: false,
            ..
        } if args.settings.is_none() => (name, args.args.as_slice(), alias),
        _ => return,
    };
    let Some(function) = plain_name(name) else {
        return;
    };
    let values = args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    let Some(values) = values.collect::<Option<Vec<Expr>>>() else {
        return;
    };
    let array_exprs = match function.as_str() {
        "unnest" => values,
        series if SERIES.contains(&series) && values.iter().any(names_columns) => {
            let places = (1..=values.len()).map(|place| format!("${place}"));
            let places = places.collect::<Vec<_>>().join(", ");
            let Some(list) = expression(&format!("{series}({places})"), &values) else {
                return;
            };
            vec![list]
        }
        _ => return,
    };
    let mut alias = alias.clone();
    name_column(&mut alias, &function);
    *factor = TableFactor::UNNEST {
        alias,
        array_exprs,
        with_offset: false,
        with_offset_alias: None,
        with_ordinality: false,
    };
}

/// The column of a series is called `value`, unless it is said otherwise.
fn name_column(alias: &mut Option<TableAlias>, function: &str) {
    if let Some(alias) = alias
        && alias.columns.is_empty()
        && SERIES.contains(&function)
    {
        alias.columns.push(TableAliasColumnDef::from_name("value"));
    }
}

/// Makes a query of an unnest of columns of a query around it.
fn select_from(factor: &mut TableFactor) {
    let TableFactor::UNNEST {
        alias,
        array_exprs,
        with_offset: false,
        with_ordinality: false,
        ..
    } = factor
    else {
        return;
    };
    let [list] = array_exprs.as_slice() else {
        return;
    };
    if !names_columns(list) {
        return;
    }
    let called = alias.as_ref().map_or("unnest", |alias| &alias.name.value);
    let called = Ident::with_quote('"', called);
    let Ok(mut subquery) = dialect::query(&format!("SELECT unnest(t) AS {called}")) else {
        return;
    };
    if let SetExpr::Select(select) = subquery.body.as_mut() {
        let _: ControlFlow<()> = select.projection.visit(&mut Fill(list));
    }
    *factor = TableFactor::Derived {
        lateral: false,
        subquery,
        alias: alias.clone(),
        sample: None,
    };
}

/// Puts an expression in the place of the one column of another.
struct Fill<'a>(&'a Expr);

impl VisitorMut for Fill<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if matches!(expr, Expr::Identifier(_)) {
            *expr = self.0.clone();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn plain_name(name: &ObjectName) -> Option<String> {
    let [part] = name.0.as_slice() else {
        return None;
    };
    part.as_ident()
        .map(|ident| ident.value.to_ascii_lowercase())
}

/// Whether an expression names a column.
pub(crate) fn names_columns(expr: &Expr) -> bool {
    let found = visit_expressions(expr, |expr| match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
