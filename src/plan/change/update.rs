//! UPDATE: the query of the values that it assigns, over the table and the tables of its FROM.

use std::sync::Arc;

use datafusion::common::{Column, Result as PlanResult};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use sqlparser::ast::{
    Assignment, AssignmentTarget, Expr as SqlExpr, Ident, ObjectName, SelectItem, TableFactor,
    Update as SqlUpdate,
};

use super::Parts;
use super::assign::Target;
use super::rows::{Rows, columns_of, in_place_of_list, old_columns, showing_hidden};
use super::values::is_default;
use crate::catalog::visible::Catalogs;
use crate::catalog::{column_name, identifier, object_name};
use crate::error::{Error, Result};
use crate::plan::bind::column_rules::default_sql;
use crate::schema::BoundTable;
use crate::sql::marks::unseen;
use crate::sql::rewrite::rows_changed::{query, tables};
use crate::table::HaliteTable;
use crate::write::{Action, Change, Edit, Layout};

/// What an UPDATE assigns.
pub(super) struct Update {
    /// The positions of the columns, in the order of the query's list.
    assigned: Vec<usize>,
    /// Whether the columns of the other tables are wanted, for RETURNING.
    keeps_others: bool,
}

impl Update {
    /// The table of an UPDATE, what it assigns, and the query of these values.
    ///
    /// # Errors
    /// A table or a column that is not there.
    pub fn take(
        catalogs: &Catalogs,
        update: &SqlUpdate,
    ) -> Result<(Arc<HaliteTable>, Self, Parts)> {
        let table = target(catalogs, &update.table.relation)?;
        let values = assignments(table.bound(), &update.table.relation, &update.assignments)?;
        let (assigned, list): (Vec<usize>, Vec<SelectItem>) = values.into_iter().unzip();
        let from = tables(update);
        let returning = update.returning.clone();
        let returning = returning.map(|list| query(list, from.clone(), None));
        let parts = Parts {
            query: query(list, from, update.selection.clone())?,
            returning: returning.transpose()?,
        };
        let keeps_others = parts.returning.is_some();
        let update = Self {
            assigned,
            keeps_others,
        };
        Ok((table, update, parts))
    }

    /// The rows of the change, of which `query` is the plan of the query.
    ///
    /// # Errors
    /// A value or a type that a column cannot hold.
    pub fn rows(&self, table: &HaliteTable, query: LogicalPlan) -> PlanResult<Rows> {
        let mut new = Vec::new();
        let mut rows = |list, input| {
            let (plan, columns) = self.assign(table, list, input)?;
            new = columns;
            Ok(plan)
        };
        let query = showing_hidden(query, table)?;
        let plan = in_place_of_list(query, "SET", &mut rows)?;
        let layout = Layout {
            action: Some(Action::Update),
            old: true,
            new: true,
            returned: 0,
        };
        Ok(Rows {
            verb: "UPDATE",
            change: Change::Edit(Edit::Update),
            layout,
            new,
            plan,
        })
    }

    /// The old keys and the new rows over `input`, and the columns of the new rows.
    fn assign(
        &self,
        table: &HaliteTable,
        list: Vec<Expr>,
        input: Arc<LogicalPlan>,
    ) -> PlanResult<(LogicalPlan, Vec<Column>)> {
        let bound = table.bound();
        let columns = columns_of(&input, table)?;
        let others = input.schema().columns().into_iter().skip(columns.len());
        let others: Vec<Expr> = if self.keeps_others {
            others.map(Expr::Column).collect()
        } else {
            Vec::new()
        };
        let (values, computed) = values_of(list);
        let kept = columns.iter().cloned().map(Expr::Column);
        let first = computed.into_iter().chain(kept).chain(others.clone());
        let first = first.collect();
        let first = Arc::new(LogicalPlan::Projection(Projection::try_new(first, input)?));
        let mut list = old_columns(table, &columns)?;
        for (position, column) in columns.iter().enumerate() {
            let mut assigned = self.assigned.iter().zip(&values);
            let value = assigned.find(|(assigned, _)| **assigned == position);
            list.push(match value {
                None => Expr::Column(column.clone()),
                Some((_, value)) => {
                    let target = Target::of(bound, position, None)?.over(&first, value)?;
                    let value = target.assign_any(value.clone(), first.schema())?;
                    value.alias_qualified(column.relation.clone(), &column.name)
                }
            });
        }
        list.extend(others);
        let plan = Projection::try_new(list, first)?;
        Ok((LogicalPlan::Projection(plan), columns))
    }
}

