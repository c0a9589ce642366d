//! `PREPARE name AS …`: the prepared statements that a connection has by name. [`super::execute_named`] plans and runs them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use datafusion::common::{DFSchema, ScalarValue};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan, Prepare, Statement};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use parking_lot::Mutex;
use sqlparser::ast::Statement as SqlStatement;

use super::outcome::reads_or_changes;
use super::planned::Repeated;
use crate::error::{Error, Result};
use crate::sql::ident::IdentCase;
use crate::sql::written::Written;

/// The prepared statements of a connection, by name. Tasks with clones of one connection share them.
#[derive(Clone, Default)]
pub(crate) struct NamedStatements(Arc<Mutex<HashMap<String, Arc<Repeated>>>>);

impl NamedStatements {
    /// The statement with this name.
    ///
    /// # Errors
    /// `InvalidInput` where there is none.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Repeated>> {
        let found = self.0.lock().get(name).map(Arc::clone);
        found.ok_or_else(|| no_such_statement(name))
    }

    /// Keeps a statement that is prepared.
    ///
    /// # Errors
    /// `InvalidInput` where there is one of this name.
    pub(crate) fn keep(&self, name: String, statement: Repeated) -> Result<()> {
        match self.0.lock().entry(name) {
            Entry::Vacant(place) => {
                place.insert(Arc::new(statement));
                Ok(())
            }
            Entry::Occupied(found) => {
                let name = found.key();
                Err(Error::invalid(format!(
                    "there is a prepared statement `{name}` already: DEALLOCATE {name} forgets it"
                )))
            }
        }
    }

    /// Forgets a statement, or `all`.
    ///
    /// # Errors
    /// `InvalidInput` where there is none of this name.
    pub(crate) fn forget(&self, name: &str) -> Result<()> {
        let mut by_name = self.0.lock();
        match by_name.remove(name) {
            Some(_) => {}
            None if name == "all" => by_name.clear(),
            None => return Err(no_such_statement(name)),
        }
        Ok(())
    }
}

fn no_such_statement(name: &str) -> Error {
    Error::invalid(format!("there is no prepared statement `{name}`"))
}

/// What EXECUTE gives for the parameters.
pub(crate) fn values(state: &SessionState, given: Vec<Expr>) -> Result<Vec<ScalarValue>> {
    let context = SimplifyContext::builder()
        .with_schema(Arc::new(DFSchema::empty()))
        .with_config_options(Arc::clone(state.config_options()))
        .with_query_execution_start_time(state.execution_props().query_execution_start_time)
        .build();
    let simplifier = ExprSimplifier::new(context);
    let value = |given: Expr| match simplifier.simplify(given)? {
        Expr::Literal(value, _) => Ok(value),
        other => Err(Error::unsupported(format!(
            "EXECUTE takes constants for parameters, and `{other}` is none"
        ))),
    };
    given.into_iter().map(value).collect()
}

pub(crate) fn is_prepare(parsed: &Written) -> bool {
    head(parsed).is_some()
}

/// Under which name a PREPARE prepares a statement, and how many types of parameters it declares.
pub(crate) fn head(parsed: &Written) -> Option<(String, usize)> {
    match parsed.unexplained()? {
        SqlStatement::Prepare {
            name, data_types, ..
        } => Some((IdentCase::ALWAYS.name(name), data_types.len())),
        _ => None,
    }
}

/// Whether what a PREPARE prepares is a query or a change, or the EXPLAIN of one.
pub(crate) fn is_preparable(parsed: &Written) -> bool {
    let Some(SqlStatement::Prepare { statement, .. }) = parsed.unexplained() else {
        return false;
    };
    matches!(statement.as_ref(), SqlStatement::Explain { .. }) || reads_or_changes(statement)
}

/// Puts a statement that is prepared in the place of the PREPARE, if that declares no types of parameters: DataFusion
/// wants one type for a parameter that stands in several places. Returns the name, for [`prepared`].
pub(crate) fn take_open(parsed: &mut Written) -> Option<String> {
    if let Some(SqlStatement::Prepare {
        name,
        statement,
        data_types,
    }) = parsed.unexplained()
        && data_types.is_empty()
        && !matches!(statement.as_ref(), SqlStatement::Explain { .. })
    {
        let name = IdentCase::ALWAYS.name(name);
        parsed.sql = statement.clone();
        return Some(name);
    }
    None
}

/// The plan of a PREPARE of this plan.
pub(crate) fn prepared(name: String, plan: LogicalPlan) -> LogicalPlan {
    LogicalPlan::Statement(Statement::Prepare(Prepare {
        name,
        fields: Vec::new(),
        input: Arc::new(plan),
    }))
}

/// The plan of what a PREPARE prepares; any other plan as it is.
pub(crate) fn inside(plan: LogicalPlan) -> LogicalPlan {
    match plan {
        LogicalPlan::Statement(Statement::Prepare(Prepare { input, .. })) => {
            Arc::unwrap_or_clone(input)
        }
        plan => plan,
    }
}
