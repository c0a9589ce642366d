//! `SUMMARIZE t` and `SUMMARIZE <select>`: a row for each column, with what can be said of its values at a glance; and
//! `DESCRIBE <select>` and `DESCRIBE 'file.csv'`, the columns and their types.
//!
//! A summary is one aggregation over all columns, so that the rows are read once. What is counted about, different values
//! and quartiles, is so because exact numbers would take the memory of all values.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Float64Type, Int64Type, Schema, UInt64Type};
use datafusion::common::{Column, Result as PlanResult};
use datafusion::functions_aggregate::expr_fn;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, SortExpr, cast, lit};
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement as DFStatement;
use sqlparser::ast::Query;

use super::export::text::{NoText, columns};
use super::types::upper_type_name;
use super::{Connection, Outcome, command, fit};
use crate::error::{Error, Result};

impl Connection {
    /// `SUMMARIZE`: a row for each column of a query.
    pub(super) async fn summarize(&self, query: &Query) -> Result<Outcome> {
        let query = sqlparser::ast::Statement::Query(Box::new(query.clone()));
        let query = DFStatement::Statement(Box::new(query));
        let (mut state, plan) = self.planned(&query).await?;
        let described = described(&plan);
        let plan = aggregation(plan)?;
        fit::fit(&mut state, &plan)?;
        let (state, plan) = self.runnable(state, plan).await?;
        let batches = collect(execute_stream(plan, state.task_ctx())?).await?;
        command::rows(rows(&described, &batches)?)
    }

    /// `DESCRIBE` of what is no table of the catalog.
    pub(super) fn describe_query(&self, schema: &Schema) -> Result<Outcome> {
        command::rows(description(schema))
    }
}

/// What is said of a column of a type, if there is anything to say.
type Saying = fn(&Expr, &DataType) -> Option<Expr>;

/// What is said of each column, in order: its name, and the expression; `None` where the type has none.
const SAYINGS: &[(&str, Saying)] = &[
    ("count", |column, _| Some(expr_fn::count(column.clone()))),
    ("min", |column, of| {
        has_order(of).then(|| expr_fn::min(column.clone()))
    }),
    ("max", |column, of| {
        has_order(of).then(|| expr_fn::max(column.clone()))
    }),
    ("approx_unique", |column, of| {
        has_order(of).then(|| expr_fn::approx_distinct(cast(column.clone(), DataType::Utf8)))
    }),
    ("avg", |column, of| {
        of.is_numeric().then(|| expr_fn::avg(number(column)))
    }),
    ("std", |column, of| {
        of.is_numeric().then(|| expr_fn::stddev(number(column)))
    }),
    ("q25", |column, of| quantile(column, of, 0.25)),
    ("q50", |column, of| quantile(column, of, 0.5)),
    ("q75", |column, of| quantile(column, of, 0.75)),
];

fn number(column: &Expr) -> Expr {
    cast(column.clone(), DataType::Float64)
}

fn quantile(column: &Expr, of: &DataType, part: f64) -> Option<Expr> {
    let order = SortExpr::new(number(column), true, false);
    let quantile = || expr_fn::approx_percentile_cont(order, lit(part), None);
    of.is_numeric().then(quantile)
}

/// Whether values of the type are told apart and compared.
fn has_order(of: &DataType) -> bool {
    of.is_numeric()
        || of.is_temporal() && !matches!(of, DataType::Interval(_))
        || matches!(
            of,
            DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        )
}

/// The aggregation of all columns of a plan, into one row: the number of rows, then the sayings of each column.
fn aggregation(plan: LogicalPlan) -> PlanResult<LogicalPlan> {
    let mut all = vec![expr_fn::count(lit(1_i64)).alias("rows")];
    for (place, (qualifier, field)) in plan.schema().iter().enumerate() {
        let column = Expr::Column(Column::from((qualifier, field)));
        for (name, saying) in SAYINGS {
            let said = saying(&column, field.data_type());
            all.extend(said.map(|said| said.alias(format!("{place} {name}"))));
        }
    }
    let none: [Expr; 0] = [];
    LogicalPlanBuilder::from(plan).aggregate(none, all)?.build()
}

