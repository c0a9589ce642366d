//! Long lists of constants, set aside while a syntax tree is looked through and rewritten.
//!
//! Some ten walks go through the tree of a statement before DataFusion plans it, and none of them looks for a constant in
//! the list of an IN. Ten thousand of them are taken out of WHERE before the first walk, a mark in their place, and put
//! back behind the last.

use std::ops::ControlFlow;

use sqlparser::ast::{
    DollarQuotedString, Expr, Select, Statement, TypedString, UnaryOperator, Value, VisitMut,
    VisitorMut,
};

use crate::sql::marks::LIST;
use crate::sql::rewrite::expressions::is_parsed;

/// A shorter list stays where it is.
const LONG: usize = 64;

/// The lists of a statement, by the number in their marks.
#[derive(Debug, Default)]
pub(crate) struct LongLists(Vec<Vec<Expr>>);

impl LongLists {
    /// Takes them out of a statement.
    pub(crate) fn set_aside(statement: &mut Statement) -> Self {
        let mut lists = Self::default();
        let _: ControlFlow<()> = statement.visit(&mut lists);
        lists
    }

    /// Puts them back into the statement that they are of, or a copy of it.
    pub(crate) fn put_back(&self, statement: &mut Statement) {
        if self.0.is_empty() {
            return;
        }
        let _: ControlFlow<()> = statement.visit(&mut Marks(&self.0));
    }
}

impl VisitorMut for LongLists {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        match &mut select.selection {
            Some(condition) => condition.visit(&mut Taking(&mut self.0)),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Takes the lists of a condition.
struct Taking<'a>(&'a mut Vec<Vec<Expr>>);

impl VisitorMut for Taking<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::InList { list, .. } = expr
            && list.len() > LONG
            && list.iter().all(is_constant)
        {
            let mark = Value::DollarQuotedString(DollarQuotedString {
                value: self.0.len().to_string(),
                tag: Some(LIST.to_owned()),
            });
            self.0
                .push(std::mem::replace(list, vec![Expr::value(mark)]));
        }
        ControlFlow::Continue(())
    }
}

/// Finds the marks.
struct Marks<'a>(&'a [Vec<Expr>]);

impl VisitorMut for Marks<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::InList { list, .. } = expr
            && let [Expr::Value(value)] = list.as_slice()
            && let Value::DollarQuotedString(mark) = &value.value
            && mark.tag.as_deref() == Some(LIST)
            && let Ok(number) = mark.value.parse::<usize>()
            && let Some(marked) = self.0.get(number)
        {
            list.clone_from(marked);
        }
        ControlFlow::Continue(())
    }
}

/// Whether no walk changes it.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => !matches!(value.value, Value::Placeholder(_)),
        Expr::TypedString(TypedString { data_type, .. }) => !is_parsed(data_type),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => matches!(**expr, Expr::Value(_)),
        Expr::Tuple(values) => values.iter().all(is_constant),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Database;
    use crate::session::testing::rows_of;
    use crate::sql::parse::{Command, parse};

    use super::*;

    fn statement(sql: &str) -> Statement {
        let mut parsed = parse(sql).unwrap();
        match parsed.remove(0).command {
            Command::Sql(statement) => *statement.sql,
            _ => panic!("{sql}"),
        }
    }

    fn list(first: usize, item: impl Fn(usize) -> String) -> String {
        let items = (first..first + LONG + 1).map(item);
        items.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_is_set_aside_comes_back() {
        let numbers = list(0, |number| number.to_string());
        let negated = list(1, |number| format!("-{number}"));
        let days = list(1, |number| format!("DATE '2024-01-{number:02}'"));
        let ids = list(1, |number| format!("UUID '{number}'"));
        let sums = list(1, |number| format!("{number} + 1"));
        for (lists, count) in [
            (vec![numbers.as_str()], 1),
            (vec![&numbers, &negated, &days], 3),
            (vec![&ids, &sums, "1, 2"], 0),
        ] {
            let terms = lists.iter().map(|list| format!("a NOT IN ({list})"));
            let condition = terms.collect::<Vec<_>>().join(" OR ");
            let sql = format!(
                "SELECT a IN ({numbers}) FROM t WHERE b = (SELECT 1 FROM u WHERE {condition})"
            );
            let written = statement(&sql);
            let mut parsed = written.clone();
            let aside = LongLists::set_aside(&mut parsed);
            assert_eq!(aside.0.len(), count, "{sql}");
            assert_eq!(parsed == written, count == 0, "{sql}");
            aside.put_back(&mut parsed);
            assert_eq!(parsed, written, "{sql}");
        }
    }

    /// Also where an expression is written out, or a statement is planned twice.
    #[tokio::test]
    async fn queries_with_long_lists_are_answered() {
        let connection = Database::in_memory().unwrap().connect();
        let from = "(VALUES (1), (2), (300)) AS t (a)";
        let few = list(2, |number| number.to_string());
        for (sql, expected) in [
            (format!("SELECT a FROM {from} WHERE a IN ({few})"), "2"),
            (
                format!(
                    "SELECT (SELECT count(*) FROM {from} WHERE t.a IN ({few})) AS n, n + 1 AS m"
                ),
                "1|2",
            ),
            (
                format!("SELECT a + 1 AS b FROM {from} WHERE b IN ({few}) AND a NOT IN ({few})"),
                "2",
            ),
            (
                format!(
                    "SELECT a FROM {from} NATURAL JOIN (VALUES (2)) AS u (a) WHERE a IN ({few})"
                ),
                "2",
            ),
            (
                format!("SELECT a FROM {from} WHERE (a IN ({few}), 1) IN ((true, 1))"),
                "2",
            ),
        ] {
            assert_eq!(rows_of(&connection, &sql).await, [expected], "{sql}");
        }
    }
}
