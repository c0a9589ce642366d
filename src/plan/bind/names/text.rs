//! The name of an expression that is given none: as it is written, functions in lower case.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName,
    ObjectNamePart, SelectItem, Value, VisitMut, VisitorMut,
};
use sqlparser::tokenizer::Span;

use super::scope::single;

/// The text of an expression, on one line.
pub fn heading(expr: &Expr) -> String {
    let mut shown = without_parentheses(expr).clone();
    let _: ControlFlow<()> = shown.visit(&mut AsWritten);
    shown.to_string()
}

/// The column keeps the heading that it has as it is written.
pub fn keep_heading(item: &mut SelectItem) {
    if let SelectItem::UnnamedExpr(expr) = item {
        let alias = Ident::with_quote('"', heading(expr));
        let expr = std::mem::replace(expr, Expr::Identifier(Ident::new("")));
        *item = SelectItem::ExprWithAlias { expr, alias };
    }
}

/// The expression within its parentheses.
pub(super) fn without_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => without_parentheses(inner),
        other => other,
    }
}

/// Takes back what the [dialect](crate::sql::dialect) and [`parse`](crate::sql::parse) made of an expression: they
/// leave no places of the text in it.
struct AsWritten;

impl VisitorMut for AsWritten {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(number) = number(expr) {
            *expr = Expr::value(Value::Number(number, false));
        }
        if let Expr::Function(function) = expr {
            match row(function) {
                Some(values) => *expr = Expr::Tuple(values),
                None => fold(&mut function.name),
            }
        }
        ControlFlow::Continue(())
    }
}

/// The digits of a number with an exponent.
fn number(expr: &Expr) -> Option<String> {
    let Expr::Cast { expr: inner, .. } = expr else {
        return None;
    };
    match inner.as_ref() {
        Expr::Value(value) if value.span == Span::empty() => match &value.value {
            Value::SingleQuotedString(digits) => Some(digits.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The values of a tuple that is written as a call of `ROW`.
fn row(function: &Function) -> Option<Vec<Expr>> {
    let name = single(&function.name)?;
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    if name.span != Span::empty() || name.value != "row" {
        return None;
    }
    let values = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    values.collect()
}

fn fold(name: &mut ObjectName) {
    if let [ObjectNamePart::Identifier(ident)] = name.0.as_mut_slice()
        && ident.quote_style.is_none()
    {
        ident.value = ident.value.to_ascii_lowercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{Command, parse};
    use sqlparser::ast::{SelectItem, SetExpr};

    fn shown(sql: &str) -> String {
        let parsed = parse(&format!("EXPLAIN KEYS SELECT {sql} FROM t"))
            .unwrap()
            .pop();
        let Command::ExplainKeys(query, _) = parsed.unwrap().command else {
            panic!("{sql}");
        };
        let SetExpr::Select(select) = *query.body else {
            panic!("{sql}");
        };
        match &select.projection[0] {
            SelectItem::UnnamedExpr(expr) => heading(expr),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn expressions_are_shown_as_they_are_written() {
        for (sql, expected) in [
            ("1", "1"),
            ("COUNT( * )", "count(*)"),
            ("Sum(x  +  1)", "sum(x + 1)"),
            ("(a + (b * 2))", "a + (b * 2)"),
            ("-1.50", "-1.50"),
            ("1e10", "1e10"),
            ("CAST('1e10' AS DOUBLE)", "CAST('1e10' AS DOUBLE)"),
            ("b :: BIGINT", "b::BIGINT"),
            ("(-1, b)", "(-1, b)"),
            ("row(-1, b)", "row(-1, b)"),
            ("extract(epoch from ts)", "EXTRACT(EPOCH FROM ts)"),
            ("\"Max\"(b)", "\"Max\"(b)"),
            ("?", "$1"),
            (
                "max(b) over (partition by a)",
                "max(b) OVER (PARTITION BY a)",
            ),
            ("(select Max(b) from u)", "(SELECT max(b) FROM u)"),
            ("a is distinct from 1", "a IS DISTINCT FROM 1"),
        ] {
            assert_eq!(shown(sql), expected, "{sql}");
        }
    }
}
