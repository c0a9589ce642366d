//! How many keys a run reads for each key that matches, by what the others are read for.
//!
//! A landing is a key that a walk looks at to learn where to go on. Every other key that does not match lies in the spans,
//! and the residual says why: of a part of the predicate nothing is known, a union was too long for the budget, or the key
//! does not tell what is asked, of a column that it lacks or has a hash of. The law says nothing of these: a plan may read
//! every key and be right. So that planning does not become worse unseen, a run has a bound on them all.

use std::fmt::Write;

use super::check::BUDGETS;
use crate::span::Plan;

/// What for a key is read that does not match, in the order in which one of several is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A walk lands on it.
    Landing,
    /// A union is over the budget.
    Budget,
    /// Something of the predicate is not understood.
    NotUnderstood,
    /// The key does not tell.
    Key,
}

impl Cause {
    const ALL: [Self; 4] = [Self::Landing, Self::Budget, Self::NotUnderstood, Self::Key];

    fn words(self) -> &'static str {
        match self {
            Self::Landing => "landings of walks",
            Self::Budget => "over the budget",
            Self::NotUnderstood => "not understood",
            Self::Key => "not in the key",
        }
    }

    /// Why a key is inside of the spans that fails these conjuncts of the case: all, where it is not known which.
    pub fn of(plan: &Plan, fails: &dyn Fn(usize) -> bool) -> Self {
        let failed = || plan.residual.iter().filter(|it| fails(it.conjunct));
        let says = |text: &str| failed().any(|residual| residual.reason.contains(text));
        if says("budget") {
            Self::Budget
        } else if says("not a condition on single columns") {
            Self::NotUnderstood
        } else {
            Self::Key
        }
    }
}

/// Keys that were read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reads {
    /// Those that match, or of which DataFusion does not say whether they do.
    pub matching: u64,
    others: [u64; Cause::ALL.len()],
}

impl Reads {
    /// Adds keys that do not match.
    pub fn add_others(&mut self, cause: Cause, count: usize) {
        for (other, own) in Cause::ALL.iter().zip(&mut self.others) {
            *own += if *other == cause { count as u64 } else { 0 };
        }
    }

    fn add(&mut self, other: Reads) {
        self.matching += other.matching;
        for (own, other) in self.others.iter_mut().zip(other.others) {
            *own += other;
        }
    }

    /// Keys that are read for a thousand that match.
    fn per_thousand(&self, keys: u64) -> u64 {
        (keys * 1_000).checked_div(self.matching).unwrap_or(0)
    }

    fn all(&self) -> u64 {
        self.matching + self.others.iter().sum::<u64>()
    }

    fn line(&self) -> String {
        let shown = |keys| {
            let thousandths = self.per_thousand(keys);
            format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
        };
        let causes = Cause::ALL.iter().zip(self.others);
        let causes = causes.map(|(cause, keys)| format!("{} {}", cause.words(), shown(keys)));
        let causes = causes.collect::<Vec<_>>().join(", ");
        format!("{}: {causes}", shown(self.all()))
    }
}

/// The keys read at each budget.
#[derive(Debug, Default, Clone)]
pub(super) struct AllReads([Reads; BUDGETS.len()]);

/// The most keys that a run may read for a thousand that match: at the usual budget, and at the small ones. They were
/// 1,224, 1,268, 1,252 and 1,233.
const MOST: [u64; BUDGETS.len()] = [1_250, 1_300, 1_280, 1_260];

impl AllReads {
    /// The keys read at one of the law's budgets.
    pub fn at(&mut self, budget: usize) -> Option<&mut Reads> {
        let position = BUDGETS.iter().position(|other| *other == budget)?;
        self.0.get_mut(position)
    }

    /// Adds those of another case, or of another thread.
    pub fn merge(&mut self, other: &AllReads) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own.add(*other);
        }
    }

    /// A line for each budget.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (budget, reads) in BUDGETS.iter().zip(&self.0) {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  keys read for each that matches, budget {budget}: {}",
                reads.line()
            );
        }
        text
    }

    /// Where more was read than a run may.
    pub fn gaps(&self) -> Vec<String> {
        let budgets = BUDGETS.iter().zip(&self.0).zip(MOST);
        let excess = budgets.filter(|((_, reads), most)| reads.per_thousand(reads.all()) > *most);
        excess
            .map(|((budget, reads), most)| {
                let line = reads.line();
                format!("keys read for each that matches at budget {budget}, {most} thousandths at most: {line}")
            })
            .collect()
    }
}

#[test]
fn a_run_that_reads_too_much_says_what_for() {
    let mut reads = AllReads::default();
    let usual = reads.at(BUDGETS[0]).expect("the usual budget");
    usual.matching = 1_000;
    usual.add_others(Cause::Landing, 100);
    usual.add_others(Cause::Key, 50);
    assert_eq!(
        usual.line(),
        "1.150: landings of walks 0.100, over the budget 0.000, not understood 0.000, not in the key 0.050"
    );
    assert_eq!(reads.gaps(), Vec::<String>::new());
    let small = reads.at(1).expect("a small budget");
    small.matching = 10;
    small.add_others(Cause::Budget, 100);
    let gaps = reads.gaps().join("\n");
    assert!(
        gaps.contains("budget 1,") && gaps.contains("over the budget 10.000"),
        "{gaps}"
    );
}
