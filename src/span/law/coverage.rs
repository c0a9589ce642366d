//! What the cases of a run were: operator × type × direction × NULL order, operator × transform, and the shares that are
//! asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write};

use super::cases::{Case, ROWS};
use super::check::Tally;
use super::condition::{Comparison, Condition, Function, Term, Truth};
use super::pairs::{PAIRS, Pair, pairs};
use super::values::key_types;
use crate::datum::SqlType;
use crate::key::{Direction, NullOrder, TRANSFORMS};

/// Every combination that applies is seen at least so often in a full run.
const LEAST: u64 = 30;

/// A way to restrict a column, where a plain part of the key holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Combination {
    operator: String,
    sql_type: String,
    place: Place,
}

/// Direction and NULL order of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    descending: bool,
    /// `None`: the part cannot be NULL.
    nulls_first: Option<bool>,
}

impl Display for Place {
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

impl Place {
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
    exact_walks: u64,
    combinations: BTreeMap<Combination, u64>,
    transforms: BTreeMap<(String, Place), u64>,
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
        self.exact_walks += u64::from(tally.exact_walk);
        for pair in pairs(case) {
            *self.pairs.entry(pair).or_default() += 1;
        }
        self.add_parts(case);
        self.add_operators(case, &case.condition);
    }

    fn add_parts(&mut self, case: &Case) {
        for (part, place) in case.parts.iter().zip(places(case)) {
            let name = part.expression.function.clone();
            *self.transforms.entry((name, place)).or_default() += 1;
        }
    }

    fn add_operators(&mut self, case: &Case, condition: &Condition) {
        let children = condition.children();
        if let Some((operator, columns)) = named(condition) {
            for column in columns {
                self.add_operator(case, &operator, column);
            }
            return;
        }
        for child in children {
            self.add_operators(case, child);
        }
    }

