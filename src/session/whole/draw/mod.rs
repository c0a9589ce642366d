//! Random queries over random tables.
//!
//! An answer must follow from the query alone: what depends on which of several equal rows comes first (ROWS frames,
//! `row_number`, LIMIT inside of a query, `string_agg`) is given an order that tells all rows apart.

mod aggregates;
mod from;
mod predicates;
mod select;
mod values;

use super::data::Data;
use super::query::{Body, Expr, Item, Query, Select, SetOperation, SetOperator, SortBy, SortKey};
use super::truths;
use crate::datum::SqlType;
use crate::plan::law::random::Random;

/// A value that an expression can be made of.
#[derive(Debug, Clone)]
struct Value {
    expr: Expr,
    sql_type: SqlType,
    /// An integer that sums and products of do not overflow.
    small: bool,
}

/// What a clause can name.
#[derive(Debug, Clone, Default)]
struct Scope {
    values: Vec<Value>,
    /// Aliases of tables, and their numbers: the law has conditions over them.
    tables: Vec<(String, usize)>,
    /// What tells any two rows apart that are not equal. Empty where nothing does.
    total: Vec<Expr>,
}

/// A column of a query.
#[derive(Debug, Clone)]
struct Output {
    sql_type: SqlType,
    small: bool,
}

/// Draws queries from a random source.
pub(super) struct Draw<'a> {
    data: &'a Data,
    known: &'a [truths::LawTable],
    random: &'a mut Random,
    /// For what is drawn now and then: other queries stay as they are.
    rare: Random,
    /// For values that may be missing, likewise.
    missing: Random,
    aliases: usize,
    sources: usize,
    ctes: Vec<(String, Vec<Output>)>,
    /// What the last SELECT groups by the key of a query, and more; else empty.
    keys: Vec<Expr>,
}

/// The most sources of a query.
const SOURCES: usize = 5;

/// The query that a random source gives.
pub(super) fn draw(
    data: &Data,
    known: &[truths::LawTable],
    random: &mut Random,
    (rare, missing): (Random, Random),
) -> Query {
    let mut draw = Draw {
        data,
        known,
        random,
        rare,
        missing,
        aliases: 0,
        sources: 0,
        ctes: Vec::new(),
        keys: Vec::new(),
    };
    draw.outermost()
}

/// Whether the name of a column that USING makes of two is in ORDER BY that of a column of the output.
fn is_hidden(sorted_by: &Expr, items: &[Item]) -> bool {
    let Expr::Merged { name: merged, .. } = sorted_by else {
        return false;
    };
    let is_output = |item: &Item| match (&item.alias, &item.expr) {
        (Some(alias), _) => alias == merged,
        (None, Expr::Column { name, .. }) => name == merged,
        (None, _) => false,
    };
    items.iter().any(is_output)
}

