//! Values: columns, constants, functions of them, and scalar subqueries.

use super::super::data::MISSED;
use super::super::query::{
    Aggregate, Body, Expr, From, Group, GroupKind, Item, Predicate, Query, Select,
};
use super::super::truths::is_sql;
use super::aggregates::{count_all, integer};
use super::{Draw, Scope, Value};
use crate::datum::{Datum, Precision, SqlType};
use crate::plan::law::condition::Comparison;
use crate::plan::law::constants::spelt;
use crate::plan::law::predicate_text::constant_sql;
use crate::plan::law::predicates::kind;
use crate::plan::law::values::hostile;

/// Regular expressions: some look for a backslash.
const PATTERNS: [&str; 5] = [r"'a\\'", r"'\\'", r"'a\\b'", "'^a'", "'b'"];

/// What times are truncated to.
const UNITS: [&str; 5] = ["'hour'", "'day'", "'week'", "'month'", "'year'"];

/// Times that the clocks of Berlin show once, twice, and never.
const TIMES: [&str; 4] = [
    "2024-01-01 00:00:00",
    "2024-10-27 02:30:00",
    "2024-10-27 02:59:59",
    "2024-03-31 02:30:00",
];

impl Draw<'_> {
    pub(super) fn pick(&mut self, scope: &Scope) -> Value {
        self.random.pick(&scope.values).clone()
    }

    /// A constant of a type: a value of the database, or any.
    pub(super) fn constant(&mut self, sql_type: &SqlType) -> Expr {
        let columns = self.data.tables.iter().flat_map(|table| {
            let columns = table.columns.iter().enumerate();
            columns
                .filter(|(_, column)| column.sql_type == *sql_type)
                .flat_map(|(position, _)| {
                    table
                        .rows
                        .iter()
                        .filter_map(move |row| row[position].as_ref())
                })
        });
        let known: Vec<&Datum> = columns.collect();
        loop {
            let datum = if known.is_empty() || self.random.percent(5) {
                self.random.pick(&hostile(sql_type)).clone()
            } else {
                (*self.random.pick(&known)).clone()
            };
            let spelt = constant_sql(&spelt(&datum, sql_type, self.random));
            let sql = match datum {
                // As people write it, which is a DECIMAL.
                Datum::Double(MISSED) => MISSED.to_string(),
                _ => spelt,
            };
            if is_sql(&sql) {
                return Expr::Constant(sql);
            }
        }
    }

    pub(super) fn constant_value(&mut self) -> Value {
        let (sql, sql_type) = *self.random.pick(&[
            ("7", 0),
            ("'k'", 1),
            ("CAST(NULL AS BIGINT)", 0),
            ("TRUE", 2),
            ("1", 0),
        ]);
        let sql_type = match sql_type {
            0 => SqlType::BigInt,
            1 => SqlType::Text,
            _ => SqlType::Boolean,
        };
        Value {
            expr: Expr::Constant(sql.to_owned()),
            small: sql_type == SqlType::BigInt,
            sql_type,
        }
    }

    /// A time that clocks may show twice, or never, as nanoseconds.
    pub(super) fn shown_time(&mut self, scope: &Scope) -> Value {
        let mut time = || {
            let time = *self.random.pick(&TIMES);
            Box::new(Expr::Constant(format!("TIMESTAMP '{time}'")))
        };
        let (then, otherwise) = (time(), time());
        let when = Box::new(self.predicate(scope, 0));
        let shown = Expr::InBerlin(Box::new(Expr::Case(when, then, otherwise)));
        integer(Expr::Cast(Box::new(shown), SqlType::BigInt), false)
    }

    /// The month of a time that nanoseconds do not reach.
    pub(super) fn month_of_a_late_time(&mut self, scope: &Scope) -> Value {
        let sql_type = SqlType::Timestamp {
            precision: Precision::Millisecond,
            utc: false,
        };
        let time = |text: &str| {
            let text = Expr::Constant(format!("'{text}'"));
            Box::new(Expr::Cast(Box::new(text), sql_type.clone()))
        };
        let (then, otherwise) = (time("3001-05-05 01:00:00"), time("2024-02-29 00:00:00"));
        let when = Box::new(self.predicate(scope, 0));
        let month = Expr::Constant("'month'".to_owned());
        let time = Expr::Case(when, then, otherwise);
        Value {
            expr: Expr::Call("date_trunc", vec![month, time]),
            sql_type,
            small: false,
        }
    }

    /// A function of a value.
    pub(super) fn derived(&mut self, value: Value, scope: &Scope, depth: usize) -> Value {
        let same = |expr: Expr| Value {
            expr,
            small: false,
            sql_type: value.sql_type.clone(),
        };
        let of = |draw: &mut Self| {
            let of_kind = |other: &&Value| kind(&other.sql_type) == kind(&value.sql_type);
            let others: Vec<&Value> = scope.values.iter().filter(of_kind).collect();
            if others.is_empty() || draw.random.percent(40) {
                draw.constant(&value.sql_type)
            } else {
                draw.random.pick(&others).expr.clone()
            }
        };
        let first = Box::new(value.expr.clone());
        match self.random.between(0, 9) {
            0 | 1 => same(Expr::Coalesce(first, Box::new(of(self)))),
            2 => same(Expr::NullIf(first, Box::new(of(self)))),
            3 => {
                let when = Box::new(self.predicate(scope, depth));
                same(Expr::Case(when, first, Box::new(of(self))))
            }
            4 => {
                let other = of(self);
                let comparison = *self.random.pick(&Comparison::ALL);
                let truth = Predicate::Compare(*first, comparison, other);
                truth_value(truth)
            }
            5 => truth_value(Predicate::IsNull(*first, self.random.percent(50))),
            _ => self.own(&value, scope),
        }
    }

    /// A function that values of the type have.
    fn own(&mut self, value: &Value, scope: &Scope) -> Value {
        let first = Box::new(value.expr.clone());
        let constant = |sql: &str| Box::new(Expr::Constant(sql.to_owned()));
        let wraps = value.sql_type == SqlType::BigInt && self.random.percent(4);
        match &value.sql_type {
            one if one.is_integer() && value.small && self.random.percent(20) => {
                self.with_digits(*first)
            }
            one if one.is_integer() && (value.small || wraps) => {
                let second = self.small_of(scope);
                let operator = *self.random.pick(&['+', '-', '*']);
                integer(Expr::Arithmetic(operator, first, Box::new(second)), false)
            }
            one if one.is_integer() => {
                let operator = match (*self.random.pick(&["%", "/"]), &value.sql_type) {
                    // What `rank` gives has no sign, and what it is divided by: then it is a DECIMAL.
                    (_, SqlType::BigInt) => "%",
                    (operator, _) => operator,
                };
                integer(Expr::Binary(operator, first, constant("3")), false)
            }
            one if one.is_text() && self.random.percent(20) => Value {
                expr: Expr::Binary("~", first, constant(self.random.pick::<&str>(&PATTERNS))),
                sql_type: SqlType::Boolean,
                small: false,
            },
            one if one.is_text() => {
                if self.random.percent(50) {
                    Value {
                        expr: Expr::Binary("||", first, constant("'x'")),
                        sql_type: SqlType::Text,
                        small: false,
                    }
                } else {
                    integer(Expr::Call("character_length", vec![*first]), false)
                }
            }
            SqlType::Double if self.random.percent(50) => Value {
                expr: Expr::Coalesce(first, constant("0.00000000000000000001")),
                ..value.clone()
            },
            SqlType::Decimal { .. } if self.random.percent(50) => {
                if self.random.percent(50) {
                    Value {
                        expr: Expr::Binary("%", first, constant("1")),
                        ..value.clone()
                    }
                } else {
                    Value {
                        expr: Expr::Cast(first, SqlType::Double),
                        sql_type: SqlType::Double,
                        small: false,
                    }
                }
            }
            SqlType::Timestamp { .. } if self.random.percent(50) => {
                let unit = *constant(self.random.pick::<&str>(&UNITS));
                Value {
                    expr: Expr::Call("date_trunc", vec![unit, *first]),
                    ..value.clone()
                }
            }
            _ => Value {
                expr: Expr::Cast(first, value.sql_type.clone()),
                ..value.clone()
            },
        }
    }

    /// A constant, or one of the values that are small.
    fn small_of(&mut self, scope: &Scope) -> Expr {
        let smalls = scope.values.iter().filter(|other| other.small);
        let smalls: Vec<&Value> = smalls.collect();
        if smalls.is_empty() || self.random.percent(40) {
            Expr::Constant((*self.random.pick(&["1", "2", "10"])).to_owned())
        } else {
            self.random.pick(&smalls).expr.clone()
        }
    }

    /// A number of many digits made of an integer: the nearest double of one, or what of one is not whole.
    fn with_digits(&mut self, first: Expr) -> Value {
        let constant = |sql: String| Box::new(Expr::Constant(sql));
        let plus = |digits: String| Expr::Binary("+", Box::new(first.clone()), constant(digits));
        if self.random.percent(50) {
            let digits = format!("{MISSED}");
            Value {
                expr: Expr::Cast(Box::new(plus(digits)), SqlType::Double),
                sql_type: SqlType::Double,
                small: false,
            }
        } else {
            Value {
                expr: Expr::Binary(
                    "%",
                    Box::new(plus("0.5".to_owned())),
                    constant("1".to_owned()),
                ),
                sql_type: SqlType::Decimal {
                    precision: 20,
                    scale: 1,
                },
                small: false,
            }
        }
    }

    /// The one value of a subquery: an aggregate of rows, of those that fit an outer row now and then.
    pub(super) fn scalar(&mut self, outer: &[Value], depth: usize) -> Value {
        let (source, scope) = self.source(depth.saturating_sub(1));
        let value = self.pick(&scope);
        let (function, arguments, sql_type) = match self.random.between(0, 3) {
            0 => ("count", Vec::new(), SqlType::BigInt),
            1 => ("count", vec![value.expr], SqlType::BigInt),
            2 => ("min", vec![value.expr], value.sql_type),
            _ => ("max", vec![value.expr], value.sql_type),
        };
        let aggregate = Aggregate {
            function,
            distinct: false,
            arguments,
            order: Vec::new(),
            filter: None,
            exact: false,
        };
        let filter = self.subquery_filter(&scope, outer);
        let having = self.missing.percent(15).then(|| self.many_rows());
        let select = Select {
            distinct: false,
            items: vec![Item {
                expr: Expr::Aggregate(Box::new(aggregate)),
                alias: Some("x0".to_owned()),
            }],
            from: From::Source(source),
            filter,
            group: Some(Group {
                by: Vec::new(),
                kind: GroupKind::Plain,
            }),
            having,
        };
        let query = Query::of(Body::Select(Box::new(select)));
        Value {
            expr: Expr::Scalar(Box::new(query)),
            sql_type,
            small: false,
        }
    }

    /// That there are more rows than so many: where it is not true of a global aggregate, there is none.
    fn many_rows(&mut self) -> Predicate {
        let most = self.missing.between(0, 9).to_string();
        let rows = count_all().expr;
        Predicate::Compare(rows, Comparison::Greater, Expr::Constant(most))
    }

    /// The WHERE of a subquery: a condition with an outer row, one of its own, or none.
    pub(super) fn subquery_filter(&mut self, scope: &Scope, outer: &[Value]) -> Option<Predicate> {
        let mut terms = Vec::new();
        // Without a qualifier, a name is first of all one of the subquery's own.
        let is_qualified = |value: &&Value| !format!("{:?}", value.expr).contains("Merged {");
        let outer: Vec<Value> = outer.iter().filter(is_qualified).cloned().collect();
        if !outer.is_empty() && self.random.percent(60) {
            let outside = Scope {
                values: outer,
                ..Scope::default()
            };
            terms.extend(self.equality(scope, &outside));
        }
        if self.random.percent(35) {
            terms.push(self.predicate(scope, 0));
        }
        match terms.len() {
            0 => None,
            1 => terms.pop(),
            _ => Some(Predicate::And(terms)),
        }
    }
}

fn truth_value(predicate: Predicate) -> Value {
    Value {
        expr: Expr::Truth(Box::new(predicate)),
        sql_type: SqlType::Boolean,
        small: false,
    }
}
