//! Many rows of VALUES, made when the statement is planned: behind it stands a table of them in memory, and no rule looks
//! at a hundred thousand constants, one after the other.
//!
//! It goes behind Halite's own rules, which say what the values mean, and before the simplifier and those behind it.
//! A few values stay where they are, so that EXPLAIN shows them. So do values that need something of the run: parameters,
//! the time, chance; and those that cannot be computed, of which the error comes when the plan is made.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Values, Volatility,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_expr::create_physical_expr;

/// So many values stay in the plan.
const FEW: usize = 256;

/// What the table is called in plans.
const NAME: &str = "values";

/// The rule.
#[derive(Debug)]
pub(crate) struct MakeRows;

impl OptimizerRule for MakeRows {
    fn name(&self) -> &'static str {
        "make_rows_of_values"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Values(values) = &plan else {
            return Ok(Transformed::no(plan));
        };
        if !are_many(&values.values) || !values.values.iter().flatten().all(is_constant) {
            return Ok(Transformed::no(plan));
        }
        let mut properties = ExecutionProps::new();
        properties.config_options = Some(config.options());
        match table_of(values, &properties) {
            Ok(table) => Ok(Transformed::yes(table)),
            Err(_) => Ok(Transformed::no(plan)),
        }
    }
}

/// VALUES of these rows, as a table in memory where they are many constants.
///
/// # Errors
/// Values that are not of the types that `schema` says.
pub fn of_literals(values: Values) -> Result<LogicalPlan> {
    let mut all = values.values.iter().flatten();
    if are_many(&values.values) && all.all(|value| matches!(value, Expr::Literal(..))) {
        table_of(&values, &ExecutionProps::new())
    } else {
        Ok(LogicalPlan::Values(values))
    }
}

fn are_many(rows: &[Vec<Expr>]) -> bool {
    rows.iter().map(Vec::len).sum::<usize>() > FEW
}

/// Whether it has the same value whenever, and for whomever, it is computed.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) => true,
        Expr::Alias(alias) => is_constant(&alias.expr),
        Expr::Cast(cast) => is_constant(&cast.expr),
        Expr::TryCast(cast) => is_constant(&cast.expr),
        Expr::Negative(inner) | Expr::Not(inner) => is_constant(inner),
        Expr::BinaryExpr(both) => is_constant(&both.left) && is_constant(&both.right),
        Expr::ScalarFunction(call) => {
            call.func.signature().volatility == Volatility::Immutable
                && call.args.iter().all(is_constant)
        }
        _ => false,
    }
}

/// The table, and over it its columns without its name.
fn table_of(values: &Values, properties: &ExecutionProps) -> Result<LogicalPlan> {
    let schema: SchemaRef = Arc::clone(values.schema.inner());
    let columns = (0..schema.fields().len()).map(|column| {
        let cells = values.values.iter().filter_map(|row| row.get(column));
        column_of(cells, schema.field(column).data_type(), properties)
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(values.values.len()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &rows)?;
    let names: Vec<String> = schema.fields().iter().map(|it| it.name().clone()).collect();
    let table = MemTable::try_new(schema, vec![vec![batch]])?;
    let columns = names.iter().map(|name| {
        let column = Column::new(Some(NAME), name);
        Expr::Column(column).alias(name)
    });
    LogicalPlanBuilder::scan(NAME, provider_as_source(Arc::new(table)), None)?
        .project(columns)?
        .build()
}

fn column_of<'a>(
    cells: impl Iterator<Item = &'a Expr>,
    data_type: &DataType,
    properties: &ExecutionProps,
) -> Result<ArrayRef> {
    let (schema, one_row) = (DFSchema::empty(), one_row()?);
    let context = PhysicalPlanningContext::default();
    let values = cells.map(|cell| match cell {
        Expr::Literal(value, _) => Ok(value.clone()),
        cell => {
            let computed = create_physical_expr(cell, &schema, properties, &context)?;
            match computed.evaluate(&one_row)? {
                ColumnarValue::Scalar(value) => Ok(value),
                ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0),
            }
        }
    });
    // A NULL that has no type takes the column's: the first value says of which type all are.
    let values = values.map(|value| match value? {
        ScalarValue::Null => ScalarValue::try_from(data_type),
        value => Ok(value),
    });
    ScalarValue::iter_to_array(values.collect::<Result<Vec<_>>>()?)
}

fn one_row() -> Result<RecordBatch> {
    let one = RecordBatchOptions::new().with_row_count(Some(1));
    let schema = Arc::new(Schema::empty());
    Ok(RecordBatch::try_new_with_options(schema, vec![], &one)?)
}

#[cfg(test)]
#[path = "value_rows_tests.rs"]
mod tests;
