//! Key parts as SQL writes them, so that a planner sees which order a key gives.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::datatypes::IntervalMonthDayNano;
use datafusion::common::{Column, ScalarValue};
use datafusion::functions::all_default_functions;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, Operator, ScalarUDF, lit};

use super::time::{DateBin, DateTrunc};
use super::transform::TransformFunction;
use crate::key::transform::{Computed, Declaration, Form};
use crate::key::{Argument, KeyPart, TRANSFORMS};

/// The ways in which a query may write a key part: expressions whose values are those of the part. None for a plain
/// column, for a constant, for what no query can compute, and where SQL's value is finer than what the part keeps of it.
pub fn spellings(part: &KeyPart) -> Vec<Expr> {
    let Ok(declaration) = part.expression().declaration() else {
        return Vec::new();
    };
    if declaration.computed() == Computed::ByNobody || !part.transform().agrees_with_query() {
        return Vec::new();
    }
    let arguments = alternatives(declaration, &part.expression().arguments);
    let mut written = Vec::new();
    match declaration.form() {
        Form::Column | Form::Constant => {}
        Form::Operator(symbol) => {
            let binary = |sides: Vec<Expr>| binary(symbol, sides);
            written.extend(arguments.into_iter().filter_map(binary));
        }
        Form::Cast(sql_type) => {
            let cast = |inner| Expr::Cast(Cast::new(Box::new(inner), sql_type.arrow()));
            written.extend(arguments.into_iter().flatten().map(cast));
        }
        Form::Call(name) => {
            for function in FUNCTIONS.get(name).into_iter().flatten() {
                let calls = arguments.iter().map(|given| function.call(given.clone()));
                written.extend(calls);
            }
        }
    }
    written
}

/// The functions that compute a transform, by their name: that of Halite's sessions, and that of others, unless it ends where
/// keys do not.
static FUNCTIONS: LazyLock<HashMap<&'static str, Vec<Arc<ScalarUDF>>>> = LazyLock::new(|| {
    let own = TRANSFORMS
        .iter()
        .filter_map(|declaration| TransformFunction::of(*declaration))
        .map(ScalarUDF::new_from_impl);
    let mended = [
        ScalarUDF::new_from_impl(DateTrunc::default()),
        ScalarUDF::new_from_impl(DateBin::default()),
    ];
    let all = own.chain(mended).map(Arc::new);
    let theirs = all_default_functions().into_iter();
    let theirs = theirs.filter(|function| function.name() != "date_bin");
    let all: Vec<Arc<ScalarUDF>> = all.chain(theirs).collect();
    let of = |declaration: &&dyn Declaration| {
        let Form::Call(name) = declaration.form() else {
            return None;
        };
        let named = all.iter().filter(|function| function.name() == name);
        Some((name, named.cloned().collect()))
    };
    TRANSFORMS.iter().filter_map(of).collect()
});

/// Two sides with the operator of this symbol between them.
fn binary(symbol: &str, sides: Vec<Expr>) -> Option<Expr> {
    const OPERATORS: [Operator; 6] = [
        Operator::Plus,
        Operator::Minus,
        Operator::Multiply,
        Operator::Divide,
        Operator::Modulo,
        Operator::StringConcat,
    ];
    let mut operators = OPERATORS.into_iter();
    let operator = operators.find(|operator| operator.to_string() == symbol)?;
    let [left, right] = <[Expr; 2]>::try_from(sides).ok()?;
    Some(Expr::BinaryExpr(BinaryExpr::new(
        Box::new(left),
        operator,
        Box::new(right),
    )))
}

/// The lists of arguments that mean the same.
fn alternatives(declaration: &dyn Declaration, arguments: &[Argument]) -> Vec<Vec<Expr>> {
    let mut lists = vec![Vec::new()];
    for argument in arguments {
        let ways = written(declaration, argument);
        lists = lists
            .iter()
            .flat_map(|list: &Vec<Expr>| {
                let longer = |way| [list.as_slice(), std::slice::from_ref(way)].concat();
                ways.iter().map(longer)
            })
            .collect();
    }
    lists
}

/// An argument as queries write it: a unit in capitals, too, where the transform takes it so.
fn written(declaration: &dyn Declaration, argument: &Argument) -> Vec<Expr> {
    match argument {
        Argument::Column(name) => vec![Expr::Column(Column::new_unqualified(name))],
        Argument::Integer(number) => vec![lit(*number)],
        Argument::Text(text) => {
            let capitals = text.to_uppercase();
            let stored = declaration.canonical(&[Argument::Text(capitals.clone())]);
            let is_same = capitals != *text && stored.contains(argument);
            let texts = [text.clone()]
                .into_iter()
                .chain(is_same.then_some(capitals));
            texts.map(|text| lit(text.as_str())).collect()
        }
        Argument::Interval(stride) => intervals(*stride).into_iter().map(lit).collect(),
    }
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
