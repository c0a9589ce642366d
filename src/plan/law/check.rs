//! The law on one case.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::cases::Case;
use super::oracle::{Oracle, Outcome};
use super::quiet::quietly;
use super::reads::{AllReads, Cause};
use super::scan::{Scan, scan, walk_back, walk_on};
use super::system::Lowered;
use super::tightness::{self, Bounds};
use crate::datum::Datum;
use crate::key::RowKey;
use crate::keyrange::{Guide, Step, hex};
use crate::span::{BUDGET, Plan, Run, Spans, Walk, Work};

/// The budgets at which every case is planned; the first is what users have.
pub(super) const BUDGETS: [usize; 4] = [BUDGET, 1, 2, 7];

/// Which half of the law is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Breach {
    /// A row satisfies the condition and is not in the spans.
    LostRow,
    /// A row is in the spans, and a conjunct that they claim to prove does not hold for it.
    SurplusRow,
    /// A row is in two runs.
    TwiceRead,
    /// Ranges and walk of the same boxes differ on a key, or a walk contradicts itself.
    Disagreement,
    /// More is read than the bounds allow.
    NotTight,
    /// A part is said to be constant and is not.
    WrongConstant,
    /// Planning, or asking the spans, failed.
    Failed,
    /// It panicked.
    Panicked,
    /// The law's own fault: DataFusion does not accept the condition.
    Malformed,
}

/// A breach with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct Violation {
    pub breach: Breach,
    pub budget: usize,
    /// The row in question.
    pub row: Option<usize>,
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at budget {}", self.breach, self.budget)?;
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

/// What a case that keeps the law was good for.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    /// Rows that can be stored.
    pub rows: usize,
    /// Their distinct keys.
    pub keys: usize,
    pub matches: usize,
    /// Rows on which DataFusion raises an error.
    pub errors: usize,
    /// Key ranges at the usual budget.
    pub ranges: usize,
    pub tight: bool,
    /// The usual budget, or one of the small ones, made a walk.
    pub walk: bool,
    pub walk_at_small_budget: bool,
    /// Whether no key that does not match could be read at the usual budget.
    pub exact: bool,
    /// Whether that was so of listed ranges at the usual budget, or of a walk at any, while some keys lay inside and some
    /// did not: of others it could not be seen.
    pub exact_ranges: bool,
    pub exact_walk: bool,
    /// The keys that were read, at each budget.
    pub reads: AllReads,
}

/// Checks a case; a panic on the way is a breach, too.
pub(super) fn check(case: &Case) -> Result<Tally, Violation> {
    let checked = quietly(|| catch_unwind(AssertUnwindSafe(|| check_case(case))));
    checked.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(violation(
            Breach::Panicked,
            0,
            text.unwrap_or("a panic without a message"),
        ))
    })
}

fn violation(breach: Breach, budget: usize, detail: impl Into<String>) -> Violation {
    Violation {
        breach,
        budget,
        row: None,
        detail: detail.into(),
    }
}

fn check_case(case: &Case) -> Result<Tally, Violation> {
    let failed = |error: crate::error::Error| violation(Breach::Failed, 0, error.to_string());
    let key = case.key().map_err(failed)?;
    let oracle = Oracle::new(&case.columns, &case.rows);
    let answers = Answers::new(case, &oracle)?;
    let lowered = Lowered::new(case, oracle.schema(), &key)
        .map_err(|detail| violation(Breach::Malformed, 0, detail))?;
    let stored = Stored::new(case, &key);
    check_full(&key, &stored)?;
    let prepared = Prepared {
        case,
        key: &key,
        answers: &answers,
        lowered: &lowered,
        stored: &stored,
    };
    prepared.check(&BUDGETS)
}

/// A case with all that is known before it is planned.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    pub case: &'a Case,
    pub key: &'a RowKey,
    pub answers: &'a Answers,
    pub lowered: &'a Lowered,
    pub stored: &'a Stored,
}

impl Prepared<'_> {
    /// The law at these budgets.
    pub fn check(&self, budgets: &[usize]) -> Result<Tally, Violation> {
        let mut tally = Tally {
            keys: self.stored.entries.len(),
            ..Tally::default()
        };
        for &budget in budgets {
            let trial = Trial { of: *self, budget };
            let plan = self
                .lowered
                .plan(self.key, budget)
                .map_err(trial.failed())?;
            trial.check(&plan, &self.lowered.proven(&plan), &mut tally)?;
        }
        for row in self.stored.entries.iter().flat_map(|entry| &entry.rows) {
            tally.rows += 1;
            match self.answers.whole(*row) {
                Outcome::True => tally.matches += 1,
                Outcome::Error => tally.errors += 1,
                Outcome::False | Outcome::Unknown => {}
            }
        }
        Ok(tally)
    }
}

