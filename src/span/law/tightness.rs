//! How much a scan may read.
//!
//! * Spans over plain columns, for a condition of the forms that must become ranges: no key that does not match, whether
//!   they are listed or walked. They may be wider in one way: a plan gives up a part of a union and says `budget` of a
//!   conjunct. It has no leave to do so while the condition comes to as many [`boxes`] as the budget, or fewer, and no
//!   more than a walk looks at for each step; so a product of lists is exact at a budget of 1.
//! * A walk of such a case: at most as many keys as match, and one for every seek.
//! * Every walk: at most two seeks for every prefix that it passes, one for every candidate that the condition names,
//!   and one to begin with.

use std::collections::HashSet;

use super::cases::{Case, Variant};
use super::check::Prepared;
use super::condition::{Comparison, Condition, Constant, Function, Term, Truth};
use super::oracle::{Outcome, nanoseconds};
use super::scan::Scan;
use crate::datum::SqlType;
use crate::key::KeyPart;
use crate::keyrange::Guide;
use crate::span::{Plan, Residual, Walk};

/// Whether the ranges of a case must hold its rows and no other: every part of the key is a plain column, every column
/// of the condition is one of them, and every leaf has one of the forms that must become ranges.
pub(super) fn must_be_exact(case: &Case) -> bool {
    let parts: Option<Vec<&str>> = case
        .parts
        .iter()
        .map(|part| part.expression.as_column())
        .collect();
    let Some(parts) = parts else {
        return false;
    };
    let in_key = |column: usize| parts.contains(&case.columns[column].name.as_str());
    forms(&case.condition, &mut |leaf| {
        leaf.leaf_columns().into_iter().all(in_key) && must_be_understood(leaf, case)
    })
}

/// Whether `accept` holds for every leaf, and nothing but leaves, AND, OR, NOT and truth tests of them is there.
fn forms(condition: &Condition, accept: &mut dyn FnMut(&Condition) -> bool) -> bool {
    match condition {
        Condition::Test {
            condition,
            truth: Truth::Unknown,
            ..
        } => matches!(**condition, Condition::Boolean(_)) && forms(condition, accept),
        Condition::Not(_) | Condition::And(_) | Condition::Or(_) | Condition::Test { .. } => {
            let children = condition.children();
            children.into_iter().all(|child| forms(child, accept))
        }
        leaf => accept(leaf),
    }
}

fn must_be_understood(leaf: &Condition, case: &Case) -> bool {
    match leaf {
        // Another way to write IS [NOT] NULL.
        Condition::Compare {
            term,
            comparison: Comparison::Distinct | Comparison::NotDistinct,
            constant: Constant::Null,
            ..
        } => term.function == Function::Column,
        Condition::Compare { term, constant, .. } => {
            understood(term, case) && comparable(leaf, constant, case)
        }
        Condition::Between {
            term, low, high, ..
        } => understood(term, case) && [low, high].iter().all(|c| comparable(leaf, c, case)),
        Condition::InList { term, list, .. } => {
            understood(term, case) && list.iter().all(|c| comparable(leaf, c, case))
        }
        Condition::IsNull { term, .. } => term.function == Function::Column,
        Condition::Like { pattern, .. } => is_prefix(pattern),
        Condition::Columns { .. } => false,
        Condition::Tuple { constants, .. } => constants.iter().all(|c| comparable(leaf, c, case)),
        Condition::TupleIn { rows, .. } => rows.iter().flatten().all(|c| comparable(leaf, c, case)),
        _ => true,
    }
}

/// The most boxes that a walk must be able to take.
const WALKED: usize = 64;

/// Whether the plan of a case that must be exact may hold keys that do not match: it is over the budget, and says so.
pub(super) fn may_be_wider(case: &Case, plan: &Plan, budget: usize) -> bool {
    let says_so = |residual: &Residual| residual.reason.split("; ").any(|it| it == "budget");
    boxes(&case.condition, false) > budget.min(WALKED) && plan.residual.iter().any(says_so)
}

/// How many boxes, products of one set for each column, a condition comes to at most: those of OR are added, those of AND
/// multiplied. Under NOT the two change places.
fn boxes(condition: &Condition, negated: bool) -> usize {
    let sum = |counts: &mut dyn Iterator<Item = usize>| counts.fold(0, usize::saturating_add);
    let product = |counts: &mut dyn Iterator<Item = usize>| counts.fold(1, usize::saturating_mul);
    match condition {
        Condition::Not(inner) => boxes(inner, !negated),
        Condition::Test {
            condition,
            truth,
            negated: not,
        } => boxes(condition, negated != (*not != (*truth == Truth::False))),
        Condition::And(terms) | Condition::Or(terms) => {
            let mut counts = terms.iter().map(|term| boxes(term, negated));
            match matches!(condition, Condition::Or(_)) != negated {
                true => sum(&mut counts),
                false => product(&mut counts),
            }
        }
        // A keyset has an alternative for each member; its negation is an AND of ORs of 1, 2, … terms.
        Condition::Tuple { columns, .. } => match negated {
            false => columns.len(),
            true => product(&mut (1..=columns.len())),
        },
        Condition::TupleIn {
            columns,
            rows,
            negated: not,
        } => match negated != *not {
            false => rows.len(),
            true => product(&mut rows.iter().map(|_| columns.len())),
        },
        _ => 1,
    }
}

