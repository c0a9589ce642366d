//! INSERT: its query is planned as any other, and one projection above it assigns what it gives to the table's columns.
//!
//! What the query gives is taken by position, whatever its names. The values of VALUES are planned as if all of them stood
//! in one row: DataFusion would bring those of a column to one type, and lose digits, or find none. Each is then assigned
//! by itself ([`assign`](super::assign)), so that an error has the number of its row.

use std::sync::Arc;

use arrow::datatypes::Field;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result as PlanResult, ScalarValue};
use datafusion::datasource::provider_as_source;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{
    DmlStatement, Expr, LogicalPlan, LogicalPlanBuilder, Projection, Values, WriteOp,
};
use sqlparser::ast::{
    Expr as SqlExpr, ObjectName, Parens, Query, SetExpr, SqliteOnConflict,
    Statement as SqlStatement, TableObject,
};

use super::ChangeNode;
use super::assign::Target;
use crate::catalog::visible::Catalogs;
use crate::catalog::{column_name, object_name};
use crate::convert::clocks;
use crate::datum::SqlType;
use crate::error::{Error, Result};
use crate::plan::bind::column_rules::{default_expr, default_sql};
use crate::plan::bind::scanned::reads;
use crate::plan::rule::scan::value_rows;
use crate::schema::{BoundTable, Column};
use crate::sql::dialect;
use crate::sql::written::Written;
use crate::table::HaliteTable;
use crate::write::{Action, Change, Layout};

/// An INSERT, taken out of its statement.
pub(crate) struct Insert {
    table: Arc<HaliteTable>,
    /// The columns of the table that are given values, in the order of the values.
    targets: Vec<usize>,
    /// Whether the query is VALUES, in one row.
    is_values: bool,
    /// What the columns have that are given none, where that is not NULL.
    defaults: Vec<(usize, Expr)>,
    /// The zone of the session, where that is not UTC.
    zone: Option<Arc<str>>,
    operation: InsertOp,
}

impl Insert {
    /// Takes the INSERT out of a statement that has one, and leaves the query, or an EXPLAIN or PREPARE of it.
    ///
    /// # Errors
    /// A table or a column that is not there; rows of VALUES of another length than the list of columns; a DEFAULT that
    /// cannot be planned in the session `state`.
    pub(crate) fn take(
        catalogs: &Catalogs,
        parsed: &mut Written,
        state: &SessionState,
    ) -> Result<Option<Self>> {
        let statement = innermost(parsed);
        let SqlStatement::Insert(insert) = statement else {
            return Ok(None);
        };
        let TableObject::TableName(name) = &insert.table else {
            return Ok(None);
        };
        let Some(mut query) = insert.source.take() else {
            return Ok(None);
        };
        let table = catalogs.expect_table(&object_name(name)?)?;
        let targets = targets(table.bound(), &insert.columns)?;
        let is_replace = insert.replace_into || insert.or == Some(SqliteOnConflict::Replace);
        let is_values = in_one_row(&mut query, table.bound(), targets.len())?;
        *statement = SqlStatement::Query(query);
        let defaults = defaults(table.bound(), &targets, state)?;
        Ok(Some(Self {
            table,
            targets,
            is_values,
            defaults,
            zone: clocks::other_than_utc(state.config_options()),
            operation: if is_replace {
                InsertOp::Replace
            } else {
                InsertOp::Append
            },
        }))
    }

    /// One of all columns of a table, which takes the rows of a query.
    pub(crate) fn into_all(table: Arc<HaliteTable>) -> Result<Self> {
        Ok(Self {
            targets: targets(table.bound(), &[])?,
            table,
            is_values: false,
            defaults: Vec::new(),
            zone: None,
            operation: InsertOp::Append,
        })
    }

