//! `ALTER TABLE`: the definition changes, and no row is rewritten.
//!
//! A column that is added is in no older row: these have what its DEFAULT says at that moment, which is kept with the
//! definition. One that is dropped stays in older rows, where nobody looks for it; its id is never given again.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::execution::session_state::SessionState;
use sqlparser::ast::{
    AlterColumnOperation, AlterTable, AlterTableOperation, ColumnDef, DropBehavior, Expr, Ident,
    RenameTableNameKind, TableConstraint, VisitMut, VisitorMut,
};

use super::change::change;
use crate::catalog::ddl::{added_column, default_text};
use crate::catalog::{Altered, Catalog, check_of, columns_of, identifier as folded, object_name};
use crate::datum::identifier;
use crate::error::{Error, Nameable, Result};
use crate::key::Argument;
use crate::plan::bind::column_rules;
use crate::plan::bind::views::may_name;
use crate::row::stored_field;
use crate::run::context::Context;
use crate::run::outcome::{Outcome, done};
use crate::schema::{BoundTable, Check, Column, Table, View};
use crate::sql::limits::guard::{MAX_KEYS, MAX_PLANNED_COLUMNS};

/// Carries out an `ALTER TABLE`: all that it says, or nothing.
pub(crate) async fn alter_table(
    context: &Context,
    alter: &AlterTable,
    catalog: &Arc<Catalog>,
) -> Result<Outcome> {
    refuse_clauses(alter)?;
    let verb = "ALTER TABLE";
    let state = context.statement_state()?;
    let catalog = Arc::clone(catalog);
    let name = object_name(&alter.name)?;
    if alter.if_exists && catalog.table(&name).is_none() {
        return Ok(done(verb));
    }
    let operations = alter.operations.clone();
    change(move || {
        catalog.alter_table(&name, |table| {
            let mut alteration = Alteration {
                state: &state,
                readers: catalog.readers_of(&name),
                was: name.clone(),
                table: table.clone(),
                asks_rows: false,
            };
            let mut operations = operations.iter();
            let carried_out = operations.try_for_each(|operation| alteration.carry_out(operation));
            carried_out.map_err(|error| error.context(format!("table `{name}`")))?;
            alteration.finish()
        })
    })
    .await?;
    Ok(done(verb))
}

fn refuse_clauses(alter: &AlterTable) -> Result<()> {
    let is_plain =
        alter.location.is_none() && alter.on_cluster.is_none() && alter.table_type.is_none();
    if is_plain {
        Ok(())
    } else {
        Err(Error::unsupported(format!("`{alter}` is not implemented")))
    }
}

fn refuse_reader(view: Option<&Arc<View>>) -> Result<()> {
    match view {
        None => Ok(()),
        Some(view) => Err(Error::conflict(format!(
            "the view `{}` reads the table: drop the view first, and make it again",
            view.name
        ))),
    }
}

/// A definition while it is changed.
struct Alteration<'a> {
    state: &'a SessionState,
    /// The views that read the table, themselves or by way of others.
    readers: Vec<Arc<View>>,
    /// The name of the table, as views know it.
    was: String,
    table: Table,
    asks_rows: bool,
}

