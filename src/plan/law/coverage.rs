//! What the cases of a run were: operator × type × direction × NULL order, operator × transform, what was held to
//! exactness, how many keys were read, and the shares that are asked for.
//!
//! All that is asked for grows with the number of cases: a run of two million meets forty times what one of 50,000 does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write};

use fastrand::Rng;

use super::cases::{Case, ROWS};
use super::check::Tally;
use super::exactness::Exactness;
use super::operators::{leaves, operators, type_name};
use super::pairs::{PAIRS, Pair, pairs};
use super::reads::AllReads;
use super::values::key_types;
use crate::key::testing::{arguments, declaration};
use crate::key::{NullOrder, SortOrder, TRANSFORMS};

/// Every combination that applies is met in one of so many cases at least.
const ONE_IN: u64 = 10_000;

/// A way to restrict a column, where a plain part of the key holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Combination {
    operator: String,
    sql_type: String,
    place: PartOrder,
}

/// Direction and NULL order of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PartOrder {
    descending: bool,
    /// `None`: the part cannot be NULL.
    nulls_first: Option<bool>,
}

impl Display for PartOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.descending { "DESC" } else { "ASC" };
        let nulls = match self.nulls_first {
            None => "NOT NULL",
            Some(true) => "NULLS FIRST",
            Some(false) => "NULLS LAST",
        };
        f.pad(&format!("{direction} {nulls}"))
    }
}

impl PartOrder {
    fn all() -> impl Iterator<Item = Self> {
        let orders = [None, Some(true), Some(false)];
        let directions = [false, true].into_iter();
        directions.flat_map(move |descending| {
            orders.map(|nulls_first| Self {
                descending,
                nulls_first,
            })
        })
    }
}

/// Counts over many cases.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    cases: u64,
    rows: u64,
    keys: u64,
    few_rows: u64,
    errors: u64,
    some_match: u64,
    none_match: u64,
    several_ranges: u64,
    three_leaves: u64,
    tight: u64,
    walks: u64,
    walks_at_small_budget: u64,
    exact: u64,
    exactness: Exactness,
    reads: AllReads,
    combinations: BTreeMap<Combination, u64>,
    transforms: BTreeMap<(String, PartOrder), u64>,
    pairs: BTreeMap<Pair, u64>,
}

impl Coverage {
    /// Counts a case that kept the law.
    pub fn add(&mut self, case: &Case, tally: &Tally) {
        self.cases += 1;
        self.rows += tally.rows as u64;
        self.keys += tally.keys as u64;
        self.few_rows += u64::from(distinct_rows(case) < ROWS);
        self.errors += tally.errors as u64;
        self.some_match += u64::from(0 < tally.matches && tally.matches < tally.rows);
        self.none_match += u64::from(tally.matches == 0);
        self.several_ranges += u64::from(tally.ranges > 1);
        self.three_leaves += u64::from(case.condition.leaves() >= 3);
        self.tight += u64::from(tally.tight);
        self.walks += u64::from(tally.walk);
        self.walks_at_small_budget += u64::from(tally.walk_at_small_budget);
        self.exact += u64::from(tally.exact);
        self.exactness.add(case, tally);
        self.reads.merge(&tally.reads);
        for pair in pairs(case) {
            *self.pairs.entry(pair).or_default() += 1;
        }
        self.add_parts(case);
        for (operator, columns) in leaves(&case.condition) {
            for column in columns {
                self.add_operator(case, &operator, column);
            }
        }
    }

    fn add_parts(&mut self, case: &Case) {
        for (part, place) in case.parts.iter().zip(part_orders(case)) {
            let name = part.expression.function.clone();
            *self.transforms.entry((name, place)).or_default() += 1;
        }
    }

    fn add_operator(&mut self, case: &Case, operator: &str, column: usize) {
        let name = case.columns[column].name.as_str();
        for (part, place) in case.parts.iter().zip(part_orders(case)) {
            if part.expression.as_column() == Some(name) {
                let combination = Combination {
                    operator: operator.to_owned(),
                    sql_type: type_name(&case.columns[column].sql_type),
                    place,
                };
                *self.combinations.entry(combination).or_default() += 1;
            }
        }
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: Coverage) {
        self.cases += other.cases;
        self.rows += other.rows;
        self.keys += other.keys;
        self.few_rows += other.few_rows;
        self.errors += other.errors;
        self.some_match += other.some_match;
        self.none_match += other.none_match;
        self.several_ranges += other.several_ranges;
        self.three_leaves += other.three_leaves;
        self.tight += other.tight;
        self.walks += other.walks;
        self.walks_at_small_budget += other.walks_at_small_budget;
        self.exact += other.exact;
        self.exactness.merge(other.exactness);
        self.reads.merge(&other.reads);
        for (combination, count) in other.combinations {
            *self.combinations.entry(combination).or_default() += count;
        }
        for (transform, count) in other.transforms {
            *self.transforms.entry(transform).or_default() += count;
        }
        for (pair, count) in other.pairs {
            *self.pairs.entry(pair).or_default() += count;
        }
    }

