//! Calls of functions that are written otherwise than those of DataFusion, as it takes them.
//!
//! | written | planned as |
//! |---|---|
//! | `mode() WITHIN GROUP (ORDER BY x)` | `mode(x)` |
//! | `percentile_disc(p) WITHIN GROUP (ORDER BY x)` | `quantile_disc(x, p)` |
//! | `struct_pack(a := 1)` | `named_struct('a', 1)` |
//! | `substring(x FROM 'a(b)c')` | `regexp_match(x, 'a(b)c')[1]` |
//! | `to_date(x, 'DD.MM.YYYY')` | `to_date(x, '%d.%m.%Y')` |
//! | `CAST(x AS JSON)` | `json(x)` |
//! | `[a, 1]` | `make_array(a, 1)`, where `a` may be of a query around it |
//! | `current_user` | `'halite'` |
//! | `timezone('UTC', x)` | `x AT TIME ZONE 'UTC'` |
//! | `time_bucket(INTERVAL '15 minutes', x)` | `date_bin(INTERVAL '15 minutes', x)` |
//! | `time_bucket(INTERVAL '7 days', x)` | `date_bin(INTERVAL '7 days', x, TIMESTAMP '2000-01-03')`, a Monday |
//! | `time_bucket(INTERVAL '1 month', x)` | `date_bin(INTERVAL '1 month', x, TIMESTAMP '2000-01-01')` |
//! | `INTERVAL '1 day 04:05:06'` | `INTERVAL '1 day 04 hours 05 mins 06 secs'` |
//! | `TIMESTAMP '9999-12-31'`, which nanoseconds do not hold | `TIMESTAMP(6) '9999-12-31'` |

use std::ops::ControlFlow;

use arrow::compute::kernels::cast_utils::string_to_datetime;
use chrono::{Timelike, Utc};
use sqlparser::ast::{
    CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, Interval, ObjectName, Value, VisitMut, VisitorMut,
};

use super::from_functions::names_columns;
use super::functions::{expression, name_of};
use crate::datum::{with_seconds, with_units};
use crate::function::format_of;

/// Names that say who asks; a database of one's own has no users.
const USERS: [&str; 3] = ["current_user", "session_user", "current_role"];

/// The statement with such calls as they are planned.
pub(crate) fn write_out(statement: &mut impl VisitMut) {
    let _: ControlFlow<()> = statement.visit(&mut Calls);
}

struct Calls;

impl VisitorMut for Calls {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let other = match expr {
            Expr::Function(function) => called_otherwise(function),
            Expr::Substring {
                expr,
                substring_from: Some(pattern),
                substring_for: None,
                ..
            } if is_text(pattern) => {
                let operands = [expr.as_ref().clone(), pattern.as_ref().clone()];
                expression("regexp_match($1, $2)[1]", &operands)
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type: DataType::JSON | DataType::JSONB,
                ..
            } => expression("json($1)", std::slice::from_ref(expr.as_ref())),
            Expr::Interval(interval) => {
                spell_clock(interval);
                None
            }
            Expr::TypedString(typed) => {
                reach(&mut typed.data_type, &typed.value.value);
                None
            }
            Expr::Cast {
                expr, data_type, ..
            } if let Expr::Value(value) = expr.as_ref() => {
                reach(data_type, &value.value);
                None
            }
            Expr::Array(array) if array.elem.iter().any(names_columns) => {
                let places = (1..=array.elem.len()).map(|place| format!("${place}"));
                let places = places.collect::<Vec<_>>().join(", ");
                expression(&format!("make_array({places})"), &array.elem)
            }
            _ => None,
        };
        if let Some(other) = other {
            *expr = other;
        }
        ControlFlow::Continue(())
    }
}

/// The text of an interval with units for the time of a clock in it.
fn spell_clock(interval: &mut Interval) {
    if let (None, Expr::Value(value)) = (&interval.leading_field, interval.value.as_mut())
        && let Value::SingleQuotedString(text) = &mut value.value
        && let Some(units) = with_units(text)
    {
        *text = units;
    }
}

/// Makes the type of a constant time one of microseconds, where nanoseconds do not reach it, and it has none.
fn reach(data_type: &mut DataType, value: &Value) {
    const DIGITS: u64 = 6;
    if let DataType::Timestamp(precision @ None, _) = data_type
        && let Value::SingleQuotedString(text) = value
        && is_far(text)
    {
        *precision = Some(DIGITS);
    }
}

