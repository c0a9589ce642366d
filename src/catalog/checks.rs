//! CHECK as `CREATE TABLE` and `ALTER TABLE` write it.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    CheckConstraint, ColumnDef, ColumnOption, CreateTable, Expr, Ident, TableConstraint, Visit,
    VisitMut, Visitor, VisitorMut,
};

use super::names::identifier;
use crate::error::{Error, Result};
use crate::schema::Check;

/// The CHECKs of a statement: those at columns, then those behind them.
pub(super) fn of(statement: &CreateTable, table: &str) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for column in &statement.columns {
        let at_column = of_column(column, table, &checks)?;
        checks.extend(at_column);
    }
    for constraint in &statement.constraints {
        if let TableConstraint::Check(check) = constraint {
            checks.push(check_of(check, table, &checks)?);
        }
    }
    Ok(checks)
}

/// The CHECKs at a column of a table that has `others`.
pub(super) fn of_column(column: &ColumnDef, table: &str, others: &[Check]) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for option in &column.options {
        if let ColumnOption::Check(check) = &option.option {
            let name = option.name.as_ref().or(check.name.as_ref());
            let at = Some(identifier(&column.name));
            let check = define(check, name, at, table, others.iter().chain(&checks))?;
            checks.push(check);
        }
    }
    Ok(checks)
}

/// A CHECK of a table that has `others`.
///
/// # Errors
/// `NotSupported` for one that is not to be enforced.
pub fn check_of(check: &CheckConstraint, table: &str, others: &[Check]) -> Result<Check> {
    define(check, check.name.as_ref(), None, table, others.iter())
}

/// The CHECK, which has a name like PostgreSQL's if it is given none. `column` is the one at which it is declared.
fn define<'a>(
    check: &CheckConstraint,
    name: Option<&Ident>,
    column: Option<String>,
    table: &str,
    others: impl Iterator<Item = &'a Check>,
) -> Result<Check> {
    if check.enforced == Some(false) {
        return Err(Error::unsupported(format!(
            "`{check}` is not implemented: a CHECK is enforced, or not declared"
        )));
    }
    let mut expression = check.expr.as_ref().clone();
    unqualify(&mut expression, table);
    let named = columns_of(&expression);
    let only = || (named.len() == 1).then(|| named.first().cloned()).flatten();
    let name = match name {
        Some(name) => identifier(name),
        None => free_name(table, column.or_else(only), others),
    };
    Ok(Check {
        name,
        expression: expression.to_string(),
    })
}

fn unqualify(expression: &mut Expr, table: &str) {
    let _: ControlFlow<()> = VisitMut::visit(expression, &mut Unqualified { table });
}

/// The text of an expression in which columns stand without their table.
pub(super) fn unqualified(expression: &Expr, table: &str) -> String {
    let mut expression = expression.clone();
    unqualify(&mut expression, table);
    expression.to_string()
}

/// The columns that an expression names, without tables in front.
pub fn columns_of(expression: &Expr) -> BTreeSet<String> {
    let mut columns = Columns::default();
    let _: ControlFlow<()> = expression.visit(&mut columns);
    columns.0
}

/// `t_a_check`, `t_a_check1` …
fn free_name<'a>(
    table: &str,
    column: Option<String>,
    others: impl Iterator<Item = &'a Check>,
) -> String {
    let taken: HashSet<&str> = others.map(|other| other.name.as_str()).collect();
    let base = match column {
        Some(column) => format!("{table}_{column}_check"),
        None => format!("{table}_check"),
    };
    let numbered = (1..).map(|number| format!("{base}{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    names
        .find(|name| !taken.contains(name.as_str()))
        .unwrap_or(base)
}

/// Collects the columns that an expression names.
#[derive(Default)]
struct Columns(BTreeSet<String>);

impl Visitor for Columns {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Identifier(name) = expr {
            self.0.insert(identifier(name));
        }
        ControlFlow::Continue(())
    }
}

/// Leaves the table out of the names of its columns: it may be renamed.
struct Unqualified<'a> {
    table: &'a str,
}

impl VisitorMut for Unqualified<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(names) = expr
            && let [table, name] = names.as_slice()
            && identifier(table) == self.table
        {
            *expr = Expr::Identifier(name.clone());
        }
        ControlFlow::Continue(())
    }
}
