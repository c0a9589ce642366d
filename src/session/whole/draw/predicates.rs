//! Conditions of queries; those over one table alone are drawn by the law.

use super::super::query::{Body, Expr, From, Item, Predicate, Query, Select};
use super::{Draw, Scope, Value};
use crate::datum::SqlType;
use crate::plan::law::condition::{Comparison, Truth};
use crate::plan::law::predicates::kind;

impl Draw<'_> {
    /// A condition over a scope; with a depth subqueries, too.
    pub(super) fn predicate(&mut self, scope: &Scope, depth: usize) -> Predicate {
        let mut terms = Vec::new();
        for _ in 0..self.random.weighted(&[(62, 1), (28, 2), (10, 3)]) {
            let term = self.term(scope, depth);
            terms.push(self.decorated(term));
        }
        match terms.len() {
            1 => terms.remove(0),
            _ if self.random.percent(60) => Predicate::And(terms),
            _ => Predicate::Or(terms),
        }
    }

    fn decorated(&mut self, term: Predicate) -> Predicate {
        match self.random.between(0, 99) {
            0..7 => Predicate::Not(Box::new(term)),
            7..10 => {
                let truth = *self
                    .random
                    .pick(&[Truth::True, Truth::False, Truth::Unknown]);
                Predicate::Test(Box::new(term), truth, self.random.percent(50))
            }
            _ => term,
        }
    }

    fn term(&mut self, scope: &Scope, depth: usize) -> Predicate {
        if scope.values.is_empty() {
            return self.without_columns(depth);
        }
        match self.random.between(0, 99) {
            0..35 if !scope.tables.is_empty() => self.law(scope),
            35..55 => {
                let both = self.equality(scope, scope);
                both.unwrap_or_else(|| self.without_columns(depth))
            }
            55..62 => {
                let of = self.pick(scope).expr;
                Predicate::IsNull(of, self.random.percent(50))
            }
            62..68 => self.list(scope),
            68..72 => self.without_columns(depth),
            72..86 if depth > 0 => self.subquery(scope, depth),
            86..90 => {
                let value = self.pick(scope);
                let value = self.derived(value, scope, 0);
                self.compared(value)
            }
            _ => {
                let value = self.pick(scope);
                self.compared(value)
            }
        }
    }

    /// A condition of the law over one of the tables.
    fn law(&mut self, scope: &Scope) -> Predicate {
        let (source, table) = self.random.pick(&scope.tables).clone();
        match self.known[table].condition(self.random) {
            Some(condition) => Predicate::Law {
                source,
                table,
                condition,
            },
            None => Predicate::Constant(Some(true)),
        }
    }

    fn compared(&mut self, value: Value) -> Predicate {
        let comparison = *self.random.pick(&Comparison::ALL);
        let constant = match self.constant(&value.sql_type) {
            Expr::Constant(sql) if value.sql_type == SqlType::Bytea && self.random.percent(50) => {
                as_text(sql)
            }
            other => other,
        };
        if self.random.percent(15) {
            Predicate::Compare(constant, comparison, value.expr)
        } else {
            Predicate::Compare(value.expr, comparison, constant)
        }
    }

    fn list(&mut self, scope: &Scope) -> Predicate {
        let value = self.pick(scope);
        if self.random.percent(35) {
            let (low, high) = (
                self.constant(&value.sql_type),
                self.constant(&value.sql_type),
            );
            return Predicate::Between(value.expr, low, high);
        }
        let length = self.random.between(1, 5);
        let mut list: Vec<Expr> = (0..length)
            .map(|_| self.constant(&value.sql_type))
            .collect();
        if self.random.percent(8) {
            list.push(Expr::Constant("NULL".to_owned()));
        }
        Predicate::In(value.expr, list, self.random.percent(35))
    }

    /// A condition that no row decides.
    fn without_columns(&mut self, depth: usize) -> Predicate {
        match self.random.between(0, 9) {
            0..3 => Predicate::Constant(Some(false)),
            3 => Predicate::Constant(None),
            4 => Predicate::Constant(Some(true)),
            5..8 if depth > 0 => {
                let value = self.scalar(&[], depth);
                if self.missing.percent(25) {
                    Predicate::IsNull(value.expr, self.missing.percent(50))
                } else {
                    self.compared(value)
                }
            }
            _ => {
                let one = |draw: &mut Self| {
                    let sql = draw.random.pick::<&str>(&["1", "2", "3"]);
                    Expr::Constant((*sql).to_owned())
                };
                Predicate::Compare(one(self), *self.random.pick(&Comparison::PLAIN), one(self))
            }
        }
    }

    /// EXISTS, IN, or a comparison with a scalar.
    fn subquery(&mut self, scope: &Scope, depth: usize) -> Predicate {
        let outer = if self.random.percent(60) {
            scope.values.clone()
        } else {
            Vec::new()
        };
        let negated = self.random.percent(40);
        match self.random.between(0, 9) {
            0..4 => {
                let (select, _) = self.rows_of(&outer, depth, None);
                Predicate::Exists(Box::new(select), negated)
            }
            4..8 => {
                let value = self.pick(scope);
                match self.rows_of(&outer, depth, Some(&value)) {
                    (query, true) => Predicate::InQuery(value.expr, Box::new(query), negated),
                    (query, false) => Predicate::Exists(Box::new(query), negated),
                }
            }
            _ => {
                let value = self.scalar(&outer, depth);
                let of_kind = |other: &&Value| kind(&other.sql_type) == kind(&value.sql_type);
                let others: Vec<&Value> = scope.values.iter().filter(of_kind).collect();
                if others.is_empty() {
                    return self.compared(value);
                }
                let other = (*self.random.pick(&others)).clone();
                let comparison = *self.random.pick(&Comparison::ALL);
                Predicate::Compare(other.expr, comparison, value.expr)
            }
        }
    }

    /// Rows of one source, with a column that can be compared with a value; whether there is one.
    fn rows_of(&mut self, outer: &[Value], depth: usize, like: Option<&Value>) -> (Query, bool) {
        let (source, scope) = self.source(depth.saturating_sub(1));
        let fitting = scope
            .values
            .iter()
            .filter(|value| like.is_some_and(|like| kind(&like.sql_type) == kind(&value.sql_type)));
        let fitting: Vec<&Value> = fitting.collect();
        let expr = if fitting.is_empty() {
            Expr::Constant("1".to_owned())
        } else {
            self.random.pick(&fitting).expr.clone()
        };
        let filter = self.subquery_filter(&scope, outer);
        let has_fitting = !fitting.is_empty();
        let select = Select {
            distinct: self.random.percent(8),
            items: vec![Item {
                expr,
                alias: Some("x0".to_owned()),
            }],
            from: From::Source(source),
            filter,
            group: None,
            having: None,
        };
        (Query::of(Body::Select(Box::new(select))), has_fitting)
    }
}

/// Bytes that are written `X'00ff'` as a text.
fn as_text(sql: String) -> Expr {
    let digits = sql
        .strip_prefix("X'")
        .and_then(|sql| sql.strip_suffix('\''));
    match digits {
        Some(digits) => Expr::Bytes(digits.to_owned()),
        None => Expr::Constant(sql),
    }
}
