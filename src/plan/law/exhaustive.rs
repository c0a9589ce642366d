//! Every small case: two INT columns over {NULL, 0, 1, 2}, all layouts of at most two parts, all conditions of at most
//! two leaves. A long run plans each at every budget. Any other plans each condition under a quarter of the layouts, in turn,
//! at the usual budget and, in turn, at one of the small ones.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::CASES;
use super::cases::{Case, Variant};
use super::check::{Answers, BUDGETS, Prepared, Stored, Violation, check_full};
use super::condition::{Column, Comparison, Condition, Constant, Term};
use super::oracle::Oracle;
use super::report::report;
use super::run::on_all_cores;
use super::system::Lowered;
use crate::datum::{Datum, SqlType};
use crate::key::{Argument, Expression, NullOrder, PartDefinition, RowKey, SortOrder};
use crate::seed::number;
use crate::span::BUDGET;

#[test]
fn every_small_case_keeps_the_law() {
    let oracle = Oracle::new(&columns(), &rows());
    let small = Small {
        layouts: layouts().into_iter().map(Layout::new).collect(),
        conditions: conditions(),
        oracle: &oracle,
        is_long: number("HALITE_LAW_CASES").is_some_and(|cases| cases > CASES as u64),
    };
    let (checked, violations) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    on_all_cores(|next| {
        let mut turns = std::iter::from_fn(|| usize::try_from(next()).ok());
        while let Some((turn, condition)) = turns
            .next()
            .and_then(|turn| Some((turn, small.conditions.get(turn)?)))
        {
            let (count, breaches) = small.check(turn, condition);
            checked.fetch_add(count, Ordering::Relaxed);
            violations.lock().expect("no check panics").extend(breaches);
        }
    });
    let violations = violations.into_inner().expect("no check panics");
    let checked = checked.into_inner();
    println!("{checked} small cases, {} violations", violations.len());
    let all = small.layouts.len() * small.conditions.len();
    assert!(
        checked + small.layouts.len() > all / small.one_of(),
        "{checked} of {all}"
    );
    fail(&violations);
}

/// All cases: each condition with each layout.
struct Small<'a> {
    layouts: Vec<Layout>,
    conditions: Vec<Condition>,
    oracle: &'a Oracle,
    /// Whether every case is planned, at every budget. Else each condition is with a quarter of the layouts, the next one
    /// with the next quarter, at two budgets in turn.
    is_long: bool,
}

/// A layout with the rows stored under it.
struct Layout {
    parts: Vec<PartDefinition>,
    key: RowKey,
    stored: Stored,
}

impl Layout {
    fn new(parts: Vec<PartDefinition>) -> Self {
        let case = case(parts.clone(), Condition::Constant(None));
        let key = case.key().expect("a layout");
        let stored = Stored::new(&case, &key);
        check_full(&key, &stored).unwrap_or_else(|violation| panic!("{violation}"));
        Self { parts, key, stored }
    }
}

impl Small<'_> {
    /// The budgets of a case, whose turn it is.
    fn budgets(&self, turn: usize) -> &'static [usize] {
        const IN_TURN: [[usize; 2]; 3] = [[BUDGET, 1], [BUDGET, 2], [BUDGET, 7]];
        if self.is_long {
            &BUDGETS
        } else {
            &IN_TURN[turn % IN_TURN.len()]
        }
    }

    /// Of so many cases one is planned.
    fn one_of(&self) -> usize {
        if self.is_long { 1 } else { 4 }
    }

    /// How many cases of a condition were planned, and those that break the law.
    fn check(&self, turn: usize, condition: &Condition) -> (usize, Vec<(Case, Violation)>) {
        let Some(first) = self.layouts.first() else {
            return (0, Vec::new());
        };
        let mut case = case(first.parts.clone(), condition.clone());
        let answers = Answers::new(&case, self.oracle).unwrap_or_else(|v| panic!("{v}"));
        let lowered = Lowered::new(&case, self.oracle.schema(), &first.key)
            .unwrap_or_else(|error| panic!("{error}"));
        let mut violations = Vec::new();
        let one_of = self.one_of();
        let layouts = self.layouts.iter().enumerate().skip(turn % one_of);
        let (mut count, layouts) = (0, layouts.step_by(one_of));
        for (number, layout) in layouts {
            count += 1;
            case.parts.clone_from(&layout.parts);
            let trial = Prepared {
                case: &case,
                key: &layout.key,
                answers: &answers,
                lowered: &lowered,
                stored: &layout.stored,
            };
            if let Err(violation) = trial.check(self.budgets(turn + number)) {
                violations.push((case.clone(), violation));
            }
        }
        (count, violations)
    }
}

