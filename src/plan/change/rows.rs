//! The rows of a change: columns that say what becomes of each.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result as PlanResult};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{
    Expr, Limit, LogicalPlan, Projection, SubqueryAlias, TableScanBuilder, lit, when,
};

use super::node::ChangeNode;
use crate::error::{Error, Result};
use crate::plan::bind::column_rules::generated_value;
use crate::sql::marks::unseen;
use crate::table::HaliteTable;
use crate::write::{Action, Change, Layout};

/// What the column is called that a key is computed from, as it is before the change.
pub(super) fn old(column: &str) -> String {
    unseen("old", column)
}

/// The column that says what becomes of each row, where that is not the same for all.
pub(super) fn action() -> Column {
    Column::new_unqualified(unseen("action", "of row"))
}

/// The rows of a change.
pub(super) struct Rows {
    pub verb: &'static str,
    pub change: Change,
    /// What is in the columns of the plan.
    pub layout: Layout,
    /// The new row's columns, where there are some.
    pub new: Vec<Column>,
    pub plan: LogicalPlan,
}

impl Rows {
    /// The plan of the change; `returning` is that of a query over the new rows, or over those that are deleted.
    ///
    /// # Errors
    /// `NotSupported` for what RETURNING cannot give back.
    pub fn changed(
        mut self,
        table: &Arc<HaliteTable>,
        returning: Option<LogicalPlan>,
    ) -> PlanResult<LogicalPlan> {
        let columns = self.columns(table)?;
        if returning.is_some() {
            self.plan = with_generated(self.plan, table, &self.new)?;
        }
        let input = match returning {
            None => LogicalPlan::Projection(Projection::try_new(columns, Arc::new(self.plan))?),
            Some(returning) => {
                let (layout, plan) = (&mut self.layout, Arc::new(self.plan));
                in_place_of_list(returning, "RETURNING", &mut |list, _| {
                    layout.returned = list.len();
                    let given = list.into_iter().map(|expr| given_back(expr, *layout));
                    let given = given.collect::<PlanResult<Vec<Expr>>>()?;
                    let columns = columns.iter().cloned().chain(given).collect();
                    let rows = Projection::try_new(columns, Arc::clone(&plan))?;
                    Ok(LogicalPlan::Projection(rows))
                })?
            }
        };
        let table = Arc::clone(table);
        let node = ChangeNode::new(table, self.verb, self.change, self.layout, input)?;
        Ok(node.into_plan())
    }

    /// The columns of the layout.
    fn columns(&self, table: &HaliteTable) -> Result<Vec<Expr>> {
        let mut columns = Vec::new();
        if self.layout.action.is_none() {
            columns.push(Expr::Column(action()));
        }
        if self.layout.old {
            for source in table.bound().key_sources() {
                let name = old(&table.bound().column(*source)?.name);
                columns.push(Expr::Column(Column::new_unqualified(name)));
            }
        }
        let new = self.new.iter().map(|column| {
            let name = unseen("new", &column.name);
            Expr::Column(column.clone()).alias(name)
        });
        columns.extend(new);
        Ok(columns)
    }
}

/// The plan with the generated columns among these of its new rows computed: where rows are written they are computed
/// again, which is behind what RETURNING gives back.
fn with_generated(
    plan: LogicalPlan,
    table: &HaliteTable,
    new: &[Column],
) -> PlanResult<LogicalPlan> {
    let mut computed: Vec<(Column, Expr)> = Vec::new();
    for (position, column) in new.iter().enumerate() {
        let is_declared = position < table.bound().columns().len();
        let value = if is_declared {
            generated_value(table.bound(), position)?
        } else {
            None
        };
        if let Some(value) = value {
            computed.push((column.clone(), over(value, new)?));
        }
    }
    if computed.is_empty() {
        return Ok(plan);
    }
    let columns = plan.schema().columns().into_iter().map(|column| {
        match computed.iter().find(|(generated, _)| *generated == column) {
            Some((_, value)) => {
                let value = value.clone();
                value.alias_qualified(column.relation.clone(), &column.name)
            }
            None => Expr::Column(column),
        }
    });
    let computed = Projection::try_new(columns.collect(), Arc::new(plan))?;
    Ok(LogicalPlan::Projection(computed))
}

/// An expression over the columns of a table, over those of the new rows.
fn over(value: Expr, new: &[Column]) -> PlanResult<Expr> {
    let replaced = value.transform(|part| {
        let Expr::Column(named) = &part else {
            return Ok(Transformed::no(part));
        };
        let column = new.iter().find(|column| column.name == named.name);
        let column =
            column.ok_or_else(|| Error::internal("a generated column of another table"))?;
        Ok(Transformed::yes(Expr::Column(column.clone())))
    })?;
    Ok(replaced.data)
}

/// A value of RETURNING, which is computed for the rows alone that are changed.
fn given_back(expr: Expr, layout: Layout) -> PlanResult<Expr> {
    if layout.action.is_some() {
        return Ok(expr);
    }
    let (relation, name) = expr.qualified_name();
    let is_changed = Expr::Column(action()).not_eq(lit(Action::Nothing.code()));
    let value = when(is_changed, expr.unalias()).end()?;
    Ok(value.alias_qualified(relation, name))
}