    fn add_operator(&mut self, case: &Case, operator: &str, column: usize) {
        let name = case.columns[column].name.as_str();
        for (part, place) in case.parts.iter().zip(places(case)) {
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
        self.exact_walks += other.exact_walks;
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

    /// What is missing of what a run has to show; the counts are asked of a full run alone.
    pub fn gaps(&self, full: bool) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut at_least = |what: &str, count: u64, percent: u64| {
            if count * 100 < self.cases * percent {
                let share = share(count, self.cases);
                gaps.push(format!(
                    "{what}: {share}, at least {percent} % are asked for"
                ));
            }
        };
        at_least("cases with 0 < matches < all", self.some_match, 30);
        at_least("cases of several ranges", self.several_ranges, 20);
        at_least("cases of three leaves or more", self.three_leaves, 50);
        if self.errors * 100 >= self.rows * 2 {
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
        if full {
            for ((part, leaf), count) in self.applicable_pairs() {
                if count < LEAST {
                    gaps.push(format!("{leaf} with a part {part}: {count}"));
                }
            }
            for (combination, count) in self.applicable() {
                if count < LEAST {
                    gaps.push(format!("{combination:?}: {count}"));
                }
            }
            for ((name, place), count) in self.applicable_transforms() {
                if count < LEAST {
                    gaps.push(format!("{name} {place:?}: {count}"));
                }
            }
        }
        gaps
    }

    fn applicable(&self) -> Vec<(Combination, u64)> {
        let mut all = Vec::new();
        for sql_type in key_types() {
            for operator in operators(&sql_type) {
                for place in Place::all() {
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

    fn applicable_transforms(&self) -> Vec<((String, Place), u64)> {
        let names = TRANSFORMS.iter().map(|declaration| declaration.name());
        let all = names.flat_map(|name| {
            let never_null = matches!(name, "salt" | "bucket" | "hash" | "literal");
            Place::all()
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
            ("a walk held to it", self.exact_walks),
        ];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "the law: {cases} cases, {} rows", self.rows);
        for (what, count) in rows {
            let _ = writeln!(text, "  {what:<28} {count:>9}  {}", share(count, cases));
        }
        let keys = (self.keys * 10).checked_div(cases).unwrap_or(0);
        let _ = writeln!(
            text,
            "  distinct keys of a case      {:>7}.{}",
            keys / 10,
            keys % 10
        );
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

fn share(count: u64, of: u64) -> String {
    let tenths = (count * 1_000).checked_div(of).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Direction and NULL order of every part of a case.
fn places(case: &Case) -> Vec<Place> {
    let nullable: Vec<bool> = match case.key() {
        Ok(key) => key.parts().iter().map(|part| part.nullable()).collect(),
        Err(_) => Vec::new(),
    };
    let parts = case.parts.iter().zip(nullable);
    parts
        .map(|(part, nullable)| Place {
            descending: part.direction == Direction::Descending,
            nulls_first: nullable.then_some(part.nulls == NullOrder::First),
        })
        .collect()
}

fn type_name(sql_type: &SqlType) -> String {
    match sql_type {
        SqlType::Decimal { .. } => "DECIMAL".to_owned(),
        SqlType::Varchar(_) => "VARCHAR".to_owned(),
        SqlType::Char(_) => "CHAR".to_owned(),
        other => other.to_string(),
    }
}

/// The name under which a leaf is counted, and the columns it restricts.
fn named(condition: &Condition) -> Option<(String, Vec<usize>)> {
    let columns = condition.leaf_columns();
    let name = match condition {
        Condition::Test {
            condition,
            truth,
            negated,
        } => match **condition {
            Condition::Boolean(column) => {
                return Some((test_name(*truth, *negated).to_owned(), vec![column]));
            }
            _ => return None,
        },
        Condition::Compare {
            term, comparison, ..
        } => term_name(term).unwrap_or_else(|| comparison.sql().to_owned()),
        Condition::Between { term, negated, .. } => {
            term_name(term).unwrap_or_else(|| not(*negated, "BETWEEN"))
        }
        Condition::InList { term, negated, .. } => {
            term_name(term).unwrap_or_else(|| not(*negated, "IN"))
        }
        Condition::IsNull { term, negated } => term_name(term).unwrap_or_else(|| {
            let name = if *negated { "IS NOT NULL" } else { "IS NULL" };
            name.to_owned()
        }),
        Condition::Like {
            pattern, negated, ..
        } => not(*negated, pattern_name(pattern)),
        Condition::StartsWith { .. } => "starts_with".to_owned(),
        Condition::Boolean(_) => "bare".to_owned(),
        Condition::Tuple {
            comparison,
            descending,
            ..
        } => {
            if descending.contains(&true) {
                "keyset".to_owned()
            } else {
                format!("tuple {}", comparison.sql())
            }
        }
        Condition::TupleIn { negated, .. } => format!("tuple {}", not(*negated, "IN")),
        Condition::Columns { .. } => "column with column".to_owned(),
        Condition::Constant(_) | Condition::Not(_) | Condition::And(_) | Condition::Or(_) => {
            return None;
        }
    };
    Some((name, columns))
}

/// What a case comes to: the operators of its condition with the types they meet, and the transforms of its key.
pub(super) fn signature(case: &Case) -> String {
    fn collect(case: &Case, condition: &Condition, names: &mut Vec<String>) {
        if let Some((operator, columns)) = named(condition) {
            let types = columns.iter().map(|column| &case.columns[*column].sql_type);
            let types: Vec<String> = types.map(type_name).collect();
            names.push(format!("{operator} of {}", types.join(", ")));
            return;
        }
        for child in condition.children() {
            collect(case, child, names);
        }
    }
    let mut names = Vec::new();
    collect(case, &case.condition, &mut names);
    let parts = case
        .parts
        .iter()
        .map(|part| part.expression.function.clone());
    let parts: Vec<String> = parts.collect();
    format!(
        "{} over ({}), {:?}",
        names.join("; "),
        parts.join(", "),
        case.variant
    )
}

fn not(negated: bool, name: &str) -> String {
    let not = if negated { "NOT " } else { "" };
    format!("{not}{name}")
}

fn test_name(truth: Truth, negated: bool) -> &'static str {
    match (truth, negated) {
        (Truth::True, false) => "IS TRUE",
        (Truth::True, true) => "IS NOT TRUE",
        (Truth::False, false) => "IS FALSE",
        (Truth::False, true) => "IS NOT FALSE",
        (Truth::Unknown, false) => "IS UNKNOWN",
        (Truth::Unknown, true) => "IS NOT UNKNOWN",
    }
}

fn pattern_name(pattern: &str) -> &'static str {
    let mut wildcards = Vec::new();
    let mut characters = pattern.char_indices();
    while let Some((position, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '%' | '_' => wildcards.push((position, character)),
            _ => {}
        }
    }
    match wildcards.as_slice() {
        [] => "LIKE exact",
        [(0, '%')] if pattern.len() > 1 => "LIKE suffix",
        [(last, '%')] if last + 1 == pattern.len() => "LIKE prefix",
        _ => "LIKE other",
    }
}

/// The name of a function that is not the column itself.
fn term_name(term: &Term) -> Option<String> {
    let name = match term.function {
        Function::Column => return None,
        Function::Left(_) => "left",
        Function::Prefix(_) => "substr",
        Function::Reverse => "reverse",
        Function::Md5 => "md5",
        Function::Hash => "hash",
        Function::Bucket(_) => "bucket",
        Function::ReverseDigits => "reverse_digits",
        Function::Remainder(_) => "%",
        Function::Quotient(_) => "/",
        Function::DateTrunc(_) => "date_trunc",
        Function::DateBin(_) => "date_bin",
        Function::Date => "CAST AS DATE",
        Function::Year => "date_part",
        Function::Plus(_) => "+",
        Function::Length => "character_length",
    };
    Some(name.to_owned())
}

/// The operators that apply to a column of this type.
fn operators(sql_type: &SqlType) -> Vec<String> {
    let everywhere = [
        "BETWEEN",
        "NOT BETWEEN",
        "IN",
        "NOT IN",
        "IS NULL",
        "IS NOT NULL",
        "tuple IN",
        "tuple NOT IN",
        "keyset",
        "hash",
        "bucket",
    ];
    let comparisons = Comparison::ALL.map(|comparison| comparison.sql().to_owned());
    let tuples = Comparison::PLAIN.map(|comparison| format!("tuple {}", comparison.sql()));
    let own: &[&str] = match sql_type {
        SqlType::Boolean => &[
            "bare",
            "IS TRUE",
            "IS NOT TRUE",
            "IS FALSE",
            "IS NOT FALSE",
            "IS UNKNOWN",
            "IS NOT UNKNOWN",
        ],
        SqlType::Text | SqlType::Varchar(_) | SqlType::Char(_) => &[
            "LIKE exact",
            "LIKE prefix",
            "LIKE suffix",
            "LIKE other",
            "NOT LIKE exact",
            "NOT LIKE prefix",
            "NOT LIKE suffix",
            "NOT LIKE other",
            "starts_with",
            "left",
            "substr",
            "reverse",
            "md5",
            "character_length",
        ],
        SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => {
            &["%", "/", "reverse_digits", "+"]
        }
        SqlType::Timestamp { .. } => &["date_trunc", "date_bin", "CAST AS DATE", "date_part"],
        SqlType::Bytea => &["md5"],
        SqlType::Date => &["date_part"],
        _ => &[],
    };
    let names = everywhere.iter().chain(own).map(|name| (*name).to_owned());
    comparisons.into_iter().chain(tuples).chain(names).collect()
}