fn fail(violations: &[(Case, Violation)]) {
    let reports = violations.iter().take(5);
    let reports: Vec<String> = reports
        .map(|(case, violation)| report(0, case, violation))
        .collect();
    assert!(
        violations.is_empty(),
        "{} small cases break the law:\n{}",
        violations.len(),
        reports.join("\n")
    );
}

fn case(parts: Vec<PartDefinition>, condition: Condition) -> Case {
    Case {
        seed: 0,
        columns: columns(),
        parts,
        rows: rows(),
        condition,
        variant: Variant::Planned,
    }
}

fn columns() -> Vec<Column> {
    let names = ["a", "b"].iter();
    names
        .map(|name| Column {
            name: (*name).to_owned(),
            sql_type: SqlType::Integer,
            nullable: true,
        })
        .collect()
}

fn rows() -> Vec<Vec<Option<Datum>>> {
    let values = [None, Some(0), Some(1), Some(2)].map(|value| value.map(Datum::Integer));
    let pairs = values
        .iter()
        .flat_map(|a| values.iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| vec![a.clone(), b.clone()]).collect()
}

/// Plain columns, a remainder, a quotient and a salt, alone and in pairs, in every direction and NULL order.
fn layouts() -> Vec<Vec<PartDefinition>> {
    let number = |function, value| {
        let arguments = vec![Argument::Column("a".to_owned()), Argument::Integer(value)];
        Expression::new(function, arguments)
    };
    let salt = Expression::new("salt", vec![Argument::Integer(2)]);
    let expressions = [
        Expression::column("a"),
        Expression::column("b"),
        number("%", 2),
        number("/", 2),
    ];
    let single: Vec<PartDefinition> = expressions.iter().flat_map(placed).collect();
    let mut layouts: Vec<Vec<PartDefinition>> =
        single.iter().map(|part| vec![part.clone()]).collect();
    for first in &single {
        for second in single
            .iter()
            .filter(|second| second.expression != first.expression)
        {
            layouts.push(vec![first.clone(), second.clone()]);
        }
        let salt = PartDefinition {
            expression: salt.clone(),
            direction: SortOrder::Ascending,
            nulls: NullOrder::Last,
        };
        layouts.push(vec![salt.clone(), first.clone()]);
        layouts.push(vec![first.clone(), salt]);
    }
    layouts
}

fn placed(expression: &Expression) -> Vec<PartDefinition> {
    let directions = [SortOrder::Ascending, SortOrder::Descending];
    let orders = [NullOrder::First, NullOrder::Last];
    let places = directions
        .into_iter()
        .flat_map(|direction| orders.map(|nulls| (direction, nulls)));
    places
        .map(|(direction, nulls)| PartDefinition {
            expression: expression.clone(),
            direction,
            nulls,
        })
        .collect()
}

/// Every leaf, its negation, and every AND and OR of two leaves.
fn conditions() -> Vec<Condition> {
    let leaves: Vec<Condition> = [0, 1].into_iter().flat_map(leaves).collect();
    let mut conditions = leaves.clone();
    for (position, first) in leaves.iter().enumerate() {
        conditions.push(Condition::Not(Box::new(first.clone())));
        for second in &leaves[position + 1..] {
            let both = vec![first.clone(), second.clone()];
            conditions.push(Condition::And(both.clone()));
            conditions.push(Condition::Or(both.clone()));
            conditions.push(Condition::Not(Box::new(Condition::And(both))));
        }
    }
    conditions
}

fn leaves(column: usize) -> Vec<Condition> {
    let compare = |comparison, constant| Condition::Compare {
        term: Term::column(column),
        comparison,
        constant,
        constant_first: false,
    };
    let mut leaves = Vec::new();
    for value in 0..3 {
        for comparison in [
            Comparison::Equal,
            Comparison::Less,
            Comparison::GreaterOrEqual,
        ] {
            leaves.push(compare(comparison, Constant::Integer(value)));
        }
    }
    leaves.push(compare(Comparison::NotEqual, Constant::Integer(1)));
    leaves.push(compare(Comparison::Distinct, Constant::Integer(1)));
    leaves.push(compare(Comparison::Equal, Constant::Null));
    for negated in [false, true] {
        leaves.push(Condition::IsNull {
            term: Term::column(column),
            negated,
        });
    }
    leaves
}