/// The oracle's answers: for each conjunct, for each row.
pub(super) struct Answers(Vec<Vec<Outcome>>);

impl Answers {
    pub fn new(case: &Case, oracle: &Oracle) -> Result<Self, Violation> {
        let conjuncts = case.condition.conjuncts();
        let answers = conjuncts.iter().map(|conjunct| oracle.evaluate(conjunct));
        let answers: Result<Vec<_>, String> = answers.collect();
        answers
            .map(Self)
            .map_err(|detail| violation(Breach::Malformed, 0, detail))
    }

    /// A conjunct on a row.
    pub fn of(&self, conjunct: usize, row: usize) -> Outcome {
        self.0[conjunct][row]
    }

    /// The whole condition on a row: an error in any conjunct leaves it open.
    pub fn whole(&self, row: usize) -> Outcome {
        let outcomes = || self.0.iter().map(|conjunct| conjunct[row]);
        for outcome in [Outcome::Error, Outcome::False, Outcome::Unknown] {
            if outcomes().any(|other| other == outcome) {
                return outcome;
            }
        }
        Outcome::True
    }
}

/// A key with the rows that have it: more than one where the layout does not tell them apart.
pub(super) struct Entry {
    pub key: Vec<u8>,
    pub rows: Vec<usize>,
}

/// The keys of all rows that can be stored, sorted.
pub(super) struct Stored {
    pub entries: Vec<Entry>,
    pub keys: Vec<Vec<u8>>,
    /// Keys of other layouts, which may stand among these.
    pub strangers: Vec<Vec<u8>>,
}

impl Stored {
    pub fn new(case: &Case, key: &RowKey) -> Self {
        let rows = case.rows.iter().enumerate();
        let mut encoded: Vec<(Vec<u8>, usize)> = rows
            .filter_map(|(position, row)| Some((key.encode(row).ok()?, position)))
            .collect();
        encoded.sort();
        let mut entries: Vec<Entry> = Vec::with_capacity(encoded.len());
        for (key, row) in encoded {
            match entries.last_mut().filter(|last| last.key == key) {
                Some(last) => last.rows.push(row),
                None => entries.push(Entry {
                    key,
                    rows: vec![row],
                }),
            }
        }
        let keys = entries.iter().map(|entry| entry.key.clone()).collect();
        Self {
            entries,
            keys,
            strangers: case.strangers(),
        }
    }
}

/// The first key of another layout that spans hold, or that is taken for one of this.
fn stranger_in(
    spans: &Spans,
    key: &RowKey,
    stored: &Stored,
) -> crate::error::Result<Option<String>> {
    for stranger in &stored.strangers {
        let mut is_inside = key.is_own(stranger);
        for run in spans.runs() {
            is_inside |= run.contains(stranger)?;
            if let Work::Walk(walk) = &run.work
                && walk.hull().contains(stranger)
            {
                is_inside |= matches!(walk.previous(stranger)?, Step::In { .. });
            }
        }
        if is_inside {
            return Ok(Some(format!(
                "the key {} of another layout is inside",
                hex(stranger)
            )));
        }
    }
    Ok(None)
}

/// A full scan reads every key exactly once.
pub(super) fn check_full(key: &RowKey, stored: &Stored) -> Result<(), Violation> {
    let failed = |error: crate::error::Error| violation(Breach::Failed, BUDGET, error.to_string());
    let full = Spans::full(key).map_err(failed)?;
    if let Some(detail) = stranger_in(&full, key, stored).map_err(failed)? {
        return Err(violation(Breach::SurplusRow, BUDGET, detail));
    }
    for entry in &stored.entries {
        if !key.is_own(&entry.key) || !key.own_range().contains(&entry.key) {
            let detail = format!("the key {} is not taken for its own", hex(&entry.key));
            return Err(violation(Breach::LostRow, BUDGET, detail));
        }
        let mut runs = 0;
        for run in full.runs() {
            runs += usize::from(run.contains(&entry.key).map_err(failed)?);
        }
        if runs != 1 {
            let breach = if runs == 0 {
                Breach::LostRow
            } else {
                Breach::TwiceRead
            };
            let detail = format!("a full scan reads the key {} {runs} times", hex(&entry.key));
            return Err(Violation {
                row: entry.rows.first().copied(),
                ..violation(breach, BUDGET, detail)
            });
        }
    }
    Ok(())
}

fn is_walk(run: &Run) -> bool {
    matches!(run.work, Work::Walk(_))
}

/// A case at one budget.
struct Trial<'a> {
    of: Prepared<'a>,
    budget: usize,
}