impl Alteration<'_> {
    fn finish(self) -> Result<Altered> {
        self.table.validate()?;
        column_rules::validate(&self.table, self.state)?;
        Ok(Altered {
            table: self.table,
            asks_rows: self.asks_rows,
        })
    }

    fn carry_out(&mut self, operation: &AlterTableOperation) -> Result<()> {
        use AlterTableOperation as Op;
        match operation {
            Op::AddColumn {
                if_not_exists,
                column_def,
                column_position: None,
                ..
            } => self.add_column(column_def, *if_not_exists),
            Op::DropColumn {
                column_names,
                if_exists,
                drop_behavior,
                ..
            } => {
                let cascade = *drop_behavior == Some(DropBehavior::Cascade);
                let mut names = column_names.iter();
                names.try_for_each(|name| self.drop_column(&folded(name), *if_exists, cascade))
            }
            Op::RenameColumn {
                old_column_name,
                new_column_name,
            } => self.rename_column(&folded(old_column_name), &folded(new_column_name)),
            Op::RenameTable {
                table_name: RenameTableNameKind::To(name) | RenameTableNameKind::As(name),
            } => {
                refuse_reader(self.readers.first())?;
                self.table.name = object_name(name)?;
                Ok(())
            }
            Op::AlterColumn { column_name, op } => self.alter_column(&folded(column_name), op),
            Op::AddConstraint {
                constraint: TableConstraint::Check(check),
                not_valid: false,
            } => {
                let check = check_of(check, &self.table.name, &self.table.checks)?;
                self.add_checks(vec![check])
            }
            Op::DropConstraint {
                if_exists, name, ..
            } => self.drop_constraint(&folded(name), *if_exists),
            other => Err(not_implemented(other)),
        }
    }

    fn column(&mut self, name: &str) -> Result<&mut Column> {
        let columns = self.table.columns.iter();
        let known: Vec<String> = columns.map(|column| column.name.clone()).collect();
        let mut columns = self.table.columns.iter_mut();
        columns.find(|column| column.name == name).ok_or_else(|| {
            let others = known.join("`, `");
            Error::invalid(format!("there is no column `{name}`; there are `{others}`")).of_missing(
                Nameable::Column,
                name,
                known,
            )
        })
    }

    fn add_column(&mut self, declared: &ColumnDef, if_not_exists: bool) -> Result<()> {
        let name = folded(&declared.name);
        if self.table.column_position(&name).is_some() {
            return if if_not_exists {
                Ok(())
            } else {
                Err(Error::conflict(format!("column `{name}` exists already")))
            };
        }
        let (column, checks) = added_column(declared, &self.table)?;
        check_count(self.table.columns.len() + 1, MAX_PLANNED_COLUMNS, "columns")?;
        self.table.columns.push(column);
        let missing = self.value_for_older_rows()?;
        if let Some(column) = self.table.columns.last_mut() {
            column.missing = missing;
            self.asks_rows |= !column.nullable && column.missing.is_none();
        }
        self.add_checks(checks)
    }

    /// What the DEFAULT of the last column says now.
    fn value_for_older_rows(&self) -> Result<Option<crate::schema::StoredField>> {
        if self
            .table
            .columns
            .last()
            .is_none_or(|column| column.default_text().is_none())
        {
            return Ok(None);
        }
        let table = BoundTable::new(self.table.clone())?;
        let Some(column) = table.columns().last() else {
            return Ok(None);
        };
        match column_rules::value_now(self.state, &table, table.columns().len() - 1)? {
            Some(value) => stored_field(column, &value),
            None => Ok(None),
        }
    }

    fn drop_column(&mut self, name: &str, if_exists: bool, cascade: bool) -> Result<()> {
        if if_exists && self.table.column_position(name).is_none() {
            return Ok(());
        }
        let id = self.column(name)?.id;
        self.refuse_readers(&[name])?;
        self.refuse_key_column(name, "it cannot be dropped")?;
        if self.column(name)?.identity.is_some() {
            return Err(Error::unsupported(format!(
                "column `{name}` numbers the rows, and dropping it is not implemented: make a table without it and INSERT … \
                 SELECT"
            )));
        }
        let needing: BTreeSet<String> = self.constraints_about(name)?;
        if let (Some(check), false) = (needing.first(), cascade) {
            return Err(Error::invalid(format!(
                "constraint `{check}` is about column `{name}`: drop that first, or say DROP COLUMN {} CASCADE",
                identifier(name)
            )));
        }
        if let Some(generated) = self.generated_from(name)? {
            return Err(Error::invalid(format!(
                "column `{generated}` is computed of column `{name}`: drop that first"
            )));
        }
        self.table
            .checks
            .retain(|check| !needing.contains(&check.name));
        self.table.next_column = Some(self.table.next_column_id().max(id + 1));
        self.table.columns.retain(|column| column.name != name);
        for family in &mut self.table.families {
            family.columns.retain(|column| *column != id);
        }
        Ok(())
    }

    /// A generated column that is computed of a column.
    fn generated_from(&self, name: &str) -> Result<Option<String>> {
        for column in &self.table.columns {
            if let Some(text) = &column.generated
                && columns_of(&column_rules::parsed(text)?).contains(name)
            {
                return Ok(Some(column.name.clone()));
            }
        }
        Ok(None)
    }

    /// The names of the constraints that name a column.
    fn constraints_about(&self, column: &str) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for check in &self.table.checks {
            if columns_of(&column_rules::parsed(&check.expression)?).contains(column) {
                found.insert(check.name.clone());
            }
        }
        Ok(found)
    }

    /// A view finds columns by their names: those that it may mean keep them.
    fn refuse_readers(&self, columns: &[&str]) -> Result<()> {
        let direct = self.readers.iter();
        let mut direct = direct.filter(|view| view.reads.contains(&self.was));
        let found = direct.find_map(|view| match may_name(&view.query, columns) {
            Ok(false) => None,
            Ok(true) => Some(Ok(view)),
            Err(error) => Some(Err(error)),
        });
        refuse_reader(found.transpose()?)
    }

    /// The key is in the bytes of every row.
    fn refuse_key_column(&self, name: &str, why: &str) -> Result<()> {
        let mut named = self
            .table
            .key
            .iter()
            .flat_map(|part| part.expression.columns());
        if named.any(|column| column == name) {
            Err(Error::unsupported(format!(
                "column `{name}` is part of the row key, so {why}: make a table with another key and INSERT … SELECT"
            )))
        } else {
            Ok(())
        }
    }

    fn rename_column(&mut self, from: &str, to: &str) -> Result<()> {
        self.refuse_readers(&[from, to])?;
        if from != to && self.table.column_position(to).is_some() {
            return Err(Error::conflict(format!("column `{to}` exists already")));
        }
        to.clone_into(&mut self.column(from)?.name);
        for part in &mut self.table.key {
            for argument in &mut part.expression.arguments {
                if let Argument::Column(name) = argument
                    && name == from
                {
                    to.clone_into(name);
                }
            }
        }
        for check in &mut self.table.checks {
            check.expression = renamed(&check.expression, from, to)?;
        }
        for column in &mut self.table.columns {
            if let Some(text) = &mut column.generated {
                *text = renamed(text, from, to)?;
            }
        }
        Ok(())
    }

    fn alter_column(&mut self, name: &str, operation: &AlterColumnOperation) -> Result<()> {
        match operation {
            AlterColumnOperation::SetNotNull => {
                let column = self.column(name)?;
                let is_new = std::mem::replace(&mut column.nullable, false);
                self.asks_rows |= is_new;
                if is_new {
                    self.refuse_key_column(name, "NULL stays possible")
                } else {
                    Ok(())
                }
            }
            AlterColumnOperation::DropNotNull => {
                let was = std::mem::replace(&mut self.column(name)?.nullable, true);
                if was {
                    Ok(())
                } else {
                    self.refuse_key_column(name, "it stays NOT NULL")
                }
            }
            AlterColumnOperation::SetDefault { value } => {
                self.column(name)?.default = default_text(value);
                Ok(())
            }
            AlterColumnOperation::DropDefault => {
                self.column(name)?.default = None;
                Ok(())
            }
            AlterColumnOperation::SetDataType { .. } => Err(Error::unsupported(format!(
                "ALTER COLUMN {} TYPE is not implemented, since it rewrites the rows: make a table with the other type \
                 and INSERT … SELECT",
                identifier(name)
            ))),
            other @ AlterColumnOperation::AddGenerated { .. } => Err(Error::unsupported(format!(
                "ALTER COLUMN {} {other} is not implemented",
                identifier(name)
            ))),
        }
    }

    fn add_checks(&mut self, checks: Vec<Check>) -> Result<()> {
        let columns = self.table.columns.iter();
        let generated = columns.filter(|column| column.generated.is_some()).count();
        let count = self.table.checks.len() + checks.len() + generated;
        check_count(count, MAX_KEYS, "CHECKs and generated columns")?;
        self.asks_rows |= !checks.is_empty();
        self.table.checks.extend(checks);
        Ok(())
    }

    fn drop_constraint(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let before = self.table.checks.len();
        self.table.checks.retain(|check| check.name != name);
        if self.table.checks.len() == before && !if_exists {
            Err(Error::invalid(format!("there is no constraint `{name}`")))
        } else {
            Ok(())
        }
    }
}

