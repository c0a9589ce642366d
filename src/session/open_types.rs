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

/// A prepared INSERT whose types are open.
pub(super) struct Prepared {
    name: String,
    parameters: usize,
}

impl OpenTypes {
    /// The plan of a statement, the types of its parameters left open if it prepares an INSERT without declaring them;
    /// that INSERT is then to be remembered, once it is prepared.
    ///
    /// # Errors
    /// As [`name_columns`].
    pub(super) fn prepare(
        parsed: &DFStatement,
        plan: LogicalPlan,
    ) -> Result<(LogicalPlan, Option<Prepared>)> {
        match plan {
            LogicalPlan::Statement(Statement::Prepare(mut prepare)) if is_insert(&prepare) => {
                prepare.input = Arc::new(name_columns(Arc::unwrap_or_clone(prepare.input))?);
                let open = (!declares_types(parsed)).then(|| Prepared {
                    name: prepare.name.clone(),
                    parameters: prepare.fields.len(),
                });
                if open.is_some() {
                    prepare.fields.clear();
                }
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
