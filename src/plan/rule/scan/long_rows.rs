//! Long lists of rows are joined: `(a, b) IN ((1, 2), (3, 4), …)` of more than a few thousand.
//!
//! A shorter list is written out (`crate::plan::rule::compare::tuples`) and becomes key ranges. A longer one would be as many terms, that every
//! rule goes through and every row is asked. As a table in memory that the rows are joined with, it costs a look into a
//! hash table for each row, and tells the scan below which keys it needs. What each column can be is asked of the rows
//! besides, in a list, or between the least and the greatest.
//!
//! The constants become values of the columns' types: one that no value of the column is equal to takes its row with it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, ExprSchema, JoinType, Result, ScalarValue};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::utils::{conjunction, split_conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, LogicalPlanBuilder, lit};

use crate::convert::bytes::is_text;
use crate::datum::first_between;
use crate::plan::rule::compare::tuples;
use crate::plan::rule::rewriting::NodeRule;
use crate::sql::limits::guard::MAX_ROWS_COMPARED;
use crate::sql::marks::ROWS;

/// The rule. See the [module](self).
pub(crate) const JOIN_LONG_LISTS: NodeRule = NodeRule {
    name: "halite_join_long_lists",
    rewrite,
};

/// So many values of a column are a list; of more the least and the greatest are told.
const LISTED: usize = 10_000;

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Filter(filter) = &plan else {
        return Ok(Transformed::no(plan));
    };
    let mut conjuncts = split_conjunction(&filter.predicate).into_iter();
    let has_long = conjuncts.any(|it| long_list(it).is_some());
    if !has_long || filter.predicate.contains_outer() {
        return Ok(Transformed::no(plan));
    }
    let conjuncts = split_conjunction_owned(filter.predicate.clone());
    let (mut kept, mut joined) = (Vec::new(), Vec::new());
    for conjunct in conjuncts {
        match long_list(&conjunct).map(|list| Rows::of(list, filter.input.schema())) {
            Some(Some(rows)) => {
                kept.extend(rows.narrowed());
                joined.push(rows);
            }
            _ => kept.push(conjunct),
        }
    }
    if joined.is_empty() {
        return Ok(Transformed::no(plan));
    }
    let mut plan = LogicalPlanBuilder::from(Arc::clone(&filter.input));
    if let Some(kept) = conjunction(kept) {
        plan = plan.filter(kept)?;
    }
    for (number, rows) in joined.into_iter().enumerate() {
        let name = format!("{ROWS}{number}");
        let keys = (0..rows.columns.len()).map(|place| Column::new(Some(name.clone()), key(place)));
        let keys = (rows.columns.clone(), keys.collect::<Vec<_>>());
        plan = plan.join(rows.table(&name)?, JoinType::LeftSemi, keys, None)?;
    }
    plan.build().map(Transformed::yes)
}

/// The list of rows that a condition is, if it is a long one.
fn long_list(condition: &Expr) -> Option<&InList> {
    match condition {
        Expr::InList(list) if list.list.len() > MAX_ROWS_COMPARED && !list.negated => Some(list),
        _ => None,
    }
}

fn key(place: usize) -> String {
    format!("c{place}")
}

/// The rows of a list, as values of the types of the columns that they are compared with.
struct Rows {
    columns: Vec<Column>,
    types: Vec<DataType>,
    /// The values of each column.
    values: Vec<Vec<ScalarValue>>,
}

impl Rows {
    /// `None` where something is no column, no constant, or of another kind than its column.
    fn of(list: &InList, schema: &DFSchema) -> Option<Self> {
        let columns = tuples::values_of(unnamed(&list.expr)).ok()??;
        let columns = columns.into_iter().map(|column| match column {
            Expr::Column(column) => Some(column),
            _ => None,
        });
        let columns = columns.collect::<Option<Vec<Column>>>()?;
        let types = columns.iter().map(|column| {
            let field = schema.field_from_column(column).ok()?;
            Some(field.data_type().clone())
        });
        let types = types.collect::<Option<Vec<_>>>()?;
        let mut values = vec![Vec::with_capacity(list.list.len()); columns.len()];
        for row in &list.list {
            let row = tuples::values_of(unnamed(row)).ok()??;
            if row.len() != columns.len() {
                return None;
            }
            let row = row.iter().zip(&types);
            let row = row.map(|(value, data_type)| exactly(constant(value)?, data_type));
            let row = row.collect::<Option<Vec<Option<ScalarValue>>>>()?;
            if let Some(row) = row.into_iter().collect::<Option<Vec<_>>>() {
                let places = values.iter_mut().zip(row);
                places.for_each(|(values, value)| values.push(value));
            }
        }
        Some(Self {
            columns,
            types,
            values,
        })
    }

