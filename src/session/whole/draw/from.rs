//! FROM: tables, derived tables and common table expressions, joined.

use super::super::query::{Expr, From, Join, JoinKind, On, Predicate, Relation, Source};
use super::{Draw, Output, SOURCES, Scope, Value};
use crate::plan::law::condition::Comparison;
use crate::plan::law::predicates::kind;

const KINDS: [(u32, JoinKind); 7] = [
    (30, JoinKind::Inner),
    (25, JoinKind::Left),
    (12, JoinKind::Right),
    (13, JoinKind::Full),
    (8, JoinKind::Cross),
    (6, JoinKind::Semi),
    (6, JoinKind::Anti),
];

impl Draw<'_> {
    /// One to three sources, joined.
    pub(super) fn from(&mut self, depth: usize) -> (From, Scope) {
        let (source, mut scope) = self.source(depth);
        let mut from = From::Source(source);
        let more = self.random.weighted(&[(45, 0), (40, 1), (15, 2)]);
        for _ in 0..more {
            if self.sources >= SOURCES {
                break;
            }
            (from, scope) = self.join(from, scope, depth);
        }
        (from, scope)
    }

    fn join(&mut self, left: From, scope: Scope, depth: usize) -> (From, Scope) {
        let (right, others) = self.source(depth);
        let kind = self.random.weighted(&KINDS);
        let mut before = scope.clone();
        // Beside another column of its name a merged one is ambiguous.
        let is_new = |name: &str| others.values.iter().any(|other| is_named(other, name));
        before
            .values
            .retain(|value| !matches!(&value.expr, Expr::Merged { name, .. } if is_new(name)));
        let mut both = before.clone();
        both.values.extend(others.values.iter().cloned());
        both.tables.extend(others.tables.iter().cloned());
        both.total.extend(others.total.iter().cloned());
        let using = self.using(&scope, &others, kind);
        let on = match using {
            Some((column, left)) => {
                let of = both.values.iter().find(|value| is_named(value, &column));
                let merged = Value {
                    expr: Expr::Merged {
                        name: column.clone(),
                        left: left.clone(),
                        right: right.alias.clone(),
                        of: match kind {
                            JoinKind::Full => None,
                            JoinKind::Right => Some(right.alias.clone()),
                            _ => Some(left.clone()),
                        },
                    },
                    ..of.expect("a column of both sides").clone()
                };
                both.values.insert(0, merged);
                On::Using { column, left }
            }
            None if kind == JoinKind::Cross => On::Nothing,
            None => On::Condition(self.on(&before, &others, &both)),
        };
        let scope = match kind {
            JoinKind::Semi | JoinKind::Anti => scope,
            _ => both,
        };
        let join = Join {
            left,
            kind,
            right,
            on,
        };
        (From::Join(Box::new(join)), scope)
    }

    /// A column of both sides that has one type, and the alias that has it on the left.
    fn using(&mut self, left: &Scope, right: &Scope, kind: JoinKind) -> Option<(String, String)> {
        let fits = !matches!(kind, JoinKind::Cross | JoinKind::Semi | JoinKind::Anti);
        if !fits || !self.random.percent(18) {
            return None;
        }
        // Two columns of the name on one side would be ambiguous.
        let only = |scope: &Scope, name: &str| {
            let mut of_name = scope.values.iter().filter(|value| is_named(value, name));
            let first = of_name.next().cloned();
            first.filter(|_| of_name.next().is_none())
        };
        let names = ["id", "a", "b", "c"];
        let both = names.iter().filter_map(|name| {
            let (left, right) = (only(left, name)?, only(right, name)?);
            let Expr::Column { source, name } = left.expr else {
                return None;
            };
            (left.sql_type == right.sql_type).then_some((name, source))
        });
        let both: Vec<(String, String)> = both.collect();
        (!both.is_empty()).then(|| self.random.pick(&both).clone())
    }

    /// A condition of a join: mostly an equality of two columns.
    fn on(&mut self, left: &Scope, right: &Scope, both: &Scope) -> Predicate {
        let mut terms = Vec::new();
        for _ in 0..self.random.weighted(&[(10, 0), (75, 1), (15, 2)]) {
            terms.extend(self.equality(left, right));
        }
        if terms.is_empty() || self.random.percent(25) {
            terms.push(self.predicate(both, 0));
        }
        match terms.len() {
            1 => terms.remove(0),
            _ => Predicate::And(terms),
        }
    }

    /// A comparison of a value of each side, mostly for equality.
    pub(super) fn equality(&mut self, left: &Scope, right: &Scope) -> Option<Predicate> {
        if left.values.is_empty() {
            return None;
        }
        let value = self.random.pick(&left.values).clone();
        let of_kind = |other: &&Value| kind(&other.sql_type) == kind(&value.sql_type);
        let others: Vec<&Value> = right.values.iter().filter(of_kind).collect();
        if others.is_empty() {
            return None;
        }
        let other = (*self.random.pick(&others)).clone();
        let comparison = self.random.weighted(&[
            (85, Comparison::Equal),
            (4, Comparison::Less),
            (4, Comparison::GreaterOrEqual),
            (4, Comparison::NotEqual),
            (3, Comparison::NotDistinct),
        ]);
        Some(Predicate::Compare(value.expr, comparison, other.expr))
    }

    pub(super) fn source(&mut self, depth: usize) -> (Source, Scope) {
        self.sources += 1;
        if depth > 0 && self.sources < SOURCES && self.random.percent(18) {
            let (query, outputs) = self.inner(depth - 1, None);
            return self.queried(Relation::Derived(Box::new(query)), &outputs);
        }
        if !self.ctes.is_empty() && self.random.percent(40) {
            let (name, outputs) = self.random.pick(&self.ctes).clone();
            return self.queried(Relation::Named(name), &outputs);
        }
        self.table()
    }

    /// A table of the database under a new alias.
    pub(super) fn table(&mut self) -> (Source, Scope) {
        let number = self.random.between(0, self.data.tables.len() - 1);
        let alias = self.alias('r');
        let table = &self.data.tables[number];
        let columns = table.columns.iter().enumerate();
        let values: Vec<Value> = columns
            .map(|(position, column)| Value {
                expr: Expr::Column {
                    source: alias.clone(),
                    name: column.name.clone(),
                },
                sql_type: column.sql_type.clone(),
                small: table.is_small(position),
            })
            .collect();
        let scope = Scope {
            total: vec![values[0].expr.clone()],
            tables: vec![(alias.clone(), number)],
            values,
        };
        let source = Source {
            alias,
            relation: Relation::Table(number),
        };
        (source, scope)
    }

    fn queried(&mut self, relation: Relation, outputs: &[Output]) -> (Source, Scope) {
        let alias = self.alias('q');
        let values: Vec<Value> = outputs
            .iter()
            .enumerate()
            .map(|(number, output)| Value {
                expr: Expr::Column {
                    source: alias.clone(),
                    name: format!("x{number}"),
                },
                sql_type: output.sql_type.clone(),
                small: output.small,
            })
            .collect();
        let scope = Scope {
            total: values.iter().map(|value| value.expr.clone()).collect(),
            tables: Vec::new(),
            values,
        };
        (Source { alias, relation }, scope)
    }
}

fn is_named(value: &Value, wanted: &str) -> bool {
    matches!(&value.expr, Expr::Column { name, .. } | Expr::Merged { name, .. } if name == wanted)
}
