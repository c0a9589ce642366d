//! The way of a statement: what Halite answers itself is answered here, and everything else planned by DataFusion with
//! Halite's rules in front.
//!
//! What is answered without a plan has no snapshot. What another process has made, altered or dropped before such a statement
//! begins it must know all the same: it is looked up first, as a snapshot does it.

use std::path::Path;
use std::sync::Arc;

use sqlparser::ast::{ObjectName, Query, Truncate};

use super::alter_table::alter_table;
use super::change::change;
use super::copy::copy;
use super::create_table::create_table;
use super::statement::DdlStatement;
use super::store_statements::{show_store, vacuum};
use super::summary::summarize;
use super::view_statements::{describe_view, view_statement};
use super::{comments, sequences, show};
use crate::catalog::{Catalog, Dependents, object_name};
use crate::error::{Error, Result};
use crate::run::context::Context;
use crate::run::outcome::{Outcome, Wanted, done, rows, strings};
use crate::run::physical::Stage;
use crate::run::{key_rows, named};
use crate::settings::HaliteOptions;
use crate::sql::copy_statement::CopyStatement;
use crate::sql::parse::{Buckets, Command, Parsed};
use crate::sql::stack::stack_for;
use crate::write::is_outdated;

/// Runs a statement, whatever it is, without parameters.
///
/// # Errors
/// What the statement did wrong; then it changed nothing.
pub(crate) async fn run(context: &Context, statement: &Parsed, wanted: Wanted) -> Result<Outcome> {
    match &statement.command {
        Command::ExplainKeys(query, buckets) => explain_keys(context, query, *buckets).await,
        Command::Summarize(query) => summarize(context, query).await,
        Command::Copy(statement) => copy_while_current(context, statement, wanted).await,
        Command::Sql(parsed) if show::is_show_all(parsed) => {
            show::show_all(context.statement_state()?.config_options())
        }
        Command::Sql(parsed) if let Some((explained, depth)) = context.explained(parsed)? => {
            stack_for(depth, context.run_planned(&explained, wanted)).await
        }
        Command::Sql(parsed) => match DdlStatement::of(parsed)? {
            Some(own) => {
                wanted.check(own.gives_rows())?;
                answer(context, own, &statement.text).await
            }
            None if named::is_prepare(parsed) => {
                wanted.check(false)?;
                context.prepare_named(parsed, statement.depth).await
            }
            None => context.run_planned(parsed, wanted).await,
        },
    }
}

async fn explain_keys(context: &Context, query: &Query, buckets: Buckets) -> Result<Outcome> {
    let query = Box::new(query.clone()).into();
    let (state, plan) = context.planned(&query).await?;
    let (state, plan) = context.physical(state, plan, Stage::Explained).await?;
    key_rows::explain(state, plan, buckets).await
}

async fn copy_while_current(
    context: &Context,
    statement: &CopyStatement,
    wanted: Wanted,
) -> Result<Outcome> {
    loop {
        context.catalogs().follow()?;
        match copy(context, statement, wanted).await {
            // What is no file on disk, STDIN or a pipe, gives its rows once.
            Err(error) if is_outdated(&error) && Path::new(&statement.file).is_file() => {}
            given => return given,
        }
    }
}

/// Answers a statement of Halite's own, which was written so.
async fn answer(context: &Context, own: DdlStatement<'_>, text: &str) -> Result<Outcome> {
    let catalogs = context.catalogs();
    if own.is_about_tables() {
        catalogs.follow()?;
    }
    let catalog = own.catalog(catalogs)?;
    match own {
        DdlStatement::CreateTable(create) => create_table(context, create, catalog).await,
        DdlStatement::AlterTable(alter) => alter_table(context, alter, catalog).await,
        DdlStatement::DropTables {
            names,
            if_exists,
            dependents,
        } => drop_tables(catalog, names, if_exists, dependents).await,
        DdlStatement::View(about) => view_statement(context, about, text).await,
        DdlStatement::Sequence(about) => sequences::answer(about, catalogs).await,
        DdlStatement::Comment(about) => comments::answer(about, catalogs).await,
        DdlStatement::Truncate(truncate) => truncate_table(catalog, truncate).await,
        DdlStatement::ShowTables => rows(vec![("table", strings(catalogs.names()))]),
        DdlStatement::ShowCreateTable(name) => show::show_create_table(catalogs, name),
        DdlStatement::Describe(name) => match describe_view(context, name).await? {
            Some(described) => Ok(described),
            None => show::describe(catalog, name),
        },
        DdlStatement::ShowTransforms => show::show_transforms(),
        DdlStatement::ShowStore => show::facts(show_store(catalog).await?),
        DdlStatement::Vacuum(statement) => show::facts(vacuum(catalog, statement).await?),
        DdlStatement::ShowSetting(name) => {
            let state = context.statement_state()?;
            show::show_setting(&HaliteOptions::of(state.config_options()), &name)
        }
    }
}

