//! `CREATE TABLE`, alone, as another table is (`LIKE`), or with the rows of a query (`AS`).
//!
//! The rows of `AS query` are written to a table that no name leads to yet; its definition is written last. So nobody
//! sees it before it is complete, and of a query that fails, or a process that ends, no table is left.

use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use sqlparser::ast::{
    CreateTable, CreateTableLike, CreateTableLikeDefaults, CreateTableLikeKind, Query,
};

use super::change::change;
use crate::catalog::ddl::{define_table, define_table_like, define_table_of};
use crate::catalog::visible::Catalogs;
use crate::catalog::{Catalog, object_name};
use crate::convert::stored::stored_type;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::plan::bind::column_rules;
use crate::plan::change::values::Insert;
use crate::run::batch_size;
use crate::run::context::Context;
use crate::run::outcome::{Outcome, count, done};
use crate::run::warnings::Warnings;
use crate::schema::BoundTable;

/// Makes a table, and warns of its row key, whose design is easily got wrong.
pub(crate) async fn create_table(
    context: &Context,
    create: &CreateTable,
    catalog: &Arc<Catalog>,
) -> Result<Outcome> {
    if create.or_replace && create.if_not_exists {
        return Err(Error::invalid(
            "OR REPLACE and IF NOT EXISTS exclude each other",
        ));
    }
    if let Some(query) = &create.query {
        return create_table_as(context, create, query, catalog).await;
    }
    let (catalog, catalogs) = (Arc::clone(catalog), context.catalogs().clone());
    let (create, state) = (create.clone(), context.statement_state()?);
    let make = move || make(&catalog, &catalogs, &create, &state);
    let made = change(make).await?;
    if let Some(table) = &made {
        warn_of(context.warnings(), table);
    }
    Ok(done("CREATE TABLE"))
}

async fn create_table_as(
    context: &Context,
    create: &CreateTable,
    query: &Query,
    catalog: &Arc<Catalog>,
) -> Result<Outcome> {
    let verb = "CREATE TABLE";
    let catalog = Arc::clone(catalog);
    let name = object_name(&create.name)?;
    if !create.or_replace && catalog.table(&name).is_some() {
        return if create.if_not_exists {
            Ok(Outcome::Affected { verb, rows: 0 })
        } else {
            Err(Error::conflict(format!("table `{name}` exists already")))
        };
    }
    let (mut state, plan) = context.planned(&Box::new(query.clone()).into()).await?;
    let given = given(&plan).map_err(|error| error.context(format!("table `{name}`")))?;
    let or_replace = create.or_replace;
    let (create, planned_in) = (create.clone(), state.clone());
    let define = move |id| {
        let table = define_table_of(&create, Some(&given), id)?;
        if let Some(column) = table.columns.iter().find(|it| it.identity.is_some()) {
            return Err(Error::unsupported(format!(
                "table `{}`: column `{}`: an identity in CREATE TABLE … AS is not implemented; make the table, and \
                 INSERT … SELECT",
                table.name, column.name
            )));
        }
        column_rules::validate(&table, &planned_in)?;
        Ok(table)
    };
    let made = change(move || catalog.prepare_table(define, or_replace)).await?;
    let table = Arc::clone(made.table());
    let plan = Insert::into_all(Arc::clone(&table))?.over(plan)?;
    batch_size::fit(&mut state, &plan)?;
    let (state, plan) = context.runnable(state, plan).await?;
    let rows = count(&state, plan).await?;
    change(move || made.list()).await?;
    warn_of(context.warnings(), table.bound());
    Ok(Outcome::Affected { verb, rows })
}

fn warn_of(warnings: &Warnings, table: &BoundTable) {
    let name = table.name();
    if table.row_id().is_some() {
        return warnings.add(format!(
            "table `{name}`: no PRIMARY KEY: its rows are kept in the order of insertion under a hidden row id, and \
             every query reads all of them; declare PRIMARY KEY (…) with the columns that rows are looked up by"
        ));
    }
    for warning in table.row_key().warnings() {
        warnings.add(format!("table `{name}`: {warning}"));
    }
}

/// Makes a table without rows; `None` where there is one of that name, and that is all right.
fn make(
    catalog: &Arc<Catalog>,
    catalogs: &Catalogs,
    create: &CreateTable,
    state: &SessionState,
) -> Result<Option<Arc<BoundTable>>> {
    let define = |id| {
        let table = match &create.like {
            None => define_table(create, id)?,
            Some(CreateTableLikeKind::Plain(like) | CreateTableLikeKind::Parenthesized(like)) => {
                let source = catalogs.expect_table(&source_of(like)?)?;
                define_table_like(create, source.bound().table(), id)?
            }
        };
        if create.temporary && table.keyspace.is_some() {
            return Err(Error::unsupported(format!(
                "table `{}`: a temporary table in a key space is not implemented",
                table.name
            )));
        }
        column_rules::validate(&table, state)?;
        Ok(table)
    };
    if create.or_replace {
        let made = catalog.prepare_table(define, true)?;
        let table = Arc::clone(made.table().bound());
        made.list()?;
        return Ok(Some(table));
    }
    let made = catalog.create_table(define, create.if_not_exists)?;
    Ok(made.map(|table| Arc::clone(table.bound())))
}

fn source_of(like: &CreateTableLike) -> Result<String> {
    match like.defaults {
        None | Some(CreateTableLikeDefaults::Including) => object_name(&like.name),
        Some(CreateTableLikeDefaults::Excluding) => Err(Error::unsupported(
            "LIKE … EXCLUDING DEFAULTS is not implemented; ALTER COLUMN … DROP DEFAULT afterwards",
        )),
    }
}

/// The columns of a query as those of a table.
fn given(plan: &LogicalPlan) -> Result<Vec<(String, SqlType)>> {
    let fields = plan.schema().fields().iter();
    let columns = fields.map(|field| {
        let sql_type = stored_type(field.data_type());
        let sql_type = sql_type
            .map_err(|error| error.context(format!("column `{}` of the query", field.name())))?;
        Ok((field.name().clone(), sql_type))
    });
    columns.collect()
}

#[cfg(test)]
#[path = "create_table_tests.rs"]
mod tests;