    /// What each column must be, whichever row it is of.
    fn narrowed(&self) -> Vec<Expr> {
        let mut narrowed = Vec::new();
        for (column, values) in self.columns.iter().zip(&self.values) {
            let column = Expr::Column(column.clone());
            let distinct: HashSet<&ScalarValue> = values.iter().collect();
            if distinct.len() <= LISTED {
                let list = distinct.into_iter().cloned();
                let list: Vec<Expr> = list.map(|value| Expr::Literal(value, None)).collect();
                narrowed.push(if list.is_empty() {
                    lit(false)
                } else {
                    column.in_list(list, false)
                });
                continue;
            }
            let ordered = |one: &&ScalarValue, other: &&ScalarValue| {
                one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal)
            };
            let least = distinct.iter().copied().min_by(ordered);
            let greatest = distinct.iter().copied().max_by(ordered);
            if let (Some(least), Some(greatest)) = (least, greatest) {
                let bound = |value: &ScalarValue| Expr::Literal(value.clone(), None);
                narrowed.push(column.clone().gt_eq(bound(least)));
                narrowed.push(column.lt_eq(bound(greatest)));
            }
        }
        narrowed
    }

    fn table(self, name: &str) -> Result<LogicalPlan> {
        let fields = self.types.iter().enumerate();
        let fields =
            fields.map(|(place, data_type)| Field::new(key(place), data_type.clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = self.values.into_iter().zip(&self.types);
        let columns = columns.map(|(values, data_type)| {
            if values.is_empty() {
                Ok(arrow::array::new_empty_array(data_type))
            } else {
                ScalarValue::iter_to_array(values)
            }
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
        let table = MemTable::try_new(schema, vec![vec![batch]])?;
        LogicalPlanBuilder::scan(name, provider_as_source(Arc::new(table)), None)?.build()
    }
}

fn unnamed(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unnamed(&alias.expr),
        other => other,
    }
}

/// The value of a constant, as far as casts and signs go.
fn constant(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Alias(alias) => constant(&alias.expr),
        Expr::Negative(inner) => constant(inner)?.arithmetic_negate().ok(),
        Expr::Cast(Cast { expr, field }) => constant(expr)?.cast_to(field.data_type()).ok(),
        _ => None,
    }
}

/// The value of a type that a constant is equal to: `None` inside where there is none, outside where it is not known.
fn exactly(value: ScalarValue, to: &DataType) -> Option<Option<ScalarValue>> {
    let from = value.data_type();
    let is_exact = |data_type: &DataType| data_type.is_integer() || data_type.is_decimal();
    match (&from, to) {
        _ if value.is_null() => Some(None),
        _ if from == *to && !to.is_floating() && !to.is_nested() => Some(Some(value)),
        (from, to) if is_exact(from) && is_exact(to) => Some(number(&value, to)),
        (DataType::Timestamp(_, None), DataType::Timestamp(unit, None)) => {
            Some(stamp(&value, *unit, to))
        }
        (text, DataType::Timestamp(unit, zone)) if is_text(text) => {
            let nanoseconds = DataType::Timestamp(TimeUnit::Nanosecond, zone.clone());
            let read = value
                .cast_to(&nanoseconds)
                .ok()
                .filter(|read| !read.is_null())?;
            Some(stamp(&read, *unit, to))
        }
        (text, DataType::Date32) if is_text(text) => {
            let is_day = value
                .try_as_str()
                .flatten()
                .is_some_and(|text| text.len() == 10);
            let day = value
                .cast_to(to)
                .ok()
                .filter(|day| is_day && !day.is_null())?;
            Some(Some(day))
        }
        _ => None,
    }
}

/// A number of another type, if one is equal.
fn number(value: &ScalarValue, to: &DataType) -> Option<ScalarValue> {
    let converted = value.cast_to(to).ok().filter(|it| !it.is_null())?;
    let back = converted.cast_to(&value.data_type()).ok()?;
    (back == *value).then_some(converted)
}

/// A stamp in another unit, if it is one of that.
fn stamp(value: &ScalarValue, unit: TimeUnit, to: &DataType) -> Option<ScalarValue> {
    let array = value.to_array().ok()?;
    match first_between(&array, unit) {
        Some(_) => None,
        None => value.cast_to(to).ok().filter(|it| !it.is_null()),
    }
}

#[cfg(test)]
#[path = "long_rows_tests.rs"]
mod tests;
