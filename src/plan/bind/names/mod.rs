//! The names of columns: as they are written, be it the same name several times.
//!
//! DataFusion names an expression by its own words (`Int64(1)`, `max(t.b)`), in which a CAST is no part, and refuses
//! every list in which two columns have one name, or where an alias is the name of a column that rows are ordered by.
//! So the statement is changed before it is planned:
//!
//! * an expression without a name is called as it is written: `max(b)`, `1`, `CAST(b AS BIGINT)`;
//! * of two columns with one name the later has a mark behind it, which nobody sees ([`UNSEEN`]);
//! * a name that is written in an outer query and stands twice in the inner one is an error, as in Postgres;
//! * an alias that rows are not to be ordered by is kept from the column that has its name ([`alias_conflicts`]);
//! * what USING and NATURAL make one column of is that of the left side, wherever it is named ([`scope`]);
//! * the column of a subquery beside OR is told from itself ([`subquery_columns`]);
//! * casts that tell apart what has one name without them are given their own ([`casts`]);
//! * functions that only stand for other expressions are [written out](crate::sql::rewrite::functions), and forms that
//!   DataFusion lacks are said in others ([`crate::sql::rewrite::expressions`]), once all names are fixed.
//!
//! The outermost result has its names without marks ([`restore`]), and so has what EXPLAIN shows ([`explained`]). Tables
//! are looked up only where a statement needs their columns for this: for `*` beside other columns or over a join, for
//! USING and NATURAL.

mod alias_conflicts;
pub(crate) mod casts;
mod exprs;
mod references;
mod resolver;
mod scope;
mod select_list;
mod subquery_columns;
mod tables;
mod text;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use datafusion::common::display::StringifiedPlan;
use datafusion::common::{Column, DataFusionError, SchemaError, TableReference};
use datafusion::execution::session_state::SessionState;
use datafusion::functions::string::replace;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Statement};
use datafusion::physical_expr::expressions::{Column as PhysicalColumn, lit};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::explain::ExplainExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use sqlparser::ast::Ident;

use self::resolver::Resolver;
use self::tables::Tables;
pub(crate) use self::text::keep_heading;
use crate::error::Result;
use crate::plan::bind::statement::ident_case;
use crate::sql::marks::UNSEEN;
use crate::sql::rewrite::functions::write_out;
use crate::sql::rewrite::{calls, expressions};
use crate::sql::written::Written;

/// The statement with a name of its own for every column of a list.
///
/// # Errors
/// `InvalidInput` for a name that may mean two columns.
pub(crate) async fn mend(state: &SessionState, mut parsed: Written) -> Result<Written> {
    let folds = ident_case(state);
    let statement = parsed.sql.as_mut();
    let tables = Tables::of(state, statement, folds).await;
    Resolver::new(&tables, folds).statement(statement)?;
    calls::write_out(statement);
    expressions::write_out(statement);
    let functions = state.scalar_functions();
    write_out(statement, &|name| functions.contains_key(name))?;
    Ok(parsed)
}

/// The plan of a mended statement, whose result has the names that were written.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn restore(
    plan: LogicalPlan,
    gives_rows: fn(&LogicalPlan) -> bool,
) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Statement(Statement::Prepare(mut prepare)) => {
            let input = Arc::unwrap_or_clone(prepare.input);
            prepare.input = Arc::new(restore(input, gives_rows)?);
            Ok(LogicalPlan::Statement(Statement::Prepare(prepare)))
        }
        plan => {
            let plan = subquery_columns::with_aliases(plan)?;
            if gives_rows(&plan) && is_marked(&plan) {
                as_written(plan)
            } else {
                Ok(plan)
            }
        }
    }
}

/// The error of planning a mended statement, which names columns as they were written.
pub(crate) fn told(mut error: DataFusionError) -> DataFusionError {
    let mut inner = &mut error;
    while let DataFusionError::Context(_, next) | DataFusionError::Diagnostic(_, next) = inner {
        inner = next;
    }
    if let DataFusionError::SchemaError(missing, _) = inner
        && let SchemaError::FieldNotFound { valid_fields, .. } = missing.as_mut()
    {
        let mut seen = HashSet::new();
        for column in valid_fields.iter_mut() {
            column.name = written(&column.name).to_owned();
        }
        valid_fields.retain(|column| seen.insert(column.clone()));
    }
    error
}

/// The physical plan, an EXPLAIN with names as they are written.
///
/// # Errors
/// `Internal` alone.
pub(crate) fn explained(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(explain) = plan.downcast_ref::<ExplainExec>() {
        let texts = explain.stringified_plans().iter().map(|shown| {
            let text = shown.plan.replace(UNSEEN, "");
            StringifiedPlan::new(shown.plan_type.clone(), text)
        });
        let (schema, texts) = (explain.schema(), texts.collect());
        return Ok(Arc::new(ExplainExec::new(schema, texts, explain.verbose())));
    }
    if !plan.is::<AnalyzeExec>()
        || !displayable(&*plan)
            .indent(true)
            .to_string()
            .contains(UNSEEN)
    {
        return Ok(plan);
    }
    let (schema, config) = (plan.schema(), Arc::default());
    let mut columns: Vec<(Arc<dyn PhysicalExpr>, String)> = Vec::new();
    for (index, field) in schema.fields().iter().enumerate() {
        let text = Arc::new(PhysicalColumn::new(field.name(), index)) as Arc<dyn PhysicalExpr>;
        let literals = [UNSEEN.to_string(), String::new()];
        let literals = literals.map(|text| lit(text) as Arc<dyn PhysicalExpr>);
        let args = std::iter::once(text).chain(literals).collect();
        let shown = ScalarFunctionExpr::try_new(replace(), args, &schema, Arc::clone(&config))?;
        columns.push((Arc::new(shown), field.name().clone()));
    }
    Ok(Arc::new(ProjectionExec::try_new(columns, plan)?))
}

fn is_marked(plan: &LogicalPlan) -> bool {
    let mut fields = plan.schema().fields().iter();
    fields.any(|field| field.name().ends_with(UNSEEN))
}

/// Columns of one name have qualifiers that differ, as those of a join have: DataFusion takes them for two then.
fn as_written(plan: LogicalPlan) -> Result<LogicalPlan> {
    let names = plan.schema().fields().iter();
    let names: Vec<String> = names
        .map(|field| written(field.name()).to_owned())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let columns = plan.schema().iter().zip(&names).enumerate();
    let columns: Vec<Expr> = columns
        .map(|(index, ((qualifier, field), name))| {
            let is_alone = counts.get(name.as_str()) == Some(&1);
            let column = Expr::Column(Column::from((qualifier, field)));
            match field.name() == name && (is_alone || qualifier.is_some()) {
                true => column,
                false if is_alone => column.alias(name),
                false => {
                    let apart = TableReference::bare(format!("{}{UNSEEN}", index + 1));
                    column.alias_qualified(Some(apart), name)
                }
            }
        })
        .collect();
    Ok(LogicalPlanBuilder::from(plan).project(columns)?.build()?)
}

/// A name without the mark.
pub(crate) fn written(name: &str) -> &str {
    name.trim_end_matches(UNSEEN)
}

/// A name that is taken as it is.
fn quoted(name: impl Into<String>) -> Ident {
    Ident::with_quote('"', name)
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