/// A row for each column, from the row of the aggregation.
///
/// # Errors
/// `Internal` alone.
fn rows(
    described: &[(String, DataType)],
    batches: &[RecordBatch],
) -> Result<Vec<(&'static str, ArrayRef)>> {
    let problem = |error| Error::internal("a summary without a row").with_source(error);
    let Some(first) = batches.first() else {
        return Err(Error::internal("a summary without a row"));
    };
    let row = concat_batches(&first.schema(), batches).map_err(problem)?;
    let count = row
        .column_by_name("rows")
        .and_then(integer)
        .unwrap_or_default();
    let texts = columns(&row, NoText::Shown).map_err(|error| Error::internal(error.to_string()))?;
    let said = |place: usize, name: &str| row.schema().index_of(&format!("{place} {name}")).ok();
    let texts_of = |name: &str| -> Result<ArrayRef> {
        let texts = (0..described.len()).map(|place| {
            let mut text = String::new();
            let column = said(place, name).and_then(|index| texts.get(index));
            let is_there = column.map(|column| column.read(0, &mut text)).transpose();
            let is_there = is_there.map_err(|error| Error::internal(error.to_string()))?;
            Ok((is_there == Some(true)).then_some(text))
        });
        Ok(Arc::new(texts.collect::<Result<StringArray>>()?))
    };
    let integers_of = |name: &str| -> ArrayRef {
        let found = (0..described.len()).map(|place| integer(row.column(said(place, name)?)));
        Arc::new(found.collect::<Int64Array>())
    };
    let doubles_of = |name: &str| -> ArrayRef {
        let found = (0..described.len()).map(|place| double(row.column(said(place, name)?)));
        Arc::new(found.collect::<Float64Array>())
    };
    let nulls = (0..described.len()).map(|place| {
        let there = integer(row.column(said(place, "count")?))?;
        let nulls = 100.0 * (count - there) as f64 / count as f64;
        (count > 0).then(|| (nulls * 100.0).round() / 100.0)
    });
    let nulls: ArrayRef = Arc::new(nulls.collect::<Float64Array>());
    let mut shown = names_and_types(described);
    shown.extend([("min", texts_of("min")?), ("max", texts_of("max")?)]);
    shown.push(("approx_unique", integers_of("approx_unique")));
    shown.extend(["avg", "std", "q25", "q50", "q75"].map(|name| (name, doubles_of(name))));
    shown.extend([("count", integers_of("count")), ("null_percentage", nulls)]);
    Ok(shown)
}

fn integer(array: &ArrayRef) -> Option<i64> {
    let signed = array.as_primitive_opt::<Int64Type>();
    let signed = signed.and_then(|array| array.iter().next().flatten());
    let unsigned = array.as_primitive_opt::<UInt64Type>();
    let unsigned = unsigned.and_then(|array| array.iter().next().flatten());
    signed.or(unsigned.and_then(|count| i64::try_from(count).ok()))
}

fn double(array: &ArrayRef) -> Option<f64> {
    let array = array.as_primitive_opt::<Float64Type>()?;
    array.iter().next().flatten()
}

/// The columns of a plan, with their types.
fn described(plan: &LogicalPlan) -> Vec<(String, DataType)> {
    let fields = plan.schema().fields().iter();
    fields
        .map(|field| (field.name().clone(), field.data_type().clone()))
        .collect()
}

fn names_and_types(described: &[(String, DataType)]) -> Vec<(&'static str, ArrayRef)> {
    let names = described.iter().map(|(name, _)| Some(name.clone()));
    let types = described.iter().map(|(_, of)| Some(upper_type_name(of)));
    vec![
        ("column", Arc::new(names.collect::<StringArray>())),
        ("type", Arc::new(types.collect::<StringArray>())),
    ]
}

/// The columns of `DESCRIBE`, of what is no table of the catalog: its columns, their types, and whether they may be NULL.
fn description(schema: &Schema) -> Vec<(&'static str, ArrayRef)> {
    let fields = schema.fields().iter();
    let nullable = fields.clone().map(|field| Some(field.is_nullable()));
    let nullable: ArrayRef = Arc::new(nullable.collect::<BooleanArray>());
    let described = fields.map(|field| (field.name().clone(), field.data_type().clone()));
    let mut shown = names_and_types(&described.collect::<Vec<_>>());
    shown.push(("null", nullable));
    shown
}
