//! Whole queries, held against the same queries planned without any optimizer rule.
//!
//! Rules rewrite every plan: joins are reordered and turned round, filters, limits and sorts are moved, subqueries become
//! joins, orders of keys are relied upon. Predicates alone do not show what that may break. So random queries
//! ([`draw`]: joins of all kinds, aggregates, DISTINCT, windows, set operations, subqueries, orders and pages) over random
//! tables ([`data`]) are asked of Halite, with one to four partitions and batches of a few rows, and of an [`oracle`]
//! that plans as plainly as can be. What a WHERE says of one table alone is a condition of the span law, and what is
//! true of a row is what the law's oracle says ([`truths`]).
//!
//! A case follows from its seed: one that fails prints it, shrunk ([`shrink`]), and `HALITE_WHOLE_SEED` replays it.
//! `HALITE_WHOLE_CASES` sets the number of queries, `HALITE_WHOLE_MASTER` the seed that the others follow from, and
//! `HALITE_WHOLE_FROM` the query to begin with, so that a long run can be done in pieces.

mod answer;
mod case;
mod conditions;
mod controls;
mod data;
mod draw;
mod oracle;
mod query;
mod render;
mod shrink;
mod subject;
mod truths;
mod windows;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;

use self::case::{Case, QUERIES, Verdict, Workshop, report, script};
use self::shrink::shrink;
use crate::plan::law::random::Random;
use crate::plan::law::run::on_all_cores;
use crate::seed::number;

/// Queries, unless `HALITE_WHOLE_CASES` says otherwise: `make test-long` asks for 200,000, where all that has been wrong of
/// late was found.
const CASES: u64 = 5_000;

/// The seed from which those of the cases follow.
const MASTER: u64 = 0x5e1e_c700;

/// Wrong answers of one kind that are shrunk.
const SHRUNK: usize = 3;

#[test]
fn whole_queries_are_right() {
    run();
}

pub fn run() {
    if let Some(seed) = number("HALITE_WHOLE_SEED") {
        return replay(seed);
    }
    let wanted = number("HALITE_WHOLE_CASES").unwrap_or(CASES);
    let from = number("HALITE_WHOLE_FROM").unwrap_or_default();
    let master = number("HALITE_WHOLE_MASTER").unwrap_or(MASTER);
    let begun = Instant::now();
    let run = Run {
        master,
        databases: from / QUERIES..wanted.div_ceil(QUERIES),
        tally: Mutex::default(),
    };
    on_all_cores(|next| run.work(next));
    let tally = run.tally.into_inner().expect("no thread panicked");
    // Past the capture of tests: what a run met is always to be seen.
    let _ = writeln!(
        std::io::stderr(),
        "whole queries {from} to {wanted}, HALITE_WHOLE_MASTER={master:#x}, {:.1} s: {}",
        begun.elapsed().as_secs_f64(),
        tally.summary()
    );
    let failures = &tally.reports;
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// One case again, by its seed.
fn replay(seed: u64) {
    let workshop = Workshop::new();
    let opened = workshop.open(seed);
    // Before it is run, which may not end.
    println!("{}", script(&Workshop::case(&opened, seed % QUERIES)));
    let (case, verdict) = workshop.run(&opened, seed % QUERIES);
    let whole = report(&case, &verdict);
    println!("{whole}");
    if let Verdict::Wrong(_) = &verdict {
        let (case, verdict) = shrink(&workshop, case, verdict);
        panic!("{whole}\n{}", report(&case, &verdict));
    }
}

/// A run of many cases on all cores.
struct Run {
    master: u64,
    databases: Range<u64>,
    tally: Mutex<Tally>,
}

/// What a run met.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    /// Of these, with rows.
    with_rows: usize,
    unanswered: BTreeMap<String, (usize, String)>,
    refused: BTreeMap<String, usize>,
    wrong: BTreeMap<String, usize>,
    reports: Vec<String>,
}

impl Tally {
    fn summary(&self) -> String {
        let count = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
        let unanswered: usize = self.unanswered.values().map(|(count, _)| count).sum();
        let mut summary = format!(
            "{} right ({} with rows), {unanswered} without an answer, {} refused, wrong: {} {:?}",
            self.right,
            self.with_rows,
            count(&self.refused),
            count(&self.wrong),
            self.wrong
        );
        if std::env::var_os("HALITE_WHOLE_VERBOSE").is_some() {
            for (kind, (count, example)) in &self.unanswered {
                summary.push_str(&format!("\n  no answer: {count} x {kind}: {example}"));
            }
            for (kind, count) in &self.refused {
                summary.push_str(&format!("\n  refused: {count} x {kind}"));
            }
        }
        summary
    }
}

impl Run {
    fn work(&self, next: &dyn Fn() -> u64) {
        let workshop = Workshop::new();
        loop {
            let database = self.databases.start + next();
            if !self.databases.contains(&database) {
                return;
            }
            let opened = workshop.open(Random::case_seed(self.master, database));
            for number in 0..QUERIES {
                let (case, verdict) = workshop.run(&opened, number);
                self.note(&workshop, case, verdict);
            }
        }
    }

    fn note(&self, workshop: &Workshop, case: Case, verdict: Verdict) {
        let tally = || self.tally.lock().expect("no thread panicked");
        let first = |error: &str| {
            let words = error.split(|letter: char| !letter.is_alphabetic());
            let words = words.filter(|word| word.len() > 2);
            words.take(8).collect::<Vec<_>>().join(" ")
        };
        match &verdict {
            Verdict::Right(rows) => {
                let mut tally = tally();
                tally.right += 1;
                tally.with_rows += usize::from(*rows > 0);
            }
            Verdict::Unanswered(error) => {
                let mut tally = tally();
                let kinds = &mut tally.unanswered;
                kinds.entry(first(error)).or_insert((0, error.clone())).0 += 1;
            }
            Verdict::Refused(error) => {
                *tally().refused.entry(first(error)).or_default() += 1;
            }
            Verdict::Wrong(difference) => {
                let kind = difference.kind();
                // At once: who stops a long run is to see it, too.
                let _ = writeln!(
                    std::io::stderr(),
                    "{kind}: HALITE_WHOLE_SEED={:#018x}",
                    case.seed
                );
                let count = {
                    let mut tally = tally();
                    let count = tally.wrong.entry(kind.clone()).or_default();
                    *count += 1;
                    *count
                };
                if count <= SHRUNK {
                    let (case, verdict) = shrink(workshop, case, verdict);
                    tally()
                        .reports
                        .push(format!("{kind}: {}", report(&case, &verdict)));
                }
            }
        }
    }
}
