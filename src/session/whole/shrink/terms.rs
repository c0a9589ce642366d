//! Conditions and values with something taken out.

use super::super::query::{Aggregate, Expr, Predicate, Window};
use super::queries::queries;
use crate::plan::law::shrink::simpler as simpler_condition;

pub(super) fn optional(predicate: Option<&Predicate>) -> Vec<Option<Predicate>> {
    match predicate {
        None => Vec::new(),
        Some(predicate) => {
            let simpler = predicates(predicate).into_iter().map(Some);
            std::iter::once(None).chain(simpler).collect()
        }
    }
}

pub(super) fn predicates(predicate: &Predicate) -> Vec<Predicate> {
    let mut simpler = Vec::new();
    match predicate {
        Predicate::Constant(_) => {}
        Predicate::Law {
            source,
            table,
            condition,
        } => {
            let conditions = simpler_condition(condition).into_iter();
            simpler.extend(conditions.map(|condition| Predicate::Law {
                source: source.clone(),
                table: *table,
                condition,
            }));
        }
        Predicate::And(terms) => fewer_terms(terms, Predicate::And, &mut simpler),
        Predicate::Or(terms) => fewer_terms(terms, Predicate::Or, &mut simpler),
        Predicate::Not(inner) => {
            simpler.push((**inner).clone());
            let inner = predicates(inner).into_iter();
            simpler.extend(inner.map(|inner| Predicate::Not(Box::new(inner))));
        }
        Predicate::Test(inner, truth, negated) => {
            simpler.push((**inner).clone());
            let inner = predicates(inner).into_iter();
            simpler.extend(inner.map(|inner| Predicate::Test(Box::new(inner), *truth, *negated)));
        }
        Predicate::Exists(query, negated) => {
            let query = queries(query).into_iter();
            simpler.extend(query.map(|query| Predicate::Exists(Box::new(query), *negated)));
        }
        Predicate::InQuery(expr, query, negated) => {
            let query = queries(query).into_iter();
            simpler.extend(
                query.map(|query| Predicate::InQuery(expr.clone(), Box::new(query), *negated)),
            );
        }
        Predicate::Compare(left, comparison, right) => {
            let lefts = exprs(left).into_iter();
            simpler.extend(lefts.map(|left| Predicate::Compare(left, *comparison, right.clone())));
            let rights = exprs(right).into_iter();
            simpler
                .extend(rights.map(|right| Predicate::Compare(left.clone(), *comparison, right)));
        }
        Predicate::In(expr, list, negated) => {
            if list.len() > 1 {
                for number in 0..list.len() {
                    let mut list = list.clone();
                    list.remove(number);
                    simpler.push(Predicate::In(expr.clone(), list, *negated));
                }
            }
        }
        Predicate::Between(..) | Predicate::IsNull(..) => {}
    }
    if !matches!(predicate, Predicate::Constant(_)) {
        simpler.push(Predicate::Constant(Some(false)));
        simpler.push(Predicate::Constant(Some(true)));
    }
    simpler
}

fn fewer_terms(
    terms: &[Predicate],
    join: fn(Vec<Predicate>) -> Predicate,
    simpler: &mut Vec<Predicate>,
) {
    simpler.extend(terms.iter().cloned());
    for (number, term) in terms.iter().enumerate() {
        if terms.len() > 2 {
            let mut fewer = terms.to_vec();
            fewer.remove(number);
            simpler.push(join(fewer));
        }
        for term in predicates(term) {
            let mut terms = terms.to_vec();
            terms[number] = term;
            simpler.push(join(terms));
        }
    }
}