/// What is added one by one may not become more than can be planned with.
fn check_count(count: usize, most: usize, what: &str) -> Result<()> {
    if count <= most {
        Ok(())
    } else {
        Err(Error::unsupported(format!(
            "a table has at most {most} {what}"
        )))
    }
}

fn not_implemented(operation: &AlterTableOperation) -> Error {
    let instead = match operation {
        AlterTableOperation::AddColumn { .. } => "; a column is added behind the others",
        AlterTableOperation::AddConstraint {
            constraint: TableConstraint::Check(_),
            ..
        } => "; without NOT VALID it is",
        AlterTableOperation::AddConstraint { .. } => "; of constraints CHECK is",
        _ => "",
    };
    Error::unsupported(format!(
        "ALTER TABLE … {operation} is not implemented{instead}"
    ))
}

/// An expression with another name for a column.
fn renamed(text: &str, from: &str, to: &str) -> Result<String> {
    let mut expression = column_rules::parsed(text)?;
    let _: ControlFlow<()> = VisitMut::visit(&mut expression, &mut Renamed { from, to });
    Ok(expression.to_string())
}

struct Renamed<'a> {
    from: &'a str,
    to: &'a str,
}

impl VisitorMut for Renamed<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(name) = expr
            && folded(name) == self.from
        {
            let is_bare = identifier(self.to) == self.to;
            *name = if is_bare {
                Ident::new(self.to)
            } else {
                Ident::with_quote('"', self.to)
            };
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
#[path = "alter_table_tests.rs"]
mod tests;
