//! What is wrong with an INSERT that cannot be planned, in terms of the table.
//!
//! DataFusion's errors name neither table nor column. Once it has refused a statement, the statement is looked at
//! again; what is found nothing wrong with here keeps DataFusion's words, with the table in front.

use arrow::compute::can_cast_types;
use arrow::datatypes::DataType;
use datafusion::execution::session_state::SessionState;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::{
    Expr, Insert, Parens, Query, SetExpr, Statement as SqlStatement, TableObject, Value, Values,
};

use super::Connection;
use crate::catalog::ddl::object_name;
use crate::error::{Error, Result};
use crate::schema::{BoundTable, Column};

/// The error of an INSERT that could not be planned; that of any other statement as it is.
pub(super) async fn named(
    connection: &Connection,
    state: &SessionState,
    parsed: &DFStatement,
    error: Error,
) -> Error {
    let Some(insert) = insert_of(parsed) else {
        return error;
    };
    let TableObject::TableName(name) = &insert.table else {
        return error;
    };
    let table =
        object_name(name).and_then(|name| connection.database().catalog().expect_table(&name));
    match table {
        Err(unknown) => unknown,
        Ok(table) => match check(state, table.bound(), insert).await {
            Err(found) => found,
            Ok(()) => error.context(format!("table `{}`", table.name())),
        },
    }
}

pub(super) fn insert_of(parsed: &DFStatement) -> Option<&Insert> {
    match parsed {
        DFStatement::Statement(statement) => match statement.as_ref() {
            SqlStatement::Insert(insert) => Some(insert),
            SqlStatement::Prepare { statement, .. } => match statement.as_ref() {
                SqlStatement::Insert(insert) => Some(insert),
                _ => None,
            },
            _ => None,
        },
        DFStatement::Explain(explain) => insert_of(&explain.statement),
        _ => None,
    }
}

async fn check(state: &SessionState, table: &BoundTable, insert: &Insert) -> Result<()> {
    let columns = target_columns(table, insert)?;
    let Some(query) = &insert.source else {
        return Ok(());
    };
    match query.body.as_ref() {
        SetExpr::Values(values) => {
            check_values(state, table, &columns, values, query.as_ref().clone()).await
        }
        _ => check_query(state, table, &columns, query).await,
    }
}

/// The columns that are given values, in the order of the values.
fn target_columns<'a>(table: &'a BoundTable, insert: &Insert) -> Result<Vec<&'a Column>> {
    if insert.columns.is_empty() {
        return Ok(table.columns().iter().collect());
    }
    let mut targets: Vec<&Column> = Vec::new();
    for name in &insert.columns {
        let name = object_name(name)?;
        let Some(column) = table.columns().iter().find(|column| column.name == name) else {
            let known: Vec<String> = table
                .columns()
                .iter()
                .map(|column| format!("`{}`", column.name))
                .collect();
            return Err(Error::invalid(format!(
                "table `{}` has no column `{name}`; its columns are {}",
                table.name(),
                known.join(", ")
            )));
        };
        if targets.iter().any(|target| target.name == name) {
            return Err(Error::invalid(format!(
                "table `{}`: column `{name}` is named twice",
                table.name()
            )));
        }
        targets.push(column);
    }
    Ok(targets)
}

async fn check_values(
    state: &SessionState,
    table: &BoundTable,
    columns: &[&Column],
    values: &Values,
    mut single: Query,
) -> Result<()> {
    for (row, number) in values.rows.iter().zip(1..) {
        if row.content.len() != columns.len() {
            return Err(Error::invalid(format!(
                "row {number}: table `{}`: {} for {}",
                table.name(),
                counted(row.content.len(), "value is given", "values are given"),
                counted(columns.len(), "column", "columns")
            )));
        }
        for (value, column) in row.content.iter().zip(columns) {
            let from = type_of(state, value, &mut single).await;
            if from.is_some_and(|from| !can_cast_types(&from, &column.sql_type.arrow())) {
                return Err(Error::invalid(format!(
                    "row {number}: table `{}`: column `{}` of type {} cannot hold {value}: it is not the same kind of value",
                    table.name(),
                    column.name,
                    column.sql_type
                )));
            }
        }
    }
    Ok(())
}

/// The type of a value on its own, if it can be one that is not cast to every other. `single` is a query to ask with.
async fn type_of(state: &SessionState, value: &Expr, single: &mut Query) -> Option<DataType> {
    if let Expr::Value(value) = value
        && matches!(
            value.value,
            Value::Number(..) | Value::SingleQuotedString(_) | Value::Null
        )
    {
        return None;
    }
    *single.body = SetExpr::Values(Values {
        explicit_row: false,
        value_keyword: false,
        rows: vec![Parens::with_empty_span(vec![value.clone()])],
    });
    let statement = SqlStatement::Query(Box::new(single.clone()));
    let statement = DFStatement::Statement(Box::new(statement));
    let plan = state.statement_to_plan(statement).await.ok()?;
    let field = plan.schema().fields().first()?;
    Some(field.data_type().clone())
}

async fn check_query(
    state: &SessionState,
    table: &BoundTable,
    columns: &[&Column],
    query: &Query,
) -> Result<()> {
    let statement = SqlStatement::Query(Box::new(query.clone()));
    let statement = DFStatement::Statement(Box::new(statement));
    let plan = state.statement_to_plan(statement).await?;
    let fields = plan.schema().fields();
    if fields.len() != columns.len() {
        return Err(Error::invalid(format!(
            "table `{}`: the query gives {} for {}",
            table.name(),
            counted(fields.len(), "column", "columns"),
            counted(columns.len(), "column", "columns")
        )));
    }
    for (field, column) in fields.iter().zip(columns) {
        if !can_cast_types(field.data_type(), &column.sql_type.arrow()) {
            return Err(Error::invalid(format!(
                "table `{}`: column `{}` of type {} cannot hold `{}` of type {}: it is not the same kind of value",
                table.name(),
                column.name,
                column.sql_type,
                field.name(),
                field.data_type()
            )));
        }
    }
    Ok(())
}

fn counted(number: usize, one: &str, more: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {more}"),
    }
}