/// The columns that the row key is computed from, under their names of [`old`].
///
/// # Errors
/// `Internal` alone.
pub(super) fn old_columns(table: &HaliteTable, columns: &[Column]) -> Result<Vec<Expr>> {
    let sources = table.bound().key_sources().iter();
    let sources = sources.map(|source| {
        let name = old(&table.bound().column(*source)?.name);
        let column = columns.get(*source).cloned();
        let column = column.ok_or_else(|| Error::internal("a key without its column"))?;
        Ok(Expr::Column(column).alias(name))
    });
    sources.collect()
}

/// Puts another plan in the place of a query's list, which gets the expressions of the list and what they are over.
///
/// # Errors
/// `NotSupported` where the list has aggregates or window functions; those of `change`.
pub(super) fn in_place_of_list(
    plan: LogicalPlan,
    clause: &str,
    change: &mut dyn FnMut(Vec<Expr>, Arc<LogicalPlan>) -> PlanResult<LogicalPlan>,
) -> PlanResult<LogicalPlan> {
    match plan {
        LogicalPlan::Limit(limit) => {
            let input = Arc::unwrap_or_clone(limit.input);
            let input = Arc::new(in_place_of_list(input, clause, change)?);
            Ok(LogicalPlan::Limit(Limit { input, ..limit }))
        }
        LogicalPlan::Projection(list) if is_of_rows(&list.input) => change(list.expr, list.input),
        _ => Err(Error::unsupported(format!(
            "an aggregate, a window function or unnest outside of a subquery in {clause}; write a subquery"
        ))
        .into()),
    }
}

/// Whether a list over this plan is computed from its rows, one by one.
fn is_of_rows(input: &LogicalPlan) -> bool {
    matches!(
        input,
        LogicalPlan::Filter(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::TableScan(_)
    )
}

/// A plan whose first table is `table`, with the hidden column of that behind its columns, if it has one.
///
/// # Errors
/// `Internal` alone.
pub(super) fn showing_hidden(plan: LogicalPlan, table: &HaliteTable) -> PlanResult<LogicalPlan> {
    if table.bound().hidden().is_none() {
        return Ok(plan);
    }
    if let LogicalPlan::TableScan(scan) = plan {
        let shown = provider_as_source(Arc::new(table.showing_hidden()));
        let shown = TableScanBuilder::new(scan.table_name, shown)
            .with_filters(scan.filters)
            .with_fetch(scan.fetch);
        return Ok(LogicalPlan::TableScan(shown.build()?));
    }
    let mut is_first = true;
    let shown = plan.map_children(|child| {
        if std::mem::take(&mut is_first) {
            showing_hidden(child, table).map(Transformed::yes)
        } else {
            Ok(Transformed::no(child))
        }
    })?;
    shown.data.recompute_schema()
}

/// As [`showing_hidden`] of a plan that reads the table by a query with a name, `(SELECT *, … FROM t) AS t`: the hidden
/// column comes behind the columns of the table there, too.
///
/// # Errors
/// `Internal` alone.
pub(super) fn showing_hidden_of_query(
    plan: LogicalPlan,
    table: &HaliteTable,
) -> PlanResult<LogicalPlan> {
    if table.bound().hidden().is_none() {
        return Ok(plan);
    }
    if let LogicalPlan::SubqueryAlias(alias) = &plan
        && let LogicalPlan::Projection(list) = alias.input.as_ref()
    {
        let input = showing_hidden(list.input.as_ref().clone(), table)?;
        let hidden = columns_of(&input, table)?.pop();
        let hidden = hidden.ok_or_else(|| Error::internal("a table without its columns"))?;
        let (declared, more) = list.expr.split_at(table.bound().columns().len());
        let shown = declared.iter().cloned();
        let shown = shown
            .chain([Expr::Column(hidden)])
            .chain(more.iter().cloned());
        let list = Projection::try_new(shown.collect(), Arc::new(input))?;
        let list = Arc::new(LogicalPlan::Projection(list));
        let named = SubqueryAlias::try_new(list, alias.alias.clone())?;
        return Ok(LogicalPlan::SubqueryAlias(named));
    }
    let mut is_first = true;
    let shown = plan.map_children(|child| {
        if std::mem::take(&mut is_first) {
            showing_hidden_of_query(child, table).map(Transformed::yes)
        } else {
            Ok(Transformed::no(child))
        }
    })?;
    shown.data.recompute_schema()
}

/// The columns of a table that is the first of those that a plan reads.
///
/// # Errors
/// `Internal` alone.
pub(super) fn columns_of(plan: &LogicalPlan, table: &HaliteTable) -> Result<Vec<Column>> {
    let wanted = table.bound().all_columns();
    let columns: Vec<Column> = plan
        .schema()
        .iter()
        .take(wanted.len())
        .map(Column::from)
        .collect();
    let names = columns.iter().map(|column| &column.name);
    if names.eq(wanted.iter().map(|column| &column.name)) {
        Ok(columns)
    } else {
        Err(Error::internal(format!(
            "the plan of a change does not begin with `{}`",
            table.name()
        )))
    }
}