impl Draw<'_> {
    fn outermost(&mut self) -> Query {
        let mut ctes = Vec::new();
        if self.random.percent(8) {
            let (query, outputs) = self.inner(1, None);
            ctes.push(("c0".to_owned(), query));
            self.ctes.push(("c0".to_owned(), outputs));
        }
        let mut small = Vec::new();
        let (body, sortable) = if self.random.percent(14) {
            (self.set(2).0, Vec::new())
        } else {
            let (select, outputs, sortable) = self.select(2, &[], None);
            small = outputs.iter().map(|output| output.small).collect();
            (Body::Select(Box::new(select)), sortable)
        };
        let mut query = Query {
            ctes,
            ..Query::of(body)
        };
        let mut sortable = sortable;
        if let Body::Select(select) = &mut query.body {
            self.drop_names(select);
            sortable.retain(|value| !is_hidden(&value.expr, &select.items));
        }
        self.order(&mut query, &sortable);
        self.overflow(&mut query, &small);
        query
    }

    /// Adds the greatest integer but one to a small one now and then, where every row is computed.
    fn overflow(&mut self, query: &mut Query, small: &[bool]) {
        let is_whole = query.limit.is_none() && query.offset == 0;
        let Body::Select(select) = &mut query.body else {
            return;
        };
        let items = select.items.iter_mut().zip(small);
        let mut items: Vec<&mut Item> = items
            .filter_map(|(item, small)| small.then_some(item))
            .collect();
        if !is_whole || items.is_empty() || !self.random.percent(6) {
            return;
        }
        let place = self.random.between(0, items.len() - 1);
        let expr = &mut items[place].expr;
        let great = Expr::Constant((i64::MAX - 1).to_string());
        *expr = Expr::Arithmetic('+', Box::new(expr.clone()), Box::new(great));
    }

    /// Columns without a name, and now and then twice the same.
    fn drop_names(&mut self, select: &mut Select) {
        let named = self
            .random
            .weighted(&[(35, None), (60, Some('o')), (5, Some('x'))]);
        for (number, item) in select.items.iter_mut().enumerate() {
            item.alias = named.map(|letter| format!("{letter}{number}"));
        }
        if self.random.percent(1) {
            let again = self.random.pick(&select.items).clone();
            select.items.push(again);
        } else if self.random.percent(98) {
            name_repeated(&mut select.items);
        }
    }

    /// An order and a page for the outermost query.
    fn order(&mut self, query: &mut Query, sortable: &[Value]) {
        let items = query.body.first().items.len();
        let is_distinct = match &query.body {
            Body::Select(select) => select.distinct,
            Body::Set(_) => true,
        };
        if !sortable.is_empty() && !self.keys.is_empty() && !is_distinct {
            for expr in std::mem::take(&mut self.keys) {
                let key = self.key(SortBy::Expr(expr));
                query.order.push(key);
            }
        } else if self.random.percent(70) {
            for _ in 0..self.random.between(1, 3) {
                let by = if sortable.is_empty() || is_distinct || self.random.percent(55) {
                    SortBy::Item(self.random.between(0, items - 1))
                } else {
                    SortBy::Expr(self.sorted_by(sortable))
                };
                let key = self.key(by);
                query.order.push(key);
            }
        }
        if self
            .random
            .percent(if query.order.is_empty() { 8 } else { 50 })
        {
            query.limit = Some(self.random.between(0, 6));
        }
        if self
            .random
            .percent(if query.limit.is_some() { 25 } else { 3 })
        {
            query.offset = self.random.between(1, 4);
        }
    }

    fn sorted_by(&mut self, sortable: &[Value]) -> Expr {
        let value = self.random.pick(sortable).clone();
        let is_time = matches!(value.sql_type, SqlType::Timestamp { .. });
        if is_time && self.random.percent(60) {
            Expr::TimeOfDay(Box::new(value.expr))
        } else {
            value.expr
        }
    }

    fn key(&mut self, by: SortBy) -> SortKey {
        SortKey {
            by,
            descending: self.random.percent(40),
            nulls_first: if self.random.percent(25) {
                Some(self.random.percent(50))
            } else {
                None
            },
        }
    }

    /// A query inside of another: its rows follow from it, its columns have names.
    fn inner(&mut self, depth: usize, wanted: Option<&[SqlType]>) -> (Query, Vec<Output>) {
        let (body, outputs) = if self.random.percent(15) && wanted.is_none() {
            self.set(depth)
        } else {
            let (select, outputs, _) = self.select(depth, &[], wanted);
            (Body::Select(Box::new(select)), outputs)
        };
        let mut query = Query::of(body);
        if self.random.percent(20) {
            let mut items: Vec<usize> = (0..outputs.len()).collect();
            self.random.shuffle(&mut items);
            query.order = items
                .into_iter()
                .map(|item| self.key(SortBy::Item(item)))
                .collect();
            if self.random.percent(70) {
                query.limit = Some(self.random.between(0, 6));
                query.offset = self.random.weighted(&[(80, 0), (10, 1), (10, 3)]);
            }
        }
        (query, outputs)
    }

    /// Two or three queries as one.
    fn set(&mut self, depth: usize) -> (Body, Vec<Output>) {
        let (left, mut outputs, _) = self.select(depth, &[], None);
        let types: Vec<SqlType> = outputs.iter().map(|one| one.sql_type.clone()).collect();
        let mut body = Body::Select(Box::new(left));
        for _ in 0..self.random.weighted(&[(75, 1), (25, 2)]) {
            let (mut right, others, _) = self.select(depth, &[], Some(&types));
            // The first arm's names are those of all.
            for (number, item) in right.items.iter_mut().enumerate() {
                item.alias = Some(format!("y{number}"));
            }
            for (output, other) in outputs.iter_mut().zip(others) {
                output.small &= other.small;
            }
            let operator = self.random.weighted(&[
                (60, SetOperator::Union),
                (20, SetOperator::Intersect),
                (20, SetOperator::Except),
            ]);
            let all = self.random.percent(50);
            body = Body::Set(Box::new(SetOperation {
                operator,
                all,
                left: body,
                right: Body::Select(Box::new(right)),
            }));
        }
        (body, outputs)
    }

    /// A name that the query does not have yet.
    fn alias(&mut self, letter: char) -> String {
        self.aliases += 1;
        format!("{letter}{}", self.aliases)
    }
}

/// Names columns that would have the name of another.
fn name_repeated(items: &mut [Item]) {
    let mut seen = Vec::new();
    for (number, item) in items.iter_mut().enumerate() {
        let shown = match &item.expr {
            // A cast is not part of a column's name.
            Expr::Cast(inner, _) => format!("{inner:?}"),
            other => format!("{other:?}"),
        };
        if item.alias.is_none() && seen.contains(&shown) {
            item.alias = Some(format!("n{number}"));
        }
        seen.push(shown);
    }
}