/// The values of a list: constants and parameters as they are, others as columns; and the expressions of these.
pub(super) fn values_of(list: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
    let mut computed = Vec::new();
    let values = list.into_iter().map(|expr| {
        let value = expr.clone().unalias();
        match value {
            Expr::Literal(..) | Expr::Placeholder(_) => value,
            _ => {
                let name = expr.qualified_name().1;
                computed.push(expr);
                Expr::Column(Column::new_unqualified(name))
            }
        }
    });
    (values.collect(), computed)
}

/// The table that a statement changes.
pub(super) fn target(catalogs: &Catalogs, factor: &TableFactor) -> Result<Arc<HaliteTable>> {
    match factor {
        TableFactor::Table {
            alias: Some(alias), ..
        } if !alias.columns.is_empty() => Err(Error::unsupported(format!(
            "`{factor}`: other names for the columns of a table that is changed are not implemented"
        ))),
        TableFactor::Table {
            name, args: None, ..
        } => catalogs.expect_table(&object_name(name)?),
        other => Err(Error::unsupported(format!(
            "a change of `{other}` is not implemented; name a table"
        ))),
    }
}

/// What a table or a query in FROM is called.
pub(super) fn label_of(factor: &TableFactor) -> Option<String> {
    let (TableFactor::Table { alias, .. } | TableFactor::Derived { alias, .. }) = factor else {
        return None;
    };
    match (alias, factor) {
        (Some(alias), _) => Some(identifier(&alias.name)),
        (None, TableFactor::Table { name, .. }) => {
            let last = name.0.last().and_then(|part| part.as_ident());
            last.map(identifier)
        }
        _ => None,
    }
}

/// The positions of the columns that are assigned, each with its value as an item of a list.
pub(super) fn assignments(
    table: &BoundTable,
    factor: &TableFactor,
    assignments: &[Assignment],
) -> Result<Vec<(usize, SelectItem)>> {
    let mut assigned: Vec<(usize, SelectItem)> = Vec::new();
    for assignment in assignments {
        for (name, value) in pairs(table, assignment)? {
            let position = column(table, factor, name)?;
            table.refuse_given(position, is_default(value))?;
            table.refuse_moved(position)?;
            if assigned.iter().any(|(other, _)| *other == position) {
                return Err(Error::invalid(format!(
                    "table `{}`: column `{name}` is assigned twice",
                    table.name()
                )));
            }
            let column = &table.column(position)?.name;
            let alias = Ident::with_quote('"', unseen("value of", column));
            let expr = if is_default(value) {
                default_sql(table.column(position)?)?
            } else {
                value.clone()
            };
            assigned.push((position, SelectItem::ExprWithAlias { expr, alias }));
        }
    }
    Ok(assigned)
}

/// The columns of one assignment, each with its value.
fn pairs<'a>(
    table: &BoundTable,
    assignment: &'a Assignment,
) -> Result<Vec<(&'a ObjectName, &'a SqlExpr)>> {
    let pairs = match (&assignment.target, &assignment.value) {
        (AssignmentTarget::ColumnName(name), value) => vec![(name, value)],
        (AssignmentTarget::Tuple(names), SqlExpr::Tuple(values)) if names.len() == values.len() => {
            names.iter().zip(values).collect()
        }
        (AssignmentTarget::Tuple(names), value) if names.len() == 1 => {
            names.iter().map(|name| (name, value)).collect()
        }
        (AssignmentTarget::Tuple(_), _) => {
            return Err(Error::unsupported(format!(
                "table `{}`: SET {assignment} is not implemented; assign to each column a value of its own, of a subquery's columns by UPDATE … FROM",
                table.name()
            )));
        }
    };
    Ok(pairs)
}

/// The position of a column that is given a value, which may be named with its table.
///
/// # Errors
/// A column that is not there.
pub(super) fn column(table: &BoundTable, factor: &TableFactor, name: &ObjectName) -> Result<usize> {
    let Some((last, qualifiers)) = name.0.split_last() else {
        return Err(Error::internal("a column without a name"));
    };
    let label = label_of(factor);
    let is_of_table = match qualifiers {
        [] => true,
        [qualifier] => qualifier
            .as_ident()
            .is_some_and(|it| Some(identifier(it)) == label),
        _ => false,
    };
    let column = column_name(&ObjectName(vec![last.clone()]))?;
    let columns = table.columns();
    let position = columns.iter().position(|it| it.name == column);
    position
        .filter(|_| is_of_table)
        .ok_or_else(|| table.no_column(&name.to_string()))
}