async fn drop_tables(
    catalog: &Arc<Catalog>,
    names: &[ObjectName],
    if_exists: bool,
    dependents: Dependents,
) -> Result<Outcome> {
    let catalog = Arc::clone(catalog);
    let names = names
        .iter()
        .map(object_name)
        .collect::<Result<Vec<String>>>()?;
    change(move || catalog.drop_tables(&names, if_exists, dependents)).await?;
    Ok(done("DROP TABLE"))
}

async fn truncate_table(catalog: &Arc<Catalog>, truncate: &Truncate) -> Result<Outcome> {
    let plain = truncate.partitions.is_none()
        && truncate.identity.is_none()
        && truncate.cascade.is_none()
        && truncate.on_cluster.is_none()
        && !truncate.if_exists;
    let ([target], true) = (truncate.table_names.as_slice(), plain) else {
        return Err(Error::unsupported(format!(
            "`{truncate}` is not implemented; TRUNCATE TABLE name is"
        )));
    };
    let (catalog, name) = (Arc::clone(catalog), object_name(&target.name)?);
    change(move || catalog.truncate(&name)).await?;
    Ok(done("TRUNCATE"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::session::testing::rows_of;
    use crate::session::{Connection, Database};
    use crate::store::simulated_calmly;

    async fn execute(connection: &Connection, sql: &str) {
        let done = connection.execute(sql, ()).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Two databases have one store, as two processes have a cluster.
    #[tokio::test]
    async fn what_another_process_has_made_is_known() {
        let store = simulated_calmly();
        let connect = || Database::of_store(Arc::clone(&store)).unwrap().connect();
        let (one, other) = (connect(), connect());
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("rows.csv").display().to_string();
        std::fs::write(&file, "7\n").unwrap();
        for sql in [
            "ALTER TABLE t ADD COLUMN b INT",
            "TRUNCATE TABLE t",
            "COMMENT ON TABLE t IS 'seen'",
            "CREATE VIEW v AS SELECT a FROM t",
            "DROP TABLE t",
            "DROP VIEW v; DROP TABLE t",
            &format!("COPY t FROM '{file}'"),
            &format!("COPY t TO '{file}'"),
        ] {
            execute(&one, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
            if sql.contains("DROP VIEW") {
                execute(&one, "CREATE VIEW v AS SELECT a FROM t").await;
            }
            for sql in sql.split("; ") {
                execute(&other, sql).await;
            }
            execute(&one, "DROP VIEW IF EXISTS v").await;
            execute(&one, "DROP TABLE IF EXISTS t").await;
            assert!(rows_of(&other, "SHOW TABLES").await.is_empty(), "{sql}");
        }
        execute(&one, "CREATE TABLE t (a INT, PRIMARY KEY (a))").await;
        assert_eq!(rows_of(&other, "SHOW TABLES").await, ["t"]);
        execute(&one, "DROP TABLE t").await;
        execute(&one, "CREATE TABLE t (c TEXT, PRIMARY KEY (c))").await;
        let described = rows_of(&other, "DESCRIBE t").await;
        assert!(described[0].starts_with("c|"), "{described:?}");
        let create = rows_of(&other, "SHOW CREATE TABLE t").await;
        assert!(create[0].contains("c TEXT"), "{create:?}");
        let error = other
            .execute("CREATE TABLE t (a INT, PRIMARY KEY (a))", ())
            .await;
        assert!(error.unwrap_err().to_string().contains("t"));
    }
}