fn understood(term: &Term, case: &Case) -> bool {
    match &term.function {
        // DataFusion bins instants in nanoseconds: with an interval of fractions of the column's unit the value is none
        // that the column could have.
        Function::DateBin(width) => match &case.columns[term.columns[0]].sql_type {
            SqlType::Timestamp {
                precision,
                utc: true,
            } => width % precision.nanoseconds() == 0,
            _ => true,
        },
        other => other.becomes_ranges(),
    }
}

/// Doubles beside decimals are left to DataFusion, which rounds one to the other.
fn comparable(leaf: &Condition, constant: &Constant, case: &Case) -> bool {
    let types = leaf.leaf_columns();
    let mut types = types.iter().map(|column| &case.columns[*column].sql_type);
    match constant {
        Constant::Double(_) => !types.any(|sql_type| matches!(sql_type, SqlType::Decimal { .. })),
        Constant::Decimal { .. } => !types.any(|sql_type| match sql_type {
            SqlType::Double | SqlType::Real => true,
            SqlType::Decimal { precision: 38, .. } => case.variant == Variant::Coerced,
            _ => false,
        }),
        // The analyzer casts a constant to a type that need not hold it; then nothing but an error follows.
        Constant::Timestamp { .. } | Constant::Date(_) if case.variant == Variant::Coerced => {
            nanoseconds(constant).is_none_or(|count| i64::try_from(count).is_ok())
        }
        _ => true,
    }
}

/// Whether a pattern is a text, or a text and `%` at its end.
fn is_prefix(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '_' => return false,
            '%' => return characters.all(|character| character == '%'),
            _ => {}
        }
    }
    true
}

/// Whether an interval of numbers is scattered over the keys, so that each of its values is a candidate: reversed digits
/// do so, and hashes as well. Before other parts each hash is a prefix, and counted.
fn is_scattered(parts: &[KeyPart]) -> bool {
    let name = |part: &KeyPart| part.expression().function.clone();
    parts.iter().any(|part| name(part) == "reverse_digits")
        || parts
            .last()
            .is_some_and(|last| matches!(name(last).as_str(), "hash" | "md5" | "bucket"))
}

/// What a case's scans may read.
pub(super) struct Bounds<'a>(pub Prepared<'a>);

impl Bounds<'_> {
    /// A walk's bounds, whichever way it is read.
    pub fn check(&self, walk: &Walk, scan: &Scan) -> Result<(), String> {
        let keys = self.0.stored.keys.iter();
        let walked: Vec<&Vec<u8>> = keys.filter(|key| walk.hull().contains(key)).collect();
        let prefixes = self.prefixes(&walked);
        if is_scattered(self.0.key.parts()) {
            return Ok(());
        }
        let candidates = self.0.case.condition.constants();
        if scan.seeks > 2 * prefixes + candidates + 1 {
            return Err(format!(
                "seeks {} times over {prefixes} prefixes with {candidates} candidates",
                scan.seeks
            ));
        }
        Ok(())
    }

    /// Distinct beginnings of `keys`, of every number of parts but all.
    fn prefixes(&self, keys: &[&Vec<u8>]) -> usize {
        let parts = self.0.key.parts();
        let mut prefixes: HashSet<&[u8]> = HashSet::new();
        for key in keys {
            let mut offset = 0;
            for part in parts.iter().take(parts.len() - 1) {
                let Ok(length) = part.length(&key[offset..]) else {
                    break;
                };
                offset += length;
                prefixes.insert(&key[..offset]);
            }
        }
        prefixes.len()
    }

    /// The bound of a walk whose spans must be exact: a key that does not match is read only where a seek lands on it.
    pub fn check_landings(&self, scan: &Scan) -> Result<(), String> {
        let is_match = |position: &&usize| {
            let rows = &self.0.stored.entries[**position].rows;
            let mut outcomes = rows.iter().map(|row| self.0.answers.whole(*row));
            outcomes.any(|outcome| matches!(outcome, Outcome::True | Outcome::Error))
        };
        let matches = scan.delivered.iter().filter(is_match).count();
        if scan.keys_read > matches + scan.seeks {
            return Err(format!(
                "reads {} keys, {matches} of them match, and seeks {} times",
                scan.keys_read, scan.seeks
            ));
        }
        Ok(())
    }

    /// Every key inside matches.
    pub fn check_exact(&self, inside: &[bool]) -> Result<(), (usize, String)> {
        for (entry, _) in self
            .0
            .stored
            .entries
            .iter()
            .zip(inside)
            .filter(|(_, inside)| **inside)
        {
            for row in &entry.rows {
                if matches!(
                    self.0.answers.whole(*row),
                    Outcome::False | Outcome::Unknown
                ) {
                    let detail = "plain columns and a condition that must become ranges, yet a key \
                                  that does not match is read";
                    return Err((*row, detail.to_owned()));
                }
            }
        }
        Ok(())
    }
}