    /// What is missing of what a run has to show; counts of single things are asked of a full run alone.
    pub fn gaps(&self, full: bool) -> Vec<String> {
        let mut gaps = Vec::new();
        for (what, count, percent) in [
            ("cases with 0 < matches < all", self.some_match, 30),
            ("cases of several ranges", self.several_ranges, 20),
            ("cases of three leaves or more", self.three_leaves, 50),
        ] {
            gaps.extend(short_of(what, count, percent, self.cases));
        }
        // Of whole numbers without a sign every second difference is out of range.
        if self.errors * 100 >= self.rows * 8 {
            gaps.push(format!(
                "{} of {} rows raise an error",
                self.errors, self.rows
            ));
        }
        if self.few_rows * 100 >= self.cases * 5 {
            let share = share(self.few_rows, self.cases);
            gaps.push(format!(
                "{share} of the cases have fewer than {ROWS} distinct rows"
            ));
        }
        gaps.extend(self.reads.gaps());
        if full {
            gaps.extend(self.exactness.gaps(self.cases));
            gaps.extend(self.rare());
        }
        gaps
    }

    /// The combinations that are met too rarely.
    fn rare(&self) -> Vec<String> {
        let least = self.cases / ONE_IN;
        let pairs = self.applicable_pairs();
        let pairs =
            pairs.map(|((part, leaf), count)| (format!("{leaf} with a part {part}"), count));
        let combinations = self.applicable().into_iter();
        let combinations = combinations.map(|(it, count)| (format!("{it:?}"), count));
        let transforms = self.applicable_transforms().into_iter();
        let transforms =
            transforms.map(|((name, place), count)| (format!("{name} {place:?}"), count));
        let all = pairs.chain(combinations).chain(transforms);
        all.filter_map(|(what, count)| too_few(&what, count, least))
            .collect()
    }

    fn applicable(&self) -> Vec<(Combination, u64)> {
        let mut all = Vec::new();
        for sql_type in key_types() {
            for operator in operators(&sql_type) {
                for place in PartOrder::all() {
                    let combination = Combination {
                        operator: operator.clone(),
                        sql_type: type_name(&sql_type),
                        place,
                    };
                    let count = self.combinations.get(&combination).copied();
                    all.push((combination, count.unwrap_or(0)));
                }
            }
        }
        all.sort();
        all.dedup();
        all
    }

    fn applicable_transforms(&self) -> Vec<((String, PartOrder), u64)> {
        let names = TRANSFORMS.iter().map(|declaration| declaration.name());
        let all = names.flat_map(|name| {
            let arguments = arguments(&mut Rng::with_seed(0), name);
            let never_null = !declaration(name).bind(&arguments).unwrap().passes_null();
            PartOrder::all()
                .filter(move |place| !never_null || place.nulls_first.is_none())
                .map(move |place| (name.to_owned(), place))
        });
        all.map(|key| {
            let count = self.transforms.get(&key).copied().unwrap_or(0);
            (key, count)
        })
        .collect()
    }

    fn applicable_pairs(&self) -> impl Iterator<Item = (Pair, u64)> {
        PAIRS.iter().map(|pair| {
            let count = self.pairs.get(pair).copied().unwrap_or(0);
            (*pair, count)
        })
    }

    /// Every combination that applies, with its count.
    pub fn matrix(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for (
            Combination {
                operator,
                sql_type,
                place,
            },
            count,
        ) in self.applicable()
        {
            let _ = writeln!(
                text,
                "  {operator:<24} {sql_type:<32} {place:<20} {count:>8}"
            );
        }
        for ((name, place), count) in self.applicable_transforms() {
            let _ = writeln!(text, "  part {name:<52} {place:<20} {count:>8}");
        }
        for ((part, leaf), count) in self.applicable_pairs() {
            let _ = writeln!(text, "  part {part:<19} {leaf:<53} {count:>8}");
        }
        text
    }

