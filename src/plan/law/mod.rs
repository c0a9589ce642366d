//! The law of spans, as a test.
//!
//! **A row outside the spans never satisfies the predicate; where the spans claim to prove a conjunct, every row inside
//! satisfies it.** On random layouts × conditions × rows, planned at the usual budget and at budgets 1, 2 and 7:
//!
//! * a row for which the condition is TRUE has its key in the spans (`LostRow`);
//! * a key in the spans satisfies every conjunct that is not in the residual (`SurplusRow`);
//! * a key is in one run at most, and a full scan reads it once (`TwiceRead`);
//! * ranges and walks over the same boxes agree on every key, and a scan delivers what is inside, a walk in both
//!   directions (`Disagreement`);
//! * a part that is said to be constant is (`WrongConstant`);
//! * a scan reads no more than [`tightness`] allows (`NotTight`).
//!
//! Conditions are comparisons, lists, BETWEEN, IS NULL, LIKE and tuples of columns and of the functions of key parts, under
//! AND, OR, NOT and truth tests; and what is computed of columns ([`computed`]): arithmetic with whole numbers, checked
//! and wrapping; times that an interval moves, cut off or put in bins of any origin; COALESCE, NULLIF and CASE, with values
//! and with conditions; regular expressions and ILIKE.
//!
//! A condition reaches the spans as SQL is planned, with the casts of DataFusion's analyzer, or through a whole session
//! of Halite's ([`cases::Variant`]). What is true is asked of DataFusion, row by row ([`oracle`]).
//!
//! A case ([`cases`]) follows from its seed: one that fails prints it, shrunk ([`shrink`]), and `HALITE_LAW_SEED` replays
//! it. `HALITE_LAW_CASES` sets the number of distinct cases, `HALITE_LAW_MASTER` the seed that the others follow from. A
//! run prints its [`coverage`], with `HALITE_LAW_VERBOSE` every combination of it, and how many keys it [`reads`] for each
//! that matches, by what for. It fails where it falls short of what so many cases have to show, and where it reads too
//! much. The [`controls`] show that the law can be broken, and [`exhaustive`] plans what is small: in a long run all of it.

pub(crate) mod cases;
mod check;
mod computed;
pub(crate) mod condition;
pub(crate) mod constants;
mod controls;
mod coverage;
mod exactness;
mod exhaustive;
mod functions;
mod operators;
pub(crate) mod oracle;
mod pairs;
pub(crate) mod predicate_text;
pub(crate) mod predicates;
pub(crate) mod quiet;
pub(crate) mod random;
mod reads;
mod render;
mod report;
pub(crate) mod run;
mod scan;
mod served;
mod session;
pub(crate) mod shrink;
mod system;
mod tightness;
pub(crate) mod values;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

use self::cases::Case;
use self::check::{Breach, Violation, check};
use self::coverage::Coverage;
use self::operators::signature;
use self::random::Random;
use self::report::report;
use self::run::on_all_cores;
use self::shrink::shrink;
use crate::seed::number;

/// Distinct cases of an ordinary run; `make test-long` asks for two million.
const CASES: usize = 50_000;

/// The seed from which those of the cases follow.
const MASTER: u64 = 0x4a11_7e00;

/// Breaches of each kind that are shrunk; those that come to the same are shown once.
const SHRUNK: usize = 60;

/// Cases that a thread takes at a time.
const BATCH: u64 = 256;

#[test]
fn the_law() {
    if let Some(seed) = number("HALITE_LAW_SEED") {
        return replay(seed);
    }
    let wanted =
        number("HALITE_LAW_CASES").map_or(CASES, |cases| usize::try_from(cases).expect("a count"));
    let master = number("HALITE_LAW_MASTER").unwrap_or(MASTER);
    let begun = Instant::now();
    let run = Run {
        master,
        wanted,
        state: Mutex::default(),
    };
    on_all_cores(|next| run.work(next));
    let state = run.state.into_inner().expect("no thread panicked");
    // Past the capture of tests: what a run covered is always to be seen.
    let _ = writeln!(
        std::io::stderr(),
        "{}  in {:.1} s, {} breaches",
        state.coverage.table(),
        begun.elapsed().as_secs_f64(),
        state.breaches.values().sum::<usize>()
    );
    if std::env::var_os("HALITE_LAW_VERBOSE").is_some() {
        let _ = write!(std::io::stderr(), "{}", state.coverage.matrix());
    }
    let reports = state.reports.into_iter();
    let mut failures: Vec<String> = reports
        .map(|(kind, (count, report))| format!("{count} x {kind}:\n{report}"))
        .collect();
    failures.extend(state.coverage.gaps(wanted >= CASES));
    assert!(
        failures.is_empty(),
        "{:?}\n{}",
        state.breaches,
        failures.join("\n")
    );
}

/// One case again, by its seed.
fn replay(seed: u64) {
    let case = Case::generate(seed).expect("a seed of a case");
    if let Err(violation) = check(&case) {
        let whole = report(seed, &case, &violation);
        let (case, violation) = shrink(case, violation);
        panic!("{whole}\n{}", report(seed, &case, &violation));
    }
}

/// A run of many cases on all cores.
struct Run {
    master: u64,
    wanted: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: HashSet<u64>,
    coverage: Coverage,
    breaches: HashMap<Breach, usize>,
    /// What a shrunk case comes to: how often, and the first report.
    reports: BTreeMap<String, (usize, String)>,
}

impl Run {
    fn work(&self, next: &dyn Fn() -> u64) {
        loop {
            let first = next() * BATCH;
            let mut identities = Vec::new();
            let mut coverage = Coverage::default();
            for index in first..first + BATCH {
                let seed = Random::case_seed(self.master, index);
                let Some(case) = Case::generate(seed) else {
                    continue;
                };
                identities.push(case.identity());
                match check(&case) {
                    Ok(tally) => coverage.add(&case, &tally),
                    Err(violation) => self.report(case, violation),
                }
            }
            let mut state = self.state.lock().expect("no thread panicked");
            state.coverage.merge(coverage);
            state.seen.extend(identities);
            if state.seen.len() >= self.wanted {
                return;
            }
        }
    }

    /// Counts a breach; the first ones of each kind are shrunk and kept.
    fn report(&self, case: Case, violation: Violation) {
        let breach = violation.breach;
        let count = {
            let mut state = self.state.lock().expect("no thread panicked");
            let count = state.breaches.entry(breach).or_default();
            *count += 1;
            *count
        };
        if count > SHRUNK {
            return;
        }
        let seed = case.seed;
        let (case, violation) = shrink(case, violation);
        let report = report(seed, &case, &violation);
        let kind = format!("{breach:?} {}", signature(&case));
        let mut state = self.state.lock().expect("no thread panicked");
        let reports = &mut state.reports;
        reports.entry(kind).or_insert((0, report)).0 += 1;
    }
}
