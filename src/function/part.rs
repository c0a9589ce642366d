//! Key parts as SQL writes them, so that a planner sees which order a key gives.

use std::sync::Arc;

use arrow::datatypes::{DataType, IntervalMonthDayNano};
use datafusion::common::{Column, ScalarValue};
use datafusion::functions::{crypto, datetime, unicode};
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, Operator, ScalarUDF, lit};

use super::{DateTrunc, scalar_functions};
use crate::datum::SqlType;
use crate::key::{Argument, Expression, KeyColumn};

/// The ways in which a query may write a key part of these columns: expressions whose values are those of the part.
/// None for a plain column, for a constant, for `salt`, which no query can compute, and where SQL's value is finer than
/// what the part keeps of it.
pub fn spellings(part: &Expression, columns: &[KeyColumn]) -> Vec<Expr> {
    let Some(name) = part.columns().next().map(str::to_owned) else {
        return Vec::new();
    };
    let column = || Expr::Column(Column::new_unqualified(&name));
    match (part.function.as_str(), part.arguments.as_slice()) {
        ("/", [_, Argument::Integer(divisor)]) => {
            vec![binary(column(), Operator::Divide, lit(*divisor))]
        }
        ("%", [_, Argument::Integer(divisor)]) => {
            vec![binary(column(), Operator::Modulo, lit(*divisor))]
        }
        ("cast_date", _) => vec![Expr::Cast(Cast::new(Box::new(column()), DataType::Date32))],
        ("left", [_, Argument::Integer(count)]) => {
            vec![unicode::left().call(vec![column(), lit(*count)])]
        }
        ("reverse", _) => vec![unicode::reverse().call(vec![column()])],
        ("md5", _) => vec![crypto::md5().call(vec![column()])],
        ("date_trunc", [Argument::Text(unit), _]) => {
            // That of Halite's sessions, and that of others.
            let own = Arc::new(ScalarUDF::new_from_impl(DateTrunc::default()));
            let functions = [own, datetime::date_trunc()].into_iter();
            let units = [unit.to_lowercase(), unit.to_uppercase()];
            let calls = functions.flat_map(|function| {
                let call = |unit: &String| function.call(vec![lit(unit.as_str()), column()]);
                units.iter().map(call).collect::<Vec<_>>()
            });
            calls.collect()
        }
        ("date_bin", [Argument::Interval(stride), _]) if is_whole(*stride, &name, columns) => {
            let calls = intervals(*stride).into_iter();
            calls
                .map(|interval| datetime::date_bin().call(vec![lit(interval), column()]))
                .collect()
        }
        ("bucket" | "hash" | "reverse_digits", arguments) => {
            let arguments = arguments.iter().map(argument).collect();
            let function = own(&part.function);
            function.map_or_else(Vec::new, |function| vec![function.call(arguments)])
        }
        _ => Vec::new(),
    }
}

fn binary(left: Expr, operator: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), operator, Box::new(right)))
}

fn argument(argument: &Argument) -> Expr {
    match argument {
        Argument::Column(name) => Expr::Column(Column::new_unqualified(name)),
        Argument::Integer(number) => lit(*number),
        Argument::Text(text) => lit(text.as_str()),
        Argument::Interval(stride) => lit(nanoseconds(*stride)),
    }
}

/// One of the functions that SQL lacks.
fn own(name: &str) -> Option<ScalarUDF> {
    scalar_functions().find(|function| function.name() == name)
}

/// Whether bins begin at values of the column. Where they do not, SQL's bin of an instant may be finer than any.
fn is_whole(stride: i128, name: &str, columns: &[KeyColumn]) -> bool {
    let column = columns.iter().find(|column| column.name == name);
    column.is_some_and(|column| match &column.sql_type {
        SqlType::Timestamp { precision, .. } => stride % i128::from(precision.nanoseconds()) == 0,
        _ => false,
    })
}

/// An interval in nanoseconds, and in days and nanoseconds: as `INTERVAL '24 hours'` and `INTERVAL '1 day'` are held.
fn intervals(stride: i128) -> Vec<ScalarValue> {
    const DAY: i128 = 86_400_000_000_000;
    let in_days = i32::try_from(stride / DAY)
        .ok()
        .filter(|days| *days > 0)
        .zip(i64::try_from(stride % DAY).ok())
        .map(|(days, rest)| interval(days, rest));
    [Some(nanoseconds(stride)), in_days]
        .into_iter()
        .flatten()
        .collect()
}

/// An interval of so many nanoseconds; a key part's is less than 293 years.
fn nanoseconds(stride: i128) -> ScalarValue {
    interval(0, i64::try_from(stride).unwrap_or(i64::MAX))
}

fn interval(days: i32, nanoseconds: i64) -> ScalarValue {
    ScalarValue::IntervalMonthDayNano(Some(IntervalMonthDayNano::new(0, days, nanoseconds)))
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
