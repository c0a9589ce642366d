//! `PREPARE`, whose parameters take their types when the statement is run.
//!
//! DataFusion casts the values of EXECUTE to the types that it found for the parameters: a number that is compared with
//! an INT loses its digits, and of an INSERT the error names no column. Where the statement declares no types they are
//! left open here. Values are compared as they are, and those of an INSERT converted by [`assign`](super::assign). The
//! number of parameters, which DataFusion checks against their types, is checked here.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::logical_expr::{Execute, LogicalPlan, Prepare, Statement, WriteOp};
use datafusion::sql::parser::Statement as DFStatement;
use parking_lot::Mutex;
use sqlparser::ast::Statement as SqlStatement;

use super::assign::name_columns;
use crate::error::{Error, Result};

/// How many parameters the prepared statements of a connection have whose types are open, by name.
#[derive(Clone, Default)]
pub(super) struct OpenTypes(Arc<Mutex<HashMap<String, usize>>>);

/// A prepared statement whose types are open.
pub(super) struct Prepared {
    name: String,
    parameters: usize,
}

impl OpenTypes {
    /// The plan of a statement, the types of its parameters left open if it prepares another without declaring them;
    /// that one is then to be remembered, once it is prepared.
    ///
    /// # Errors
    /// As [`name_columns`].
    pub(super) fn prepare(
        parsed: &DFStatement,
        plan: LogicalPlan,
    ) -> Result<(LogicalPlan, Option<Prepared>)> {
        match plan {
            LogicalPlan::Statement(Statement::Prepare(mut prepare)) => {
                if is_insert(&prepare) {
                    prepare.input = Arc::new(name_columns(Arc::unwrap_or_clone(prepare.input))?);
                }
                let open = match declares_types(parsed) {
                    true => None,
                    false => {
                        prepare.fields.clear();
                        let (name, parameters) =
                            (prepare.name.clone(), parameters(&prepare.input)?);
                        Some(Prepared { name, parameters })
                    }
                };
                Ok((LogicalPlan::Statement(Statement::Prepare(prepare)), open))
            }
            other => Ok((other, None)),
        }
    }

    /// Remembers a statement that is prepared.
    pub(super) fn remember(&self, prepared: Prepared) {
        self.0.lock().insert(prepared.name, prepared.parameters);
    }

    /// Forgets a statement that is no longer prepared.
    pub(super) fn forget(&self, name: &str) {
        self.0.lock().remove(name);
    }

    /// Whether a statement is run with as many values as it has parameters.
    ///
    /// # Errors
    /// `InvalidInput` with both numbers.
    pub(super) fn check(&self, execute: &Execute) -> Result<()> {
        let given = execute.parameters.len();
        match self.0.lock().get(&execute.name) {
            Some(expected) if *expected != given => Err(Error::invalid(format!(
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

fn is_insert(prepare: &Prepare) -> bool {
    matches!(prepare.input.as_ref(), LogicalPlan::Dml(dml) if matches!(dml.op, WriteOp::Insert(_)))
}
