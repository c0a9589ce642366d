//! A statement as DataFusion plans it.

use std::str::FromStr;

use datafusion::common::TableReference;
use datafusion::common::format::{ExplainFormat, ExplainStatementOptions};
use datafusion::error::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::parser::{ExplainStatement, ResetStatement, Statement};
use sqlparser::ast::{DescribeAlias, Reset, ResetStatement as SqlReset, Statement as SqlStatement};

use crate::sql::ident::IdentCase;
use crate::sql::unsupported::KnownFunctions;
use crate::sql::written::{Explain, Written};

/// The plan of a statement, as it is.
///
/// # Errors
/// What DataFusion finds wrong with it.
pub(crate) async fn plan_of(state: &SessionState, written: Written) -> Result<LogicalPlan> {
    state.statement_to_plan(statement(written)?).await
}

impl KnownFunctions for SessionState {
    fn is_scalar(&self, name: &str) -> bool {
        self.scalar_functions().contains_key(name)
            || self.higher_order_functions().contains_key(name)
            || matches!(name, "unnest" | "unnest_outer")
    }

    fn is_window(&self, name: &str) -> bool {
        self.window_functions().contains_key(name)
    }
}

/// How names that are not in quotes are looked up.
pub(crate) fn ident_case(state: &SessionState) -> IdentCase {
    if state.config_options().sql_parser.enable_ident_normalization {
        IdentCase::Folded
    } else {
        IdentCase::Kept
    }
}

/// The tables that a statement names.
///
/// # Errors
/// `InvalidInput` alone.
pub(crate) fn references(state: &SessionState, written: &Written) -> Result<Vec<TableReference>> {
    let statement = Statement::Statement(written.sql.clone());
    state.resolve_table_references(&statement)
}

/// Leaves the query of a DESCRIBE in its place; whether it was one. DataFusion would tell the types of a plan that is not
/// mended yet.
pub(crate) fn take_described(parsed: &mut Written) -> bool {
    if let Some(SqlStatement::Explain {
        describe_alias: DescribeAlias::Describe | DescribeAlias::Desc,
        statement,
        ..
    }) = parsed.unexplained_mut()
        && let SqlStatement::Query(query) = statement.as_ref()
    {
        *parsed = query.clone().into();
        return true;
    }
    false
}

fn statement(written: Written) -> Result<Statement> {
    let statement = match *written.sql {
        SqlStatement::Reset(SqlReset {
            reset: Reset::ConfigurationParameter(name),
        }) => Statement::Reset(ResetStatement::Variable(name)),
        sql => Statement::Statement(Box::new(sql)),
    };
    let Some(explain) = written.explain else {
        return Ok(statement);
    };
    Ok(Statement::Explain(ExplainStatement {
        options: options(&explain)?,
        statement: Box::new(statement),
    }))
}

fn options(explain: &Explain) -> Result<ExplainStatementOptions> {
    match explain {
        Explain::Options(options) => ExplainStatementOptions::from_utility_options(options),
        Explain::Words {
            analyze,
            verbose,
            format,
        } => Ok(ExplainStatementOptions {
            analyze: *analyze,
            verbose: *verbose,
            format: format.as_deref().map(ExplainFormat::from_str).transpose()?,
            ..ExplainStatementOptions::default()
        }),
    }
}
