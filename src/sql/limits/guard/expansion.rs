//! How large a statement becomes when the queries of its `WITH`s are put in the place of their names.
//!
//! DataFusion plans such a query once for each place that reads it. In a chain of which each query reads the one before
//! twice, each doubles the plan: twenty make a million tables of one. So the tables are counted on the syntax tree as the
//! plan would have them, before there is a plan.

use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{Cte, ObjectName, Query, Visit, Visitor};

use super::{MAX_TABLES, width};
use crate::error::{Error, Result};
use crate::sql::copy_statement::CopySource;
use crate::sql::ident::IdentCase;
use crate::sql::parse::Command;

/// Refuses a statement that reads too many tables, each counted as often as it is planned.
pub(crate) fn check(command: &Command) -> Result<()> {
    match command {
        Command::Sql(statement) => check_tree(statement.sql.as_ref()),
        Command::ExplainKeys(query, _) | Command::Summarize(query) => check_tree(query),
        Command::Copy(copy) => match &copy.source {
            CopySource::Query(query) => check_tree(query),
            _ => Ok(()),
        },
    }
}

fn check_tree(tree: &impl Visit) -> Result<()> {
    width::check(tree)?;
    let mut reads = Reads::default();
    let _: ControlFlow<()> = tree.visit(&mut reads);
    let tables = reads.tables;
    if tables <= MAX_TABLES {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "the statement is too large to be planned: with the queries of WITH in the place of their names it reads \
         {tables} tables, more than {MAX_TABLES}"
    )))
}

/// The tables that are read, counted while a statement is visited.
#[derive(Default)]
struct Reads {
    /// Those outside of all queries: of an `INSERT`, a `DELETE`.
    tables: u64,
    /// The queries that are being visited, each inside of the one before it.
    open: Vec<Scope>,
}

/// A query that is being visited.
#[derive(Default)]
struct Scope {
    tables: u64,
    /// How many tables the queries of its `WITH` read that have been visited.
    named: HashMap<String, u64>,
    /// The queries of its `WITH`, to be known by their address, with their names.
    with: HashMap<*const Query, String>,
}

impl Scope {
    fn of(query: &Query) -> Self {
        let with = query.with.iter().flat_map(|with| &with.cte_tables);
        let named = |cte: &Cte| {
            (
                std::ptr::from_ref(cte.query.as_ref()),
                IdentCase::ALWAYS.name(&cte.alias.name),
            )
        };
        Self {
            with: with.map(named).collect(),
            ..Self::default()
        }
    }
}

impl Reads {
    /// Counts tables that the query reads that is being visited.
    fn add(&mut self, tables: u64) {
        let count = match self.open.last_mut() {
            Some(scope) => &mut scope.tables,
            None => &mut self.tables,
        };
        *count = count.saturating_add(tables);
    }
}

impl Visitor for Reads {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.open.push(Scope::of(query));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        // A query of constants is a part of the plan, too.
        let tables = self.open.pop().map_or(1, |scope| scope.tables.max(1));
        if let Some(outer) = self.open.last_mut()
            && let Some(name) = outer.with.remove(&std::ptr::from_ref(query))
        {
            outer.named.insert(name, tables);
        } else {
            self.add(tables);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        let name = match relation.0.as_slice() {
            [only] => only.as_ident().map(|name| IdentCase::ALWAYS.name(name)),
            _ => None,
        };
        let named = name.and_then(|name| {
            let mut scopes = self.open.iter().rev();
            scopes.find_map(|scope| scope.named.get(&name).copied())
        });
        self.add(named.unwrap_or(1));
        ControlFlow::Continue(())
    }
}
