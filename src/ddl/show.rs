//! `SHOW …` and `DESCRIBE` of a table.

use std::sync::Arc;

use arrow::array::{BooleanArray, StringArray};
use datafusion::config::{ConfigExtension, ConfigOptions, ExtensionOptions};
use sqlparser::ast::{ObjectName, Statement};

use crate::catalog::visible::Catalogs;
use crate::catalog::{Catalog, columns_of, object_name};
use crate::error::{Error, Result};
use crate::key::TRANSFORMS;
use crate::plan::bind::column_rules;
use crate::run::outcome::{Outcome, rows, strings};
use crate::schema::{BoundTable, Column, Table};
use crate::settings::HaliteOptions;
use crate::sql::written::Written;
use crate::store::Fact;

/// Whether a statement is SHOW ALL.
pub(super) fn is_show_all(parsed: &Written) -> bool {
    match parsed.unexplained() {
        Some(Statement::ShowVariable { variable }) => {
            matches!(variable.as_slice(), [all] if all.value.eq_ignore_ascii_case("all"))
        }
        _ => false,
    }
}

/// All settings: Halite's, then DataFusion's.
pub(super) fn show_all(settings: &ConfigOptions) -> Result<Outcome> {
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
pub(super) fn show_setting(settings: &HaliteOptions, name: &str) -> Result<Outcome> {
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

pub(super) fn show_create_table(catalogs: &Catalogs, name: &ObjectName) -> Result<Outcome> {
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
pub(super) fn describe(catalog: &Catalog, name: &ObjectName) -> Result<Outcome> {
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

pub(super) fn show_transforms() -> Result<Outcome> {
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

pub(super) fn facts(facts: Vec<Fact>) -> Result<Outcome> {
    let (about, value): (Vec<_>, Vec<_>) = facts
        .into_iter()
        .map(|fact| (fact.about, fact.value))
        .unzip();
    rows(vec![("about", strings(about)), ("value", strings(value))])
}
