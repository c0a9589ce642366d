//! What a statement is about: itself, or what an EXPLAIN in front of it explains.

use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::Statement as SqlStatement;

/// The statement behind every EXPLAIN.
pub(crate) fn innermost(statement: &DFStatement) -> &DFStatement {
    match statement {
        DFStatement::Explain(explain) => innermost(&explain.statement),
        other => other,
    }
}

/// The same, if it is one of SQL's and none that DataFusion has added.
pub(crate) fn sql_of(statement: &DFStatement) -> Option<&SqlStatement> {
    match innermost(statement) {
        DFStatement::Statement(statement) => Some(statement),
        _ => None,
    }
}

/// The same, to be changed.
pub(crate) fn sql_of_mut(statement: &mut DFStatement) -> Option<&mut SqlStatement> {
    match statement {
        DFStatement::Statement(statement) => Some(statement),
        DFStatement::Explain(explain) => sql_of_mut(&mut explain.statement),
        _ => None,
    }
}