impl Trial<'_> {
    fn check(&self, plan: &Plan, proven: &[bool], tally: &mut Tally) -> Result<(), Violation> {
        let inside = self.membership(plan)?;
        for (position, entry) in self.of.stored.entries.iter().enumerate() {
            for row in &entry.rows {
                self.check_row(*row, inside[position], proven)?;
            }
        }
        let stranger = stranger_in(&plan.spans, self.of.key, self.of.stored);
        if let Some(detail) = stranger.map_err(self.failed())? {
            return Err(self.breach(Breach::SurplusRow, None, detail));
        }
        self.check_scans(plan, &inside, tally)?;
        self.check_constants(plan, &inside)?;
        self.count_reads(plan, &inside, tally);
        if self.budget == BUDGET {
            self.check_agreement(plan)?;
            tally.tight = plan.tight();
        }
        Ok(())
    }

    fn breach(&self, breach: Breach, row: Option<usize>, detail: impl Into<String>) -> Violation {
        Violation {
            breach,
            budget: self.budget,
            row,
            detail: detail.into(),
        }
    }

    fn failed(&self) -> impl Fn(crate::error::Error) -> Violation {
        |error| self.breach(Breach::Failed, None, error.to_string())
    }

    /// For each key whether it is in the spans.
    fn membership(&self, plan: &Plan) -> Result<Vec<bool>, Violation> {
        let mut inside = Vec::with_capacity(self.of.stored.entries.len());
        for entry in &self.of.stored.entries {
            let mut runs = 0;
            for run in plan.spans.runs() {
                runs += usize::from(run.contains(&entry.key).map_err(self.failed())?);
            }
            if runs > 1 {
                let detail = format!("the key {} is in {runs} runs", hex(&entry.key));
                return Err(self.breach(Breach::TwiceRead, entry.rows.first().copied(), detail));
            }
            inside.push(runs == 1);
        }
        Ok(inside)
    }

    fn check_row(&self, row: usize, inside: bool, proven: &[bool]) -> Result<(), Violation> {
        if !inside {
            return match self.of.answers.whole(row) {
                Outcome::True => Err(self.breach(
                    Breach::LostRow,
                    Some(row),
                    "it satisfies the condition and is not in the spans",
                )),
                _ => Ok(()),
            };
        }
        for (position, conjunct) in self.of.answers.0.iter().enumerate() {
            let outcome = conjunct[row];
            if proven[position] && !matches!(outcome, Outcome::True | Outcome::Error) {
                let detail = format!(
                    "it is in the spans, and conjunct {position}, which they claim to prove, is {outcome:?}"
                );
                return Err(self.breach(Breach::SurplusRow, Some(row), detail));
            }
        }
        Ok(())
    }

    /// What a scan delivers is what is inside, each key once, and it reads no more than it may.
    fn check_scans(
        &self,
        plan: &Plan,
        inside: &[bool],
        tally: &mut Tally,
    ) -> Result<(), Violation> {
        let mut delivered = vec![0_usize; inside.len()];
        let bounds = Bounds(self.of);
        let exact = tightness::must_be_exact(self.of.case)
            && !tightness::may_be_wider(self.of.case, plan, self.budget);
        for run in plan.spans.runs() {
            let scan = scan(run, &self.of.stored.keys).map_err(self.failed())?;
            if let Some(broken) = scan.broken {
                return Err(self.breach(Breach::Disagreement, None, broken));
            }
            for position in &scan.delivered {
                delivered[*position] += 1;
            }
            let landings = scan.keys_read.saturating_sub(scan.delivered.len());
            if let Some(reads) = tally.reads.at(self.budget) {
                reads.add_others(Cause::Landing, landings);
            }
            tally.walk |= is_walk(run) && self.budget == BUDGET;
            tally.walk_at_small_budget |= is_walk(run);
            if let Some(set) = run.ranges(self.of.key)
                && self.budget == BUDGET
            {
                tally.ranges += set.ranges().len();
            }
            if let Work::Walk(walk) = &run.work {
                let back = self.scan_back(walk, &scan.delivered)?;
                for (way, scan) in [("on", &scan), ("back", &back)] {
                    let wide = |detail| {
                        self.breach(Breach::NotTight, None, format!("a walk {way} {detail}"))
                    };
                    bounds.check(walk, scan).map_err(wide)?;
                    if exact {
                        bounds.check_landings(scan).map_err(wide)?;
                    }
                }
            }
        }
        for (position, count) in delivered.iter().enumerate() {
            if *count != usize::from(inside[position]) {
                let entry = &self.of.stored.entries[position];
                let detail = format!(
                    "a scan delivers the key {} {count} times; asked by itself it is inside: {}",
                    hex(&entry.key),
                    inside[position]
                );
                return Err(self.breach(Breach::Disagreement, entry.rows.first().copied(), detail));
            }
        }
        if exact {
            let divides = inside.contains(&true) && inside.contains(&false);
            let of = |walk| divides && plan.spans.runs().iter().any(|run| is_walk(run) == walk);
            tally.exact |= self.budget == BUDGET;
            tally.exact_ranges |= self.budget == BUDGET && of(false);
            tally.exact_walk |= of(true);
            bounds
                .check_exact(inside)
                .map_err(|(row, detail)| self.breach(Breach::NotTight, Some(row), detail))?;
        }
        Ok(())
    }

    /// Counts the keys inside by what they are read for.
    fn count_reads(&self, plan: &Plan, inside: &[bool], tally: &mut Tally) {
        let Some(reads) = tally.reads.at(self.budget) else {
            return;
        };
        let answers = self.of.answers;
        let entries = self.of.stored.entries.iter().zip(inside);
        for (entry, _) in entries.filter(|(_, inside)| **inside) {
            let whole = |row: &usize| answers.whole(*row);
            let may_match = |row| matches!(whole(row), Outcome::True | Outcome::Error);
            match entry.rows.first() {
                Some(row) if !entry.rows.iter().any(may_match) => {
                    let fails = |conjunct| self.of.lowered.fails(conjunct, answers, *row);
                    reads.add_others(Cause::of(plan, &fails), 1);
                }
                _ => reads.matching += 1,
            }
        }
    }

    /// A walk read against the order of the keys delivers what it delivers in order, last key first.
    fn scan_back(&self, walk: &Walk, delivered: &[usize]) -> Result<Scan, Violation> {
        let keys = &self.of.stored.keys;
        let back = walk_back(walk, keys).map_err(self.failed())?;
        if let Some(broken) = back.broken {
            return Err(self.breach(Breach::Disagreement, None, broken));
        }
        if !back.delivered.iter().eq(delivered.iter().rev()) {
            let detail = format!(
                "a walk delivers the keys {delivered:?} in order, and {:?} against it",
                back.delivered
            );
            return Err(self.breach(Breach::Disagreement, None, detail));
        }
        Ok(back)
    }

    /// A part that is said to have one value has that value in every key inside.
    fn check_constants(&self, plan: &Plan, inside: &[bool]) -> Result<(), Violation> {
        let constants = plan.spans.constants();
        for (entry, _) in self
            .of
            .stored
            .entries
            .iter()
            .zip(inside)
            .filter(|(_, inside)| **inside)
        {
            let values: Vec<Option<Datum>> =
                self.of.key.decode(&entry.key).map_err(self.failed())?;
            for (part, constant) in constants.iter().enumerate() {
                if let Some(constant) = constant
                    && values[part] != *constant
                {
                    let detail = format!("part {part} is said to be {constant:?} throughout");
                    return Err(self.breach(
                        Breach::WrongConstant,
                        entry.rows.first().copied(),
                        detail,
                    ));
                }
            }
        }
        Ok(())
    }

    /// A walk over the same boxes and the listed ranges agree on every key.
    fn check_agreement(&self, plan: &Plan) -> Result<(), Violation> {
        let walks = plan.spans.walks(self.of.key).map_err(self.failed())?;
        let walked: HashSet<Option<u32>> = plan.spans.runs().iter().map(|run| run.bucket).collect();
        debug_assert_eq!(
            walked.len(),
            plan.spans.runs().len(),
            "one run for a bucket"
        );
        for run in plan.spans.runs() {
            let of_run = walks.iter().find(|(bucket, _)| *bucket == run.bucket);
            let (Some(set), Some((_, walk))) = (run.ranges(self.of.key), of_run) else {
                continue;
            };
            for entry in &self.of.stored.entries {
                let by_walk = match walk
                    .as_ref()
                    .filter(|walk| walk.hull().contains(&entry.key))
                {
                    Some(walk) => [walk.next(&entry.key), walk.previous(&entry.key)],
                    None => [Ok(Step::Done), Ok(Step::Done)],
                };
                for (step, way) in by_walk.into_iter().zip(["on", "back"]) {
                    let by_walk = matches!(step.map_err(self.failed())?, Step::In { .. });
                    if by_walk != set.contains(&entry.key) {
                        let detail = format!(
                            "the ranges hold the key {}: {}, a walk {way} over the same boxes: {by_walk}",
                            hex(&entry.key),
                            !by_walk
                        );
                        let row = entry.rows.first().copied();
                        return Err(self.breach(Breach::Disagreement, row, detail));
                    }
                }
            }
            if let Some(walk) = walk {
                let on = walk_on(walk, &self.of.stored.keys).map_err(self.failed())?;
                self.scan_back(walk, &on.delivered)?;
            }
        }
        Ok(())
    }
}