pub(super) fn exprs(expr: &Expr) -> Vec<Expr> {
    let mut simpler = Vec::new();
    match expr {
        Expr::Column { .. } | Expr::Bytes(_) => {}
        Expr::Constant(sql) => {
            if sql != "1" {
                simpler.push(Expr::Constant("1".to_owned()));
            }
        }
        Expr::Merged {
            name, left, right, ..
        } => {
            simpler.extend([left, right].map(|source| Expr::Column {
                source: source.clone(),
                name: name.clone(),
            }));
        }
        Expr::Arithmetic(_, first, second)
        | Expr::Binary(_, first, second)
        | Expr::Coalesce(first, second)
        | Expr::NullIf(first, second) => {
            simpler.extend([(**first).clone(), (**second).clone()]);
        }
        Expr::TimeOfDay(inner) | Expr::InBerlin(inner) => {
            let whole = match expr {
                Expr::TimeOfDay(_) => Expr::TimeOfDay,
                _ => Expr::InBerlin,
            };
            simpler.push((**inner).clone());
            let inner = exprs(inner).into_iter();
            simpler.extend(inner.map(|inner| whole(Box::new(inner))));
        }
        Expr::Call(_, arguments) => simpler.extend(arguments.iter().cloned()),
        Expr::Cast(inner, sql_type) => {
            simpler.push((**inner).clone());
            let inner = exprs(inner).into_iter();
            simpler.extend(inner.map(|inner| Expr::Cast(Box::new(inner), sql_type.clone())));
        }
        Expr::Case(when, then, otherwise) => {
            simpler.extend([(**then).clone(), (**otherwise).clone()]);
            for when in predicates(when) {
                simpler.push(Expr::Case(Box::new(when), then.clone(), otherwise.clone()));
            }
        }
        Expr::Truth(predicate) => {
            let predicates = predicates(predicate).into_iter();
            simpler.extend(predicates.map(|predicate| Expr::Truth(Box::new(predicate))));
        }
        Expr::Aggregate(aggregate) => simpler.extend(aggregates(aggregate)),
        Expr::Window(window) => simpler.extend(windows(window)),
        Expr::Scalar(query) => {
            simpler.push(Expr::Constant("1".to_owned()));
            let queries = queries(query).into_iter();
            simpler.extend(queries.map(|query| Expr::Scalar(Box::new(query))));
        }
    }
    simpler
}

fn aggregates(aggregate: &Aggregate) -> Vec<Expr> {
    let mut simpler = Vec::new();
    simpler.push(Expr::Constant("1".to_owned()));
    simpler.extend(aggregate.arguments.iter().cloned());
    let mut push = |change: &dyn Fn(&mut Aggregate)| {
        let mut changed = aggregate.clone();
        change(&mut changed);
        simpler.push(Expr::Aggregate(Box::new(changed)));
    };
    for filter in optional(aggregate.filter.as_ref()) {
        push(&|aggregate| aggregate.filter = filter.clone());
    }
    if aggregate.distinct {
        push(&|aggregate| aggregate.distinct = false);
    }
    if aggregate.order.len() > 1 {
        push(&|aggregate| drop(aggregate.order.remove(0)));
    }
    for argument in aggregate.arguments.first().map(exprs).unwrap_or_default() {
        push(&|aggregate| aggregate.arguments[0] = argument.clone());
    }
    simpler
}

fn windows(window: &Window) -> Vec<Expr> {
    let mut simpler = Vec::new();
    simpler.push(Expr::Constant("1".to_owned()));
    simpler.extend(window.function.arguments.iter().cloned());
    let mut push = |change: &dyn Fn(&mut Window)| {
        let mut changed = window.clone();
        change(&mut changed);
        simpler.push(Expr::Window(Box::new(changed)));
    };
    if window.frame.is_some() {
        push(&|window| window.frame = None);
    }
    if window.ignores_nulls {
        push(&|window| window.ignores_nulls = false);
    }
    for number in 0..window.partition.len() {
        push(&|window| drop(window.partition.remove(number)));
    }
    // What depends on the order of ties is told them apart by all that it is ordered by.
    let is_whole = window.frame.is_none_or(|frame| !frame.starts_with("ROWS"));
    let ignores_ties = matches!(
        window.function.function,
        "count" | "sum" | "min" | "max" | "rank" | "dense_rank"
    );
    if is_whole && ignores_ties {
        for number in 0..window.order.len() {
            push(&|window| drop(window.order.remove(number)));
        }
    }
    simpler
}
