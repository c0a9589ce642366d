//! Functions that are written out: what other databases call by a name, and SQL says without.
//!
//! `date_add(d, i)` is `d + i`, `year(ts)` is `extract(year FROM ts)`. Written out they are planned as what they stand for,
//! so that key ranges are found for them. It is done behind the [names](crate::plan::bind::names) of columns, which stay as they are
//! written. [`written_out`] lists them for completion.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, ObjectNamePart, Statement, VisitMut, VisitorMut,
};
use sqlparser::parser::Parser;

use crate::catalog::plain_arguments;
use crate::error::{Error, Result};
use crate::sql::dialect::HaliteDialect;
use crate::sql::ident::IdentCase;
use crate::sql::placeholders::number_of;

/// A function: its name, how many arguments it has, and the expression that it is, which says `$1` for the first. An
/// expression names each argument once: what it costs, and what it is by chance, is not doubled.
struct Form(&'static str, usize, &'static str);

/// Every one.
const FORMS: &[Form] = &[
    Form("age", 1, "age(CAST(current_date AS TIMESTAMP), $1)"),
    Form(
        "array_lower",
        2,
        "CASE WHEN array_length($1, $2) > 0 THEN 1 END",
    ),
    Form(
        "array_upper",
        2,
        "nullif(CAST(array_length($1, $2) AS BIGINT), 0)",
    ),
    Form("century", 1, "(extract(YEAR FROM $1) + 99) // 100"),
    Form("count_if", 1, "count(CASE WHEN $1 THEN 1 END)"),
    Form("countif", 1, "count(CASE WHEN $1 THEN 1 END)"),
    Form("current_database", 0, "'halite'"),
    Form("current_schema", 0, "'public'"),
    Form("date", 1, "CAST($1 AS DATE)"),
    Form("date_add", 2, "$1 + $2"),
    Form("date_sub", 2, "$1 - $2"),
    Form("datediff", 2, "date_diff('day', $2, $1)"),
    Form("day", 1, "extract(DAY FROM $1)"),
    Form("dayname", 1, "strftime($1, '%A')"),
    Form("dayofmonth", 1, "extract(DAY FROM $1)"),
    Form("dayofweek", 1, "extract(DOW FROM $1)"),
    Form("dayofyear", 1, "extract(DOY FROM $1)"),
    Form("decade", 1, "extract(YEAR FROM $1) // 10"),
    Form("div", 2, "$1 // $2"),
    Form("e", 0, "exp(1e0)"),
    Form("epoch", 1, "extract(EPOCH FROM $1)"),
    Form(
        "epoch_ms",
        1,
        "CAST(round(extract(EPOCH FROM $1) * 1000) AS BIGINT)",
    ),
    Form(
        "epoch_us",
        1,
        "CAST(round(extract(EPOCH FROM $1) * 1000000) AS BIGINT)",
    ),
    Form("equal_null", 2, "$1 IS NOT DISTINCT FROM $2"),
    Form("fmod", 2, "$1 % $2"),
    Form("gen_random_uuid", 0, "uuid()"),
    Form("geomean", 1, "exp(avg(ln($1)))"),
    Form("geometric_mean", 1, "exp(avg(ln($1)))"),
    Form("group_concat", 1, "string_agg($1, ',')"),
    Form("group_concat", 2, "string_agg($1, $2)"),
    Form("hour", 1, "extract(HOUR FROM $1)"),
    Form("if", 3, "CASE WHEN $1 THEN $2 ELSE $3 END"),
    Form("iff", 3, "CASE WHEN $1 THEN $2 ELSE $3 END"),
    Form("iif", 3, "CASE WHEN $1 THEN $2 ELSE $3 END"),
    Form("isfinite", 1, "abs($1) < CAST('Infinity' AS DOUBLE)"),
    Form("isinf", 1, "abs($1) = CAST('Infinity' AS DOUBLE)"),
    Form("isnull", 1, "$1 IS NULL"),
    Form("isodow", 1, "extract(ISODOW FROM $1)"),
    Form("isoyear", 1, "extract(ISOYEAR FROM $1)"),
    Form("json_agg", 1, "to_json(array_agg($1))"),
    Form("json_group_array", 1, "to_json(array_agg($1))"),
    Form("jsonb_agg", 1, "to_json(array_agg($1))"),
    Form(
        "last_day",
        1,
        "CAST(date_trunc('month', CAST($1 AS DATE)) + INTERVAL '1 month' - INTERVAL '1 day' AS DATE)",
    ),
    Form("list_first", 1, "array_element($1, 1)"),
    Form("list_last", 1, "array_element($1, -1)"),
    Form("locate", 2, "strpos($2, $1)"),
    Form(
        "make_timestamptz",
        6,
        "CAST(make_timestamp($1, $2, $3, $4, $5, $6) AS TIMESTAMPTZ)",
    ),
    Form("microsecond", 1, "extract(MICROSECOND FROM $1)"),
    Form("millisecond", 1, "extract(MILLISECOND FROM $1)"),
    Form("minute", 1, "extract(MINUTE FROM $1)"),
    Form("mod", 2, "$1 % $2"),
    Form("month", 1, "extract(MONTH FROM $1)"),
    Form("monthname", 1, "strftime($1, '%B')"),
    Form("nanosecond", 1, "extract(NANOSECOND FROM $1)"),
    Form("quarter", 1, "extract(QUARTER FROM $1)"),
    Form(
        "quote_literal",
        1,
        "'''' || replace(CAST($1 AS TEXT), '''', '''''') || ''''",
    ),
    Form(
        "regexp_full_match",
        2,
        "regexp_like($1, concat('^(?:', $2, ')$'))",
    ),
    Form("second", 1, "extract(SECOND FROM $1)"),
    Form("space", 1, "repeat(' ', $1)"),
    Form("to_days", 1, "INTERVAL '1 day' * $1"),
    Form("to_hours", 1, "INTERVAL '1 hour' * $1"),
    Form("to_milliseconds", 1, "INTERVAL '1 millisecond' * $1"),
    Form("to_minutes", 1, "INTERVAL '1 minute' * $1"),
    Form("to_months", 1, "INTERVAL '1 month' * $1"),
    Form("to_seconds", 1, "INTERVAL '1 second' * $1"),
    Form("to_weeks", 1, "INTERVAL '7 days' * $1"),
    Form("to_years", 1, "INTERVAL '1 year' * $1"),
    Form("unhex", 1, "decode($1, 'hex')"),
    Form("week", 1, "extract(WEEK FROM $1)"),
    Form("weekday", 1, "extract(DOW FROM $1)"),
    Form("weekofyear", 1, "extract(WEEK FROM $1)"),
    Form("xor", 2, "$1 # $2"),
    Form("year", 1, "extract(YEAR FROM $1)"),
];

