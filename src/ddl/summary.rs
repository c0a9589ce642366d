//! `SUMMARIZE t` and `SUMMARIZE <select>`: a row for each column, with what can be said of its values at a glance.
//!
//! A summary is one aggregation over [`AT_ONCE`] columns, so that the rows of most tables are read once. What is counted
//! about, different values and quartiles, is so because exact numbers would take the memory of all values.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::common::{Column, Result as PlanResult};
use datafusion::functions_aggregate::expr_fn;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, SortExpr, cast, lit};
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::execute_stream;
use sqlparser::ast::Query;

use crate::error::{Error, Result};
use crate::file::export::text::{NoText, columns};
use crate::run::batch_size;
use crate::run::context::Context;
use crate::run::describe::names_and_types;
use crate::run::outcome::{self, Outcome};

/// `SUMMARIZE`: a row for each column of a query.
///
/// # Errors
/// What is wrong with the query.
pub(crate) async fn summarize(context: &Context, query: &Query) -> Result<Outcome> {
    let query = Box::new(query.clone()).into();
    let (state, plan) = context.planned(&query).await?;
    let described = described(&plan);
    let mut summaries = Vec::new();
    // Of a table without columns the rows are counted.
    for first in (0..described.len().max(1)).step_by(AT_ONCE) {
        let columns = first..described.len().min(first + AT_ONCE);
        let plan = aggregation(plan.clone(), columns)?;
        let mut state = state.clone();
        batch_size::fit(&mut state, &plan)?;
        let (state, plan) = context.runnable(state, plan).await?;
        let batches = collect(execute_stream(plan, state.task_ctx())?).await?;
        summaries.push(Summary::of(&batches)?);
    }
    outcome::rows(rows(&described, &summaries)?)
}

/// So many columns are summarized by one aggregation. One over all columns of a wide table would take a minute to be
/// planned, which grows with the square.
const AT_ONCE: usize = 200;

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

/// The aggregation of some columns of a plan, into one row: the number of rows, then the sayings of each column.
fn aggregation(plan: LogicalPlan, columns: Range<usize>) -> PlanResult<LogicalPlan> {
    let mut all = vec![expr_fn::count(lit(1_i64)).alias(ROWS)];
    let fields = plan.schema().iter().enumerate();
    for (place, (qualifier, field)) in fields.skip(columns.start).take(columns.len()) {
        let column = Expr::Column(Column::from((qualifier, field)));
        for (name, saying) in SAYINGS {
            let said = saying(&column, field.data_type());
            all.extend(said.map(|said| said.alias(format!("{place} {name}"))));
        }
    }
    // The builder would look up each column by its name once more.
    Aggregate::try_new(Arc::new(plan), Vec::new(), all).map(LogicalPlan::Aggregate)
}

/// The column of an aggregation that has the number of rows.
const ROWS: &str = "rows";

/// What an aggregation found.
struct Summary {
    row: RecordBatch,
    texts: Vec<Option<String>>,
    places: HashMap<String, usize>,
}

impl Summary {
    /// The row of an aggregation.
    ///
    /// # Errors
    /// `Internal` alone.
    fn of(batches: &[RecordBatch]) -> Result<Self> {
        let problem = |error| Error::internal("a summary without a row").with_source(error);
        let Some(first) = batches.first() else {
            return Err(Error::internal("a summary without a row"));
        };
        let row = concat_batches(&first.schema(), batches).map_err(problem)?;
        let told = |error: std::io::Error| Error::internal(error.to_string());
        let mut texts = Vec::new();
        for column in columns(&row, NoText::Shown).map_err(told)? {
            let mut text = String::new();
            let is_there = column.read(0, &mut text).map_err(told)?;
            texts.push(is_there.then_some(text));
        }
        let schema = row.schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        let places = names.zip(0..).collect();
        Ok(Self { row, texts, places })
    }

    /// What is said of a column.
    fn said(&self, name: &str) -> Option<&ArrayRef> {
        self.row.columns().get(*self.places.get(name)?)
    }

    /// The same as text.
    fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(*self.places.get(name)?)?.as_deref()
    }
}

/// A row for each column, from the rows of the aggregations.
///
/// # Errors
/// `Internal` alone.
fn rows(
    described: &[(String, DataType)],
    summaries: &[Summary],
) -> Result<Vec<(&'static str, ArrayRef)>> {
    let first = summaries.first();
    let count = first
        .and_then(|first| integer(first.said(ROWS)?))
        .unwrap_or_default();
    let summary = |place: usize| summaries.get(place / AT_ONCE);
    let said = |place: usize, name: &str| summary(place)?.said(&format!("{place} {name}"));
    let texts_of = |name: &str| -> ArrayRef {
        let texts =
            (0..described.len()).map(|place| summary(place)?.text(&format!("{place} {name}")));
        Arc::new(texts.collect::<StringArray>())
    };
    let integers_of = |name: &str| -> ArrayRef {
        let found = (0..described.len()).map(|place| integer(said(place, name)?));
        Arc::new(found.collect::<Int64Array>())
    };
    let doubles_of = |name: &str| -> ArrayRef {
        let found = (0..described.len()).map(|place| double(said(place, name)?));
        Arc::new(found.collect::<Float64Array>())
    };
    let nulls = (0..described.len()).map(|place| {
        let there = integer(said(place, "count")?)?;
        let nulls = 100.0 * (count - there) as f64 / count as f64;
        (count > 0).then(|| (nulls * 100.0).round() / 100.0)
    });
    let nulls: ArrayRef = Arc::new(nulls.collect::<Float64Array>());
    let mut shown = names_and_types(described);
    shown.extend([("min", texts_of("min")), ("max", texts_of("max"))]);
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

#[cfg(test)]
mod tests {
    use crate::session::Database;
    use crate::session::testing::rows_of;

    #[tokio::test]
    async fn more_columns_than_are_summarized_at_once() {
        let connection = Database::in_memory().unwrap().connect();
        let columns: Vec<String> = (0..450).map(|n| format!("value + {n} AS c{n}")).collect();
        let sql = format!(
            "SUMMARIZE SELECT {} FROM generate_series(1, 3)",
            columns.join(", ")
        );
        let rows = rows_of(&connection, &sql).await;
        assert_eq!(rows.len(), 450);
        for (n, row) in rows.iter().enumerate() {
            let expected = format!("c{n}, BIGINT, {}, {}, 3, {}.0, 1.0,", 1 + n, 3 + n, 2 + n);
            assert!(row.replace('|', ", ").contains(&expected), "{row}");
        }
    }
}
