//! The statements that Halite answers itself: DDL, `SHOW …`, `DESCRIBE`, `EXPLAIN KEYS`.

use std::sync::Arc;

use arrow::array::{BooleanArray, StringArray};
use datafusion::config::{ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::logical_expr::{SetVariable, Statement as PlannedStatement};
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{
    AlterTable, CommentObject, CreateTable, CreateView, DataType, Ident, ObjectName, ObjectType,
    SequenceOptions, ShowCreateObject, ShowStatementIn, ShowStatementOptions, Statement, Truncate,
    VacuumStatement,
};

use super::store_statements::{show_store, vacuum};
use crate::catalog::visible::Catalogs;
use crate::catalog::{Catalog, Dependents, columns_of, object_name};
use crate::datum::Clocks;
use crate::error::{Error, Result};
use crate::key::TRANSFORMS;
use crate::plan::bind::column_rules;
use crate::run::outcome::{Outcome, rows, strings};
use crate::run::waiting::on_waiting_thread;
use crate::schema::{BoundTable, Column, Table};
use crate::settings::HaliteOptions;
use crate::sql::unsupported::statements;
use crate::store::Fact;

/// A statement that Halite answers itself.
pub(crate) enum Own<'a> {
    CreateTable(&'a CreateTable),
    AlterTable(&'a AlterTable),
    DropTables {
        names: &'a [ObjectName],
        if_exists: bool,
        dependents: Dependents,
    },
    View(ViewStatement<'a>),
    Sequence(SequenceStatement<'a>),
    Comment(CommentStatement<'a>),
    Truncate(&'a Truncate),
    ShowTables,
    ShowCreateTable(&'a ObjectName),
    Describe(&'a ObjectName),
    ShowTransforms,
    ShowStore,
    Vacuum(&'a VacuumStatement),
    /// A setting, without its prefix.
    ShowSetting(String),
}

/// A statement about views.
pub(crate) enum ViewStatement<'a> {
    Create(&'a CreateView),
    Drop {
        names: &'a [ObjectName],
        if_exists: bool,
        dependents: Dependents,
    },
    ShowCreate(&'a ObjectName),
}

/// A statement about sequences.
pub(crate) enum SequenceStatement<'a> {
    Create {
        name: &'a ObjectName,
        if_not_exists: bool,
        is_temporary: bool,
        data_type: Option<&'a DataType>,
        options: &'a [SequenceOptions],
        owner: Option<&'a ObjectName>,
    },
    Drop {
        names: &'a [ObjectName],
        if_exists: bool,
    },
}

/// A COMMENT ON.
pub(crate) struct CommentStatement<'a> {
    pub(crate) kind: CommentObject,
    pub(crate) name: &'a ObjectName,
    /// `None` takes back what was said.
    pub(crate) text: Option<&'a str>,
    pub(crate) if_exists: bool,
}

impl<'a> Own<'a> {
    /// Recognises the statement; `None` for one that is planned.
    ///
    /// # Errors
    /// `NotSupported` for those that nobody answers yet.
    pub(crate) fn of(parsed: &'a DFStatement) -> Result<Option<Self>> {
        let statement = match parsed {
            DFStatement::Statement(statement) => statement.as_ref(),
            DFStatement::CreateExternalTable(_) => {
                return Err(Error::unsupported(
                    "CREATE EXTERNAL TABLE is not implemented; query a file as SELECT … FROM 'file.parquet'",
                ));
            }
            _ => return Ok(None),
        };
        Ok(Some(match statement {
            Statement::CreateTable(create) => Self::CreateTable(create),
            Statement::AlterTable(alter) => Self::AlterTable(alter),
            Statement::Truncate(truncate) => Self::Truncate(truncate),
            Statement::Vacuum(vacuum) => Self::Vacuum(vacuum),
            Statement::ShowTables { .. } if statement.to_string() == "SHOW TABLES" => {
                Self::ShowTables
            }
            Statement::ShowCreate {
                obj_type: ShowCreateObject::Table,
                obj_name,
            } => Self::ShowCreateTable(obj_name),
            Statement::ExplainTable {
                hive_format: Some(format),
                ..
            } => {
                return Err(Error::unsupported(format!(
                    "DESCRIBE {format} is not implemented; DESCRIBE is"
                )));
            }
            Statement::ExplainTable { table_name, .. } => Self::Describe(table_name),
            Statement::ShowColumns {
                extended: false,
                full: false,
                show_options:
                    ShowStatementOptions {
                        show_in:
                            Some(ShowStatementIn {
                                parent_name: Some(table_name),
                                ..
                            }),
                        starts_with: None,
                        limit: None,
                        limit_from: None,
                        filter_position: None,
                    },
            } => Self::Describe(table_name),
            Statement::ShowVariable { variable } if Self::variable(variable).is_some() => {
                return Ok(Self::variable(variable));
            }
            other => {
                if let Some(made) = Self::made_or_dropped(other) {
                    return Ok(Some(made));
                }
                return statements::statement(other).map_or(Ok(None), Err);
            }
        }))
    }

    /// What makes or drops something that may not be a table.
    fn made_or_dropped(statement: &'a Statement) -> Option<Self> {
        Some(match statement {
            Statement::CreateView(create) => Self::View(ViewStatement::Create(create)),
            Statement::CreateSequence {
                temporary,
                if_not_exists,
                name,
                data_type,
                sequence_options,
                owned_by,
            } => Self::Sequence(SequenceStatement::Create {
                name,
                if_not_exists: *if_not_exists,
                is_temporary: *temporary,
                data_type: data_type.as_ref(),
                options: sequence_options,
                owner: owned_by.as_ref(),
            }),
            Statement::Comment {
                object_type,
                object_name,
                comment,
                if_exists,
            } => Self::Comment(CommentStatement {
                kind: *object_type,
                name: object_name,
                text: comment.as_deref(),
                if_exists: *if_exists,
            }),
            // CASCADE drops no more: a DEFAULT that takes its numbers from one is in the way, and is named.
            Statement::Drop {
                object_type: ObjectType::Sequence,
                if_exists,
                names,
                temporary: false,
                ..
            } => Self::Sequence(SequenceStatement::Drop {
                names,
                if_exists: *if_exists,
            }),
            Statement::Drop {
                object_type: object_type @ (ObjectType::Table | ObjectType::View),
                if_exists,
                names,
                cascade,
                purge: false,
                temporary: false,
                ..
            } => Self::drop(object_type, names, *if_exists, *cascade),
            Statement::ShowCreate {
                obj_type: ShowCreateObject::View,
                obj_name,
            } => Self::View(ViewStatement::ShowCreate(obj_name)),
            _ => return None,
        })
    }

    fn drop(of: &ObjectType, names: &'a [ObjectName], if_exists: bool, cascade: bool) -> Self {
        let dependents = match cascade {
            true => Dependents::Drop,
            false => Dependents::Refuse,
        };
        match of {
            ObjectType::View => Self::View(ViewStatement::Drop {
                names,
                if_exists,
                dependents,
            }),
            _ => Self::DropTables {
                names,
                if_exists,
                dependents,
            },
        }
    }

    /// The catalog that it is about.
    ///
    /// # Errors
    /// `NotSupported` where it is about temporary tables and others; `Conflict` where a temporary one cannot be made.
    pub(crate) fn catalog<'c>(&self, catalogs: &'c Catalogs) -> Result<&'c Arc<Catalog>> {
        match self {
            Self::CreateTable(create) if create.temporary => {
                catalogs.check_temporary(&object_name(&create.name)?)?;
                catalogs.temporary().begun()
            }
            Self::AlterTable(alter) => Ok(catalogs.of(&object_name(&alter.name)?)),
            Self::DropTables { names, .. } => {
                let names = names.iter().map(object_name);
                catalogs.of_all(&names.collect::<Result<Vec<_>>>()?)
            }
            Self::Truncate(truncate) => match truncate.table_names.as_slice() {
                [target] => Ok(catalogs.of(&object_name(&target.name)?)),
                _ => Ok(catalogs.database()),
            },
            Self::ShowCreateTable(name) | Self::Describe(name) => {
                Ok(catalogs.of(&object_name(name)?))
            }
            Self::Vacuum(VacuumStatement {
                table_name: Some(name),
                ..
            }) => Ok(catalogs.of(&object_name(name)?)),
            _ => Ok(catalogs.database()),
        }
    }

    fn variable(name: &[Ident]) -> Option<Self> {
        match name {
            [only] if only.value.eq_ignore_ascii_case("transforms") => Some(Self::ShowTransforms),
            [only] if only.value.eq_ignore_ascii_case("store") => Some(Self::ShowStore),
            [prefix, name] if prefix.value.eq_ignore_ascii_case(HaliteOptions::PREFIX) => {
                Some(Self::ShowSetting(name.value.to_lowercase()))
            }
            _ => None,
        }
    }

    /// Whether it asks for something.
    pub(crate) fn gives_rows(&self) -> bool {
        !matches!(
            self,
            Self::CreateTable(_)
                | Self::AlterTable(_)
                | Self::DropTables { .. }
                | Self::Truncate(_)
                | Self::Sequence(_)
                | Self::View(ViewStatement::Create(_) | ViewStatement::Drop { .. })
        )
    }

    /// Whether its answer depends on which tables there are.
    pub(crate) fn is_about_tables(&self) -> bool {
        !matches!(self, Self::ShowTransforms | Self::ShowSetting(_))
    }

    /// Does what it says with the tables of `catalogs`; `settings` are those of the session. What has expressions, as
    /// CREATE TABLE and ALTER TABLE, is the connection's.
    ///
    /// # Errors
    /// What the statement did wrong; then it changed nothing.
    pub(crate) async fn answer(
        self,
        catalogs: &Catalogs,
        settings: impl FnOnce() -> Result<HaliteOptions>,
    ) -> Result<Outcome> {
        let catalog = self.catalog(catalogs)?;
        match self {
            Self::CreateTable(CreateTable { name, .. })
            | Self::AlterTable(AlterTable { name, .. }) => {
                Err(Error::internal(format!("`{name}` without a connection")))
            }
            Self::DropTables {
                names,
                if_exists,
                dependents,
            } => drop_tables(catalog, names, if_exists, dependents).await,
            Self::View(_) | Self::Sequence(_) | Self::Comment(_) => {
                Err(Error::internal("what is not answered by tables alone"))
            }
            Self::Truncate(truncate) => truncate_table(catalog, truncate).await,
            Self::ShowTables => rows(vec![("table", strings(catalogs.names()))]),
            Self::ShowCreateTable(name) => show_create_table(catalogs, name),
            Self::Describe(name) => describe(catalog, name),
            Self::ShowTransforms => show_transforms(),
            Self::ShowStore => facts(show_store(catalog).await?),
            Self::Vacuum(statement) => facts(vacuum(catalog, statement).await?),
            Self::ShowSetting(name) => show_setting(&settings()?, &name),
        }
    }
}

/// The setting that a statement sets, and its value; `None` for the default.
pub(crate) fn setting_of(planned: &PlannedStatement) -> Option<(&str, Option<&str>)> {
    match planned {
        PlannedStatement::SetVariable(set) => Some((&set.variable, Some(&set.value))),
        PlannedStatement::ResetVariable(reset) => Some((&reset.variable, None)),
        _ => None,
    }
}

/// `RESET` of a setting of Halite's, as SET to its default, and of the time zone, whose default is Halite's: DataFusion
/// resets its own alone, to its own.
pub(crate) fn reset_own(planned: &mut PlannedStatement) {
    let PlannedStatement::ResetVariable(reset) = planned else {
        return;
    };
    let name = reset.variable.to_lowercase();
    if is_time_zone(&name) {
        *planned = PlannedStatement::SetVariable(SetVariable {
            variable: "datafusion.execution.time_zone".to_owned(),
            value: UTC.to_owned(),
        });
        return;
    }
    let Some((HaliteOptions::PREFIX, setting)) = name.split_once('.') else {
        return;
    };
    let defaults = HaliteOptions::default().entries();
    let default = defaults.into_iter().find(|entry| entry.key == setting);
    if let Some(value) = default.and_then(|entry| entry.value) {
        *planned = PlannedStatement::SetVariable(SetVariable {
            variable: name,
            value,
        });
    }
}

/// Refuses a time zone that there is none of; `DEFAULT` and `LOCAL` are UTC.
///
/// # Errors
/// `InvalidInput` that names it.
pub(crate) fn check_zone(planned: &mut PlannedStatement) -> Result<()> {
    let PlannedStatement::SetVariable(set) = planned else {
        return Ok(());
    };
    if !is_time_zone(&set.variable) {
        return Ok(());
    }
    match set.value.to_lowercase().as_str() {
        "default" | "local" => set.value = UTC.to_owned(),
        "utc" => set.value = "UTC".to_owned(),
        _ => {}
    }
    match Clocks::of(&set.value) {
        Some(_) => Ok(()),
        None => Err(Error::invalid(format!(
            "there is no time zone '{}'; zones are written as 'Europe/Berlin', 'UTC' or '+02:00'",
            set.value
        ))),
    }
}

/// The zone of a session that sets none.
const UTC: &str = "+00:00";

fn is_time_zone(variable: &str) -> bool {
    let variable = variable.to_lowercase();
    ["datafusion.execution.time_zone", "timezone", "time.zone"].contains(&variable.as_str())
}

/// The error of a SET, with the setting and its value where it names neither.
pub(crate) fn setting_problem(error: Error, setting: Option<(String, String)>) -> Error {
    match setting {
        Some((name, value))
            if !error.message().contains(&name)
                && !error.message().contains(&format!("'{value}'")) =>
        {
            let message = format!("{name} cannot be '{value}': {}", error.message());
            Error::new(error.kind(), message).with_source(error)
        }
        _ => error,
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

/// Runs what waits for locks and the store.
pub(crate) async fn change<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    on_waiting_thread("a change of the catalog broke off", work).await
}

/// Whether a statement is SHOW ALL.
pub(crate) fn is_show_all(parsed: &DFStatement) -> bool {
    match parsed {
        DFStatement::Statement(statement) => match statement.as_ref() {
            Statement::ShowVariable { variable } => {
                matches!(variable.as_slice(), [all] if all.value.eq_ignore_ascii_case("all"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// All settings: Halite's, then DataFusion's.
pub(crate) fn show_all(settings: &ConfigOptions) -> Result<Outcome> {
    let own = HaliteOptions::of(settings).entries().into_iter();
    let own = own.map(|entry| {
        (
            format!("{}.{}", HaliteOptions::PREFIX, entry.key),
            entry.value,
        )
    });
    let theirs = settings.entries().into_iter();
    let theirs = theirs.filter(|entry| entry.key.starts_with("datafusion."));
    let mut theirs: Vec<_> = theirs.map(|entry| (entry.key, entry.value)).collect();
    theirs.sort();
    let (names, values): (Vec<String>, Vec<Option<String>>) = own.chain(theirs).unzip();
    let values = values.into_iter().collect::<StringArray>();
    rows(vec![("name", strings(names)), ("value", Arc::new(values))])
}

/// A setting of Halite's, with the columns that DataFusion shows its own with; it knows them without their prefix.
fn show_setting(settings: &HaliteOptions, name: &str) -> Result<Outcome> {
    let entries = settings.entries();
    let entry = entries.into_iter().find(|entry| entry.key == name);
    let entry = entry.ok_or_else(|| {
        let prefix = HaliteOptions::PREFIX;
        Error::invalid(format!(
            "'{prefix}.{name}' is not a variable which can be viewed"
        ))
    })?;
    let full_name = format!("{}.{name}", HaliteOptions::PREFIX);
    rows(vec![
        ("name", strings([full_name])),
        ("value", strings([entry.value.unwrap_or_default()])),
    ])
}

fn show_create_table(catalogs: &Catalogs, name: &ObjectName) -> Result<Outcome> {
    let name = object_name(name)?;
    let statement = match catalogs.view(&name) {
        Some(view) => view.create_statement(),
        None => catalogs
            .expect_table(&name)?
            .bound()
            .table()
            .create_statement(),
    };
    let statement = catalogs.statement(&name, statement);
    rows(vec![
        ("table", strings([name])),
        ("statement", strings([statement])),
    ])
}

/// Columns with their types, where the row key has them, what they are where they are not given, and what is checked.
fn describe(catalog: &Catalog, name: &ObjectName) -> Result<Outcome> {
    let table = catalog.expect_table(&object_name(name)?)?;
    let columns = table.bound().columns();
    let nullable: BooleanArray = columns.iter().map(|column| Some(column.nullable)).collect();
    let parts = |position: usize| key_parts(table.bound(), position);
    let names = columns.iter().map(|column| column.name.clone());
    let types = columns.iter().map(|column| column.sql_type.to_string());
    let defaults: StringArray = columns.iter().map(Column::default_clause).collect();
    let checks = checks_of(table.bound().table())?;
    rows(vec![
        ("column", strings(names)),
        ("type", strings(types)),
        ("null", Arc::new(nullable)),
        ("key", strings((0..columns.len()).map(parts))),
        ("default", Arc::new(defaults)),
        ("checks", Arc::new(StringArray::from(checks))),
    ])
}

/// The key parts that are computed from a column: `1: bucket(16, host), 2: host DESC`.
fn key_parts(table: &BoundTable, column: usize) -> String {
    let parts = table.row_key().parts().iter().zip(1..);
    let using = parts.filter(|(part, _)| part.sources().contains(&column));
    using
        .map(|(part, position)| format!("{position}: {}", part.definition()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// For each column the CHECKs that name it: `balance >= 0; balance < limits`.
fn checks_of(table: &Table) -> Result<Vec<Option<String>>> {
    let mut about = Vec::with_capacity(table.checks.len());
    for check in &table.checks {
        about.push(columns_of(&column_rules::parsed(&check.expression)?));
    }
    let of_column = |column: &Column| {
        let checks = table.checks.iter().zip(&about);
        let checks = checks.filter(|(_, about)| about.contains(&column.name));
        let checks: Vec<&str> = checks.map(|(check, _)| check.expression.as_str()).collect();
        (!checks.is_empty()).then(|| checks.join("; "))
    };
    Ok(table.columns.iter().map(of_column).collect())
}

fn show_transforms() -> Result<Outcome> {
    let declarations = || TRANSFORMS.iter();
    let owned = str::to_owned;
    rows(vec![
        ("key_part", strings(declarations().map(|it| it.syntax()))),
        (
            "stores",
            strings(declarations().map(|it| owned(it.stores()))),
        ),
        (
            "pushdown",
            strings(declarations().map(|it| owned(it.pushdown()))),
        ),
    ])
}

fn facts(facts: Vec<Fact>) -> Result<Outcome> {
    let (about, value): (Vec<_>, Vec<_>) = facts
        .into_iter()
        .map(|fact| (fact.about, fact.value))
        .unzip();
    rows(vec![("about", strings(about)), ("value", strings(value))])
}

pub(crate) fn done(verb: &str) -> Outcome {
    Outcome::Done {
        verb: verb.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Database;

    #[tokio::test]
    async fn a_table_that_is_there_does_not_hide_what_is_wrong_with_its_declaration() {
        let connection = Database::in_memory().unwrap().connect();
        let run = async |sql: &str| connection.execute(sql, ()).await.map_err(|e| e.to_string());
        run("CREATE TABLE t (a INT, PRIMARY KEY (a))")
            .await
            .unwrap();
        run("CREATE TABLE IF NOT EXISTS t (b TEXT, PRIMARY KEY (b))")
            .await
            .unwrap();
        for (rest, wrong) in [
            (
                "(a INT, PRIMARY KEY (a)) WITH (ttl = 1)",
                "is not implemented",
            ),
            (
                "(a INT PRIMARY KEY, PRIMARY KEY (a))",
                "has one PRIMARY KEY",
            ),
            ("(a INT, PRIMARY KEY (b))", "b"),
        ] {
            let sql = format!("CREATE TABLE IF NOT EXISTS t {rest}");
            let error = run(&sql).await.unwrap_err();
            assert!(error.contains(wrong), "{sql}: {error}");
        }
        run("DROP TABLE IF EXISTS missing, t").await.unwrap();
        let error = run("DROP TABLE t").await.unwrap_err();
        assert!(error.contains("no table `t`"), "{error}");
    }
}
