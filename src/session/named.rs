//! `PREPARE name AS …`: what a connection knows of these statements beside DataFusion, which keeps their plans.
//!
//! **The types of parameters.** DataFusion casts the values of EXECUTE to the types that it found for the parameters: a
//! number that is compared with an INT loses its digits, and of an INSERT the error names no column. Where the statement
//! declares no types they are left open here. Values are compared as they are, and those of an INSERT converted by
//! [`assign`](super::assign). The number of parameters, which DataFusion checks against their types, is checked here.
//!
//! **The tables.** A plan holds the tables as they were when it was made. After tables were made, emptied or dropped the
//! statement is therefore prepared again before it is run.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::logical_expr::{Execute, LogicalPlan, Statement};
use datafusion::sql::parser::Statement as DFStatement;
use parking_lot::Mutex;
use sqlparser::ast::Statement as SqlStatement;
use tokio::sync::Mutex as TaskMutex;

use crate::error::{Error, Result};

/// The prepared statements of a connection, by name.
#[derive(Clone, Default)]
pub(super) struct NamedStatements {
    by_name: Arc<Mutex<HashMap<String, Arc<Named>>>>,
    /// Held while one is prepared again: tasks with clones of one connection share the statements.
    pub(super) renewing: Arc<TaskMutex<()>>,
}

/// A prepared statement.
pub(super) struct Named {
    name: String,
    /// The `PREPARE`.
    pub(super) parsed: DFStatement,
    /// How many parameters it has, if their types are open.
    open: Option<usize>,
    /// The version of the catalog that its tables are of, or of an earlier one.
    version: u64,
}

impl NamedStatements {
    /// The plan of a statement that is planned at this version of the catalog. If it prepares another, the types of its
    /// parameters are left open unless it declares them; that one is then to be remembered, once it is prepared.
    ///
    /// # Errors
    /// Those of DataFusion.
    pub(super) fn prepare(
        parsed: &DFStatement,
        plan: LogicalPlan,
        version: u64,
    ) -> Result<(LogicalPlan, Option<Named>)> {
        match plan {
            LogicalPlan::Statement(Statement::Prepare(mut prepare)) => {
                let open = match declares_types(parsed) {
                    true => None,
                    false => {
                        prepare.fields.clear();
                        Some(parameters(&prepare.input)?)
                    }
                };
                let named = Named {
                    name: prepare.name.clone(),
                    parsed: parsed.clone(),
                    open,
                    version,
                };
                Ok((
                    LogicalPlan::Statement(Statement::Prepare(prepare)),
                    Some(named),
                ))
            }
            other => Ok((other, None)),
        }
    }

    /// Remembers a statement that is prepared.
    pub(super) fn remember(&self, named: Named) {
        let name = named.name.clone();
        self.by_name.lock().insert(name, Arc::new(named));
    }

    /// Forgets a statement that is no longer prepared.
    pub(super) fn forget(&self, name: &str) {
        self.by_name.lock().remove(name);
    }

    /// The statement with this name, if its tables are not those of this version of the catalog.
    pub(super) fn outdated(&self, name: &str, version: u64) -> Option<Arc<Named>> {
        let named = self.by_name.lock().get(name).map(Arc::clone)?;
        (named.version != version).then_some(named)
    }

    /// Whether a statement is run with as many values as it has parameters.
    ///
    /// # Errors
    /// `InvalidInput` with both numbers.
    pub(super) fn check(&self, execute: &Execute) -> Result<()> {
        let given = execute.parameters.len();
        let expected = self
            .by_name
            .lock()
            .get(&execute.name)
            .and_then(|it| it.open);
        match expected {
            Some(expected) if expected != given => Err(Error::invalid(format!(
                "the prepared statement `{}` has {expected} parameters, {given} are given",
                execute.name
            ))),
            _ => Ok(()),
        }
    }
}

/// The greatest number of a parameter.
fn parameters(plan: &LogicalPlan) -> Result<usize> {
    let names = plan.get_parameter_names()?;
    let numbers = names
        .iter()
        .map(|name| name.strip_prefix('$')?.parse().ok());
    Ok(numbers.flatten().max().unwrap_or_default())
}

fn declares_types(parsed: &DFStatement) -> bool {
    match parsed {
        DFStatement::Statement(statement) => {
            matches!(statement.as_ref(), SqlStatement::Prepare { data_types, .. } if !data_types.is_empty())
        }
        _ => false,
    }
}