    /// The plan of the statement, of which `plan` is without the INSERT.
    ///
    /// # Errors
    /// A query with another number of columns; a value or a type that a column cannot hold.
    pub(crate) fn over(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let planned = plan.transform_down(|node| match node {
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) | LogicalPlan::Statement(_) => {
                Ok(Transformed::no(node))
            }
            query => {
                let jump = TreeNodeRecursion::Jump;
                Ok(Transformed::new(self.assigned(query)?, true, jump))
            }
        })?;
        Ok(planned.data)
    }

    /// What a column has that is given nothing.
    fn default_of(&self, position: usize) -> PlanResult<Expr> {
        let table = self.table.bound();
        let target = Target::of(table, position, None)?;
        let mut defaults = self.defaults.iter();
        match defaults.find(|(column, _)| *column == position) {
            Some((_, default)) => target.assign_value(default.clone()),
            None => {
                let null = ScalarValue::try_from(&table.column(position)?.sql_type.arrow())?;
                Ok(Expr::Literal(null, None))
            }
        }
    }

    /// The table.
    pub(crate) fn table(&self) -> &Arc<HaliteTable> {
        &self.table
    }

    /// The rows of the table that a query gives, all columns of them.
    ///
    /// # Errors
    /// As [`Insert::over`].
    pub(crate) fn rows_of(&self, query: LogicalPlan) -> PlanResult<LogicalPlan> {
        let query = match query {
            LogicalPlan::Values(values) if self.is_values => self.rows(values)?,
            query => query,
        };
        self.project(query)
    }

    fn assigned(&self, query: LogicalPlan) -> PlanResult<LogicalPlan> {
        let input = self.rows_of(query)?;
        if reads(&input, &self.table) {
            return self.of_itself(input);
        }
        let source = provider_as_source(Arc::clone(&self.table) as _);
        let (name, operation) = (self.table.name(), WriteOp::Insert(self.operation));
        let insert = DmlStatement::new(name.into(), source, operation, Arc::new(input));
        Ok(LogicalPlan::Dml(insert))
    }

    /// The INSERT of rows that are read from the table itself: a change by what is there.
    fn of_itself(&self, input: LogicalPlan) -> PlanResult<LogicalPlan> {
        let change = match self.operation {
            InsertOp::Replace => Change::Replace,
            _ => Change::Insert,
        };
        let layout = Layout {
            action: Some(Action::Insert),
            old: false,
            new: true,
            returned: 0,
        };
        let table = Arc::clone(&self.table);
        Ok(ChangeNode::new(table, "INSERT", change, layout, input)?.into_plan())
    }

    /// The rows of VALUES, each value as one of its column.
    fn rows(&self, values: Values) -> PlanResult<LogicalPlan> {
        let table = self.table.bound();
        // The names are those that DataFusion gives such columns again whenever it looks at them.
        let fields = self.targets.iter().zip(1..).map(|(target, number)| {
            let data_type = table.schema().field(*target).data_type();
            Field::new(format!("column{number}"), data_type.clone(), true)
        });
        let schema = DFSchema::from_unqualified_fields(fields.collect(), Default::default())?;
        let mut values = values.values.into_iter().flatten().peekable();
        let mut rows = Vec::new();
        while values.peek().is_some() {
            let number = Some(rows.len() + 1);
            let row = self.targets.iter().zip(values.by_ref());
            let row = row.map(|(target, value)| {
                let value = self.on_clocks(table.column(*target)?, value);
                Target::of(table, *target, number)?.assign_value(value)
            });
            rows.push(row.collect::<PlanResult<Vec<Expr>>>()?);
        }
        let schema = Arc::new(schema);
        let mut all = rows.iter().flatten();
        if all.any(|value| value.exists(is_subquery).unwrap_or_default()) {
            one_by_one(rows, &schema)
        } else {
            value_rows::of_literals(Values {
                schema,
                values: rows,
            })
        }
    }

    /// A constant time without an offset is read on the clocks of the session, where the column is of instants.
    fn on_clocks(&self, column: &Column, value: Expr) -> Expr {
        match (&self.zone, &column.sql_type, &value) {
            (Some(zone), SqlType::Timestamp { utc: true, .. }, Expr::Literal(shown, _)) => {
                clocks::read_constant(shown, zone).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// The columns of the table from those of the query, their DEFAULT or NULL where none is given.
    fn project(&self, query: LogicalPlan) -> PlanResult<LogicalPlan> {
        let (table, schema) = (self.table.bound(), query.schema());
        let given = schema.columns();
        if given.len() != self.targets.len() {
            return Err(Error::invalid(format!(
                "table `{}`: the query gives {} for {}",
                table.name(),
                counted(given.len(), "column", "columns"),
                counted(self.targets.len(), "column", "columns")
            ))
            .into());
        }
        let columns = table.columns().iter().enumerate();
        let columns = columns.map(|(position, column)| {
            let mut sources = self.targets.iter().zip(&given);
            let source = sources.find(|(target, _)| **target == position);
            let source = source.map(|(_, source)| Expr::Column(source.clone()));
            let value = match source {
                None => self.default_of(position)?,
                Some(source) if self.is_values => source,
                Some(source) => Target::of(table, position, None)?
                    .over(&query, &source)?
                    .assign(source, schema)?,
            };
            Ok(value.alias(&column.name))
        });
        let columns = columns.collect::<PlanResult<Vec<Expr>>>()?;
        Projection::try_new(columns, Arc::new(query)).map(LogicalPlan::Projection)
    }
}

/// The DEFAULTs of the columns that are given no values.
fn defaults(
    table: &BoundTable,
    targets: &[usize],
    state: &SessionState,
) -> Result<Vec<(usize, Expr)>> {
    let columns = table.columns().iter().enumerate();
    let left_out = columns.filter(|(position, _)| !targets.contains(position));
    let mut defaults = Vec::new();
    for (position, column) in left_out {
        let default = default_expr(state, column)
            .map_err(|error| error.context(format!("table `{}`", table.name())))?;
        defaults.extend(default.map(|default| (position, default)));
    }
    Ok(defaults)
}

/// Writes the DEFAULTs of columns in the places of the word, among the VALUES of an INSERT.
///
/// # Errors
/// As [`Insert::take`].
pub(crate) fn write_out_defaults(catalogs: &Catalogs, parsed: &mut Written) -> Result<()> {
    let SqlStatement::Insert(insert) = innermost(parsed) else {
        return Ok(());
    };
    let TableObject::TableName(name) = &insert.table else {
        return Ok(());
    };
    let name = name.clone();
    let is_bare = insert.assignments.is_empty() && insert.columns.is_empty();
    let listed = insert.columns.clone();
    let Some(query) = &mut insert.source else {
        if is_bare {
            let table = catalogs.expect_table(&object_name(&name)?)?;
            insert.source = Some(default_values(table.bound())?);
        }
        return Ok(());
    };
    let table = catalogs.expect_table(&object_name(&name)?)?;
    refuse_given(table.bound(), &listed, query)?;
    let SetExpr::Values(values) = query.body.as_mut() else {
        return Ok(());
    };
    let mut rows = values.rows.iter().flat_map(|row| row.content.iter());
    if !rows.any(is_default) {
        return Ok(());
    }
    let targets = targets(table.bound(), &insert.columns)?;
    for row in &mut values.rows {
        for (value, target) in row.content.iter_mut().zip(&targets) {
            if is_default(value) {
                *value = default_sql(table.bound().column(*target)?)?;
            }
        }
    }
    Ok(())
}

/// Refuses numbers for a column that numbers its rows itself.
fn refuse_given(table: &BoundTable, listed: &[ObjectName], query: &Query) -> Result<()> {
    let targets = targets(table, listed)?;
    for (place, target) in targets.iter().enumerate() {
        let is_given = match query.body.as_ref() {
            SetExpr::Values(values) => {
                let mut rows = values.rows.iter();
                rows.any(|row| row.content.get(place).is_some_and(|it| !is_default(it)))
            }
            _ => true,
        };
        table.refuse_given(*target, !is_given)?;
    }
    Ok(())
}

/// `DEFAULT VALUES`: one row.
fn default_values(table: &BoundTable) -> Result<Box<Query>> {
    let columns = table.columns().iter();
    let columns = columns.filter(|column| column.generated.is_none());
    let values = columns.map(|column| Ok(default_sql(column)?.to_string()));
    let values = values.collect::<Result<Vec<_>>>()?.join(", ");
    let query = dialect::query(&format!("VALUES ({values})"));
    query.map_err(|error| Error::invalid(error.to_string()))
}

/// Whether a value is the word DEFAULT.
pub(crate) fn is_default(value: &SqlExpr) -> bool {
    matches!(value, SqlExpr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default"))
}

fn is_subquery(expr: &Expr) -> PlanResult<bool> {
    Ok(matches!(
        expr,
        Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_)
    ))
}

/// A query for each row: the values of VALUES are computed while it is planned, which no subquery can be.
fn one_by_one(rows: Vec<Vec<Expr>>, schema: &DFSchema) -> PlanResult<LogicalPlan> {
    let row = |values: Vec<Expr>| {
        let names = schema.fields().iter().map(|field| field.name());
        let values = values.into_iter().zip(names);
        let values = values.map(|(value, name)| value.alias(name));
        LogicalPlanBuilder::empty(true).project(values)
    };
    let mut rows = rows.into_iter();
    let first = row(rows.next().unwrap_or_default())?;
    let all = rows.try_fold(first, |all, values| all.union(row(values)?.build()?))?;
    all.build()
}

/// What an EXPLAIN or a PREPARE is of, or the statement itself.
pub(crate) fn innermost(parsed: &mut Written) -> &mut SqlStatement {
    fn inside(statement: &mut SqlStatement) -> &mut SqlStatement {
        match statement {
            SqlStatement::Prepare { statement, .. } | SqlStatement::Explain { statement, .. } => {
                inside(statement)
            }
            other => other,
        }
    }
    inside(&mut parsed.sql)
}

fn targets(table: &BoundTable, listed: &[ObjectName]) -> Result<Vec<usize>> {
    let columns = table.columns();
    if listed.is_empty() {
        let given = columns.iter().enumerate();
        let given = given.filter(|(_, column)| column.generated.is_none());
        return Ok(given.map(|(position, _)| position).collect());
    }
    let mut targets = Vec::new();
    for name in listed {
        let name = column_name(name)?;
        let Some(target) = columns.iter().position(|column| column.name == name) else {
            return Err(table.no_column(&name));
        };
        table.refuse_generated(target)?;
        if targets.contains(&target) {
            return Err(Error::invalid(format!(
                "table `{}`: column `{name}` is named twice",
                table.name()
            )));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Puts the values of all rows, of which each has `width`, in one row, if the query is VALUES and nothing else.
fn in_one_row(query: &mut Query, table: &BoundTable, width: usize) -> Result<bool> {
    let is_bare =
        query.order_by.is_none() && query.limit_clause.is_none() && query.pipe_operators.is_empty();
    let SetExpr::Values(values) = query.body.as_mut() else {
        return Ok(false);
    };
    let mut rows = values.rows.iter().zip(1..);
    if let Some((row, number)) = rows.find(|(row, _)| row.content.len() != width) {
        return Err(Error::invalid(format!(
            "row {number}: table `{}`: {} for {}",
            table.name(),
            counted(row.content.len(), "value is given", "values are given"),
            counted(width, "column", "columns")
        )));
    }
    if is_bare {
        let rows = std::mem::take(&mut values.rows).into_iter();
        let row = rows.flat_map(|row| row.content).collect();
        values.rows = vec![Parens::with_empty_span(row)];
    }
    Ok(is_bare)
}

fn counted(number: usize, one: &str, more: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {more}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Database;

    async fn stored(inserts: &[&str]) -> Vec<(i32, Option<i32>)> {
        let connection = Database::in_memory().unwrap().connect();
        let create = "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))";
        connection.execute(create, ()).await.unwrap();
        for insert in inserts {
            connection.execute(insert, ()).await.expect(insert);
        }
        let rows = connection.rows("SELECT a, b FROM t ORDER BY a", ()).await;
        rows.unwrap().to_vec().unwrap()
    }

    /// DataFusion gives every VALUES in an INSERT the types of the table's columns, and 1.5 becomes 1 before it is doubled.
    #[tokio::test]
    async fn values_inside_of_the_query_are_those_of_any_query() {
        let inserts = [
            "INSERT INTO t SELECT x * 2, 1 FROM (VALUES (1.5)) AS s (x)",
            "INSERT INTO t (a) WITH s (x) AS (VALUES (2.5)) SELECT x * 2 FROM s",
            "INSERT INTO t (a) SELECT 7 WHERE 1 IN (SELECT x * 2 FROM (VALUES (0.5)) AS s (x))",
            "INSERT INTO t (a) SELECT column1 * 2 FROM (VALUES (4.5) UNION ALL VALUES (5.5))",
            "INSERT INTO t (a) SELECT column1 * 2 FROM (VALUES (8.0), (7.5), (99) ORDER BY column1 LIMIT 2)",
        ];
        let keys = stored(&inserts).await.into_iter().map(|(a, _)| a);
        assert_eq!(keys.collect::<Vec<_>>(), [3, 5, 7, 9, 11, 15, 16]);
    }

    #[tokio::test]
    async fn a_value_may_be_a_subquery() {
        let inserts = [
            "INSERT INTO t VALUES ((SELECT 5), 1)",
            "INSERT INTO t (b, a) VALUES (2, 6), ((SELECT max(a) FROM t), 1 + (SELECT 6)), (NULL, 8)",
            "INSERT INTO t VALUES (9, 1 + (SELECT min(b) FROM t))",
        ];
        let expected = [
            (5, Some(1)),
            (6, Some(2)),
            (7, Some(5)),
            (8, None),
            (9, Some(2)),
        ];
        assert_eq!(stored(&inserts).await, expected);
    }

    #[tokio::test]
    async fn columns_are_taken_by_position() {
        let inserts = [
            "INSERT INTO public.t (b, a) VALUES (1, 2), (3, 4)",
            "INSERT INTO halite.public.t SELECT b + 10 AS b, a AS a FROM t",
            "REPLACE INTO t (a) SELECT a AS b FROM t WHERE a = 4",
        ];
        let expected = [(2, Some(1)), (4, Some(3)), (11, Some(2)), (13, Some(4))];
        assert_eq!(stored(&inserts).await, expected);
    }
}
