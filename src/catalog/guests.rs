//! Tables and functions that are not the database's: those of the program that embeds it, for the statements of one
//! connection.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use parking_lot::RwLock;
use sqlparser::ast::{Expr, ObjectName, TableFactor, Visit, Visitor};

use super::names::identifier;
use crate::error::{Error, Result};

/// Tables by their names. A clone has the same.
#[derive(Debug, Clone, Default)]
pub struct Guests(Arc<RwLock<BTreeMap<String, Arc<dyn TableProvider>>>>);

impl Guests {
    /// Adds one, and gives back the one that had the name.
    pub fn add(&self, name: &str, table: Arc<dyn TableProvider>) -> Option<Arc<dyn TableProvider>> {
        self.0.write().insert(name.to_owned(), table)
    }

    /// Takes one away.
    pub fn remove(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.0.write().remove(name)
    }

    /// The one with a name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn TableProvider>> {
        self.0.read().get(name).cloned()
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.0.read().keys().cloned().collect()
    }
}

/// The names of functions of the program: what the database keeps must not call them, for others do not have them. A clone
/// has the same.
#[derive(Debug, Clone, Default)]
pub struct GuestFunctions(Arc<RwLock<BTreeSet<String>>>);

impl GuestFunctions {
    /// Adds one with its names.
    pub fn add<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        let names = names.into_iter().map(str::to_lowercase);
        self.0.write().extend(names);
    }

    /// Refuses what calls one of them; `what` cannot.
    ///
    /// # Errors
    /// `NotSupported` with the name of the function.
    pub fn refuse_in(&self, tree: &impl Visit, what: &str) -> Result<()> {
        let names = self.0.read();
        if names.is_empty() {
            return Ok(());
        }
        match tree.visit(&mut Calls(&names)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(name) => Err(Error::unsupported(format!(
                "`{name}` is a function that is registered with this connection, and none of the database: {what} cannot \
                 call it"
            ))),
        }
    }
}

/// Looks for a call of one of these.
struct Calls<'a>(&'a BTreeSet<String>);

impl Calls<'_> {
    fn look_at(&self, name: &ObjectName) -> ControlFlow<String> {
        let last = name.0.last().and_then(|part| part.as_ident());
        match last.map(identifier) {
            Some(name) if self.0.contains(&name.to_lowercase()) => ControlFlow::Break(name),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Calls<'_> {
    type Break = String;

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<String> {
        match expression {
            Expr::Function(call) => self.look_at(&call.name),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<String> {
        match factor {
            TableFactor::Table {
                name,
                args: Some(_),
                ..
            }
            | TableFactor::Function { name, .. } => self.look_at(name),
            _ => ControlFlow::Continue(()),
        }
    }
}
