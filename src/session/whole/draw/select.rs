//! SELECT: rows or groups, their values, aggregates and windows.

use super::super::query::{
    Expr, From, Group, GroupKind, Item, Predicate, Relation, Select, Source,
};
use super::aggregates::{count_all, integer};
use super::{Draw, Output, Scope, Value};
use crate::datum::SqlType;
use crate::plan::law::predicates::kind;

/// What the items of a SELECT are made of.
pub(super) struct Material {
    /// What a row, or a group, has.
    pub(super) scope: Scope,
    /// What aggregates are made of, where rows are grouped.
    pub(super) grouped: Option<Scope>,
    /// `grouping` of them is defined.
    sets: Vec<Expr>,
    /// Rows are asked for their least and greatest values alone.
    pub(super) extremes: bool,
}

/// Whether rows come from queries, which may give a row several times.
fn has_queries(from: &From) -> bool {
    let is_query = |source: &Source| !matches!(source.relation, Relation::Table(_));
    match from {
        From::Source(source) => is_query(source),
        From::Join(join) => is_query(&join.right) || has_queries(&join.left),
    }
}

/// Makes of windows that tell equal rows apart, beside one that does so in another order, others that do not: which number
/// stands beside which is not said.
fn settle_ties(values: &mut [Value]) {
    let mut first: Option<String> = None;
    for value in values {
        let Expr::Window(window) = &mut value.expr else {
            continue;
        };
        if !window.tells_apart() {
            continue;
        }
        let order = format!("{:?} {:?}", window.partition, window.order);
        if first.get_or_insert_with(|| order.clone()) == &order {
            continue;
        }
        window.frame = None;
        window.ignores_nulls = false;
        window.function.arguments.truncate(1);
        window.function.function = match window.function.function {
            "row_number" | "ntile" => "count",
            "lag" | "lead" | "first_value" | "last_value" | "nth_value" => "max",
            other => other,
        };
    }
}