fn is_far(text: &str) -> bool {
    let completed = with_seconds(text);
    let time = string_to_datetime(&Utc, completed.as_deref().unwrap_or(text));
    time.is_ok_and(|time| time.timestamp_nanos_opt().is_none() && time.nanosecond() % 1_000 == 0)
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(
        value.value,
        Value::SingleQuotedString(_) | Value::EscapedStringLiteral(_) | Value::DollarQuotedString(_)
    ))
}

/// The function in its other form, where that is no call of its own; else it is changed.
fn called_otherwise(function: &mut Function) -> Option<Expr> {
    let name = name_of(function)?;
    if function.args == FunctionArguments::None && USERS.contains(&name.as_str()) {
        return Some(Expr::value(Value::SingleQuotedString("halite".to_owned())));
    }
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    let (other, arguments) = match name.as_str() {
        "mode" => ("mode", vec![within(list, &function.within_group, 0)?]),
        "percentile_disc" => {
            let value = within(list, &function.within_group, 1)?;
            let part = list.args.first()?.clone();
            ("quantile_disc", vec![value, part])
        }
        "to_date" | "to_timestamp" => {
            read_by_template(list);
            return None;
        }
        "struct_pack" => ("named_struct", named(list)?),
        "timezone" | "time_bucket" => return of_time(&name, list),
        _ => return None,
    };
    list.args = arguments;
    function.within_group.clear();
    function.name = ObjectName::from(vec![Ident::new(other)]);
    None
}

/// The formats of constant templates.
fn read_by_template(list: &mut FunctionArgumentList) {
    for argument in list.args.iter_mut().skip(1) {
        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) = argument
            && let Value::SingleQuotedString(template) = &value.value
            && let Some(format) = format_of(template)
        {
            value.value = Value::SingleQuotedString(format);
        }
    }
}

/// A function of two plain arguments.
fn of_time(name: &str, list: &FunctionArgumentList) -> Option<Expr> {
    let values = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    let operands = values.collect::<Option<Vec<Expr>>>()?;
    let [first, second] = operands.as_slice() else {
        return None;
    };
    if name == "timezone" {
        return Some(Expr::AtTimeZone {
            timestamp: Box::new(second.clone()),
            time_zone: Box::new(first.clone()),
        });
    }
    let (divides_day, has_months) = width(first);
    match (divides_day, has_months) {
        (true, _) => expression("date_bin($1, $2)", &operands),
        (_, true) => expression("date_bin($1, $2, TIMESTAMP '2000-01-01')", &operands),
        _ => expression("date_bin($1, $2, TIMESTAMP '2000-01-03')", &operands),
    }
}

/// Of the width of a bucket whether a day is so many of it, and whether it is said in months: where buckets begin does not
/// matter then, or is the first of a month.
fn width(interval: &Expr) -> (bool, bool) {
    let text = interval.to_string().to_lowercase();
    let has_months = ["mon", "year", "quarter", "decade"]
        .iter()
        .any(|unit| text.contains(unit));
    let words = text.replace(['\'', '"'], " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let seconds = match words.as_slice() {
        ["interval", count, unit] => {
            let length = [
                ("second", 1_u64),
                ("minute", 60),
                ("hour", 3_600),
                ("day", 86_400),
            ];
            let length = length.iter().find(|(name, _)| unit.starts_with(name));
            length.and_then(|(_, length)| count.parse::<u64>().ok()?.checked_mul(*length))
        }
        _ => None,
    };
    let divides_day = seconds.is_some_and(|it| it > 0 && 86_400_u64.is_multiple_of(it));
    (divides_day, has_months)
}

/// The one value of WITHIN GROUP, in ascending order, of a function of so many arguments.
fn within(
    list: &FunctionArgumentList,
    group: &[sqlparser::ast::OrderByExpr],
    arguments: usize,
) -> Option<FunctionArg> {
    let [order] = group else {
        return None;
    };
    let is_plain = order.options.asc != Some(false) && list.args.len() == arguments;
    let value = FunctionArgExpr::Expr(order.expr.clone());
    is_plain.then_some(FunctionArg::Unnamed(value))
}

/// Named arguments as names and values in turn.
fn named(list: &FunctionArgumentList) -> Option<Vec<FunctionArg>> {
    let mut arguments = Vec::with_capacity(2 * list.args.len());
    for argument in &list.args {
        let (name, value) = match argument {
            FunctionArg::Named { name, arg, .. } => (name.value.clone(), arg),
            FunctionArg::ExprNamed {
                name: Expr::Identifier(name),
                arg,
                ..
            } => (name.value.clone(), arg),
            _ => return None,
        };
        let name = Expr::value(Value::SingleQuotedString(name));
        arguments.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(name)));
        arguments.push(FunctionArg::Unnamed(value.clone()));
    }
    Some(arguments)
}
