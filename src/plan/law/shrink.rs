//! From a case that breaks the law to a small one that breaks it in the same way.

use super::cases::{Case, Variant};
use super::check::{Violation, check};
use super::condition::{Condition, Function, Term};
use crate::key::{Argument, NullOrder, SortOrder};

/// The most cases that are tried.
const TRIALS: usize = 3_000;

/// The smallest case found that breaks the law as `violation` does.
pub(super) fn shrink(case: Case, violation: Violation) -> (Case, Violation) {
    let (mut case, mut violation) = (case, violation);
    let mut trials = 0;
    'simplify: loop {
        for candidate in candidates(&case, &violation) {
            trials += 1;
            if trials > TRIALS {
                break 'simplify;
            }
            if let Err(other) = check(&candidate)
                && other.breach == violation.breach
            {
                (case, violation) = (candidate, other);
                continue 'simplify;
            }
        }
        break;
    }
    (case, violation)
}

/// Simpler cases, the boldest first.
fn candidates(case: &Case, violation: &Violation) -> Vec<Case> {
    let mut candidates = fewer_rows(case, violation);
    let with = |change: &dyn Fn(&mut Case)| {
        let mut changed = case.clone();
        change(&mut changed);
        changed
    };
    for condition in simpler(&case.condition) {
        candidates.push(with(&|case| case.condition = condition.clone()));
    }
    if case.parts.len() > 1 {
        for part in 0..case.parts.len() {
            candidates.push(with(&|case| drop(case.parts.remove(part))));
        }
    }
    for column in 0..case.columns.len() {
        candidates.extend(without_column(case, column));
        let nullable = case.columns[column].nullable;
        if nullable && case.rows.iter().all(|row| row[column].is_some()) {
            candidates.push(with(&|case| case.columns[column].nullable = false));
        }
    }
    for part in 0..case.parts.len() {
        if case.parts[part].direction == SortOrder::Descending {
            candidates.push(with(&|case| {
                case.parts[part].direction = SortOrder::Ascending;
            }));
        }
        if case.parts[part].nulls == NullOrder::First {
            candidates.push(with(&|case| case.parts[part].nulls = NullOrder::Last));
        }
    }
    for simpler in [Variant::Planned, Variant::Coerced] {
        if case.variant != Variant::Planned && case.variant != simpler {
            candidates.push(with(&|case| case.variant = simpler));
        }
    }
    candidates
}

fn fewer_rows(case: &Case, violation: &Violation) -> Vec<Case> {
    let with = |rows| Case {
        rows,
        ..case.clone()
    };
    let mut fewer = Vec::new();
    if case.rows.len() > 1 {
        if let Some(row) = violation.row {
            fewer.push(with(vec![case.rows[row].clone()]));
        }
        let (first, second) = case.rows.split_at(case.rows.len() / 2);
        fewer.push(with(first.to_vec()));
        fewer.push(with(second.to_vec()));
        for row in 0..case.rows.len() {
            let mut rows = case.rows.clone();
            rows.remove(row);
            fewer.push(with(rows));
        }
    }
    fewer
}

/// The case without a column that neither the key nor the condition needs.
fn without_column(case: &Case, column: usize) -> Option<Case> {
    let name = Argument::Column(case.columns[column].name.clone());
    let in_key = case
        .parts
        .iter()
        .any(|part| part.expression.arguments.contains(&name));
    let mut in_condition = false;
    case.condition
        .for_each_leaf(&mut |leaf| in_condition |= leaf.leaf_columns().contains(&column));
    if in_key || in_condition || case.columns.len() == 1 {
        return None;
    }
    let mut case = case.clone();
    case.columns.remove(column);
    for row in &mut case.rows {
        row.remove(column);
    }
    shift_columns(&mut case.condition, column);
    Some(case)
}

/// Columns behind `removed` move up by one.
fn shift_columns(condition: &mut Condition, removed: usize) {
    let shift = |column: &mut usize| *column -= usize::from(*column > removed);
    let shift_term = |term: &mut Term| term.columns.iter_mut().for_each(shift);
    match condition {
        Condition::Constant(_) => {}
        Condition::Not(term)
        | Condition::Test {
            condition: term, ..
        } => shift_columns(term, removed),
        Condition::And(terms) | Condition::Or(terms) => {
            for term in terms {
                shift_columns(term, removed);
            }
        }
        Condition::Compare { term, .. }
        | Condition::Between { term, .. }
        | Condition::InList { term, .. }
        | Condition::IsNull { term, .. } => shift_term(term),
        Condition::Like { column, .. }
        | Condition::StartsWith { column, .. }
        | Condition::Matches { column, .. }
        | Condition::Boolean(column) => shift(column),
        Condition::Case {
            branches,
            otherwise,
        } => {
            let branches = branches.iter_mut().flat_map(|(when, then)| [when, then]);
            for inner in branches.chain(otherwise.as_deref_mut()) {
                shift_columns(inner, removed);
            }
        }
        Condition::Tuple { columns, .. } | Condition::TupleIn { columns, .. } => {
            columns.iter_mut().for_each(shift);
        }
        Condition::Columns { left, right, .. } => {
            shift(left);
            shift(right);
        }
    }
}

