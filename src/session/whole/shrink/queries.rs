//! Queries, their clauses and sources, with something taken out.

use super::super::query::{
    Body, Expr, From, Group, GroupKind, Join, JoinKind, On, Query, Relation, Select, SetOperation,
    SortBy, SortKey, Source,
};
use super::terms::{exprs, optional, predicates};

pub(super) fn queries(query: &Query) -> Vec<Query> {
    let mut simpler = Vec::new();
    let mut push = |change: &dyn Fn(&mut Query)| {
        let mut changed = query.clone();
        change(&mut changed);
        simpler.push(changed);
    };
    // An inner query by itself.
    for inner in inner_queries(&query.body) {
        push(&|query| {
            let ctes = std::mem::take(&mut query.ctes);
            *query = inner.clone();
            query.ctes.extend(ctes);
        });
    }
    for number in 0..query.ctes.len() {
        push(&|query| drop(query.ctes.remove(number)));
        for inner in queries(&query.ctes[number].1) {
            push(&|query| query.ctes[number].1 = inner.clone());
        }
    }
    for body in bodies(&query.body) {
        push(&|query| query.body = body.clone());
    }
    let columns = query.body.first().items.len();
    for column in 0..columns {
        if columns > 1 {
            push(&|query| without_column(query, column));
        }
    }
    if query.limit.is_some() {
        push(&|query| query.limit = None);
    }
    if query.offset > 0 {
        push(&|query| query.offset = 0);
    }
    if query.limit.is_some_and(|limit| limit > 1) {
        push(&|query| query.limit = Some(1));
    }
    for key in 0..query.order.len() {
        push(&|query| drop(query.order.remove(key)));
    }
    for (number, key) in query.order.iter().enumerate() {
        for key in sort_key(key) {
            push(&|query| query.order[number] = key.clone());
        }
    }
    simpler
}

fn inner_queries(body: &Body) -> Vec<Query> {
    fn of_from(from: &From, found: &mut Vec<Query>) {
        match from {
            From::Source(source) => of_source(source, found),
            From::Join(join) => {
                of_from(&join.left, found);
                of_source(&join.right, found);
            }
        }
    }
    fn of_source(source: &Source, found: &mut Vec<Query>) {
        if let Relation::Derived(query) = &source.relation {
            found.push((**query).clone());
        }
    }
    let mut found = Vec::new();
    match body {
        Body::Select(select) => of_from(&select.from, &mut found),
        Body::Set(set) => {
            found.extend(inner_queries(&set.left));
            found.extend(inner_queries(&set.right));
        }
    }
    found
}

fn without_column(query: &mut Query, column: usize) {
    fn from_body(body: &mut Body, column: usize) {
        match body {
            Body::Select(select) => drop(select.items.remove(column)),
            Body::Set(set) => {
                from_body(&mut set.left, column);
                from_body(&mut set.right, column);
            }
        }
    }
    from_body(&mut query.body, column);
    query
        .order
        .retain(|key| !matches!(key.by, SortBy::Item(item) if item == column));
    for key in &mut query.order {
        if let SortBy::Item(item) = &mut key.by {
            *item -= usize::from(*item > column);
        }
    }
}

fn sort_key(key: &SortKey) -> Vec<SortKey> {
    let mut simpler = Vec::new();
    if key.descending {
        simpler.push(SortKey {
            descending: false,
            ..key.clone()
        });
    }
    if key.nulls_first.is_some() {
        simpler.push(SortKey {
            nulls_first: None,
            ..key.clone()
        });
    }
    if let SortBy::Expr(expr) = &key.by {
        // A number would be the position of an item.
        let exprs = exprs(expr).into_iter();
        let exprs = exprs.filter(|expr| !matches!(expr, Expr::Constant(_)));
        simpler.extend(exprs.map(|expr| SortKey {
            by: SortBy::Expr(expr),
            ..key.clone()
        }));
    }
    simpler
}

fn bodies(body: &Body) -> Vec<Body> {
    match body {
        Body::Select(select) => {
            let simpler = selects(select).into_iter();
            simpler
                .map(|select| Body::Select(Box::new(select)))
                .collect()
        }
        Body::Set(set) => {
            let mut simpler = vec![set.left.clone(), set.right.clone()];
            let mut push = |left: Body, right: Body, all: bool| {
                simpler.push(Body::Set(Box::new(SetOperation {
                    operator: set.operator,
                    all,
                    left,
                    right,
                })));
            };
            if !set.all {
                push(set.left.clone(), set.right.clone(), true);
            }
            for left in bodies(&set.left) {
                push(left, set.right.clone(), set.all);
            }
            for right in bodies(&set.right) {
                push(set.left.clone(), right, set.all);
            }
            simpler
        }
    }
}

