//! `COPY`: what a parsed statement says to the loader of files and to the writer of files.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use datafusion::physical_plan::execute_stream;
use sqlparser::ast::{ObjectName, Statement as SqlStatement};

use crate::catalog::visible::Catalogs;
use crate::catalog::{identifier, object_name};
use crate::datum;
use crate::error::{Error, Result};
use crate::file::export;
use crate::plan::bind::column_rules;
use crate::run::batch_size;
use crate::run::context::Context;
use crate::run::outcome::{Outcome, Wanted, rows};
use crate::schema::BoundTable;
use crate::settings::HaliteOptions;
use crate::sql::copy_options::options_of;
use crate::sql::copy_statement::{CopySource, CopyStatement};
use crate::sql::dialect;
use crate::sql::written::Written;
use crate::table::HaliteTable;
use crate::write::copy::{Copied, CopyDirection, CopyOptions, STANDARD, copy_from};

/// `COPY`, in either direction: all of it or nothing.
pub(crate) async fn copy(
    context: &Context,
    statement: &CopyStatement,
    wanted: Wanted,
) -> Result<Outcome> {
    let access = context.resources.access();
    if statement.rows.is_none() {
        access.check(&place_of(statement))?;
    }
    let options = options_of(statement)?;
    let partition_by: Vec<String> = statement.partition_by.iter().map(identifier).collect();
    if statement.direction == CopyDirection::From && !partition_by.is_empty() {
        return Err(Error::invalid("PARTITION_BY is an option of COPY TO"));
    }
    wanted.check(options.skip)?;
    let rows = match statement.direction {
        CopyDirection::From => {
            let table = loaded_table(statement, context.catalogs())?;
            refuse_loss(table.bound(), &options)?;
            let state = context.statement_state()?;
            let settings = HaliteOptions::of(state.config_options()).write_settings();
            let filled = match &options.columns {
                Some(given) => column_rules::filled(&state, table.bound(), given)?,
                None => Vec::new(),
            };
            let (file, progress) = (statement.file.clone(), context.progress().clone());
            let skips = options.skip;
            let copied =
                copy_from(table.writer(), file, options, filled, settings, progress).await?;
            if skips {
                return rows(told(&copied));
            }
            copied.rows
        }
        CopyDirection::To => {
            // What is wrong with file and options is said before the query is run.
            let file = export::Target::new(&statement.file, &options, partition_by)?;
            let (mut state, plan) = context
                .planned(&query_of(statement, context.catalogs())?)
                .await?;
            batch_size::fit(&mut state, &plan)?;
            let (state, plan) = context.runnable(state, plan).await?;
            export::write(file, execute_stream(plan, state.task_ctx())?).await?
        }
    };
    Ok(Outcome::Affected { verb: "COPY", rows })
}

/// The table that a COPY FROM loads.
pub(crate) fn loaded_table(
    statement: &CopyStatement,
    catalogs: &Catalogs,
) -> Result<Arc<HaliteTable>> {
    let CopySource::Table { name, .. } = &statement.source else {
        return Err(Error::invalid("COPY FROM loads a table, not a query"));
    };
    let name = object_name(name)?;
    let is_missing = catalogs.is_free(&name) && statement.file != STANDARD;
    let table = catalogs.expect_table(&name);
    table.map_err(|error| {
        if is_missing {
            Error::new(
                error.kind(),
                made_of_file(error.message(), &name, &statement.file),
            )
        } else {
            error
        }
    })
}

/// The message with what makes a table of the file, in front of the tables that there are.
fn made_of_file(message: &str, table: &str, file: &str) -> String {
    let (table, file) = (datum::identifier(table), file.replace('\'', "''"));
    let made = format!("CREATE TABLE {table} AS SELECT * FROM '{file}' makes one of the file");
    match message.split_once("; ") {
        Some((problem, others)) => format!("{problem}; {made}; {others}"),
        None => format!("{message}; {made}"),
    }
}

/// Refuses REPLACE with a list that leaves columns out: the rows of the file would take the places of whole rows.
fn refuse_loss(table: &BoundTable, options: &CopyOptions) -> Result<()> {
    let Some(given) = options.columns.as_ref().filter(|_| options.replace) else {
        return Ok(());
    };
    let mut columns = table.columns().iter();
    let lost = columns.find(|it| it.generated.is_none() && !given.contains(&it.name));
    match lost.filter(|_| table.row_id().is_none()) {
        None => Ok(()),
        Some(lost) => Err(Error::unsupported(format!(
            "table `{}`: COPY of some columns with REPLACE is not implemented, which would lose what stored rows have in `{}`; \
             INSERT OR REPLACE INTO … (…) SELECT … FROM the file keeps it",
            table.name(),
            lost.name
        ))),
    }
}

/// What a COPY reads or writes, for errors.
pub(crate) fn place_of(statement: &CopyStatement) -> String {
    match (statement.file.as_str(), statement.direction) {
        (STANDARD, CopyDirection::From) => "STDIN".to_owned(),
        (STANDARD, CopyDirection::To) => "STDOUT".to_owned(),
        (file, _) => format!("the file `{file}`"),
    }
}

/// What a COPY that leaves rows out says: how many were written and left out, and where these are.
pub(crate) fn told(copied: &Copied) -> Vec<(&'static str, ArrayRef)> {
    let refused = copied.refused.as_ref();
    let file = refused.map(|refused| refused.file.display().to_string());
    let refused = refused.map_or(0, |refused| refused.rows);
    let count = |rows: u64| Int64Array::from(vec![i64::try_from(rows).unwrap_or(i64::MAX)]);
    vec![
        ("rows", Arc::new(count(copied.rows))),
        ("refused", Arc::new(count(refused))),
        ("refused_in", Arc::new(StringArray::from(vec![file]))),
    ]
}

/// What a COPY TO writes, as a query. Of a table that are the columns that a COPY FROM takes: those that are generated it
/// computes.
fn query_of(statement: &CopyStatement, catalogs: &Catalogs) -> Result<Written> {
    let query = match &statement.source {
        CopySource::Query(query) => SqlStatement::Query(query.clone()),
        CopySource::Table { name, columns } => {
            let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
            let columns = match columns.as_slice() {
                [] => given_columns(name, catalogs).unwrap_or_else(|| "*".to_owned()),
                columns => columns.join(", "),
            };
            let query = dialect::query(&format!("SELECT {columns} FROM {name}"));
            SqlStatement::Query(query.map_err(|error| Error::invalid(error.to_string()))?)
        }
    };
    Ok(query.into())
}

/// The columns of a table that are not generated, where some are.
fn given_columns(name: &ObjectName, catalogs: &Catalogs) -> Option<String> {
    let table = catalogs.expect_table(&object_name(name).ok()?).ok()?;
    let columns = table.bound().columns();
    let given = columns.iter().filter(|column| column.generated.is_none());
    let given: Vec<String> = given
        .map(|column| datum::identifier(&column.name).into_owned())
        .collect();
    (given.len() < columns.len()).then(|| given.join(", "))
}