/// Conditions one step simpler.
pub(crate) fn simpler(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::And(terms) => fewer_terms(terms, Condition::And),
        Condition::Or(terms) => fewer_terms(terms, Condition::Or),
        Condition::Not(term) => {
            let inner = simpler(term).into_iter();
            let negated = inner.map(|term| Condition::Not(Box::new(term)));
            std::iter::once((**term).clone()).chain(negated).collect()
        }
        Condition::Test {
            condition,
            truth,
            negated,
        } => {
            let tested = |inner| Condition::Test {
                condition: Box::new(inner),
                truth: *truth,
                negated: *negated,
            };
            let inner = simpler(condition).into_iter().map(tested);
            std::iter::once((**condition).clone())
                .chain(inner)
                .collect()
        }
        Condition::Case {
            branches,
            otherwise,
        } => {
            let inner = condition.children().into_iter().cloned();
            let with = |branches| Condition::Case {
                branches,
                otherwise: otherwise.clone(),
            };
            let fewer = without_each(branches).filter(|rest| !rest.is_empty());
            inner.chain(fewer.map(with)).collect()
        }
        leaf => {
            let terms = leaf.term().map(simpler_terms).unwrap_or_default();
            let on_terms = terms.into_iter().map(|term| with_term(leaf, term));
            simpler_leaf(leaf).into_iter().chain(on_terms).collect()
        }
    }
}

/// Terms that compute less.
fn simpler_terms(term: &Term) -> Vec<Term> {
    let with = |function: Function| Term {
        function,
        columns: term.columns.clone(),
    };
    match &term.function {
        Function::Computed { steps, checked } => without_each(steps)
            .filter(|steps| !steps.is_empty())
            .map(|steps| {
                with(Function::Computed {
                    steps,
                    checked: *checked,
                })
            })
            .collect(),
        Function::Case(choice) => without_each(&choice.branches)
            .filter(|branches| !branches.is_empty())
            .map(|branches| {
                let mut choice = choice.clone();
                choice.branches = branches;
                with(Function::Case(choice))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A leaf on another term.
fn with_term(leaf: &Condition, other: Term) -> Condition {
    let mut leaf = leaf.clone();
    if let Condition::Compare { term, .. }
    | Condition::Between { term, .. }
    | Condition::InList { term, .. }
    | Condition::IsNull { term, .. } = &mut leaf
    {
        *term = other;
    }
    leaf
}

fn fewer_terms(terms: &[Condition], join: fn(Vec<Condition>) -> Condition) -> Vec<Condition> {
    let mut fewer: Vec<Condition> = terms.to_vec();
    if terms.len() > 2 {
        for term in 0..terms.len() {
            let mut rest = terms.to_vec();
            rest.remove(term);
            fewer.push(join(rest));
        }
    }
    for (position, term) in terms.iter().enumerate() {
        for simple in simpler(term) {
            let mut terms = terms.to_vec();
            terms[position] = simple;
            fewer.push(join(terms));
        }
    }
    fewer
}

fn simpler_leaf(leaf: &Condition) -> Vec<Condition> {
    match leaf {
        Condition::InList {
            term,
            list,
            negated,
        } if list.len() > 1 => without_each(list)
            .map(|list| Condition::InList {
                term: term.clone(),
                list,
                negated: *negated,
            })
            .collect(),
        Condition::TupleIn {
            columns,
            rows,
            negated,
        } if rows.len() > 1 => without_each(rows)
            .map(|rows| Condition::TupleIn {
                columns: columns.clone(),
                rows,
                negated: *negated,
            })
            .collect(),
        Condition::Compare {
            term,
            comparison,
            constant,
            constant_first: true,
        } => vec![Condition::Compare {
            term: term.clone(),
            comparison: *comparison,
            constant: constant.clone(),
            constant_first: false,
        }],
        _ => Vec::new(),
    }
}

fn without_each<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..list.len()).map(|position| {
        let mut rest = list.to_vec();
        rest.remove(position);
        rest
    })
}