    /// The table that a run prints.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let cases = self.cases;
        let rows = [
            ("0 < matches < all", self.some_match),
            ("no match", self.none_match),
            ("fewer distinct rows than 16", self.few_rows),
            ("several ranges", self.several_ranges),
            ("three leaves or more", self.three_leaves),
            ("tight", self.tight),
            ("a walk", self.walks),
            ("a walk at budget 1, 2 or 7", self.walks_at_small_budget),
            ("held to no surplus key", self.exact),
        ];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "the law: {cases} cases, {} rows", self.rows);
        for (what, count) in rows {
            let _ = writeln!(text, "  {what:<28} {count:>9}  {}", share(count, cases));
        }
        text.push_str(&self.exactness.table(cases));
        let keys = (self.keys * 10).checked_div(cases).unwrap_or(0);
        let _ = writeln!(
            text,
            "  distinct keys of a case      {:>7}.{}",
            keys / 10,
            keys % 10
        );
        text.push_str(&self.reads.table());
        let errors = share(self.errors, self.rows);
        let _ = writeln!(
            text,
            "  rows with an error           {:>9}  {errors}",
            self.errors
        );
        let _ = writeln!(
            text,
            "  {:<24} {:>9} {:>12} {:>8}",
            "operator", "leaves", "combinations", "least"
        );
        let mut operators: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
        for (combination, count) in self.applicable() {
            let row = operators
                .entry(combination.operator)
                .or_insert((0, 0, u64::MAX));
            *row = (row.0 + count, row.1 + 1, row.2.min(count));
        }
        for ((name, _), count) in self.applicable_transforms() {
            let row = operators
                .entry(format!("part {name}"))
                .or_insert((0, 0, u64::MAX));
            *row = (row.0 + count, row.1 + 1, row.2.min(count));
        }
        let least = self.applicable_pairs().map(|(_, count)| count).min();
        let leaves = self.pairs.values().sum();
        let pairs = (leaves, PAIRS.len() as u64, least.unwrap_or(0));
        operators.insert("leaf with transform".to_owned(), pairs);
        for (operator, (leaves, combinations, least)) in operators {
            let _ = writeln!(
                text,
                "  {operator:<24} {leaves:>9} {combinations:>12} {least:>8}"
            );
        }
        text
    }
}

fn distinct_rows(case: &Case) -> usize {
    case.rows.iter().collect::<BTreeSet<_>>().len()
}

/// Says that fewer than so many of a hundred cases are of a kind.
pub(super) fn short_of(what: &str, count: u64, percent: u64, cases: u64) -> Option<String> {
    let share = share(count, cases);
    (count * 100 < cases * percent)
        .then(|| format!("{what}: {share}, at least {percent} % are asked for"))
}

/// Says that something is met less often than it has to be.
pub(super) fn too_few(what: &str, count: u64, least: u64) -> Option<String> {
    (count < least).then(|| format!("{what}: {count}, at least {least} are asked for"))
}

pub(super) fn share(count: u64, of: u64) -> String {
    let tenths = (count * 1_000).checked_div(of).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Direction and NULL order of every part of a case.
fn part_orders(case: &Case) -> Vec<PartOrder> {
    let nullable: Vec<bool> = match case.key() {
        Ok(key) => key.parts().iter().map(|part| part.nullable()).collect(),
        Err(_) => Vec::new(),
    };
    let parts = case.parts.iter().zip(nullable);
    parts
        .map(|(part, nullable)| PartOrder {
            descending: part.direction == SortOrder::Descending,
            nulls_first: nullable.then_some(part.nulls == NullOrder::First),
        })
        .collect()
}

#[test]
fn a_run_that_shows_nothing_falls_short_of_all_that_is_asked_for() {
    let gaps = |cases, full| {
        let coverage = Coverage {
            cases,
            ..Coverage::default()
        };
        coverage.gaps(full).join("\n")
    };
    let all = [
        "several ranges",
        "listed ranges are held to no surplus key",
        "walks are held to no surplus key",
        "LIKE suffix of the column with a part reverse: 0, at least 5",
        "date_trunc PartOrder",
        "IS UNKNOWN of listed ranges",
    ];
    for what in all {
        assert!(gaps(50_000, true).contains(what), "{what}");
    }
    assert!(gaps(2_000_000, true).contains("with a part reverse: 0, at least 200"));
    assert!(!gaps(50_000, false).contains("at least 5 are"));
}