/// Functions of other databases that ours have under another name, with whatever stands in and behind their brackets.
const RENAMED: &[(&str, &str)] = &[
    ("approx_count_distinct", "approx_distinct"),
    ("approx_quantile", "approx_percentile_cont"),
    ("array_apply", "array_transform"),
    ("array_to_json", "to_json"),
    ("ceiling", "ceil"),
    ("clock_timestamp", "now"),
    ("every", "bool_and"),
    ("first", "first_value"),
    ("last", "last_value"),
    ("lcase", "lower"),
    ("list", "array_agg"),
    ("list_apply", "list_transform"),
    ("list_min", "array_min"),
    ("list_value", "make_array"),
    ("listagg", "string_agg"),
    ("mid", "substr"),
    ("ord", "ascii"),
    ("prefix", "starts_with"),
    ("regexp_matches", "regexp_like"),
    ("sign", "signum"),
    ("split", "string_to_array"),
    ("statement_timestamp", "now"),
    ("str_split", "string_to_array"),
    ("string_split", "string_to_array"),
    ("strlen", "octet_length"),
    ("struct_extract", "get_field"),
    ("suffix", "ends_with"),
    ("transaction_timestamp", "now"),
    ("truncate", "trunc"),
    ("ucase", "upper"),
    ("unicode", "ascii"),
    ("variance", "var_samp"),
];

/// The expressions by name and number of arguments.
static EXPRESSIONS: LazyLock<HashMap<(&str, usize), Expr>> = LazyLock::new(|| {
    let parsed = FORMS.iter().filter_map(|Form(name, arguments, text)| {
        let dialect = HaliteDialect::new(text.len());
        let parser = Parser::new(&dialect).try_with_sql(text);
        let expr = parser.and_then(|mut parser| parser.parse_expr()).ok()?;
        Some(((*name, *arguments), expr))
    });
    parsed.collect()
});

/// The names of all functions that are written out, each once.
pub fn written_out() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = FORMS.iter().map(|Form(name, ..)| *name).collect();
    names.dedup();
    names.extend(RENAMED.iter().map(|(name, _)| *name));
    names.into_iter()
}

/// The statement without calls of them. `is_known` says of a name whether the session has a function of it, which then
/// takes the calls with other numbers of arguments.
///
/// # Errors
/// `InvalidInput` for a call with the wrong number of arguments.
pub(crate) fn write_out(statement: &mut Statement, is_known: &dyn Fn(&str) -> bool) -> Result<()> {
    let found = statement.visit(&mut Writer { is_known });
    found.break_value().map_or(Ok(()), Err)
}

struct Writer<'a> {
    is_known: &'a dyn Fn(&str) -> bool,
}

