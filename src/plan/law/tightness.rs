//! How much a scan may read.
//!
//! * Spans over plain columns, for a condition of the forms that must become ranges: no key that does not match, whether
//!   they are listed or walked. They may be wider in one way: a plan gives up a part of a union and says `budget` of a
//!   conjunct. It has no leave to do so while the condition comes to as many [`boxes`] as the budget, or fewer, and no
//!   more than a walk looks at for each step; so a product of lists is exact at a budget of 1.
//!   Sums, moved times and choices between values are such forms where [`understood`] says so.
//! * A walk of such a case: at most as many keys as match, and one for every seek.
//! * Every walk: at most two seeks for every prefix that it passes, one for every candidate that the condition names,
//!   and one to begin with. Where values are [scattered](has_scattered_values), one for every key that it passes.

use std::collections::HashSet;

use super::cases::{Case, Variant};
use super::check::Prepared;
use super::condition::{
    Column, Comparison, Condition, Constant, Function, Made, Otherwise, Step, Term, Truth,
};
use super::oracle::{Outcome, nanoseconds};
use super::scan::Scan;
use crate::datum::{Datum, SqlType};
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
    let is_tested = tests(&case.condition);
    forms(&case.condition, &mut |leaf| {
        let kept = is_tested && leaf.term().is_some_and(may_fail);
        !kept && leaf.leaf_columns().into_iter().all(in_key) && must_be_understood(leaf, case)
    })
}

/// Whether a truth test is asked of more than a column.
fn tests(condition: &Condition) -> bool {
    match condition {
        Condition::Test { condition, .. } if !matches!(**condition, Condition::Boolean(_)) => true,
        other => other.children().into_iter().any(tests),
    }
}

/// Whether a term may be an error for some values of its column. What is not TRUE of it may be an error as well, and of
/// that nothing is known.
fn may_fail(term: &Term) -> bool {
    matches!(term.function, Function::Moved { .. })
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
        // A time that cannot be moved may come out as NULL, which is distinct.
        Condition::Compare {
            term,
            comparison: Comparison::Distinct | Comparison::NotDistinct,
            ..
        } if may_fail(term) => false,
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
        Condition::Columns { .. } | Condition::Matches { .. } | Condition::Case { .. } => false,
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
            if matches!(condition, Condition::Or(_)) != negated {
                sum(&mut counts)
            } else {
                product(&mut counts)
            }
        }
        // A keyset has an alternative for each member; its negation is an AND of ORs of 1, 2, … terms.
        Condition::Tuple { columns, .. } => {
            if negated {
                product(&mut (1..=columns.len()))
            } else {
                columns.len()
            }
        }
        Condition::TupleIn {
            columns,
            rows,
            negated: not,
        } => {
            if negated != *not {
                product(&mut rows.iter().map(|_| columns.len()))
            } else {
                rows.len()
            }
        }
        leaf => leaf.term().map_or(1, |term| choices(term, leaf)),
    }
}

/// The boxes of a leaf on one term. A choice between columns has one for each of them, with what must hold for it to be
/// chosen; of BETWEEN each bound has as many, and of IN each value.
fn choices(term: &Term, leaf: &Condition) -> usize {
    let members = match term.function {
        Function::Coalesce(_) => term.columns.len(),
        _ => return 1,
    };
    match leaf {
        Condition::Between { .. } => members * members,
        Condition::InList { list, .. } => members * list.len().max(1),
        _ => members,
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
        Function::Computed { steps, checked } => {
            let sql_type = &case.columns[term.columns[0]].sql_type;
            never_wraps(sql_type, steps) && (*checked || case.variant == Variant::Coerced)
        }
        Function::Moved { nanoseconds, made } => {
            let column = term.columns[0];
            unit(&case.columns[column].sql_type).is_some_and(|unit| {
                is_whole(*nanoseconds, *made, unit)
                    && has_bins(case, column, *nanoseconds, *made, unit)
            })
        }
        // What a cast is put around is not looked into.
        Function::Coalesce(_) | Function::NullIf(_) | Function::Case(_) => {
            case.variant == Variant::Planned
        }
        other => other.becomes_ranges(),
    }
}

/// Whether BIGINTs hold whatever comes of the arithmetic, and nothing is multiplied.
fn never_wraps(sql_type: &SqlType, steps: &[Step]) -> bool {
    const SHORT: u64 = 1 << 40;
    let is_narrow = sql_type.is_short_integer() && *sql_type != SqlType::BigInt;
    // The opposite of a narrow column is of its type, which need not hold it.
    let is_wide = steps.first() != Some(&Step::Negative);
    let fits = |step: &Step| match step {
        Step::Plus(number)
        | Step::PlusTo(number)
        | Step::Minus(number)
        | Step::MinusFrom(number) => number.unsigned_abs() < SHORT,
        Step::Times(number) => number.unsigned_abs() == 1,
        Step::Negative => true,
    };
    is_narrow && is_wide && steps.iter().all(fits)
}

/// The nanoseconds from one value of a date or a time on the wall to the next.
fn unit(sql_type: &SqlType) -> Option<i64> {
    match sql_type {
        SqlType::Date => Some(86_400_000_000_000),
        SqlType::Timestamp {
            precision,
            utc: false,
        } => Some(precision.nanoseconds()),
        _ => None,
    }
}

/// Whether a time is moved, and put in bins, by whole units.
fn is_whole(nanoseconds: i64, made: Made, unit: i64) -> bool {
    let of_bins = match made {
        Made::DateBin { width, origin } => [width, origin.unwrap_or(0)],
        Made::Itself | Made::DateTrunc(_) | Made::Date => [0; 2],
    };
    [nanoseconds, of_bins[0], of_bins[1]]
        .iter()
        .all(|count| count % unit == 0)
}

