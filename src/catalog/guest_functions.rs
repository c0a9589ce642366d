//! Functions that are not the database's: those of the program that embeds it, for the statements of one connection.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use parking_lot::RwLock;
use sqlparser::ast::{Expr, ObjectName, TableFactor, Visit, Visitor};

use super::names::identifier;
use crate::error::{Error, Result};

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
