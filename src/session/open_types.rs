//! `PREPARE … AS INSERT`, whose parameters take their types when it is run.
//!
//! DataFusion casts the values of EXECUTE to the types that it found for the parameters, and its error names no column.
//! Where the statement declares no types they are left open here, and the values are converted by
//! [`assign`](super::assign). The number of parameters, which DataFusion checks against their types, is checked here.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::logical_expr::{Execute, LogicalPlan, Prepare, Statement, WriteOp};
use datafusion::sql::parser::Statement as DFStatement;
use parking_lot::Mutex;
use sqlparser::ast::Statement as SqlStatement;

use super::assign::name_columns;
use crate::error::{Error, Result};

/// How many parameters the prepared INSERTs of a connection have, by name.
#[derive(Clone, Default)]
pub(super) struct OpenTypes(Arc<Mutex<HashMap<String, usize>>>);

impl OpenTypes {
    /// The plan of a statement, the types of its parameters left open if it prepares an INSERT without declaring them.
    ///
    /// # Errors
    /// As [`name_columns`].
    pub(super) fn prepare(&self, parsed: &DFStatement, plan: LogicalPlan) -> Result<LogicalPlan> {
        match plan {
            LogicalPlan::Statement(Statement::Prepare(mut prepare)) if is_insert(&prepare) => {
                prepare.input = Arc::new(name_columns(Arc::unwrap_or_clone(prepare.input))?);
                // A name that is taken is refused later, and then stands for what it stood for before.
                if !declares_types(parsed) {
                    let count = prepare.fields.len();
                    self.0.lock().entry(prepare.name.clone()).or_insert(count);
                    prepare.fields.clear();
                }
                Ok(LogicalPlan::Statement(Statement::Prepare(prepare)))
            }
            other => Ok(other),
        }
    }

    /// Forgets a statement that is no longer prepared.
    pub(super) fn deallocate(&self, name: &str) {
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