/// Whether a time is put in bins of 1970, or every row in one of another origin that nanoseconds hold, counted from either.
/// Bins of another origin are planned as those of 1970, of an earlier time; nanoseconds hold other centuries of that, and
/// rows in these may be read to be looked at.
fn has_bins(case: &Case, column: usize, nanoseconds: i64, made: Made, unit: i64) -> bool {
    let Made::DateBin {
        width,
        origin: Some(origin),
    } = made
    else {
        return true;
    };
    // The time and its bin, counted from either origin.
    let offsets = [0, origin].map(i128::from);
    let counted = |moved: i128| {
        let times = [moved, moved - i128::from(width)];
        times
            .into_iter()
            .all(|time| offsets.iter().all(|it| i64::try_from(time - it).is_ok()))
    };
    let has_bin = |row: &Vec<Option<Datum>>| {
        let count = row[column].as_ref().and_then(Datum::as_integer);
        count.is_none_or(|count| counted(count * i128::from(unit) + i128::from(nanoseconds)))
    };
    origin == 0 || case.rows.iter().all(has_bin)
}

/// Whether a constant is of the very type of the constants that a term chooses between, if it does: others are left to
/// DataFusion.
fn is_like_chosen(term: &Term, constant: &Constant, columns: &[Column]) -> bool {
    let sql_type = &columns[term.columns[0]].sql_type;
    let has_constants = match &term.function {
        Function::Coalesce(last) => last.is_some(),
        Function::Case(choice) => {
            let otherwise = match &choice.otherwise {
                Otherwise::Constant(value) => value.is_some(),
                Otherwise::Column => false,
            };
            otherwise || choice.branches.iter().any(|(_, value)| value.is_some())
        }
        _ => false,
    };
    let is_like = match (constant, sql_type) {
        (Constant::Integer(value), one) => one.is_integer() && i64::try_from(*value).is_ok(),
        (Constant::Timestamp { precision, .. }, SqlType::Timestamp { precision: own, .. }) => {
            precision == own
        }
        (Constant::Date(_), one) => *one == SqlType::Date,
        (Constant::Text(_) | Constant::Bytes(_) | Constant::Boolean(_), _) => true,
        _ => false,
    };
    is_like || !has_constants
}

/// Doubles beside decimals are left to DataFusion, which rounds one to the other.
fn comparable(leaf: &Condition, constant: &Constant, case: &Case) -> bool {
    let is_computed = |term: &Term| matches!(term.function, Function::Computed { .. });
    if leaf.term().is_some_and(|term| {
        !is_like_chosen(term, constant, &case.columns)
            || is_computed(term) && matches!(constant, Constant::Double(_))
    }) {
        return false;
    }
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

/// Whether a condition is asked of hashes or remainders of a column of few values: these are listed then, and those that
/// fit lie between others that do not.
fn has_scattered_values(case: &Case) -> bool {
    let mut found = false;
    case.condition.for_each_leaf(&mut |leaf| {
        found |= leaf.term().is_some_and(|term| {
            let is_scattered = matches!(
                term.function,
                Function::Remainder(_)
                    | Function::ReverseDigits
                    | Function::Hash
                    | Function::Bucket(_)
            );
            let mut columns = term.columns.iter();
            is_scattered && columns.all(|column| has_few_values(&case.columns[*column].sql_type))
        });
    });
    found
}

fn has_few_values(sql_type: &SqlType) -> bool {
    let limits = sql_type.limits();
    let ends = limits.and_then(|(least, most)| Some((least.as_integer()?, most.as_integer()?)));
    ends.is_some_and(|(least, most)| most.saturating_sub(least) < 1 << 16)
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
        let scattered = if has_scattered_values(self.0.case) {
            walked.len()
        } else {
            0
        };
        let candidates = self.0.case.condition.constants() + scattered;
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

#[test]
fn a_row_whose_bin_of_another_origin_nanoseconds_do_not_hold_is_found() {
    use super::check::check;
    use crate::datum::Precision;
    use crate::key::{Expression, NullOrder, PartDefinition, SortOrder};
    const SECOND: i64 = 1_000_000_000;
    let case = |milliseconds: i64| Case {
        seed: 0,
        columns: vec![Column {
            name: "b".to_owned(),
            sql_type: SqlType::Timestamp {
                precision: Precision::Millisecond,
                utc: false,
            },
            nullable: false,
        }],
        parts: vec![PartDefinition {
            expression: Expression::column("b"),
            direction: SortOrder::Ascending,
            nulls: NullOrder::Last,
        }],
        rows: vec![vec![Some(Datum::Timestamp(milliseconds))]],
        condition: Condition::Compare {
            term: Term::of(
                Function::Moved {
                    nanoseconds: 36 * 3_600 * SECOND,
                    made: Made::DateBin {
                        width: 1_500_000_000,
                        origin: Some(1_704_240_000 * SECOND),
                    },
                },
                0,
            ),
            comparison: Comparison::GreaterOrEqual,
            constant: Constant::Timestamp {
                count: 1_709_380_798 * SECOND,
                precision: Precision::Nanosecond,
                utc: false,
            },
            constant_first: false,
        },
        variant: Variant::Planned,
    };
    // 2262-04-11 23:47:16: the bin of 36 hours later begins where nanoseconds have ended.
    let late = case(9_223_372_036_000);
    assert!(!must_be_exact(&late));
    let tally = check(&late).expect("a case that keeps the law");
    assert_eq!((tally.rows, tally.matches), (1, 1));
    assert!(must_be_exact(&case(1_709_380_798_000)));
}