impl Draw<'_> {
    /// A SELECT with columns `x0`, `x1`, … of the wanted types, or of any; what it gives, and what else rows can be
    /// ordered by.
    pub(super) fn select(
        &mut self,
        depth: usize,
        outer: &[Value],
        wanted: Option<&[SqlType]>,
    ) -> (Select, Vec<Output>, Vec<Value>) {
        let (from, scope) = self.from(depth);
        let filter = self.filter(&scope, outer, depth);
        let is_grouped = self.random.percent(38);
        let keyed = is_grouped.then(|| self.keyed(&scope)).flatten();
        let keys = keyed.as_ref().map(|group| group.by.clone());
        let group = if is_grouped {
            Some(keyed.unwrap_or_else(|| self.group(&scope)))
        } else {
            None
        };
        let mut material = material(scope, group.as_ref());
        let is_one = group.as_ref().is_some_and(|group| group.by.is_empty());
        material.extremes = is_one && self.random.percent(40);
        let distinct = self.random.percent(12);
        let count = self.random.weighted(&[(30, 1), (40, 2), (20, 3), (10, 4)]);
        let mut values: Vec<Value> = match wanted {
            Some(types) => types
                .iter()
                .map(|one| self.value_of(&material, one))
                .collect(),
            None => (0..count)
                .map(|_| self.item(&material, depth, true))
                .collect(),
        };
        if wanted.is_none() {
            values.extend(self.equal_window(&values));
            values.extend(self.other_order(&values));
        }
        if has_queries(&from) {
            settle_ties(&mut values);
        }
        let having = if material.grouped.is_some() && self.random.percent(30) {
            Some(self.having(&material, depth))
        } else {
            None
        };
        let mut sortable = material.scope.values.clone();
        if material.grouped.is_some() {
            sortable.push(self.aggregate(&material));
        }
        let outputs = values.iter().map(|value| Output {
            sql_type: value.sql_type.clone(),
            small: value.small,
        });
        let outputs = outputs.collect();
        self.keys = keys.unwrap_or_default();
        let items = values.into_iter().enumerate().map(|(number, value)| Item {
            expr: value.expr,
            alias: Some(format!("x{number}")),
        });
        let select = Select {
            distinct,
            items: items.collect(),
            from,
            filter,
            group,
            having,
        };
        (select, outputs, sortable)
    }

    fn filter(&mut self, scope: &Scope, outer: &[Value], depth: usize) -> Option<Predicate> {
        let mut terms = Vec::new();
        if !outer.is_empty() {
            let outside = Scope {
                values: outer.to_vec(),
                ..Scope::default()
            };
            terms.extend(self.equality(scope, &outside));
        }
        if self.random.percent(if terms.is_empty() { 60 } else { 35 }) {
            terms.push(self.predicate(scope, depth));
        }
        match terms.len() {
            0 => None,
            1 => terms.pop(),
            _ => Some(Predicate::And(terms)),
        }
    }

    /// The groups of all columns of a query and one of another source, now and then: a key of one side of a join, which
    /// tells the rows of that side apart and not those of the join.
    fn keyed(&mut self, scope: &Scope) -> Option<Group> {
        let mut queries = scope.values.iter().filter_map(source_of);
        let query = queries.find(|alias| alias.starts_with('q'))?;
        let columns = scope.values.iter().filter(|one| source_of(one).is_some());
        let (of_query, others): (Vec<&Value>, Vec<&Value>) =
            columns.partition(|one| source_of(one) == Some(query));
        if others.is_empty() || self.rare.percent(40) {
            return None;
        }
        let mut by: Vec<Expr> = of_query.iter().map(|one| one.expr.clone()).collect();
        by.push(self.rare.pick(&others).expr.clone());
        Some(Group {
            by,
            kind: GroupKind::Plain,
        })
    }

    fn group(&mut self, scope: &Scope) -> Group {
        let count = self.random.weighted(&[(25, 0), (35, 1), (28, 2), (12, 3)]);
        let mut by: Vec<Expr> = Vec::new();
        for _ in 0..count {
            let mut value = self.pick(scope);
            if self.random.percent(20) {
                let derived = self.derived(value.clone(), scope, 0);
                // A value and its cast to its own type are one group to the simplifier, and two in grouping sets.
                if !matches!(derived.expr, Expr::Cast(..)) {
                    value = derived;
                }
            }
            let is_new = by
                .iter()
                .all(|other| format!("{other:?}") != format!("{:?}", value.expr));
            if is_new {
                by.push(value.expr);
            }
        }
        let kind = match (by.len(), self.random.between(0, 99)) {
            (0, _) | (_, 0..65) => GroupKind::Plain,
            (_, 65..77) => GroupKind::Rollup,
            (_, 77..86) => GroupKind::Cube,
            _ => GroupKind::Sets(self.sets(by.len())),
        };
        Group { by, kind }
    }

    /// Two or three grouping sets of so many expressions, no two of them equal.
    fn sets(&mut self, members: usize) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for _ in 0..self.random.between(2, 3) {
            let all = 0..members;
            let set: Vec<usize> = all.filter(|_| self.random.percent(50)).collect();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        // Every expression is in a set.
        let all: Vec<usize> = (0..members).collect();
        if !sets.contains(&all) {
            sets.push(all);
        }
        sets
    }

    /// A window that is there already, as soon as it is simplified, now and then.
    fn equal_window(&mut self, values: &[Value]) -> Option<Value> {
        let is_parted = |value: &&Value| match &value.expr {
            Expr::Window(window) => !window.partition.is_empty(),
            _ => false,
        };
        let mut equal = values.iter().find(is_parted)?.clone();
        if let Expr::Window(window) = &mut equal.expr
            && let Some(part) = window.partition.first_mut()
        {
            let (when, same) = (Predicate::Constant(Some(true)), Box::new(part.clone()));
            *part = Expr::Case(Box::new(when), same.clone(), same);
        }
        self.random.percent(15).then_some(equal)
    }

    /// An aggregate that is there already, over its values in the reverse order, now and then.
    fn other_order(&mut self, values: &[Value]) -> Option<Value> {
        let is_ordered = |value: &&Value| match &value.expr {
            Expr::Aggregate(aggregate) => !aggregate.order.is_empty(),
            _ => false,
        };
        let mut other = values.iter().find(is_ordered)?.clone();
        if let Expr::Aggregate(aggregate) = &mut other.expr {
            for key in &mut aggregate.order {
                key.descending = !key.descending;
            }
        }
        self.random.percent(40).then_some(other)
    }

    /// A value of any type for a SELECT.
    fn item(&mut self, material: &Material, depth: usize, windows: bool) -> Value {
        match self.random.between(0, 99) {
            _ if material.extremes => self.aggregate(material),
            0..20 if windows => self.window(material),
            20..25 if depth > 0 => self.scalar(&material.scope.values, depth),
            25..65 if material.grouped.is_some() => self.aggregate(material),
            65..70 if !material.sets.is_empty() => {
                let of = self.random.pick(&material.sets).clone();
                let expr = Expr::Call("grouping", vec![of]);
                integer(expr, true)
            }
            70..82 if !material.scope.values.is_empty() => {
                let value = self.pick(&material.scope);
                self.derived(value, &material.scope, 0)
            }
            82..85 => self.constant_value(),
            88 => self.shown_time(&material.scope),
            89 => self.month_of_a_late_time(&material.scope),
            85..88 => {
                let predicate = self.predicate(&material.scope, 0);
                Value {
                    expr: Expr::Truth(Box::new(predicate)),
                    sql_type: SqlType::Boolean,
                    small: false,
                }
            }
            _ if !material.scope.values.is_empty() => self.pick(&material.scope),
            _ => self.aggregate(material),
        }
    }

    /// A value that stands beside values of a type in a UNION.
    fn value_of(&mut self, material: &Material, wanted: &SqlType) -> Value {
        let of_kind = |value: &&Value| kind(&value.sql_type) == kind(wanted);
        let fitting: Vec<&Value> = material.scope.values.iter().filter(of_kind).collect();
        if !fitting.is_empty() && self.random.percent(85) {
            return (*self.random.pick(&fitting)).clone();
        }
        if wanted.is_integer() && material.grouped.is_some() {
            return count_all();
        }
        let expr = if self.random.percent(30) {
            Expr::Constant("NULL".to_owned())
        } else {
            self.constant(wanted)
        };
        let sql_type = if wanted.is_text() {
            SqlType::Text
        } else {
            wanted.clone()
        };
        Value {
            expr: Expr::Cast(Box::new(expr), sql_type.clone()),
            sql_type,
            small: false,
        }
    }

    fn having(&mut self, material: &Material, depth: usize) -> Predicate {
        let mut scope = material.scope.clone();
        for _ in 0..2 {
            let aggregate = self.aggregate(material);
            scope.values.push(aggregate);
        }
        self.predicate(&scope, depth)
    }
}