impl VisitorMut for Writer<'_> {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let Expr::Function(function) = expr else {
            return ControlFlow::Continue(());
        };
        let Some(name) = name_of(function) else {
            return ControlFlow::Continue(());
        };
        let mut renamed = RENAMED.iter();
        if let Some((_, other)) = renamed.find(|(renamed, _)| *renamed == name)
            && !(self.is_known)(&name)
        {
            function.name = ObjectName::from(vec![Ident::new(*other)]);
            return ControlFlow::Continue(());
        }
        let forms = FORMS.iter().filter(|Form(form, ..)| *form == name);
        let counts: Vec<usize> = forms.map(|Form(_, arguments, _)| *arguments).collect();
        if counts.is_empty() {
            return ControlFlow::Continue(());
        }
        let Some(arguments) = plain_arguments(function) else {
            return ControlFlow::Continue(());
        };
        match EXPRESSIONS.get(&(name.as_str(), arguments.len())) {
            Some(form) => {
                if let Some(written) = with_clauses(filled(form, &arguments), function) {
                    *expr = written;
                }
            }
            None if (self.is_known)(&name) => {}
            None => return ControlFlow::Break(wrong_count(&name, &counts, arguments.len())),
        }
        ControlFlow::Continue(())
    }
}

fn wrong_count(name: &str, wanted: &[usize], given: usize) -> Error {
    let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let wanted = wanted.join(" or ");
    Error::invalid(format!(
        "{name} takes {wanted} argument{}, not {given}",
        if wanted == "1" { "" } else { "s" }
    ))
}

/// The name of a function that is in no schema, in lower case unless it is quoted.
pub(crate) fn name_of(function: &Function) -> Option<String> {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else {
        return None;
    };
    Some(IdentCase::ALWAYS.name(name))
}

/// The expression with what a call has beside its arguments (DISTINCT, ORDER BY, FILTER, OVER) at the aggregate in it;
/// `None` where there is none that takes them.
fn with_clauses(mut expr: Expr, call: &Function) -> Option<Expr> {
    let FunctionArguments::List(list) = &call.args else {
        return None;
    };
    let is_plain = call.over.is_none()
        && call.filter.is_none()
        && call.null_treatment.is_none()
        && call.within_group.is_empty()
        && list.duplicate_treatment.is_none()
        && list.clauses.is_empty();
    if call.parameters != FunctionArguments::None {
        return None;
    }
    let mut clauses = Clauses(Some(call).filter(|_| !is_plain));
    let _: ControlFlow<()> = expr.visit(&mut clauses);
    clauses.0.is_none().then_some(expr)
}

/// Gives the outermost aggregate the clauses of a call.
struct Clauses<'a>(Option<&'a Function>);

/// The aggregates that expressions are written with.
const AGGREGATES: &[&str] = &["array_agg", "avg", "count", "string_agg"];

impl VisitorMut for Clauses<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(aggregate) = expr
            && name_of(aggregate).is_some_and(|name| AGGREGATES.contains(&name.as_str()))
            && let Some(call) = self.0.take()
        {
            aggregate.over = call.over.clone();
            aggregate.null_treatment = call.null_treatment;
            aggregate.within_group = call.within_group.clone();
            aggregate.filter = match (aggregate.filter.take(), call.filter.clone()) {
                (Some(own), Some(left)) => Some(Box::new(Expr::BinaryOp {
                    left,
                    op: BinaryOperator::And,
                    right: Box::new(Expr::Nested(own)),
                })),
                (own, left) => own.or(left),
            };
            if let (FunctionArguments::List(own), FunctionArguments::List(given)) =
                (&mut aggregate.args, &call.args)
            {
                own.duplicate_treatment = given.duplicate_treatment;
                own.clauses = given.clauses.clone();
            }
        }
        ControlFlow::Continue(())
    }
}

/// An expression that is written by the program, with the arguments in the places of `$1`, `$2`, …
pub(crate) fn expression(text: &str, arguments: &[Expr]) -> Option<Expr> {
    let dialect = HaliteDialect::new(text.len());
    let parser = Parser::new(&dialect).try_with_sql(text);
    let form = parser.and_then(|mut parser| parser.parse_expr()).ok()?;
    Some(filled(&form, arguments))
}

/// The expression with the arguments in the places of `$1`, `$2`, …
fn filled(form: &Expr, arguments: &[Expr]) -> Expr {
    let mut expr = form.clone();
    let _: ControlFlow<()> = expr.visit(&mut Fill(arguments));
    Expr::Nested(Box::new(expr))
}

/// The call of a function with these arguments, and nothing else.
pub(crate) fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    let argument = |expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr));
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(function)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(argument).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

struct Fill<'a>(&'a [Expr]);

impl VisitorMut for Fill<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(place) = number_of(expr)
            && let Some(argument) = self.0.get(place.wrapping_sub(1))
        {
            *expr = Expr::Nested(Box::new(argument.clone()));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_an_expression_that_names_each_argument_once() {
        for Form(name, arguments, text) in FORMS {
            assert!(EXPRESSIONS.contains_key(&(*name, *arguments)), "{name}");
            for place in 1..=*arguments {
                assert_eq!(text.matches(&format!("${place}")).count(), 1, "{text}");
            }
        }
        let names: Vec<&str> = FORMS.iter().map(|Form(name, ..)| *name).collect();
        assert_eq!(EXPRESSIONS.len(), names.len());
        let both = RENAMED.iter().filter(|(name, _)| names.contains(name));
        assert_eq!(both.count(), 0);
    }
}