fn selects(select: &Select) -> Vec<Select> {
    let mut simpler = Vec::new();
    let mut push = |change: &dyn Fn(&mut Select)| {
        let mut changed = select.clone();
        change(&mut changed);
        simpler.push(changed);
    };
    for from in froms(&select.from) {
        push(&|select| select.from = from.clone());
    }
    for filter in optional(select.filter.as_ref()) {
        push(&|select| select.filter = filter.clone());
    }
    for having in optional(select.having.as_ref()) {
        push(&|select| select.having = having.clone());
    }
    if select.distinct {
        push(&|select| select.distinct = false);
    }
    if let Some(group) = &select.group {
        push(&|select| select.group = None);
        for group in groups(group) {
            push(&|select| select.group = Some(group.clone()));
        }
    }
    for (number, item) in select.items.iter().enumerate() {
        for expr in exprs(&item.expr) {
            push(&|select| select.items[number].expr = expr.clone());
        }
    }
    if let Some(group) = &select.group {
        for (number, by) in group.by.iter().enumerate() {
            // What is grouped by is named elsewhere, too.
            for expr in exprs(by) {
                push(&|select| replace_group(select, number, &expr));
            }
        }
    }
    simpler
}

fn replace_group(select: &mut Select, number: usize, expr: &Expr) {
    let Some(group) = &mut select.group else {
        return;
    };
    let old = format!("{:?}", group.by[number]);
    group.by[number] = expr.clone();
    for item in &mut select.items {
        if format!("{:?}", item.expr) == old {
            item.expr = expr.clone();
        }
    }
}

fn groups(group: &Group) -> Vec<Group> {
    let mut simpler = Vec::new();
    if group.kind != GroupKind::Plain {
        simpler.push(Group {
            kind: GroupKind::Plain,
            ..group.clone()
        });
        simpler.push(Group {
            kind: GroupKind::Rollup,
            ..group.clone()
        });
        simpler.retain(|one| one.kind != group.kind);
    }
    for number in 0..group.by.len() {
        let mut fewer = group.clone();
        fewer.by.remove(number);
        if let GroupKind::Sets(sets) = &mut fewer.kind {
            for set in sets {
                set.retain(|member| *member != number);
                for member in set {
                    *member -= usize::from(*member > number);
                }
            }
        }
        if fewer.by.is_empty() {
            fewer.kind = GroupKind::Plain;
        }
        simpler.push(fewer);
    }
    if let GroupKind::Sets(sets) = &group.kind {
        for number in 0..sets.len() {
            let mut sets = sets.clone();
            sets.remove(number);
            if !sets.is_empty() {
                simpler.push(Group {
                    kind: GroupKind::Sets(sets),
                    ..group.clone()
                });
            }
        }
    }
    simpler
}

fn froms(from: &From) -> Vec<From> {
    match from {
        From::Source(source) => sources(source).into_iter().map(From::Source).collect(),
        From::Join(join) => {
            let mut simpler = vec![join.left.clone(), From::Source(join.right.clone())];
            let mut push = |change: &dyn Fn(&mut Join)| {
                let mut changed = (**join).clone();
                change(&mut changed);
                simpler.push(From::Join(Box::new(changed)));
            };
            if !matches!(join.kind, JoinKind::Inner | JoinKind::Cross) {
                push(&|join| join.kind = JoinKind::Inner);
            }
            if let On::Condition(condition) = &join.on {
                for condition in predicates(condition) {
                    push(&|join| join.on = On::Condition(condition.clone()));
                }
            }
            for left in froms(&join.left) {
                push(&|join| join.left = left.clone());
            }
            for right in sources(&join.right) {
                push(&|join| join.right = right.clone());
            }
            simpler
        }
    }
}

fn sources(source: &Source) -> Vec<Source> {
    match &source.relation {
        Relation::Derived(query) => {
            let simpler = queries(query).into_iter();
            simpler
                .map(|query| Source {
                    alias: source.alias.clone(),
                    relation: Relation::Derived(Box::new(query)),
                })
                .collect()
        }
        _ => Vec::new(),
    }
}