fn material(scope: Scope, group: Option<&Group>) -> Material {
    let Some(group) = group else {
        return Material {
            scope,
            grouped: None,
            sets: Vec::new(),
            extremes: false,
        };
    };
    let text = |expr: &Expr| format!("{expr:?}");
    let values = group.by.iter().map(|by| {
        let known = scope.values.iter().find(|one| text(&one.expr) == text(by));
        known.cloned().unwrap_or_else(|| Value {
            expr: by.clone(),
            sql_type: shape_of(by, &scope),
            small: false,
        })
    });
    let groups = Scope {
        values: values.collect(),
        tables: Vec::new(),
        total: match group.kind {
            GroupKind::Plain => group.by.clone(),
            _ => Vec::new(),
        },
    };
    Material {
        scope: groups,
        grouped: Some(scope),
        sets: match group.kind {
            GroupKind::Plain => Vec::new(),
            _ => group.by.clone(),
        },
        extremes: false,
    }
}

/// The alias of the source that a column comes from.
fn source_of(value: &Value) -> Option<&str> {
    match &value.expr {
        Expr::Column { source, .. } => Some(source),
        _ => None,
    }
}

/// The type of an expression that [`Draw::derived`] makes of a value.
fn shape_of(expr: &Expr, scope: &Scope) -> SqlType {
    let of = |inner: &Expr| {
        let text = format!("{inner:?}");
        let known = scope
            .values
            .iter()
            .find(|one| format!("{:?}", one.expr) == text);
        known.map_or(SqlType::Text, |value| value.sql_type.clone())
    };
    match expr {
        Expr::Coalesce(first, _) | Expr::NullIf(first, _) => of(first),
        Expr::Case(_, then, _) => of(then),
        Expr::Cast(_, sql_type) => sql_type.clone(),
        Expr::Truth(_) => SqlType::Boolean,
        Expr::Arithmetic(..) | Expr::Call("character_length", _) => SqlType::BigInt,
        Expr::Binary("||", ..) => SqlType::Text,
        Expr::Binary("~", ..) => SqlType::Boolean,
        Expr::Binary("%", first, _) if matches!(**first, Expr::Binary("+", ..)) => {
            SqlType::Decimal {
                precision: 20,
                scale: 1,
            }
        }
        Expr::Call("date_trunc", arguments) => arguments.last().map_or(SqlType::Text, of),
        Expr::Binary(_, first, _) => of(first),
        other => of(other),
    }
}
