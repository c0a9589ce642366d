//! How many cases were held to it that no key is read which does not match ([`super::tightness`]): by listed ranges and
//! by walks, and of each by the operators of the condition.
//!
//! A case counts where some keys are inside and some are not. Where all are, or none, one too many could not be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::cases::Case;
use super::check::Tally;
use super::coverage::{share, short_of, too_few};
use super::operators::leaves;

/// Every operator that must become ranges, as it is counted.
const OPERATORS: [&str; 49] = [
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "IS DISTINCT FROM",
    "IS NOT DISTINCT FROM",
    "BETWEEN",
    "NOT BETWEEN",
    "IN",
    "NOT IN",
    "IS NULL",
    "IS NOT NULL",
    "tuple =",
    "tuple <>",
    "tuple <",
    "tuple <=",
    "tuple >",
    "tuple >=",
    "tuple IN",
    "tuple NOT IN",
    "keyset",
    "bare",
    "IS TRUE",
    "IS NOT TRUE",
    "IS FALSE",
    "IS NOT FALSE",
    "IS UNKNOWN",
    "IS NOT UNKNOWN",
    "LIKE exact",
    "LIKE prefix",
    "NOT LIKE exact",
    "NOT LIKE prefix",
    "starts_with",
    "left",
    "substr",
    "date_trunc",
    "date_bin",
    "CAST AS DATE",
    "date_part",
    "arithmetic",
    "moved",
    "moved date_trunc",
    "moved date_bin",
    "moved CAST AS DATE",
    "COALESCE",
    "NULLIF",
    "CASE",
];

/// What a run has to hold to it at least.
struct Minimum {
    /// Of a hundred cases.
    percent: u64,
    /// Every operator in one of so many cases.
    one_in: u64,
}

const RANGES: Minimum = Minimum {
    percent: 10,
    one_in: 1_500,
};

const WALKS: Minimum = Minimum {
    percent: 7,
    one_in: 4_000,
};

/// Ranges and walks, each held to hold no key too many.
#[derive(Debug, Default)]
pub(super) struct Exactness {
    ranges: Held,
    walks: Held,
}

/// Cases, and how many of them have an operator.
#[derive(Debug, Default)]
struct Held {
    cases: u64,
    operators: BTreeMap<String, u64>,
}

impl Exactness {
    /// Counts a case that kept the law.
    pub fn add(&mut self, case: &Case, tally: &Tally) {
        if tally.exact_ranges {
            self.ranges.add(case);
        }
        if tally.exact_walk {
            self.walks.add(case);
        }
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: Exactness) {
        self.ranges.merge(other.ranges);
        self.walks.merge(other.walks);
    }

    /// What is missing in a run of so many cases.
    pub fn gaps(&self, cases: u64) -> Vec<String> {
        let ranges = self.ranges.gaps("listed ranges", &RANGES, cases);
        let walks = self.walks.gaps("walks", &WALKS, cases);
        ranges.into_iter().chain(walks).collect()
    }

    /// Every operator with its counts.
    pub fn table(&self, cases: u64) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for (what, held) in [("listed ranges", &self.ranges), ("a walk", &self.walks)] {
            let what = format!("{what} held to it");
            let share = share(held.cases, cases);
            let _ = writeln!(text, "  {what:<28} {:>9}  {share}", held.cases);
        }
        let _ = writeln!(
            text,
            "  {:<24} {:>9} {:>9}",
            "held to it", "ranges", "walks"
        );
        for operator in OPERATORS {
            let (ranges, walks) = (self.ranges.of(operator), self.walks.of(operator));
            let _ = writeln!(text, "  {operator:<24} {ranges:>9} {walks:>9}");
        }
        text
    }
}

impl Held {
    fn add(&mut self, case: &Case) {
        self.cases += 1;
        let leaves = leaves(&case.condition).into_iter();
        let names: BTreeSet<String> = leaves.map(|(name, _)| name).collect();
        for name in names {
            *self.operators.entry(name).or_default() += 1;
        }
    }

    fn merge(&mut self, other: Held) {
        self.cases += other.cases;
        for (operator, count) in other.operators {
            *self.operators.entry(operator).or_default() += count;
        }
    }

    /// An operator that is counted and not listed has no minimum, which is a gap as well.
    fn gaps(&self, what: &str, minimum: &Minimum, cases: u64) -> Vec<String> {
        let all = format!("cases in which {what} are held to no surplus key");
        let mut gaps = Vec::from_iter(short_of(&all, self.cases, minimum.percent, cases));
        for operator in OPERATORS {
            let what = format!("{operator} of {what} held to no surplus key");
            gaps.extend(too_few(&what, self.of(operator), cases / minimum.one_in));
        }
        let unknown = |operator: &&String| !OPERATORS.contains(&operator.as_str());
        let unknown = self.operators.keys().filter(unknown);
        gaps.extend(unknown.map(|it| format!("{it} is held to no surplus key without a minimum")));
        gaps
    }

    fn of(&self, operator: &str) -> u64 {
        self.operators.get(operator).copied().unwrap_or(0)
    }
}

#[test]
fn a_run_that_holds_too_little_to_it_falls_short() {
    let mut enough = Exactness::default();
    for (held, percent) in [(&mut enough.ranges, 10), (&mut enough.walks, 7)] {
        held.cases = 500 * percent;
        held.operators = OPERATORS.map(|it| (it.to_owned(), 50)).into();
    }
    assert_eq!(enough.gaps(50_000), Vec::<String>::new());
    // What suffices in 50,000 cases does not in two million.
    assert_eq!(enough.gaps(2_000_000).len(), 2 * (1 + OPERATORS.len()));
    let nothing = Exactness::default();
    assert_eq!(nothing.gaps(50_000).len(), 2 * (1 + OPERATORS.len()));
    for (operator, count) in [("BETWEEN", 32), ("hash", 50)] {
        enough.ranges.operators.insert(operator.to_owned(), count);
        let gaps = enough.gaps(50_000);
        assert!(gaps.iter().any(|gap| gap.contains(operator)), "{gaps:?}");
    }
}
